"""The address of run data -> its objects: listed in the order of their keys, and read.

A store is whatever lists objects below an address and reads them. `obstore` is the default, where
it is installed (`pip install 'runvet[store]'`); `pyarrow.fs`, `fsspec` and a local directory are
the others. Keys are paths below the address.
"""

from __future__ import annotations

import errno
import json
import os
import random
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

from ._errors import RunvetError

Adapter = Literal["obstore", "pyarrow", "fsspec", "directory"]
PAGE = 1000
"""The number of names in a page of a listing."""
_T = TypeVar("_T")


class Object(NamedTuple):
    """An object as a listing describes it."""

    key: str
    size: int
    etag: str | None
    modified: datetime | None


class Unlisted(NamedTuple):
    """The place in a listing where objects can't be shown."""

    key: str
    why: str


Children = tuple[list[str], list[Object]]
"""Directories, each as a prefix, and objects."""


class Store(Protocol):
    """Objects below an address. Methods may be called by several threads at once.

    A prefix is empty or ends with a slash. What can't be answered raises `StoreError`, and `get`
    of an object that does not exist `Gone`.
    """

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        """All objects whose keys begin with `prefix` and come after `after`, in the order of keys.

        It asks for no more pages than are taken.
        """

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        """The object as it is now, and its bytes or `length` of them at most."""


class StoreError(RunvetError):
    """A store did not answer, or refused to. The message is the same each time."""


class Gone(StoreError):
    """An object does not exist."""


class _Passing(StoreError):
    """A failure that may pass, so that the store is asked again."""

    is_throttling = False


MOST_SECONDS = 10.0
"""For how long a store is asked again that does not throttle: it may well be the wrong address."""


@dataclass(frozen=True)
class Location:
    """The address of run data, and how its store is reached. It can be pickled.

    An address is not decoded: `#`, `?` and `%` in it are letters of keys. `options` are those of
    the adapter, such as `endpoint`, `region` or `skip_signature` of obstore; `client_options` and
    `retry_config` among them go to its client. Leave credentials to the environment: what is in
    `options` may be shown by an engine. `adapter` is chosen by what is installed. `patience` is the
    time in seconds for which a store that throttles or fails is asked again. `open` returns a store
    of your own instead.
    """

    uri: str
    options: Mapping[str, Any] = field(default_factory=dict)
    adapter: Adapter | None = None
    open: Callable[[str], Store] | None = None
    patience: float = 60.0

    def store(self) -> Store:
        """The store, with one client in this process for all addresses in a bucket."""
        if (of := self.open) is not None:
            return cast(Store, _made(("open", of, self.uri), lambda: of(self.uri)))
        if self.is_directory:
            return Directory(self.uri.rpartition("://")[2])
        scheme, _, path = self.uri.partition("://")
        adapter = self.adapter or _installed()
        bucket, _, key = path.partition("/")
        # The addresses of Azure in the web have the bucket in the path.
        whole = scheme in ("http", "https")
        root, key = (self.uri, "") if whole else (f"{scheme}://{bucket}", key.strip("/"))
        options = json.dumps(self.options, sort_keys=True, default=str)
        client, pace = _made(
            (root, options, adapter), lambda: (_ADAPTERS[adapter](root, self.options), _Pace())
        )
        return _Bucket(client, pace, f"{key}/" if key else "", self.patience)

    @property
    def is_directory(self) -> bool:
        """Returns True if it is a local directory."""
        is_local = self.open is None and self.uri.rpartition("://")[0] in ("", "file")
        return self.adapter == "directory" or (self.adapter is None and is_local)

    def put(self, path: Path) -> None:
        """Uploads a file to this address, as a whole or not at all."""
        store = self.store()
        if not isinstance(store, _Bucket):
            raise StoreError(f"{self.uri}: can't upload to this kind of store")
        store.put(path)

    def below(self, uri: str) -> Location:
        """The same store at another address."""
        return Location(uri, self.options, self.adapter, self.open, self.patience)


