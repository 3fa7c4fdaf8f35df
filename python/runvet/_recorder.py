"""The recorder: the actions of a run -> an episode, valid at any time, also after a crash."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from . import _runvet
from ._check import PathLike
from ._encode import Default, encoder
from ._policy import Policy
from ._read import Episode
from ._report import Finding
from ._run import Recorded, Run, _all_are, _micros
from ._tool import is_async

Ask = Callable[[str, Any, tuple[Finding, ...]], bool | tuple[bool, str]]
"""Asks a person about a call: it is called with the tool, its input and what rules find, and
returns whether the call may be made, and perhaps who says so."""

Durability = Literal["process", "snapshot", "event"]
"""The guarantee: survives a crash; a power failure up to the last snapshot; or up to each event."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition on the workspace when the run ends `ok`."""

    name: Literal["file_exists", "file_contains"]
    target: str
    text: str | None = None


def file_exists(target: str) -> Assertion:
    """A file exists below the workspace."""
    return Assertion("file_exists", target)


def file_contains(target: str, text: str) -> Assertion:
    """A file below the workspace exists, and contains a text."""
    return Assertion("file_contains", target, text)


@dataclass(frozen=True, slots=True)
class Recovered:
    """The result of `Recorder.recover`.

    `intact`: nothing. `cut`: it cut off an event of `bytes` that was not written whole.
    `learning`: it made `learn.jsonl` repeat the proposals of the timeline again. `completed`: it
    wrote what was missing of a run that had ended.
    """

    kind: Literal["intact", "cut", "learning", "completed"]
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Settings:
    run_data: Path
    default: Default | None
    config: Path | None
    policies: tuple[Policy, ...] = ()
    threshold: float | None = None
    durability: Durability = "snapshot"
    clock: tuple[int, int] | None = None
    hold_back: bool = True
    anchor: bool = False
    ask: Ask | None = None


