"""Run data in a store -> a table of episodes, in splits that any engine can share out.

>>> from runvet import batch
>>> splits = batch.plan("s3://bucket/runs", partitions=100)              # doctest: +SKIP
>>> batches = batch.check_split(splits[0], batch.Settings())             # doctest: +SKIP

`python -m runvet.batch s3://bucket/runs --output findings.parquet` is the same for one machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

try:
    import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
except ModuleNotFoundError as error:
    needed = "run data in a store is read with more packages: pip install 'runvet[store]'"
    raise ModuleNotFoundError(needed, name=error.name) from None

from .. import _runvet
from .._check import Check
from ._fetching import Fetch, same
from ._planning import ARTIFACTS, Range, Split, objects_of, plan, plan_of
from ._rows import SCHEMA, Totals, as_ndjson, judged, unjudged
from ..store import Location, Object, Store, StoreError

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
    "totals",
]

_ROWS = 1024


@dataclass(frozen=True)
class Settings:
    """How splits are checked. It can be pickled; files that the check names are read by workers.

    `in_flight` episodes are fetched at once: for a store far away, this decides about the speed.
    `last` is the result of the last run: a Parquet file or a directory of them. An episode whose
    objects are those of the last run is copied from there and not fetched.
    """

    check: Check = field(default_factory=Check)
    in_flight: int = 32
    last: str | None = None

    def digest(self, uri: str) -> str:
        """Stands for all that decides about the findings of an episode below an address."""
        rules, config, baseline, _, follow_links = self.check._settings
        texts = [path.read_bytes() if path else b"" for path in (config, baseline)]
        texts += [text.encode() for _, text in self.check._checker.config_files()]
        # What a configuration says of directories starts from the address.
        root = uri if config else ""
        decisive = repr((_version(), rules, follow_links, texts, root))
        return hashlib.sha256(decisive.encode()).hexdigest()[:16]


def _version() -> str:
    return _runvet.version()


@dataclass(frozen=True, slots=True)
class _Episode:
    store: Store
    prefix: str
    uri: str
    id: str | None
    name: str
    objects: dict[str, Object]
    directories: set[str]


def check_split(split: Split, settings: Settings | None = None) -> Iterator[pa.RecordBatch]:
    """Checks the episodes of a split: batches with `SCHEMA`, in the order of `uri`.

    What a store does not give is a row with a `fault`, never an exception.
    """
    settings = settings or Settings()
    root = split.location.uri
    checker = settings.check._checker
    if any("://" in uri for uri in (root, *split.uris)):
        checker = checker.at(root)
    work: list[tuple[str, _Episode | str]] = list(split.faults)
    if split.ranges:
        work += _listed(split.location, split.ranges)
    for uri in split.uris:
        work += _listed(split.location.below(uri.rstrip("/")), (Range("", "", ""),), given=True)
    work = [it for it in work if _is_wanted(it[0], split, checker)]
    work.sort(key=lambda item: item[0].encode(errors="surrogatepass"))
    digest = settings.digest(root)
    last = _Last(settings.last, digest, [uri for uri, _ in work])
    check = partial(_row, checker, _reads_learn(settings.check), last)
    rows: list[dict[str, Any]] = []
    with ThreadPoolExecutor(max(1, settings.in_flight)) as threads:
        for row in threads.map(check, work):
            if row is None:
                continue
            row.update(runvet_version=_version(), settings=digest)
            rows.append(row)
            if len(rows) == _ROWS:
                yield pa.RecordBatch.from_pylist(rows, SCHEMA)
                rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _is_wanted(uri: str, split: Split, checker: _runvet.Checker) -> bool:
    return split.period.has(uri[len(split.location.uri) :]) and not checker.excludes(uri)


def totals(
    batches: Iterable[Any], *, deny_warnings: bool = False, deny_unjudged: bool = False
) -> Totals:
    """The totals of batches or tables of rows, and the exit code of a gate."""
    sums = Totals(deny_warnings=deny_warnings, deny_unjudged=deny_unjudged)
    for batch in batches:
        sums = sums.plus(batch)
    return sums


def _listed(
    location: Location, ranges: Iterable[Range], given: bool = False
) -> Iterator[tuple[str, _Episode | str]]:
    """Lists ranges: the episodes in them, and what can't be listed.

    It is a fault if an address that was given as that of an episode has none.
    """
    objects: dict[str, Object] = {}
    try:
        store = location.store()
    except StoreError as error:
        yield location.uri, str(error)
        return
    for part in ranges:
        try:
            objects.update((found.key, found) for found in objects_of(store, part))
        except StoreError as error:
            given = False
            yield f"{location.uri}/{part.first}".rstrip("/"), str(error)
    episodes, faults = _runvet.episodes_of(location.uri, [*objects])
    yield from faults
    if given and not episodes and not faults:
        yield location.uri, "there is no episode at this address"
    wanted = {path: path[len(location.uri) + 1 :] for path, _, _ in episodes}
    artifacts, directories = _by_directory(objects, set(wanted.values()))
    for path, id, name in episodes:
        below = wanted[path]
        prefix = f"{below}/" if below else ""
        there = artifacts.get(below, {})
        others = directories.get(below, set()) - {*there}
        yield path, _Episode(store, prefix, path, id, name, there, others)


def _by_directory(
    objects: dict[str, Object], wanted: set[str]
) -> tuple[dict[str, dict[str, Object]], dict[str, set[str]]]:
    """The artifacts in each of some directories, and the directories that have names of such."""
    artifacts: dict[str, dict[str, Object]] = {}
    directories: dict[str, set[str]] = {}
    for key, found in objects.items():
        above, _, name = key.rpartition("/")
        if name in ARTIFACTS and above in wanted:
            artifacts.setdefault(above, {})[name] = found
        while above:
            above, _, name = above.rpartition("/")
            if name in ARTIFACTS and above in wanted:
                directories.setdefault(above, set()).add(name)
    return artifacts, directories


def _row(
    checker: _runvet.Checker, reads_learn: bool, last: _Last, item: tuple[str, _Episode | str]
) -> dict[str, Any] | None:
    uri, episode = item
    if isinstance(episode, str):
        return unjudged(uri, episode)
    copied = last.row(episode)
    if copied is not None:
        return copied
    with Fetch(episode.store, episode.prefix, episode.objects, episode.directories) as fetch:
        fetch.reads_learn = reads_learn
        try:
            row = _judged(checker, episode, fetch)
        except StoreError as error:
            row = unjudged(uri, str(error), episode.id or episode.name)
        if row is not None:
            row["files"] = fetch.files()
        return row


def _judged(
    checker: _runvet.Checker, episode: _Episode, fetch: Fetch
) -> dict[str, Any] | None:
    text, fault, denied, unchecked = _runvet.fetched(checker, episode.uri, episode.id, fetch)
    if episode.id is None and fetch.is_foreign():
        return None
    return {**judged(json.loads(text), fault), "unjudged": denied, "unchecked": unchecked}


def _reads_learn(check: Check) -> bool:
    """Whether a check reads `learn.jsonl`; if not, it is never fetched."""
    report = check.records("ep", {"learn": b"["})
    found = [*report.findings, *(it.finding for it in report.suppressed)]
    return any(it.rule == "strict/learn" for it in found)


class _Last:
    """The rows of the last result that are about some addresses."""

    def __init__(self, path: str | None, digest: str, uris: list[str]) -> None:
        self._rows: dict[str, dict[str, Any]] = {}
        if path is None or not uris:
            return
        from pyarrow import dataset  # type: ignore[import-untyped, import-not-found, unused-ignore]

        uri = dataset.field("uri")
        near = (uri >= uris[0]) & (uri <= uris[-1]) & (dataset.field("settings") == digest)
        found = dataset.dataset(path, format="parquet").to_table(filter=near)
        wanted = {*uris}
        for row in found.to_pylist():
            # The configuration may say until when a finding is ignored.
            ignored = any(it["by"] == "ignore" for it in row["suppressed"])
            if row["uri"] in wanted and row["fault"] is None and not ignored:
                self._rows[row["uri"]] = row

    def row(self, episode: _Episode) -> dict[str, Any] | None:
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
