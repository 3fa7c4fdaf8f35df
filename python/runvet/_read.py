"""Reading: run data -> runs, and of each the records, the events and the plan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

from . import _runvet
from ._check import Check, PathLike, given_or_default, one_or_more
from ._errors import AmbiguousRun, UnknownRun
from ._records import (
    Event,
    Plan,
    PlanComparison,
    RunEntry,
    RunStatus,
    State,
    Summary,
    SummaryOutcome,
)
from ._report import EpisodeReport, FaultRow, Table, TableName, table_of

Numbers = Literal["python", "decimal"]
"""The type of numbers that are not integers: `float`, or `decimal.Decimal`."""


def open(path: PathLike) -> RunData:
    """Opens a run-data directory: one that holds a directory called `episodes`.

    A directory above or below one does as well, and a run. Raises `NoRunData`, and `AmbiguousRun`
    where several run-data directories are below it.
    """
    return RunData(path)


class RunData:
    """A directory of runs. It is listed once, and pickles as its path."""

    __slots__ = ("_given", "_data")

    def __init__(self, path: PathLike) -> None:
        self._given = os.fsdecode(path)
        self._data = _runvet.RunData(self._given)

    def __reduce__(self) -> tuple[Any, ...]:
        return RunData, (self._given,)

    def __repr__(self) -> str:
        return f"runvet.open({self._given!r})"

    @property
    def path(self) -> Path:
        """The run-data directory; the path that was given, where that leads to a run."""
        return self._data.path

    @property
    def faults(self) -> list[FaultRow]:
        """Returns the paths that could not be searched: a run may be there."""
        return [FaultRow(*fault) for fault in self._data.faults()]

    def runs(
        self,
        limit: int | None = None,
        *,
        status: RunStatus | Iterable[RunStatus] = (),
        outcome: SummaryOutcome | Iterable[SummaryOutcome] = (),
        tag: str | Iterable[str] = (),
        adapter: str | Iterable[str] = (),
        metric: str | Iterable[str] = (),
        search: str = "",
        silent_for: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
    ) -> list[RunEntry]:
        """Entries of the runs that match, newest first: `limit` at most, all for 0 and None.

        The filters are those of `runvet list`: a `tag` is written `key:value`, a `metric` `NAME` or
        `NAME..LOW..HIGH` (each that is given must be met), `search` are words in the id, the
        directory or the task, and `silent_for` is a length of time such as `1h` for which a run in
        progress that is not paused has written nothing.

        `since` and `until` are a `datetime` or a `date`, or a text: a date-time, a date, `today`,
        `yesterday`, or a length before now such as `1h`. Without an offset it is in UTC. A run that
        started at `until` does not match. Their `valid` and `first_error` are None: nothing is
        judged here.
        """
        if limit is not None and limit < 0:
            raise ValueError(f"limit is {limit}, not a number of runs")
        return self._data.runs(
            limit or 0,
            _filters(status, outcome, tag, adapter, metric, search, silent_for, since, until),
        )

    def table(
        self,
        name: TableName,
        check: Check | None = None,
        *,
        status: RunStatus | Iterable[RunStatus] = (),
        outcome: SummaryOutcome | Iterable[SummaryOutcome] = (),
        tag: str | Iterable[str] = (),
        adapter: str | Iterable[str] = (),
        metric: str | Iterable[str] = (),
        search: str = "",
        silent_for: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
    ) -> Table:
        """One row for each run, step, action, event or finding, in the order of the directories.

        The columns are those of `runvet table`, which `schema(f"table-{name}")` describes. Each run
        is judged. The filters are those of `runs`. What could not be read or judged is in `faults`.
        """
        rows, faults = self._data.table(
            name,
            given_or_default(check)._checker,
            _filters(status, outcome, tag, adapter, metric, search, silent_for, since, until),
        )
        return table_of(name, rows, tuple(FaultRow(*fault) for fault in faults))

    def __iter__(self) -> Iterator[Episode]:
        return map(Episode._of, self._data.episodes())

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, name: str) -> Episode:
        """The run of an id, of a unique part of one, or `@latest`; for a path, see `Episode.at`.

        An id is found in a time that does not grow with the number of runs.
        """
        if not isinstance(name, str):
            raise TypeError(f"a run is named by a string, not by {type(name).__name__}")
        return Episode._of(self._data.get(name))

    def __contains__(self, name: object) -> bool:
        """Returns True if this is the name of one run, as in `runs[name]`."""
        try:
            return isinstance(name, str) and self[name] is not None
        except (UnknownRun, AmbiguousRun):
            return False

    def state(self, episode_id: str, *, numbers: Numbers = "python") -> State:
        """The state record of a run, as `json.loads` reads it."""
        return self[episode_id].state(numbers=numbers)

    def summary(self, episode_id: str, *, numbers: Numbers = "python") -> Summary:
        """The summary record of a run, as `json.loads` reads it."""
        return self[episode_id].summary(numbers=numbers)


def _words(name: str, given: str | Iterable[str], known: tuple[str, ...]) -> list[str]:
    """The words that were given, each of which is known."""
    words = one_or_more(given)
    for word in words:
        if word not in known:
            raise ValueError(f"{name} is {word!r}, not one of {', '.join(known)}")
    return words


def _filters(
    status: str | Iterable[str],
    outcome: str | Iterable[str],
    tag: str | Iterable[str],
    adapter: str | Iterable[str],
    metric: str | Iterable[str],
    search: str,
    silent_for: str | None,
    since: str | date | None,
    until: str | date | None,
) -> dict[str, Any]:
    tags = one_or_more(tag)
    for it in tags:
        if ":" not in it:
            raise ValueError(f"tag is {it!r}, not written key:value")
    return {
        "statuses": _words("status", status, get_args(RunStatus)),
        "outcomes": _words("outcome", outcome, get_args(SummaryOutcome)),
        "tags": tags,
        "adapters": one_or_more(adapter),
        "metrics": one_or_more(metric),
        "search": search,
        "silent_for": silent_for,
        "since": text_of_time(since),
        "until": text_of_time(until),
    }


def text_of_time(time: str | date | None) -> str | None:
    """A time as text. Without an offset it is in UTC."""
    return time.isoformat() if isinstance(time, date) else time


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of a timeline that is not an event. Line and column count from 1."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The persisted plan, compared with the one rebuilt from the timeline."""

    rebuilt: Plan | None
    differences: tuple[Difference, ...]
    unjudged: str | None
    """The reason why the plans could not be compared; None where they were."""
    parts_at: int | None
    """The line of the first event with which the persisted plan disagrees."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A place in the state where the persisted plan differs, and the event that disagrees."""

    pointer: str
    message: str
    line: int


