"""Spans that a framework begins and ends -> runs that are recorded meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ._encode import MAX_OUTPUT
from ._errors import Refused
from ._recorder import Recorder
from ._run import OpenStep, Run
from ._tool import Call

_LOG = logging.getLogger("runvet")


@dataclass(eq=False)
class _Span:
    run: Run
    above: _Span | None
    step: OpenStep | None = None
    call: Call | None = None
    steps: int = 0


class Spans:
    """A span without a known parent is a run, those of its parts are steps, and work is an action.

    Parts of parts belong to the step around them. Where recording fails, a log record of `runvet`
    says so, and the agent goes on. Work that a rule holds back raises `Refused` as it begins.
    """

    def __init__(self, recorder: Recorder, using: str) -> None:
        self._recorder = recorder
        self._using = using
        self._open: dict[Hashable, _Span] = {}
        self._lock = threading.RLock()

    def begin(
        self, id: Hashable, parent: Hashable, name: str, *, is_work: bool, given: Any, task: str
    ) -> None:
        held = None
        with self._guarded(name):
            above = self._open.get(parent)
            run = above.run if above else self._recorder.begin(task, using=self._using)
            span = self._open[id] = _Span(run, above, None if above is None else above.step)
            if is_work:
                root = above or span
                span.step = span.step or self._step(root, name)
                root.step = span.step
                kept = run._kept(given)
                call = Call(span.step, name, kept, MAX_OUTPUT)
                try:
                    call.must_be_allowed()
                    span.call = call
                except Refused as refused:
                    if not refused.findings:
                        raise
                    held = refused
            elif above is not None and above.above is None:
                span.step = self._step(above, name)
        if held is not None:
            self.end(id, error=held)
            raise held

    def passing(self, id: Hashable, parent: Hashable) -> None:
        """A span of others, whose parts are parts of its parent."""
        with self._lock:
            if above := self._open.get(parent):
                self._open[id] = _Span(above.run, above, above.step)

    def end(self, id: Hashable, output: Any = None, error: BaseException | None = None) -> None:
        with self._guarded("a span"):
            span = self._open.pop(id, None)
            if span is None:
                return
            if span.call is not None:
                span.call.record("ok", output) if error is None else span.call.failed(error)
            above, kind = span.above, None if error is None else type(error)
            is_own = span.step is not None and (above is None or span.step is not above.step)
            if is_own and span.step is not None:
                span.step.__exit__(kind, error, None)
            if above is None:
                span.run.__exit__(kind, error, None)

    def _step(self, root: _Span, name: str) -> OpenStep:
        root.steps += 1
        return root.run.step(f"{name}-{root.steps}", kind="act", description=name)

    @contextmanager
    def _guarded(self, name: str) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except Exception:
                _LOG.warning("%s could not be recorded", name, exc_info=True)
