"""Logs that other agents write -> runs, one for each conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, cast

from . import _runvet
from ._check import PathLike

Change = Literal["new", "again", "unchanged", "refused"]
"""What became of a run: it is new, its log has changed, it is as it was, or it was not made."""


@dataclass(frozen=True)
class ImportedRun:
    """A run of an import."""

    id: str
    """The id of the run."""
    path: Path
    """The directory of the run."""
    format: str
    """The format of the log, such as `claude-code`."""
    source: str
    """The path of the log."""
    change: Change
    """What became of the run."""
    reason: str | None = None
    """Why it was refused."""


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    runs: tuple[ImportedRun, ...]
    """The runs of the conversations that were found, in the order of the files."""
    skipped: dict[str, int]
    """What was left out: the number of parts of each type."""
    errors: tuple[str, ...]
    """What could not be imported, and why."""
    notes: tuple[str, ...]
    """What else there is to say."""

    @property
    def ok(self) -> bool:
        """Whether all was imported: the exit code of the command is 0."""
        return not self.errors and all(run.change != "refused" for run in self.runs)


def import_logs(
    *paths: PathLike,
    into: PathLike,
    format: str = "auto",
    only: Iterable[str] = (),
    since: datetime | None = None,
    tags: Mapping[str, str] | None = None,
    ended: bool = False,
    anchor: bool = False,
    strict: bool = False,
    redact: bool = False,
    key: PathLike | None = None,
) -> Imported:
    """Imports logs, and directories of logs, into a run-data directory, as `runvet import` does.

    A log that is imported again changes nothing; one that has grown replaces its run. With `ended`,
    nothing follows: a conversation that ends within a turn ends as `partial`. With `anchor`, runs
    are anchored, see `Recorder`. With `redact`, no text of a log is in its run but what stays by
    its nature, see `redact`; `key` is the file of its key, by which a log that is imported again is
    known. Raises `OSError` for a path or key that can't be used, and `ValueError` for a format that
    there is not, and for `redact` without `key`.
    """
    if redact != (key is not None):
        raise ValueError("redact and key belong together: without its key no log is known again")
    if since is not None and since.tzinfo is None:
        raise ValueError(f"since is {since}, which has no offset")
    runs, skipped, errors, notes = _runvet.import_logs(
        [Path(path) for path in paths],
        Path(into),
        None if format == "auto" else format,
        list(only),
        since,
        dict(tags or {}),
        ended,
        anchor,
        strict,
        None if key is None else Path(key),
    )
    made = (
        ImportedRun(id, path, name, source, cast(Change, change), reason)
        for id, path, name, source, change, reason in runs
    )
    return Imported(tuple(made), skipped, tuple(errors), tuple(notes))
