"""Reports as data: compared, pickled, put into frames, shown in notebooks."""

from __future__ import annotations

import base64
import copy
import dataclasses
import json
import pickle
import re
import subprocess
import sys
import typing
import warnings
import zlib
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from conftest import command

import runvet
from runvet._report import Format


@pytest.fixture
def report(in_root: Path) -> runvet.Report:
    return runvet.validate("corpus/demo")


def test_report_survives_a_pickle_whole(report: runvet.Report) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(report, protocol))
        assert again == report
        assert again.to_json() == report.to_json()
        assert again.findings() == report.findings()
        for format in typing.get_args(Format):
            assert again.render(format) == report.render(format), format
    assert copy.deepcopy(report) == report
    one = pickle.loads(pickle.dumps(report.episodes[2]))
    assert one == report.episodes[2] and one.render() == report.episodes[2].render()


def pages_in(page: str) -> list[str]:
    """The pages of runs in a page, which are packed."""
    packed = re.findall(r"<template data-row=[^>]*>([^<]*)</template>", page)
    return [zlib.decompress(base64.b64decode(it), -zlib.MAX_WBITS).decode() for it in packed]


def test_report_is_rendered_as_the_command_does(report: runvet.Report) -> None:
    unknown = command("validate", "--format", "unknown").stderr.decode()
    for format in typing.get_args(Format):
        assert format in unknown
        printed = command("validate", "corpus/demo", "--format", format).stdout.decode()
        if format != "junit":  # It has the duration of the check.
            assert report.render(format) == printed, format
    assert len(pages_in(report.render("html"))) == 5
    assert "with default settings." in report.render("html")
    chosen = runvet.validate("corpus/demo", rules={"lifecycle/links": "off"})
    assert "with default settings, changed by options." in chosen.render("html")


def test_unknown_format_is_refused_with_the_known_ones(report: runvet.Report) -> None:
    with pytest.raises(ValueError) as raised:
        report.render("pdf")  # type: ignore[arg-type]
    known = ", ".join(typing.get_args(Format))
    assert str(raised.value) == f'the format "pdf" is not one of {known}'


def test_page_of_one_episode_shows_its_records(report: runvet.Report) -> None:
    page = report.episodes[2].render("html")
    (of_run,) = pages_in(page)
    assert page.startswith("<!DOCTYPE html>") and "Summarize the open tickets" in of_run
    in_memory = runvet.check_records("ep_1", {"state": b'{"goal": {"task": "a <b> task"}}'})
    page = in_memory.render("html")
    assert "a \\u003cb> task" in page and pages_in(page) == []


def test_report_is_frozen_and_hashes(report: runvet.Report) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.ok = True  # type: ignore[misc]
    assert not hasattr(report, "__dict__")
    assert hash(report.totals) == hash(runvet.validate("corpus/demo").totals)
    match report:
        case runvet.Report(ok=False, totals=runvet.Totals(errors=errors)):
            assert errors == 6
        case _:
            pytest.fail("it does not match")


def test_rows_and_columns_are_the_findings(report: runvet.Report) -> None:
    columns, rows = report.findings(), report.rows()
    findings = [(it, found) for it in report.episodes for found in it.findings]
    assert len(rows) == len(findings) == report.totals.errors + report.totals.warnings
    assert {len(column) for column in columns.values()} == {len(rows)}
    for row, (episode, found) in zip(rows, findings):
        assert row.pop("episode_id") == episode.id and row.pop("dir") == episode.dir
        told = dataclasses.asdict(found)
        told.pop("related")
        assert row == told


def test_frames_take_the_columns(report: runvet.Report) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(report.findings())
    assert list(frame["rule"]) == report.findings()["rule"]
    table = pyarrow.table(report)
    assert table.to_pydict() == report.findings()
    nothing = pyarrow.table(runvet.validate("corpus/good/terminal"))
    assert nothing.num_rows == 0 and nothing.schema == table.schema


