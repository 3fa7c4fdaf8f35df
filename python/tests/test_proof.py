"""Seals, their verification, and anchored timelines."""

from __future__ import annotations

import copy
import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from conftest import command

import runvet


@pytest.fixture
def runs(in_root: Path, tmp_path: Path) -> Path:
    shutil.copytree("corpus/demo", tmp_path / "runs")
    return tmp_path / "runs"


def test_seal_is_that_of_the_command(runs: Path) -> None:
    report = runvet.validate(runs)
    report.seal(runs / "seal.json")
    other = runs / "other.json"
    command("validate", str(runs), "--output", f"in-toto={other}")
    assert (runs / "seal.json").read_bytes() == other.read_bytes()
    assert json.loads(other.read_bytes())["predicate"]["result"] == "FAILED"


def test_verification_says_what_the_command_does(runs: Path) -> None:
    seal = runs / "seal.json"
    runvet.validate(runs).seal(seal)
    verified = runvet.verify(seal, runs)
    assert (verified.ok, verified.exit_code, verified.runs, verified.failed) == (True, 0, 4, 3)
    assert (verified.unchanged, verified.changes, verified.result) == (4, (), "FAILED")
    assert f"{verified}\n" == command("verify", str(seal), str(runs)).stdout.decode()
    assert "1 difference" in str(
        runvet.verify(seal, runs, check=runvet.Check(rules={"plan/step-ids": "off"}))
    )

    (runs / "episodes/ep_01_answer/state.json").unlink()
    shutil.copytree(runs / "episodes/ep_03_edited", runs / "episodes/ep_9")
    verified = runvet.verify(seal, runs)
    assert (verified.ok, verified.exit_code, verified.new) == (False, 1, 1)
    missing, added = verified.changes
    assert missing == runvet.Change("missing", "episodes/ep_01_answer/state.json", "a file")
    assert (added.kind, added.name) == ("added", "episodes/ep_9")
    assert len(runvet.verify(seal, runs, allow_new=True).changes) == 1
    one = runvet.verify(seal, runs / "episodes/ep_03_edited")
    assert one.ok and one.not_looked_at == 3
    rules = runvet.Check(rules={"plan/step-ids": "off"})
    same = runvet.verify(
        seal, runs / "episodes/ep_03_edited", require_same_rules=True, check=rules
    )
    assert same.exit_code == 1 and same.other_rules == ("plan/step-ids was on (error), and is not",)


def test_what_can_not_be_sealed_or_relied_on_raises(runs: Path) -> None:
    report, seal = runvet.validate(runs), runs / "seal.json"
    with pytest.raises(ValueError, match="the report of a check of paths"):
        copy.deepcopy(report).seal(seal)
    state = runs / "episodes/ep_01_answer/state.json"
    state.write_bytes(state.read_bytes().replace(b"tickets", b"letters"))
    with pytest.raises(runvet.SealError, match="something else than before") as raised:
        report.seal(seal)
    assert raised.value.path == seal and not seal.exists()
    inside = runs / "episodes/ep_01_answer/seal.json"
    with pytest.raises(runvet.SealError, match="would be a file of the run"):
        runvet.validate(runs).seal(inside)
    seal.write_text("{}")
    with pytest.raises(runvet.SealError, match="can't be relied on: its _type"):
        runvet.verify(seal, runs)
    runvet.validate(runs).seal(seal)
    with pytest.raises(runvet.SealError, match="no such file"):
        runvet.verify(seal, runs / "nowhere")
    assert {field.name for field in dataclasses.fields(runvet.Change)} == {"kind", "name", "what"}


def test_anchored_timeline_shows_an_edited_line(tmp_path: Path) -> None:
    recorder = runvet.Recorder(tmp_path, anchor=True)
    with recorder.begin("Pay") as run:
        run.note("observe", seen=3)
    timeline = run.path / "events.jsonl"
    strict = runvet.Check(rules={"strict/prefix": "error"}, config=None)
    assert strict.run(tmp_path).ok
    timeline.write_bytes(timeline.read_bytes().replace(b'"seen":3', b'"seen":4'))
    findings = strict.run(tmp_path).episodes[0].findings
    assert {finding.rule for finding in findings} == {"strict/prefix"}
    assert b"prefix_sha256" not in (
        runvet.Recorder(tmp_path).begin("Pay").pause("ask").path / "events.jsonl"
    ).read_bytes()
    with pytest.raises(TypeError, match="anchor is 1, not a bool"):
        runvet.Recorder(tmp_path, anchor=1)  # type: ignore[arg-type]
