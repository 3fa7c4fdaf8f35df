"""The listed objects of an episode -> their content, as far as a check reads it.

An episode may be written while it is read. What was fetched counts only if a second listing shows
the same objects; `_runvet.fetched` asks again where there are findings.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any, Final

from .. import _runvet
from ._planning import ARTIFACTS
from ..store import Gone, Object, Store, StoreError

MOST_BYTES: Final = {"state.json": 64 << 20, "summary.json": 64 << 20}
MOST_BYTES_OF_LINES: Final = 16 << 30
IN_MEMORY: Final = 4 << 20
"""Longer objects are kept in a temporary file until they are judged, one large episode at a time."""
PIECE: Final = 8 << 20
QUIET: Final = 2.0
"""Seconds since the last change before findings count: a writer uploads one object after another,
and some stores tell times in whole seconds."""
MOST_FETCHES: Final = 5

Answer = list[tuple[str, "bytes | str | int | None", "str | None"]]


class Fetch:
    """Fetches one episode, as often as it is asked to."""

    def __init__(
        self, store: Store, prefix: str, listed: Mapping[str, Object], directories: set[str]
    ) -> None:
        self._store = store
        self._prefix = prefix
        self.listed = dict(listed)
        self._directories = directories
        self._got: dict[str, Object] = {}
        self._answer: Answer = []
        self._files: list[IO[bytes]] = []
        self.reads_learn = False
        """Whether `learn.jsonl` is fetched too."""

    def __enter__(self) -> Fetch:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def __call__(self, number: int) -> Answer:
        if number > 1:
            listed = self._settled()
            if listed.keys() == self.listed.keys() and all(
                same(found, self._got.get(name, self.listed[name]))
                for name, found in listed.items()
            ):
                return self._answer
            self.listed = listed
        for _ in range(MOST_FETCHES):
            try:
                self._answer = self._fetched()
                return self._answer
            except Gone:
                # Either it was deleted meanwhile, or the store does not give what it lists.
                listed = self._list()
                if listed == self.listed or not listed:
                    raise
                self.listed = listed
            except _Changed:
                self.listed = self._list()
        raise StoreError(f"{self._prefix}: its objects kept changing while they were read")

    def files(self) -> list[dict[str, Any]]:
        """The objects that were judged, for the next run."""
        files = []
        for name in ARTIFACTS:
            if (found := self.listed.get(name)) is not None:
                got = self._got.get(name, found)
                found = found if same(found, got) else got
                row = {"name": name, "size": found.size, "etag": found.etag}
                files.append({**row, "modified": found.modified})
        return files

    def is_foreign(self) -> bool:
        """Whether the only artifact is a `state.json` without any field of a run's."""
        if [*self.listed] != ["state.json"] or not self._answer:
            return False
        content = self._answer[0][1]
        try:
            if isinstance(content, str):
                content = Path(content).read_bytes()
            state = json.loads(content) if isinstance(content, bytes) else None
        except (ValueError, RecursionError):
            return False
        return isinstance(state, dict) and not state.keys() & _state_fields()

    def _fetched(self) -> Answer:
        self._drop()
        self._got = {}
        answer: Answer = [(name, True, None) for name in sorted(self._directories)]
        for name, found in sorted(self.listed.items()):
            content = self._content(name, found)
            answer.append((name, content, _version(self._got.get(name, found))))
        return answer

    def _content(self, name: str, found: Object) -> bytes | str | int | None:
        if name == "manifest.json" or (name == "learn.jsonl" and not self.reads_learn):
            # Whether it is empty is judged, and known from the listing.
            return None if found.size else b""
        most = MOST_BYTES.get(name, MOST_BYTES_OF_LINES)
        if found.size > most:
            return most
        if found.size > IN_MEMORY:
            return self._spooled(name, found)
        self._got[name], content = self._store.get(self._prefix + name)
        return content

    def _spooled(self, name: str, found: Object) -> str:
        file = tempfile.NamedTemporaryFile(prefix="runvet-")
        self._files.append(file)
        start = 0
        while start < found.size:
            got, piece = self._store.get(self._prefix + name, start, PIECE)
            if not same(got, self._got.setdefault(name, got)) or not piece:
                raise _Changed
            file.write(piece)
            start += len(piece)
        file.flush()
        return file.name

    def _list(self) -> dict[str, Object]:
        found = self._store.list(self._prefix)
        cut = len(self._prefix)
        named = ((it.key[cut:], it) for it in found)
        return {name: it for name, it in named if name in ARTIFACTS}

    def _settled(self) -> dict[str, Object]:
        """The listing once its last change is old enough."""
        listed = self._list()
        times = [it.modified for it in listed.values() if it.modified is not None]
        age = (datetime.now(timezone.utc) - max(times)).total_seconds() if times else QUIET
        # A clock that differs by much says nothing.
        if -QUIET < age < QUIET:
            time.sleep(min(QUIET, QUIET - age))
            listed = self._list()
        if not listed:
            raise Gone(f"{self._prefix}: it vanished while it was read")
        return listed

    def _drop(self) -> None:
        for file in self._files:
            file.close()
        self._files.clear()


class _Changed(Exception):
    """An object changed while its pieces were read."""


def same(one: Object, other: Object) -> bool:
    """Whether two answers are about one version of an object. Answers to reads tell times in
    whole seconds, those to listings in parts of them."""
    if one.size != other.size:
        return False
    if one.etag is not None and other.etag is not None:
        return one.etag == other.etag
    times = [it.modified and it.modified.replace(microsecond=0) for it in (one, other)]
    return times[0] == times[1]


def _version(found: Object) -> str:
    return found.etag or f"{found.size} {found.modified}"


_STATE_FIELDS: set[str] = set()


def _state_fields() -> set[str]:
    if not _STATE_FIELDS:
        _STATE_FIELDS.update(json.loads(_runvet.schema("state"))["properties"])
    return _STATE_FIELDS
