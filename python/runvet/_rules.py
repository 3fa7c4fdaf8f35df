"""The rules of runvet, their pages, and the schemas."""

from __future__ import annotations

import json
from typing import Any, Literal

from . import _runvet
from ._check import Rule

SchemaName = Literal[
    "state",
    "summary",
    "event",
    "report",
    "view",
    "list",
    "plan",
    "diff",
    "record-command",
    "record-answer",
    "rules",
    "seal",
    "config",
    "pack",
    "compare",
    "coverage",
    "groups",
    "impact",
    "table-runs",
    "table-steps",
    "table-actions",
    "table-events",
    "table-findings",
]


def rules() -> list[Rule]:
    """All built-in rules, in the order in which they are explained."""
    return [Rule(*rule) for rule in _runvet.rules()]


def explain(rule: str) -> str:
    """The page of a rule, in Markdown, as `runvet explain` prints it. Raises `UnknownRule`."""
    return _runvet.explain(rule)


def schema(name: SchemaName) -> dict[str, Any]:
    """A JSON Schema, as `runvet schema` prints it."""
    text: dict[str, Any] = json.loads(_runvet.schema(name))
    return text
