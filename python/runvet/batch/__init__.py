"""Run data in a store -> a table of episodes, in splits that any engine can share out.

>>> from runvet import batch
>>> splits = batch.plan("s3://bucket/runs", partitions=100)              # doctest: +SKIP
>>> batches = batch.check_split(splits[0], batch.Settings())             # doctest: +SKIP

`python -m runvet.batch s3://bucket/runs --output findings.parquet` is the same for one machine.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import IO, Any

try:
    import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
except ModuleNotFoundError as error:
    needed = "run data in a store is read with more packages: pip install 'runvet[store]'"
    raise ModuleNotFoundError(needed, name=error.name) from None

from .. import _runvet
from .._check import Check, Checking
from .._report import TableName
from ._fetching import Fetch, same
from ._finding import Episode, Lost, Range, found_in
from ._period import Period
from ._planning import Split, plan, plan_of
from ._rows import SCHEMA, Totals, as_ndjson, judged, table_schema, unjudged
from ..store import Location, Object, StoreError

__all__ = [
    "SCHEMA",
    "Location",
    "Range",
    "Settings",
    "Split",
    "Totals",
    "as_ndjson",
    "check_split",
    "plan",
    "plan_of",
    "planned",
    "rows_of_directory",
    "totals",
]

_ROWS = 1024
_IN_MEMORY = 1 << 18
"""Rows of one episode with more bytes wait in a temporary file."""


@dataclass(frozen=True)
class Settings:
    """The settings for splits. They can be pickled; workers read the files that the check names.

    `in_flight` episodes are fetched at once, and fewer after the store throttles: for a store far
    away, this decides about the speed. `reads_per_second` limits the requests of each process.
    `last` is the result of the last run: a Parquet file or a directory of them. An episode whose
    objects are those of the last run is copied from there and not fetched.
    With `table`, the rows are those of `runvet table`, such as one for each action.
    """

    check: Check = field(default_factory=Check)
    in_flight: int = 32
    last: str | None = None
    reads_per_second: float | None = None
    table: TableName | None = None

    def __post_init__(self) -> None:
        if self.check._keywords["strict_config"]:
            raise ValueError("strict_config needs whole directories, but a split is a part of one")
        if self.last is not None:
            if self.table is not None:
                raise ValueError("last has rows of episodes, so it can't be used with a table")
            _dataset(self.last)
        # Its name is known, or this raises.
        _ = self.schema

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows: `SCHEMA`, or those of the table and `fault`."""
        return SCHEMA if self.table is None else table_schema(self.table)

    def digest(self, uri: str) -> str:
        """Stands for all that decides about the findings of an episode below an address."""
        # What a configuration says of directories starts from the address.
        root = uri if self.check._keywords["config"] else ""
        decisive = f"{_version()} {self.check._checker.digest()} {root}"
        return hashlib.sha256(decisive.encode()).hexdigest()[:16]


def _version() -> str:
    return _runvet.version()


def check_split(split: Split, settings: Settings | None = None) -> Iterator[pa.RecordBatch]:
    """Checks the episodes of a split: batches with `Settings.schema`, in the order of keys.

    What a store does not give is a row with a `fault`, never an exception.
    """
    settings = settings or Settings()
    root = split.location.uri
    checker = settings.check._checker
    if any("://" in uri for uri in (root, *split.uris)):
        checker = checker.at(root)
    same_for_all = _same_for_all(settings, root)
    if settings.table is None:
        check = partial(_report_rows, checker, same_for_all)
    else:
        check = partial(_table_rows, _runvet.TableRows(checker, settings.table))
    found = _found(split, settings)
    work = (it for it in found if isinstance(it[1], Lost) or _is_wanted(it[0], split, checker))
    with ThreadPoolExecutor(max(1, settings.in_flight)) as threads:
        last = partial(_Last, settings.last, same_for_all["settings"])
        rows = _in_order(threads, check, last, work, 4 * settings.in_flight)
        yield from _batches(rows, settings.schema)


