"""Spans that a framework begins and ends -> runs that are recorded meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ._encode import MAX_OUTPUT, described
from ._errors import RecorderError, UnknownRun
from ._read import open as open_runs
from ._recorder import Recorder
from ._run import OpenStep, Run
from ._tool import Answer, Ask, Call, Waits, is_failure

_LOG = logging.getLogger("runvet")

Role = Literal["part", "agent", "model", "tool"]
"""The role of a span: a part of the work, an agent, or the call of a model or of a tool."""

WAITS = "it waits for a person"
"""The reason of a pause, and of a part that begins anew after it."""

THREAD = "thread_id"
"""The tag that names the thread of a run."""

_WAITING: dict[tuple[Path, str], str] = {}
"""The ids of the runs that wait, by their run data and thread."""

ROLES = {"user", "human"}
"""The names of the role of those whose messages are a task."""


@dataclass(frozen=True)
class Begun:
    """What is known of a span as it begins."""

    role: Role
    name: str
    given: Any = None
    """The input of a tool or of an agent."""
    task: str | None = None
    """The task of the run, if the span is one."""
    call_id: str | None = None
    more: Mapping[str, Any] | None = None
    """Further fields of the act."""
    may_delegate: bool = True
    """True if a tool is an agent where parts or models work in it."""
    thread: str | None = None
    """The thread of the run: a run of it that waits goes on."""
    goes_on: bool = False
    """True if a run of the thread that waits may be one of another process."""
    ask: Ask | None = None
    """Asks a person about the call of a tool; what it raises has the run wait."""


@dataclass(frozen=True)
class Result:
    """What is known of a span as it ends."""

    output: Any = None
    """What a tool or an agent gave."""
    said: Mapping[str, Any] | None = None
    """What a model said: the fields of the note of its answer."""
    error: BaseException | None = None
    more: Mapping[str, Any] | None = None
    """Further fields of the act."""
    given: Any = None
    """The input of a tool, where it was not known before."""
    waits: bool = False
    """True if it waits for a person, and begins anew then."""


@dataclass(eq=False)
class _Span:
    run: Run
    begun: Begun | None
    above: _Span | None
    step: OpenStep | None = None
    call: Call | Answer | None = None
    steps: int = 0
    is_agent: bool = False
    """True if an agent works in it that another one called."""
    waits: bool = False
    """True if a part of it waits for a person."""

    def agent(self) -> _Span | None:
        """The innermost agent around what is in it, if another one called that."""
        span: _Span | None = self
        while span is not None and not span.is_agent:
            span = span.above
        return span


class Spans:
    """A span without a known parent is a run, those of its parts are steps, and calls of tools are
    acts. Calls of models are notes.

    Parts of parts belong to the step around them. A tool in which other parts or models work, and
    an agent in a run, is a call of kind `delegate`, and what is within is by that agent. Where
    recording fails, a log record of `runvet` says so, and the agent goes on. A call that a rule
    holds back raises `Refused` as it begins.
    """

    def __init__(self, recorder: Recorder, using: str, tags: Mapping[str, Any] | None) -> None:
        self._recorder = recorder
        self._using = using
        self._tags = tags
        self._open: dict[Hashable, _Span] = {}
        self._lock = threading.RLock()

    def begin(self, id: Hashable, parent: Hashable, begun: Begun) -> None:
        held: Exception | None = None
        with self._guarded(begun.name, self._recorder._holds_back and begun.role == "tool"):
            above = self._open.get(parent)
            run = above.run if above else self._begin(begun)
            span = _Span(run, begun, above, None if above is None else above.step)
            if above is None:
                span.steps = len(run.state["plan"]["steps"])
            self._open[id] = span
            if begun.role in ("part", "agent") and above is not None and above.above is None:
                span.step = self._step(above, begun.name)
            call = None
            try:
                call = self._call(span, begun)
                if call is not None:
                    call.must_be_allowed(begun.ask)
                    span.call = call
            except RecorderError as refused:
                # Where nothing judges the run, a call is refused only as the interpreter ends.
                if not run._holds_back and (run._is_judged or call is None):
                    raise
                held = refused
            except Waits as waits:
                held = waits.reason
        if held is not None:
            is_refused = isinstance(held, RecorderError)
            self.end(id, Result(error=held) if is_refused else Result(waits=True))
            raise held

    def _begin(self, begun: Begun) -> Run:
        if begun.thread is None:
            return self._recorder.begin(
                begun.task or begun.name, using=self._using, tags=self._tags
            )
        if (waiting := self._waiting(begun.thread, begun.goes_on)) is not None:
            try:
                return self._recorder.resume(waiting)
            except (RecorderError, UnknownRun):
                _LOG.warning("%s can't go on, so another run begins", waiting, exc_info=True)
        tags = {**(self._tags or {}), THREAD: begun.thread}
        return self._recorder.begin(begun.task or begun.name, using=self._using, tags=tags)

    def _waiting(self, thread: str, goes_on: bool) -> str | None:
        """The id of the run of a thread that waits, if there is one."""
        run_data = self._recorder._settings.run_data
        known = _WAITING.pop((run_data, thread), None)
        if known is not None or not goes_on or not run_data.is_dir():
            return known
        runs = open_runs(run_data).runs(tag=f"{THREAD}:{thread}")
        return next((it["episode_id"] for it in runs if "paused" in it), None)

    def _call(self, span: _Span, begun: Begun) -> Call | Answer | None:
        """The call that a span is, if it is one."""
        above = span.above
        if above is not None and above.begun is not None and above.begun.role == "tool":
            above.is_agent |= above.begun.may_delegate and begun.role in ("part", "model")
        agent = None if above is None else above.agent()
        by = None if agent is None or agent.begun is None else agent.begun
        name, parent = (None, None) if by is None else (by.name, by.call_id)
        if begun.role == "model":
            return Answer(span.run, begun.name, name, parent)
        if begun.role == "tool" or (begun.role == "agent" and above is not None):
            span.is_agent = begun.role == "agent"
            if span.step is None:
                root = above or span
                span.step = root.step = self._step(root, begun.name)
            kind = {"kind": "delegate"} if span.is_agent else {}
            of = {"x-call-id": begun.call_id, "x-parent": parent}
            known = {key: it for key, it in of.items() if it}
            more = {**kind, **known, **(begun.more or {})}
            return Call(span.step, begun.name, begun.given, MAX_OUTPUT, agent=name, more=more)
        return None

    def is_passing(self, id: Hashable) -> bool:
        """Returns True if a span is one of others."""
        span = self._open.get(id)
        return span is not None and span.begun is None

    def passing(self, id: Hashable, parent: Hashable) -> None:
        """A span of others, whose parts are parts of its parent."""
        with self._lock:
            if above := self._open.get(parent):
                self._open[id] = _Span(above.run, None, above, above.step)

    def end(self, id: Hashable, result: Result) -> None:
        with self._guarded("a span"):
            span = self._open.pop(id, None)
            if span is None:
                return
            self._over(span, result)
            above, error = span.above, result.error
            kind = None if error is None else type(error)
            is_own = span.step is not None and (above is None or span.step is not above.step)
            if is_own and span.step is not None:
                if result.waits:
                    span.step.skip(WAITS)
                span.step.__exit__(kind, error, None)
            waits = result.waits or (span.waits and error is None)
            if above is not None:
                above.waits |= result.waits
            elif waits:
                self._pause(span)
            else:
                span.run.__exit__(kind, error, None)

    def _pause(self, root: _Span) -> None:
        paused = root.run.pause(WAITS)
        if root.begun is not None and root.begun.thread is not None:
            _WAITING[self._recorder._settings.run_data, root.begun.thread] = paused.id

    def wait(self, id: Hashable) -> None:
        """Has a span that will end wait for a person."""
        with self._lock:
            if span := self._open.get(id):
                span.waits = True

    def _over(self, span: _Span, result: Result) -> None:
        """Records the end of the call that a span is."""
        error = result.error
        if result.waits:
            if isinstance(span.call, Call):
                span.call.interrupted()
        elif isinstance(span.call, Answer):
            span.call.over(**(result.said or {})) if error is None else span.call.failed(error)
        elif isinstance(span.call, Call) and span.begun is not None:
            more = dict(result.more or {})
            if span.is_agent:
                # What is within has named it by the id that it began with.
                more |= {"kind": "delegate", "x-call-id": span.begun.call_id}
            if result.given is not None:
                span.call.takes(result.given)
            if error is None:
                status = "error" if is_failure(result.output) else "ok"
                span.call.record(status, result.output, **more)
            else:
                span.call.failed(error, **more)

    def _step(self, root: _Span, name: str) -> OpenStep:
        root.steps += 1
        return root.run.step(f"{name}-{root.steps}", kind="act", description=name)

    @contextmanager
    def _guarded(self, name: str, is_held: bool = False) -> Iterator[None]:
        """Logs what can't be recorded; or raises, where rules could not ask about it either."""
        with self._lock:
            try:
                yield
            except Exception:
                if is_held:
                    raise
                _LOG.warning("%s could not be recorded", name, exc_info=True)


