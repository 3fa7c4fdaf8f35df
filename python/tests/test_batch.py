"""Run data in a store: the rows are those of the command, for any store and any partitions."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import CORPUS, ROOT, command
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from simulated import Simulated, ulid

import runvet
from runvet import batch
from runvet.batch import __main__ as batch_command
from runvet.batch import _fetching, _finding, _parts, _planning
from runvet.batch._finding import Range, found_in
from runvet.store import Directory, Gone, Location, Object, StoreError, Unlisted


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of tests are young, and nobody writes them any more."""
    monkeypatch.setattr(_fetching, "QUIET", 0.0)


def rows_of(
    location: str | Location, partitions: int | None = None, **settings: Any
) -> list[dict[str, Any]]:
    return [
        row
        for split in batch.plan(location, partitions)
        for some in batch.check_split(pickle.loads(pickle.dumps(split)), batch.Settings(**settings))
        for row in some.to_pylist()
    ]


def lines_of(path: Path | str, *options: str) -> list[Any]:
    """The episodes that the command reports."""
    printed = command("validate", "--format", "ndjson", *options, str(path)).stdout
    lines = [json.loads(line) for line in printed.splitlines()]
    return [line for line in lines if "dir" in line]


def as_lines(rows: list[dict[str, Any]]) -> list[Any]:
    return [batch.as_ndjson(row) for row in rows]


def without_links(to: Path) -> Path:
    """The corpus without its links: a store of objects has none."""

    def links(directory: str, names: list[str]) -> list[str]:
        return [name for name in names if os.path.islink(os.path.join(directory, name))]

    shutil.copytree(CORPUS, to / "corpus", ignore=links)
    return to / "corpus"


@pytest.mark.parametrize("table", ["runs", "steps", "actions", "events", "findings"])
def test_rows_of_a_table_are_those_of_the_command(tmp_path: Path, table: Any) -> None:
    corpus = without_links(tmp_path)
    long = corpus / "demo" / "episodes" / "long"
    shutil.copytree(corpus / "demo" / "episodes" / "ep_01_answer", long)
    time = "" if table == "findings" else '"timestamp":"2026-03-01T12:00:00Z",'
    with (long / "events.jsonl").open("a") as events:
        events.write('{"phase":"note",%s"payload":{"text":"%s"}}\n' % (time, "x" * 400) * 3000)
    for part in ("good", "demo", "bad/record", "bad/state", "bad/plan", "bad/actions"):
        rows = rows_of(str(corpus / part), 2, table=table)
        command_rows = command("table", table, "--format", "ndjson", str(corpus / part)).stdout
        wanted = [json.loads(line) for line in command_rows.splitlines()]
        assert len(rows) > 5 or (table, part) == ("findings", "good")
        for row in rows:
            if table != "events":
                assert row.pop("fault") is None
        assert rows == wanted


