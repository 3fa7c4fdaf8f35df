"""Functions -> functions whose calls are recorded as actions of a step, once they are over."""

from __future__ import annotations

import functools
import inspect
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from . import _runvet
from ._encode import MAX_EXCERPT, MAX_OUTPUT, error_of, shortened
from ._errors import FindingWarning, RecorderError

if TYPE_CHECKING:
    from ._run import OpenStep, Run

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

MAX_ITEMS = 1_000
"""Items of a generator that are recorded; the others are counted."""

CURRENT: ContextVar[OpenStep | None] = ContextVar("runvet_step", default=None)
"""The innermost step that a `with` has opened, in this thread or task."""


def current_step() -> OpenStep | None:
    """The innermost step that a `with` has opened in this thread or task; None outside of any.

    A thread pool does not hand it on: there, use `step.tool`, or submit
    `contextvars.copy_context().run`.
    """
    return CURRENT.get()


@overload
def tool(
    function: Callable[_Parameters, _Result],
    /,
    *,
    name: str | None = None,
    agent: str | None = None,
    max_output: int = ...,
) -> Callable[_Parameters, _Result]: ...
@overload
def tool(
    *, name: str | None = None, agent: str | None = None, max_output: int = ...
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    agent: str | None = None,
    max_output: int = MAX_OUTPUT,
) -> Any:
    """A function that does the same, and is recorded where `current_step()` is a step.

    It suits functions of modules, which know no run. See `Run.tool` for what is recorded.
    """
    return recorded(function, current_step, max_output, name, agent)


def recorded(
    function: Callable[..., Any] | None,
    step_of: Callable[[], OpenStep | Run | None],
    most: int,
    name: str | None,
    agent: str | None,
) -> Callable[..., Any]:
    """The function, with each call an action of the step, or of the run, that there is then.

    Without a function, a decorator of one.
    """
    if not isinstance(most, int):
        raise TypeError(f"max_output is {most!r}, not a number of bytes")
    for option, text in (("name", name), ("agent", agent)):
        if not (text is None or isinstance(text, str)):
            raise TypeError(f"{option} is {text!r}, not a text")
    if function is None:
        return lambda given: recorded(given, step_of, most, name, agent)
    tool = name_of(function) if name is None else name

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        step = step_of()
        if step is None:
            return function(*args, **kwargs)
        return call(step, tool, function, args, kwargs, most=most, agent=agent)

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
    return str(getattr(function, "__name__", type(function).__name__))


def call(
    step: OpenStep | Run,
    name: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    given: Any = None,
    most: int = MAX_OUTPUT,
    agent: str | None = None,
) -> Any:
    """Calls a function, and records the call: its input, its output or error, its duration."""
    if given is None:
        given = _named(function, args, kwargs)
    begun = Call(step, name, given, most, agent=agent)
    begun.must_be_allowed()
    try:
        result = function(*args, **kwargs)
    except BaseException as error:
        begun.failed(error)
        raise
    return begun.over(result)


def _named(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by their names, also those that it takes as `**more`."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
        named = bound.arguments
        for name, parameter in bound.signature.parameters.items():
            more = named.get(name, {})
            if parameter.kind is parameter.VAR_KEYWORD and not more.keys() & named.keys():
                named.pop(name, None)
                named.update(more)
    except (TypeError, ValueError):
        named = {"args": args, **kwargs}
    return {name: value for name, value in named.items() if name != "self"}


def _kept(step: OpenStep | Run, value: Any, most: int) -> Any:
    return step._of_run._kept(value, most)


def may_act(step: OpenStep | Run, action: Mapping[str, Any]) -> _runvet.Allowed | None:
    """Asks whether an act may happen, where anything judges the run; raises if it may not."""
    return _may(step, lambda run: run.may_act(step._step, action))


def _may(
    step: OpenStep | Run, ask: Callable[[_runvet.Run], _runvet.Allowed]
) -> _runvet.Allowed | None:
    run = step._of_run
    try:
        return ask(run._run) if run._is_judged else None
    except RecorderError as error:
        # An act that is too large, or a run that could not be written, is no reason to hold back.
        if error.kind not in ("too_large", "poisoned"):
            raise
        return None


class Call:
    """A call that has begun. It is recorded once, when it is over."""

    __slots__ = ("_action", "_allowed", "_most", "_started", "_step")

    def __init__(
        self,
        step: OpenStep | Run,
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

    def must_be_allowed(self) -> None:
        """Raises where a configuration or a policy judges the run, and the act may not happen.

        That is so where a schema, an order or a rule finds an error in it, and where its step or
        its run is over.
        """
        self._allowed = may_act(self._step, self._action)

    def over(self, result: Any) -> Any:
        """Records a result; one that is awaited, or iterated over, when that is over."""
        if inspect.isawaitable(result):
            return self._awaited(result)
        if inspect.isasyncgen(result):
            return self._each_awaited(result)
        if inspect.isgenerator(result):
            return self._each(result)
        self.record("ok", result)
        return result

    def failed(self, error: BaseException, **more: Any) -> None:
        """Records an error, which also tells what a `FindingWarning` that is an error says."""
        try:
            self.record("error", **{"output": error_of(error), **more})
        except FindingWarning as found:
            error.add_note(f"runvet found: {found}")

    def record(self, status: str, output: Any, **more: Any) -> None:
        """Records the end of the call. Where that fails, the agent goes on, and a log says so."""
        took = round((time.perf_counter() - self._started) * 1000, 3)
        ended = {"duration_ms": took, "result_status": status}
        try:
            told = {"output": output, **ended, **more}
            kept = {name: _kept(self._step, it, self._most) for name, it in told.items()}
            action = {**self._action, **kept}
            self._step._of_run._run.act(self._step._step, action, self._allowed)
        except FindingWarning:
            raise
        except Exception:
            self._step._of_run._lose(self._action["tool"])

    async def _awaited(self, result: Awaitable[Any]) -> Any:
        try:
            value = await result
        except BaseException as error:
            self.failed(error)
            raise
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


class Answer:
    """A call of a model that has begun. It is noted once, when it is over: it is no act."""

    __slots__ = ("_allowed", "_run", "_told")

    def __init__(self, run: Run, model: str | None, agent: str | None, parent: str | None) -> None:
        self._run = run
        told = {"model": model, "x-agent": agent, "x-parent": parent}
        self._told: dict[str, Any] = {"kind": "message", "role": "assistant", **_known(told)}
        self._allowed: _runvet.Allowed | None = None

    def must_be_allowed(self) -> None:
        """Raises where a configuration judges the run, and a rule holds the call back."""
        self._allowed = _may(self._run, lambda run: run.may_note("reason", self._told))

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
