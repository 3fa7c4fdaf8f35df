"""Traces of agents, in the JSON forms of OTLP -> run data that runvet can check.

    python -m runvet.spans TRACES.json... RUN_DATA

It needs Python alone: this file is a program too. A trace with calls of models or tools is a run:
that of its agent, if all of them are in it, or else of its root span. Each call is an action; the
outermost tools and sub-agents are the steps, and what happens within belongs to them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

# What a span is, in the words of OpenTelemetry, OpenInference, OpenLLMetry and Langfuse.
KINDS = """gen_ai.operation.name openinference.span.kind traceloop.span.kind
    langfuse.observation.type llm.request.type""".split()
AGENTS = {"agent", "create_agent", "invoke_agent", "invoke_workflow", "workflow"}
TOOLS = {"execute_tool", "tool"}
OTHERS = {"chain", "event", "span", "task", "unknown"}
MODELS = ["gen_ai.request.model", "llm.model_name", "gen_ai.response.model"]
NAMES = ["gen_ai.tool.name", "tool.name", "gen_ai.agent.name", "agent.name", *MODELS]
TASKS = """gen_ai.agent.description input.value traceloop.entity.input
    langfuse.observation.input""".split()
INPUTS = ["gen_ai.tool.call.arguments", "gen_ai.input.messages", *TASKS[1:]]
OUTPUTS = """gen_ai.tool.call.result gen_ai.output.messages output.value traceloop.entity.output
    langfuse.observation.output""".split()

_LOG = logging.getLogger("runvet")

MAX_TASK = 200
"""Characters of a task."""

MAX_OUTPUT = 64 << 10
"""Bytes of a value beyond which its digest, its size and an excerpt stand for it."""

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

LAST = 253_402_300_799 * 10**9
"""The last second of the year 9999, in nanoseconds since 1970."""


class Unconvertible(Exception):
    """A file that is not a trace, or that can't become a run."""


@dataclass(eq=False)
class Span:
    """A span, from any of the forms; times are nanoseconds since 1970, or 0."""

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    error: str | None
    attributes: dict[str, Any]
    parts: list[Span] = field(default_factory=list)

    @property
    def role(self) -> str | None:
        """Its part in a run: `agent`, `tool`, or `call` of a model or the like."""
        words = {str(self.attributes[it]).lower() for it in KINDS if it in self.attributes}
        if words & AGENTS:
            return "agent"
        if words & TOOLS:
            return "tool"
        return "call" if words - OTHERS or self.first(MODELS) is not None else None

    def first(self, names: Iterable[str]) -> Any:
        """The first attribute of some names, as a record has it."""
        found = (self.attributes[it] for it in names if self.attributes.get(it) is not None)
        return _bounded(next(found, None))

    def within(self, *roles: str) -> list[tuple[Span, Span | None]]:
        """It and all spans in it, each with the outermost one that has such a role."""
        found: list[tuple[Span, Span | None]] = []
        left: list[tuple[Span, Span | None]] = [(self, None)]
        while left:
            span, owner = left.pop()
            owner = owner or (span if span.role in roles else None)
            found.append((span, owner))
            left += [(it, owner) for it in span.parts]
        return found


def spans_of(text: str) -> Iterator[Span]:
    """The spans of JSON values that stand one after the other, as a collector writes requests."""
    at, decoder, blank = 0, json.JSONDecoder(), re.compile(r"[\s\ufeff]*")
    try:
        while (found := blank.match(text, at)) and found.end() < len(text):
            value, at = decoder.raw_decode(text, found.end())
            yield from _spans_in(value)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as why:
        raise Unconvertible(f"it is not a trace in JSON: {type(why).__name__}: {why}") from None


def _spans_in(value: Any) -> Iterator[Span]:
    if isinstance(value, list):
        for item in value:
            yield from _spans_in(item)
        return
    lists = ("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans")
    found = [it for name in lists if (it := _of(value, name)) is not None]
    if found:
        yield from _spans_in(found)
    elif value.keys() - {"resource", "scope", "schemaUrl", "schema_url"}:
        yield _span(value)


