"""Stores that misbehave once, in front of the real one. Workers import this module."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

from runvet.store import Location, Object, Store, Unlisted

MARK = "RUNVET_TEST_MARK"
"""Names a file; who removes it misbehaves."""


class Passing:
    def __init__(self, uri: str) -> None:
        self._store: Store = Location(uri).store()

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        return self._store.list(prefix, after)

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        return self._store.get(key, start, length)


def is_first(key: str) -> bool:
    """Returns True if this read is the first of the key that the mark names."""
    mark = Path(os.environ[MARK])
    try:
        if mark.read_text().split("\n")[0] not in key:
            return False
        mark.unlink()
    except FileNotFoundError:
        return False
    return True


class Killing(Passing):
    """The worker dies in the middle of a split."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        if is_first(key):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().get(key, start, length)


class Rewriting(Passing):
    """A writer replaces a record between the listing and the read of it."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        mark = Path(os.environ[MARK])
        written = mark.with_suffix(".written")
        answer = super().get(key, start, length)
        if written.exists() and is_first(key):
            written.replace(mark.with_suffix(".goal").readlink())
        return answer
