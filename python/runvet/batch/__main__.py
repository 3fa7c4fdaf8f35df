"""An address and options -> a Parquet file of episodes, on one machine.

Finished splits lie in `OUTPUT.parts/`, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, import-not-found, unused-ignore]
from pyarrow import parquet  # type: ignore[import-untyped, import-not-found, unused-ignore]

from . import Settings, check_split
from .._check import Check
from .._errors import RunvetError
from ._period import Period
from ._planning import Range, Split, plan_within
from ._rows import SCHEMA, Totals
from ..store import Location


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except (RunvetError, OSError, ValueError) as error:
        print(f"runvet.batch: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nrunvet.batch: stopped; the same command goes on", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m runvet.batch",
        description="Checks run data in a store, and writes a table with a row for each episode.",
    )
    add = parser.add_argument
    add("uri", help="the address of the run data, such as s3://bucket/runs, or a directory")
    add("--output", required=True, type=Path, help="the Parquet file to write")
    add("--exit-code", action="store_true", help="exit as `runvet validate` does: 1, 2 or 3")
    add("--partitions", type=int, help="the number of splits; 1,000 episodes each if not given")
    add("--in-flight", type=int, default=32, help="episodes that are fetched at once (32)")
    add("--last", help="the last result: what did not change is copied from it")
    add("--since", metavar="TIME", help="leave out directories with an older ULID in their name")
    add("--until", metavar="TIME", help="leave out those with one of this time or later")
    add("--config", help="a runvet.toml")
    add("--baseline", help="a file that `runvet validate --write-baseline` wrote")
    add("--rule", action="append", default=[], metavar="RULE=LEVEL", help="the level of a rule")
    add("--store", action="append", default=[], metavar="NAME=VALUE", help="an option of the store")
    add("--adapter", choices=("obstore", "pyarrow", "fsspec", "directory"))
    add("--quiet", action="store_true", help="show no progress")
    return parser


def _run(options: argparse.Namespace) -> int:
    check = Check(
        rules=dict(_pairs(options.rule)), config=options.config, baseline=options.baseline
    )
    settings = Settings(check, options.in_flight, options.last)
    location = Location(options.uri, dict(_pairs(options.store)), options.adapter)
    parts = Path(f"{options.output}.parts")
    period = Period.of(options.since, options.until)
    splits = _planned(parts, location, settings, options.partitions, period)
    show = _Progress(options.quiet, len(splits))
    deny_warnings, deny_unjudged = check._checker.deny
    sums = Totals(deny_warnings=deny_warnings, deny_unjudged=deny_unjudged)
    for number, split in enumerate(splits):
        part = parts / f"{number:06}.parquet"
        if not part.exists():
            _write(part, check_split(split, settings))
        for batch in parquet.ParquetFile(part).iter_batches():
            sums = sums.plus(batch)
        show(number + 1, sums)
    files = (parquet.ParquetFile(parts / f"{at:06}.parquet") for at in range(len(splits)))
    _write(options.output, (batch for file in files for batch in file.iter_batches()))
    shutil.rmtree(parts)
    print(sums.to_json())
    return sums.exit_code if options.exit_code else 0


def _pairs(texts: Sequence[str]) -> list[tuple[str, Any]]:
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise ValueError(f"{wrong[0]!r} is not of the form NAME=VALUE")
    return [(name, value) for name, _, value in pairs]


def _planned(
    parts: Path,
    location: Location,
    settings: Settings,
    partitions: int | None,
    period: Period,
) -> list[Split]:
    """The plan: that of the run which is gone on with, or a new one."""
    asked = {
        "uri": location.uri,
        "settings": settings.digest(location.uri),
        "last": settings.last,
        "partitions": partitions,
        "period": [period.since, period.until],
    }
    file = parts / "plan.json"
    if file.exists():
        kept = json.loads(file.read_text())
        if kept["asked"] != asked:
            raise ValueError(f"{parts} is of another run: finish that one, or remove it")
        return [_split(location, it, period) for it in kept["splits"]]
    splits = plan_within(location, partitions, period)
    parts.mkdir(parents=True, exist_ok=True)
    shown = [{"ranges": [asdict(it) for it in one.ranges], "faults": one.faults} for one in splits]
    unfinished = file.with_suffix(".new")
    # Where the store is and with what options is not written: there may be secrets in them.
    unfinished.write_text(json.dumps({"asked": asked, "splits": shown}))
    os.replace(unfinished, file)
    return splits


def _split(location: Location, kept: Any, period: Period) -> Split:
    ranges = tuple(Range(**it) for it in kept["ranges"])
    faults = tuple((uri, why) for uri, why in kept["faults"])
    return Split(location.below(location.uri.rstrip("/")), ranges, faults=faults, period=period)


def _write(path: Path, batches: Any) -> None:
    """Writes a file that is there as a whole or not at all."""
    unfinished = path.with_name(f".{path.name}.new")
    try:
        with parquet.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer:
            for batch in batches:
                writer.write_table(pa.Table.from_batches([batch], SCHEMA))
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


class _Progress:
    def __init__(self, quiet: bool, splits: int) -> None:
        self._quiet = quiet
        self._splits = splits
        self._is_terminal = sys.stderr.isatty()

    def __call__(self, done: int, sums: Totals) -> None:
        if self._quiet:
            return
        text = f"{done}/{self._splits} splits, {sums.episodes} episodes, {sums.invalid} invalid"
        text += f", {sums.undecided} undecided" if sums.undecided else ""
        text += f", {sums.faults} faults" if sums.faults else ""
        is_last = done == self._splits
        if self._is_terminal:
            print(f"\r{text}\033[K", end="\n" if is_last else "", file=sys.stderr, flush=True)
        elif is_last or done % max(1, self._splits // 20) == 0:
            print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