def task_of(given: Any, *, is_first: bool = False) -> str:
    """The task in what an agent is given: the last text of a user, or the first, or the whole."""
    text = _asked(given, is_first)
    return text if text and text.strip() else described(given)


def _asked(given: Any, is_first: bool) -> str | None:
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        found = (given.get(it) for it in ("messages", "input", "question", "query"))
        texts = (_asked(it, is_first) for it in found if it is not None)
        return next(filter(None, texts), None)
    if isinstance(given, (list, tuple)):
        texts = (_of_user(it) for it in (given if is_first else reversed(given)))
        return next(filter(None, texts), None)
    return _of_user(given)


def _of_user(message: Any) -> str | None:
    if isinstance(message, (list, tuple)):
        is_pair = len(message) == 2 and message[0] in ROLES
        return text_of(message[1]) if is_pair else _asked(message, is_first=False)
    content: Any
    if isinstance(message, Mapping):
        role = message.get("role") or message.get("type")
        content = message.get("content", message.get("parts"))
    else:
        role, content = getattr(message, "type", None), getattr(message, "content", None)
    return text_of(content) if role in ROLES else None


def text_of(content: Any, *kinds: str) -> str:
    """The text of a message: a text, or the texts among its parts, which are of some kinds."""
    if isinstance(content, str):
        return content if not kinds else ""
    found = []
    for part in content if isinstance(content, (list, tuple)) else ():
        if isinstance(part, str) and not kinds:
            found.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in (kinds or ("text",)):
            texts = (part.get(it) for it in ("text", "content", "thinking", "reasoning"))
            found.append(next((it for it in texts if isinstance(it, str)), ""))
    return "\n".join(it for it in found if it)
