"""Splits -> files of rows. Processes that check import this module."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
from pyarrow import parquet  # type: ignore[import-untyped, import-not-found, unused-ignore]

from . import Settings, check_split
from ._planning import Split
from ._rows import SCHEMA, Totals


def path_of(parts: Path, at: int) -> Path:
    """The file of a split."""
    return parts / f"{at:06}.parquet"


def finished(piece: tuple[Path, Split, Settings]) -> Path:
    """Checks a split, and returns the file of its rows."""
    path, split, settings = piece
    write(path, check_split(split, settings))
    return path


def write(path: Path, batches: Iterable[Any]) -> None:
    """Writes a file that is there as a whole or not at all."""
    unfinished = path.with_name(f".{path.name}.new")
    try:
        with parquet.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer:
            for batch in batches:
                writer.write_table(pa.Table.from_batches([batch], SCHEMA))
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: Path) -> Iterator[Any]:
    """The rows of a file."""
    with parquet.ParquetFile(path) as file:
        yield from file.iter_batches()


def plus(sums: Totals, path: Path) -> Totals:
    """The totals with those of a file."""
    for batch in read(path):
        sums = sums.plus(batch)
    return sums
