"""The types of tables: columns, and what stands in one."""

from typing import Any, Literal

Columns = dict[str, list[Any]]
"""Named columns of one length, as `pandas.DataFrame` and `polars.DataFrame` take them."""

ColumnType = Literal["text", "integer", "number", "boolean", "time", "tags"]
"""The type of a column; a value of it may also be None."""
