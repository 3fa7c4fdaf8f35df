"""Samples of Inspect -> runs. Inspect finds these hooks itself where runvet is installed.

With `RUNVET_INSPECT=runs inspect eval task.py`, each sample is recorded below `runs`. With
`RUNVET_CONFIG=runvet.toml` and `--approval runvet/hold_back`, calls of tools in which the
configuration finds an error are rejected: the model reads why.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.approval import (  # type: ignore[import-not-found, unused-ignore]
    Approval,
    Approver,
    approver,
)
from inspect_ai.event import (  # type: ignore[import-not-found, unused-ignore]
    ModelEvent,
    SpanBeginEvent,
    ToolEvent,
)
from inspect_ai.hooks import (  # type: ignore[import-not-found, unused-ignore]
    Hooks,
    SampleEnd,
    SampleEvent,
    SampleStart,
    hooks,
)
from inspect_ai.scorer import (  # type: ignore[import-not-found, unused-ignore]
    CORRECT,
    INCORRECT,
)

from . import _runvet
from ._errors import RecorderError
from ._recorder import Recorder
from ._run import Evaluated, OpenStep, Run
from ._spans import task_of
from ._tool import Answer, may_act, usage_of

VARIABLE = "RUNVET_INSPECT"
"""The environment variable that names the run data."""

CONFIG = "RUNVET_CONFIG"
"""The one that names the configuration."""

VERDICTS = (CORRECT, INCORRECT)
"""The scores that say whether a sample was solved; others are metrics."""


@dataclass(eq=False)
class _Sample:
    run: Run
    step: OpenStep
    seen: set[str | None] = field(default_factory=set)
    """The events that are recorded, and the calls that were held back."""
    allowed: dict[str, _runvet.Allowed | None] = field(default_factory=dict)
    """The calls of tools that were allowed and are not recorded yet."""
    spans: dict[str | None, SpanBeginEvent] = field(default_factory=dict)
    """The spans of the sample, by their ids."""
    begun: dict[str | None, str] = field(default_factory=dict)
    """The calls of tools, by the spans that they have begun."""

    def input_of(self, given: Any) -> Any:
        return self.run._arguments(given)

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
    """Rejects calls of tools in which the configuration finds an error; the model reads why."""
    if missing := [name for name in (VARIABLE, CONFIG) if not os.environ.get(name)]:
        raise ValueError(f"runvet/hold_back holds nothing back without {' and '.join(missing)}")
    _recorder()  # raises what is wrong with the configuration, before anything is evaluated

    async def approve(message: str, call: Any, view: Any, history: Any) -> Approval:
        sample = _SAMPLE.get()
        if sample is None:
            why = "the action is refused: its sample is not recorded, so no rule can judge it"
            return Approval(decision="reject", explanation=why)
        given = sample.input_of(call.arguments)
        act = {"tool": call.function, "input": given, "x-call-id": call.id}
        try:
            sample.allowed[call.id] = may_act(sample.step, act)
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

    def enabled(self) -> bool:
        """Returns True if `RUNVET_INSPECT` names run data."""
        return bool(os.environ.get(VARIABLE))

    async def on_sample_start(self, data: SampleStart) -> None:
        """Begins a run."""
        task = task_of(data.summary.input)
        tags = {"sample": str(data.summary.id), "epoch": str(data.summary.epoch)}
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
        """Ends the run: with its scores, at a limit as `partial`, or with its error."""
        recorded = self._open.pop(data.sample_id)
        run, step, sample = recorded.run, recorded.step, data.sample
        if sample.error is not None:
            error = {"type": "EvalError", "message": sample.error.message}
            run.close(step, error=error)
            run.finish("error", error=error)
            return
        run.close(step, {"completion": run._kept(sample.output.completion)})
        scores = {name: score.value for name, score in (sample.scores or {}).items()}
        judged = {name: value == CORRECT for name, value in scores.items() if value in VERDICTS}
        run.finish(
            "partial" if sample.limit else "ok",
            f"limit: {sample.limit.type}" if sample.limit else None,
            assertions=[Evaluated(name, passed) for name, passed in judged.items()],
            metrics={name: value for name, value in scores.items() if name not in judged},
        )
