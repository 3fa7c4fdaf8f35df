"""The keys of objects, page by page -> the episodes that they make up.

Whether a directory is an episode depends on what lies directly in it and in those around it. A
listing shows that late, and a range of keys may not show it at all; then the store is asked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from .. import _runvet
from ._fetching import ARTIFACTS
from ..store import PAGE, Gone, Location, Object, Store, StoreError, Unlisted

CHUNK = 4 * PAGE
"""The number of keys that are kept, apart from those of one episode."""


@dataclass(frozen=True, slots=True)
class Range:
    """The objects from one directory on and before another, and what the planner saw of them."""

    first: str = ""
    end: str | None = None
    names: tuple[str, ...] = ()
    """Some of the episodes in it, as prefixes."""
    episodes: int = 0
    is_exact: bool = False
    """True if `episodes` is their number; if not, there are at least as many."""


class Lost(str):
    """The reason why a range, or a part of it, was not searched, apart from what is excluded."""


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode as it is listed."""

    store: Store
    prefix: str
    uri: str
    id: str | None
    name: str
    objects: dict[str, Object]
    directories: set[str]


@dataclass(slots=True)
class Law:
    """The directories that a store lists, and what each of them is."""

    location: Location
    store: Store
    known: dict[str, list[str]] = field(default_factory=dict)
    """Directories, and the artifacts directly in each."""

    def learn(self, directory: str) -> None:
        """Asks which artifacts lie directly in a directory."""
        if directory in self.known:
            return
        found: list[str] = []
        names = sorted(ARTIFACTS)
        at = 0
        while at < len(names):
            wanted = directory + names[at]
            before = f"{wanted[:-1]}{chr(ord(wanted[-1]) - 1)}z"
            listed = next(self.store.list(directory, after=before), None)
            if listed is None:
                break
            if listed.key == wanted or (listed.key < wanted and self._exists(wanted)):
                found.append(wanted)
            at = max(at + 1, bisect_left(names, listed.key[len(directory) :]))
        self.known[directory] = found

    def _exists(self, key: str) -> bool:
        try:
            self.store.get(key, 0, 1)
        except Gone:
            return False
        return True

    def judge(self, keys: list[str], bounds: list[str]) -> list[Found]:
        """The episodes and the faults that keys show; bounds are episodes besides."""
        around = {it for key in (*keys[:1], *keys[-1:], *bounds) for it in above(key)}
        context = [key for it in around for key in self.known.get(it, ())]
        context += [f"{it}state.json" for it in bounds]
        root = self.location.uri
        episodes, faults = _runvet.episodes_of(root, [*context, *keys])
        cut = len(root) + 1
        found = [Found(_prefix(it[0][cut:]), *it) for it in episodes]
        found += [Found(_prefix(path[cut:]), path, None, "", why) for path, why in faults]
        return sorted(found, key=lambda it: it.prefix)


@dataclass(frozen=True, slots=True)
class Found:
    """An episode, or a directory with which something is wrong."""

    prefix: str
    uri: str
    id: str | None
    name: str
    fault: str | None = None


def _prefix(path: str) -> str:
    return f"{path}/" if path else ""


def above(key: str) -> list[str]:
    """The directories around a key, the outermost first; its own if it is one."""
    ends = [at + 1 for at, letter in enumerate(key) if letter == "/"]
    return ["", *(key[:end] for end in ends)]


def inside(store: Store, part: Range) -> Iterator[Object | Unlisted]:
    """Returns the objects in a range."""
    listed = store.list("", after=part.first or None)
    late = (found for found in listed if found.key >= part.first)
    return takewhile(lambda found: part.end is None or found.key < part.end, late)


def found_in(
    location: Location, part: Range, given: bool = False
) -> Iterator[tuple[str, Episode | str]]:
    """The episodes in a range, and what can't be looked at. It is a fault if the listing lacks
    what the planner saw, or an address that was given as that of an episode has none."""
    here = f"{location.uri}/{part.first}".rstrip("/")
    number, is_sound, missing = 0, True, {*part.names}
    try:
        for prefix, uri, found in _Reading(location, part).all():
            if isinstance(found, Episode):
                number += 1
                missing.discard(prefix)
            else:
                is_sound = False
            yield uri, found
    except StoreError as error:
        yield here, Lost(error)
        return
    if given and number == 0 and is_sound:
        yield here, Lost("there is no episode at this address")
    if missing or number < part.episodes:
        least = "" if part.is_exact else "at least "
        lost = f", without {sorted(missing)[0]}" if missing else ""
        seen = f"the planner saw {least}{part.episodes} episodes from here on"
        yield here, Lost(f"{seen}, the listing shows {number}{lost}")


class _Reading:
    def __init__(self, location: Location, part: Range) -> None:
        self._location, self._part = location, part
        self._law = Law(location, location.store())
        self._bounds = [it for it in (part.first, part.end) if it]
        self._own: dict[str, Object] = {}
        self._last: list[str] = []
        """The episode that was found last: those around it are none."""

    def all(self) -> Iterator[tuple[str, str, Episode | str]]:
        for bound in self._bounds:
            for directory in above(bound)[:-1]:
                self._law.learn(directory)
        most = CHUNK
        for found in inside(self._law.store, self._part):
            if isinstance(found, Unlisted):
                key = found.key if found.key.endswith("//") else found.key.rstrip("/")
                yield found.key, f"{self._location.uri}/{key}", found.why
                continue
            self._own[found.key] = found
            if len(self._own) >= most:
                yield from self._ready(found.key)
                most = len(self._own) + CHUNK
        yield from self._ready(None)

    def _ready(self, last: str | None) -> Iterator[tuple[str, str, Episode | str]]:
        """Returns the directories that no later key can change."""
        opened = [] if last is None else above(last)
        keys = [*self._own]
        while True:
            judged = self._law.judge(keys, [*self._bounds, *self._last])
            unknown = next((it for it in opened if it not in self._law.known), None)
            if unknown is None:
                break
            closed = (it.prefix for it in judged if it.prefix not in opened)
            is_above = any(it.startswith(unknown) for it in closed)
            if not is_above and len(keys) - bisect_left(keys, unknown) < CHUNK:
                break
            self._law.learn(unknown)
        for it in judged:
            if it.prefix not in opened and self._owns(keys, it.prefix):
                self._last = self._last if it.fault else [it.prefix]
                yield it.prefix, it.uri, it.fault or self._episode(it, keys)
        kept = {directory + name for directory in opened for name in ARTIFACTS}
        self._own = {
            key: self._own[key]
            for key in keys
            if key in kept or (unknown is not None and key.startswith(unknown))
        } if opened else {}

    def _owns(self, keys: list[str], prefix: str) -> bool:
        """Returns True if the last artifact of a directory, or anything in it, is in this range."""
        direct = self._law.known.get(prefix)
        if direct:
            return max(direct) in self._own
        return _has(keys, prefix) or prefix.rstrip("/") in self._own

    def _episode(self, it: Found, keys: list[str]) -> Episode:
        own = self._own
        objects = {name: own[it.prefix + name] for name in ARTIFACTS if it.prefix + name in own}
        others = {name for name in ARTIFACTS if _has(keys, f"{it.prefix}{name}/")} - {*objects}
        return Episode(self._law.store, it.prefix, it.uri, it.id, it.name, objects, others)


def _has(keys: list[str], prefix: str) -> bool:
    """Returns True if one of the keys, which are sorted, begins with a prefix."""
    at = bisect_left(keys, prefix)
    return at < len(keys) and keys[at].startswith(prefix)
