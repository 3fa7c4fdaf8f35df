"""Traces -> runs: the module does what the program of `examples/` does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import runvet
from runvet import spans

TRACES = sorted((ROOT / "tests/traces").glob("*.json*"))


def test_traces_of_several_files_become_runs_at_once(tmp_path: Path) -> None:
    made = spans.convert(TRACES, tmp_path / "runs")
    assert len(made) == len(TRACES) == 3
    report = runvet.validate(tmp_path / "runs")
    assert (report.ok, report.totals.warnings) == (True, 0), report.render()
    assert {run.path for run in runvet.open(tmp_path / "runs")} == set(made)
    with pytest.raises(spans.Unconvertible, match="already"):
        spans.convert(TRACES[:1], tmp_path / "runs")


def test_module_is_a_program(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for arguments, code, said in (
        ([*TRACES, runs], 0, str(runs / "episodes")),
        ([TRACES[0], runs], 1, "already"),
        ([tmp_path / "none", runs], 1, "none: "),
        ([runs], 1, "usage"),
    ):
        command = [sys.executable, "-m", "runvet.spans", *map(str, arguments)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == code, ended.stderr
        assert said in ended.stdout + ended.stderr