def _of(value: dict[str, Any], name: str) -> Any:
    """A field by its name in JSON, or that in protobuf."""
    return value.get(name, value.get(re.sub("([A-Z])", r"_\1", name).lower()))


def _span(value: dict[str, Any]) -> Span:
    status = value.get("status") or {}
    status = status if isinstance(status, dict) else {"code": status}
    said = status.get("message")
    for event in value.get("events") or []:
        said = said or _attributes(event.get("attributes")).get("exception.message")
    code = str(status.get("code") or 0).upper().removeprefix("STATUS_CODE_")
    if code not in ("0", "1", "2", "UNSET", "OK", "ERROR"):
        raise ValueError(f"the status of a span is {code!r}")
    attributes = _attributes(value.get("attributes"))
    failed = code in ("2", "ERROR") or attributes.get("langfuse.observation.level") == "ERROR"
    if not (trace := _id(_of(value, "traceId"))) or not (id := _id(_of(value, "spanId"))):
        raise ValueError("a span has no id, or no trace")
    return Span(
        trace,
        id,
        _id(_of(value, "parentSpanId")),
        _clean(str(value.get("name") or "span"), 0),
        _nanoseconds(_of(value, "startTimeUnixNano")),
        _nanoseconds(_of(value, "endTimeUnixNano")),
        _clean(str(said or "the trace does not say why"), 0) if failed else None,
        attributes,
    )


def _id(given: Any) -> str:
    """An id in hexadecimal digits, which protobuf writes in base64; nothing where it is zero."""
    text = str(given or "").removeprefix("0x").lower()
    if not re.fullmatch("([0-9a-f]{16}){0,2}", text):
        text = base64.b64decode(str(given), validate=True).hex()
    if len(text) not in (0, 16, 32):
        raise ValueError(f"{given!r} is not the id of a span or a trace")
    return text if text.strip("0") else ""


def _nanoseconds(given: Any) -> int:
    if not 0 <= (time := int(given or 0)) <= LAST:
        raise ValueError(f"{given!r} is not a time")
    return time


def _attributes(given: Any) -> dict[str, Any]:
    return {str(it["key"]): _plain(it.get("value")) for it in given or []}


def _plain(given: Any) -> Any:
    """A value of OTLP, such as `{"intValue": "3"}`."""
    for kind, value in (given or {}).items():
        match kind.replace("_", "").lower():
            case "intvalue":
                return int(value)
            case "arrayvalue":
                return [_plain(it) for it in value.get("values", [])]
            case "kvlistvalue":
                return _attributes(value.get("values"))
        return value
    return None


