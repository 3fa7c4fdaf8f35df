"""The listed objects of an episode -> their content, as far as a check reads it.

An episode may be written while it is read. What was fetched counts only if a listing shows the same
objects; `_runvet.fetched` asks again where there are findings.
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
from ..store import Gone, Object, Store, StoreError

ARTIFACTS = ("state.json", "summary.json", "events.jsonl", "learn.jsonl", "manifest.json")
ON_DEMAND = ("learn.jsonl", "manifest.json")
"""Only some rules read these, and the files that a manifest names."""

MOST_BYTES: Final = dict.fromkeys(("state.json", "summary.json", "manifest.json"), 64 << 20)
MOST_BYTES_OF_LINES: Final = 16 << 30
MOST_BYTES_OF_KEYS: Final = 1024
"""No store has longer ones, and some refuse to be asked for them."""
IN_MEMORY: Final = 1 << 20
"""Longer objects are kept in a temporary file until they are judged, one large one at a time."""
PIECE: Final = 2 << 20
QUIET: Final = 2.0
"""Seconds since the last change before findings count: a writer uploads one object after another,
and some stores tell times in whole seconds."""
MOST_FETCHES: Final = 5

Content = bytes | str | int | None
Answer = list[tuple[str, Content, "str | None"]]


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
        self._named: dict[str, Object | None] = {}
        """The files that the manifest names, as they were read."""
        self._changes = 0
        self._answer: Answer = []
        self._files: list[IO[bytes]] = []
        self._kept = 0

    def __enter__(self) -> Fetch:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def __call__(self, number: int) -> Answer:
        if number > 1:
            listed = self._settled()
            if self._is_as_read(listed):
                return self._answer
            self.listed = listed
        for _ in range(MOST_FETCHES):
            try:
                self._answer = self._fetched()
                if not self._contradicted():
                    return self._answer
                listed = self._list()
                if listed == self.listed:
                    self._contradict()
                self.listed = listed
            except Gone:
                # Either it was deleted meanwhile, or the store does not give what it lists.
                listed = self._list()
                if listed == self.listed or not listed:
                    raise
                self.listed = listed
            except _Changed:
                self.listed = self._list()
        raise StoreError(f"{self._prefix}: its objects kept changing while they were read")

    def open(self, path: str) -> Content | bool:
        """Returns a file that some rules read: None if there is none, True if it is a directory."""
        found = self.listed.get(path)
        if found is not None:
            content = self._content(path, found)
            if self._contradicted():
                self._contradict()
            return content
        if len((self._prefix + path).encode()) > MOST_BYTES_OF_KEYS:
            self._named[path] = None
            return None
        try:
            self._named[path], content = self._store.get(self._prefix + path, 0, IN_MEMORY)
        except Gone:
            self._named[path] = None
            below = self._store.list(f"{self._prefix}{path}/")
            return True if next(below, None) is not None else None
        found = self._named[path]
        assert found is not None
        if found.size > MOST_BYTES_OF_LINES:
            return MOST_BYTES_OF_LINES
        if found.size <= IN_MEMORY:
            return content
        # The check has opened the one before.
        for file in self._files[self._kept :]:
            file.close()
        del self._files[self._kept :]
        return self._spooled(path, found)

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
        """Returns True if the only artifact is a `state.json` without any field of a run."""
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

    def _is_as_read(self, listed: dict[str, Object]) -> bool:
        if listed.keys() != self.listed.keys():
            return False
        for path, found in self._named.items():
            if not _is_same_or_absent(self._look(path), found):
                # The manifest stands for the files that it names.
                self._changes += 1
                return False
        return all(
            same(found, self._got.get(name, self.listed[name])) for name, found in listed.items()
        )

    def _look(self, path: str) -> Object | None:
        try:
            if len((self._prefix + path).encode()) > MOST_BYTES_OF_KEYS:
                return None
            return self._store.get(self._prefix + path, 0, 1)[0]
        except Gone:
            return None

    def _contradicted(self) -> list[str]:
        """The artifacts whose bytes are not those that were listed."""
        got = self._got.items()
        return [name for name, now in got if not same(now, self.listed[name])]

    def _contradict(self) -> None:
        name = self._contradicted()[0]
        now, listed = self._got[name], self.listed[name]
        shown = [f"{it.size} bytes, ETag {it.etag}" for it in (now, listed)]
        message = f"its store gives other bytes ({shown[0]}) than it lists ({shown[1]})"
        raise StoreError(f"{self._prefix}{name}: {message}")

    def _fetched(self) -> Answer:
        self._drop()
        self._got, self._named = {}, {}
        answer: Answer = [(name, True, None) for name in sorted(self._directories)]
        for name, found in sorted(self.listed.items()):
            content: Content = None
            if name not in ON_DEMAND or not found.size:
                content = self._content(name, found)
            version = _version(self._got.get(name, found))
            changes = f" {self._changes}" if name == "manifest.json" and self._changes else ""
            answer.append((name, content, version + changes))
        self._kept = len(self._files)
        return answer

    def _content(self, name: str, found: Object) -> Content:
        if not found.size and name in ON_DEMAND:
            return b""
        most = MOST_BYTES.get(name, MOST_BYTES_OF_LINES)
        if found.size > most:
            return most
        if found.size > IN_MEMORY:
            return self._spooled(name, found)
        now, content = self._store.get(self._prefix + name)
        self._got[name] = now._replace(size=len(content))
        return content

    def _spooled(self, name: str, found: Object) -> str:
        file = tempfile.NamedTemporaryFile(prefix="runvet-")
        self._files.append(file)
        start = 0
        first: Object | None = None
        while start < found.size:
            got, piece = self._store.get(self._prefix + name, start, PIECE)
            first = first or got
            if not same(got, first) or not piece:
                raise _Changed
            file.write(piece)
            start += len(piece)
        file.flush()
        if first is not None and name in self.listed:
            self._got[name] = first
        return file.name

    def _list(self) -> dict[str, Object]:
        cut = len(self._prefix)
        found = (it for it in self._store.list(self._prefix) if isinstance(it, Object))
        return {it.key[cut:]: it for it in found if it.key[cut:] in ARTIFACTS}

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
    """Returns True if two answers are about one version of an object. Answers to reads have
    times in whole seconds, those to listings in parts of them."""
    if one.size != other.size:
        return False
    if one.etag is not None and other.etag is not None:
        return one.etag == other.etag
    times = [it.modified and it.modified.replace(microsecond=0) for it in (one, other)]
    return times[0] == times[1]


def _is_same_or_absent(one: Object | None, other: Object | None) -> bool:
    return one is other if one is None or other is None else same(one, other)


def _version(found: Object) -> str:
    return found.etag or f"{found.size} {found.modified}"


_STATE_FIELDS: set[str] = set()


def _state_fields() -> set[str]:
    if not _STATE_FIELDS:
        _STATE_FIELDS.update(json.loads(_runvet.schema("state"))["properties"])
    return _STATE_FIELDS
