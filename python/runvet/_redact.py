"""Runs -> copies without their texts, in which the same rules find the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import _runvet
from ._check import Check, PathLike


@dataclass(frozen=True)
class Redacted:
    """The copies that were made."""

    runs: dict[Path, Path]
    """The directories of the runs that were copied, each with that of its copy."""
    refused: tuple[str, ...]
    """The runs without a copy, and the paths that could not be searched, each with the reason."""
    readable: dict[str, int]
    """What is still readable: the numbers of `keys`, `ids`, `words`, `paths`, `times`, `numbers`
    and other `texts`."""
    changed: dict[str, int]
    """The rules of `check` that find something else in copies, each with the number of runs."""

    @property
    def ok(self) -> bool:
        """Whether all runs were copied, and rules find the same."""
        return not self.refused and not self.changed


def redact(
    *paths: PathLike,
    to: PathLike,
    key: PathLike | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    patterns: Iterable[str] = (),
    keep_files: Iterable[str] = (),
    check: Check | None = None,
) -> Redacted:
    """Copies runs, and run-data directories, without their texts, as `runvet redact` does.

    `to` must not exist or be empty. `key` is a file with the key, which is made where it is absent;
    without it, the key is forgotten. `drop` and `keep` name keys or JSON Pointers, `patterns` are
    regular expressions, `keep_files` globs of files. With `check`, what the schemas of its
    configuration mark goes too, and its rules judge both sides.

    Raises `ValueError` for a setting or a key that is wrong, and `OSError` where nothing can be
    copied; then nothing is written.
    """
    runs, refused, readable, changed = _runvet.redact(
        [Path(path) for path in paths],
        Path(to),
        None if key is None else Path(key),
        list(drop),
        list(keep),
        list(patterns),
        list(keep_files),
        None if check is None else check._checker,
    )
    return Redacted(dict(runs), tuple(refused), readable, changed)
