"""Samples of Inspect -> runs. Inspect finds these hooks itself where runvet is installed.

With `RUNVET_INSPECT=runs inspect eval task.py`, each sample is recorded below `runs`. With
`RUNVET_CONFIG=runvet.toml` and `--approval runvet/hold_back`, calls of tools in which the
configuration finds an error are rejected: the model reads why. A call that a rule of the level
`ask` wants a person to decide about goes to the next approver, such as `human`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.approval import (  # type: ignore[import-not-found, unused-ignore]
    Approval,
    Approver,
    approver,
)
from inspect_ai.event import (  # type: ignore[import-not-found, unused-ignore]
    ApprovalEvent,
    ModelEvent,
    SpanBeginEvent,
    ToolEvent,
)
from inspect_ai.hooks import (  # type: ignore[import-not-found, unused-ignore]
    Hooks,
    SampleEnd,
    SampleEvent,
    SampleStart,
    TaskStart,
    hooks,
)
from inspect_ai.scorer import (  # type: ignore[import-not-found, unused-ignore]
    CORRECT,
    INCORRECT,
    NOANSWER,
    PARTIAL,
)

from . import _runvet
from ._errors import RecorderError
from ._recorder import Recorder
from ._report import Finding
from ._run import Evaluated, OpenStep, Run
from ._spans import task_of
from ._tool import Answer, Waits, begin_act, usage_of

VARIABLE = "RUNVET_INSPECT"
"""The environment variable that names the run data."""

CONFIG = "RUNVET_CONFIG"
"""The one that names the configuration."""

SCORES = {
    **{CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0, NOANSWER: 0.0},
    **{"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0},
}
"""The numbers for which Inspect takes scores that are texts."""


@dataclass(eq=False)
class _Sample:
    run: Run
    step: OpenStep
    seen: set[str | None] = field(default_factory=set)
    """The events that are recorded, and the calls that were held back."""
    allowed: dict[str, _runvet.Allowed | None] = field(default_factory=dict)
    """The calls of tools that were allowed and are not recorded yet."""
    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The acts about which another approver is asked."""
    spans: dict[str | None, SpanBeginEvent] = field(default_factory=dict)
    """The spans of the sample, by their ids."""
    begun: dict[str | None, str] = field(default_factory=dict)
    """The calls of tools, by the spans that they have begun."""

    def input_of(self, given: Any) -> Any:
        return self.run._arguments(given)

    def act(self, call: Any) -> dict[str, Any]:
        given = self.input_of(call.arguments)
        return {"tool": call.function, "input": given, "x-call-id": call.id}

    def by(self, event: Any) -> tuple[str | None, str | None]:
        """The agent that an event is by, if another one called it, and the call that began it."""
        within, span = [], self.spans.get(event.span_id)
        while span is not None:
            within.append(span)
            span = self.spans.get(span.parent_id)
        agents = [place for place, span in enumerate(within) if span.type == "agent"]
        if not agents:
            return None, None
        around = within[agents[0] + 1 :]
        call = next((self.begun[it.id] for it in around if it.id in self.begun), None)
        is_called = len(agents) > 1 or any(it.type in ("tool", "handoff") for it in around)
        return (within[agents[0]].name, call) if is_called else (None, None)


def _recorder() -> Recorder:
    return Recorder(os.environ[VARIABLE], config=os.environ.get(CONFIG) or None)


_SAMPLE: ContextVar[_Sample | None] = ContextVar("runvet_sample", default=None)


@approver  # type: ignore[untyped-decorator, unused-ignore]
def hold_back() -> Approver:
    """Rejects calls of tools in which the configuration finds an error; the model reads why.

    It escalates those that a person has to decide about.
    """
    if missing := [name for name in (VARIABLE, CONFIG) if not os.environ.get(name)]:
        raise ValueError(f"runvet/hold_back holds nothing back without {' and '.join(missing)}")
    _recorder()  # raises what is wrong with the configuration, before anything is evaluated

    async def approve(message: str, call: Any, view: Any, history: Any) -> Approval:
        sample = _SAMPLE.get()
        if sample is None:
            why = "the action is refused: its sample is not recorded, so no rule can judge it"
            return Approval(decision="reject", explanation=why)
        act = sample.act(call)

        def ask(_: Mapping[str, Any], findings: list[Finding]) -> tuple[bool, str]:
            raise RuntimeError("; ".join(f"{it.message} ({it.rule})" for it in findings))

        try:
            sample.allowed[call.id] = begin_act(sample.step, act, ask)
        except Waits as waits:
            sample.asked[call.id] = act
            return Approval(decision="escalate", explanation=str(waits))
        except RecorderError as refused:
            sample.seen.add(call.id)
            return Approval(decision="reject", explanation=str(refused))
        return Approval(decision="approve")

    return approve


