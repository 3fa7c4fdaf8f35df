"""The plugin for pytest: a fixture that validates runs, and `pytest --runvet runs/`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ._check import Check, PathLike
from ._errors import RunvetError
from ._report import EpisodeReport, Report

Validate = Callable[..., Report]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("runvet")
    group.addoption(
        "--runvet",
        metavar="PATH",
        action="append",
        default=[],
        help="check the episodes below a path, each as a test; repeatable",
    )
    group.addoption("--runvet-config", metavar="FILE", help="the runvet.toml to follow")
    group.addoption("--runvet-baseline", metavar="FILE", help="findings that do not count")


def _check(config: pytest.Config) -> Check:
    return Check(
        config=config.getoption("runvet_config"), baseline=config.getoption("runvet_baseline")
    )


@pytest.fixture
def runvet_validate(request: pytest.FixtureRequest) -> Validate:
    """Validates the runs below paths: the test fails with the findings, if there are errors.

    Takes what `runvet.Check` takes, and returns the report.
    """

    def validate(*paths: PathLike, **settings: Any) -> Report:
        __tracebackhide__ = True
        check = Check(**settings) if settings else _check(request.config)
        report = check.run(*paths)
        if report.exit_code == 3:
            shown = ", ".join(os.fspath(path) for path in paths)
            pytest.fail(f"no episode is below {shown}", pytrace=False)
        if not report.ok:
            pytest.fail(report.render(), pytrace=False)
        return report

    return validate


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    paths: list[str] = config.getoption("runvet")
    if not paths:
        return
    try:
        check = _check(config)
        episodes, faults = check._checker.discover(paths)
    except RunvetError as error:
        raise pytest.UsageError(str(error)) from None
    if not episodes and not faults:
        raise pytest.UsageError(f"no episode is below {', '.join(paths)}")
    for path, message in faults:
        items.append(FaultItem.from_parent(session, name=str(path), message=message))
    for path, _ in episodes:
        items.append(EpisodeItem.from_parent(session, name=str(path), episode=path, check=check))


class NotValid(Exception):
    """An episode has findings of severity `error`, or could not be judged."""


class EpisodeItem(pytest.Item):
    """One episode as a test."""

    def __init__(self, *, episode: Path, check: Check, **more: Any) -> None:
        super().__init__(**more)
        self.episode = episode
        self.check = check

    def runtest(self) -> None:
        report = self.check.run(self.episode)
        if not report.ok:
            raise NotValid(report.render())
        for episode in report.episodes:
            self._tell(episode)

    def _tell(self, episode: EpisodeReport) -> None:
        """Shows what does not make the test fail, where pytest shows what passed too."""
        if episode.findings:
            self.add_report_section("call", "runvet", episode.render())

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        if isinstance(excinfo.value, (NotValid, RunvetError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.episode, None, f"runvet: {self.name}"


class FaultItem(pytest.Item):
    """A path that could not be searched, as a test that fails."""

    def __init__(self, *, message: str, **more: Any) -> None:
        super().__init__(**more)
        self.message = message

    def runtest(self) -> None:
        raise NotValid(self.message)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        return str(excinfo.value)
