"""Reports -> rows of a table with one row for each episode, and their totals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]

from .. import _runvet
from .._arrow import schema
from .._report import TableName, column_types

_PLACE = [(name, pa.int64()) for name in ("line", "column", "end_line", "end_column", "offset")]
_PLACE += [("length", pa.int64())]
_RELATED = pa.struct(
    [("message", pa.string()), ("file", pa.string()), ("pointer", pa.string()), *_PLACE]
)
_WORDS = ("rule", "severity", "message", "help", "fingerprint", "file", "pointer")
_FINDING = pa.struct(
    [*((name, pa.string()) for name in _WORDS), *_PLACE, ("related", pa.list_(_RELATED))]
)
_SKIP = pa.struct([(name, pa.string()) for name in ("rule", "reason", "kind")])
_SUPPRESSED = pa.struct([("by", pa.string()), ("reason", pa.string()), ("finding", _FINDING)])
_FILE = pa.struct(
    [
        ("name", pa.string()),
        ("size", pa.int64()),
        ("etag", pa.string()),
        ("modified", pa.timestamp("us", "UTC")),
    ]
)

SCHEMA: pa.Schema = pa.schema(
    [
        ("uri", pa.string()),
        ("episode_id", pa.string()),
        ("lifecycle", pa.string()),
        ("mode", pa.string()),
        ("adapter", pa.string()),
        ("valid", pa.bool_()),
        ("verdict", pa.string()),
        ("errors", pa.int32()),
        ("warnings", pa.int32()),
        ("unjudged", pa.int32()),
        ("unchecked", pa.bool_()),
        ("findings", pa.list_(_FINDING)),
        ("skipped", pa.list_(_SKIP)),
        ("suppressed", pa.list_(_SUPPRESSED)),
        ("suppressed_skips", pa.list_(_SKIP)),
        ("fault", pa.string()),
        ("files", pa.list_(_FILE)),
        ("runvet_version", pa.string()),
        ("settings", pa.string()),
        ("deny_warnings", pa.bool_()),
        ("deny_unjudged", pa.bool_()),
    ]
)
"""One row for each episode, and for each fault. `valid` is null where it was not judged, and
`fault` says why; `unjudged` is the number of skips that `deny_unjudged` counts, `unchecked` whether
no rule is on; `files` is what was read, and `settings` a digest of the check's; the last two are
what makes the check fail besides errors."""


def table_schema(name: TableName) -> pa.Schema:
    """The columns of a table of `runvet table`, and `fault`: what could not be looked at."""
    return schema({**column_types(name), "fault": "text"})


def judged(report: Mapping[str, Any], fault: str | None) -> dict[str, Any]:
    """The row of an episode, from its JSON report."""
    row = {name: report.get(name) for name in ("lifecycle", "mode", "adapter", "valid", "verdict")}
    severities = [finding["severity"] for finding in report["findings"]]
    row.update(uri=report["dir"], episode_id=report["id"], fault=fault)
    row.update(errors=severities.count("error"), warnings=severities.count("warning"))
    for name in ("findings", "skipped", "suppressed", "suppressed_skips"):
        row[name] = report.get(name, [])
    return row


def unjudged(uri: str, fault: str, episode_id: str | None = None) -> dict[str, Any]:
    """The row of what could not be looked at. The fault is safe to print."""
    lists = ("findings", "skipped", "suppressed", "suppressed_skips", "files")
    row: dict[str, Any] = {name: [] for name in lists}
    row.update(uri=uri, episode_id=episode_id, fault=_runvet.printable(fault))
    row.update(errors=0, warnings=0, unjudged=0, unchecked=False)
    return row


def as_ndjson(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the line of its episode in the command's `ndjson`: `dir` and `id` are `uri` and
    `episode_id`, and what a report leaves out is left out."""
    line = {"id": row["episode_id"], "dir": row["uri"], "lifecycle": row["lifecycle"]}
    line.update((name, row[name]) for name in ("mode", "adapter") if row[name] is not None)
    line.update(valid=row["valid"], verdict=row["verdict"])
    for name in ("findings", "skipped"):
        line[name] = [_without_nulls(item) for item in row[name]]
    for name in ("suppressed", "suppressed_skips"):
        if row[name]:
            line[name] = [_without_nulls(item) for item in row[name]]
    return line


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        there = ((name, _without_nulls(item)) for name, item in value.items())
        return {name: item for name, item in there if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over all rows, and what they mean for a gate."""

    episodes: int = 0
    valid: int = 0
    invalid: int = 0
    breaks_rule: int = 0
    undecided: int = 0
    errors: int = 0
    warnings: int = 0
    ignored: int = 0
    baselined: int = 0
    unjudged: int = 0
    unchecked: int = 0
    not_ended: int = 0
    skipped: int = 0
    faults: int = 0
    deny_warnings: bool = False
    deny_unjudged: bool = False
    allow_empty: bool = False

    @property
    def exit_code(self) -> int:
        """That of the command for these sums."""
        deny = (self.deny_warnings, self.deny_unjudged)
        return _runvet.exit_code(json.dumps(self._sums()), not self.faults, deny, self.allow_empty)

    def plus(self, batch: Any) -> Totals:
        """These and the rows of a batch or a table. Only a few of its columns are looked at."""
        sums = {name: getattr(self, name) for name in self.__slots__}
        names = ("lifecycle", "valid", "verdict", "fault", "suppressed")
        columns = [batch.column(name).to_pylist() for name in names]
        columns.append(batch.column("unjudged").to_pylist())
        for lifecycle, valid, verdict, fault, suppressed, unjudged in zip(*columns):
            if lifecycle is not None:
                sums["episodes"] += 1
                sums["not_ended"] += lifecycle == "non_terminal"
                sums["skipped"] += unjudged > 0
                sums[{True: "valid", False: "invalid", None: "undecided"}[valid]] += 1
                sums["breaks_rule"] += verdict == "breaks_rule"
            sums["faults"] += fault is not None
            for found in suppressed:
                sums["ignored" if found["by"] == "ignore" else "baselined"] += 1
        for name in ("errors", "warnings", "unjudged", "unchecked"):
            sums[name] += sum(batch.column(name).to_pylist())
        for name in ("deny_warnings", "deny_unjudged"):
            sums[name] |= any(batch.column(name).to_pylist())
        return Totals(**sums)

    def to_json(self) -> str:
        """The totals as one line."""
        return json.dumps({**self._sums(), "exit_code": self.exit_code})

    def _sums(self) -> dict[str, Any]:
        aside = ("deny_", "allow_", "not_ended", "skipped")
        names = (it for it in self.__slots__ if not it.startswith(aside))
        not_judged = {"not_ended": self.not_ended, "skipped": self.skipped}
        not_judged |= {"links": 0, "empty": 0, "rules": 0}
        return {name: getattr(self, name) for name in names} | {"not_judged": not_judged}
