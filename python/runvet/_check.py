"""Checking: paths or records -> reports."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, TypeAlias

from . import _runvet
from ._columns import Columns
from ._report import EpisodeReport, Report, Verification

PathLike: TypeAlias = "str | os.PathLike[str]"
Level = Literal["error", "ask", "warning", "off"]
"""The severity of the findings of a rule; `off`: the rule is not checked."""


class Nearest(Enum):
    """The file that the command would read."""

    NEAREST = "nearest"
    """`$RUNVET_CONFIG`, or the nearest `runvet.toml`, from the working directory up to the root of
    the repository."""


NEAREST = Nearest.NEAREST
Profile = Literal["strict"]
FILES = ("config", "baseline")
NAMES = ("select", "require")
SWITCHES = ("verify_manifest", "deny_warnings", "deny_unjudged", "require_ended")
"""Keywords of `Check` that are options wherever runs are checked: files, lists of rules, and what
is true, false, or left to the configuration."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its id, its level unless set otherwise, the defect, what to do, and its page."""

    id: str
    severity: Level
    title: str
    hint: str
    page: str


class Check:
    """The settings of a check. It can be pickled, and one for each process is enough.

    `rules` sets levels of rules (`{"plan/*": "off"}`), `config` is a `runvet.toml`, and `baseline`
    a file that `runvet validate --write-baseline` wrote. Without `config`, a check follows the file
    that the command reads in the working directory, if there is one: the nearest `runvet.toml`;
    `config=None` asks for none. `settings` of a report says which it was. `jobs` limits the
    threads.

    `verify_manifest` checks the files that manifests name, and that they name all; `deny_warnings`,
    `deny_unjudged` and `require_ended` make a check fail on warnings, on rules that could not be
    judged, and on runs that have not ended; None leaves that to `config`. `profile="strict"` stands
    for all of these and `strict_config`, with the group `strict` as errors. `select` names the
    rules and groups that are checked, and no others; `require` those that must judge each run that
    has ended, see `coverage/required`.

    With `allow_empty`, the exit code is 0 where there was nothing to check. With `strict_config`,
    a glob of `config` that matches no directory raises `ConfigError` at the end of a check.
    """

    __slots__ = ("_checker", "_keywords", "_searches")

    def __init__(
        self,
        *,
        rules: Mapping[str, Level] = {},
        select: str | Iterable[str] = (),
        require: str | Iterable[str] = (),
        config: PathLike | Nearest | None = NEAREST,
        baseline: PathLike | None = None,
        jobs: int | None = None,
        follow_links: bool | PathLike = False,
        deny_warnings: bool | None = None,
        deny_unjudged: bool | None = None,
        verify_manifest: bool | None = None,
        require_ended: bool | None = None,
        profile: Profile | None = None,
        allow_empty: bool = False,
        strict_config: bool = False,
    ) -> None:
        if verify_manifest is not None:
            digest: Level = "error" if verify_manifest else "off"
            unlisted: Level = "warning" if verify_manifest else "off"
            rules = {"manifest/digest": digest, "manifest/unlisted": unlisted, **rules}
        if require_ended is not None:
            rules = {"lifecycle/unended": "error" if require_ended else "off", **rules}
        if not isinstance(follow_links, bool):
            follow_links = os.fspath(follow_links)
        self._keywords: dict[str, Any] = {
            "rules": dict(rules),
            "select": one_or_more(select),
            "require": one_or_more(require),
            "config": _found(config),
            "baseline": None if baseline is None else Path(baseline),
            "jobs": jobs,
            "follow_links": follow_links,
            "deny_warnings": deny_warnings,
            "deny_unjudged": deny_unjudged,
            "profile": profile,
            "allow_empty": allow_empty,
            "strict_config": strict_config,
        }
        self._searches = config is NEAREST and not os.environ.get("RUNVET_CONFIG")
        self._open({})

    def _open(self, files: dict[Path, str]) -> None:
        """Sets the check up; what is among the files is not read."""
        levels = [*self._keywords["rules"].items()]
        # What asks a path for its text executes Python code within a call of the module.
        paths = {name: _text_of(self._keywords[name]) for name in FILES}
        self._checker = _runvet.Checker({**self._keywords, **paths, "rules": levels}, files)

    def __reduce__(self) -> tuple[Any, ...]:
        return _check_of, (self._keywords, self._checker.files())

    def __repr__(self) -> str:
        keywords = (f"{name}={value!r}" for name, value in self._keywords.items())
        return f"Check({', '.join(keywords)})"

    def rules(self) -> list[Rule]:
        """All rules: the built-in ones, then those that `config` and its packs declare."""
        return [Rule(*rule) for rule in self._checker.rules()]

    def run(self, *paths: PathLike) -> Report:
        """Checks all episodes below paths, the working directory if there are none.

        Warns of each file that may be taken for the configuration and is not in force, where none
        is named.
        """
        given = _paths(paths)
        report = self._checker.run(given)
        if self._searches:
            for sentence in _runvet.configs_not_in_force(given):
                warnings.warn(sentence, UserWarning, stacklevel=3)
        return report

    def each(self, *paths: PathLike) -> Checking:
        """Checks all episodes below paths, one after the other, in the order of their paths.

        Memory does not grow with their number. The work ends when the iterator is dropped.
        """
        return Checking(self._checker.each(_paths(paths)))

    def records(
        self,
        episode_id: str,
        records: Mapping[str, bytes | None],
        *,
        uri: str | None = None,
    ) -> EpisodeReport:
        """Checks records that are in memory, by their names: `state`, `events`, ….

        None stands for an artifact that is there, and whose bytes were not fetched. The report
        names the episode by `uri`.
        """
        return self._checker.records(episode_id, records, uri)

    def batch(self, episodes: Iterable[tuple[str, Mapping[str, bytes | None]]]) -> Columns:
        """Checks many such episodes at once, and returns columns with a row for each.

        They are `episode_id`, `uri`, `lifecycle`, `mode`, `adapter`, `valid`, `errors`, `warnings`,
        and lists of dictionaries: `findings`, `skipped`, `suppressed`.
        """
        return self._checker.batch(episodes)