def _batches(rows: Iterator[dict[str, Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while some := [*islice(rows, _ROWS)]:
        yield pa.RecordBatch.from_pylist(some, schema)


def rows_of_directory(
    path: str, settings: Settings | None = None, period: Period = Period()
) -> Iterator[pa.RecordBatch]:
    """Checks all run data below a local directory, as `runvet validate` does: on all cores, without
    a plan. The rows are those of its splits, apart from `files`, which is empty."""
    settings = settings or Settings()
    same_for_all = _same_for_all(settings, path)
    walked = _walked(settings.check.each(path), path, period)
    yield from _batches(({**row, **same_for_all} for row in walked), SCHEMA)


def _walked(checking: Checking, path: str, period: Period) -> Iterator[dict[str, Any]]:
    undecided: set[str] = set()
    for report in checking:
        whole = json.loads(report.render("json"))
        faults = [it["message"] for it in whole["faults"]]
        undecided.update([report.dir] if faults else [])
        row = judged(whole["episodes"][0], *faults[:1] or [None])
        sums = whole["totals"]
        row.update(unjudged=sums["unjudged"], unchecked=sums["unchecked"] > 0, files=[])
        if period.has(report.dir[len(path) :]):
            yield row
    for lost in checking.summary.faults if checking.summary else ():
        if lost.path not in undecided and period.has(lost.path[len(path) :]):
            yield unjudged(lost.path, lost.message)


def _same_for_all(settings: Settings, root: str) -> dict[str, Any]:
    deny_warnings, deny_unjudged = settings.check._checker.deny
    return {
        "runvet_version": _version(),
        "settings": settings.digest(root),
        "deny_warnings": deny_warnings,
        "deny_unjudged": deny_unjudged,
    }


def _found(split: Split, settings: Settings) -> Iterator[tuple[str, Episode | str]]:
    given = [split.location.below(uri.rstrip("/")) for uri in split.uris]
    parts = [] if split.part is None else [(split.location, split.part, False)]
    for location, part, is_given in [*parts, *((it, Range(), True) for it in given)]:
        try:
            pace = getattr(location.store(), "pace", None)
        except StoreError as error:
            yield location.uri, Lost(error)
            continue
        if pace is not None:
            pace.limit(settings.in_flight, settings.reads_per_second)
        yield from found_in(location, part, is_given)


def _in_order(
    threads: ThreadPoolExecutor,
    check: Callable[..., Iterable[dict[str, Any]]],
    last: Callable[[list[str]], _Last],
    work: Iterator[tuple[str, Episode | str]],
    most: int,
) -> Iterator[dict[str, Any]]:
    """Rows in the order of the work, of which only the next pieces are taken."""
    waiting: deque[Future[Iterable[dict[str, Any]]]] = deque()
    while some := [*islice(work, _ROWS)]:
        before = last([uri for uri, _ in some])
        for item in some:
            waiting.append(threads.submit(check, before, item))
            if len(waiting) > most:
                yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _is_wanted(uri: str, split: Split, checker: _runvet.Checker) -> bool:
    return split.period.has(uri[len(split.location.uri) :]) and not checker.excludes(uri)


def planned(splits: Iterable[Split]) -> tuple[int, bool]:
    """Returns the number of episodes that the planner saw, and whether there are no more."""
    parts = [split.part for split in splits if split.part is not None]
    return sum(part.episodes for part in parts), all(part.is_exact for part in parts)


def totals(
    batches: Iterable[Any],
    *,
    deny_warnings: bool = False,
    deny_unjudged: bool = False,
    allow_empty: bool = False,
) -> Totals:
    """The totals of batches or tables of rows, and the exit code of a gate.

    `allow_empty` is not taken from the check: where nothing is found, no row can say so.
    """
    sums = Totals(
        deny_warnings=deny_warnings, deny_unjudged=deny_unjudged, allow_empty=allow_empty
    )
    for batch in batches:
        sums = sums.plus(batch)
    return sums


def _report_rows(
    checker: _runvet.Checker,
    same_for_all: dict[str, Any],
    last: _Last,
    item: tuple[str, Episode | str],
) -> Iterable[dict[str, Any]]:
    """The row of an episode; none of a `state.json` that is no run's."""
    uri, episode = item
    if isinstance(episode, str):
        return [{**unjudged(uri, episode), **same_for_all}]
    copied = last.row(episode)
    if copied is not None:
        return [{**copied, **same_for_all}]
    with Fetch(episode.store, episode.prefix, episode.objects, episode.directories) as fetch:
        try:
            row = _judged(checker, episode, fetch)
        except (StoreError, OSError) as error:
            row = unjudged(uri, str(error), episode.id or episode.name)
        return [] if row is None else [{**row, **same_for_all, "files": fetch.files()}]


def _table_rows(
    table: _runvet.TableRows, _: _Last, item: tuple[str, Episode | str]
) -> Iterable[dict[str, Any]]:
    """The rows of a table that an episode has, and one for what keeps it from being judged."""
    uri, episode = item
    if isinstance(episode, str):
        return [_lost(uri, None, episode)]
    id = episode.id or episode.name
    out = tempfile.SpooledTemporaryFile(_IN_MEMORY)
    with Fetch(episode.store, episode.prefix, episode.objects, episode.directories) as fetch:
        try:
            fault = table.write(uri, episode.id, fetch, out)
            if episode.id is None and fetch.is_foreign():
                return []
        except (StoreError, OSError) as error:
            return [_lost(uri, id, str(error))]
    return _lines(out, [] if fault is None else [_lost(uri, id, fault)])


def _lines(out: IO[bytes], more: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    with out:
        out.seek(0)
        yield from map(json.loads, out)
    yield from more


def _lost(uri: str, id: str | None, fault: str) -> dict[str, Any]:
    return {"dir": uri, "episode_id": id, "fault": _runvet.printable(fault)}


def _judged(checker: _runvet.Checker, episode: Episode, fetch: Fetch) -> dict[str, Any] | None:
    text, fault, denied, unchecked = _runvet.fetched(checker, episode.uri, episode.id, fetch)
    if episode.id is None and fetch.is_foreign():
        return None
    return {**judged(json.loads(text), fault), "unjudged": denied, "unchecked": unchecked}


def _dataset(path: str) -> Any:
    from pyarrow import dataset

    if path.startswith("s3a://"):
        path = f"s3://{path[6:]}"
    return dataset.dataset(path, format="parquet")


class _Last:
    """The rows of the last result that are about some addresses."""

    def __init__(self, path: str | None, digest: str, uris: list[str]) -> None:
        self._rows: dict[str, dict[str, Any]] = {}
        if path is None or not uris:
            return
        from pyarrow import dataset

        uri = dataset.field("uri")
        near = (uri >= min(uris)) & (uri <= max(uris)) & (dataset.field("settings") == digest)
        found = _dataset(path).to_table(filter=near)
        wanted = {*uris}
        for row in found.to_pylist():
            # The configuration may say until when a finding is ignored.
            ignored = any(it["by"] == "ignore" for it in row["suppressed"])
            if row["uri"] in wanted and row["fault"] is None and not ignored:
                self._rows[row["uri"]] = row

    def row(self, episode: Episode) -> dict[str, Any] | None:
        """The row of an episode whose objects are the same."""
        row = self._rows.get(episode.uri)
        if row is None or row["runvet_version"] != _version() or episode.directories:
            return None
        before = {
            it["name"]: Object("", it["size"], it["etag"], it["modified"]) for it in row["files"]
        }
        unchanged = before.keys() == episode.objects.keys() and all(
            _is_unchanged(before[name], now) for name, now in episode.objects.items()
        )
        return row if unchanged else None


def _is_unchanged(before: Object, now: Object) -> bool:
    return same(before, now) and (before.etag is not None or before.modified == now.modified)
