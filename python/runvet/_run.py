"""One run that is being recorded: its calls, and those of its open steps."""

from __future__ import annotations

import atexit
import inspect
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar, get_args, overload
from weakref import WeakSet

from . import _runvet
from ._check import PathLike
from ._encode import MAX_OUTPUT, Default, bounded, described, error_of, measured
from ._errors import Refused, RunEnded, StepSkipped, Vetoed
from ._read import Episode
from ._records import State, StepKind, StepStatus, Summary
from ._report import Finding
from ._tool import (
    AROUND,
    RecordDefaults,
    call,
    is_async,
    must_have_name,
    name_of,
    recorded,
)

EndStatus = Literal["ok", "partial", "vetoed", "aborted", "error"]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_LOG = logging.getLogger("runvet")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan, before it is recorded."""

    id: str
    kind: StepKind
    description: str
    rationale: str | None = None
    inputs: Mapping[str, Any] | None = None


StepLike = Step | Mapping[str, Any] | tuple[str, StepKind, str]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The result of an evaluator: one thing that the run should do, and whether it did."""

    name: str
    passed: bool
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that has ended, as it was recorded.

    `findings` are those of the recorder's configuration in the whole run. `manifest_sha256` is the
    SHA-256 of `manifest.json`, which covers all files of the run: whoever keeps it elsewhere can
    tell later whether the run was changed.
    """

    id: str
    path: Path
    findings: tuple[Finding, ...] = ()
    manifest_sha256: str = ""

    @property
    def state(self) -> State:
        """The state record."""
        return Episode.at(self.path).state()

    @property
    def summary(self) -> Summary:
        """The summary record."""
        return Episode.at(self.path).summary()


@dataclass(frozen=True, slots=True)
class Paused:
    """A run that was paused; `Recorder.resume` goes on with it."""

    id: str
    path: Path


Adapter = Callable[[dict[str, Any], State], Any]
"""Executes a step: it is called with the step and the state, and returns an output."""


class Run:
    """A run that is being recorded. Threads may share it: their calls take turns.

    As a context manager, also of `async with`, it ends the run: `ok`, or `partial` if a step is not
    finished; `aborted` on Ctrl-C, `vetoed` on `Vetoed`, `error` on any other exception, which
    propagates. A run that nobody ends stays pending: `Recorder.resume` continues it.
    """

    __slots__ = (
        "__weakref__",
        "_ended_by",
        "_has_losses",
        "_holds_back",
        "_is_judged",
        "_owner",
        "_plain",
        "_run",
        "_usage",
    )

    _run: _runvet.Run
    _ended_by: int | None
    _has_losses: bool
    _holds_back: bool
    _is_judged: bool
    _owner: int
    _plain: Default
    _usage: Counter[str]

    def __init__(self) -> None:
        raise TypeError("use Recorder(run_data).begin(task)")

    @classmethod
    def _of(cls, run: _runvet.Run, plain: Default, is_judged: bool, holds_back: bool) -> Run:
        made = cls.__new__(cls)
        made._run = run
        made._ended_by = None
        made._has_losses = False
        made._is_judged = is_judged
        made._holds_back = holds_back
        made._plain = plain
        made._usage = Counter()
        made._owner = os.getpid()
        with _OPEN_LOCK:
            _OPEN.add(made)
        return made

    def __repr__(self) -> str:
        return f"<runvet.Run {self.id}>"

    @property
    def id(self) -> str:
        """The id of the episode."""
        return self._run.id

    @property
    def path(self) -> Path:
        """The directory of the episode."""
        return Path(self._run.path)

    @property
    def state(self) -> State:
        """The state, as the events so far make it; a fresh dictionary each time."""
        return self._run.state()

    @property
    def pending(self) -> list[str]:
        """The ids of the steps that are pending, in the order of the plan."""
        return self._run.steps_that_are(["pending"])

    @property
    def findings(self) -> list[Finding]:
        """Returns the findings of the recorder's configuration so far, each once."""
        return list(self._run.findings)

    def would(
        self, phase: str, payload: Mapping[str, Any] | None = None, /, **more: Any
    ) -> list[Finding]:
        """Returns the findings that there would be if this event were recorded now.

        Nothing is written, and it takes as long in a long run as in a short one. The payload of an
        `act` is an action, see `OpenStep.act`.
        """
        return self._run.would(phase, {**(payload or {}), **more})

    @property
    def _of_run(self) -> Run:
        return self

    @property
    def _step(self) -> None:
        return None

    def _innermost(self) -> OpenStep | Run:
        """The innermost step of this run that a `with` has opened, or else the run."""
        step = CURRENT.get()
        while step is not None and step._of_run is not self:
            step = step._outer
        return step or self

    def act(self, action: Mapping[str, Any] | None = None, /, **fields: Any) -> str:
        """Records an action of the enclosing step, or outside of any, of none; see `OpenStep.act`.

        So an agent without a plan records what it does.
        """
        return self._run.act(self._innermost()._step, {**(action or {}), **fields}, None)

    def at(self, time: datetime | None) -> None:
        """Sets the time of the events that follow, in a run that began with `started_at`.

        It may go back, as in a log. None says that it is unknown: the events then have the time
        that was set before, and `x-time-unknown` in their payload. Raises `Refused` in any other
        run.
        """
        self._run.at(None if time is None else _micros(time))

    def note(self, phase: str, payload: Mapping[str, Any] | None = None, /, **more: Any) -> str:
        """Adds an event of a phase such as `observe` or `reason`, and returns its id.

        The text `x-agent` in its payload is also the `agent_id` of the event.
        """
        return self._run.note(phase, {**(payload or {}), **more})

    def plan(self, steps: Iterable[StepLike], source: str = "planner.python") -> list[str]:
        """Sets the plan, and returns what policies suggest. Raises `Vetoed`.

        A step is a `Step`, a mapping with its fields, or a tuple of id, kind and description. One
        whose id the plan had before keeps its status.
        """
        return self._run.plan([_drafted(step) for step in steps], source, False)

    def open(self, step: str) -> OpenStep:
        """Opens a pending step. Raises `Vetoed` or `StepSkipped` if a policy wants it otherwise."""
        return OpenStep._of(self, self._run.open(step))

    def step(
        self,
        step: str,
        /,
        *,
        kind: StepKind | None = None,
        description: str | None = None,
        rationale: str | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> OpenStep:
        """Opens a pending step, as `open` does: `with run.step(id):` closes it too.

        With a `kind` or a `description`, a step that the plan lacks is added to it first.
        """
        if kind is not None or description is not None:
            if step not in self._run.steps_that_are(list(get_args(StepStatus))):
                new = Step(step, kind or "act", description or step, rationale, inputs)
                self._run.plan([_drafted(new)], "planner.python", True)
        return self.open(step)

    def close(
        self,
        step: OpenStep,
        outputs: Mapping[str, Any] | None = None,
        *,
        error: Any = None,
        skipped: str | None = None,
    ) -> None:
        """Ends an open step: as done, failed with an `error`, or `skipped` with a reason.

        Where that is `Refused`, the step stays open.
        """
        if step._of_run is not self:
            message = f"{step} is refused: it is not a step of {self}, but of {step._of_run}"
            raise Refused(message, kind="refused")
        if error is not None:
            self._run.close(step._step, "failed", error)
        elif skipped is not None:
            self._run.close(step._step, "skipped", skipped)
        else:
            self._run.close(step._step, "done", outputs)

    def believe(self, statement: str, confidence: float, provenance: str = "agent") -> str:
        """Adds a belief, with its confidence from 0 to 1."""
        return self._run.believe(statement, confidence, provenance)

    def remember(self, key: str, value: Any, provenance: str | None = None) -> str:
        """Adds a fact. A key may be remembered again; its last value counts."""
        return self._run.remember(key, value, provenance)

    def jot(self, text: str) -> str:
        """Adds a line to the scratchpad."""
        return self._run.jot(text)

    def reflect(self, payload: Mapping[str, Any] | None = None, /, **more: Any) -> str:
        """Adds a reflection."""
        return self._run.reflect({**(payload or {}), **more})

    def propose(self, proposal: Mapping[str, Any], *, applied: bool = False) -> str:
        """Adds a proposal of what to learn, to the timeline and to `learn.jsonl`."""
        return self._run.propose(proposal, applied)

    def attach(
        self, content: bytes | bytearray | memoryview | PathLike, extension: str = "", /
    ) -> dict[str, Any]:
        """Puts bytes, or the file at a path, into a file of the episode: a screenshot, a page.

        It returns the file's `name` below the directory of the episode, its `sha256` and its number
        of `bytes`, which an action refers to. The name has the digest and the extension, which a
        path has itself. The outcomes and the manifest list the file. Bytes that are attached
        already are not written again. Raises `Refused` for more than 64 MiB, and for a path that
        does not lead to a regular file.
        """
        if isinstance(content, (bytes, bytearray, memoryview)):
            return self._run.attach(bytes(content), extension)
        if extension:
            raise TypeError("a file has an extension already: give it with bytes alone")
        return self._run.attach(os.fsencode(content), None)

    def persist(self) -> None:
        """Replaces `state.json` by the present state, after its evidence."""
        self._run.persist()

    def pause(self, reason: str) -> Paused:
        """Ends this process's part in the run, which stays pending: no step may be open.

        Calls of tools that are under way are acts without a result, as in `finish`.
        """
        self._ended_by = threading.get_ident()
        self._run.pause(reason)
        return Paused(self.id, self.path)

    def finish(
        self,
        status: EndStatus = "ok",
        reason: str | None = None,
        *,
        error: Any = None,
        artifacts: Iterable[str] = (),
        metrics: Mapping[str, Any] | None = None,
        assertions: Iterable[Evaluated] = (),
        score: float | None = None,
    ) -> Recorded:
        """Ends the run, and writes its summary, its manifest and its state.

        `assertions` are what an evaluator found: a run that ends `ok` is then a `success` if all of
        them passed, else its goal was not achieved. The `score` becomes a metric. In `metrics`, a
        number that JSON does not have, such as NaN, is missing: it becomes null. The tokens of the
        models that a framework called are metrics too.

        Raises `Refused` for `ok` while a step is pending, running or failed; the run then goes on.
        A run that a policy stopped ends as `vetoed`, whatever is asked for.

        Calls of tools that are under way, such as those of other threads, are recorded as acts with
        the `result_status` `missing`. With any, but for those in which this is called, the run
        that would be `ok` is `partial`.
        """
        if error is not None and status == "ok":
            status = "error"
        why = reason if error is None else error
        end = {
            "status": status,
            "artifacts": list(artifacts),
            "metrics": measured({**self._usage, **(metrics or {})} or None),
            "assertions": [_members(it) for it in _all_are(Evaluated, "assertions", assertions)],
        }
        if status == "error":
            end["error"] = "unknown" if why is None else why
        elif status != "ok":
            end["reason"] = status if why is None else why
        calls = (it._allowed for it in AROUND.get() if it._step._of_run is self)
        self._ended_by = threading.get_ident()
        found, digest = self._run.finish(end, score, [it for it in calls if it is not None])
        return Recorded(self.id, self.path, tuple(found), digest)

    def execute(self, adapter: Adapter) -> None:
        """Has a function execute all pending steps, in their order, until one fails.

        It is called with the step and the state, as dictionaries; those of the state can't be
        changed. What it returns is the output of the action, and what it raises makes the step fail
        and goes on. Steps that policies veto or skip are passed over; a veto of the run raises
        `Vetoed`, and a call that a rule holds back `Refused`. A function that has to be awaited is
        for `aexecute`.
        """
        if is_async(adapter):
            raise TypeError(_to_await(adapter))
        if inspect.isfunction(adapter):
            must_have_name(self, adapter)

        def calling(step: dict[str, Any], state: State) -> Any:
            return _result(adapter, adapter(step, state), may_wait=False)

        for opened in self._open_pending():
            with opened as step:
                self._call(step, adapter, calling)

    async def aexecute(self, adapter: Adapter) -> None:
        """Does as `execute`, with a function whose result is awaited if it can be."""
        if inspect.isfunction(adapter):
            must_have_name(self, adapter)

        def calling(step: dict[str, Any], state: State) -> Any:
            return _result(adapter, adapter(step, state), may_wait=True)

        for opened in self._open_pending():
            async with opened as step:
                result = self._call(step, adapter, calling)
                if inspect.isawaitable(result):
                    await result

    def _open_pending(self) -> Iterator[OpenStep]:
        while pending := self.pending:
            try:
                opened = self.open(pending[0])
            except Vetoed as veto:
                if veto.scope == "run":
                    raise
            except StepSkipped:
                pass
            else:
                yield opened

    def _call(self, step: OpenStep, adapter: Adapter, calling: Adapter) -> Any:
        state = self._run.shown()
        record = next(it for it in state["plan"]["steps"] if it["id"] == step.id)
        return call(step, name_of(adapter), calling, (dict(record), state), {}, {"step": step.id})

    @overload
    def tool(
        self,
        function: Callable[_Parameters, _Result],
        /,
        *,
        name: str | None = None,
        agent: str | None = None,
        max_output: int = ...,
        record_defaults: RecordDefaults = ...,
    ) -> Callable[_Parameters, _Result]: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        agent: str | None = None,
        max_output: int = ...,
        record_defaults: RecordDefaults = ...,
    ) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]: ...
    def tool(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        agent: str | None = None,
        max_output: int = MAX_OUTPUT,
        record_defaults: RecordDefaults = True,
    ) -> Any:
        """A function that does the same, and each call of which is recorded as an act.

        The act is one of the step whose `with` is around the call, or else of no step; elsewhere,
        such as in a thread pool, `step.tool` names the step. A coroutine function gives one, which
        is recorded when it has been awaited, and a generator is recorded when it has ended.
        Arguments and results that are not JSON are recorded as the closest JSON value. For a value
        of more than `max_output` bytes, its SHA-256, its size and an excerpt are recorded.

        Arguments have their names, also those that are left to their defaults. `record_defaults`
        are True, False for none of these, or the names of those that may not be written down: a
        rule that asks for one of them holds the call back.

        The tool has the plain name of the function, which selectors of rules match, or the `name`
        that is given: `@run.tool` and `@run.tool(name="refund")` are decorators. Where rules hold
        calls back, what has no name of its own, such as a lambda, is `Refused` without a `name`.
        The `agent` that calls it is `x-agent` of the act and `agent_id` of its event.

        With a configuration or a policy, the function is not called where its step or its run is
        over: that raises a `RecorderError`. Nor is it where a schema, an order or a rule finds an
        error in the call: the run gets the event of a veto and goes on, and this raises `Refused`
        with the `findings`.
        """
        return recorded(function, self._innermost, max_output, name, agent, record_defaults)

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # In a forked process the run is that of the parent.
        if os.getpid() != self._owner or self._run.is_over():
            return
        if error is None or _is_exit(error):
            unfinished = self._run.steps_that_are(["pending", "running", "failed"])
            if unfinished:
                self.finish("partial", f"unfinished: {', '.join(unfinished)}")
            else:
                self.finish()
            return
        try:
            if isinstance(error, Vetoed):
                self.finish("vetoed", error.reason)
            elif isinstance(error, Exception):
                self.finish("error", error=error_of(error))
            else:
                self.finish("aborted", type(error).__name__)
        except Exception as failed:
            # What ended the block matters more. Warnings that are errors come after the end.
            if not self._run.is_over():
                error.add_note(f"runvet could not end the run {self.id}: {failed}")

    def _kept(self, value: Any, most: int = MAX_OUTPUT) -> Any:
        """A value as JSON; one that has more bytes is attached, and its digest stands for it."""
        try:
            return self._run.shortened(value, most)
        except Exception:
            return bounded(value, most, self._plain)

    def _arguments(self, given: Any, most: int = MAX_OUTPUT) -> dict[str, Any]:
        """The input of a call: an object, each large value of which is attached."""
        members = _runvet.arguments(given, self._plain)
        return {name: self._kept(value, most) for name, value in members.items()}

    def _add_usage(self, usage: Mapping[str, int]) -> None:
        self._usage.update(usage)

    def _lose(self, what: str) -> None:
        """Logs once that something can't be recorded: while an exception is handled."""
        if not self._has_losses:
            message = "%s could not be recorded in the run %s, and maybe more that follows"
            _LOG.warning(message, what, self.id, exc_info=True)
        self._has_losses = True

    async def __aenter__(self) -> Run:
        return self

    async def __aexit__(self, *ended: Any) -> None:
        self.__exit__(*ended)