MOST_MADE = 64
"""The number of clients and stores that this process keeps for addresses that come again."""

_MADE: dict[tuple[Any, ...], Any] = {}
_MAKING = threading.Lock()
_OF_PARENTS: list[Any] = []


def _begin_anew() -> None:
    """A client that was made before a fork may hang, even when it is dropped."""
    global _MADE, _MAKING
    _OF_PARENTS.append(_MADE)
    _MADE, _MAKING = {}, threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)


def _made(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    known = _MADE.get(key)
    if known is not None:
        return known
    made = make()
    with _MAKING:
        made = _MADE.setdefault(key, made)
        while len(_MADE) > MOST_MADE:
            del _MADE[next(iter(_MADE))]
    return made


def _installed() -> Adapter:
    known: tuple[Adapter, ...] = ("obstore", "pyarrow", "fsspec")
    for name in known:
        if find_spec(name) is not None:
            return name
    message = "a store of objects is read by obstore: pip install 'runvet[store]'"
    raise StoreError(message)


class _Pace:
    """The requests of this process to one store: it repeats those that failed for a while, and
    sends fewer at once after the store throttles."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = 0
        self._most = self._allowed = 32.0
        self._slowed = 0.0
        self._seconds_each = 0.0
        self._next = 0.0

    def limit(self, in_flight: int, per_second: float | None) -> None:
        """Sets how many questions are asked at once, and in a second."""
        with self._changed:
            if self._most != in_flight:
                self._most = self._allowed = float(max(1, in_flight))
            self._seconds_each = 1 / per_second if per_second else 0.0

    def ask(self, question: Callable[[], _T], patience: float) -> _T:
        """The answer to a question, which is asked again while it may pass."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy < max(1, int(self._allowed)))
            self._busy += 1
        begun, pause = time.monotonic(), 0.1
        try:
            while True:
                asked = self._turn()
                try:
                    answer = question()
                except _Passing as error:
                    if error.is_throttling:
                        self._slow_down(asked)
                    # Clients that failed together don't come back together.
                    wait = random.uniform(pause / 2, pause)
                    most = patience if error.is_throttling else min(patience, MOST_SECONDS)
                    if time.monotonic() + wait - begun > most:
                        raise
                    time.sleep(wait)
                    pause = min(2 * pause, 5.0)
                else:
                    with self._changed:
                        self._allowed = min(self._most, self._allowed + 1 / self._allowed)
                    return answer
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify()

    def _turn(self) -> float:
        with self._changed:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._seconds_each
        if at > now:
            time.sleep(at - now)
        return at

    def _slow_down(self, asked: float) -> None:
        with self._changed:
            # What was asked before the last time says nothing about the new number.
            if asked > self._slowed:
                self._slowed = time.monotonic()
                self._allowed = max(1.0, self._allowed / 2)


class _Bucket:
    """The objects below a key of a bucket."""

    def __init__(self, client: Any, pace: _Pace, root: str, patience: float) -> None:
        self._client, self.pace, self._root, self._patience = client, pace, root, patience

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        at = None if after is None else self._root + after
        listed = self._pages if self._client.ordered else self._walked
        for found in listed(self._root + prefix, at):
            yield found._replace(key=found.key[len(self._root) :])

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        now, content = self._asked(self._client.get, self._root + key, start, length)
        return now._replace(key=key), content

    def put(self, path: Path) -> None:
        self._asked(self._client.put, self._root.rstrip("/"), path)

    def _asked(self, question: Callable[..., _T], key: str, *more: Any) -> _T:
        def named() -> _T:
            with _named(key[len(self._root) :]):
                return question(key, *more)

        return self.pace.ask(named, self._patience)

    def _pages(self, prefix: str, after: str | None) -> Iterator[Object | Unlisted]:
        while True:
            try:
                page = self._asked(self._client.page, prefix, after)
            except _OddKey as error:
                after = yield from self._around(prefix, after, error)
                if after is None:
                    return
                continue
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].key

    def _around(
        self, prefix: str, after: str | None, odd: _OddKey
    ) -> Generator[Object | Unlisted, None, str | None]:
        """Lists beyond a key for which the client gives no page; the key to go on after."""
        other = self._client.beside()
        if other is None:
            raise odd
        children = partial(self._asked, other.children)
        for found in _walk(children, prefix, after):
            yield found
            if found.key > odd.key and isinstance(found, Object) and _is_plain(found.key):
                return found.key
        return None

    def _walked(self, prefix: str, after: str | None) -> Iterator[Object | Unlisted]:
        return _walk(partial(self._asked, self._client.children), prefix, after)


