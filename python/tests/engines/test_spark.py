"""Real Spark with two workers over a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, EPISODES, RUNS, Proxy, as_lines, lines_of, refuse, table_rows, ulid
from pyspark.sql import DataFrame, SparkSession

import runvet
from runvet import batch
from runvet import spark as runvet_spark
from runvet.store import Location


@pytest.fixture(scope="session")
def spark(disk: Path) -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def rows_of(table: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in table.collect()]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_installing_the_package_registers_the_format(
    spark: SparkSession, lines: list[Any], partitions: int
) -> None:
    table = spark.read.format("runvet").option("partitions", partitions).load(RUNS)
    assert table.rdd.getNumPartitions() == partitions
    rows = rows_of(table)
    assert as_lines(rows) == lines
    assert len({row["uri"] for row in rows}) == len(rows) == EPISODES + 9


def test_findings_and_totals_are_those_of_the_command(
    spark: SparkSession, lines: list[Any]
) -> None:
    table = runvet_spark.check(spark, RUNS, partitions=2).cache()
    found = runvet_spark.findings(table)
    assert found.count() == sum(len(line["findings"]) for line in lines)
    assert {"uri", "rule", "pointer", "related"} <= {*found.columns}
    totals = runvet_spark.totals(table)
    assert totals.episodes == len(lines) and totals.exit_code == 1
    assert totals.invalid == sum(line["valid"] is False for line in lines)
    nothing = spark.read.format("runvet").load("s3://bucket/no")
    assert runvet_spark.totals(nothing).exit_code == 3
    assert runvet_spark.totals(nothing, allow_empty=True).exit_code == 0


def test_rules_are_options(spark: SparkSession) -> None:
    rules = {f"rule.{rule.id}": "off" for rule in runvet.rules()}
    table = spark.read.format("runvet").options(**rules).load(RUNS)
    assert runvet_spark.totals(table).errors == 0


def test_refusals_are_rows_with_faults(
    spark: SparkSession, proxy: type[Proxy], lines: list[Any]
) -> None:
    faults = refuse(proxy)
    reader = spark.read.format("runvet").option("partitions", 2).option("patience", 2)
    table = reader.load(RUNS)
    rows = rows_of(table)
    assert {row["uri"]: row["fault"] for row in rows if row["fault"]} == faults
    assert as_lines(rows) == [line for line in lines if line["dir"] not in faults]
    assert batch.totals([]).exit_code == 3
    assert runvet_spark.totals(table).exit_code == 2


def test_a_table_is_an_option(spark: SparkSession, disk: Path) -> None:
    table = spark.read.format("runvet").option("table", "actions").option("partitions", 3)
    rows = rows_of(table.load(RUNS))
    assert all(row.pop("fault") is None for row in rows)
    assert rows == table_rows(disk, "actions")
    with pytest.raises(Exception, match="'acts', not one of runs"):
        spark.read.format("runvet").option("table", "acts").load(RUNS)


@pytest.mark.parametrize(
    ("option", "nearest"),
    [("partition", "partitions"), ("confg", "config"), ("deny_warning", "deny_warnings")],
)
def test_unknown_options_are_refused(spark: SparkSession, option: str, nearest: str) -> None:
    with pytest.raises(Exception, match=f"no option '{option}'.*'{nearest}'"):
        spark.read.format("runvet").option(option, "1").load(RUNS).count()


def test_denials_of_a_configuration_count(spark: SparkSession, tmp_path: Path) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text("deny-warnings = true\n[rules]\n'*' = 'warning'\n")
    table = spark.read.format("runvet").option("config", str(config)).load(RUNS)
    assert runvet_spark.totals(table).exit_code == 1
    reader = spark.read.format("runvet").option("rule.*", "warning")
    assert runvet_spark.totals(reader.load(RUNS)).exit_code == 0
    assert runvet_spark.totals(reader.option("deny_warnings", "true").load(RUNS)).exit_code == 1


def test_period_and_configuration_are_options(spark: SparkSession, tmp_path: Path) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text('exclude = ["episodes/nightly"]\n')
    reader = spark.read.format("runvet").option("since", "2026-09-24")
    rows = rows_of(reader.option("config", str(config)).load(RUNS))
    assert [row["uri"] for row in rows] == [f"{RUNS}/episodes/{ulid(it)}" for it in (58, 59)]


def test_sixty_rules_of_a_team_have_the_verdict_of_the_command(
    spark: SparkSession, disk: Path
) -> None:
    config = str(CORPUS / "team" / "sixty" / "runvet.toml")
    table = spark.read.format("runvet").option("config", config).option("partitions", 3).load(RUNS)
    lines = lines_of(disk, "--config", config)
    assert as_lines(rows_of(table)) == lines
    assert any(it["rule"].startswith("sixty/") for line in lines for it in line["findings"])


def test_addresses_in_a_table_are_checked(spark: SparkSession, lines: list[Any]) -> None:
    uris = [(line["dir"],) for line in lines] + [(f"{RUNS}/episodes/{ulid(999)}",)]
    table = runvet_spark.check_table(spark.createDataFrame(uris, "uri string"), partitions=2)
    rows = rows_of(table)
    assert as_lines(rows) == lines
    assert [row["fault"] for row in rows if row["fault"]] == ["there is no episode at this address"]


def test_rewritten_episodes_are_not_told_wrong(
    spark: SparkSession, rewriting: Location, lines: list[Any]
) -> None:
    assert as_lines(rows_of(runvet_spark.check(spark, rewriting, partitions=2))) == lines


def test_rows_are_the_same_after_a_worker_was_killed(
    spark: SparkSession, killing: Location, lines: list[Any]
) -> None:
    rows = rows_of(runvet_spark.check(spark, killing, partitions=2))
    assert as_lines(rows) == lines and len(rows) == len(lines)