class Record:
    """A record as it is stored."""

    __slots__ = ("_record",)

    def __init__(self, record: _runvet.Record) -> None:
        self._record = record

    def dict(self, *, numbers: Numbers = "python") -> dict[str, Any]:
        """The record as `json.loads` reads it, a fresh dictionary each time.

        An integer of more than 4,300 digits, which `int` refuses, is a `Decimal`. With
        `numbers="decimal"`, so is every number that is not an integer.
        """
        return self._record.dict(numbers)

    @property
    def text(self) -> str:
        """The very text that is stored."""
        return self._record.text

    @property
    def duplicates(self) -> list[str]:
        """JSON Pointers to the keys that repeat an earlier one of their object."""
        return self._record.duplicates


class Episode:
    """One run, to read from."""

    __slots__ = ("_episode", "_origin")

    _episode: _runvet.Episode
    _origin: tuple[Any, ...]

    def __init__(self) -> None:
        raise TypeError("use Episode.at(path), Episode.of(id, records) or runvet.open(path)[id]")

    @classmethod
    def _of(cls, episode: _runvet.Episode, origin: tuple[Any, ...] = ()) -> Episode:
        made = cls.__new__(cls)
        made._episode = episode
        made._origin = origin or (cls.at, (episode.path,))
        return made

    @classmethod
    def at(cls, path: PathLike) -> Episode:
        """The run at a path: its directory, or an artifact in it."""
        return cls._of(_runvet.Episode.at(os.fsdecode(path)))

    @classmethod
    def of(cls, episode_id: str, records: Mapping[str, bytes | None]) -> Episode:
        """A run that is not on a disk: its artifacts by their names, each with its bytes.

        None stands for an artifact that is there, and whose bytes were not fetched.
        """
        episode = _runvet.Episode.of(episode_id, records)
        return cls._of(episode, (cls.of, (episode_id, dict(records))))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._origin

    def __repr__(self) -> str:
        return f"<runvet.Episode {_runvet.printable(self.id)}>"

    @property
    def id(self) -> str:
        """The id of the run, as a report has it."""
        return self._episode.id

    @property
    def path(self) -> Path | None:
        """The directory of the run; None where it is not on a disk."""
        return self._episode.path

    @property
    def entry(self) -> RunEntry:
        """The run as an entry of a list."""
        return self._episode.entry()

    @property
    def artifacts(self) -> frozenset[str]:
        """The names of the artifacts that are there: `state`, `summary`, `events`, ….

        They are read by `bytes`.
        """
        return frozenset(self._episode.artifacts())

    def state(self, *, numbers: Numbers = "python") -> State:
        """The state record, as `json.loads` reads it, a fresh dictionary each time."""
        return self._episode.record("state").dict(numbers)  # type: ignore[return-value]

    def summary(self, *, numbers: Numbers = "python") -> Summary:
        """The summary record, as `json.loads` reads it, a fresh dictionary each time."""
        return self._episode.record("summary").dict(numbers)  # type: ignore[return-value]

    def record(self, name: Literal["state", "summary"]) -> Record:
        """A record as it is stored."""
        return Record(self._episode.record(name))

    def bytes(self, artifact: str) -> bytes:
        """The bytes of an artifact."""
        return self._episode.bytes(artifact)

    def events(self, *, phase: str | None = None, strict: bool = True) -> Events:
        """The events in the order of the timeline, of one phase if it is given.

        A line that is not an event raises `ArtifactError`, and the next `next()` goes on behind it.
        With `strict=False` such a line is a `BadLine` among the events.
        """
        return Events(self._episode.events(phase, strict))

    def plan(self) -> Plan | None:
        """The plan, rebuilt from the timeline; None without a `plan` event."""
        return self._episode.plan()

    def compare_plan(self) -> Comparison:
        """Compares the persisted plan with the rebuilt one."""
        compared: PlanComparison
        compared, parts_at = self._episode.compare_plan()
        differences = tuple(
            Difference(it["pointer"], it["message"], it["line"]) for it in compared["differences"]
        )
        return Comparison(compared["rebuilt"], differences, compared.get("unjudged"), parts_at)

    def view(self, check: Check | None = None) -> dict[str, Any]:
        """The run on a page: what `runvet view --json` prints."""
        return self._episode.view(given_or_default(check)._checker)

    def check(self, check: Check | None = None) -> EpisodeReport:
        """Checks this run."""
        return self._episode.check(given_or_default(check)._checker)


