"""A listing with any number of names, which are made when they are asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from threading import Lock

from runvet.store import Object

NAMES = ("events.jsonl", "learn.jsonl", "manifest.json", "state.json", "summary.json")
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PAIRS = [one + other for one in LETTERS for other in LETTERS]


@lru_cache(1_000)
def ulid(number: int) -> str:
    value = (1_770_000_000_000 + number * 300) << 80 | number * 0x9E3779B97F4A7C15F39D % 2**80
    return "".join([PAIRS[value >> shift & 1023] for shift in range(120, -10, -10)])


class Simulated:
    """Groups of episodes, each with its prefix and its number of episodes."""

    def __init__(self, groups: list[tuple[str, int]]) -> None:
        self.groups = sorted(groups)
        self.ends = [*accumulate(number for _, number in self.groups)]
        self.episodes = self.ends[-1]
        self.requests = 0
        self._lock = Lock()

    def _count(self) -> None:
        with self._lock:
            self.requests += 1

    def episode(self, at: int) -> str:
        group = bisect_right(self.ends, at)
        return f"{self.groups[group][0]}ep_{ulid(at)}/"

    def key(self, at: int) -> str:
        return self.episode(at // len(NAMES)) + NAMES[at % len(NAMES)]

    def number_before(self, key: str) -> int:
        """Returns the number of keys up to one."""
        low, high = 0, self.episodes * len(NAMES)
        while low < high:
            middle = (low + high) // 2
            if self.key(middle) <= key:
                low = middle + 1
            else:
                high = middle
        return low

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object]:
        self._count()
        at, first = divmod(self.number_before(max(prefix, after or "")), len(NAMES))
        while at < self.episodes:
            episode = self.episode(at)
            for name in NAMES[first:]:
                key = episode + name
                if not key.startswith(prefix):
                    return
                yield Object(key, 1, None, None)
            at, first = at + 1, 0

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        self._count()
        return Object(key, 1, None, None), b"{"
