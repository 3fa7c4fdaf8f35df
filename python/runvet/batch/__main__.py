"""An address and options -> a Parquet file of episodes, on one machine.

Finished splits lie in `OUTPUT.parts/`, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta, timezone
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from . import Settings, _parts, planned, rows_of_directory, totals
from .._check import FILES, NAMES, SWITCHES, Check
from .._errors import RunvetError
from ._finding import Range
from ._period import Period
from ._planning import Split, plan_within
from ._rows import Totals
from ..store import Location


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        return _run(options)
    except BrokenProcessPool:
        print("runvet.batch: a process died; the same command goes on", file=sys.stderr)
        return 2
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
    add("--output", required=True, help="the Parquet file to write: a path, or in a store")
    add("--exit-code", action="store_true", help="exit as `runvet validate` does: 1, 2 or 3")
    add("--partitions", type=int, help="the number of splits; 1,000 episodes each if not given")
    add("--processes", type=int, default=os.cpu_count(), help="how many check; one for each core")
    add("--in-flight", type=int, default=32, help="episodes that are fetched at once (32)")
    add("--reads-per-second", type=float, help="requests to the store, at most")
    add("--patience", type=float, default=60.0, help="how many seconds to retry a store (60)")
    add("--last", help="the last result: what did not change is copied from it")
    add("--since", metavar="TIME", help="leave out directories with an older ULID in their name")
    add("--until", metavar="TIME", help="leave out those with a ULID of this time or later")
    add("--config", help="a runvet.toml")
    add("--baseline", help="a file that `runvet validate --write-baseline` wrote")
    add("--rule", action="append", default=[], metavar="RULE=LEVEL", help="the level of a rule")
    add("--select", action="append", default=[], metavar="RULE", help="check only this rule")
    add("--require", action="append", default=[], metavar="RULE", help="fail where it judges nothing")
    add("--allow-empty", action="store_true", help="with --exit-code: exit with 0, not 3")
    for name in SWITCHES:
        add(f"--{name.replace('_', '-')}", action="store_const", const=True, help="as `runvet validate` does")
    add("--profile", choices=("strict",), help="as `runvet validate` does")
    add("--store", action="append", default=[], metavar="NAME=VALUE", help="an option of the store")
    add("--adapter", choices=("obstore", "pyarrow", "fsspec", "directory"))
    add("--quiet", action="store_true", help="show no progress")
    return parser


def _joined(arguments: Sequence[str]) -> list[str]:
    """The arguments, with a time in that of its option: it may begin with a `-`."""
    given = iter(arguments)
    return [f"{it}={next(given, '')}" if it in ("--since", "--until") else it for it in given]


def _run(options: argparse.Namespace) -> int:
    keywords = {name: getattr(options, name) for name in (*FILES, *NAMES, *SWITCHES)}
    check = Check(rules=dict(_pairs(options.rule)), profile=options.profile, **keywords)
    settings = Settings(check, options.in_flight, options.last, options.reads_per_second)
    stores = dict(_pairs(options.store))
    location = Location(options.uri, stores, options.adapter, patience=options.patience)
    period = Period.of(options.since, options.until)
    is_in_store = "://" in options.output
    # Unfinished parts are kept on this machine.
    output = Path(options.output.rpartition("/")[2] if is_in_store else options.output)
    deny_warnings, deny_unjudged = check._checker.deny
    sums = totals(
        [],
        deny_warnings=deny_warnings,
        deny_unjudged=deny_unjudged,
        allow_empty=options.allow_empty,
    )
    shown: dict[str, Any] = {}
    parts = Path(f"{output}.parts")
    is_walked = location.is_directory and options.partitions is None and options.last is None
    if is_walked and not parts.exists():
        _show_period(options, period)
        _parts.write(output, rows_of_directory(location.uri, settings, period))
        sums = _parts.plus(sums, output)
    else:
        splits = _planned(parts, location, settings, options, period)
        _show_period(options, splits[0].period)
        sums = _checked(parts, splits, settings, options, sums)
        files = (_parts.path_of(parts, at) for at in range(len(splits)))
        _parts.write(output, (batch for file in files for batch in _parts.read(file)))
        shutil.rmtree(parts)
        episodes, is_exact = planned(splits)
        shown = {"planned": episodes, "planned_is_exact": is_exact}
        if shown == {"planned": 0, "planned_is_exact": True} and not sums.faults:
            print(f"runvet.batch: the listing of {location.uri} is empty", file=sys.stderr)
    if is_in_store:
        location.below(options.output).put(output)
        output.unlink()
    print(json.dumps({**json.loads(sums.to_json()), **shown}))
    return sums.exit_code if options.exit_code else 0


def _show_period(options: argparse.Namespace, period: Period) -> None:
    """Says which times are meant; a length before now is one before the run began."""
    for name, at in asdict(period).items():
        if at is not None and not options.quiet:
            # Python has no times before the year 1.
            with suppress(OverflowError):
                time = datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=at)
                given = f"--{name} {getattr(options, name)}"
                print(f"runvet.batch: {given} is {time.isoformat()}", file=sys.stderr)


def _checked(
    parts: Path, splits: list[Split], settings: Settings, options: argparse.Namespace, sums: Totals
) -> Totals:
    """Checks what is not finished, in several processes, and adds up all."""
    show = _Progress(options.quiet, len(splits))
    numbers = [at for at in range(len(splits)) if not _parts.path_of(parts, at).exists()]
    done = len(splits) - len(numbers)
    for at in range(len(splits)):
        if at not in {*numbers}:
            sums = _parts.plus(sums, _parts.path_of(parts, at))
    processes = max(1, min(options.processes or 1, len(numbers)))
    each = replace(
        settings,
        in_flight=-(-settings.in_flight // processes),
        reads_per_second=(settings.reads_per_second or 0) / processes or None,
    )
    work = ((_parts.path_of(parts, at), splits[at], each) for at in numbers)
    for path in _in_processes(processes, work):
        sums = _parts.plus(sums, path)
        done += 1
        show(done, sums)
    return sums


def _in_processes(processes: int, work: Iterable[tuple[Path, Split, Settings]]) -> Iterator[Path]:
    if processes == 1:
        yield from map(_parts.finished, work)
        return
    # Clients of stores don't survive a fork.
    pool = ProcessPoolExecutor(processes, get_context("spawn"))
    try:
        for task in as_completed([pool.submit(_parts.finished, piece) for piece in work]):
            yield task.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _pairs(texts: Sequence[str]) -> list[tuple[str, Any]]:
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise ValueError(f"{wrong[0]!r} is not of the form NAME=VALUE")
    return [(name, value) for name, _, value in pairs]


def _planned(
    parts: Path,
    location: Location,
    settings: Settings,
    options: argparse.Namespace,
    period: Period,
) -> list[Split]:
    """The plan: that of the run which is gone on with, or a new one."""
    asked = {
        "uri": location.uri,
        "settings": settings.digest(location.uri),
        "last": settings.last,
        "partitions": options.partitions,
        "period": [options.since, options.until],
    }
    file = parts / "plan.json"
    if file.exists():
        kept = json.loads(file.read_text())
        if kept["asked"] != asked:
            raise ValueError(f"{parts} belongs to another run: finish that run, or remove it")
        location = location.below(location.uri.rstrip("/"))
        found = [Range(**{**it, "names": tuple(it["names"])}) for it in kept["parts"]]
        # A length before now is one before the beginning of that run.
        period = Period(*kept["period"])
        return [Split(location, part, period=period) for part in found]
    show = None if options.quiet else _show_planning
    splits = plan_within(location, options.partitions, period, show)
    parts.mkdir(parents=True, exist_ok=True)
    shown = [asdict(split.part) for split in splits if split.part is not None]
    unfinished = file.with_suffix(".new")
    # Where the store is and with what options is not written: there may be secrets in them.
    plan = {"asked": asked, "period": [period.since, period.until], "parts": shown}
    unfinished.write_text(json.dumps(plan))
    os.replace(unfinished, file)
    return splits


def _show_planning(requests: int, splits: int) -> None:
    print(f"planning {splits} splits, {requests} requests", file=sys.stderr, flush=True)


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
