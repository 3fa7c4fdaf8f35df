"""Spans of OpenTelemetry, as its conventions for generative AI describe them -> runs.

>>> provider.add_span_processor(runvet.opentelemetry.Processor(recorder))  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.context import Context  # type: ignore[import-not-found, unused-ignore]
from opentelemetry.sdk.trace import (  # type: ignore[import-not-found, unused-ignore]
    ReadableSpan,
    Span,
    SpanProcessor,
)
from opentelemetry.trace import StatusCode  # type: ignore[import-not-found, unused-ignore]

from ._recorder import Recorder
from ._spans import Spans

OPERATION = "gen_ai.operation.name"

AGENTS = ("create_agent", "invoke_agent", "invoke_workflow")
"""Operations that have parts; others are actions."""


class SpanFailed(Exception):
    """A span has ended with an error."""


class Processor(SpanProcessor):  # type: ignore[misc, unused-ignore]
    """Records the outermost span with an operation as a run: agents in it are steps, and calls of
    models and tools are their actions, with the `gen_ai` attributes at their begin and end.

    `gen_ai.operation.name` has to be there when a span begins, as the conventions say. A span that
    a rule of the recorder's configuration holds back does not begin: that raises `Refused`.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._spans = Spans(recorder, "adapter:opentelemetry")

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Begins a run, a step or an action."""
        parent = span.parent and (span.parent.trace_id, span.parent.span_id)
        given = _told(span.attributes)
        operation = given.get(OPERATION)
        if operation is None:
            self._spans.passing(_id(span), parent)
            return
        named = (given.get(f"gen_ai.{it}") for it in ("tool.name", "agent.name", "request.model"))
        name = str(next(filter(None, named), operation))
        is_work = operation not in AGENTS
        self._spans.begin(
            _id(span), parent, name, is_work=is_work, given=given, task=span.name or name
        )

    def on_end(self, span: ReadableSpan) -> None:
        """Ends it: failed where the status of the span is an error."""
        failed = span.status.status_code is StatusCode.ERROR
        error = SpanFailed(span.status.description or "") if failed else None
        self._spans.end(_id(span), _told(span.attributes), error)


def _id(span: ReadableSpan) -> tuple[int, int]:
    context = span.get_span_context()
    return (context.trace_id, context.span_id) if context else (0, 0)


def _told(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (attributes or {}).items() if name.startswith("gen_ai.")}
