"""Redacted copies, and imports without texts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import ROOT, command

import runvet

LOGS = ROOT / "corpus/logs/chat"


def files(dir: Path) -> dict[Path, bytes]:
    return {path.relative_to(dir): path.read_bytes() for path in dir.rglob("*") if path.is_file()}


def test_copy_is_that_of_the_command(in_root: Path, tmp_path: Path) -> None:
    key, copy, other = (tmp_path / name for name in ("key", "copy", "other"))
    redacted = runvet.redact("corpus/demo", to=copy, key=key)
    assert redacted.ok and (key.stat().st_mode & 0o777) == 0o600
    command("redact", "corpus/demo", "--to", str(other), "--key", str(key))
    assert files(copy) == files(other)
    assert set(redacted.runs.values()) == {path.parent for path in copy.rglob("events.jsonl")}
    before, after = (runvet.validate(path) for path in ("corpus/demo", copy))
    places = [
        [(found.rule, found.line, found.pointer) for run in report.episodes for found in run.findings]
        for report in (before, after)
    ]
    assert places[0] == places[1]
    assert redacted.readable["times"] > 0 and redacted.readable["texts"] == 0


def test_rules_of_a_check_judge_both_sides(in_root: Path, tmp_path: Path) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text(
        """
        [[schema]]
        id = "acme/acts"
        where = { phase = "act" }
        at = "/payload"
        schema.properties.input_excerpt = { x-runvet = "sensitive", maxLength = 30 }
        """
    )
    check = runvet.Check(config=config)
    runs = "corpus/good/terminal"
    redacted = runvet.redact(runs, to=tmp_path / "copy", drop=["nothing"], check=check)
    assert (redacted.ok, redacted.changed) == (False, {"acme/acts": 1})
    state = json.loads(next((tmp_path / "copy").rglob("state.json")).read_text())
    excerpts = [action.get("input_excerpt") for action in state["outcomes"]["actions"]]
    assert all(text is None or text.startswith("[redacted-") for text in excerpts)
    assert state["goal"]["task"] == "Summarize the open tickets"


def test_what_is_wrong_raises_and_writes_nothing(in_root: Path, tmp_path: Path) -> None:
    runs, copy = "corpus/good/terminal", tmp_path / "copy"
    short = tmp_path / "short"
    short.write_bytes(b"x")
    short.chmod(0o600)
    with pytest.raises(ValueError, match="it has 1 bytes"):
        runvet.redact(runs, to=copy, key=short)
    with pytest.raises(ValueError, match="unclosed group"):
        runvet.redact(runs, to=copy, patterns=["("])
    with pytest.raises(OSError, match="would lie in"):
        runvet.redact(runs, to=os.path.join(runs, "copy"))
    with pytest.raises(OSError, match="no run was found"):
        runvet.redact(tmp_path / "nowhere", to=copy)
    assert not copy.exists()


def test_logs_are_imported_without_their_texts(tmp_path: Path) -> None:
    key = tmp_path / "key"
    first = runvet.import_logs(LOGS, into=tmp_path / "runs", redact=True, key=key)
    again = runvet.import_logs(LOGS, into=tmp_path / "runs", redact=True, key=key)
    assert first.ok and {run.change for run in again.runs} == {"unchanged"}
    for run in first.runs:
        task = json.loads((run.path / "state.json").read_text())["goal"]["task"]
        assert task.startswith("[redacted-")
    assert runvet.validate(tmp_path / "runs").ok
    for keywords in ({"redact": True}, {"key": key}):
        with pytest.raises(ValueError, match="belong together"):
            runvet.import_logs(LOGS, into=tmp_path / "runs", **keywords)
