"""Run data in a store -> datasets of Ray.

>>> runvet.ray.check("s3://bucket/runs").write_parquet("findings")       # doctest: +SKIP
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

try:
    import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
    import ray.data  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    error.msg += "; the extra `ray` of runvet installs it"
    raise

from . import batch
from ._check import Check
from .batch._period import Moment
from .batch._rows import Totals
from .batch import Settings, Split, check_split, plan, plan_of
from .store import Location

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["check", "check_table", "findings", "totals"]


def check(
    uri: str | Location,
    settings: Settings | None = None,
    partitions: int | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    **options: Any,
) -> Dataset:
    """One row for each episode below an address, or those of `settings.table`.

    `since` and `until` are those of `batch.plan`. `options` go to `Dataset.map_batches`, such as
    `compute` or `num_cpus`.
    """
    return _checked(plan(uri, partitions, since=since, until=until), settings, options)


def check_table(
    table: Dataset,
    column: str = "uri",
    settings: Settings | None = None,
    location: Location | None = None,
    partitions: int | None = None,
    **options: Any,
) -> Dataset:
    """Checks the episodes whose addresses are in a column. They are brought to the driver."""
    uris = [row[column] for row in table.select_columns([column]).iter_rows()]
    return _checked(plan_of(uris, location or Location(""), partitions), settings, options)


def findings(table: Dataset) -> Dataset:
    """One row for each finding, with the episode that it is in."""
    episode = ("uri", "episode_id", "lifecycle", "mode", "adapter")

    def found(row: dict[str, Any]) -> list[dict[str, Any]]:
        return [{**{name: row[name] for name in episode}, **it} for it in row["findings"]]

    return table.flat_map(found)


def totals(table: Dataset, **law: bool) -> Totals:
    """The sums over all rows, and the exit code of a gate, see `batch.totals`."""
    batches: Any = table.iter_batches(batch_format="pyarrow", batch_size=None)
    filled = (some for some in batches if some.num_columns)
    return batch.totals(filled, **law)


def _checked(splits: list[Split], settings: Settings | None, options: dict[str, Any]) -> Dataset:
    work = pickle.dumps(settings or Settings(Check(jobs=1)))

    def checked(table: Any) -> Iterator[Any]:
        settings: Settings = pickle.loads(work)
        for split in table.column("split").to_pylist():
            for some in check_split(pickle.loads(split), settings):
                yield pa.Table.from_batches([some])

    rows = [{"split": pickle.dumps(split)} for split in splits]
    table = ray.data.from_items(rows, override_num_blocks=len(rows))
    # An engine hands over whatever number of rows it likes, so each split is a batch.
    return table.map_batches(checked, batch_size=1, batch_format="pyarrow", **options)