def test_tables_have_types_with_and_without_rows(report: runvet.Report, good: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    clean = runvet.validate(good)
    for name in ("findings", "episodes"):
        full, empty = (pa.table(it.table(name)) for it in (report, runvet.Check().run(good)))
        assert full.schema == empty.schema and pa.types.is_string(full.schema.field("dir").type)
        assert pa.concat_tables([full, empty]).num_rows == len(report.table(name)) + len(empty)
    assert len(clean.table("findings")) == 0 and pa.table(clean).schema == pa.table(report).schema
    assert pa.types.is_int64(pa.table(clean).schema.field("line").type)
    frames = (pa.table(it).to_pandas(types_mapper=pd.ArrowDtype) for it in (clean, report))
    for frame in frames:
        assert str(frame["line"].dtype) == "int64[pyarrow]" and list(frame) == list(report.findings())
    with pytest.raises(ValueError, match="'episodes' and 'findings'"):
        report.table("runs")  # type: ignore[arg-type]


def test_table_of_episodes_says_when_how_and_whose(tmp_path: Path, report: runvet.Report) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = report.table("episodes").rows()
    assert [row["valid"] for row in rows] == [True, True, False, False, False]
    first = rows[0]
    assert first["started_at"] == datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    assert (first["status"], first["outcome"], first["errors"]) == ("ok", "success", 0)
    assert first["duration_sec"] > 0 and first["tags"] == {"team": "support"}
    assert [row["errors"] for row in rows] == [
        sum(it.severity == "error" for it in episode.findings) for episode in report.episodes
    ]
    table = pa.table(report.table("episodes"))
    assert pa.types.is_timestamp(table.schema.field("started_at").type)
    assert table.column("tags").to_pylist()[0] == [("team", "support")]
    (tmp_path / "episodes" / "ep_x").mkdir(parents=True)
    for time, instant in (
        ("2026-06-30t23:59:50z", datetime(2026, 6, 30, 23, 59, 50, tzinfo=timezone.utc)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=timezone.utc)),
        ("1969-12-31T23:59:60Z", datetime(1970, 1, 1, tzinfo=timezone.utc)),
        ("1969-12-31T23:59:59.5Z", datetime(1969, 12, 31, 23, 59, 59, 500_000, timezone.utc)),
        ("2026-06-30T23:59:50", None),
        ("0000-01-01T00:00:00Z", None),
        ("today", None),
    ):
        state = json.dumps({"episode": {"started_at": time}})
        (tmp_path / "episodes" / "ep_x" / "state.json").write_text(state)
        (odd,) = runvet.validate(tmp_path).table("episodes").rows()
        assert (odd["started_at"], odd["status"], odd["tags"]) == (instant, None, {}), time


def test_nothing_heavy_is_imported_unasked(in_root: Path) -> None:
    code = (
        "import sys, runvet\n"
        "report = runvet.validate('corpus/demo'); report.findings(); report._repr_html_()\n"
        "heavy = {'pandas', 'polars', 'pyarrow', 'numpy', 'pytest'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=in_root)


def test_notebook_shows_hostile_text_escaped() -> None:
    hostile = "<script>alert('x')</script>\x1b[31m\u202e"
    state = json.dumps({"version": hostile, hostile: 1}).encode()
    episode = runvet.check_records(hostile, {"state": state})
    html = episode._repr_html_()
    assert "&lt;script&gt;" in html
    assert not {"<script>", "\x1b", "\u202e"} & {part for part in (
        "<script>", "\x1b", "\u202e") if part in html}


def test_notebook_table_has_a_bound(report: runvet.Report) -> None:
    html = report._repr_html_()
    assert "5 episodes, 2 valid, 3 invalid, 1 not ended, 1 not fully judged, 6 errors" in html
    assert html.count("<tr>") == 1 + len(report.rows())
    lines = b'{"phase": 1}\n' * 1000
    many = runvet.check_records("ep_1", {"events": lines})
    assert len(many.findings) > 900
    assert many._repr_html_().count("<tr>") < 300


def test_exit_codes_are_those_of_the_contract(tmp_path: Path, in_root: Path) -> None:
    good = runvet.validate("corpus/good/terminal")
    assert (good.ok, good.exit_code, good.complete, good.faults) == (True, 0, True, ())
    assert runvet.validate("corpus/demo").exit_code == 1
    nothing = runvet.validate(tmp_path)
    assert (nothing.ok, nothing.exit_code) == (False, 3)
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "state.json").write_text("{}")
    stray = runvet.validate(tmp_path)
    assert (stray.ok, stray.exit_code, stray.complete) == (False, 2, False)
    assert stray.faults[0].path.endswith("episodes")
    assert stray.to_dict()["faults"][0]["message"] == stray.faults[0].message