def _walk(
    children: Callable[[str], Children], prefix: str, after: str | None, is_top: bool = True
) -> Iterator[Object | Unlisted]:
    """Lists directory by directory, in the order of keys."""
    if prefix.count("/") > MOST_LEVELS:
        yield Unlisted(prefix, f"{prefix}: it is more than {MOST_LEVELS} levels deep")
        return
    try:
        directories, objects = children(prefix)
    except StoreError as error:
        if is_top:
            raise
        yield Unlisted(prefix, str(error))
        return
    known = {found.key: found for found in objects}
    for name in sorted({*directories, *known}):
        if name in known:
            if after is None or name > after:
                yield known[name]
        elif name.rstrip("/").rpartition("/")[2] in (".", "..") or name.endswith("//"):
            if after is None or name > after:
                yield Unlisted(name, ODD)
        elif after is None or name > after or after.startswith(name):
            yield from _walk(children, name, after, is_top=False)


MOST_LEVELS = 300
ODD = "a part of the key is empty, `.` or `..`, or can't be printed, so it is not a path"


class _OddKey(StoreError):
    """A client gives no page because of one key in it."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key}: {ODD}")
        self.key = key


def _is_plain(key: str) -> bool:
    return re.search(r"[\x00-\x1f\x7f]", key) is None


class Directory:
    """A local directory. Symbolic links in it are not objects."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        return _walk(self.children, prefix, after)

    def children(self, prefix: str) -> Children:
        """The directories and the objects in one."""
        directories: list[str] = []
        objects: list[Object] = []
        try:
            entries = sorted(os.scandir(self._path / prefix), key=lambda entry: entry.name)
        except OSError as error:
            if prefix and error.errno in _ABSENT:
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
        path = os.path.join(os.path.realpath(self._path), key)
        try:
            # Only what is listed is an object: not a link, nor what lies behind one, nor a device.
            if os.path.realpath(path) != path or not os.path.isfile(path):
                raise FileNotFoundError(errno.ENOENT, key)
            with open(path, "rb") as file:
                now = _of_file(key, os.fstat(file.fileno()))
                file.seek(start)
                return now, file.read(-1 if length is None else length)
        except OSError as error:
            if error.errno in _ABSENT:
                raise Gone(f"{key}: it does not exist") from error
            raise StoreError(_system(key, error)) from error


_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