class Denying(Directory):
    """Does not give one state."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        if key.endswith("ep_01_answer/state.json"):
            raise StoreError(f"{key}: denied")
        return super().get(key, start, length)


def test_what_a_table_lacks_is_a_row_with_a_fault(tmp_path: Path) -> None:
    shutil.copytree(CORPUS / "demo", tmp_path / "runs")
    rows = rows_of(Location(str(tmp_path / "runs"), open=Denying), 1, table="runs")
    assert [row["fault"] is None for row in rows] == [False, True, True, True, True]
    assert "denied" in rows[0]["fault"] and rows[0]["episode_id"] == "ep_01_answer"
    with pytest.raises(ValueError, match="'acts', not one of runs"):
        batch.Settings(table="acts")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="last has rows of episodes"):
        batch.Settings(table="runs", last=str(tmp_path))


@pytest.mark.parametrize("partitions", [1, 2, 7, None])
def test_rows_equal_the_lines_of_the_command(tmp_path: Path, partitions: int | None) -> None:
    corpus = without_links(tmp_path)
    for part in ("good", "bad", "demo", "broken"):
        rows = rows_of(str(corpus / part), partitions)
        found = [row for row in rows if row["lifecycle"] is not None]
        assert sorted(as_lines(found), key=lambda it: it["dir"]) == lines_of(corpus / part)


def test_sixty_rules_of_a_team_have_the_verdict_of_the_command(tmp_path: Path) -> None:
    config = CORPUS / "team" / "sixty" / "runvet.toml"
    good = without_links(tmp_path) / "good"
    lines = lines_of(good, "--config", str(config))
    found = {finding["rule"] for line in lines for finding in line["findings"]}
    assert len([rule for rule in found if rule.startswith("sixty/")]) >= 45
    check = runvet.Check(config=config)
    assert as_lines(rows_of(str(good), 2, check=check)) == lines
    report = json.loads(check.run(good).render("json"))
    judged = ("dir", "valid", "findings", "skipped")
    assert [{key: it.get(key) for key in judged} for it in report["episodes"]] == [
        {key: line.get(key) for key in judged} for line in lines
    ]


@pytest.mark.parametrize("adapter", ["obstore", "fsspec", "pyarrow"])
def test_adapters_show_the_same_rows(tmp_path: Path, adapter: Any) -> None:
    shutil.copytree(CORPUS / "demo", tmp_path / "demo")
    uri = f"file://{tmp_path}/demo"
    rows = rows_of(Location(uri, adapter=adapter), 2)
    shown = json.loads(json.dumps(as_lines(rows)).replace(uri, f"{tmp_path}/demo"))
    assert sorted(shown, key=lambda it: it["dir"]) == lines_of(tmp_path / "demo")


def test_partitions_share_out_every_episode_once(tmp_path: Path, good: Path) -> None:
    names = [f"ep_{number:03}" for number in range(40)]
    names += ["ep_00", "ep_00-1", "nightly/ep_1", "nightly/ep_1-x", "nightly/deep/ep_2"]
    for name in names:
        shutil.copytree(good, tmp_path / "runs" / "episodes" / name)
    shutil.copytree(good, tmp_path / "runs" / "episodes" / "ep_001" / "checkpoints" / "7")
    shutil.copy(good / "summary.json", tmp_path / "runs" / "episodes" / "nightly")
    expected = sorted(str(tmp_path / "runs" / "episodes" / name) for name in names)
    for partitions in (1, 2, 3, 5, 8, 13, 21, 34, 44, 45, 46, 59):
        splits = batch.plan(str(tmp_path / "runs"), partitions)
        assert len(splits) <= partitions
        found = [row["uri"] for row in rows_of(str(tmp_path / "runs"), partitions)]
        assert sorted(found) == expected, partitions


def test_splits_are_equal_and_small(tmp_path: Path, good: Path) -> None:
    for number in range(30):
        shutil.copytree(good, tmp_path / "episodes" / f"ep_{number}")
    splits = batch.plan(str(tmp_path), 3)
    assert [split.part.episodes for split in splits if split.part] == [10, 10, 10]
    assert batch.planned(splits) == (30, True)
    assert len(pickle.dumps(splits)) < 2_000


def test_an_episode_itself_is_one_row(good: Path) -> None:
    (row,) = rows_of(str(good), 3)
    assert (row["uri"], row["episode_id"], row["valid"]) == (str(good), "ep_answer", True)


def test_addresses_of_episodes_are_checked_one_by_one(good: Path) -> None:
    uris = [str(good), str(good.parent / "nobody")]
    splits = batch.plan_of(uris, Location(""), 2)
    rows = [row for it in splits for some in batch.check_split(it) for row in some.to_pylist()]
    assert [(row["uri"], row["fault"]) for row in rows] == [
        (uris[0], None),
        (uris[1], f"{uris[1]}: No such file or directory"),
    ]
    assert batch.totals([]).exit_code == 3
    assert batch.totals([], allow_empty=True).exit_code == 0


def test_totals_and_exit_codes_are_those_of_the_command(tmp_path: Path) -> None:
    corpus = without_links(tmp_path)
    for part in ("good", "bad", "demo"):
        report = runvet.validate(corpus / part)
        sums = batch.totals(
            some for split in batch.plan(str(corpus / part)) for some in batch.check_split(split)
        )
        expected = report.totals
        assert (sums.episodes, sums.valid, sums.invalid) == (
            expected.episodes,
            expected.valid,
            expected.invalid,
        )
        assert (sums.errors, sums.warnings) == (expected.errors, expected.warnings)
        assert sums.exit_code == report.exit_code
    (tmp_path / "empty").mkdir()
    assert rows_of(str(tmp_path / "empty")) == []


def test_law_of_exit_is_that_of_the_command(demo: Path) -> None:
    def codes(**rules: Any) -> tuple[int, ...]:
        check = runvet.Check(rules={name.replace("_", "/"): level for name, level in rules.items()})
        rows = rows_of(str(demo), check=check)
        table = pa.Table.from_pylist(rows, batch.SCHEMA)
        denied = batch.totals([table], deny_unjudged=True)
        report = check.run(demo)
        assert (denied.unjudged, denied.unchecked) == (
            report.totals.unjudged,
            report.totals.unchecked,
        )
        return report.exit_code, batch.totals([table]).exit_code, denied.exit_code

    assert codes(**{"*": "off"}) == (3, 3, 3)
    # A run that has ended has no summary.
    assert codes(**{"*": "off", "summary_mode": "error"}) == (0, 0, 1)
    broken = demo / "episodes" / "ep_01_answer" / "summary.json"
    os.truncate(broken, 65 << 20)
    assert codes(**{"*": "off", "summary_mode": "warning"}) == (0, 0, 1)
    assert codes(**{"*": "off", "summary_mode": "error"}) == (2, 2, 2)
    assert codes() == (1, 1, 1)


def test_selected_and_required_rules_count(tmp_path: Path) -> None:
    demo = str(shutil.copytree(CORPUS / "demo", tmp_path / "demo"))
    check = runvet.Check(select=["projection/*"], require=["manifest/digest"])
    lines = lines_of(demo, "--select", "projection/*", "--require", "manifest/digest")
    assert as_lines(rows_of(demo, check=check)) == lines
    rules = {finding["rule"] for line in lines for finding in line["findings"]}
    assert rules == {"projection/outcomes", "coverage/required"}
    again = pickle.loads(pickle.dumps(check))
    assert again.run(demo).totals == check.run(demo).totals
    digests = [batch.Settings(it).digest(demo) for it in (check, again, runvet.Check())]
    assert digests[0] == digests[1] != digests[2]
    for name in ("select", "require"):
        with pytest.raises(runvet.UnknownRule, match="did you mean"):
            runvet.Check(**{name: ["manifest/digst"]})  # type: ignore[arg-type]


def test_rules_and_baselines_count(tmp_path: Path) -> None:
    shutil.copytree(CORPUS / "demo", tmp_path / "demo")
    demo = str(tmp_path / "demo")
    strict = runvet.Check(rules={"strict/*": "error"})
    assert as_lines(rows_of(demo, check=strict)) == lines_of(demo, "--rule", "strict/*=error")
    baseline = tmp_path / "baseline.json"
    command("validate", "--write-baseline", str(baseline), demo)
    check = runvet.Check(baseline=baseline)
    rows = rows_of(demo, check=check)
    assert as_lines(rows) == lines_of(demo, "--baseline", str(baseline))
    assert any(row["suppressed"] for row in rows)


def test_configuration_starts_from_the_address(demo: Path, tmp_path: Path) -> None:
    config = tmp_path / "elsewhere" / "runvet.toml"
    config.parent.mkdir()
    config.write_text(
        'exclude = ["episodes/ep_03*", "ep_01_answer"]\n'
        "[[ignore]]\nrule = '*'\nepisode = 'episodes/ep_04_crashed'\nreason = 'it is old'\n"
        "[[override]]\npaths = ['episodes/ep_05*']\nrules = { '*' = 'off' }\n"
    )
    rows = rows_of(f"file://{demo}", 2, check=runvet.Check(config=config))
    shown = [(row["episode_id"], row["errors"], len(row["suppressed"])) for row in rows]
    assert shown == [("ep_02_paused", 0, 0), ("ep_04_crashed", 0, 3), ("ep_05_misnamed", 0, 0)]


def test_excluded_directories_of_a_disk_have_no_rows(demo: Path) -> None:
    config = demo / "runvet.toml"
    config.write_text('exclude = ["episodes/ep_03*"]\n')
    rows = rows_of(str(demo), 2, check=runvet.Check(config=config))
    assert as_lines(rows) == lines_of(demo, "--config", str(config)) and len(rows) == 4


def test_baseline_of_a_disk_holds_in_a_store(demo: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    command("validate", "--write-baseline", str(baseline), str(demo))
    moved = tmp_path / "bucket" / "runs"
    shutil.copytree(demo, moved)
    check = runvet.Check(baseline=baseline)
    whole = rows_of(f"file://{moved}", check=check)
    assert not any(row["findings"] for row in whole)
    assert sum(len(row["suppressed"]) for row in whole) == 7
    uris = [row["uri"] for row in whole]
    splits = batch.plan_of(uris, Location(""), 2)
    found = [batch.check_split(split, batch.Settings(check)) for split in splits]
    assert batch.totals(some for it in found for some in it).baselined == 7


JANUARY, FEBRUARY = "01JGFJJZ00CTSPE3DKFP348M8P", "01JK0D4T00CTSPE3DKFP348M8P"


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_period_leaves_out_names_of_another_time(
    tmp_path: Path, good: Path, partitions: int
) -> None:
    names = [f"ep_{JANUARY}", f"ep_{FEBRUARY}", "ep_named", f"nightly/ep_{JANUARY}"]
    names += [f"nightly/{FEBRUARY}", f"batch-{JANUARY}/ep_{FEBRUARY}", f"ep_0/{JANUARY}/ep_1"]
    for name in names:
        shutil.copytree(good, tmp_path / "episodes" / name)

    def found(**period: Any) -> set[str]:
        splits = batch.plan(str(tmp_path), partitions, **period)
        rows = (row for it in splits for some in batch.check_split(it) for row in some.to_pylist())
        return {row["uri"].removeprefix(f"{tmp_path}/episodes/") for row in rows}

    old = {name for name in names if JANUARY in name}
    assert found(since="2025-02-01", until="2026-01-01") == {*names} - old
    begun = datetime(2025, 1, 1, tzinfo=timezone.utc)
    assert found(since=begun) == {*names}
    assert found(until="2025-01-01T00:00:00Z") == {"ep_named"}
    assert found(since="2025-01-01", until="2025-02-01") == {
        name for name in names if FEBRUARY not in name
    }


def test_period_is_given_as_everywhere(tmp_path: Path, good: Path) -> None:
    def since(given: Any) -> float:
        (split,) = batch.plan(str(tmp_path), since=given)
        assert split.period.since is not None
        return split.period.since / 1000

    now = datetime.now(timezone.utc)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for given, expected in (
        ("7d", now - timedelta(days=7)),
        ("-1h", now - timedelta(hours=1)),
        ("today", midnight),
        ("yesterday", midnight - timedelta(days=1)),
        ("2025-01-01T00:00:00", datetime(2025, 1, 1, tzinfo=timezone.utc)),
        (datetime(2025, 1, 1, 12), datetime(2025, 1, 1, 12, tzinfo=timezone.utc)),
        (date(2025, 1, 1), datetime(2025, 1, 1, tzinfo=timezone.utc)),
    ):
        assert since(given) == pytest.approx(expected.timestamp(), abs=60), given
    with pytest.raises(ValueError, match='since is "soon", not a date such as'):
        since("soon")



def test_objects_in_memory_are_read_by_fsspec(demo: Path) -> None:
    import fsspec

    files = fsspec.filesystem("memory")
    files.put(f"{demo}/", "/runs", recursive=True)
    try:
        rows = rows_of(Location("memory://runs", adapter="fsspec"), 2)
    finally:
        files.rm("/runs", recursive=True)
    shown = json.loads(json.dumps(as_lines(rows)).replace("memory://runs", str(demo)))
    assert shown == lines_of(demo)


class Failing(Directory):
    """A directory whose objects can't be had."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        if "ep_02" in key:
            raise StoreError(f"{key}: its store answers 503")
        if "ep_03" in key:
            raise Gone(f"{key}: it does not exist")
        return super().get(key, start, length)