class OpenStep:
    """A step that is open. It closes once: by leaving its `with`, or by `Run.close`.

    Leaving the `with` closes it as done, with its `outputs` if there are any; an exception closes
    it as failed and propagates. `async with` does the same.
    """

    __slots__ = ("_end", "_of_run", "_outer", "_step", "_token", "outputs")

    _of_run: Run
    _step: _runvet.OpenStep
    _token: Token[OpenStep | None] | None
    _outer: OpenStep | None
    _end: dict[str, Any] | None
    outputs: dict[str, Any]

    def __init__(self) -> None:
        raise TypeError("use run.step(id)")

    @classmethod
    def _of(cls, run: Run, step: _runvet.OpenStep) -> OpenStep:
        made = cls.__new__(cls)
        made._of_run = run
        made._step = step
        made._token = None
        made._outer = None
        made._end = None
        made.outputs = {}
        return made

    def __repr__(self) -> str:
        return f"<runvet.OpenStep {_runvet.printable(self.id)}>"

    @property
    def id(self) -> str:
        """The id of the step."""
        return self._step.id

    @property
    def hints(self) -> list[str]:
        """Returns the hints of policies for it."""
        return self._step.hints

    @property
    def findings(self) -> list[Finding]:
        """Returns the findings in the actions and the end of the step."""
        return list(self._step.findings)

    def would(self, action: Mapping[str, Any] | None = None, /, **fields: Any) -> list[Finding]:
        """Returns the findings that there would be if this action were recorded now.

        So an agent holds an act back before it happens. Nothing is written.
        """
        return self._of_run.would("act", {**(action or {}), **fields, "step_id": self.id})

    def act(self, action: Mapping[str, Any] | None = None, /, **fields: Any) -> str:
        """Records an action, and returns its id.

        Fields are `kind`, `tool`, `input`, `input_excerpt`, `output`, `result_status`,
        `result_artifacts`, `provenance`, `duration_ms`, and extensions that start with `x-`. The
        `agent` is recorded as `x-agent` and as `agent_id` of the event. An `input` that is a text
        becomes an object, and `kind`, `x-command` and `x-paths` are filled in.

        An action without `output`, `result_status`, `result_artifacts` and `duration_ms` is about
        to be made: it is `Refused` where a schema of the recorder's configuration does.
        """
        return self._of_run._run.act(self._step, {**(action or {}), **fields}, None)

    @overload
    def tool(
        self,
        function: Callable[_Parameters, _Result],
        /,
        *,
        name: str | None = None,
        agent: str | None = None,
        max_output: int = ...,
        record_defaults: RecordDefaults = ...,
    ) -> Callable[_Parameters, _Result]: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        agent: str | None = None,
        max_output: int = ...,
        record_defaults: RecordDefaults = ...,
    ) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]: ...
    def tool(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        agent: str | None = None,
        max_output: int = MAX_OUTPUT,
        record_defaults: RecordDefaults = True,
    ) -> Any:
        """A function as `Run.tool` makes it, of this step wherever it is called."""
        return recorded(function, lambda: self, max_output, name, agent, record_defaults)

    def fail(self, error: Any) -> None:
        """Has the step close as failed when its `with` is left."""
        self._end = {"error": "unknown" if error is None else error}

    def skip(self, reason: str) -> None:
        """Has the step close as skipped when its `with` is left."""
        self._end = {"skipped": reason}

    def __enter__(self) -> OpenStep:
        self._outer = CURRENT.get()
        self._token = CURRENT.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            try:
                CURRENT.reset(self._token)
            except ValueError:
                # An asynchronous generator may be left in another context than it was entered.
                CURRENT.set(self._outer)
            self._token = None
        run = self._of_run
        if os.getpid() != run._owner or run._run.is_over() or self._step.is_closed():
            return
        if error is None or _is_exit(error):
            outputs = (self.outputs or {}).items()
            kept = {name: run._kept(it) for name, it in outputs}
            try:
                run.close(self, kept or None, **(self._end or {}))
            except Refused as refused:
                if not kept or refused.kind != "too_large":
                    raise
                run._lose(f"the outputs of {self}")
                run.close(self, **(self._end or {}))
            return
        try:
            if self.id in run._run.steps_that_are(["running"]):
                run.close(self, error=error_of(error))
        except Exception as failed:
            if not self._step.is_closed():
                error.add_note(f"runvet could not close the step {self.id}: {failed}")

    async def __aenter__(self) -> OpenStep:
        return self.__enter__()

    async def __aexit__(self, *ended: Any) -> None:
        self.__exit__(*ended)


