"""Measures what Python adds to the work: one line for each figure of docs/performance.md.

`python/measure` builds an optimized wheel, and runs this with it. Each figure is the least of seven
rounds, in processor time of this process, unless it says otherwise.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import orjson
import pandas
import pyarrow

import runvet
from runvet._report import columns_of
from runvet import _runvet

ROOT = Path(__file__).resolve().parent.parent
RUN = ROOT / "corpus/demo/episodes/ep_01_answer"
ROUNDS = 7


def least(
    work: Callable[[], object], times: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Microseconds of one call."""
    work()
    best = float("inf")
    for _ in range(ROUNDS):
        start = clock()
        for _ in range(times):
            work()
        best = min(best, clock() - start)
    return best / times * 1e6


def row(what: str, ours: float, beside: str, theirs: float) -> None:
    print(f"| {what} | {ours:.2f} µs | {beside}, {theirs:.2f} µs | {ours / theirs:.2f} × |")


def records() -> None:
    for name, text in (
        ("a state", (RUN / "state.json").read_text()),
        ("an event", (RUN / "events.jsonl").read_text().splitlines()[3]),
    ):
        ours = least(lambda text=text: _runvet.loads(text), 3000)
        row(f"{name} of {len(text)} bytes as a dictionary", ours, "json.loads",
            least(lambda text=text: json.loads(text), 3000))  # fmt: skip
        row("the same", ours, "orjson", least(lambda text=text: orjson.loads(text), 3000))


def events() -> None:
    lines = (RUN / "events.jsonl").read_bytes()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "episodes", "ep_1")
        path.mkdir(parents=True)
        (path / "events.jsonl").write_bytes(lines * 2_000)
        count = lines.count(b"\n") * 2_000
        episode = runvet.Episode.at(path)

        def each_line(loads: Callable[[bytes], object]) -> float:
            def read() -> None:
                with (path / "events.jsonl").open("rb") as file:
                    for line in file:
                        loads(line)

            return least(read, 1) / count

        ours = least(lambda: [None for _ in episode.events()], 1) / count
        row("an event of a timeline", ours, "json.loads for each line", each_line(json.loads))
        row("the same", ours, "orjson for each line", each_line(orjson.loads))


def checks() -> None:
    names = ("state.json", "summary.json", "events.jsonl", "learn.jsonl", "manifest.json")
    content = {name: (RUN / name).read_bytes() for name in names}
    check = runvet.Check()
    alone = least(lambda: check.records("ep_01_answer", content), 2000)
    row("a check of an episode in memory", alone, "with a new `Check` for each",
        least(lambda: runvet.Check().records("ep_01_answer", content), 2000))  # fmt: skip
    batch = [("ep_01_answer", content)] * 500
    batched = least(lambda: check.batch(batch), 4) / 500
    row("the same in a batch of 500", batched, "one by one", alone)

    def by_threads(number: int) -> Callable[[], None]:
        def work() -> None:
            for _ in range(2000 // number):
                check.records("ep_01_answer", content)

        def run() -> None:
            threads = [threading.Thread(target=work) for _ in range(number)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return run

    one, two = (least(by_threads(it), 1, time.perf_counter) / 2000 for it in (1, 2))
    row("the same on two threads, by the clock", two, "on one", one)


def frames() -> None:
    lines = b'{"phase": 1, "payload": 2}\n' * 9_000
    many = runvet.check_records("ep_1", {"events": lines})
    rows = len(many.findings)
    by_objects = least(lambda: pandas.DataFrame(many.findings), 1) / rows
    by_columns = least(lambda: pandas.DataFrame(columns_of([many])), 3) / rows
    row("a finding in a frame of pandas, by columns", by_columns, "by objects", by_objects)
    by_columns = least(lambda: pyarrow.table(columns_of([many])), 3) / rows
    row("a finding in a table of pyarrow, by columns", by_columns, "pandas, by objects", by_objects)


def interrupted() -> None:
    """The longest time from Ctrl-C to its exception, in the middle of a long timeline."""
    line = (RUN / "events.jsonl").read_bytes().splitlines(keepends=True)[3]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "episodes", "ep_1")
        path.mkdir(parents=True)
        with (path / "events.jsonl").open("wb") as out:
            for _ in range(1_000):
                out.write(line * 2_000)
        code = (
            "import sys, time, runvet\n"
            "print('ready', flush=True)\n"
            "try: runvet.validate(sys.argv[1], rules={'strict/*': 'warning'})\n"
            "except KeyboardInterrupt: print(time.monotonic())\n"
        )
        longest = 0.0
        for _ in range(ROUNDS):
            child = subprocess.Popen(
                [sys.executable, "-c", code, directory], stdout=subprocess.PIPE, text=True
            )
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(0.05)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            said, _ = child.communicate()
            assert said, "the check was over before Ctrl-C"
            longest = max(longest, (float(said) - sent) * 1000)
        print(f"| Ctrl-C to KeyboardInterrupt, by the clock | {longest:.0f} ms | at most 200 ms | |")


if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f}, runvet {runvet.__version__}, Python {sys.version.split()[0]}")
    print("| work | runvet | beside it | ratio |\n|------|--------|-----------|-------|")
    for measure in (records, events, checks, frames, interrupted):
        measure()
