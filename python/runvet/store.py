"""The address of run data -> its objects: listed in pages, and read.

A store is whatever lists objects below an address and reads them. `obstore` is the default, where
it is installed (`pip install 'runvet[store]'`); `pyarrow.fs`, `fsspec` and a local directory are
the others. Keys are paths below the address.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from ._errors import RunvetError

Adapter = Literal["obstore", "pyarrow", "fsspec", "directory"]


class Object(NamedTuple):
    """What a listing says of an object."""

    key: str
    size: int
    etag: str | None
    modified: datetime | None


Children = tuple[list[str], list[Object]]
"""Directories, each as a prefix, and objects."""


class Store(Protocol):
    """Objects below an address. Methods may be called by several threads at once.

    A prefix is empty or ends with a slash. What can't be answered raises `StoreError`, and `get`
    of an object that does not exist `Gone`.
    """

    @property
    def ordered(self) -> bool:
        """Whether `list` is in the order of keys, and can begin after one without reading those
        before it."""

    def list(self, prefix: str, after: str | None = None) -> Iterator[Object]:
        """All objects whose keys begin with `prefix`; those before `after` may be left out."""

    def children(self, prefix: str) -> Children:
        """The directories in one, each as a prefix, and the objects in it."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        """The object as it is now, and its bytes or `length` of them at most."""


class StoreError(RunvetError):
    """A store did not answer, or refused to. The message is the same each time."""


class Gone(StoreError):
    """An object does not exist."""


@dataclass(frozen=True)
class Location:
    """The address of run data, and how its store is reached. It can be pickled.

    `options` are those of the adapter, such as `endpoint`, `region` or `skip_signature` of obstore;
    `client_options` and `retry_config` among them go to its client. Leave credentials to the
    environment: what is in `options` may be shown by an engine. `adapter` is chosen by what is
    installed. `open` returns a store of your own instead.
    """

    uri: str
    options: Mapping[str, Any] = field(default_factory=dict)
    adapter: Adapter | None = None
    open: Callable[[str], Store] | None = None

    def store(self) -> Store:
        """The store, made in this process: one that was made before a fork may hang."""
        options = json.dumps(self.options, sort_keys=True, default=str)
        made_by = (os.getpid(), self.uri, options, self.adapter, self.open)
        store = _STORES.get(made_by)
        if store is None:
            store = _STORES.setdefault(made_by, self._made())
        return store

    def below(self, uri: str) -> Location:
        """The same store at another address."""
        return Location(uri, self.options, self.adapter, self.open)

    def _made(self) -> Store:
        if self.open is not None:
            return self.open(self.uri)
        scheme, _, path = self.uri.rpartition("://")
        adapter = self.adapter or ("directory" if scheme in ("", "file") else _installed())
        if adapter == "directory":
            return Directory(path)
        return _ADAPTERS[adapter](self.uri, self.options)


_STORES: dict[tuple[Any, ...], Store] = {}


def _installed() -> Adapter:
    known: tuple[Adapter, ...] = ("obstore", "pyarrow", "fsspec")
    for name in known:
        if find_spec(name) is not None:
            return name
    message = "a store of objects is read by obstore: pip install 'runvet[store]'"
    raise StoreError(message)


class Directory:
    """A local directory. Symbolic links in it are not objects."""

    ordered = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def list(self, prefix: str, after: str | None = None) -> Iterator[Object]:
        directories, objects = self.children(prefix)
        names = sorted([*directories, *(found.key for found in objects)])
        known = {found.key: found for found in objects}
        for name in names:
            if name in known:
                yield known[name]
            elif after is None or name > after or after.startswith(name):
                yield from self.list(name, after)

    def children(self, prefix: str) -> Children:
        directories: list[str] = []
        objects: list[Object] = []
        try:
            entries = sorted(os.scandir(self._path / prefix), key=lambda entry: entry.name)
        except OSError as error:
            if prefix and isinstance(error, FileNotFoundError):
                return [], []
            raise StoreError(_system(prefix or self._path, error)) from error
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                directories.append(f"{prefix}{entry.name}/")
            elif entry.is_file(follow_symlinks=False):
                try:
                    objects.append(_of_file(prefix + entry.name, entry.stat()))
                except FileNotFoundError:
                    continue
        return directories, objects

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        try:
            with open(self._path / key, "rb") as file:
                now = _of_file(key, os.fstat(file.fileno()))
                file.seek(start)
                return now, file.read(-1 if length is None else length)
        except FileNotFoundError as error:
            raise Gone(f"{key}: it does not exist") from error
        except OSError as error:
            raise StoreError(_system(key, error)) from error


def _of_file(key: str, stat: os.stat_result) -> Object:
    modified = datetime.fromtimestamp(stat.st_mtime_ns // 1000 / 1e6, timezone.utc)
    return Object(key, stat.st_size, f"{stat.st_ino}-{stat.st_ctime_ns}", modified)


def _system(what: str | os.PathLike[str], error: OSError) -> str:
    return f"{os.fspath(what)}: {error.strerror or type(error).__name__}"


_RETRY: Mapping[str, Any] = {
    "max_retries": 4,
    "backoff": {
        "init_backoff": timedelta(milliseconds=100),
        "max_backoff": timedelta(seconds=2),
        "base": 2,
    },
    "retry_timeout": timedelta(seconds=30),
}
"""obstore alone would try for three minutes."""


class _Obstore:
    ordered: bool

    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        import obstore
        from obstore.store import from_url

        self._obstore: Any = obstore
        config = dict(options)
        client = dict(config.pop("client_options", {}))
        retry = {**_RETRY, **config.pop("retry_config", {})}
        endpoint = config.get("endpoint") or config.get("aws_endpoint") or _endpoint()
        if str(endpoint).startswith("http://"):
            client.setdefault("allow_http", True)
        make: Any = from_url
        with _named(uri):
            self._store = make(
                uri, config=config, client_options=client or None, retry_config=retry
            )
        # Buckets of S3 Express list in no order, Azure can't begin a listing after a key.
        self.ordered = uri.startswith(("s3://", "s3a://", "gs://")) and "--x-s3" not in uri

    def list(self, prefix: str, after: str | None = None) -> Iterator[Object]:
        with _named(prefix):
            listed = self._obstore.list(
                self._store, prefix or None, offset=after if self.ordered else None, chunk_size=1000
            )
            for page in listed:
                yield from map(self._object, page)

    def children(self, prefix: str) -> Children:
        with _named(prefix):
            found = self._obstore.list_with_delimiter(self._store, prefix or None)
        directories = [f"{name}/" for name in found["common_prefixes"]]
        return directories, [self._object(meta) for meta in found["objects"]]

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        partly = start > 0 or length is not None
        options = {"range": (start, start + length) if length else {"offset": start}}
        with _named(key):
            answer = self._obstore.get(self._store, key, options=options if partly else None)
            return self._object(answer.meta), bytes(answer.bytes())

    def _object(self, meta: Mapping[str, Any]) -> Object:
        return Object(meta["path"], meta["size"], meta["e_tag"], meta["last_modified"])


def _endpoint() -> str:
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


class _Arrow:
    ordered = False

    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        from pyarrow import fs  # type: ignore[import-untyped, import-not-found, unused-ignore]

        self._fs: Any = fs
        scheme, _, path = uri.partition("://")
        with _named(uri):
            if options and scheme == "s3":
                self._files: Any = fs.S3FileSystem(**options)
                self._root = path
            else:
                self._files, self._root = fs.FileSystem.from_uri(uri)

    def list(self, prefix: str, after: str | None = None) -> Iterator[Object]:
        found = self._selected(prefix, recursive=True)
        files = (info for info in found if info.type == self._fs.FileType.File)
        yield from sorted(map(self._object, files))

    def children(self, prefix: str) -> Children:
        found = self._selected(prefix, recursive=False)
        kinds = self._fs.FileType
        directories = [self._key(it.path) + "/" for it in found if it.type == kinds.Directory]
        return directories, [self._object(it) for it in found if it.type == kinds.File]

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        with _named(key):
            path = f"{self._root}/{key}"
            # First what it is, then its bytes: a change in between shows in the next listing.
            info = self._files.get_file_info(path)
            if info.type == self._fs.FileType.NotFound:
                raise Gone(f"{key}: it does not exist")
            with self._files.open_input_file(path) as file:
                rest = max(0, info.size - start)
                wanted = rest if length is None else min(rest, length)
                return self._object(info), file.read_at(wanted, start)

    def _selected(self, prefix: str, recursive: bool) -> Any:
        path = f"{self._root}/{prefix}".rstrip("/")
        with _named(prefix):
            selector = self._fs.FileSelector(path, allow_not_found=True, recursive=recursive)
            return self._files.get_file_info(selector)

    def _key(self, path: str) -> str:
        return path.removeprefix(f"{self._root}/")

    def _object(self, info: Any) -> Object:
        modified: datetime | None = info.mtime
        return Object(self._key(info.path), info.size, None, modified)


class _Fsspec:
    ordered = False

    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        import fsspec  # type: ignore[import-untyped, unused-ignore]

        self._files: Any
        with _named(uri):
            self._files, root = fsspec.core.url_to_fs(uri, **options)
        self._root = str(root).rstrip("/")

    def list(self, prefix: str, after: str | None = None) -> Iterator[Object]:
        # Not by `find`: some servers misread how it asks S3 for all keys, and show none.
        found: list[Object] = []
        unlisted = [prefix]
        while unlisted:
            directories, objects = self.children(unlisted.pop())
            unlisted += directories
            found += objects
        yield from sorted(found)

    def children(self, prefix: str) -> Children:
        with _named(prefix):
            self._files.invalidate_cache()
            try:
                found = self._files.ls(self._path(prefix), detail=True)
            except FileNotFoundError:
                return [], []
        directories: list[str] = []
        objects: list[Object] = []
        for info in found:
            key = self._key(info["name"]).rstrip("/")
            # A directory may have an object of its own, under the name of the directory.
            if info.get("islink") or f"{key}/" == prefix or not key:
                continue
            if info["type"] == "directory":
                directories.append(f"{key}/")
            elif info["type"] == "file":
                objects.append(self._object(info))
        return directories, objects

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        with _named(key):
            path = self._path(key)
            self._files.invalidate_cache()
            now = self._object(self._files.info(path))
            end = None if length is None else start + length
            return now, self._files.cat_file(path, start=start, end=end)

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}".rstrip("/")

    def _key(self, path: str) -> str:
        return path.removeprefix(f"{self._root}/")

    def _object(self, info: Mapping[str, Any]) -> Object:
        etag = info.get("ETag") or info.get("etag")
        names = ("LastModified", "last_modified", "mtime", "updated", "created")
        modified: Any = next((info[name] for name in names if info.get(name)), None)
        if isinstance(modified, (int, float)):
            modified = datetime.fromtimestamp(modified, timezone.utc)
        elif isinstance(modified, str):
            modified = datetime.fromisoformat(modified)
        return Object(self._key(info["name"]), info["size"] or 0, etag, modified)


_ADAPTERS: Mapping[str, Callable[[str, Mapping[str, Any]], Store]] = {
    "obstore": _Obstore,
    "pyarrow": _Arrow,
    "fsspec": _Fsspec,
}


class _named:
    """Turns what a library raises into a `StoreError` that names the key."""

    def __init__(self, key: str) -> None:
        self._key = key or "the listing"

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        if isinstance(error, FileNotFoundError):
            raise Gone(f"{self._key}: it does not exist") from error
        if isinstance(error, Exception) and not isinstance(error, (StoreError, ImportError)):
            raise StoreError(f"{self._key}: {_answer(error)}") from error


_STATUS = re.compile(r"(?i)(?:status(?:[ _]code)?|http|server error)\W{1,4}([45]\d\d)\b")


def _answer(error: Exception) -> str:
    """What a store answered, without times, numbers of retries and ids of requests, so that it is
    the same each time."""
    text = str(error)[:10_000]
    status = _STATUS.search(text)
    if status is not None:
        return f"its store answers {status.group(1)}"
    name = type(error).__name__
    known = {"PermissionDeniedError": "403", "UnauthenticatedError": "401"}
    if name in known:
        return f"its store answers {known[name]}"
    if isinstance(error, PermissionError):
        return "its store answers 403"
    for sign, meaning in _SIGNS:
        if sign.search(text):
            return meaning
    return f"its store can't be read ({name})"


_SIGNS = (
    (re.compile(r"(?i)timed? ?out"), "its store does not answer in time"),
    (re.compile(r"(?i)connect"), "its store can't be reached"),
    (re.compile(r"(?i)\b(access[ _]?denied|forbidden)\b"), "its store answers 403"),
    (re.compile(r"(?i)\b(slow[ _]?down|service[ _]?unavailable)\b"), "its store answers 503"),
)
