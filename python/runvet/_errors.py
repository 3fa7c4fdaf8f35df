"""What stands in the way of reading, checking or recording, as exceptions that carry data.

What is wrong in a record is never an exception: it is a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._report import Finding


class FindingWarning(UserWarning):
    """The configuration of a recorder finds something in what was recorded, all the same."""


class RunvetError(Exception):
    """The base of all exceptions of runvet. Each can be pickled, with its attributes."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)

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

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class UnknownRun(RunvetError, LookupError):
    """No run has the `id`; `nearest` are ids that differ from it in a few letters."""

    id: str
    nearest: list[str]

    def __init__(self, message: str, *, id: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.id = id
        self.nearest = list(nearest)


class AmbiguousRun(RunvetError, LookupError):
    """Several runs match the `prefix`: `matches` names some of them."""

    prefix: str
    matches: list[str]

    def __init__(self, message: str, *, prefix: str, matches: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.prefix = prefix
        self.matches = list(matches)


class ArtifactError(RunvetError, ValueError):
    """An artifact can't be read, or a line of it is not an event. Line and column count from 1."""

    path: Path
    line: int | None
    column: int | None
    reason: str

    def __init__(
        self, message: str, *, path: Path, line: int | None, column: int | None, reason: str
    ) -> None:
        super().__init__(message)
        self.path = path
        self.line = line
        self.column = column
        self.reason = reason


class Fault(RunvetError, OSError):
    """A path that was given does not exist, or can't be read or written."""

    path: Path

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class UnknownRule(RunvetError, LookupError):
    """No rule, and no group of rules, has the `name`; `nearest` is the most similar one."""

    name: str
    nearest: str | None

    def __init__(self, message: str, *, name: str, nearest: str | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.nearest = nearest


class ConfigError(RunvetError, ValueError):
    """A configuration or a baseline is not right. Line and column count from 1."""

    file: Path
    line: int | None
    column: int | None

    def __init__(
        self, message: str, *, file: Path, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class PolicyError(RunvetError):
    """A policy raised an exception, which is the cause of this one, or gave no advice."""

    policy: str
    version: str

    def __init__(self, message: str, *, policy: str, version: str) -> None:
        super().__init__(message)
        self.policy = policy
        self.version = version


class RecorderError(RunvetError):
    """A call of the recorder failed; `kind` is a word for why. Nothing was written."""

    kind: str

    def __init__(self, message: str, *, kind: str, **data: Any) -> None:
        super().__init__(message)
        self.kind = kind
        for name, value in data.items():
            setattr(self, name, value)


class Refused(RecorderError, ValueError):
    """The call asks for what a sound run does not have, or for more than the limits.

    `findings` are those of the schemas of the recorder's configuration, if they refuse it.
    """

    findings: tuple[Finding, ...] = ()


class RunExists(RecorderError):
    """An episode of the id `episode_id` exists already."""

    episode_id: str


class RunBusy(RecorderError):
    """Another process records the episode."""

    episode_id: str


class RunEnded(RecorderError):
    """The run has ended with `status`, and nothing is added to one that has."""

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

    step: str | None
    policy: str
    reason: str
    scope: str

    def __init__(
        self, message: str, *, policy: str, reason: str, scope: str, step: str | None = None
    ) -> None:
        super().__init__(message)
        self.step = step
        self.policy = policy
        self.reason = reason
        self.scope = scope


class StepSkipped(RunvetError):
    """A policy skipped the step that was to be opened: it is not to be executed."""

    step: str

    def __init__(self, message: str, *, step: str) -> None:
        super().__init__(message)
        self.step = step
