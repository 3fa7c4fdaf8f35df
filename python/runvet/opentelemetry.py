"""Spans of OpenTelemetry, as its conventions for generative AI describe them -> runs.

>>> provider.add_span_processor(runvet.opentelemetry.Processor(recorder))  # doctest: +SKIP
"""

from __future__ import annotations

import json
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
from ._spans import Begun, Result, Role, Spans, task_of, text_of
from ._tool import usage_of

OPERATION = "gen_ai.operation.name"

ROLES: Mapping[str, Role] = {
    "create_agent": "part",
    "invoke_agent": "agent",
    "invoke_workflow": "part",
    "chat": "model",
    "embeddings": "model",
    "generate_content": "model",
    "text_completion": "model",
}
"""The roles of operations; any other one is the call of a tool."""

ARGUMENTS = "gen_ai.tool.call.arguments"
RESULT = "gen_ai.tool.call.result"
CALL_ID = "gen_ai.tool.call.id"
ASKED = "gen_ai.input.messages"
ANSWERED = "gen_ai.output.messages"
TOOL = "gen_ai.tool.name"
AGENT = "gen_ai.agent.name"
MODEL = "gen_ai.request.model"

TAKEN = {OPERATION, ARGUMENTS, RESULT, CALL_ID, ASKED, ANSWERED, TOOL}
"""Attributes of a call that stand in fields of their own."""


class SpanFailed(Exception):
    """A span has ended with an error."""


class Processor(SpanProcessor):  # type: ignore[misc, unused-ignore]
    """Records the outermost span with an operation as a run: agents in it are steps and calls of
    kind `delegate`, calls of tools are actions, and calls of models are notes. The `gen_ai`
    attributes of an action that have no field of their own are its `x-attributes`. Each run has
    the tags that are given, such as the directory `cwd`.

    `gen_ai.operation.name` has to be there when a span begins, as the conventions say. A span that
    a rule of the recorder's configuration holds back does not begin: that raises `Refused`.
    """

    def __init__(self, recorder: Recorder, *, tags: Mapping[str, Any] | None = None) -> None:
        self._spans = Spans(recorder, "adapter:opentelemetry", tags)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Begins a run, a step, an action or a call of a model."""
        parent = span.parent and (span.parent.trace_id, span.parent.span_id)
        given = _told(span.attributes)
        operation = given.get(OPERATION)
        if operation is None:
            self._spans.passing(_id(span), parent)
            return
        role = ROLES.get(str(operation), "tool")
        name = str(next(filter(None, map(given.get, (TOOL, AGENT, MODEL))), operation))
        asked = _parsed(given.get(ASKED))
        begun = Begun(
            role,
            name,
            given=given.get(ARGUMENTS) if role == "tool" else asked,
            task=(task_of(asked) if asked else None) or span.name or name,
            call_id=str(given.get(CALL_ID) or format(_id(span)[1], "016x")),
            more=_others(given),
        )
        self._spans.begin(_id(span), parent, begun)

    def on_end(self, span: ReadableSpan) -> None:
        """Ends it: failed where the status of the span is an error."""
        told = _told(span.attributes)
        said = _said(told, _parsed(told.get(ANSWERED)))
        output, fields, error = told.get(RESULT, said["text"]), _others(told), None
        if span.status.status_code is StatusCode.ERROR:
            message = span.status.description or ""
            error, fields["output"] = SpanFailed(message), output or message
        result = Result(output, said, error, fields, given=told.get(ARGUMENTS))
        self._spans.end(_id(span), result)


def _id(span: ReadableSpan) -> tuple[int, int]:
    context = span.get_span_context()
    return (context.trace_id, context.span_id) if context else (0, 0)


def _told(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (attributes or {}).items() if name.startswith("gen_ai.")}


def _others(told: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that have no field of their own."""
    others = {name: value for name, value in told.items() if name not in TAKEN}
    return {"x-attributes": others} if others else {}


def _parsed(value: Any) -> Any:
    """An attribute, which is JSON in a text where it is more than a plain value."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (RecursionError, ValueError):
        return value


def _said(told: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    """The fields of the note of an answer."""
    messages = answer if isinstance(answer, list) else []
    last = messages[-1] if messages and isinstance(messages[-1], Mapping) else {}
    content = last.get("parts", last.get("content"))
    reasons = told.get("gen_ai.response.finish_reasons") or [last.get("finish_reason")]
    return {
        "text": text_of(content) if content is not None else answer,
        "thinking": text_of(content, "thinking", "reasoning"),
        "model": told.get("gen_ai.response.model"),
        "stop_reason": reasons if isinstance(reasons, str) else next(iter(reasons), None),
        "x-message-id": told.get("gen_ai.response.id"),
        "usage": usage_of(
            told.get("gen_ai.usage.input_tokens"),
            told.get("gen_ai.usage.output_tokens"),
            told.get("gen_ai.usage.cache_read.input_tokens"),
            told.get("gen_ai.usage.cache_creation.input_tokens"),
        ),
    }
