"""A table of a report -> an Arrow stream. Only imported where somebody asks for one."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]

from ._report import ColumnType, Table

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "tags": pa.map_(pa.string(), pa.string()),
}


def stream(table: Table, requested_schema: object | None) -> Any:
    return _arrow(table).__arrow_c_stream__(requested_schema)


def write_parquet(table: Table, path: str | os.PathLike[str]) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped, import-not-found, unused-ignore]

    pq.write_table(_arrow(table), os.fspath(path))


def schema(types: dict[str, ColumnType]) -> Any:
    return pa.schema([(name, _TYPES[kind]) for name, kind in types.items()])


def _arrow(table: Table) -> Any:
    columns = {
        name: [list(it.items()) for it in column] if table.types[name] == "tags" else column
        for name, column in table.columns.items()
    }
    return pa.table(columns, schema=schema(table.types))
