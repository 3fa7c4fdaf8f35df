"""The cost of a check over a store, by itself, on Spark and on Ray, as a table in Markdown.

    S3S_FS=… python bench.py [EPISODES]

`python/measure engines` builds an optimized wheel and runs this with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conftest import CORPUS, SERVER, age, free_port, put, ulid, wait_for

import runvet
from runvet import batch
from runvet.store import Location

RUNS = "s3://bucket/runs"
TASKS = 100
"""As many as show what one costs."""


def shown(name: str, work: Callable[[], Any], episodes: int) -> float:
    start = time.monotonic()
    work()
    took = time.monotonic() - start
    rate = f"{episodes / took:,.0f}" if episodes else ""
    print(f"| {name} | {took:.2f} s | {rate} |", flush=True)
    return took


def checked(uri: str, settings: batch.Settings, partitions: int) -> Iterator[Any]:
    for split in batch.plan(uri, partitions):
        yield from batch.check_split(split, settings)


def only_gets(in_flight: int) -> None:
    store = Location(RUNS).store()
    keys = [found.key for found in store.list("")]
    read = [key for key in keys if key.endswith(("state.json", "summary.json", "events.jsonl"))]
    with ThreadPoolExecutor(in_flight) as threads:
        list(threads.map(store.get, read))


def jobs(engine: str, run: Callable[[str, int], Any], disk: Path, episodes: int) -> None:
    """The same job in a few tasks and in many, of which the cost of one task follows."""
    shown(f"{engine}: first job, 2 tasks, S3", lambda: run(RUNS, 2), episodes)
    for where, uri in (("S3", RUNS), ("a disk", str(disk))):
        few = shown(f"{engine}: 2 tasks, {where}", lambda: run(uri, 2), episodes)
        many = shown(f"{engine}: {TASKS} tasks, {where}", lambda: run(uri, TASKS), episodes)
        # Both cores work on tasks.
        task = 2 * (many - few) / (TASKS - 2)
        print(f"| {engine}: one more task, {where} | {task:.3f} core-seconds | |", flush=True)


def on_spark(disk: Path, episodes: int) -> None:
    from pyspark.sql import SparkSession

    from runvet import spark as runvet_spark

    def session() -> Any:
        build = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        build = build.config("spark.ui.showConsoleProgress", "false")
        return build.config("spark.driver.host", "127.0.0.1").getOrCreate()

    shown("Spark: session", session, 0)
    spark = session()
    spark.sparkContext.setLogLevel("OFF")

    def run(uri: str, partitions: int) -> None:
        table = spark.read.format("runvet").option("partitions", partitions).load(uri)
        assert runvet_spark.totals(table).valid == episodes

    jobs("Spark", run, disk, episodes)
    found = Path(disk, "episodes").iterdir()
    addresses = [(f"{RUNS}/episodes/{path.name}",) for path in found]
    table = spark.createDataFrame(addresses, "uri string")
    one_by_one = runvet_spark.check_table(table, partitions=4)
    shown("Spark: 4 tasks, S3, a table of addresses", one_by_one.count, episodes)
    spark.stop()


def on_ray(disk: Path, episodes: int) -> None:
    start = time.monotonic()
    import ray

    from runvet import ray as runvet_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    print(f"| Ray: import and start | {time.monotonic() - start:.2f} s | |", flush=True)

    def run(uri: str, partitions: int) -> None:
        assert runvet_ray.totals(runvet_ray.check(uri, partitions=partitions)).valid == episodes

    jobs("Ray", run, disk, episodes)
    ray.shutdown()


def main(episodes: int) -> None:
    root = Path(tempfile.mkdtemp(prefix="runvet-bench-"))
    runs = root / "bucket" / "runs"
    good = CORPUS / "good" / "terminal" / "episodes" / "ep_answer"
    for number in range(episodes):
        put(good, runs / "episodes" / ulid(number))
    age(root)
    port = free_port()
    os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test")
    os.environ.update(AWS_REGION="us-east-1", AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    keys = ["--access-key", "test", "--secret-key", "test"]
    server = subprocess.Popen(
        [SERVER, "--host", "127.0.0.1", "--port", str(port), *keys, str(root)],
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        print(f"load {os.getloadavg()[0]:.1f}, runvet {runvet.__version__}, {episodes} episodes")
        print("| what | time | episodes/s |\n|------|------|------------|")
        on_disk = lambda: batch.totals(checked(str(runs), batch.Settings(), 1))  # noqa: E731
        shown("a disk, without an engine", on_disk, episodes)
        shown("listing all objects", lambda: list(Location(RUNS).store().list("")), episodes)
        shown("planning, 4 splits", lambda: batch.plan(RUNS, 4), episodes)
        for in_flight in (1, 8, 32):
            shown(f"only GETs, {in_flight} in flight", lambda: only_gets(in_flight), episodes)
            settings = batch.Settings(in_flight=in_flight)
            work = lambda: batch.totals(checked(RUNS, settings, 1))  # noqa: E731
            shown(f"checked, {in_flight} in flight", work, episodes)
        command = [sys.executable, "-m", "runvet.batch", RUNS, "--quiet", "--output"]
        command += [str(root / "findings.parquet")]
        alone = lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: E731
        shown("the command, a process for each core, 32 in flight", alone, episodes)
        on_spark(runs, episodes)
        on_ray(runs, episodes)
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(root)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
