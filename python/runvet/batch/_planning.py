"""A store -> splits of its run data, each with whole episodes.

The planner asks for one page of the listing at a time, many at once, at keys that halve what is
still too large to be a split. How much lies between two pages follows from how dense they are. It
asks for the largest first, and stops when it has asked as often as it may. What it did not ask for
stays in one split.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from os.path import commonprefix

from ._finding import Law, Range, above
from ._period import Moment, Period
from ..store import PAGE, Location, Object, Store, StoreError, Unlisted

EPISODES = 1000
"""The episodes of a split unless said otherwise."""
MOST_SPLITS = 5_000
"""More would not be read faster, and the planner keeps about 1 KB of each of their pages."""
REQUESTS = 40
"""For each split at most."""
NEAR = 16
"""The number of pages that seem to be left at which the next one is asked for."""
NAMES = 4
"""The episodes of a split whose names it carries."""
CUTS = 64
"""The episodes of a page at which it may be cut, where splits are small. A page has 1,000 keys."""
PARTS = (1, 2, 8, 32)
"""The parts of a page over which the density of keys is measured, from all of it to its last 32nd:
a page may begin in a small directory and end in a large one."""


@dataclass(frozen=True, slots=True)
class Split:
    """Run data that is checked in one piece. It is small, and can be pickled."""

    location: Location
    part: Range | None = None
    uris: tuple[str, ...] = ()
    """Addresses of run data or of episodes, each of which is listed by itself."""
    period: Period = Period()


def plan(
    uri: str | Location,
    partitions: int | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Split]:
    """Shares the run data below an address out to splits of about one size, at least one and at
    most `partitions`.

    `since` and `until` leave out directories whose names end in a ULID of another time. `progress`
    is called with the numbers of requests and of splits so far.
    """
    location = uri if isinstance(uri, Location) else Location(uri)
    return plan_within(location, partitions, Period.of(since, until), progress)


def plan_within(
    location: Location,
    partitions: int | None,
    period: Period,
    progress: Callable[[int, int], None] | None = None,
) -> list[Split]:
    """The plan for a period."""
    location = location.below(location.uri.rstrip("/"))
    if partitions is not None and partitions < 1:
        raise ValueError("partitions is at least 1")
    try:
        search = _Search(location, partitions, progress)
        parts = [*search.parts()]
    except StoreError:
        # Whoever reads the split meets the same, and makes a row of it.
        parts = [Range()]
    return [Split(location, part, period=period) for part in parts]


def plan_of(uris: list[str], location: Location, partitions: int | None = None) -> list[Split]:
    """Shares addresses out to splits: of episodes, as a table or an inventory has them."""
    units = sorted(set(uris))
    number = partitions or -(-len(units) // EPISODES) or 1
    ends = [len(units) * (at + 1) // number for at in range(number)]
    pieces = [tuple(units[start:end]) for start, end in zip([0, *ends], ends)]
    return [Split(location, uris=piece) for piece in pieces if piece]


@dataclass(slots=True)
class _Page:
    """A page of the listing, and what is known of the keys between it and the next page."""

    keys: int
    top: str
    last: str
    marks: tuple[str, ...]
    """The key at which each of `PARTS` begins."""
    episodes: list[str]
    """The episodes that lie in it as a whole: each of them, or one of several."""
    each: int
    """The number of episodes from one of those to the next; 0 where they are the first and the last
    one alone."""
    number: int
    is_whole: bool
    """True if it lists all keys before the next page."""
    end: str | None
    """The key from which on there is nothing before the next page."""
    level: int
    """The number of letters that the keys up to the next page have in common, at most."""
    is_gappy: bool = False
    is_next: bool = False
    """True if it begins where a page ends."""
    is_last: bool = False
    """True if the next page begins where this one ends."""

    def may_be_cut(self) -> bool:
        """True if splits may begin inside of it: all keys up to the next page are known."""
        return self.is_whole or (self.is_last and self.each > 0)

    def weight(self) -> float:
        """The number of keys up to the next page, by how dense they are in this one."""
        if self.is_whole or self.is_last:
            return self.keys
        same = len(commonprefix([self.top, self.end or ""]))
        width = len(commonprefix([self.marks[-1], self.last])) - same + 8
        last, end = (_number(key[same:], width) for key in (self.last, self.end or "~"))
        spans = (last - _number(key[same:], width) for key in self.marks)
        gap = max(0, end - last)
        ways = (self.keys // part * gap / max(1, span) for part, span in zip(PARTS, spans))
        return self.keys + max(ways)

    def halfway(self, is_small: bool) -> str:
        """A key in the middle of what is not known. After a gap, all keys that have some more
        letters in common with the page are left out; but where splits are small, the page may be
        the last but one of its directory, so first the next one is asked for."""
        if self.weight() < NEAR * PAGE or (is_small and self.is_gappy and not self.is_next):
            return self.last
        end = self.end or "~"
        same = len(commonprefix([self.last, end]))
        if self.is_gappy and self.level > same:
            key = self.last[: (same + self.level) // 2 + 1] + "zzzz"
        else:
            width = max(0, len(commonprefix([self.top, self.last])) - same) + 4
            last, to = (_number(it[same:], width) for it in (self.last, end))
            key = self.last[:same] + _letters((last + to) // 2, width)
            # A part of a key that is empty is refused.
            key = key.replace("//", "/0")
        return key if self.last < key < end else self.last

    def precedes(self, beyond: _Page) -> None:
        """Passes on what it knows to a page that is found after it."""
        if self.is_gappy and _directory(self.last) == _directory(beyond.top):
            # The directory goes on beyond these letters, but not far beyond.
            beyond.level = len(commonprefix([self.last, beyond.top]))
            beyond.is_gappy = True
            beyond.is_next = self.is_next or self.is_last


def _directory(key: str) -> str:
    """The directory of the episode that an object belongs to."""
    return key.rsplit("/", 2)[0]


_LETTERS = "-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
"""In the order of their codes, and none that a client of a store would change."""
_RANKS = {chr(code): sum(it < chr(code) for it in _LETTERS) for code in range(128)}


def _number(key: str, width: int) -> int:
    """The beginning of a key as a number, in the order of keys."""
    number = 0
    for letter in key[:width].ljust(width, "\0"):
        number = number * 67 + _RANKS.get(letter, 66)
    return number


def _letters(number: int, width: int) -> str:
    letters = []
    for _ in range(width):
        number, rank = divmod(number, 67)
        letters.append(_LETTERS[min(rank, 64)])
    return "".join(reversed(letters))


class _Spent(StoreError):
    """The planner has asked as often as it may."""


@dataclass
class _Counted:
    """A store that is asked a number of times at most."""

    store: Store
    most: int = REQUESTS
    requests: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        self._count()
        return self.store.list(prefix, after=after)

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        self._count()
        return self.store.get(key, start, length)

    def _count(self) -> None:
        with self.lock:
            if self.requests >= self.most:
                raise _Spent("no more is asked for")
            self.requests += 1


@dataclass
class _Search:
    location: Location
    partitions: int | None
    progress: Callable[[int, int], None] | None
    pages: list[_Page] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = _Counted(self.location.store())
        self.law = Law(self.location, self.store)

    def parts(self) -> list[Range]:
        """The ranges of a plan."""
        # A listing that shows nothing is asked for twice: it may be none.
        first = self._page(None, None) or self._page(None, None)
        if first is None:
            return [Range(is_exact=True)]
        self.pages = [first]
        with ThreadPoolExecutor(32) as threads, suppress(_Spent):
            while wide := self._too_wide():
                self._ask_for_more(wide, threads)
        self.pages.sort(key=lambda page: page.top)
        return self._shared_out()

    def _ask_for_more(self, wide: list[_Page], threads: ThreadPoolExecutor) -> None:
        keys = [page.halfway(self.partitions is None) for page in wide]
        found = threads.map(self._page, keys, [page.end for page in wide])
        for page, key, beyond in zip(wide, keys, found):
            page.is_last = key == page.last
            if beyond is not None:
                self.pages.append(beyond)
                page.precedes(beyond)
            page.is_gappy = beyond is None
            page.end = key
        if self.progress is not None:
            self.progress(self.store.requests, self._number())

    def _number(self) -> int:
        """Returns the number of splits to make."""
        if self.partitions is not None:
            return self.partitions
        each = max(1, sum(it.number for it in self.pages)) / sum(it.keys for it in self.pages)
        episodes = sum(page.weight() for page in self.pages) * each
        least = -(-self.store.requests // REQUESTS)
        return int(max(least, min(MOST_SPLITS, -(-episodes // EPISODES))))

    def _too_wide(self) -> list[_Page]:
        number = self._number()
        weights = [(page.weight(), page) for page in self.pages]
        keys = sum(weight for weight, _ in weights)
        # A number that is estimated may turn out smaller.
        self.store.most = REQUESTS * number // (2 if self.partitions is None else 1)
        left = self.store.most - self.store.requests
        share = keys / (8 * number)
        wide = [it for it in weights if it[0] > share and not (it[1].is_whole or it[1].is_last)]
        if number == 1 or left <= 0:
            return []
        wide.sort(key=lambda it: -it[0])
        return [page for _, page in wide[: max(1, left // 4)]]

    def _page(self, after: str | None, end: str | None) -> _Page | None:
        """The page after a key, if there is one before the end."""
        try:
            listed = [it.key for it in islice(self.store.list("", after=after), PAGE)]
        except _Spent:
            raise
        except StoreError:
            if after is None:
                raise
            # Then this is not where a split begins; its reader meets the same, and says so.
            return None
        keys = [key for key in listed if end is None or key < end]
        if not keys:
            return None
        is_whole = len(keys) < PAGE
        # What began before the page, or goes on after it, is not all in it.
        partly = [] if is_whole else above(keys[-1])
        partly += [it for it in above(keys[0]) if after is not None and it <= after]
        episodes = self._whole(keys, partly)
        for directory in partly:
            if directory not in self.law.known and any(
                it.startswith(directory) for it in episodes
            ):
                self.law.learn(directory)
                episodes = self._whole(keys, partly)
        number, each = len(episodes), 1
        if number and not is_whole:
            # A split may begin at each of those that are kept; two are enough to miss a page by.
            are_small = len(self.pages) <= (self.partitions or 0)
            each = -(-number // CUTS) if are_small else 0
            episodes = episodes[::each] if are_small else [*episodes[:1], *episodes[1:][-1:]]
        marks = tuple(keys[-len(keys) // part] for part in PARTS)
        level = len(commonprefix([keys[0], keys[-1]]))
        return _Page(
            len(keys), keys[0], keys[-1], marks, episodes, each, number, is_whole, end, level
        )

    def _whole(self, keys: list[str], partly: list[str]) -> list[str]:
        judged = self.law.judge(keys, [])
        return [it.prefix for it in judged if it.fault is None and it.prefix not in partly]

    def _shared_out(self) -> list[Range]:
        """The pages in order, as ranges of about one size."""
        number = self._number()
        weights = self._believed(number)
        total = sum(weights)
        ranges: list[Range] = []
        before, slot = 0.0, -1
        for names, count, is_exact, weight in self._units(weights):
            at = int(before / total * number)
            before += weight
            if at > slot and (names or not ranges):
                if ranges:
                    ranges[-1] = replace(ranges[-1], end=names[0])
                slot = at
                ranges.append(Range(names[0] if ranges else "", None, (), 0, True))
            last = ranges[-1]
            shown = (*last.names, *names)
            ranges[-1] = replace(
                last,
                names=(*shown[: NAMES - 1], *shown[NAMES - 1 :][-1:]),
                episodes=last.episodes + count,
                is_exact=last.is_exact and is_exact,
            )
        return ranges

    def _believed(self, number: int) -> list[float]:
        """The weights of pages. What was not asked for may seem to be very much; as such a page
        is not cut, it counts as one split at most."""
        weights = [page.weight() for page in self.pages]
        for _ in range(100):
            most = max(1.0, sum(weights) / number)
            capped = zip(self.pages, weights)
            weights = [it if page.may_be_cut() else min(it, most) for page, it in capped]
        return weights

    def _units(self, weights: list[float]) -> Iterator[tuple[list[str], int, bool, float]]:
        """Yields the parts that stay whole: episodes, their number, if it is exact, weight."""
        for page, weight in zip(self.pages, weights):
            if not page.may_be_cut() or not page.episodes:
                yield page.episodes, page.number, page.is_whole, weight
                continue
            starts: list[int] = []
            for at, name in enumerate(page.episodes):
                # An episode may lie in another one.
                if not starts or not name.startswith(page.episodes[starts[-1]]):
                    starts.append(at)
            for start, end in zip(starts, [*starts[1:], len(page.episodes)]):
                names = page.episodes[start:end]
                count = min(page.number, end * page.each) - start * page.each
                yield names, count, page.is_whole, weight * count / page.number