@hooks(name="runvet", description="records samples as runs")  # type: ignore[misc, unused-ignore]
class Recording(Hooks):  # type: ignore[misc, unused-ignore]
    """Records each sample as a run with one step: calls of tools are its actions, answers of models
    are notes, and scores decide about its outcome."""

    def __init__(self) -> None:
        self._open: dict[str, _Sample] = {}
        self._tags: dict[str, dict[str, str]] = {}

    def enabled(self) -> bool:
        """Returns True if `RUNVET_INSPECT` names run data."""
        return bool(os.environ.get(VARIABLE))

    async def on_task_start(self, data: TaskStart) -> None:
        """Keeps what all samples of a task have in common."""
        spec = data.spec
        version = str((spec.packages or {}).get("inspect_ai") or "")
        tags = {"task": spec.task, "model": str(spec.model), "version": version}
        self._tags[data.eval_id] = {name: it for name, it in tags.items() if it}

    async def on_sample_start(self, data: SampleStart) -> None:
        """Begins a run."""
        task = task_of(data.summary.input)
        tags = {"sample": str(data.summary.id), "epoch": str(data.summary.epoch)}
        tags |= self._tags.get(data.eval_id, {})
        run = _recorder().begin(task, tags=tags, using="adapter:inspect")
        step = run.step("solve", kind="act", description="Solve the sample")
        sample = self._open[data.sample_id] = _Sample(run, step)
        _SAMPLE.set(sample)

    async def on_sample_event(self, data: SampleEvent) -> None:
        """Records what a model or a tool has answered."""
        event = data.event
        if data.sample_id not in self._open:
            return
        sample = self._open[data.sample_id]
        if isinstance(event, SpanBeginEvent):
            sample.spans[event.id] = event
        if isinstance(event, ToolEvent):
            sample.begun[event.span_id] = event.id
        if event.pending:
            return
        # An event comes again when something of it has changed.
        if event.uuid in sample.seen:
            return
        sample.seen.add(event.uuid)
        if isinstance(event, ModelEvent):
            self._note(sample, event)
        elif isinstance(event, ToolEvent) and event.id not in sample.seen:
            self._act(sample, event)
        elif isinstance(event, ApprovalEvent) and event.decision != "escalate":
            self._answer(sample, event)

    def _answer(self, sample: _Sample, event: ApprovalEvent) -> None:
        """Records what a person, or another approver, says about a call."""
        act = sample.asked.pop(event.call.id, None)
        if act is None:
            return
        is_yes = event.decision in ("approve", "modify")
        if is_yes and event.modified is not None:
            act = {**sample.act(event.modified), "x-call-id": event.call.id}
        # Where no approver is left, Inspect rejects the call itself: nobody was asked.
        is_asked = is_yes or event.approver != "policy"
        answer = (is_yes, event.approver)
        try:
            ask = (lambda *_: answer) if is_asked else None
            sample.allowed[event.call.id] = begin_act(sample.step, act, ask)
        except RecorderError:
            if not is_yes:
                sample.seen.add(event.call.id)

    def _note(self, sample: _Sample, event: ModelEvent) -> None:
        answer = Answer(sample.run, event.model, *sample.by(event))
        if event.error:
            answer.failed(RuntimeError(event.error))
            return
        output, usage = event.output, event.output.usage
        content = output.message.content if output.choices else ""
        cached = (usage.input_tokens_cache_read, usage.input_tokens_cache_write) if usage else ()
        thinking = [getattr(it, "reasoning", "") for it in content if not isinstance(it, str)]
        answer.over(
            text=output.completion,
            thinking="\n".join(filter(None, thinking)),
            stop_reason=output.stop_reason if output.choices else None,
            usage=usage
            and usage_of(
                usage.input_tokens + sum(it or 0 for it in cached), usage.output_tokens, *cached
            ),
        )

    def _act(self, sample: _Sample, event: ToolEvent) -> None:
        agent, parent = sample.by(event)
        error = event.error
        statuses = {"approval": "denied", "cancelled": "cancelled"}
        act = {
            "tool": event.function,
            "input": sample.input_of(event.arguments),
            "output": sample.run._kept(error.message if error else event.result),
            "result_status": statuses.get(error.type, "error") if error else "ok",
            "duration_ms": round(1000 * (event.working_time or 0), 3),
            "x-call-id": event.id,
        }
        if event.agent or event.agent_span_id:
            act["kind"] = "delegate"
        if agent:
            act["agent"] = agent
        if parent:
            act["x-parent"] = parent
        allowed = sample.allowed.pop(event.id, None)
        sample.run._run.act(sample.step._step, act, allowed)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Ends the run: with its scores, or as `aborted` if it is invalid, was cancelled or has met
        a limit, or with its error."""
        recorded = self._open.pop(data.sample_id)
        run, step, sample = recorded.run, recorded.step, data.sample
        scores = dict(_scores({name: it.value for name, it in (sample.scores or {}).items()}))
        numbers = {name: _number(value) for name, value in scores.items()}
        known = {name: number for name, number in numbers.items() if number is not None}
        found: dict[str, Any] = {
            "assertions": [Evaluated(name, number == 1) for name, number in known.items()],
            "metrics": {**scores, **known},
        }
        message = "" if sample.error is None else sample.error.message
        is_cancelled = message.startswith(("CancelledError(", "Cancelled("))
        reason = None
        if sample.invalidation is not None:
            reason = f"invalidated: {sample.invalidation.reason or ''}".rstrip()
        elif is_cancelled:
            reason = "cancelled"
        elif sample.limit is not None:
            reason = f"limit: {sample.limit.type} {sample.limit.limit:g}"
        if sample.error is not None:
            error = {"type": "EvalError", "message": message}
            run.close(step, error=error)
            if reason is None:
                run.finish("error", error=error, **found)
                return
        else:
            run.close(step, {"completion": run._kept(sample.output.completion)})
        if reason is not None:
            run.finish("aborted", reason, **found)
        elif scores and not found["assertions"]:
            run.finish("partial", "no score says whether the sample is solved", **found)
        else:
            run.finish(**found)


def _scores(scores: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Scores by their names: each part of one that has several."""
    for name, value in scores.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}/{part}", it) for part, it in value.items())
        else:
            yield name, value


def _number(score: Any) -> float | None:
    """A score as the number for which Inspect takes it; None if it is none."""
    if isinstance(score, str):
        known = SCORES.get(score, SCORES.get(score.lower()) if len(score) > 1 else None)
        if known is not None:
            return known
    elif not isinstance(score, (bool, int, float)):
        return None
    try:
        number = float(score)
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None
