"""A real store without any engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import EPISODES, RUNS, Proxy, as_lines, refuse, ulid
from pyarrow import parquet

from runvet import batch
from runvet.store import Location


def rows_of(location: str | Location, partitions: int | None = None) -> list[dict[str, Any]]:
    splits = batch.plan(location, partitions)
    return [row for it in splits for some in batch.check_split(it) for row in some.to_pylist()]


@pytest.mark.parametrize("partitions", [1, 2, 7, None])
def test_rows_equal_the_lines_of_the_command(
    disk: Path, lines: list[Any], partitions: int | None
) -> None:
    assert as_lines(rows_of(RUNS, partitions)) == lines


def test_pyarrow_shows_the_same_rows(disk: Path, lines: list[Any]) -> None:
    options = {"endpoint_override": os.environ["AWS_ENDPOINT_URL"], "region": "us-east-1"}
    assert as_lines(rows_of(Location(RUNS, options, "pyarrow"), 2)) == lines


def test_fsspec_shows_the_same_rows(disk: Path, lines: list[Any]) -> None:
    options = {"endpoint_url": os.environ["AWS_ENDPOINT_URL"]}
    assert as_lines(rows_of(Location(RUNS, options, "fsspec"), 2)) == lines


@pytest.mark.parametrize("adapter", ["fsspec", "pyarrow"])
def test_adapters_name_what_a_store_refuses(
    disk: Path, proxy: type[Proxy], lines: list[Any], adapter: Any
) -> None:
    endpoint = os.environ["AWS_ENDPOINT_URL"]
    options = {
        "fsspec": {"endpoint_url": endpoint},
        "pyarrow": {"endpoint_override": endpoint, "region": "us-east-1"},
    }
    proxy.refused = {f"{ulid(5)}/events": 403, f"{ulid(6)}/events": 404}
    rows = rows_of(Location(RUNS, options[adapter], adapter), 2)
    assert {row["uri"]: row["fault"] for row in rows if row["fault"]} == {
        f"{RUNS}/episodes/{ulid(5)}": f"episodes/{ulid(5)}/events.jsonl: its store answers 403",
        f"{RUNS}/episodes/{ulid(6)}": f"episodes/{ulid(6)}/events.jsonl: it does not exist",
    }
    assert len(as_lines(rows)) == len(lines) - 2


def test_ranges_are_listed_in_pages(disk: Path, proxy: type[Proxy]) -> None:
    splits = batch.plan(RUNS, 2)
    planned = len(proxy.requests)
    rows = [row for it in splits for some in batch.check_split(it) for row in some.to_pylist()]
    listings = [path for path in proxy.requests[planned:] if "list-type" in path]
    findings = sum(bool(row["findings"]) for row in rows)
    # Some for each range, and two for an episode that is listed again for its findings.
    assert planned < 20
    assert len(listings) <= 12 + 2 * findings < EPISODES


def test_refusals_are_rows_with_faults(disk: Path, proxy: type[Proxy], lines: list[Any]) -> None:
    faults = refuse(proxy)
    rows = rows_of(Location(RUNS, patience=2), 2)
    assert {row["uri"]: row["fault"] for row in rows if row["fault"]} == faults
    assert as_lines(rows) == [line for line in lines if line["dir"] not in faults]


def test_rewritten_episodes_are_not_told_wrong(rewriting: Location, lines: list[Any]) -> None:
    assert as_lines(rows_of(rewriting, 2)) == lines


def ran(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runvet.batch", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_command_reads_a_store(
    disk: Path, proxy: type[Proxy], lines: list[Any], tmp_path: Path
) -> None:
    output = tmp_path / "findings.parquet"
    done = ran(RUNS, "--output", output, "--exit-code")
    assert done.returncode == 1, done.stderr
    assert as_lines(parquet.read_table(output).to_pylist()) == lines
    assert json.loads(done.stdout)["episodes"] == EPISODES + 9
    proxy.requests.clear()
    copied = tmp_path / "again.parquet"
    assert ran(RUNS, "--output", copied, "--last", output).returncode == 0
    assert parquet.read_table(copied) == parquet.read_table(output)
    assert not any(path.endswith("state.json") for path in proxy.requests)
    refuse(proxy)
    impatient = ("--output", output, "--exit-code", "--patience", "2")
    assert ran(RUNS, *impatient).returncode == 2
    assert ran("s3://bucket/none", "--output", output, "--exit-code").returncode == 3
    assert ran("s3://nobody/none", "--output", output, "--exit-code").returncode == 2