def test_a_store_that_fails_makes_rows_with_faults(demo: Path) -> None:
    rows = rows_of(Location(str(demo), open=Failing), 2)
    faults = {row["episode_id"]: row["fault"] for row in rows if row["fault"]}
    assert faults == {
        "ep_02_paused": "episodes/ep_02_paused/events.jsonl: its store answers 503",
        "ep_03_edited": "episodes/ep_03_edited/events.jsonl: it does not exist",
    }
    broken = next(row for row in rows if row["fault"])
    assert (broken["valid"], broken["lifecycle"], broken["errors"]) == (None, None, 0)
    table = pa.Table.from_pylist(rows, batch.SCHEMA)
    sums = batch.totals([table])
    assert (sums.episodes, sums.faults, sums.exit_code) == (3, 2, 2)


class Closed(Directory):
    """A directory that can't be listed below a name."""

    def children(self, prefix: str) -> tuple[list[str], list[Object]]:
        if prefix == "episodes/":
            raise StoreError("episodes/: its store answers 403")
        return super().children(prefix)


def test_a_listing_that_fails_is_a_fault(demo: Path) -> None:
    (row,) = rows_of(Location(str(demo), open=Closed), 2)
    assert (row["uri"], row["fault"]) == (f"{demo}/episodes", "episodes/: its store answers 403")