CURRENT: ContextVar[OpenStep | None] = ContextVar("runvet_step", default=None)
"""The innermost step that a `with` has opened, in this thread or task."""

_OPEN: WeakSet[Run] = WeakSet()
"""The runs that this process has begun or resumed; some may be over."""

_OPEN_LOCK = threading.Lock()


def _end_with_interpreter() -> None:
    """Has the calls of all threads end in their runs, before the interpreter ends the threads.

    From here on, those threads begin no more calls. Non-daemon threads have ended already.
    """
    _runvet.begin_end()
    with _OPEN_LOCK:
        runs = [run for run in _OPEN if run._owner == os.getpid()]
    for run in runs:
        try:
            run._run.give_up()
        except RunEnded:
            pass
        except Exception:
            run._lose("what is under way")
    # They are not unwound within a call either.
    _runvet.end()


atexit.register(_end_with_interpreter)


def _is_exit(error: BaseException | None) -> bool:
    """Returns True if a program ends as it wants to."""
    return isinstance(error, SystemExit) and error.code in (None, 0)


def _to_await(adapter: Adapter) -> str:
    return f"{name_of(adapter)} has to be awaited: use `await run.aexecute(…)`"


def _result(adapter: Adapter, result: Any, *, may_wait: bool) -> Any:
    """Returns the result of an adapter, unless nobody would await it or iterate over it."""
    if inspect.isawaitable(result) and not may_wait:
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(_to_await(adapter))
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError(f"{name_of(adapter)} returned a generator; return what it yields")
    return result


