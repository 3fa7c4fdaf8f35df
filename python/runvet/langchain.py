"""Callbacks of LangChain, which LangGraph sends too -> runs.

>>> callbacks = [runvet.langchain.Callbacks(recorder)]     # doctest: +SKIP
>>> agent.invoke(task, config={"callbacks": callbacks})    # doctest: +SKIP
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from langchain_core.callbacks import (  # type: ignore[import-not-found, unused-ignore]
    BaseCallbackHandler,
)
from langchain_core.messages import (  # type: ignore[import-not-found, unused-ignore]
    ToolMessage,
)
from langchain_core.tools import (  # type: ignore[import-not-found, unused-ignore]
    BaseTool,
)
from pydantic import BaseModel, ValidationError  # type: ignore[import-not-found, unused-ignore]

from ._errors import RecorderError
from ._recorder import Recorder
from ._report import Finding
from ._spans import Begun, Result, Role, Spans, task_of, text_of
from ._tool import Ask, usage_of

_Handler: Any
try:
    # It also hears of the breakpoints of a graph.
    from langgraph.callbacks import (  # type: ignore[import-not-found, unused-ignore]
        GraphCallbackHandler,
    )

    _Handler = GraphCallbackHandler
except ImportError:
    _Handler = BaseCallbackHandler


class Callbacks(_Handler):  # type: ignore[misc, unused-ignore]
    """Records each call from outside as a run: nodes and chains in it are steps, calls of tools and
    retrievers are their actions, and calls of models are notes. One handler serves any number of
    runs. A tool in which chains or models work is a call of kind `delegate`: the agent of what is
    in it has its name. Each run has the tags that are given, such as the directory `cwd`."""

    run_inline = True
    """In the order of events, also where they are awaited."""

    raise_error = True
    """A call that a rule holds back is not made, and raises `Refused`."""

    def __init__(self, recorder: Recorder, *, tags: Mapping[str, Any] | None = None) -> None:
        self._spans = Spans(recorder, "adapter:langchain", tags)
        self._has_ask = recorder._settings.ask is not None

    def _begin(self, role: Role, kind: str, serialized: Any, given: Any, more: Any) -> None:
        names = [more.get("name"), (serialized or {}).get("name"), kind]
        if role == "tool":
            # The name of a run is one that a caller may choose.
            names[:2] = reversed(names[:2])
        name = str(next(filter(None, names)))
        if role == "model":
            told = more.get("metadata") or {}
            asked = more.get("invocation_params") or {}
            models = (told.get("ls_model_name"), asked.get("model"), asked.get("model_name"))
            name = str(next(filter(None, models), name))
        is_root = more.get("parent_run_id") is None
        thread = (more.get("metadata") or {}).get("thread_id") if is_root else None
        begun = Begun(
            role,
            name,
            given=given,
            task=task_of(given, is_first=True) if is_root else None,
            call_id=str(more.get("tool_call_id") or more["run_id"]),
            more={"kind": "search"} if kind == "retriever" else None,
            thread=None if thread is None else str(thread),
            goes_on=given is None or type(given).__name__ == "Command",
            ask=_interrupt() if role == "tool" and not self._has_ask else None,
        )
        self._spans.begin(more["run_id"], more.get("parent_run_id"), begun)

    def on_chain_start(self, serialized: Any, inputs: Any, **more: Any) -> None:
        """Begins a run or a step."""
        self._begin("part", "chain", serialized, inputs, more)

    def on_chat_model_start(self, serialized: Any, messages: Any, **more: Any) -> None:
        """Begins a call of a model, which will be a note."""
        self._begin("model", "model", serialized, messages, more)

    def on_llm_start(self, serialized: Any, prompts: Any, **more: Any) -> None:
        """Begins a call of a model, which will be a note."""
        self._begin("model", "model", serialized, prompts, more)

    def on_tool_start(self, serialized: Any, input_str: Any, **more: Any) -> None:
        """Begins an action."""
        inputs = more.get("inputs")
        given = input_str if inputs is None else _coerced(inputs)
        self._begin("tool", "tool", serialized, given, more)

    def on_retriever_start(self, serialized: Any, query: Any, **more: Any) -> None:
        """Begins an action."""
        self._begin("tool", "retriever", serialized, {"query": query}, more)

    def _end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        if isinstance(output, ToolMessage):
            fields = {"x-call-id": output.tool_call_id} if output.tool_call_id else {}
            fields["result_status"] = "error" if output.status == "error" else "ok"
            return self._spans.end(run_id, Result(output=output.content, more=fields))
        return self._spans.end(run_id, Result(output=output))

    def on_llm_end(self, response: Any, *, run_id: UUID, **more: Any) -> None:
        """Notes the answer of a model."""
        self._spans.end(run_id, Result(said=_said(response)))

    def _fail(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        if _is_a("GraphBubbleUp", error):
            # It leaves a node for another graph, or waits.
            return self._spans.end(run_id, Result(waits=not _is_a("ParentCommand", error)))
        return self._spans.end(run_id, Result(error=error))

    def on_interrupt(self, event: Any) -> None:
        """Has the run of a graph pause."""
        self._spans.wait(event.run_id)

    on_chain_end: Any = _end
    on_chain_error: Any = _fail
    on_llm_error: Any = _fail
    on_tool_end: Any = _end
    on_tool_error: Any = _fail
    on_retriever_end: Any = _end
    on_retriever_error: Any = _fail


def _is_a(name: str, error: BaseException) -> bool:
    """Returns True if an error is one of a class of LangGraph, which may not be there."""
    errors = sys.modules.get("langgraph.errors")
    return errors is not None and isinstance(error, getattr(errors, name, ()))


def _interrupt() -> Ask | None:
    """Asks a person by an interrupt, in a graph that can wait for the answer."""
    if "langgraph" not in sys.modules:
        return None
    from langgraph.config import (  # type: ignore[import-not-found, unused-ignore]
        get_config,
    )
    from langgraph.types import (  # type: ignore[import-not-found, unused-ignore]
        interrupt,
    )

    try:
        settings = get_config().get("configurable") or {}
    except RuntimeError:
        return None
    if not settings.get("__pregel_checkpointer"):
        return None

    def ask(action: Mapping[str, Any], findings: list[Finding]) -> tuple[bool, str]:
        found = [{"rule": it.rule, "message": it.message} for it in findings]
        asked = {"tool": action["tool"], "input": action.get("input"), "findings": found}
        return _answer(interrupt(asked))

    return ask


def _answer(said: Any) -> tuple[bool, str]:
    """The answer of a person, and who gave it. What is no answer is a no."""
    by = ""
    if isinstance(said, (list, tuple)) and len(said) == 2:
        said, by = said[0], str(said[1])
    return said is True or said == "yes", by


def _coerced(inputs: Any) -> Any:
    """The arguments as the tool gets them: those of its schema, with defaults.

    LangChain begins the call before it reads the arguments, and only the tool, which calls this,
    has the schema.
    """
    frame = inspect.currentframe()
    while frame is not None and not isinstance(frame.f_locals.get("self"), BaseTool):
        frame = frame.f_back
    schema = None if frame is None else frame.f_locals["self"].tool_call_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return inputs
    try:
        read = schema.model_validate(inputs)
    except ValidationError:
        # The tool refuses them too.
        return inputs
    return {**inputs, **{name: getattr(read, name) for name in schema.model_fields}}


class _HeldBack(logging.Filter):
    """Keeps calls that are held back or wait, of which the agent hears, out of the error log."""

    def filter(self, record: logging.LogRecord) -> bool:
        told = record.args
        is_ours = isinstance(told, tuple) and told[:1] == (Callbacks.__name__,)
        error = sys.exc_info()[1]
        is_told = error is not None and _is_a("GraphBubbleUp", error)
        return not (is_ours and (is_told or isinstance(error, RecorderError)))


logging.getLogger("langchain_core.callbacks.manager").addFilter(_HeldBack())


def _said(response: Any) -> dict[str, Any]:
    """The fields of the note of an answer."""
    generation = next((it for each in response.generations for it in each), None)
    if generation is None:
        return {}
    message = getattr(generation, "message", None)
    told = getattr(message, "response_metadata", None) or {}
    content = getattr(message, "content", None)
    return {
        "text": generation.text or text_of(content),
        "thinking": text_of(content, "thinking", "reasoning"),
        "model": told.get("model_name") or told.get("model"),
        "stop_reason": told.get("finish_reason") or told.get("stop_reason"),
        "usage": _usage(message, (response.llm_output or {}).get("token_usage")),
    }


def _usage(message: Any, of_all: Any) -> dict[str, int] | None:
    """The tokens of an answer: those of its message, or those that a whole response has."""
    if usage := getattr(message, "usage_metadata", None):
        cached = usage.get("input_token_details") or {}
        return usage_of(
            usage.get("input_tokens"),
            usage.get("output_tokens"),
            cached.get("cache_read"),
            cached.get("cache_creation"),
        )
    of_all = of_all if isinstance(of_all, dict) else {}
    return usage_of(of_all.get("prompt_tokens"), of_all.get("completion_tokens"), None, None)