class Recorder:
    """A recorder of runs. Its methods that set something return another recorder.

    >>> recorder = runvet.Recorder("runs").policy(NoReviews()).durability("event")  # doctest: +SKIP
    """

    __slots__ = ("_made", "_settings")

    _made: _runvet.Recorder | None
    _settings: _Settings

    def __init__(
        self,
        run_data: PathLike,
        *,
        default: Default | None = None,
        config: PathLike | None = None,
        hold_back: bool = True,
        anchor: bool = False,
        ask: Ask | None = None,
    ) -> None:
        """`default` replaces values that JSON does not have, as in `json.dumps`.

        It raises `TypeError` for a value that it does not know.

        With `config`, a `runvet.toml`, its schemas, vocabulary, orders and rules judge the runs
        while they are written. A call of a tool, or inputs of a step, in which they find an error
        are `Refused`, before anything happens; with `hold_back=False` they are not. What has
        happened is recorded whatever is found: that is among the `findings` of the run and of the
        step, and a `FindingWarning`.

        With `anchor`, each projection event has the digest of the timeline before it, and the rule
        `strict/prefix` finds a line that is changed later. A run that began so goes on so.

        `ask` is called where rules of the level `ask` want a person to decide about a call. The
        answer is an event, and a yes is for that call alone. Without `ask`, or where it raises or
        returns anything else, the call is `Refused`. It can't call the run, and the calls of other
        threads wait for it.
        """
        if not isinstance(hold_back, bool):
            raise TypeError(f"hold_back is {hold_back!r}, not a bool")
        if not isinstance(anchor, bool):
            raise TypeError(f"anchor is {anchor!r}, not a bool")
        if ask is not None and (not callable(ask) or is_async(ask)):
            raise TypeError(f"ask is {ask!r}, not a function that returns an answer")
        config = None if config is None else Path(config)
        self._settings = _Settings(
            Path(run_data), default, config, hold_back=hold_back, anchor=anchor, ask=ask
        )
        self._made = None
        if config is not None:
            # A mistake in it is one of this call.
            self._made = self._recorder

    def _with(self, **changed: Any) -> Recorder:
        other = Recorder.__new__(Recorder)
        other._settings = replace(self._settings, **changed)
        other._made = None
        return other

    def __getstate__(self) -> object:
        return None, {"_made": None, "_settings": self._settings}

    def policy(self, policy: Policy) -> Recorder:
        """Adds a policy, which is asked after those before it.

        With any, runs are recorded in mode `meta`, without one in mode `minimal`.
        """
        return self._with(policies=(*self._settings.policies, policy))

    def threshold(self, threshold: float) -> Recorder:
        """Sets the confidence from which interventions are applied; 0.5 unless set."""
        return self._with(threshold=threshold)

    def durability(self, durability: Durability) -> Recorder:
        """Sets what of a run survives a failure."""
        return self._with(durability=durability)

    @property
    def _recorder(self) -> _runvet.Recorder:
        if self._made is None:
            given = self._settings
            self._made = _runvet.Recorder(
                str(given.run_data),
                list(given.policies),
                given.threshold,
                given.durability,
                given.clock,
                encoder(given.default),
                None if given.config is None else str(given.config),
                given.hold_back,
                given.anchor,
                given.ask,
            )
        return self._made

    def begin(
        self,
        task: str,
        *,
        type: str | None = None,
        seed: float | None = None,
        tags: Mapping[str, Any] | None = None,
        using: str | None = None,
        workspace: PathLike | None = None,
        verify: Iterable[Assertion] = (),
        id: str | None = None,
        started_at: datetime | None = None,
        parent: str | None = None,
    ) -> Run:
        """Begins a run, with a new id unless one is given.

        `parent` is the id of the run that it is a part of, and becomes the tag `parent`.
        `using` labels what executes it. The files of a `workspace` before and after the run are
        compared, and the assertions are checked there when it ends `ok`. With `started_at`, the run
        is recorded afterwards: all events happen at this time, until `Run.at` sets another one.
        """
        if parent is not None:
            if tags is not None and "parent" in tags:
                raise ValueError("the parent is given twice: as `parent` and as a tag")
            tags = {**(tags or {}), "parent": parent}
        made = self._recorder.begin(
            task,
            type,
            seed,
            tags,
            using,
            _path(workspace),
            [(it.name, it.target, it.text) for it in _all_are(Assertion, "verify", verify)],
            id,
            None if started_at is None else _micros(started_at),
        )
        return self._run(made)

    def resume(self, episode_id: str, *, workspace: PathLike | None = None) -> Run:
        """Goes on with a run that was paused, or whose process died.

        If it was begun with a `workspace` by another process, it has to be named again: a directory
        that only the records name is not opened.

        Raises `UnknownRun`, `RunBusy`, `RunEnded`, and `RunUntrusted` where its records contradict
        each other or were not written by a recorder.
        """
        resumed = self._recorder.resume(episode_id, _path(workspace))
        run = self._run(resumed)
        for event in Episode.at(run.path).events(phase="reason"):
            usage = event["payload"].get("usage")
            if event["payload"].get("kind") == "message" and isinstance(usage, Mapping):
                run._add_usage(usage)
        return run

    def _run(self, made: _runvet.Run) -> Run:
        given = self._settings
        is_judged = given.config is not None or bool(given.policies)
        return Run._of(made, encoder(given.default), is_judged, self._holds_back)

    @property
    def _holds_back(self) -> bool:
        return self._settings.config is not None and self._settings.hold_back

    def recover(self, episode_id: str) -> Recovered:
        """Makes the records of a run whole after its process died. Raises as `resume` does."""
        return Recovered(*self._recorder.recover(episode_id))

    def abandon(
        self, episode_id: str, reason: str, *, workspace: PathLike | None = None
    ) -> Recorded:
        """Ends a run whose process died, as `aborted`. Raises as `resume` does.

        The files of its `workspace` are compared only if it is named here.
        """
        made, digest = self._recorder.abandon(episode_id, reason, _path(workspace))
        return Recorded(episode_id, Path(made), manifest_sha256=digest)


def _path(path: PathLike | None) -> str | None:
    return None if path is None else os.fspath(path)
