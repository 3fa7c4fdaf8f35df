"""Run data in a store -> data frames of Spark.

>>> spark.read.format("runvet").load("s3://bucket/runs")                 # doctest: +SKIP

Installing the package registers that format. The options are `table`, `partitions`, `since`,
`until`, `in_flight`, `reads_per_second`, `patience`, `last`, `config`, `baseline`, `select`,
`require`, `verify_manifest`, `deny_warnings`, `deny_unjudged`, `require_ended`, `profile`,
`adapter`, `rule.RULE` and `store.NAME`. A task has one thread that checks and `in_flight` that
fetch.
"""

from __future__ import annotations

import difflib
import pickle
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

try:
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
except ImportError as error:
    error.msg += "; the extra `spark` of runvet installs it"
    raise

from . import batch
from ._check import FILES, NAMES, SWITCHES, Check
from .batch._period import Moment, Period
from .batch._planning import plan_within
from .batch._rows import Totals
from .batch import Settings, Split, check_split, plan, plan_of
from .store import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["RunvetDataSource", "check", "check_table", "findings", "totals"]


class RunvetDataSource(DataSource):
    """The format `runvet`: one row for each episode below an address, or those of a table."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "runvet"

    def schema(self) -> Any:
        """The schema of `runvet.batch`, in the types of Spark."""
        return _schema(Settings(table=self.options.get("table")))  # type: ignore[arg-type]

    def reader(self, schema: Any) -> DataSourceReader:
        """The reader of the address that was given to `load`."""
        return _Reader(dict(self.options))


class _Partition(InputPartition):
    def __init__(self, split: Split) -> None:
        super().__init__(split)


_OPTIONS = [*FILES, *NAMES, *SWITCHES, "path", "partitions", "since", "until", "in_flight"]
_OPTIONS += ["reads_per_second", "patience", "last", "adapter", "table", "profile"]


def _option_of(name: str) -> None:
    """Refuses an option that does not exist."""
    if name in _OPTIONS or name.startswith(("store.", "rule.")):
        return
    near = difflib.get_close_matches(name, _OPTIONS, 1, 0.0)[0]
    raise ValueError(f"the format runvet has no option {name!r}; the nearest is {near!r}")


def _is_on(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"the option {name} is {text!r}, not true or false")
    return text.lower() == "true"


class _Reader(DataSourceReader):
    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            _option_of(name)
        uri = options.get("path")
        if not uri:
            more = "; the format takes one address" if "paths" in options else ""
            raise ValueError(f'there is no address: .load("s3://bucket/runs"){more}')
        store = {name[6:]: it for name, it in options.items() if name.startswith("store.")}
        adapter: Any = options.get("adapter")
        patience = float(options.get("patience", 60))
        self._location = Location(uri, store, adapter, patience=patience)
        self._partitions = int(options["partitions"]) if "partitions" in options else None
        rules: Any = {name[5:]: it for name, it in options.items() if name.startswith("rule.")}
        self._period = Period.of(options.get("since"), options.get("until"))
        check: dict[str, Any] = {name: options.get(name) for name in FILES}
        check.update({name: _is_on(name, options[name]) for name in SWITCHES if name in options})
        check.update({name: options[name].split(",") for name in NAMES if name in options})
        check["profile"] = options.get("profile")
        limit = options.get("reads_per_second")
        self._settings = Settings(
            Check(rules=rules, jobs=1, **check),
            int(options.get("in_flight", 32)),
            options.get("last"),
            float(limit) if limit else None,
            options.get("table"),  # type: ignore[arg-type]
        )

    def partitions(self) -> list[InputPartition]:
        splits = plan_within(self._location, self._partitions, self._period)
        return [_Partition(split) for split in splits]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return check_split(partition.value, self._settings)


def _schema(settings: Settings) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(settings.schema)


def check(
    spark: SparkSession,
    uri: str | Location,
    settings: Settings | None = None,
    partitions: int | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
) -> DataFrame:
    """The same rows as those of the format, with settings from Python."""
    return _checked(spark, plan(uri, partitions, since=since, until=until), settings)


def check_table(
    table: DataFrame,
    column: str = "uri",
    settings: Settings | None = None,
    location: Location | None = None,
    partitions: int | None = None,
) -> DataFrame:
    """Checks the episodes whose addresses are in a column, such as those of an inventory.

    Each is listed by itself, which is slower than a whole directory.
    """
    where = location or Location("")
    number = partitions or max(1, table.sparkSession.sparkContext.defaultParallelism)
    uris = table.select(column).distinct().repartitionByRange(number, column)
    work = settings or Settings(Check(jobs=1))

    def checked(batches: Iterator[Any]) -> Iterator[Any]:
        given = [uri for some in batches for uri in some.column(0).to_pylist()]
        for split in plan_of(given, where, 1):
            yield from check_split(split, work)

    return uris.mapInArrow(checked, _schema(work))


def _checked(spark: SparkSession, splits: list[Split], settings: Settings | None) -> DataFrame:
    work = settings or Settings(Check(jobs=1))
    pickled = [(bytearray(pickle.dumps(split)),) for split in splits]
    table = spark.createDataFrame(
        spark.sparkContext.parallelize(pickled, len(pickled)), "split binary"
    )

    def checked(batches: Iterator[Any]) -> Iterator[Any]:
        for some in batches:
            for split in some.column(0).to_pylist():
                yield from check_split(pickle.loads(split), work)

    return table.mapInArrow(checked, _schema(work))


def findings(table: DataFrame) -> DataFrame:
    """One row for each finding, with the episode that it is in."""
    from pyspark.sql import functions

    episode = ("uri", "episode_id", "lifecycle", "mode", "adapter")
    found = table.select(*episode, functions.explode("findings").alias("finding"))
    return found.select(*episode, "finding.*")


def totals(
    table: DataFrame,
    *,
    deny_warnings: bool = False,
    deny_unjudged: bool = False,
    allow_empty: bool = False,
) -> Totals:
    """The sums over all rows, which Spark adds up, and the exit code of a gate."""
    from pyspark.sql import functions as f

    def number(condition: Any) -> Any:
        return f.coalesce(f.sum(f.when(condition, 1).otherwise(0)), f.lit(0))

    def suppressed(by: str) -> Any:
        found = f.filter("suppressed", lambda it: it["by"] == by)
        return f.coalesce(f.sum(f.size(found)), f.lit(0))

    is_episode = f.col("lifecycle").isNotNull()
    sums = table.agg(
        number(is_episode).alias("episodes"),
        number(f.col("valid")).alias("valid"),
        number(~f.col("valid")).alias("invalid"),
        number(f.col("verdict") == "breaks_rule").alias("breaks_rule"),
        number(is_episode & f.col("valid").isNull()).alias("undecided"),
        f.coalesce(f.sum("errors"), f.lit(0)).alias("errors"),
        f.coalesce(f.sum("warnings"), f.lit(0)).alias("warnings"),
        f.coalesce(f.sum("unjudged"), f.lit(0)).alias("unjudged"),
        number(f.col("unchecked")).alias("unchecked"),
        number(f.col("lifecycle") == "non_terminal").alias("not_ended"),
        number(f.col("unjudged") > 0).alias("skipped"),
        suppressed("ignore").alias("ignored"),
        suppressed("baseline").alias("baselined"),
        number(f.col("fault").isNotNull()).alias("faults"),
        f.coalesce(f.max("deny_warnings"), f.lit(deny_warnings)).alias("deny_warnings"),
        f.coalesce(f.max("deny_unjudged"), f.lit(deny_unjudged)).alias("deny_unjudged"),
    ).collect()[0].asDict()
    sums["deny_warnings"] |= deny_warnings
    sums["deny_unjudged"] |= deny_unjudged
    return batch.Totals(**sums, allow_empty=allow_empty)
