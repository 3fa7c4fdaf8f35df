"""Functions -> functions whose calls are recorded as actions of a step, once they are over."""

from __future__ import annotations

import functools
import inspect
import json
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from . import _runvet
from ._encode import MAX_EXCERPT, MAX_OUTPUT, WITHHELD, error_of, shortened
from ._errors import FindingWarning, RecorderError, Refused, RunEnded
from ._report import Finding

MAX_ITEMS = 1_000
"""Items of a generator that are recorded; the others are counted."""

RecordDefaults = bool | Iterable[str]
"""True if the values of arguments that are left to their defaults are recorded, or else the names
of those that are not."""


Ask = Callable[[Mapping[str, Any], list[Finding]], tuple[bool, str]]
"""Asks a person about an act: returns the answer, and who gave it. What it raises is `Waits`."""


class Waits(Exception):
    """A person is asked about an act, and the answer comes later: `reason` says how."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Place(Protocol):
    """A step that is open, or a run, in which calls are acts."""

    @property
    def _of_run(self) -> Recording: ...
    @property
    def _step(self) -> _runvet.OpenStep | None: ...


class Recording(Place, Protocol):
    """A run that calls are recorded in."""

    @property
    def _run(self) -> _runvet.Run: ...
    @property
    def _is_judged(self) -> bool: ...
    @property
    def _holds_back(self) -> bool: ...
    @property
    def _ended_by(self) -> int | None: ...
    def _kept(self, value: Any, most: int = ...) -> Any: ...
    def _arguments(self, given: Any, most: int = ...) -> dict[str, Any]: ...
    def _add_usage(self, usage: Mapping[str, int]) -> None: ...
    def _lose(self, what: str) -> None: ...


def recorded(
    function: Callable[..., Any] | None,
    place_of: Callable[[], Place],
    most: int,
    name: str | None,
    agent: str | None,
    defaults: RecordDefaults,
) -> Callable[..., Any]:
    """The function, with each call an act of the step, or of the run, that there is then.

    Without a function, a decorator of one.
    """
    if not isinstance(most, int):
        raise TypeError(f"max_output is {most!r}, not a number of bytes")
    for option, text in (("name", name), ("agent", agent)):
        if not (text is None or isinstance(text, str)):
            raise TypeError(f"{option} is {text!r}, not a text")
    if isinstance(defaults, str):
        raise TypeError(f"record_defaults is {defaults!r}, not a boolean or a list of names")
    if function is None:
        return lambda given: recorded(given, place_of, most, name, agent, defaults)
    tool = name_of(function) if name is None else name

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        place = place_of()
        if name is None:
            must_have_name(place._of_run, function)
        given = _named(function, args, kwargs, defaults)
        return call(place, tool, function, args, kwargs, given, most=most, agent=agent)

    @functools.wraps(function)
    async def awaiting(*args: Any, **kwargs: Any) -> Any:
        return await calling(*args, **kwargs)

    return awaiting if is_async(function) else calling


def is_async(function: Callable[..., Any]) -> bool:
    """Returns True if a call has to be awaited."""
    called = getattr(function, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def name_of(function: Callable[..., Any]) -> str:
    """The plain name of a function, as its author reads it, wherever it is defined."""
    inner = _inner(function)
    return str(getattr(inner, "__name__", type(inner).__name__))


def _inner(function: Any) -> Any:
    """The function that a partial binds arguments of."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def must_have_name(run: Recording, function: Callable[..., Any]) -> None:
    """Raises where rules hold calls back, and none could match the name of a function."""
    if run._holds_back and not _has_name(function):
        message = (
            f"{name_of(function)} is no name that a rule can match: give the function one, as in "
            'run.tool(function, name="refund")'
        )
        raise Refused(message, kind="refused")