class Rewritten(Directory):
    """An episode whose state is replaced once, after it was listed and before the rest is read."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        answer = super().get(key, start, length)
        late = self._path / (key + ".late")
        if key.endswith("state.json") and late.exists():
            # The first read saw what was there before the writer had finished.
            late.replace(self._path / key)
        return answer


def test_an_episode_rewritten_during_its_read_is_not_told_wrong(
    tmp_path: Path, good: Path
) -> None:
    episode = tmp_path / "episodes" / "ep_answer"
    shutil.copytree(good, episode)
    sound = (episode / "state.json").read_bytes()
    (episode / "state.json.late").write_bytes(sound)
    (episode / "state.json").write_bytes(b'{"version": "1.0"}')
    (row,) = rows_of(Location(str(tmp_path), open=Rewritten))
    assert (row["valid"], row["findings"]) == (True, [])
    sizes = {file["name"]: file["size"] for file in row["files"]}
    assert sizes["state.json"] == len(sound)


class Restless(Directory):
    """An episode that changes with every read."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        answer = super().get(key, start, length)
        with open(self._path / key, "ab") as file:
            file.write(b" ")
        return answer


def test_an_episode_that_keeps_changing_is_held_back(tmp_path: Path, good: Path) -> None:
    episode = tmp_path / "episodes" / "ep_answer"
    shutil.copytree(good, episode)
    (episode / "state.json").write_bytes(b'{"version": "1.0"}')
    (row,) = rows_of(Location(str(tmp_path), open=Restless))
    assert (row["valid"], row["lifecycle"]) == (None, "unknown")
    assert "kept changing" in row["fault"]
    assert batch.totals([pa.Table.from_pylist([row], batch.SCHEMA)]).exit_code == 2


class Counting(Directory):
    """A directory that remembers what was read."""

    read: list[str] = []

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        self.read.append(key)
        return super().get(key, start, length)


def test_a_record_beyond_its_limit_is_a_finding_without_a_read(
    tmp_path: Path, good: Path
) -> None:
    episode = tmp_path / "episodes" / "ep_answer"
    shutil.copytree(good, episode)
    with open(episode / "summary.json", "ab") as file:
        file.truncate((64 << 20) + 1)
    Counting.read.clear()
    rows = rows_of(Location(str(tmp_path), open=Counting))
    assert as_lines(rows) == lines_of(tmp_path)
    assert "record/unreadable" in [it["rule"] for it in rows[0]["findings"]]
    assert not any("summary" in key for key in Counting.read)


def test_long_timelines_are_judged_from_a_file(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fetching, "IN_MEMORY", 100)
    monkeypatch.setattr(_fetching, "PIECE", 300)
    shutil.copytree(CORPUS / "demo", tmp_path / "demo")
    assert as_lines(rows_of(str(tmp_path / "demo"))) == lines_of(tmp_path / "demo")


def test_records_of_other_programs_are_no_rows(tmp_path: Path, good: Path) -> None:
    (tmp_path / "terraform").mkdir()
    (tmp_path / "terraform" / "state.json").write_text('{"serial": 4}')
    shutil.copytree(good, tmp_path / "runs" / "episodes" / "ep_answer")
    assert as_lines(rows_of(str(tmp_path))) == lines_of(tmp_path)
    assert len(rows_of(str(tmp_path))) == 1