def runs_of(spans: Iterable[Span]) -> dict[str, Span]:
    """The span that stands for the run of each trace that has any work, by the id of the run."""
    traces: dict[str, dict[str, Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, {})[span.id] = span
    found: dict[str, Span] = {}
    for trace, by_id in sorted(traces.items()):
        for span in by_id.values():
            if span.parent in by_id:
                by_id[span.parent].parts.append(span)
        roots = {it: it.within("agent") for it in by_id.values() if it.parent not in by_id}
        if sum(map(len, roots.values())) < len(by_id):
            raise Unconvertible(f"spans of the trace {trace} are parts of each other")
        mains = [it for it, parts in roots.items() if any(agent for _, agent in parts)]
        mains = mains or [it for it in roots if not it.parent]
        if len(mains) == 1:
            agents = {agent for _, agent in roots[mains[0]] if agent}
            has_others = any(part.role for part, agent in roots[mains[0]] if not agent)
            run = mains[0] if has_others or len(agents) != 1 else agents.pop()
            # Spans between it and others may be missing.
            run.parts += [it for it in roots if it is not mains[0]]
        else:
            # Where its parts name a span that stands for the run, nobody saw that end.
            end = 0 if any(it.parent for it in roots) else max(it.end for it in roots)
            error = next((it.error for it in roots if it.error), None) if end else None
            run = Span(trace, "", "", f"trace {trace}", 0, end, error, {}, [*roots])
        if any(it.role for it, _ in run.within()):
            found[f"ep_{trace}"] = run
    return found


def _time(nanoseconds: int) -> str:
    return (EPOCH + timedelta(microseconds=nanoseconds // 1000)).isoformat(timespec="microseconds")


def _clean(value: Any, depth: int = 60) -> Any:
    """A value as JSON has it; a text that is an object or an array in JSON becomes that."""
    if isinstance(value, str):
        if value[:1] in ("{", "[") and depth:
            try:
                return _clean(json.loads(value), depth - 1)
            except (RecursionError, ValueError):
                pass
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict) and depth:
        return {_clean(str(name), 0): _clean(it, depth - 1) for name, it in value.items()}
    if isinstance(value, list) and depth:
        return [_clean(it, depth - 1) for it in value]
    if isinstance(value, int) and -(2**63) <= value < 2**63 or value is None:
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def _bounded(value: Any) -> Any:
    value = _clean(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    data = text.encode()
    if len(data) <= MAX_OUTPUT:
        return value
    digest = hashlib.sha256(data).hexdigest()
    return {"sha256": digest, "bytes": len(data), "excerpt": f"{text[: MAX_TASK - 1]}…"}


def _action(span: Span) -> dict[str, Any]:
    # Nobody saw what has no end succeed.
    error = span.error if span.end or span.error else "the trace has no end of this span"
    used = {*NAMES, *INPUTS, *OUTPUTS}
    others = {name: it for name, it in span.attributes.items() if name not in used}
    members = {
        "id": span.id,
        "kind": span.role,
        "tool": span.first(NAMES) or span.name,
        "input": span.first(INPUTS),
        "output": span.first(OUTPUTS) or error,
        "result_status": "ok" if error is None else "error",
        "duration_ms": (span.end - span.start) / 1e6 if span.end else None,
        "x-attributes": _bounded(others) or None,
    }
    return {name: value for name, value in members.items() if value is not None}


def records_of(id: str, run: Span) -> dict[str, str]:
    """The files of a run, in the order in which they are written."""
    works: list[tuple[Span, Span | None]] = [(run, None)]
    works += (it for part in run.parts for it in part.within("agent", "tool"))
    begun = run.start or min((it.start for it, _ in works if it.start), default=0)
    if not begun:
        raise Unconvertible(f"the trace {run.trace} does not say when it began")
    for span, _ in works:
        span.start = span.start or begun
    ended = max(max(it.start, it.end) for it, _ in works)
    started, over = _time(begun), _time(ended)
    said = run.first(TASKS) if run.role != "tool" else None
    task = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    task = (task if said and task.strip() else run.name)[:MAX_TASK]

    acts: list[tuple[str, str, dict[str, Any]]] = []
    steps: dict[Span, dict[str, Any]] = {}
    owners = sorted({it for _, it in works if it}, key=lambda it: (it.start, it.id))
    for number, span in enumerate(owners, 1):
        steps[span] = {"id": f"step-{number}", "kind": "act", "description": span.name}
    for span, owner in sorted(works, key=lambda it: (max(it[0].start, it[0].end), it[0].id)):
        if span.role and not (span is run and span.role == "agent"):
            payload = _action(span) | ({"step_id": steps[owner]["id"]} if owner else {})
            if span is owner:
                steps[span]["status"] = "done" if payload["result_status"] == "ok" else "failed"
                payload["step_status"] = steps[span]["status"]
            acts.append(("act", _time(max(span.start, span.end)), payload))
    actions = [{**payload, "timestamp": at} for _, at, payload in acts]
    for action in actions:
        action.pop("step_status", None)

    # A run that nobody saw end was stopped, or its trace was.
    status = "error" if run.error is not None else "ok" if run.end else "aborted"
    why = {"error": {"message": run.error}} if status == "error" else {}
    names = ("events.jsonl", "learn.jsonl", "summary.json", "manifest.json", "state.json")
    links = {it.partition(".")[0]: it for it in names[:4]}
    outcomes = {"status": status, "actions": actions, **why}
    planned = [{**it, "status": "pending"} for it in steps.values()]
    plan = {"source": "trace", "updated_at": started, "steps": [*steps.values()]}
    begin = {"task": task, "attributes": _bounded(run.attributes)}
    end = {"status": status, **why, **({"output": it} if (it := run.first(OUTPUTS)) else {})}
    events: list[tuple[str, str, dict[str, Any]]] = [
        ("start", started, begin),
        ("plan", started, {"source": "trace", "step_records": planned}),
        *acts,
        ("terminate", over, end),
        ("runtime", over, {"outcomes": outcomes, "links": links}),
    ]
    timeline: list[dict[str, Any]] = [
        {"phase": it, "timestamp": at, "payload": what} for it, at, what in events
    ]
    timeline[-1]["event_type"] = "run.state_projection"
    state = {
        **{"version": "1.0", "state_schema_version": "1.0.0", "goal": {"task": task}},
        "episode": {"id": id, "started_at": started, "using": "trace"},
        **{"plan": plan, "outcomes": outcomes, "links": links},
    }
    count = {"plan_count": 1, "act_count": len(acts), "reflect_count": 0, "veto_count": 0}
    summary = {
        **{"schema_version": "1.3.0", "episode_id": id, "task": task, "started_at": started},
        "duration_sec": (ended // 1000 - begun // 1000) / 1e6,
        "adapter_result": {"ok": "success", "error": "error"}.get(status, "skipped"),
        "outcome": "success_unverified" if status == "ok" else "error",
        "verification": {"provided": False},
        "flags": {"intuition": False, "mode": "minimal"},
        "metrics": {"success": int(status == "ok"), **count},
    }
    manifest = {"episode_id": id, "files": []}
    records: list[list[Any]] = [timeline, [], [summary], [manifest], [state]]
    texts = ["".join(json.dumps(it, ensure_ascii=False) + "\n" for it in all) for all in records]
    return dict(zip(names, texts, strict=True))


def convert(files: Iterable[str | Path], run_data: str | Path) -> list[Path]:
    """Converts the traces of files, and returns the directories of the runs.

    Raises `Unconvertible`, and writes nothing, for a file without traces, where no span is one of
    an agent, a model or a tool, and where a run is there already.
    """
    spans: list[Span] = []
    for file in files:
        try:
            spans += spans_of(Path(file).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, Unconvertible) as why:
            raise Unconvertible(f"{file}: {why}") from None
    runs = {id: records_of(id, run) for id, run in runs_of(spans).items()}
    if not runs:
        raise Unconvertible(f"none of {len(spans)} spans is of an agent, a model or a tool")
    if others := len({it.trace for it in spans}) - len(runs):
        _LOG.warning("note: traces without agent, model or tool are left out: %d", others)
    episodes = Path(run_data, "episodes")
    if there := [id for id in runs if (episodes / id).exists()]:
        raise Unconvertible(f"the run {there[0]} is in {run_data} already")
    episodes.mkdir(parents=True, exist_ok=True)
    # No reader of the run data meets a run before it is whole.
    beside = episodes.resolve().parent.parent
    is_apart = os.access(beside, os.W_OK) and beside.stat().st_dev == episodes.stat().st_dev
    with tempfile.TemporaryDirectory(prefix=".runvet-", dir=beside if is_apart else run_data) as it:
        for id, records in runs.items():
            Path(it, id).mkdir()
            for name, text in records.items():
                Path(it, id, name).write_text(text, encoding="utf-8", newline="\n")
        return [Path(it, id).rename(episodes / id) for id in runs]


def main() -> None:
    """The program."""
    if len(sys.argv) < 3:
        sys.exit("usage: python -m runvet.spans TRACES.json... RUN_DATA")
    try:
        for path in convert(sys.argv[1:-1], sys.argv[-1]):
            print(path)
    except (OSError, RecursionError, Unconvertible) as why:
        text = "".join(it if it.isprintable() else "?" for it in str(why))
        sys.exit(f"error: nothing is converted: {text}")


if __name__ == "__main__":
    main()