def _has_name(function: Callable[..., Any]) -> bool:
    """Returns True if the name of a function says what it does.

    That of a lambda does not, nor that of a class for its objects, nor that of a function within a
    decorator: one that takes any arguments, or has one of the names that such functions have.
    """
    inner = _inner(function)
    name = getattr(inner, "__name__", "<lambda>")
    if name == "<lambda>":
        return False
    if "<locals>" not in getattr(inner, "__qualname__", "") or hasattr(inner, "__wrapped__"):
        return True
    try:
        kinds = {it.kind for it in inspect.signature(inner).parameters.values()}
    except (TypeError, ValueError):
        return True
    takes_any = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    is_any = bool(kinds) and kinds <= takes_any
    return not (is_any or name.strip("_") in ("wrapper", "wrapped", "inner"))


def call(
    step: Place,
    name: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    given: Any,
    most: int = MAX_OUTPUT,
    agent: str | None = None,
) -> Any:
    """Calls a function, and records the call: its input, its output or error, its duration."""
    begun = Call(step, name, given, most, agent=agent)
    begun.must_be_allowed()
    token = AROUND.set((*AROUND.get(), begun))
    try:
        result = function(*args, **kwargs)
    except BaseException as error:
        begun.failed(error)
        raise
    finally:
        AROUND.reset(token)
    return begun.over(result)


def _named(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    defaults: RecordDefaults,
) -> dict[str, Any]:
    """The arguments of a call by their names, as the function gets them: also those that a partial
    binds, that are left to their defaults, and that it takes as `**more`."""
    while isinstance(function, functools.partial):
        args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
        function = function.func
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        named = {"args": args, **kwargs}
    else:
        named = bound.arguments
        for name, parameter in bound.signature.parameters.items():
            more = named.get(name, {})
            if parameter.kind is parameter.VAR_KEYWORD and not more.keys() & named.keys():
                named.pop(name, None)
                named.update(more)
            elif name not in named and parameter.default is not parameter.empty:
                is_kept = defaults if isinstance(defaults, bool) else name not in defaults
                named[name] = parameter.default if is_kept else WITHHELD
    return {name: value for name, value in named.items() if name != "self"}


def _kept(step: Place, value: Any, most: int) -> Any:
    return step._of_run._kept(value, most)


def begin_act(
    step: Place, action: Mapping[str, Any], ask: Ask | None = None
) -> _runvet.Allowed | None:
    """Begins an act, if it may happen: where anything judges the run, that is asked.

    Questions for a person go to `ask`, or else to the function of the recorder.
    """
    run = step._of_run
    try:
        if ask is None or not run._is_judged:
            return run._run.begin(step._step, action, run._is_judged)
        allowed, questions = run._run.decide(step._step, action, None)
        while allowed is None:
            try:
                answer = ask(action, questions)
            except Exception as reason:
                raise Waits(reason) from reason
            allowed, questions = run._run.decide(step._step, action, answer)
        return allowed
    except RecorderError as error:
        if run._is_judged:
            _must_be_minor(run, error)
        elif error.kind == "refused" or (isinstance(error, RunEnded) and _outlives(run)):
            raise
        return None


def _outlives(run: Recording) -> bool:
    """Returns True in a daemon thread whose run another thread has ended."""
    is_other = run._ended_by not in (None, threading.get_ident())
    return is_other and threading.current_thread().daemon


def _must_be_minor(run: Recording, error: RecorderError) -> None:
    """Raises an error for which a call is not made: rules would not count what can't be recorded.

    Where there are none, it is made.
    """
    if run._holds_back or error.kind not in ("too_large", "poisoned"):
        raise error


def is_failure(result: Any) -> bool:
    """Returns True if a result says that the call failed, as those of MCP and of LangChain do."""
    if isinstance(result, Mapping):
        return result.get("isError") is True
    is_message = getattr(result, "type", None) == "tool"
    is_failed = is_message and getattr(result, "status", None) == "error"
    return is_failed or getattr(result, "isError", None) is True