def diff(
    left: Episode | PathLike, right: Episode | PathLike, *, check: Check | None = None
) -> dict[str, Any]:
    """Compares two runs: what `runvet diff --json` prints. `same` says whether they are."""
    a, b = (it if isinstance(it, Episode) else Episode.at(it) for it in (left, right))
    return a._episode.diff(b._episode, given_or_default(check)._checker)


def compare(
    base: PathLike,
    candidate: PathLike,
    *,
    pair: str | Iterable[str] = ("task", "seed"),
    check: Check | None = None,
) -> dict[str, Any]:
    """Compares two sets of runs: what `runvet compare --format json` prints.

    `pair` is what pairs them: `task`, `seed`, and `tag:NAME`. Raises `ValueError` where runs of one
    set have the same key, or a metric is a number in one run and not in another.
    """
    checker = given_or_default(check)._checker
    return checker.compare(os.fsdecode(base), os.fsdecode(candidate), one_or_more(pair))


def coverage(*paths: PathLike, check: Check | None = None) -> dict[str, Any]:
    """Returns the coverage of a check of runs, as `runvet coverage --format json` prints it."""
    checker = given_or_default(check)._checker
    return checker.coverage([os.fsdecode(path) for path in paths] or ["."])


def impact(before: PathLike, after: PathLike) -> dict[str, Any]:
    """Compares two reports on the same runs: what `runvet impact --format json` prints.

    Both are files with reports in the format json or ndjson. Raises `ValueError` where one can't be
    read, is not a whole report of this major version, or is not sorted by directory.
    """
    return _runvet.impact(os.fsdecode(before), os.fsdecode(after))


class Events(Iterator[Event]):
    """The events of a timeline, read as they are asked for."""

    __slots__ = ("_events",)

    def __init__(self, events: _runvet.Events) -> None:
        self._events = events

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        return next(self._events)
