"""Reading runs, and what stands in the way as exceptions that carry data."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import command, content, printed

import runvet
from runvet import Recorder
from runvet._report import TableName


def test_entries_have_the_ids_of_the_episodes(in_root: Path) -> None:
    runs = runvet.open("corpus/demo")
    assert len(runs) == 5
    assert [entry["episode_id"] for entry in runs.runs()] == [episode.id for episode in runs]
    assert [entry["episode_id"] for entry in runs.runs(2)] == [it.id for it in runs][:2]
    assert runs.runs(0) == runs.runs(None) == runs.runs()
    assert runs.path == Path("corpus/demo")
    with pytest.raises(ValueError):
        runs.runs(-1)


def test_names_of_runs_are_in_run_data(in_root: Path) -> None:
    runs = runvet.open("corpus/demo")
    assert "ep_01_answer" in runs and "ep_01" in runs and "@latest" in runs
    assert "ep_0" not in runs and "nobody" not in runs and 1 not in runs


def test_names_of_runs_lead_to_no_other_run_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: Path
) -> None:
    shutil.copytree(good, tmp_path / "outside" / "ep_other")
    shutil.copytree(good, tmp_path / "runs" / "episodes" / "ep_answer")
    monkeypatch.chdir(tmp_path / "outside" / "ep_other")
    runs = runvet.open(tmp_path / "runs")
    outside = str(tmp_path / "outside" / "ep_other")
    for name in (outside, "../../outside/ep_other", ".", "state.json", "", "../ep_answer"):
        assert name not in runs
        with pytest.raises(runvet.UnknownRun):
            runs.state(name)
    assert runs["ep_answer"].id == runs["ANSWER"].id == "ep_answer"


def test_path_that_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(runvet.UnknownRun, match="has no artifact of a run, such as state.json"):
        runvet.Episode.at(tmp_path)
    with pytest.raises(runvet.UnknownRun, match="there is no run"):
        runvet.Episode.at(tmp_path / "nowhere")


def test_all_runs_are_listed_and_typos_are_refused(tmp_path: Path, in_root: Path) -> None:
    recorder = Recorder(tmp_path).durability("process")
    for _ in range(25):
        recorder.begin("one of many").finish()
    runs = runvet.open(tmp_path)
    assert len(runs.runs()) == len(runs.runs(limit=None)) == 25
    demo = runvet.open("corpus/demo")
    assert len(demo.runs(status=["ok", "pending"], outcome="success")) >= 1
    wrong: list[dict[str, Any]] = [
        {"status": "okay"}, {"status": ["ok", "done"]}, {"outcome": "ok"}, {"until": "someday"},
        {"tag": "team"}, {"silent_for": "long"}, {"metric": "tokens..9"},
    ]
    for given in wrong:
        (name,) = given
        with pytest.raises(ValueError, match=f"{name} is "):
            demo.runs(**given)


def test_runs_are_compared_as_the_command_does(in_root: Path) -> None:
    runs = runvet.open("corpus/demo")
    compared = runvet.diff(runs["ep_01"], runs["ep_03"])
    told = printed("diff", "ep_01", "ep_03", "--run-data", "corpus/demo", "--json")
    assert compared == told and not compared["same"]
    path = runs["ep_01"].path
    assert path is not None and runvet.diff(path, path)["same"]


def test_since_takes_instants_and_dates(in_root: Path) -> None:
    runs = runvet.open("corpus/demo")
    assert len(runs.runs(since=date(2026, 3, 1), until=date(2026, 3, 2))) == 5
    assert runs.runs(until=date(2026, 3, 1)) == []
    start = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    assert len(runs.runs(since=start)) == 5
    assert runs.runs(since=start + timedelta(days=1)) == []
    assert len(runs.runs(since="2026-03-01")) == 5
    # Without a zone, a time is in UTC.
    naive = datetime(2026, 3, 1, 12)
    assert len(runs.runs(since=naive)) == len(runs.runs(since=naive.isoformat())) == 5
    assert runs.runs(since=naive + timedelta(seconds=1)) == []
    with pytest.raises(ValueError, match='since is "someday", not a date such as'):
        runs.runs(since="someday")


def test_state_and_summary_are_dictionaries(in_root: Path) -> None:
    runs = runvet.open("corpus/demo")
    state, summary = runs.state("ep_01_answer"), runs.summary("ep_01")
    assert state["goal"]["task"] == summary["task"] == "Summarize the open tickets"
    assert type(state) is dict and runs["ep_01"].state() is not runs["ep_01"].state()


def test_run_data_and_episodes_pickle(in_root: Path, good: Path) -> None:
    runs = pickle.loads(pickle.dumps(runvet.open("corpus/demo")))
    assert [it.id for it in runs] == [it.id for it in runvet.open("corpus/demo")]
    on_disk = pickle.loads(pickle.dumps(runvet.Episode.at(good)))
    in_memory = pickle.loads(pickle.dumps(runvet.Episode.of("ep_answer", content(good))))
    assert on_disk.id == in_memory.id == "ep_answer"
    assert on_disk.entry["task"] == in_memory.entry["task"]
    assert on_disk.check().valid and in_memory.check().valid


def test_artifacts_are_named_with_and_without_extension(good: Path) -> None:
    episode = runvet.Episode.at(good)
    assert episode.artifacts == {"state", "summary", "events", "learn", "manifest"}
    assert episode.bytes("state") == episode.bytes("state.json") == (good / "state.json").read_bytes()
    with pytest.raises(ValueError, match="not an artifact"):
        episode.bytes("../state.json")
    with pytest.raises(TypeError):
        runvet.Episode.of("ep_1", {"state": "text"})  # type: ignore[dict-item]


def test_bad_line_raises_and_the_next_call_goes_on() -> None:
    lines = b'{"phase":"start"}\n[1]\n\nnot json\n{"phase":"act"}\n'
    episode = runvet.Episode.of("ep_1", {"events": lines})
    events = episode.events()
    assert next(events) == {"phase": "start"}
    with pytest.raises(runvet.ArtifactError) as wrong:
        next(events)
    assert (wrong.value.line, wrong.value.column) == (2, 1)
    assert wrong.value.path == Path("ep_1/events.jsonl")
    with pytest.raises(runvet.ArtifactError):
        next(events)
    assert list(events) == [{"phase": "act"}]
    told = list(episode.events(strict=False))
    assert [type(it).__name__ for it in told] == ["dict", "BadLine", "BadLine", "dict"]
    assert told[1] == runvet.BadLine(2, 1, "an array, not an object")
    assert list(episode.events(phase="act", strict=False))[-1] == {"phase": "act"}


def test_plans_part_where_the_command_says(in_root: Path) -> None:
    compared = runvet.open("corpus/demo")["ep_03"].compare_plan()
    assert compared.parts_at == 6
    assert [it.pointer for it in compared.differences] == ["/plan/steps/1/status"]
    assert compared.rebuilt is not None and compared.rebuilt["steps"][1]["status"] == "done"
    assert runvet.Episode.of("ep_1", {"events": b""}).plan() is None


def test_check_of_an_episode_takes_settings(in_root: Path) -> None:
    episode = runvet.open("corpus/demo")["ep_03"]
    assert episode.check().valid is False
    assert episode.check(runvet.Check(rules={"*": "off"})).valid is True


def raises(act: Callable[[], object], kind: type[runvet.RunvetError]) -> runvet.RunvetError:
    """The exception, once its pickle is seen to be the same."""
    with pytest.raises(kind) as raised:
        act()
    error = raised.value
    assert type(error) is kind
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == str(error) and again.__dict__ == error.__dict__
    return error


def test_exceptions_carry_data_and_pickle(in_root: Path, tmp_path: Path, good: Path) -> None:
    error = raises(lambda: runvet.open(tmp_path), runvet.NoRunData)
    assert isinstance(error, FileNotFoundError) and error.path == tmp_path  # type: ignore[attr-defined]
    error = raises(lambda: runvet.open("nowhere"), runvet.NoRunData)
    assert str(error).startswith("nowhere is not a run-data directory")
    for path in ("/etc/passwd/x", "a\0b", "x" * 5000):
        raises(lambda: runvet.open(path), runvet.NoRunData)
        raises(lambda: runvet.validate(path), runvet.Fault)
    runs = runvet.open("corpus/demo")
    error = raises(lambda: runs["ep_01_anwser"], runvet.UnknownRun)
    assert isinstance(error, LookupError) and not isinstance(error, KeyError)
    assert (error.id, error.nearest) == ("ep_01_anwser", ["ep_01_answer"])  # type: ignore[attr-defined]
    error = raises(lambda: runs["ep_0"], runvet.AmbiguousRun)
    assert error.prefix == "ep_0" and len(error.matches) == 5  # type: ignore[attr-defined]
    error = raises(lambda: runs["ep_04"].summary(), runvet.ArtifactError)
    assert isinstance(error, ValueError) and error.line is None  # type: ignore[attr-defined]
    error = raises(lambda: runvet.validate("nowhere"), runvet.Fault)
    assert isinstance(error, OSError) and error.path == Path("nowhere")  # type: ignore[attr-defined]
    error = raises(lambda: next(runvet.Check().each("nowhere")), runvet.Fault)
    error = raises(lambda: runvet.explain("lifecycle/link"), runvet.UnknownRule)
    assert (error.name, error.nearest) == ("lifecycle/link", "lifecycle/links")  # type: ignore[attr-defined]
    raises(lambda: runvet.Check(rules={"nonsense": "off"}), runvet.UnknownRule)
    error = raises(lambda: runvet.Check(config="nowhere.toml"), runvet.Fault)
    assert str(error).startswith("can't read the configuration nowhere.toml: ")
    for jobs in (0, -1):
        with pytest.raises(ValueError, match="jobs is at least 1"):
            runvet.Check(jobs=jobs)
    config = tmp_path / "runvet.toml"
    config.write_text("format = 'human'\nexlude = []\n")
    error = raises(lambda: runvet.Check(config=config), runvet.ConfigError)
    assert (error.file, error.line, error.column) == (config, 2, 1)  # type: ignore[attr-defined]
    assert "did you mean" in str(error)
    error = raises(lambda: runvet.Check(baseline=config), runvet.ConfigError)
    assert error.file == config  # type: ignore[attr-defined]
    raises(lambda: runvet.Check(config=tmp_path / "none.toml"), runvet.Fault)
    for wrong in ({"jobs": 0}, {"rules": {"plan/*": "loud"}}):
        with pytest.raises(ValueError):
            runvet.Check(**wrong)  # type: ignore[arg-type]


def test_broken_state_names_its_place() -> None:
    episode = runvet.Episode.of("ep_1", {"state": b'{\n "a": nope}'})
    with pytest.raises(runvet.ArtifactError) as wrong:
        episode.state()
    assert (wrong.value.line, wrong.value.column) == (2, 7)
    assert wrong.value.reason in str(wrong.value)
    episode = runvet.Episode.of("ep_1", {"state": b" [1]", "summary": b"3"})
    for read in (episode.state, lambda: episode.record("summary").dict()):
        with pytest.raises(runvet.ArtifactError, match="not an object"):
            read()


def test_names_that_are_not_unicode_are_unknown(in_root: Path, tmp_path: Path) -> None:
    runs = runvet.open("corpus/demo")
    assert "\udcff" not in runs
    raises(lambda: runs["\udcff"], runvet.UnknownRun)
    raises(lambda: runvet.explain("\udcff"), runvet.UnknownRule)
    raises(lambda: Recorder(tmp_path).begin("task", id="\udcff"), runvet.Refused)


def test_mistakes_of_a_call_are_told(in_root: Path, tmp_path: Path) -> None:
    runs = runvet.open("corpus/demo")
    report = runvet.validate(b"corpus/demo", select="plan/*")  # type: ignore[arg-type]
    assert {it.rule for episode in report.episodes for it in episode.findings} == {"plan/projection"}
    wrong: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: runs["ep_01"].check("x"), TypeError, "check is a str, not a runvet.Check"),  # type: ignore[arg-type]
        (lambda: report.render(max_findings=-1), ValueError, "max_findings is -1, not a number of"),
        (lambda: runvet.validate(3), TypeError, "expected str, bytes or os.PathLike object, not int"),  # type: ignore[arg-type]
        (lambda: runvet.validate(""), runvet.Fault, '^"": no such file'),
        (lambda: Recorder(tmp_path).begin("x", started_at=date(2026, 3, 1)), TypeError, "is not a datetime"),  # type: ignore[arg-type]
    ]
    for act, kind, message in wrong:
        with pytest.raises(kind, match=message):
            act()


def test_tables_of_runs_are_those_of_the_command(demo: Path, tmp_path: Path) -> None:
    runs = runvet.open(demo)
    filters: list[dict[str, Any]] = [
        {"tag": "team:support"}, {"tag": "team:nobody"}, {"search": "EP_03"},
        {"adapter": "adapter:core.minimal"}, {"adapter": "nobody"}, {"silent_for": "7d"}, {"silent_for": "0s"},
        {"metric": "task_score..0.5.."}, {"metric": "nothing"},
    ]
    for name, given in [*((name, {}) for name in get_args(TableName)), *(("runs", it) for it in filters)]:
        call = [runvet.find_runvet_bin(), "table", name, str(demo), "--no-config", "--format", "ndjson"]
        call += (f"--{key.replace('_', '-')}={value}" for key, value in given.items())
        printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
        table = runs.table(name, **given)
        assert table.rows() == [json.loads(line) for line in printed.splitlines()]
        if name == "runs":
            listed = {entry["episode_id"] for entry in runs.runs(**given)}
            assert listed == set(table.columns["episode_id"])
        assert not table.faults and list(table.columns) == list(table.types)
        arrow = pa.table(table)
        assert arrow.num_rows == len(table) and arrow.column_names == list(table.columns)
    table = runs.table("runs", status="ok")
    assert {row["status"] for row in table.rows()} == {"ok"}
    table.write_parquet(tmp_path / "runs.parquet")
    assert pq.read_table(tmp_path / "runs.parquet").to_pylist() == table.rows()
    with pytest.raises(ValueError, match='"run" is not one of runs, steps'):
        runs.table("run")  # type: ignore[arg-type]


def test_coverage_is_that_of_the_command(in_root: Path) -> None:
    covered = runvet.coverage("corpus/demo", "corpus/good")
    assert covered == printed("coverage", "--format", "json", "corpus/demo", "corpus/good")
    required = runvet.Check(require=["manifest/digest"])
    rules = runvet.coverage("corpus/good/terminal", check=required)["rules"]
    assert rules["coverage/required"]["found"] == 1


def test_impact_is_that_of_the_command(tmp_path: Path, demo: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.ndjson"
    before.write_text(runvet.validate(demo).render("json"))
    check = runvet.Check(rules={"projection/outcomes": "off"})
    after.write_text(check.run(demo).render("ndjson"))
    impact = runvet.impact(before, after)
    assert list(impact["rules"]) == ["projection/outcomes"] and impact["affected"] == 1
    said = command("impact", "--format", "json", str(before), str(after)).stdout
    assert impact == json.loads(said)
    assert not runvet.impact(after, after)["rules"]
    with pytest.raises(ValueError, match="can't read"):
        runvet.impact(before, tmp_path / "none")


def test_comparison_of_a_set_with_itself_finds_nothing(demo: Path) -> None:
    run = demo / "episodes" / "ep_01_answer"
    same = runvet.compare(run, run, pair=["tag:team"])
    assert same["pairs"] == 1 and not same["changed"] and not same["faults"]
    assert {measure["p"] for measure in same["measures"]} == {1.0}
    with pytest.raises(ValueError, match="expected task, seed or tag:NAME"):
        runvet.compare(run, run, pair=["team"])