def _check_of(keywords: dict[str, Any], files: dict[Path, str]) -> Check:
    """A check that was pickled. Its files travel with it: they need not be on this machine."""
    check = Check.__new__(Check)
    check._keywords = keywords
    check._searches = False
    check._open(files)
    return check


class Checking(Iterator[EpisodeReport]):
    """A check that goes on: an iterator over the reports of episodes."""

    __slots__ = ("_checking",)

    def __init__(self, checking: _runvet.Checking) -> None:
        self._checking = checking

    def __iter__(self) -> Checking:
        return self

    def __next__(self) -> EpisodeReport:
        return next(self._checking)

    @property
    def summary(self) -> Report | None:
        """Totals, faults and exit code, without the episodes; None while the check goes on."""
        return self._checking.summary


def validate(
    *paths: PathLike,
    rules: Mapping[str, Level] = {},
    select: str | Iterable[str] = (),
    require: str | Iterable[str] = (),
    config: PathLike | Nearest | None = NEAREST,
    baseline: PathLike | None = None,
    jobs: int | None = None,
    follow_links: bool | PathLike = False,
    deny_warnings: bool | None = None,
    deny_unjudged: bool | None = None,
    verify_manifest: bool | None = None,
    require_ended: bool | None = None,
    profile: Profile | None = None,
    allow_empty: bool = False,
    strict_config: bool = False,
) -> Report:
    """Checks all episodes below paths, the working directory if there are none, see `Check`.

    Raises `Fault` where a path that is given does not exist. What can't be looked at below it is
    among the `faults` of the report.
    """
    check = Check(
        rules=rules,
        select=select,
        require=require,
        config=config,
        baseline=baseline,
        jobs=jobs,
        follow_links=follow_links,
        deny_warnings=deny_warnings,
        deny_unjudged=deny_unjudged,
        verify_manifest=verify_manifest,
        require_ended=require_ended,
        profile=profile,
        allow_empty=allow_empty,
        strict_config=strict_config,
    )
    return check.run(*paths)


def verify(
    seal: PathLike,
    *paths: PathLike,
    allow_new: bool = False,
    require_same_rules: bool = False,
    check: Check | None = None,
) -> Verification:
    """Compares runs with a seal, as `runvet verify` does: are these the bytes that were judged?

    With `allow_new`, a run that is not sealed is no change. Rules and files of the configuration
    that are not those of `check` are among `other_rules`; with `require_same_rules`, the exit code
    is 1 then. Raises `SealError` for a seal that can't be relied on, and a path that does not
    exist.
    """
    checker = given_or_default(check)._checker
    return checker.verify(os.fsdecode(seal), _paths(paths), allow_new, require_same_rules)


def check_records(
    episode_id: str, records: Mapping[str, bytes | None], *, check: Check | None = None
) -> EpisodeReport:
    """Checks records that are in memory, see `Check.records`."""
    return given_or_default(check).records(episode_id, records)


def _text_of(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def _found(config: PathLike | Nearest | None) -> Path | None:
    """The configuration that is asked for."""
    if isinstance(config, Nearest):
        config = os.environ.get("RUNVET_CONFIG") or _runvet.nearest_config()
    return None if config is None else Path(config)


def _paths(paths: tuple[PathLike, ...]) -> list[str]:
    return [os.fsdecode(path) for path in paths] or ["."]


def one_or_more(words: str | Iterable[str]) -> list[str]:
    """Words that are given alone or several."""
    return [words] if isinstance(words, str) else list(words)


_DEFAULT: Check | None = None


def given_or_default(check: Check | None) -> Check:
    """The check that is given, or one that follows the configuration as the command does."""
    global _DEFAULT
    if check is None and _found(NEAREST) is not None:
        check = Check()
    elif check is None:
        check = _DEFAULT = _DEFAULT or Check(config=None)
    if not isinstance(check, Check):
        raise TypeError(f"check is a {type(check).__name__}, not a runvet.Check")
    return check
