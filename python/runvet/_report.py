"""Reports, as plain data that can be compared, pickled and put into frames."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from html import escape
from typing import TYPE_CHECKING, Any, Literal, get_args

from . import _runvet
from ._columns import Columns, ColumnType
from ._records import Lifecycle, Severity, SkipKind, Suppression, VerdictRecord

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
FINDINGS: dict[str, ColumnType] = {
    "episode_id": "text",
    "dir": "text",
    "rule": "text",
    "severity": "text",
    "message": "text",
    "help": "text",
    "fingerprint": "text",
    "file": "text",
    "pointer": "text",
    "line": "integer",
    "column": "integer",
    "end_line": "integer",
    "end_column": "integer",
    "offset": "integer",
    "length": "integer",
}
EPISODES: dict[str, ColumnType] = {
    "episode_id": "text",
    "dir": "text",
    "task": "text",
    "started_at": "time",
    "status": "text",
    "outcome": "text",
    "duration_sec": "number",
    "tags": "tags",
    "lifecycle": "text",
    "mode": "text",
    "adapter": "text",
    "valid": "boolean",
    "errors": "integer",
    "warnings": "integer",
    "skipped": "integer",
    "suppressed": "integer",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of one length, and the type of each.

    `polars.DataFrame(table)` and `pyarrow.table(table)` keep the types, and so does
    `pyarrow.table(table).to_pandas(types_mapper=pandas.ArrowDtype)`; they need `pyarrow`.
    `pandas.DataFrame(table.columns)` needs nothing else.
    """

    columns: Columns
    types: dict[str, ColumnType]
    faults: tuple[FaultRow, ...] = ()
    """The paths that could not be read or judged, where the table is made of runs."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> list[dict[str, Any]]:
        """The rows, each as a dictionary."""
        return [dict(zip(self.columns, row)) for row in zip(*self.columns.values())]

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the table to a Parquet file. Needs `pyarrow`."""
        from ._arrow import write_parquet

        write_parquet(self.columns, self.types, path)

    if TYPE_CHECKING or importlib.util.find_spec("pyarrow") is not None:

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            """The table as an Arrow stream, for those who have `pyarrow`."""
            from ._arrow import stream

            return stream(self.columns, self.types, requested_schema)


TableName = Literal["runs", "steps", "actions", "events", "findings"]
_JSON_TYPES: dict[str, ColumnType] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def column_types(name: TableName) -> dict[str, ColumnType]:
    """The columns of a table, in the order of its schema."""
    if name not in get_args(TableName):
        raise ValueError(f"table is {name!r}, not one of {', '.join(get_args(TableName))}")
    schema = json.loads(_runvet.schema(f"table-{name}"))
    types: dict[str, ColumnType] = {}
    for column in schema["required"]:
        kind = schema["properties"][column].get("type", "string")
        types[column] = _JSON_TYPES[kind if isinstance(kind, str) else kind[0]]
    return types