def test_check_follows_the_configuration_that_the_command_reads(
    tmp_path: Path, demo: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    (tmp_path / "runvet.toml").write_text('[rules]\n"*" = "off"\n"events/torn-tail" = "warning"\n')
    monkeypatch.chdir(tmp_path / "below")
    followed, bare = runvet.validate(demo), runvet.validate(demo, config=None)
    assert (followed.ok, bare.ok) == (True, False)
    assert (followed.settings, bare.settings) == ("the settings of ../runvet.toml", "default settings")
    called = subprocess.run([runvet.find_runvet_bin(), "validate", demo], capture_output=True)
    assert called.returncode == followed.exit_code
    records = {name: (demo / "episodes/ep_03_edited" / f"{name}.json").read_bytes() for name in ("state", "summary")}
    assert runvet.check_records("ep_03_edited", records).valid
    assert not runvet.check_records("ep_03_edited", records, check=runvet.Check(config=None)).valid
    monkeypatch.setenv("RUNVET_CONFIG", str(tmp_path / "absent.toml"))
    with pytest.raises(runvet.Fault, match="absent.toml"):
        runvet.validate(demo)
    monkeypatch.delenv("RUNVET_CONFIG")
    monkeypatch.chdir(demo)
    (demo / "runvet.toml").write_text("")
    # One inside run data is passed over, and the one above it is used.
    assert runvet.validate().settings == "the settings of ../runvet.toml"
    (tmp_path / "runvet.toml").unlink()
    with pytest.raises(runvet.ConfigError, match="inside run data"):
        runvet.validate()


def test_settings_of_a_check_take_effect(tmp_path: Path, in_root: Path) -> None:
    off = runvet.validate("corpus/demo", rules={"*": "off", "events/torn-tail": "warning"})
    assert off.ok and off.totals.valid == 5
    none = runvet.validate("corpus/demo", rules={"*": "off"})
    assert (none.ok, none.exit_code, none.totals.unchecked) == (False, 3, 5)
    config = tmp_path / "runvet.toml"
    config.write_text('deny-warnings = true\n[rules]\n"*" = "off"\n"events/torn-tail" = "warning"\n')
    followed = runvet.Check(config=config).run("corpus/demo")
    assert followed.totals.errors == 0
    baseline = tmp_path / "baseline.json"
    subprocess.run(
        [runvet.find_runvet_bin(), "validate", "corpus/demo", "--write-baseline", baseline],
        check=False, capture_output=True,
    )
    accepted = runvet.validate("corpus/demo", baseline=baseline)
    assert accepted.ok and accepted.totals.baselined == 7
    check = runvet.Check(rules={"plan/*": "off"}, baseline=baseline, jobs=1, follow_links=True)
    again = pickle.loads(pickle.dumps(check))
    assert repr(again) == repr(check) and again.run("corpus/demo") == check.run("corpus/demo")


def test_settings_are_keywords_and_survive_a_pickle(tmp_path: Path) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text("deny-warnings = true\nverify-manifest = true\n")
    run = runvet.Recorder(tmp_path).begin("changed").finish().path
    (run / "learn.jsonl").write_text("\n")
    warned = {"rules": {"manifest/digest": "warning"}}
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 0),
        ({"verify_manifest": True}, 1),
        ({"config": config}, 1),
        ({"config": config, "verify_manifest": False}, 0),
        (warned, 0),
        (warned | {"deny_warnings": True}, 1),
        (warned | {"config": config, "deny_warnings": False}, 0),
    ]
    for settings, code in cases:
        check = runvet.Check(**settings)
        assert check.run(run).exit_code == runvet.validate(run, **settings).exit_code == code
        assert pickle.loads(pickle.dumps(check)).run(run).exit_code == code
        assert repr(pickle.loads(pickle.dumps(check))) == repr(check)
    undecided: Any = {"rules": {"*": "off", "episode/tags": "warning"}, "deny_unjudged": True}
    (run / "summary.json").unlink()
    assert runvet.validate(run, **undecided).exit_code != 0


