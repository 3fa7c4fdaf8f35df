"""Callbacks of LangChain, which LangGraph sends too -> runs.

>>> callbacks = [runvet.langchain.Callbacks(recorder)]     # doctest: +SKIP
>>> agent.invoke(task, config={"callbacks": callbacks})    # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import (  # type: ignore[import-not-found, unused-ignore]
    BaseCallbackHandler,
)

from ._encode import MAX_EXCERPT, described, shortened
from ._recorder import Recorder
from ._spans import Spans


class Callbacks(BaseCallbackHandler):  # type: ignore[misc, unused-ignore]
    """Records each call from outside as a run: nodes and chains in it are steps, and calls of
    models, tools and retrievers are their actions. One handler serves any number of runs."""

    run_inline = True
    """In the order of events, also where they are awaited."""

    raise_error = True
    """A call that a rule holds back is not made, and raises `Refused`."""

    def __init__(self, recorder: Recorder) -> None:
        self._spans = Spans(recorder, "adapter:langchain")

    def _begin(self, kind: str, serialized: Any, given: Any, more: dict[str, Any]) -> None:
        name = str(more.get("name") or (serialized or {}).get("name") or kind)
        self._spans.begin(
            more["run_id"],
            more.get("parent_run_id"),
            name,
            is_work=kind != "chain",
            given=given,
            task=shortened(given if isinstance(given, str) else described(given), MAX_EXCERPT),
        )

    def on_chain_start(self, serialized: Any, inputs: Any, **more: Any) -> None:
        """Begins a run or a step."""
        self._begin("chain", serialized, inputs, more)

    def on_chat_model_start(self, serialized: Any, messages: Any, **more: Any) -> None:
        """Begins an action."""
        self._begin("model", serialized, messages, more)

    def on_llm_start(self, serialized: Any, prompts: Any, **more: Any) -> None:
        """Begins an action."""
        self._begin("model", serialized, prompts, more)

    def on_tool_start(self, serialized: Any, input_str: Any, **more: Any) -> None:
        """Begins an action."""
        inputs = more.get("inputs")
        self._begin("tool", serialized, input_str if inputs is None else inputs, more)

    def on_retriever_start(self, serialized: Any, query: Any, **more: Any) -> None:
        """Begins an action."""
        self._begin("retriever", serialized, query, more)

    def _end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        self._spans.end(run_id, output)

    def _fail(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._spans.end(run_id, error=error)

    on_chain_end: Any = _end
    on_chain_error: Any = _fail
    on_llm_end: Any = _end
    on_llm_error: Any = _fail
    on_tool_end: Any = _end
    on_tool_error: Any = _fail
    on_retriever_end: Any = _end
    on_retriever_error: Any = _fail