def _of_file(key: str, stat: os.stat_result) -> Object:
    modified = datetime.fromtimestamp(stat.st_mtime_ns // 1000 / 1e6, timezone.utc)
    return Object(key, stat.st_size, f"{stat.st_ino}-{stat.st_ctime_ns}", modified)


def _system(what: str | os.PathLike[str], error: OSError) -> str:
    return f"{os.fspath(what)}: {error.strerror or type(error).__name__}"


class _Obstore:
    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        import obstore
        from obstore.store import from_url

        self._obstore: Any = obstore
        self._uri, self._options = uri, options
        config = dict(options)
        client = dict(config.pop("client_options", {}))
        # runvet asks again by itself, so that it sees when a store throttles.
        retry = {"max_retries": 0, **config.pop("retry_config", {})}
        endpoint = config.get("endpoint") or config.get("aws_endpoint") or _endpoint()
        if str(endpoint).startswith("http://"):
            client.setdefault("allow_http", True)
        make: Any = from_url
        with _named(uri):
            self._store = make(
                f"{uri}/", config=config, client_options=client or None, retry_config=retry
            )
        # Buckets of S3 Express list in no order, Azure can't begin a listing after a key.
        self.ordered = uri.startswith(("s3://", "s3a://", "gs://")) and "--x-s3" not in uri

    def page(self, prefix: str, after: str | None) -> list[Object]:
        listed = self._obstore.list(self._store, prefix or None, offset=after, chunk_size=PAGE)
        return [self._object(meta) for meta in next(iter(listed), [])]

    def children(self, prefix: str) -> Children:
        found = self._obstore.list_with_delimiter(self._store, prefix or None)
        directories = [f"{name}/" for name in found["common_prefixes"]]
        return directories, [self._object(meta) for meta in found["objects"]]

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        partly = start > 0 or length is not None
        options = {"range": (start, start + length) if length else {"offset": start}}
        answer = self._obstore.get(self._store, key, options=options if partly else None)
        return self._object(answer.meta), bytes(answer.bytes())

    def put(self, key: str, path: Path) -> None:
        self._obstore.put(self._store, key, path)

    def beside(self) -> Any:
        """A client of the same bucket that lists any key, where there is one."""
        if not self._uri.startswith(("s3://", "s3a://")):
            return None
        given = {name.removeprefix("aws_"): it for name, it in self._options.items()}
        endpoint = str(given.get("endpoint") or _endpoint())
        known = {name: given[old] for old, name in _NAMES_OF_ARROW.items() if old in given}
        if endpoint:
            known["endpoint_override"] = endpoint
        arrow = _Arrow(self._uri, {"region": os.environ.get("AWS_REGION"), **known})
        arrow.children = lru_cache(16)(arrow.children)  # type: ignore[method-assign]
        return arrow

    def _object(self, meta: Mapping[str, Any]) -> Object:
        return Object(meta["path"], meta["size"], meta["e_tag"], meta["last_modified"])


_NAMES_OF_ARROW = {
    "region": "region",
    "access_key_id": "access_key",
    "secret_access_key": "secret_key",
    "session_token": "session_token",
    "token": "session_token",
    "skip_signature": "anonymous",
}


def _endpoint() -> str:
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


class _Arrow:
    ordered = False

    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        from pyarrow import fs  # type: ignore[import-untyped, import-not-found, unused-ignore]

        self._fs: Any = fs
        uri = re.sub("^s3a:", "s3:", uri)
        with _named(uri):
            if options and uri.startswith("s3:"):
                self._files: Any = fs.S3FileSystem(**options)
                root = uri.partition("://")[2]
            else:
                self._files, root = fs.FileSystem.from_uri(f"{uri}/")
        self._root = root.rstrip("/")

    def children(self, prefix: str) -> Children:
        path = f"{self._root}/{prefix}".rstrip("/")
        selector = self._fs.FileSelector(path, allow_not_found=True)
        found = self._files.get_file_info(selector)
        kinds = self._fs.FileType
        directories = [self._key(it.path) + "/" for it in found if it.type == kinds.Directory]
        return (
            [_within(prefix, name) for name in directories],
            [self._object(it) for it in found if it.type == kinds.File],
        )

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        path = f"{self._root}/{key}"
        # First what it is, then its bytes: a change in between shows in the next listing.
        info = self._files.get_file_info(path)
        if info.type == self._fs.FileType.NotFound:
            raise FileNotFoundError(path)
        with self._files.open_input_file(path) as file:
            rest = max(0, info.size - start)
            wanted = rest if length is None else min(rest, length)
            return self._object(info), file.read_at(wanted, start)

    def put(self, key: str, path: Path) -> None:
        self._fs.copy_files(
            str(path), f"{self._root}/{key}", self._fs.LocalFileSystem(), self._files
        )

    def _key(self, path: str) -> str:
        return path.removeprefix(f"{self._root}/")

    def _object(self, info: Any) -> Object:
        modified: datetime | None = info.mtime
        return Object(self._key(info.path), info.size, None, modified)


def _within(prefix: str, directory: str) -> str:
    """A directory whose name is empty is shown as the one that it is in."""
    return f"{prefix}/" if directory == prefix else directory


class _Fsspec:
    ordered = False

    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        import fsspec  # type: ignore[import-untyped, unused-ignore]

        self._files: Any
        with _named(uri):
            self._files, root = fsspec.core.url_to_fs(f"{uri}/", **options)
        self._root = str(root).rstrip("/")

    def children(self, prefix: str) -> Children:
        self._files.invalidate_cache()
        try:
            found = self._files.ls(self._path(prefix), detail=True)
        except FileNotFoundError:
            return [], []
        directories: list[str] = []
        objects: list[Object] = []
        for info in found:
            key = self._key(info["name"]).rstrip("/")
            if info.get("islink") or not key:
                continue
            if info["type"] == "directory":
                directories.append(_within(prefix, f"{key}/"))
            # A directory may have an object of its own, under the name of the directory.
            elif info["type"] == "file" and f"{key}/" != prefix:
                objects.append(self._object(info))
        return directories, objects

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        path = self._path(key)
        self._files.invalidate_cache()
        now = self._object(self._files.info(path))
        end = None if length is None else start + length
        # S3 refuses ranges of empty objects.
        return now, self._files.cat_file(path, start=start or None, end=end)

    def put(self, key: str, path: Path) -> None:
        self._files.put_file(str(path), self._path(key))

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


_ADAPTERS: Mapping[str, Callable[[str, Mapping[str, Any]], Any]] = {
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
        if isinstance(error, FileNotFoundError) or "File name too long" in str(error):
            raise Gone(f"{self._key}: it does not exist") from error
        if not isinstance(error, Exception) or isinstance(error, (StoreError, ImportError)):
            return
        text = str(error)[:10_000]
        odd = re.search(r'path: "((?:[^"\\]|\\.)+)"', text)
        if type(error).__name__ == "InvalidPathError" and odd is not None:
            raise _OddKey(_unescaped(odd.group(1))) from error
        if "Could not parse path" in text:
            raise StoreError(f"{self._key}: {ODD}") from error
        raise _meant(self._key, type(error).__name__, text) from error


def _unescaped(text: str) -> str:
    """A text as Rust shows it, without its quotes."""
    text = re.sub(r"\\u\{([0-9a-f]+)\}", lambda it: chr(int(it.group(1), 16)), text)
    letters = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
    return re.sub(r"\\(.)", lambda it: letters.get(it.group(1), it.group(1)), text)


_STATUS = re.compile(r"(?i)(?:status(?:[ _]code)?|http|server error)\W{1,4}([45]\d\d)\b")
_REFUSED = {"PermissionDeniedError": 403, "PermissionError": 403, "UnauthenticatedError": 401}
_SIGNS = (
    (re.compile(r"(?i)\b(slow[ _]?down|service[ _]?unavailable)\b"), 503),
    (re.compile(r"(?i)\b(access[ _]?denied|forbidden)\b"), 403),
    (re.compile(r"(?i)timed? ?out"), "does not answer in time"),
    (re.compile(r"(?i)connect"), "can't be reached"),
)


def _meant(key: str, name: str, text: str) -> StoreError:
    """Returns the answer of a store without times, numbers of retries and ids of requests, so that
    it is the same each time."""
    status = _STATUS.search(text)
    answer: int | str | None = int(status.group(1)) if status else _REFUSED.get(name)
    if answer is None:
        signs = (meaning for sign, meaning in _SIGNS if sign.search(text))
        answer = next(signs, f"can't be read ({name})")
    if isinstance(answer, int):
        message = f"{key}: its store answers {answer}"
        if answer < 500 and answer not in (408, 429):
            return StoreError(message)
    else:
        message = f"{key}: its store {answer}"
    passing = _Passing(message)
    passing.is_throttling = answer in (429, 503)
    return passing
