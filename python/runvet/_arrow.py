"""Columns of a report -> an Arrow stream. Only imported where somebody asks for one."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]

from ._columns import Columns, ColumnType

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "tags": pa.map_(pa.string(), pa.string()),
}


def stream(
    columns: Columns, types: dict[str, ColumnType], requested_schema: object | None
) -> Any:
    return _arrow(columns, types).__arrow_c_stream__(requested_schema)


def write_parquet(
    columns: Columns, types: dict[str, ColumnType], path: str | os.PathLike[str]
) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped, import-not-found, unused-ignore]

    pq.write_table(_arrow(columns, types), os.fspath(path))


def schema(types: dict[str, ColumnType]) -> Any:
    return pa.schema([(name, _TYPES[kind]) for name, kind in types.items()])


def _arrow(columns: Columns, types: dict[str, ColumnType]) -> Any:
    arrays = {
        name: [list(it.items()) for it in column] if types[name] == "tags" else column
        for name, column in columns.items()
    }
    return pa.table(arrays, schema=schema(types))