def test_hostile_keys_are_safe_to_print(tmp_path: Path, good: Path) -> None:
    name = "ep_\x1b[2J\u202e"
    shutil.copytree(good, tmp_path / "episodes" / name)
    location = Location(str(tmp_path), open=Hidden)
    (row,) = rows_of(location)
    assert "\x1b" not in row["fault"] and row["uri"].endswith(name)


class Hidden(Directory):
    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        raise StoreError(f"{key}: its store answers 403")


def test_unchanged_episodes_are_copied_from_the_last_result(tmp_path: Path) -> None:
    demo, last = tmp_path / "demo", tmp_path / "last.parquet"
    shutil.copytree(CORPUS / "demo", demo)
    location = Location(str(demo), open=Counting)
    first = rows_of(location)
    parquet.write_table(pa.Table.from_pylist(first, batch.SCHEMA), last)
    Counting.read.clear()
    assert rows_of(location, 3, last=str(last)) == first
    assert Counting.read == []
    (demo / "episodes" / "ep_02_paused" / "state.json").write_text("{}")
    again = rows_of(location, 3, last=str(last))
    assert {key.split("/")[1] for key in Counting.read} == {"ep_02_paused"}
    assert as_lines(again) == lines_of(demo)
    # Another check decides anew.
    Counting.read.clear()
    rows_of(location, last=str(last), check=runvet.Check(rules={"strict/*": "error"}))
    assert len({key.split("/")[1] for key in Counting.read}) == 5


