"""Fixtures: the corpus, the command, and runs that were recorded."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import runvet

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
ARTIFACTS = ("state.json", "summary.json", "events.jsonl", "learn.jsonl", "manifest.json")


def cases() -> list[str]:
    """Each directory of the corpus that holds run data, by its path."""
    found = {path.parent for path in CORPUS.rglob("episodes") if path.is_dir()}
    return sorted(str(path.relative_to(ROOT)) for path in found)


def command(*arguments: str, cwd: Path = ROOT) -> Any:
    """Returns the JSON that the command prints, and its exit code."""
    ran = subprocess.run(
        [runvet.find_runvet_bin(), *arguments], cwd=cwd, capture_output=True, check=False
    )
    return ran


def printed(*arguments: str) -> Any:
    return json.loads(command(*arguments).stdout)


def stays_when_redacted(runs: Path) -> None:
    """All built-in rules find the same in a redacted copy, at the same places."""
    rules: dict[str, runvet.Level] = {"*": "warning"}
    redacted = runvet.redact(runs, to=runs.parent / "redacted", key=runs.parent / "key")
    assert redacted.runs and redacted.ok
    for run, copy in redacted.runs.items():
        before, after = (
            sorted(
                (it.rule, Path(it.file).name, it.line or 0, it.pointer or "")
                for episode in runvet.validate(path, rules=rules, config=None).episodes
                for it in episode.findings
            )
            for path in (run, copy)
        )
        assert before == after


@pytest.fixture
def in_root(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of the repository as the working directory: paths are as in the documents."""
    monkeypatch.chdir(ROOT)
    return ROOT


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A copy of the demo."""
    shutil.copytree(CORPUS / "demo", tmp_path / "demo")
    return tmp_path / "demo"


@pytest.fixture
def good() -> Path:
    """A sound run that has ended."""
    return CORPUS / "good" / "terminal" / "episodes" / "ep_answer"


def content(episode: Path) -> dict[str, bytes | None]:
    """The artifacts of an episode."""
    there = (name for name in ARTIFACTS if (episode / name).is_file())
    return {name: (episode / name).read_bytes() for name in there}
