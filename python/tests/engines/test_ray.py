"""Real Ray with two workers over a real store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from conftest import EPISODES, RUNS, Proxy, as_lines, refuse, table_rows
from ray.data import Dataset

from runvet import batch
from runvet import ray as runvet_ray
from runvet.store import Location


@pytest.fixture(scope="session", autouse=True)
def cluster(disk: Path) -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def rows_of(table: Dataset) -> list[dict[str, Any]]:
    return [row for row in table.iter_rows() if row]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_rows_equal_the_lines_of_the_command(lines: list[Any], partitions: int) -> None:
    rows = rows_of(runvet_ray.check(RUNS, partitions=partitions))
    assert as_lines(rows) == lines and len(rows) == EPISODES + 9


def test_findings_and_totals_are_those_of_the_command(lines: list[Any]) -> None:
    table = runvet_ray.check(RUNS, partitions=2).materialize()
    found = runvet_ray.findings(table)
    assert found.count() == sum(len(line["findings"]) for line in lines)
    assert runvet_ray.totals(table).exit_code == 1
    nothing = runvet_ray.check("s3://bucket/none")
    assert runvet_ray.totals(nothing).exit_code == 3
    assert runvet_ray.totals(nothing, allow_empty=True).exit_code == 0


def test_a_table_is_a_setting(disk: Path) -> None:
    rows = rows_of(runvet_ray.check(RUNS, batch.Settings(table="events"), partitions=3))
    assert rows == table_rows(disk, "events")


def test_refusals_are_rows_with_faults(proxy: type[Proxy], lines: list[Any]) -> None:
    faults = refuse(proxy)
    table = runvet_ray.check(Location(RUNS, patience=2), partitions=2).materialize()
    rows = rows_of(table)
    assert {row["uri"]: row["fault"] for row in rows if row["fault"]} == faults
    assert as_lines(rows) == [line for line in lines if line["dir"] not in faults]
    assert runvet_ray.totals(table).exit_code == 2


def test_addresses_in_a_table_are_checked(lines: list[Any]) -> None:
    table = ray.data.from_items([{"uri": line["dir"]} for line in lines])
    assert as_lines(rows_of(runvet_ray.check_table(table, partitions=2))) == lines


def test_rewritten_episodes_are_not_told_wrong(rewriting: Location, lines: list[Any]) -> None:
    assert as_lines(rows_of(runvet_ray.check(rewriting, partitions=2))) == lines


def test_rows_are_the_same_after_a_worker_was_killed(killing: Location, lines: list[Any]) -> None:
    rows = rows_of(runvet_ray.check(killing, partitions=2))
    assert as_lines(rows) == lines and len(rows) == len(lines)
    assert not Path(os.environ["RUNVET_TEST_MARK"]).exists()