def _micros(time: datetime) -> int:
    """The microseconds since 1970 of a time, which is in UTC without a time zone."""
    if not isinstance(time, datetime):
        raise TypeError(f"{time!r} is not a datetime")
    time = time.replace(tzinfo=time.tzinfo or timezone.utc)
    return (time - _EPOCH) // timedelta(microseconds=1)


def _all_are(kind: type[_Result], name: str, given: Iterable[_Result]) -> list[_Result]:
    """The items of an argument, each of which is of a class."""
    items = list(given)
    for item in items:
        if not isinstance(item, kind):
            raise TypeError(f"{name} has {described(item)}, which is no runvet.{kind.__name__}")
    return items


def _members(value: Step | Evaluated) -> dict[str, Any]:
    """Returns the JSON that `runvet record` takes for it."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _drafted(step: StepLike) -> dict[str, Any]:
    if isinstance(step, Mapping):
        known = {"id", "kind", "description", "rationale", "inputs"}
        if unknown := step.keys() - known:
            raise TypeError(f"a step has no {', '.join(sorted(unknown))}")
    try:
        made = Step(**step) if isinstance(step, Mapping) else step
        made = Step(*made) if isinstance(made, tuple) else made
        return _members(*_all_are(Step, "steps", [made]))
    except TypeError:
        like = "a runvet.Step, a mapping with its fields, or a tuple of id, kind and description"
        raise TypeError(f"a step is {like}, not {described(step)}") from None


def current_step() -> OpenStep | None:
    """The innermost step that a `with` has opened in this thread or task; None outside of any.

    A thread pool does not hand it on: there, use `step.tool`, or submit
    `contextvars.copy_context().run`.
    """
    return CURRENT.get()


def _current() -> OpenStep | Run:
    """The innermost step of this thread or task, or else the only run that is open."""
    if (step := CURRENT.get()) is not None:
        return step
    with _OPEN_LOCK:
        runs = [run for run in _OPEN if not run._run.is_over()]
    if len(runs) == 1:
        return runs[0]._innermost()
    why = f"{len(runs)} runs are open" if runs else "no run is open"
    message = (
        f"the action is refused: no step is open in this thread or task, and {why}, so it would "
        "not be recorded; use run.tool or step.tool"
    )
    raise Refused(message, kind="refused")


@overload
def tool(
    function: Callable[_Parameters, _Result],
    /,
    *,
    name: str | None = None,
    agent: str | None = None,
    max_output: int = ...,
    record_defaults: RecordDefaults = ...,
) -> Callable[_Parameters, _Result]: ...
@overload
def tool(
    *,
    name: str | None = None,
    agent: str | None = None,
    max_output: int = ...,
    record_defaults: RecordDefaults = ...,
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    agent: str | None = None,
    max_output: int = MAX_OUTPUT,
    record_defaults: RecordDefaults = True,
) -> Any:
    """A function that does the same, and each call of which is an act of `current_step()`.

    Outside of any step, such as in a thread pool, it is one of the run that is open. Where none is,
    or several are, the call raises `Refused`.

    It suits functions of modules, which know no run. See `Run.tool` for what is recorded.
    """
    return recorded(function, _current, max_output, name, agent, record_defaults)