def test_empty_run_data_is_allowed_where_that_is_said(tmp_path: Path, demo: Path) -> None:
    (tmp_path / "empty").mkdir()
    nothing: Any = {"rules": {"*": "off"}}
    for path, settings in ((tmp_path / "empty", {}), (demo, nothing)):
        assert runvet.validate(path, **settings).exit_code == 3
        check = pickle.loads(pickle.dumps(runvet.Check(allow_empty=True, **settings)))
        report = check.run(path)
        assert (report.exit_code, report.ok) == (0, True)
        assert pickle.loads(pickle.dumps(report)) == report
    assert runvet.validate(demo, allow_empty=True).exit_code == 1


def test_globs_that_match_nothing_are_refused_where_that_is_said(demo: Path) -> None:
    config = demo.parent / "runvet.toml"
    config.write_text('exclude = ["ep_01*", "ep_99*"]\n')
    assert runvet.validate(demo, config=config).totals.episodes == 4
    again = pickle.loads(pickle.dumps(runvet.Check(config=config, strict_config=True)))
    with pytest.raises(runvet.ConfigError, match="runvet.toml:1: no directory matches `ep_99.`"):
        again.run(demo)
    judged = again.each(demo)
    with pytest.raises(runvet.ConfigError) as raised:
        list(judged)
    assert raised.value.file == config and "ep_01" not in str(raised.value)
    # What is a part of the run data says nothing.
    assert again.run(demo / "episodes" / "ep_02_paused").ok


def test_findings_of_a_rule_are_limited_for_people(in_root: Path) -> None:
    report = runvet.validate("corpus/bad/state/schema")
    shown = command("validate", "--max-findings", "1", "corpus/bad/state/schema").stdout
    assert report.render(max_findings=1).encode() == shown
    assert b"not shown (--max-findings 1)" in shown
    assert len(report.episodes[0].render(max_findings=1)) <= len(report.episodes[0].render())
    with pytest.raises(ValueError, match="json"):
        report.render("json", max_findings=1)


def test_skips_and_undecided_are_told(in_root: Path) -> None:
    report = runvet.check_records("ep_1", {"events": b"{", "state": None})
    assert {skip.kind for skip in report.skipped} <= {
        "missing", "unreadable", "syntax", "version", "no_event", "unreached", "lifecycle", "changing"
    }
    assert report.valid is False and report.skipped


def test_links_lead_into_the_store_that_is_named(tmp_path: Path) -> None:
    run_data, store = tmp_path / "runs", tmp_path / "store"
    store.mkdir()
    state = runvet.Recorder(run_data).begin("linked").finish().path / "state.json"
    state.rename(store / "x")
    state.symlink_to(store / "x")
    assert not runvet.validate(run_data, follow_links=True).ok
    assert runvet.validate(run_data, follow_links=store).ok
    with pytest.raises(FileNotFoundError):
        runvet.Check(follow_links=run_data / "gone")


def test_file_that_is_not_in_force_is_named(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "runvet.yaml").write_text("rules: {}")
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match=r"runvet\.yaml is not in force"):
        runvet.validate(good)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runvet.validate(good, config=None)
