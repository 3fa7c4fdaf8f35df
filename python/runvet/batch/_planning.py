"""A store -> splits of its run data, each with whole episodes.

The planner lists directories, not objects: a page holds a thousand names, and a hundred thousand
episodes are a hundred pages. It goes down until there are enough directories to share out. One
that may be an episode is never cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from .. import _runvet
from ._period import Moment, Period
from ..store import Location, Object, Store, StoreError

ARTIFACTS = ("state.json", "summary.json", "events.jsonl", "learn.jsonl", "manifest.json")
PAGE = 1000
"""Names in a page of a listing, and the episodes of a split unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Range:
    """The directories in `parent` from `first` to `last`, all as prefixes."""

    parent: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Split:
    """Run data that is checked in one piece. It is small, and can be pickled."""

    location: Location
    ranges: tuple[Range, ...] = ()
    uris: tuple[str, ...] = ()
    """Addresses of run data or of episodes, each of which is listed by itself."""
    faults: tuple[tuple[str, str], ...] = ()
    """What planning could not look at: addresses, and why."""
    period: Period = Period()


def plan(
    uri: str | Location,
    partitions: int | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
) -> list[Split]:
    """Shares the run data below an address out to splits, at least one and at most `partitions`.

    What can't be listed is a fault of the first one; it becomes a row. `since` and `until` leave
    out directories whose names end in a ULID of another time.
    """
    location = uri if isinstance(uri, Location) else Location(uri)
    return plan_within(location, partitions, Period.of(since, until))


def plan_within(location: Location, partitions: int | None, period: Period) -> list[Split]:
    """The same for a period."""
    location = location.below(location.uri.rstrip("/"))
    if partitions is not None and partitions < 1:
        raise ValueError("partitions is at least 1")
    found = _Search(location, period)
    found.search(8 * (partitions or 1))
    number = partitions or -(-len(found.units) // PAGE) or 1
    pieces = _pieces(found.units, number) or [[]]
    ranges = [tuple(_ranges(piece, found.opened, found.store)) for piece in pieces]
    faults = [tuple(sorted(found.faults)), *[()] * (len(ranges) - 1)]
    return [
        Split(location, some, faults=wrong, period=period) for some, wrong in zip(ranges, faults)
    ]


def plan_of(uris: list[str], location: Location, partitions: int | None = None) -> list[Split]:
    """Shares addresses out to splits: of episodes, as a table or an inventory has them."""
    pieces = _pieces(sorted(set(uris)), partitions or -(-len(uris) // PAGE) or 1)
    return [Split(location, uris=tuple(piece)) for piece in pieces]


@dataclass
class _Search:
    location: Location
    period: Period
    units: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    """Directories between units: those that were looked into, and those of another period."""
    faults: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = self.location.store()

    def search(self, enough: int) -> None:
        level = [""]
        while level and (level == [""] or len(self.units) + len(level) < enough):
            level = [below for directory in level for below in self._below(directory)]
        self.units = sorted([*self.units, *level])
        self.opened.sort()

    def _below(self, directory: str) -> list[str]:
        try:
            directories, objects = self.store.children(directory)
            if self._is_unit(directory, directories, objects):
                self.units.append(directory)
                return []
        except StoreError as error:
            self.faults.append((f"{self.location.uri}/{directory}".rstrip("/"), str(error)))
            return []
        self.opened.append(directory)
        shown = [it for it in directories if not it.endswith("/.git/") and it != ".git/"]
        wanted = [it for it in shown if self.period.has(it[len(directory) :].rstrip("/"))]
        if len(wanted) < len(shown):
            self.opened += {*shown} - {*wanted}
        return wanted

    def _is_unit(self, directory: str, directories: list[str], objects: list[Object]) -> bool:
        """Whether a directory is an episode, or may be one."""
        names = {found.key.rsplit("/", 1)[-1] for found in objects} & {*ARTIFACTS}
        names |= {name.rstrip("/").rsplit("/", 1)[-1] for name in directories} & {*ARTIFACTS}
        if not names:
            return False
        keys = [found.key for found in objects]
        episodes, faults = _runvet.episodes_of(self.location.uri, [*keys, *directories])
        if episodes and names == {"summary.json"}:
            # It is the summary of a group if there is an episode below it.
            episodes = [] if self._holds_episode(directory) else episodes
        if not episodes:
            self.faults += faults
        return bool(episodes)

    def _holds_episode(self, directory: str) -> bool:
        here = f"{self.location.uri}/{directory}".rstrip("/")
        listed = self.store.list(directory)
        seen: list[str] = []
        while page := [found.key for found in islice(listed, PAGE)]:
            seen = [*seen[-PAGE:], *page]
            episodes, _ = _runvet.episodes_of(self.location.uri, seen)
            if any(path != here for path, _, _ in episodes):
                return True
        return False


def _pieces(units: list[str], number: int) -> list[list[str]]:
    """Units in order, in pieces of about one size, none of them empty."""
    ends = [len(units) * (at + 1) // number for at in range(number)]
    cut = [units[start:end] for start, end in zip([0, *ends], ends)]
    return [piece for piece in cut if piece]


def _ranges(units: list[str], opened: list[str], store: Store) -> Iterator[Range]:
    """Neighbours as one range, so that they are listed in pages."""
    last: Range | None = None
    for unit in units:
        parent = unit[: unit.rstrip("/").rfind("/") + 1]
        if last is not None and store.ordered and parent == last.parent:
            # What lies between them has units of its own, or is left out.
            between = bisect_left(opened, unit)
            if between == 0 or opened[between - 1] < last.last:
                last = Range(parent, last.first, unit)
                continue
        if last is not None:
            yield last
        last = Range(parent, unit, unit)
    if last is not None:
        yield last


def objects_of(store: Store, part: Range) -> Iterator[Object]:
    """The objects in the directories of a range."""
    if part.first == part.last:
        yield from store.list(part.first)
        return
    for found in store.list(part.parent, after=part.first):
        if found.key >= part.first and "/" in found.key[len(part.parent) :]:
            if found.key > part.last and not found.key.startswith(part.last):
                return
            yield found