def table_of(name: TableName, rows: bytes, faults: tuple[FaultRow, ...]) -> Table:
    """The table that rows in NDJSON are, with the columns of its schema."""
    types = column_types(name)
    columns: Columns = {column: [] for column in types}
    cells = [(columns[column].append, column) for column in types]
    for line in rows.splitlines():
        row = json.loads(line)
        for append, column in cells:
            append(row[column])
    return Table(columns, types, faults)


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
class NotJudged:
    """What a check did not judge: episodes that have not ended, episodes in which a rule could not
    be judged because of what the records hold, links that were not followed, empty directories, and
    rules of the team that can't be judged on a part of the runs."""

    not_ended: int
    skipped: int
    links: int
    empty: int
    rules: int


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
    breaks_rule: int
    """Of `invalid`, the episodes whose records agree and that break a rule of the team."""
    not_judged: NotJudged
    """These count besides: an episode that has not ended may be valid."""


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """The result of a check of one episode."""

    id: str
    dir: str
    lifecycle: Lifecycle
    mode: str | None
    adapter: str | None
    valid: bool | None
    """True if there is no error; None where that is open, and `skipped` says why."""
    findings: tuple[Finding, ...]
    skipped: tuple[Skip, ...]
    suppressed: tuple[Suppressed, ...]
    suppressed_skips: tuple[Skip, ...]
    verdict: VerdictRecord
    """Tells records that can't be trusted from a broken rule of the team; both are not valid."""
    _judged: _runvet.Judged = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The episode as it is in the JSON report of the command: an `EpisodeReportRecord`."""
        record: dict[str, Any] = json.loads(self.to_json())
        return record

    def to_json(self) -> str:
        """The same as text."""
        return self._judged.episode_json()

    def render(self, format: Format = "human", *, max_findings: int | None = 0) -> str:
        """The report of this episode alone, in a format of the command, see `Report.render`."""
        return self._judged.render(format, max_findings or 0)

    def _repr_html_(self) -> str:
        return _page(_verdict(self), [self])


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check."""

    totals: Totals
    schema_version: str
    complete: bool
    """True if every path was read and every episode judged."""
    faults: tuple[FaultRow, ...]
    """The paths that could not be read or judged."""
    ok: bool
    """True if `exit_code` is 0."""
    exit_code: int
    """0 for no errors, 1 for errors, 2 for faults and undecided episodes, 3 where there was no
    episode, or no rule was on."""
    settings: str
    """The origin of the settings: the configuration, or `default settings`."""
    _judged: _runvet.Judged = field(repr=False, compare=False)
    _episodes: list[tuple[EpisodeReport, ...]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def episodes(self) -> tuple[EpisodeReport, ...]:
        """The episodes in the order of their paths; they are made when they are first asked for."""
        if not self._episodes:
            self._episodes.append(self._judged.episodes())
        return self._episodes[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Report):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[object, ...]:
        return self.episodes, self.totals, self.faults, self.exit_code, self.settings

    def to_dict(self) -> dict[str, Any]:
        """The report as `runvet validate --format json` prints it: a `ReportRecord`."""
        record: dict[str, Any] = json.loads(self.to_json())
        return record

    def to_json(self) -> str:
        """The same as text: the very bytes that the command prints."""
        return self._judged.render("json", 0)

    def render(self, format: Format = "human", *, max_findings: int | None = 0) -> str:
        """The report in a format of the command.

        In `"human"`, `max_findings` limits how many findings of each rule are shown, 0 and None for
        all. In `"html"`, runs in directories have pages: their records are read again for that.
        """
        return self._judged.render(format, max_findings or 0)

    def seal(self, path: str | os.PathLike[str]) -> None:
        """Writes a seal for `runvet.verify`, as `runvet validate --output in-toto=PATH` does.

        A seal has digests of the bytes that were judged, so the runs are judged again. Raises
        `SealError` where this check finds something else than this report, is not complete, or no
        run has ended, and `ValueError` for a report that was pickled or is not about paths.
        """
        self._judged.seal(os.fsdecode(path))

    def findings(self) -> Columns:
        """All findings as columns: `pandas.DataFrame(report.findings())`."""
        return columns_of(self.episodes)

    def table(self, name: Literal["episodes", "findings"]) -> Table:
        """The episodes or the findings as a table whose columns have types, also without rows.

        Both have `episode_id` and `dir`. Episodes have what was found, and of the records what a
        list of runs shows: `started_at`, `status`, `outcome`, `duration_sec` and `tags`.
        """
        if name == "findings":
            return Table(self.findings(), FINDINGS)
        if name != "episodes":
            raise ValueError(f"there is no table {name!r}, only 'episodes' and 'findings'")
        cards: list[Any] = json.loads(self._judged.cards())
        rows = [_row(episode, card or {}) for episode, card in zip(self.episodes, cards)]
        return Table({column: [row[column] for row in rows] for column in EPISODES}, EPISODES)

    def rows(self) -> list[dict[str, Any]]:
        """All findings, each as a dictionary with the names of those columns."""
        columns = self.findings()
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def _repr_html_(self) -> str:
        totals = self.totals
        parts = [f"{totals.episodes} episodes", f"{totals.valid} valid"]
        if invalid := totals.invalid - totals.breaks_rule:
            parts.append(f"{invalid} invalid")
        if totals.breaks_rule:
            parts.append(f"{totals.breaks_rule} breaking a rule of the team")
        if totals.undecided:
            parts.append(f"{totals.undecided} undecided")
        kinds = {
            "not_ended": "not ended",
            "skipped": "not fully judged",
            "links": "links not followed",
        }
        kinds |= {"empty": "directories empty", "rules": "rules not judged"}
        for name, words in kinds.items():
            if number := getattr(totals.not_judged, name):
                parts.append(f"{number} {words}")
        parts += [f"{totals.errors} errors", f"{totals.warnings} warnings"]
        if not self.complete:
            parts.append(f"incomplete: {len(self.faults)} faults")
        return _page(", ".join(parts), self.episodes, self.faults)

    if TYPE_CHECKING or importlib.util.find_spec("pyarrow") is not None:

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            """The findings as an Arrow stream, for those who have `pyarrow`."""
            return self.table("findings").__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, slots=True)
