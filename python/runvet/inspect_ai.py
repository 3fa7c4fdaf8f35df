"""Samples of Inspect -> runs. Inspect finds these hooks itself where runvet is installed.

With `RUNVET_INSPECT=runs inspect eval task.py`, each sample is recorded below `runs`.
"""

from __future__ import annotations

import os
from typing import Any

from inspect_ai.event import (  # type: ignore[import-not-found, unused-ignore]
    ModelEvent,
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

from ._encode import MAX_EXCERPT, MAX_OUTPUT, bounded, described, shortened
from ._recorder import Recorder
from ._run import Evaluated, OpenStep, Run

VARIABLE = "RUNVET_INSPECT"
"""The environment variable that names the run data."""

VERDICTS = (CORRECT, INCORRECT)
"""The scores that say whether a sample was solved; others are metrics."""


@hooks(name="runvet", description="records samples as runs")  # type: ignore[misc, unused-ignore]
class Recording(Hooks):  # type: ignore[misc, unused-ignore]
    """Records each sample as a run with one step: calls of models and tools are its actions, and
    scores decide about its outcome."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Run, OpenStep, set[str | None]]] = {}

    def enabled(self) -> bool:
        """Whether `RUNVET_INSPECT` names run data."""
        return bool(os.environ.get(VARIABLE))

    async def on_sample_start(self, data: SampleStart) -> None:
        """Begins a run."""
        given = data.summary.input
        task = given if isinstance(given, str) else described(given)
        tags = {"sample": str(data.summary.id), "epoch": str(data.summary.epoch)}
        recorder = Recorder(os.environ[VARIABLE])
        run = recorder.begin(shortened(task, MAX_EXCERPT), tags=tags, using="adapter:inspect")
        step = run.step("solve", kind="act", description="Solve the sample")
        self._open[data.sample_id] = run, step, set()

    async def on_sample_event(self, data: SampleEvent) -> None:
        """Records what a model or a tool has answered."""
        event = data.event
        if data.sample_id not in self._open or event.pending:
            return
        run, step, seen = self._open[data.sample_id]
        # An event comes again when something of it has changed.
        if event.uuid in seen:
            return
        seen.add(event.uuid)
        if isinstance(event, ModelEvent):
            self._act(run, step, event.model, event, event.input, event.output)
        elif isinstance(event, ToolEvent):
            self._act(run, step, event.function, event, event.arguments, event.result)

    def _act(
        self, run: Run, step: OpenStep, tool: str, event: Any, given: Any, output: Any
    ) -> None:
        step.act(
            kind="tool",
            tool=tool,
            input=bounded(given, MAX_OUTPUT, run._plain),
            output=bounded(event.error or output, MAX_OUTPUT, run._plain),
            result_status="error" if event.error else "ok",
            duration_ms=round(1000 * (event.working_time or 0), 3),
        )

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Ends the run: with its scores, at a limit as `partial`, or with its error."""
        run, step, _ = self._open.pop(data.sample_id)
        sample = data.sample
        if sample.error is not None:
            error = {"type": "EvalError", "message": sample.error.message}
            run.close(step, error=error)
            run.finish("error", error=error)
            return
        run.close(step, {"completion": bounded(sample.output.completion, MAX_OUTPUT)})
        scores = {name: score.value for name, score in (sample.scores or {}).items()}
        judged = {name: value == CORRECT for name, value in scores.items() if value in VERDICTS}
        run.finish(
            "partial" if sample.limit else "ok",
            f"limit: {sample.limit.type}" if sample.limit else None,
            assertions=[Evaluated(name, passed) for name, passed in judged.items()],
            metrics={name: value for name, value in scores.items() if name not in judged},
        )
