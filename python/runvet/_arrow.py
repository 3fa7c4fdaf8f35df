"""Columns of findings -> an Arrow stream. Only imported where somebody asks for one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]

_NUMBERS = ("line", "column", "end_line", "end_column", "offset", "length")


def stream(columns: dict[str, list[Any]], requested_schema: object | None) -> Any:
    schema = pa.schema(
        [(name, pa.int64() if name in _NUMBERS else pa.string()) for name in columns]
    )
    table = pa.table(columns, schema=schema)
    return table.__arrow_c_stream__(requested_schema)