class Change:
    """A file or a run that is not as it was sealed: its path, and what it is now, in words."""

    kind: Literal["altered", "missing", "added"]
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of sealed runs. `str()` gives what `runvet verify` prints."""

    version: str
    """The version of runvet that sealed them."""
    result: Literal["PASSED", "WARNED", "FAILED"]
    """The result of their check."""
    runs: int
    """The sealed runs that were looked for. Those that had not ended are in no number."""
    unchanged: int
    """Those that are unchanged."""
    failed: int
    """Those that were not valid when they were sealed."""
    files: int
    """The files of the runs that were looked for."""
    new: int
    """The runs that are there, and are not sealed."""
    not_looked_at: int
    """The sealed runs at other paths than the given ones."""
    changed: int
    """All changes."""
    changes: tuple[Change, ...]
    """The changes, at most 100."""
    unended: int
    """The runs that had not ended when they were sealed."""
    not_covered: tuple[str, ...]
    """These runs, at most 100."""
    uncovered: int
    """Links and other entries of which the seal has the kind alone."""
    rules: int
    """The rules that were in force."""
    other_rules: tuple[str, ...]
    """How the rules and files of the configuration differ from those in force now."""
    faults: tuple[FaultRow, ...]
    """The paths that could not be looked at."""
    ok: bool
    """True if `exit_code` is 0."""
    exit_code: int
    """0 for no changes, 1 for changes, 2 for faults, 3 where there was nothing to compare."""
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def columns_of(episodes: Iterable[EpisodeReport]) -> Columns:
    """All findings in episodes as columns."""
    found = [(episode, finding) for episode in episodes for finding in episode.findings]
    columns = {name: [getattr(it, name, None) for _, it in found] for name in FINDINGS}
    columns["episode_id"] = [episode.id for episode, _ in found]
    columns["dir"] = [episode.dir for episode, _ in found]
    return columns


def _row(episode: EpisodeReport, card: dict[str, Any]) -> dict[str, Any]:
    """An episode as a row of its table."""
    severities = [finding.severity for finding in episode.findings]
    return {
        **{name: getattr(episode, name, card.get(name)) for name in EPISODES},
        "episode_id": episode.id,
        "started_at": _time(card.get("started_at")),
        "tags": dict(card.get("tags", ())),
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "skipped": len(episode.skipped),
        "suppressed": len(episode.suppressed),
    }


def _time(text: str | None) -> datetime | None:
    """The instant of a date-time of a record, if it is one that Python has."""
    micros = _runvet.instant(text or "")
    try:
        return None if micros is None else _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MOST_ROWS = 200
"""Rows of a table in a notebook; the last line says how many there are besides."""


def _verdict(episode: EpisodeReport) -> str:
    words = {"breaks_rule": "breaks a rule of the team"}
    return f"{_printable(episode.id)}: {words.get(episode.verdict, episode.verdict)}"


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
