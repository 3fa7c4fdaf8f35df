"""The corpus through Python: the same findings as from the command, from a disk and from memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
from conftest import ARTIFACTS, ROOT, cases, command, content, printed

import runvet
from runvet._report import Format
from runvet._rules import SchemaName


def test_every_case_has_the_report_of_the_command(in_root: Path) -> None:
    found = cases()
    assert len(found) > 100
    for case in found:
        report = runvet.validate(case)
        ran = command("validate", "--format", "json", case)
        assert report.to_dict() == json.loads(ran.stdout), case
        assert report.exit_code == ran.returncode, case


def test_whole_corpus_has_the_bytes_of_the_command(in_root: Path) -> None:
    ran = command("validate", "--format", "json", "corpus")
    report = runvet.validate("corpus", jobs=2)
    assert report.to_json().encode() == ran.stdout
    assert len(report.episodes) == report.totals.episodes > 200


@pytest.mark.parametrize("format", get_args(Format))
def test_renderers_write_what_the_command_prints(in_root: Path, format: Any) -> None:
    ran = command("validate", "--format", format, "corpus/demo")
    assert runvet.validate("corpus/demo").render(format).encode() == ran.stdout


def test_each_has_the_episodes_of_the_report(in_root: Path) -> None:
    check = runvet.Check()
    checking = check.each("corpus")
    assert checking.summary is None
    episodes = tuple(checking)
    report = check.run("corpus")
    assert episodes == report.episodes
    assert checking.summary is not None
    assert checking.summary.totals == report.totals
    assert checking.summary.exit_code == report.exit_code
    assert list(checking) == []


def is_plain(directory: Path) -> bool:
    """Returns True if all artifacts are files that can be read, as those in memory are."""
    there = [directory / name for name in ARTIFACTS if os.path.lexists(directory / name)]
    return all(path.is_file() and not path.is_symlink() for path in there)


def test_records_have_the_findings_of_the_files(in_root: Path) -> None:
    check = runvet.Check()
    for report in runvet.validate("corpus").episodes:
        directory = Path(report.dir)
        # Elsewhere than below `episodes`, the directory does not say the id.
        if not is_plain(directory) or "episodes" not in directory.parts:
            continue
        judged = check.records(report.id, content(directory), uri=report.dir)
        assert judged.to_dict() == report.to_dict(), report.dir


def test_batch_has_a_row_for_each_episode(in_root: Path) -> None:
    reports = runvet.validate("corpus/demo").episodes
    columns = runvet.Check().batch((it.id, content(Path(it.dir))) for it in reports)
    assert columns["episode_id"] == [it.id for it in reports]
    assert columns["valid"] == [it.valid for it in reports]
    assert columns["errors"] == [
        sum(found.severity == "error" for found in it.findings) for it in reports
    ]
    rules = [[found["rule"] for found in findings] for findings in columns["findings"]]
    assert rules == [[found.rule for found in it.findings] for it in reports]


def test_episodes_in_memory_read_as_those_on_a_disk(in_root: Path) -> None:
    for report in runvet.validate("corpus").episodes:
        path = Path(report.dir)
        if not is_plain(path) or "episodes" not in path.parts:
            continue
        on_disk = runvet.Episode.at(path)
        in_memory = runvet.Episode.of(path.name, content(path))
        assert in_memory.id == on_disk.id
        assert in_memory.path is None
        assert in_memory.artifacts == on_disk.artifacts
        assert in_memory.entry == {**on_disk.entry, "dir": path.name}
        assert in_memory.plan() == on_disk.plan()
        assert in_memory.compare_plan() == on_disk.compare_plan()
        if "events" in on_disk.artifacts:
            assert list(in_memory.events(strict=False)) == list(on_disk.events(strict=False))


def test_view_is_what_the_command_prints(in_root: Path) -> None:
    for episode in runvet.open("corpus/demo"):
        shown = printed("view", episode.id, "--json", "--run-data", "corpus/demo")
        assert episode.view() == shown


def test_runs_are_what_the_command_lists(in_root: Path) -> None:
    for arguments, filters in [
        ([], {}),
        (["--status", "pending"], {"status": "pending"}),
        (["--outcome", "success"], {"outcome": "success"}),
        (["--since", "2026-03-02"], {"since": "2026-03-02"}),
    ]:
        listed = printed("list", "--format", "json", "--run-data", "corpus/demo", *arguments)
        assert runvet.open("corpus/demo").runs(**filters) == listed["runs"]  # type: ignore[arg-type]


def test_rules_and_pages_are_those_of_the_command() -> None:
    rules = runvet.rules()
    assert len(rules) > 50
    for rule in rules[::7]:
        ran = command("explain", rule.id)
        assert runvet.explain(rule.id).encode() == ran.stdout
    names = {path.name.removesuffix(".schema.json") for path in ROOT.glob("schemas/*.schema.json")}
    assert set(get_args(SchemaName)) == names
    known = runvet.schema("config")["$defs"]["Format"]["enum"]
    assert set(get_args(Format)) == set(known)
    for name in get_args(SchemaName):
        assert runvet.schema(name) == printed("schema", name)
        assert runvet.schema(name) == json.loads((ROOT / f"schemas/{name}.schema.json").read_text())