class Call:
    """A call that has begun. It is recorded once, when it is over."""

    __slots__ = ("_action", "_allowed", "_most", "_started", "_step")

    def __init__(
        self,
        step: Place,
        name: str,
        given: Any,
        most: int,
        *,
        agent: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self._step = step
        self._most = most
        self._action: dict[str, Any] = {"tool": name}
        self._action |= {key: _kept(step, it, most) for key, it in (more or {}).items()}
        if given is not None:
            self.takes(given)
        if agent:
            self._action["agent"] = agent
        self._allowed: _runvet.Allowed | None = None
        self._started = time.perf_counter()

    def takes(self, given: Any) -> None:
        """Sets the input of the call."""
        kept = self._step._of_run._arguments(given, self._most)
        excerpt = shortened(json.dumps(kept, ensure_ascii=False), MAX_EXCERPT)
        self._action |= {"input": kept, "input_excerpt": excerpt}

    def must_be_allowed(self, ask: Ask | None = None) -> None:
        """Raises where a configuration or a policy judges the run, and the act may not happen.

        That is so where a schema, an order or a rule finds an error in it, and where its step or
        its run is over. From then on the call is under way.
        """
        self._allowed = begin_act(self._step, self._action, ask)

    def over(self, result: Any) -> Any:
        """Records a result; one that is awaited, or iterated over, when that is over."""
        if inspect.isawaitable(result):
            return self._awaited(result)
        if inspect.isasyncgen(result):
            return self._each_awaited(result)
        if inspect.isgenerator(result):
            return self._each(result)
        self.record("error" if is_failure(result) else "ok", result)
        return result

    def failed(self, error: BaseException, **more: Any) -> None:
        """Records an error, which also tells what a `FindingWarning` that is an error says."""
        try:
            self.record("error", **{"output": error_of(error), **more})
        except FindingWarning as found:
            error.add_note(f"runvet found: {found}")

    def record(self, status: str, output: Any, **more: Any) -> None:
        """Records the end of the call. Where that fails, the agent goes on, and a log says so.

        A call that its run has not waited for is recorded already.
        """
        if self._is_given_up():
            return
        took = round((time.perf_counter() - self._started) * 1000, 3)
        ended = {"duration_ms": took, "result_status": status}
        try:
            told = {"output": output, **ended, **more}
            kept = {name: _kept(self._step, it, self._most) for name, it in told.items()}
            action = {**self._action, **kept}
            self._step._of_run._run.act(self._step._step, action, self._allowed)
        except FindingWarning:
            raise
        except RunEnded:
            if not self._is_given_up():
                self._step._of_run._lose(self._action["tool"])
        except Exception:
            self._step._of_run._lose(self._action["tool"])

    def _is_given_up(self) -> bool:
        return self._allowed is not None and self._allowed.is_given_up()

    def interrupted(self) -> None:
        """Notes that the call waits for a person and will be made anew: it is no act."""
        act = {name: it for name, it in self._action.items() if name != "input_excerpt"}
        self._step._of_run._run.note("observe", {"kind": "interrupted", "act": act}, self._allowed)

    async def _awaited(self, result: Awaitable[Any]) -> Any:
        token = AROUND.set((*AROUND.get(), self))
        try:
            value = await result
        except BaseException as error:
            self.failed(error)
            raise
        finally:
            AROUND.reset(token)
        return self.over(value)

    def _each(self, items: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        seen = _Seen(self)
        try:
            result = yield from _Watched(items, seen)
        except BaseException as error:
            seen.stopped(error)
            raise
        seen.over("ok")
        return result

    async def _each_awaited(self, items: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
        seen = _Seen(self)
        following = items.asend(None)
        try:
            while True:
                item = seen.add(await following)
                try:
                    following = items.asend((yield item))
                except GeneratorExit:
                    raise
                except BaseException as thrown:
                    following = items.athrow(thrown)
        except StopAsyncIteration:
            seen.over("ok")
        except BaseException as error:
            await items.aclose()
            seen.stopped(error)
            raise


AROUND: ContextVar[tuple[Call, ...]] = ContextVar("runvet_around", default=())
"""The calls in which this thread or task works."""


class Answer:
    """A call of a model that has begun. It is noted once, when it is over: it is no act."""

    __slots__ = ("_allowed", "_run", "_told")

    def __init__(
        self, run: Recording, model: str | None, agent: str | None, parent: str | None
    ) -> None:
        self._run = run
        told = {"model": model, "x-agent": agent, "x-parent": parent}
        self._told: dict[str, Any] = {"kind": "message", "role": "assistant", **_known(told)}
        self._allowed: _runvet.Allowed | None = None

    def must_be_allowed(self, ask: Ask | None = None) -> None:
        """Raises where a configuration judges the run, and a rule holds the call back."""
        run = self._run
        try:
            if run._is_judged:
                self._allowed = run._run.may_note("reason", self._told)
        except RecorderError as error:
            _must_be_minor(run, error)

    def over(self, **said: Any) -> None:
        """Notes what the model answered: `text`, `thinking`, `usage`, `stop_reason`, `model`."""
        if usage := said.get("usage"):
            self._run._add_usage(usage)
        self._note("reason", {**self._told, **_known(said)})

    def failed(self, error: BaseException) -> None:
        """Notes that there is no answer."""
        text = error_of(error)["message"] or type(error).__name__
        by = {name: it for name, it in self._told.items() if name.startswith("x-")}
        self._note("observe", {"kind": "error", "text": text, **by})

    def _note(self, phase: str, payload: dict[str, Any]) -> None:
        try:
            kept = {name: _kept(self._run, it, MAX_OUTPUT) for name, it in payload.items()}
            self._run._run.note(phase, kept, self._allowed)
        except FindingWarning:
            raise
        except Exception:
            self._run._lose("an answer of a model")


def usage_of(
    given: int | None, answered: int | None, cache_read: int | None, cache_write: int | None
) -> dict[str, int] | None:
    """The tokens of one request, if any are known.

    `given` has those that were read from a cache or written to one, and `answered` those of
    reasoning.
    """
    if given is None and answered is None:
        return None
    tokens = {
        "input_tokens": given,
        "output_tokens": answered,
        "cache_read_tokens": cache_read,
        "cache_write_tokens": cache_write,
    }
    counted = {name: int(it or 0) for name, it in tokens.items()}
    return {**counted, "tokens": counted["input_tokens"] + counted["output_tokens"]}


def _known(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "")}


class _Watched(Generator[Any, Any, Any]):
    """A generator, each item of which is seen; also one that comes for what is sent or thrown."""

    def __init__(self, items: Generator[Any, Any, Any], seen: _Seen) -> None:
        self._items = items
        self._seen = seen

    def send(self, value: Any) -> Any:
        return self._seen.add(self._items.send(value))

    def throw(self, *error: Any) -> Any:
        return self._seen.add(self._items.throw(*error))


class _Seen:
    """The values that a generator has yielded."""

    def __init__(self, of: Call) -> None:
        self._of = of
        self._first: list[Any] = []
        self._count = 0

    def add(self, item: Any) -> Any:
        self._count += 1
        if self._count <= MAX_ITEMS:
            self._first.append(_kept(self._of._step, item, self._of._most))
        return item

    def over(self, status: str) -> None:
        is_all = self._count == len(self._first)
        more = {"items": self._count, "first": self._first}
        self._of.record(status, self._first if is_all else more)

    def stopped(self, error: BaseException) -> None:
        """A generator that is closed early has ended in part; any other error is one."""
        if not isinstance(error, GeneratorExit):
            self._of.failed(error)
            return
        try:
            self.over("partial")
        except FindingWarning as found:
            error.add_note(f"runvet found: {found}")
