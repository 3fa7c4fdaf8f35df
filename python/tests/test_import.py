"""Logs -> runs: the module does what `runvet import` does."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest
from conftest import ROOT

import runvet
from runvet import spans

LOGS = ROOT / "corpus/logs"
TRACES = sorted((ROOT / "tests/traces").glob("*.json*"))


def test_logs_become_runs_once(tmp_path: Path) -> None:
    first = runvet.import_logs(LOGS, into=tmp_path / "runs")
    assert (first.ok, {run.change for run in first.runs}) == (True, {"new"})
    assert {run.format for run in first.runs} >= {"claude-code", "codex", "chat", "otlp"}
    report = runvet.validate(tmp_path / "runs")
    assert (report.ok, report.totals.warnings) == (True, 0), report.render()
    again = runvet.import_logs(LOGS, into=tmp_path / "runs")
    assert {run.change for run in again.runs} == {"unchanged"}
    assert {run.path for run in runvet.open(tmp_path / "runs")} == {run.path for run in again.runs}


def test_import_takes_what_the_command_takes(tmp_path: Path) -> None:
    noon = datetime(2026, 3, 2, 10, 30, tzinfo=timezone.utc)
    tags = {"team": "search"}
    imported = runvet.import_logs(LOGS, into=tmp_path, since=noon, tags=tags, format="otlp")
    (run,) = imported.runs
    (entry,) = runvet.open(tmp_path).runs(tag="team:search")
    assert entry["episode_id"] == run.id
    with pytest.raises(ValueError, match="not a format: auto, claude-code"):
        runvet.import_logs(LOGS, into=tmp_path, format="clod")
    with pytest.raises(OSError, match="none"):
        runvet.import_logs(tmp_path / "none", into=tmp_path)


def test_spans_are_imported_by_their_old_name(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="import_logs"):
        made = spans.convert(TRACES, tmp_path / "runs")
    assert len(made) == len(TRACES) == 3
    with pytest.warns(DeprecationWarning), pytest.raises(ValueError, match="no log"):
        spans.convert([ROOT / "README.md"], tmp_path / "runs")
