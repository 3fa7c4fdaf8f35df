"""Reports, as plain data that can be compared, pickled and put into frames."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from . import _runvet
from ._records import (
    EpisodeReportRecord,
    Lifecycle,
    ReportRecord,
    Severity,
    SkipKind,
    Suppression,
)

Format = Literal[
    "human",
    "concise",
    "json",
    "ndjson",
    "sarif",
    "junit",
    "github",
    "gitlab",
    "markdown",
    "agent",
    "html",
]
Columns = dict[str, list[Any]]
"""Named columns of one length, as `pandas.DataFrame` and `polars.DataFrame` take them."""


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding is about."""

    message: str
    file: str
    pointer: str | None
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    offset: int | None
    length: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect that a rule found, and where. Lines and columns count from 1, offsets from 0."""

    rule: str
    severity: Severity
    message: str
    help: str
    fingerprint: str
    file: str
    pointer: str | None
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    offset: int | None
    length: int | None
    related: tuple[Related, ...] = ()

    @classmethod
    def _of(
        cls, what: Any, file: Any, place: Any, span: Any, related: tuple[Related, ...]
    ) -> Finding:
        fields: list[Any] = [*what, *file, *place, *span, related]
        return cls(*fields)


@dataclass(frozen=True, slots=True)
class Skip:
    """A rule that could not be judged, and why: in a sentence, and as a word for programs."""

    rule: str
    reason: str
    kind: SkipKind


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that does not count: the configuration ignores it, or the baseline has it."""

    by: Suppression
    reason: str | None
    finding: Finding


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A path that could not be looked at, or an episode that could not be judged."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over all episodes."""

    episodes: int
    valid: int
    invalid: int
    undecided: int
    errors: int
    warnings: int
    ignored: int
    baselined: int
    unjudged: int
    unchecked: int


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """What a check found in one episode."""

    id: str
    dir: str
    lifecycle: Lifecycle
    mode: str | None
    adapter: str | None
    valid: bool | None
    """Whether there is no error; None where that is open, and `skipped` says why."""
    findings: tuple[Finding, ...]
    skipped: tuple[Skip, ...]
    suppressed: tuple[Suppressed, ...]
    suppressed_skips: tuple[Skip, ...]
    _judged: _runvet.Judged = field(repr=False, compare=False)

    def to_dict(self) -> EpisodeReportRecord:
        """The episode as it is in the JSON report of the command."""
        record: EpisodeReportRecord = json.loads(self.to_json())
        return record

    def to_json(self) -> str:
        """The same as text."""
        return self._judged.episode_json()

    def render(self, format: Format = "human") -> str:
        """The report of this episode alone, in a format of the command."""
        return self._judged.render(format)

    def _repr_html_(self) -> str:
        return _page(_verdict(self), [self])


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    episodes: tuple[EpisodeReport, ...] = field(repr=False)
    totals: Totals
    schema_version: str
    complete: bool
    """Whether everything was looked at and judged."""
    faults: tuple[FaultRow, ...]
    """What could not be looked at or judged."""
    ok: bool
    """Whether `exit_code` is 0."""
    exit_code: int
    """0 for no errors, 1 for errors, 2 for faults and undecided episodes, 3 where there was no
    episode, or no rule was on."""
    _judged: _runvet.Judged = field(repr=False, compare=False)

    def to_dict(self) -> ReportRecord:
        """The report as `runvet validate --format json` prints it."""
        record: ReportRecord = json.loads(self.to_json())
        return record

    def to_json(self) -> str:
        """The same as text: the very bytes that the command prints."""
        return self._judged.render("json")

    def render(self, format: Format = "human") -> str:
        """The report in a format of the command.

        In `"html"`, runs in directories have pages: their records are read again for that.
        """
        return self._judged.render(format)

    def findings(self) -> Columns:
        """All findings as columns: `pandas.DataFrame(report.findings())`."""
        return self._judged.columns()

    def rows(self) -> list[dict[str, Any]]:
        """All findings, each as a dictionary with the names of those columns."""
        columns = self.findings()
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def _repr_html_(self) -> str:
        totals = self.totals
        parts = [f"{totals.episodes} episodes", f"{totals.valid} valid"]
        if totals.invalid:
            parts.append(f"{totals.invalid} invalid")
        if totals.undecided:
            parts.append(f"{totals.undecided} undecided")
        parts += [f"{totals.errors} errors", f"{totals.warnings} warnings"]
        if not self.complete:
            parts.append(f"incomplete: {len(self.faults)} faults")
        return _page(", ".join(parts), self.episodes, self.faults)

    if TYPE_CHECKING or importlib.util.find_spec("pyarrow") is not None:

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            """The findings as an Arrow stream, for those who have `pyarrow`."""
            from ._arrow import stream

            return stream(self.findings(), requested_schema)


_MOST_ROWS = 200
"""Rows of a table in a notebook; the last line says how many there are besides."""


def _verdict(episode: EpisodeReport) -> str:
    words = {True: "valid", False: "invalid", None: "undecided"}
    return f"{_printable(episode.id)}: {words[episode.valid]}"


def _page(
    title: str, episodes: Any, faults: tuple[FaultRow, ...] = ()
) -> str:
    """A headline and a table, in which every text is escaped."""
    rows = [
        (
            episode.id,
            finding.severity,
            finding.rule,
            f"{finding.file}:{finding.line}" if finding.line else finding.file,
            finding.message,
        )
        for episode in episodes
        for finding in episode.findings
    ]
    rows += [("", "fault", "", fault.path, fault.message) for fault in faults]
    head = "".join(f"<th>{name}</th>" for name in ("episode", "", "rule", "place", "message"))
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    if len(rows) > _MOST_ROWS:
        body += f'<tr><td colspan="5">… and {len(rows) - _MOST_ROWS} more</td></tr>'
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<div><p><b>runvet</b>: {_cell(title)}</p>{table}</div>"


def _cell(text: str) -> str:
    return escape(_printable(text))


def _printable(text: str) -> str:
    return _runvet.printable(text)
