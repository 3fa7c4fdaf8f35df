"""The plugin for pytest: a fixture that validates runs, and `pytest --runvet runs/`.

pytest imports this wherever it is installed, so it imports runvet only where somebody needs it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from runvet import Check, Report

Validate = Callable[..., "Report"]

NAME = "runvet"
"""The name of the test of an episode, below its directory."""


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
    parser.addini("runvet", "paths that --runvet checks, unless it is given", type="paths")
    parser.addini("runvet_config", "the runvet.toml to follow, beside this file; the nearest otherwise")
    parser.addini("runvet_baseline", "findings that do not count, beside this file")
    parser.addini("runvet_deny_warnings", "whether warnings fail a test", type="bool")


def _check(config: pytest.Config) -> Check:
    from runvet import Check
    from runvet._check import NEAREST

    def file(name: str) -> Path | None:
        if given := config.getoption(f"runvet_{name}"):
            return Path(given)
        written = config.getini(f"runvet_{name}")
        return (config.inipath or config.rootpath / "x").parent / written if written else None

    deny = config.getini("runvet_deny_warnings") or None
    named = file("config") or NEAREST
    return Check(config=named, baseline=file("baseline"), deny_warnings=deny)


@pytest.fixture
def runvet_validate(request: pytest.FixtureRequest) -> Validate:
    """Validates the runs below paths: the test fails with the findings, if there are errors.

    Takes what `runvet.Check` takes, and returns the report.
    """
    from runvet import Check

    def validate(*paths: str | os.PathLike[str], **settings: Any) -> Report:
        __tracebackhide__ = True
        check = Check(**settings) if settings else _check(request.config)
        report = check.run(*paths)
        if report.exit_code == 3:
            shown = ", ".join(os.fspath(path) for path in paths or ["."])
            pytest.fail(f"no episode is below {shown}", pytrace=False)
        if not report.ok:
            pytest.fail(f"{report.render()}\nchecked with {report.settings}", pytrace=False)
        return report

    return validate


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The episode of an id such as `runs/episodes/ep_1/state.json::runvet`, which was printed."""
    ids = (it.removesuffix(f"::{NAME}") for it in parent.config.args if it.endswith(f"::{NAME}"))
    if not any(file_path == parent.config.invocation_params.dir / it for it in ids):
        return None
    return EpisodeFile.from_parent(parent, path=file_path, check=_check(parent.config))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    paths: list[str] = config.getoption("runvet") or [str(it) for it in config.getini("runvet")]
    if not paths:
        return
    from runvet import RunvetError

    try:
        check = _check(config)
        episodes, faults = check._checker.discover(paths)
    except RunvetError as error:
        raise pytest.UsageError(str(error)) from None
    if not episodes and not faults:
        raise pytest.UsageError(f"no episode is below {', '.join(paths)}")
    known = {item.path.parent for item in items if isinstance(item, EpisodeItem)}
    made: list[pytest.Item] = [
        FaultItem.from_parent(session, name=str(path), message=message) for path, message in faults
    ]
    for path, _ in episodes:
        path = path.absolute()
        if path not in known:
            artifacts = (path / name for name in ("state.json", "events.jsonl", "summary.json"))
            file = next(filter(Path.is_file, artifacts), path / "state.json")
            made += EpisodeFile.from_parent(session, path=file, check=check).collect()
    items += made
    # So that they are counted as collected.
    report = pytest.CollectReport(nodeid="", outcome="passed", longrepr=None, result=[*made])
    session.ihook.pytest_collectreport(report=report)


class EpisodeFile(pytest.File):
    """An artifact of an episode, which stands for it: pytest takes no id of a directory."""

    def __init__(self, *, check: Check, **more: Any) -> None:
        super().__init__(**more)
        self.check = check

    def collect(self) -> Iterable[pytest.Item]:
        return [EpisodeItem.from_parent(self, name=NAME, check=self.check)]


@dataclass
class Failure(Exception):
    """A failure: in full, and in the one line of the summary."""

    text: str
    message: str

    @property
    def reprcrash(self) -> Failure:
        """Returns itself: pytest looks for `message` here."""
        return self

    def __str__(self) -> str:
        return self.message

    def toterminal(self, tw: Any) -> None:
        tw.line(self.text)


class RunvetItem(pytest.Item):
    """A test that fails with what runvet says, without a traceback."""

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        from runvet import RunvetError

        if isinstance(excinfo.value, Failure):
            return excinfo.value
        if isinstance(excinfo.value, RunvetError):
            return Failure(str(excinfo.value), str(excinfo.value))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"runvet: {self.nodeid}"


class EpisodeItem(RunvetItem):
    """One episode as a test."""

    def __init__(self, *, check: Check, **more: Any) -> None:
        super().__init__(**more)
        self.check = check
        self.extra_keyword_matches.add(self.path.parent.name)

    def runtest(self) -> None:
        path = self.path.parent
        shown = Path(os.path.relpath(path, self.config.invocation_params.dir))
        report = self.check.run(path if shown.parts[:1] == ("..",) else shown)
        if not report.ok:
            raise Failure(report.render(), _in_short(report))
        for episode in report.episodes:
            # What does not make the test fail is shown where pytest shows what passed too.
            if episode.findings:
                self.add_report_section("call", "runvet", episode.render())


def _in_short(report: Report) -> str:
    """Counts findings, and names their rules: `2 errors: plan/projection, state/schema`."""
    findings = [finding for episode in report.episodes for finding in episode.findings]
    counts = Counter(finding.severity for finding in findings)
    number = [f"{n} {severity}{'s' * (n > 1)}" for severity, n in sorted(counts.items())]
    rules = dict.fromkeys(finding.rule for finding in findings)
    what = f"{', '.join(number)}: {', '.join(rules)}" if findings else "could not be judged"
    return what if report.complete else f"{what}; {report.faults[0].message}"


class FaultItem(RunvetItem):
    """A path that could not be searched, as a test that fails."""

    def __init__(self, *, message: str, **more: Any) -> None:
        super().__init__(**more)
        self.message = message

    def runtest(self) -> None:
        raise Failure(self.message, self.message)