def ran(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runvet.batch", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_command_writes_the_table_and_exits_as_the_gate(tmp_path: Path, demo: Path) -> None:
    output = tmp_path / "findings.parquet"
    period = ("--since", "-7d", "--until", "2030-01-01")
    done = ran(demo, "--output", output, "--exit-code", "--partitions", "2", *period)
    assert (done.returncode, json.loads(done.stdout)["invalid"]) == (1, 3), done.stderr
    assert "2/2 splits, 5 episodes, 3 invalid" in done.stderr
    assert "runvet.batch: --since -7d is 20" in done.stderr
    assert "--until 2030-01-01 is 2030-01-01T00:00:00+00:00\n" in done.stderr
    table = parquet.read_table(output)
    assert table.schema == batch.SCHEMA
    assert as_lines(table.to_pylist()) == lines_of(demo)
    assert not Path(f"{output}.parts").exists()
    early = ["--since", "0000-01-01"]
    assert batch_command.main([str(demo), "--output", str(output), *early]) == 0

    def code(uri: Path, *options: str) -> int:
        return batch_command.main([str(uri), "--output", str(output), "--quiet", *options])

    (tmp_path / "empty").mkdir()
    assert code(demo) == 0
    assert code(tmp_path / "empty", "--exit-code") == 3
    assert code(tmp_path / "empty", "--exit-code", "--allow-empty") == 0
    assert code(tmp_path / "nowhere", "--exit-code", "--allow-empty") == 2


def test_command_goes_on_where_it_was_stopped(
    tmp_path: Path, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "findings.parquet"
    parts = Path(f"{output}.parts")

    def stop(path: Path, batches: Iterator[Any]) -> None:
        if path.name.startswith("000001"):
            raise KeyboardInterrupt
        whole(path, batches)

    whole = _parts.write
    arguments = [str(demo), "--output", str(output), "--partitions", "3"]
    # A length before now is one before the beginning of the run that was stopped.
    arguments += ["--processes", "1", "--since", "-7d"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_parts, "write", stop)
        assert batch_command.main(arguments) == 130
    assert sorted(path.name for path in parts.iterdir()) == ["000000.parquet", "plan.json"]
    other = batch_command.main([str(demo), "--output", str(output), "--partitions", "2"])
    assert other == 2 and parts.exists()
    kept = (parts / "000000.parquet").stat().st_mtime_ns
    written: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            _parts, "write", lambda path, it: (written.append(path.name), whole(path, it))
        )
        assert batch_command.main(arguments) == 0
    assert written == ["000001.parquet", "000002.parquet", "findings.parquet"] and kept
    before, after = (it for it in capsys.readouterr().err.splitlines() if "--since" in it)
    assert before == after
    assert as_lines(parquet.read_table(output).to_pylist()) == lines_of(demo)
    assert not parts.exists()


def test_command_goes_on_after_all_its_processes_were_killed(tmp_path: Path, good: Path) -> None:
    runs = tmp_path / "runs"
    for number in range(180):
        shutil.copytree(good, runs / "episodes" / f"ep_{number:03}")
    output = tmp_path / "findings.parquet"
    parts = Path(f"{output}.parts")
    options = (runs, "--output", output, "--partitions", "30", "--processes", "2", "--quiet")
    arguments = [sys.executable, "-m", "runvet.batch", *map(str, options), "--in-flight", "2"]
    # The group of the command is that of its processes.
    killed = subprocess.Popen(arguments, start_new_session=True)
    while killed.poll() is None and len([*parts.glob("0*.parquet")]) < 3:
        time.sleep(0.001)
    os.killpg(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("0*.parquet")}
    assert 3 <= len(kept) < 30
    seen = Watched(kept)
    done = subprocess.Popen(arguments)
    while done.poll() is None:
        seen.look()
    assert done.returncode == 0 and not seen.rewritten
    rows = parquet.read_table(output).to_pylist()
    assert as_lines(rows) == lines_of(runs) and not parts.exists()


class Watched:
    """Files that are not to be written again, and those that were."""

    def __init__(self, files: dict[Path, int]) -> None:
        self._files = files
        self.rewritten: set[Path] = set()

    def look(self) -> None:
        for path, modified in self._files.items():
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime_ns != modified:
                    self.rewritten.add(path)
        time.sleep(0.01)


@pytest.mark.parametrize("page", [3, 7, 20])
@pytest.mark.parametrize("partitions", [1, 3, 20])
def test_rows_do_not_depend_on_pages(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch, page: int, partitions: int
) -> None:
    runs = without_links(tmp_path) / "demo"
    names = ["ep_00", "ep_00-1", "nightly/a", "nightly/z", "nightly/deep/ep_2", "zz/summary.json/ep"]
    names += [f"aa/ep_{number}" for number in range(6)]
    for name in names:
        shutil.copytree(good, runs / "episodes" / name)
    for number in range(9):
        shutil.copytree(good, runs / "episodes" / "ep_00" / "checkpoints" / str(number))
        shutil.copytree(good, runs / "other" / f"ep_{number}")
    for group in ("aa", "nightly", "nightly/deep", "zz"):
        if not (runs / "episodes" / group / "summary.json").exists():
            shutil.copy(good / "summary.json", runs / "episodes" / group)
    shutil.copy(good / "manifest.json", runs / "episodes" / "nightly" / "deep")
    shutil.copy(good / "learn.jsonl", runs / "episodes")
    shutil.copytree(good, runs / "loose")
    shutil.copytree(good, runs / "loose" / "sub" / "episodes" / "ep_9")
    whole = rows_of(str(runs), 1)
    assert len([row for row in whole if row["fault"]]) == 3
    monkeypatch.setattr(_planning, "PAGE", page)
    monkeypatch.setattr(_finding, "CHUNK", 2 * page)
    rows = rows_of(str(runs), partitions)
    assert sorted(rows, key=lambda row: str(row["uri"])) == sorted(
        whole, key=lambda row: str(row["uri"])
    )
    found = [row for row in rows if row["lifecycle"] is not None]
    assert sorted(as_lines(found), key=lambda it: str(it["dir"])) == lines_of(runs)


class Forgetful(Directory):
    """A directory whose listing shows nothing from some key on, once that is asked for."""

    hides = ""

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        found = super().list(prefix, after)
        return found if not self.hides else (it for it in found if it.key < self.hides)


def test_what_the_planner_saw_is_a_fault_where_it_is_not_listed(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = Location(str(demo), open=Forgetful)
    splits = batch.plan(location, 2)
    assert batch.planned(splits) == (5, True)
    monkeypatch.setattr(Forgetful, "hides", "episodes/ep_04")
    found = [some for split in splits for some in batch.check_split(split)]
    faults = [it["fault"] for some in found for it in some.to_pylist() if it["fault"]]
    assert faults == [
        "the planner saw 2 episodes from here on, the listing shows 0, "
        "without episodes/ep_04_crashed/"
    ]
    sums = batch.totals(found)
    assert (sums.episodes, sums.faults, sums.exit_code) == (3, 1, 2)
    # Such a fault counts whatever is excluded.
    config = demo / "runvet.toml"
    config.write_text('exclude = ["episodes/ep_04*"]\n')
    settings = batch.Settings(runvet.Check(config=config))
    excluded = [some for split in splits for some in batch.check_split(split, settings)]
    assert batch.totals(excluded).exit_code == 2


class Late(Directory):
    """A directory whose first listing shows nothing."""

    listed = 0

    def list(self, prefix: str = "", after: str | None = None) -> Iterator[Object | Unlisted]:
        Late.listed += 1
        return super().list(prefix, after) if Late.listed > 1 else iter(())


def test_listing_that_shows_nothing_is_asked_for_twice(demo: Path, tmp_path: Path) -> None:
    Late.listed = 0
    assert len(rows_of(Location(str(demo), open=Late))) == 5
    (tmp_path / "empty").mkdir()
    done = ran(tmp_path / "empty", "--partitions", "1", "--output", tmp_path / "o", "--exit-code")
    assert (done.returncode, "is empty" in done.stderr) == (3, True)


class Portal(Directory):
    """A directory that gives another page for some states, always the same."""

    def get(self, key: str, start: int = 0, length: int | None = None) -> tuple[Object, bytes]:
        now, content = super().get(key, start, length)
        if "ep_01" in key and key.endswith("state.json"):
            return now._replace(size=6, etag="portal"), b"<html>"
        if "ep_03" in key and key.endswith("state.json"):
            return now, content[: len(content) // 2]
        return now, content


def test_bytes_that_the_listing_contradicts_are_a_fault(demo: Path) -> None:
    rows = rows_of(Location(str(demo), open=Portal))
    faults = {row["uri"].rsplit("/")[-1]: row["fault"] for row in rows if row["fault"]}
    assert [*faults] == ["ep_01_answer", "ep_03_edited"]
    assert "gives other bytes (6 bytes, ETag portal) than it lists" in faults["ep_01_answer"]
    assert all(not row["findings"] and row["valid"] is None for row in rows if row["fault"])


def test_denials_of_a_configuration_count_in_totals(tmp_path: Path, good: Path) -> None:
    shutil.copytree(good, tmp_path / "episodes" / "ep_answer")
    config = tmp_path / "runvet.toml"
    config.write_text("deny-warnings = true\n[rules]\n'strict/*' = 'warning'\n")
    state = tmp_path / "episodes" / "ep_answer" / "state.json"
    state.write_text(state.read_text().replace('"plan"', '"plna"', 1))
    for check in (runvet.Check(config=config), runvet.Check(deny_warnings=True)):
        report = check.run(tmp_path)
        table = pa.Table.from_pylist(rows_of(str(tmp_path), check=check), batch.SCHEMA)
        sums = batch.totals([table])
        assert (sums.warnings, sums.exit_code) == (report.totals.warnings, report.exit_code)
        assert sums.deny_warnings


def filled(demo: Path) -> Path:
    """Run data of which most rules can speak: with manifests, sound and broken, and groups."""
    cases = [*(CORPUS / "bad" / "manifest").rglob("manifest.json")]
    cases += [*(CORPUS / "bad" / "strict").rglob("manifest.json")]
    for number, case in enumerate(sorted(cases)):
        if not any(path.is_symlink() for path in case.parent.rglob("*")):
            shutil.copytree(case.parent, demo / "episodes" / "nightly" / f"ep_m{number}")
    fresh = runvet.Recorder(demo).begin("task")
    fresh.finish()
    return demo


LEVELS = st.sampled_from(["error", "warning", "off"])
# A rule of hooks has levels of its own.
RECORDED = [it.id for it in runvet.rules() if not it.id.startswith("hook/")]
RULES = st.sampled_from(["*", "strict/*", "manifest/digest", *RECORDED])
GLOBS = st.sampled_from(["episodes/ep_01*", "episodes/nightly", "episodes/nightly/*", "episodes/*"])


def toml_of(levels: dict[str, str]) -> str:
    return "{ " + ", ".join(f"'{rule}' = '{level}'" for rule, level in levels.items()) + " }"


@st.composite
def configurations(draw: st.DrawFn) -> str:
    lines = [
        f"{name} = {str(draw(st.booleans())).lower()}"
        for name in ("verify-manifest", "deny-warnings", "deny-unjudged")
    ]
    lines += [f"exclude = {draw(st.lists(GLOBS, max_size=1))}"]
    lines += [f"rules = {toml_of(draw(st.dictionaries(RULES, LEVELS, max_size=4)))}"]
    for path in draw(st.lists(GLOBS, max_size=2)):
        levels = draw(st.dictionaries(RULES, LEVELS, min_size=1, max_size=3))
        lines += ["[[override]]", f"paths = ['{path}']", f"rules = {toml_of(levels)}"]
    for path, rule in draw(st.lists(st.tuples(GLOBS, RULES), max_size=2)):
        lines += ["[[ignore]]", f"rule = '{rule}'", f"episode = '{path}'", "reason = 'old'"]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("everything") / "demo"
    shutil.copytree(CORPUS / "demo", root)
    return filled(root)


@settings(max_examples=60, deadline=None)
@given(text=configurations(), baselined=st.booleans())
def test_configuration_means_the_same_in_a_store(
    everything: Path, text: str, baselined: bool
) -> None:
    config = everything / "runvet.toml"
    config.write_text(text)
    baseline = everything / "baseline.json"
    if not baseline.exists():
        command("validate", "--write-baseline", str(baseline), str(everything / "episodes"))
    accepted = baseline if baselined else None
    # A batch fetches records, and does not know which files lie beside them.
    rules: dict[str, runvet.Level] = {"manifest/unlisted": "off"}
    check = runvet.Check(config=config, baseline=accepted, rules=rules)
    report = check.run(everything)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_fetching, "QUIET", 0.0)
        disk = rows_of(str(everything), 2, check=check)
        store = rows_of(f"file://{everything}", check=check)
    expected = sorted(report.to_dict()["episodes"], key=lambda it: str(it["dir"]))
    for rows in (disk, store):
        shown = json.loads(json.dumps(as_lines(rows)).replace("file://", ""))
        assert sorted(shown, key=lambda it: str(it["dir"])) == expected
        sums = batch.totals([pa.Table.from_pylist(rows, batch.SCHEMA)])
        assert sums.exit_code == report.exit_code
        assert sums.warnings == report.totals.warnings


def test_last_result_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        batch.Settings(last=str(tmp_path / "none.parquet"))


def test_settings_of_whole_directories_are_refused() -> None:
    with pytest.raises(ValueError, match="strict_config"):
        batch.Settings(runvet.Check(strict_config=True))


def test_settings_differ_with_files_that_a_configuration_names(tmp_path: Path) -> None:
    config, baseline = tmp_path / "runvet.toml", tmp_path / "baseline.json"
    config.write_text('baseline = "baseline.json"\n')
    command("validate", "--write-baseline", str(baseline), str(CORPUS / "good"))

    def digest() -> str:
        return batch.Settings(runvet.Check(config=config)).digest("s3://bucket/runs")

    before = digest()
    assert digest() == before
    command("validate", "--write-baseline", str(baseline), str(CORPUS / "demo"))
    assert digest() != before


@pytest.mark.parametrize("partitions", [None, 5, 20, 60])
@pytest.mark.parametrize("layout", ["flat", "days", "few days", "teams"])
def test_plan_of_a_large_listing_has_tasks_of_one_size(
    layout: str, partitions: int | None
) -> None:
    days = [f"episodes/2026-{month:02}-{day:02}/" for month in (1, 2, 3) for day in range(1, 29)]
    number = 40_000 if partitions is None else 100_000_000
    # The largest team has a hundred times the runs of the smallest.
    teams = {f"episodes/team-{at * 37 % 100:02}/": 1 / (at + 1) for at in range(100)}
    groups = {
        "flat": {"episodes/": 1.0},
        "days": dict.fromkeys(days, 1.0),
        "few days": dict.fromkeys(days[:9], 1.0),
        "teams": teams,
    }[layout]
    share = number / sum(groups.values())
    store = Simulated([(group, int(share * part)) for group, part in groups.items()])
    asked: list[int] = []
    location = Location("s3://bucket/runs", open=lambda _: store)
    splits = batch.plan(location, partitions, progress=lambda asks, _: asked.append(asks))
    requests = store.requests
    assert asked[-1] <= requests <= 40 * (partitions or len(splits))
    parts = [split.part for split in splits if split.part]
    bounds = [*(store.number_before(part.first) // 5 for part in parts), store.episodes]
    sizes = [end - start for start, end in zip(bounds, bounds[1:])]
    # With few requests, not all teams are measured.
    most = {("teams", 5): 2.0, ("teams", 20): 3.6, ("days", 5): 2.0}.get((layout, partitions or 0))
    assert max(sizes) < (most or 1.5) * sum(sizes) / len(sizes), sizes
    assert len(splits) <= (partitions or 50) and len(splits) > (partitions or 40) * 0.8
    assert max(len(pickle.dumps(part)) for part in parts) < 1_000


@pytest.mark.parametrize("partitions", [7, 64, 300])
@pytest.mark.parametrize("groups", [1, 20])
def test_plan_of_few_pages_has_tasks_of_one_size(groups: int, partitions: int) -> None:
    store = Simulated([(f"episodes/{at:02}/", 2_000 // groups) for at in range(groups)])
    location = Location("s3://bucket/runs", open=lambda _: store)
    splits = batch.plan(location, partitions)
    parts = [split.part for split in splits if split.part]
    bounds = [*(store.number_before(part.first) // 5 for part in parts), store.episodes]
    sizes = [end - start for start, end in zip(bounds, bounds[1:])]
    assert max(sizes) < 2 * 2_000 / partitions + 1, sizes
    found = [episode for part in parts for episode in found_in(location, part)]
    assert len(found) == 2_000
    assert not any(isinstance(episode, str) for _, episode in found)


def test_more_splits_than_episodes_are_one_for_each() -> None:
    store = Simulated([("episodes/", 40)])
    splits = batch.plan(Location("s3://bucket/runs", open=lambda _: store), 5_000)
    assert [split.part and split.part.episodes for split in splits] == [1] * 40


def test_a_split_is_read_page_by_page() -> None:
    def peak(episodes: int) -> int:
        store = Simulated([("episodes/", episodes)])
        ulid.cache_clear()
        location = Location("s3://bucket/runs", open=lambda _: store)
        tracemalloc.start()
        number = sum(1 for _ in found_in(location, Range()))
        reached = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert number == episodes
        return reached

    assert peak(10_000) < 1.5 * peak(2_500)


# 200 MB and 256 MB are promised for 5,000 splits and for any range. A planner or a reader that keeps
# all keys is beyond these bounds with few of them.
@pytest.mark.parametrize(("stage", "number", "most"), [("plan", 500, 125), ("read", 50_000, 128)])
def test_memory_of_planner_and_reader_is_bounded(stage: str, number: int, most: int) -> None:
    script = ROOT / "python" / "tests" / "peak.py"
    arguments = [sys.executable, script, stage, str(number)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= most


@pytest.mark.parametrize(
    "of",
    [
        {"adapter": "obstore", "options": {"region": "here", "skip_signature": True}},
        {"open": lambda _: Simulated([("episodes/", 1)])},
    ],
)
def test_any_number_of_addresses_takes_the_same_files_and_memory(of: dict[str, Any]) -> None:
    def taken(addresses: int) -> tuple[int, int]:
        for at in range(addresses):
            Location(f"s3://bucket/runs/{at}", **of).store()
        gc.collect()
        return len(os.listdir("/proc/self/fd")), tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    files, memory = taken(100)
    many = taken(20_000)
    tracemalloc.stop()
    assert many[0] == files
    # Each address that was kept would take some hundred bytes.
    assert many[1] < memory + 500_000


@pytest.mark.parametrize("part", ["good", "bad", "demo", "broken"])
def test_table_of_a_directory_is_the_report_of_the_command(tmp_path: Path, part: str) -> None:
    output = tmp_path / "findings.parquet"
    done = ran(CORPUS / part, "--output", output, "--exit-code")
    report = runvet.validate(CORPUS / part)
    rows = parquet.read_table(output).to_pylist()
    assert as_lines(rows) == report.to_dict()["episodes"]
    assert done.returncode == report.exit_code, done.stderr
