"""Spans of OpenTelemetry, as its conventions for generative AI describe them -> runs.

>>> provider.add_span_processor(runvet.opentelemetry.Processor(recorder))  # doctest: +SKIP
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Mapping
from typing import Any

from opentelemetry.context import Context  # type: ignore[import-not-found, unused-ignore]
from opentelemetry.sdk.trace import (  # type: ignore[import-not-found, unused-ignore]
    ReadableSpan,
    Span,
    SpanProcessor,
)

from . import _runvet
from ._recorder import Recorder
from ._spans import Begun, Result, Spans, text_of
from ._tool import usage_of

_LOG = logging.getLogger("runvet")

ANSWERED = "gen_ai.output.messages"


class SpanFailed(Exception):
    """A span has ended with an error."""


class Processor(SpanProcessor):  # type: ignore[misc, unused-ignore]
    """Records the outermost span of an agent, a model or a tool as a run: agents in it are steps
    and calls of kind `delegate`, calls of tools are actions, and calls of models are notes. They
    have the form that an import of the same spans gives them: the attributes of a call that have no
    field of their own are its `x-attributes`. Each run has the tags that are given, such as the
    directory `cwd`.

    What a span is has to be among its attributes when it begins, such as `gen_ai.operation.name`.

    A processor can't keep a program from what a span is about. So nothing is held back here: if the
    recorder's configuration has rules that would, a `RuntimeWarning` says so, and what they find is
    a `FindingWarning` once it has happened.
    """

    def __init__(self, recorder: Recorder, *, tags: Mapping[str, Any] | None = None) -> None:
        if rules := recorder._recorder.holding:
            message = (
                "runvet.opentelemetry.Processor holds no call back: spans tell of calls that are "
                f"made. {', '.join(rules)}: found afterwards here. To hold calls back, make tools "
                "with run.tool or runvet.tool"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        lenient = recorder._with(hold_back=False)
        self._spans = Spans(lenient, "adapter:opentelemetry", tags)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Begins a run, a step, an action or a call of a model. It never raises."""
        parent = span.parent and (span.parent.trace_id, span.parent.span_id)
        try:
            words = _words(span)
            if words["role"] == "other":
                self._spans.passing(_id(span), parent)
            else:
                self._spans.begin(_id(span), parent, _begun(span, words))
        except Exception:
            _LOG.warning("%s could not be recorded", span.name, exc_info=True)

    def on_end(self, span: ReadableSpan) -> None:
        """Ends it: failed where its status is an error, or an exception has left it."""
        try:
            self._end(span)
        except Exception:
            _LOG.warning("%s could not be recorded", span.name, exc_info=True)

    def _end(self, span: ReadableSpan) -> None:
        id, words = _id(span), _words(span)
        if words["role"] != "other" and self._spans.is_passing(id):
            # Its attributes have come after its beginning.
            parent = span.parent and (span.parent.trace_id, span.parent.span_id)
            self._spans.end(id, Result())
            self._spans.begin(id, parent, _begun(span, words))
        more = {"x-attributes": words["attributes"]} if words["attributes"] else {}
        output, error = words["output"], None
        if words["error"] is not None:
            error = SpanFailed(words["error"])
            more["output"] = words["error"] if output is None else output
        said = _said(span.attributes or {}, words)
        given = {} if words["input"] is None else words["input"]
        self._spans.end(id, Result(output, said, error, more, given))


def _begun(span: ReadableSpan, words: Mapping[str, Any]) -> Begun:
    return Begun(
        words["role"],
        words["name"],
        given=words["input"],
        task=words["task"] or span.name,
        call_id=words["call_id"] or format(_id(span)[1], "016x"),
        more={"x-attributes": words["attributes"]} if words["attributes"] else None,
        may_delegate=False,
    )


def _id(span: ReadableSpan) -> tuple[int, int]:
    context = span.get_span_context()
    return (context.trace_id, context.span_id) if context else (0, 0)


def _words(span: ReadableSpan) -> dict[str, Any]:
    """What an import of the span would take from it."""
    events = ({"name": it.name, "attributes": dict(it.attributes or {})} for it in span.events)
    status = {"code": span.status.status_code.value, "message": span.status.description}
    return _runvet.words_of_span(
        {
            "name": span.name,
            "attributes": dict(span.attributes or {}),
            "status": status,
            "events": list(events),
        }
    )


def _said(told: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the note of an answer."""
    answered = told.get(ANSWERED)
    try:
        answered = json.loads(answered) if isinstance(answered, str) else answered
    except (RecursionError, ValueError):
        answered = None
    messages = answered if isinstance(answered, list) else []
    last = messages[-1] if messages and isinstance(messages[-1], Mapping) else {}
    reasons = told.get("gen_ai.response.finish_reasons") or [last.get("finish_reason")]
    return {
        "text": words["text"],
        "thinking": text_of(last.get("parts", last.get("content")), "thinking", "reasoning"),
        "model": words["model"],
        "stop_reason": reasons if isinstance(reasons, str) else next(iter(reasons), None),
        "x-message-id": words["message_id"],
        "usage": words["usage"] and usage_of(*words["usage"]),
    }
