"""Exceptions that carry data, for what keeps runvet from reading, checking or recording.

A mistake in a record is never an exception: it is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._report import Finding


class FindingWarning(UserWarning):
    """The recorder's configuration has a finding about what was recorded. It is still recorded."""


class RunvetError(Exception):
    """The base of all exceptions of runvet. Each can be pickled, with its attributes."""

    def __init__(self, message: str = "", **attributes: Any) -> None:
        super().__init__(message)
        self.__dict__.update(attributes)

    def __str__(self) -> str:
        # An OSError would print its errno.
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.args, self.__dict__.copy())


def _rebuilt(
    kind: type[RunvetError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> RunvetError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


class NoRunData(RunvetError, FileNotFoundError):
    """There is no run-data directory at `path`."""

    path: Path


class UnknownRun(RunvetError, LookupError):
    """No run has the `id`; `nearest` are ids that differ from it in a few letters."""

    id: str
    nearest: list[str]

    def __init__(self, message: str, *, id: str, nearest: Iterable[str] = ()) -> None:
        super().__init__(message, id=id, nearest=list(nearest))


class AmbiguousRun(RunvetError, LookupError):
    """Several runs match the `prefix`: `matches` names some of them."""

    prefix: str
    matches: list[str]


class ArtifactError(RunvetError, ValueError):
    """An artifact can't be read, or a line of it is not an event. Line and column count from 1."""

    path: Path
    line: int | None
    column: int | None
    reason: str


class Fault(RunvetError, OSError):
    """A path that was given does not exist, or can't be read or written."""

    path: Path


class SealError(RunvetError, ValueError):
    """Runs can't be sealed, or compared with the seal at `path`; the message says why."""

    path: Path


class UnknownRule(RunvetError, LookupError):
    """No rule, and no group of rules, has the `name`; `nearest` is the most similar one."""

    name: str
    nearest: str | None = None


class ConfigError(RunvetError, ValueError):
    """A configuration, what it names, or a baseline is not right. Line and column count from 1.

    The message has all mistakes, each with its place; the attributes are those of the first, and
    `others` has an exception for each of the others.
    """

    file: Path
    line: int | None = None
    column: int | None = None
    others: tuple[ConfigError, ...] = ()


class PolicyError(RunvetError):
    """A policy raised an exception, which is the cause of this one, or did not return advice."""

    policy: str
    version: str


class RecorderError(RunvetError):
    """A call of the recorder failed; `kind` names the reason. Nothing was written."""

    kind: str


class Refused(RecorderError, ValueError):
    """The call asks for something that a valid run can't have, or exceeds a limit.

    `findings` are those of the recorder's configuration, if it refuses it. A call of a tool that is
    held back has not been made, and the run has the event of a veto: catch this, and go on.
    """

    findings: tuple[Finding, ...] = ()


class RunExists(RecorderError):
    """An episode of the id `episode_id` exists already."""

    episode_id: str


class RunBusy(RecorderError):
    """Another process records the episode."""

    episode_id: str


class RunEnded(RecorderError):
    """The run has ended with `status`, or `pause` was called: `pending`. Nothing can be added."""

    episode_id: str
    status: str


class RunUntrusted(RecorderError):
    """The records are not those of a run that the recorder can go on with.

    `report` is what the check found, as a dictionary, or None where the timeline can't be read.
    """

    episode_id: str
    reason: str
    report: dict[str, Any] | None


class Vetoed(RunvetError):
    """A policy blocked a step, or the run: `scope` says which."""

    step: str | None = None
    policy: str
    reason: str
    scope: str


class StepSkipped(RunvetError):
    """A policy skipped the step that was to be opened: it is not to be executed."""

    step: str
