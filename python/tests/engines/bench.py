"""What a check over a store costs, by itself, on Spark and on Ray; prints a table in Markdown.

    S3S_FS=… python bench.py [EPISODES]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conftest import CORPUS, SERVER, age, free_port, put, ulid, wait_for

from runvet import batch
from runvet.store import Location

RUNS = "s3://bucket/runs"


def shown(name: str, work: Callable[[], Any], episodes: int) -> float:
    start = time.monotonic()
    work()
    took = time.monotonic() - start
    print(f"| {name} | {took:.2f} s | {episodes / took:,.0f} |", flush=True)
    return took


def rows(settings: batch.Settings, partitions: int) -> int:
    splits = batch.plan(RUNS, partitions)
    return sum(some.num_rows for it in splits for some in batch.check_split(it, settings))


def only_gets(in_flight: int) -> None:
    store = Location(RUNS).store()
    keys = [found.key for found in store.list("")]
    read = [key for key in keys if key.endswith(("state.json", "summary.json", "events.jsonl"))]
    with ThreadPoolExecutor(in_flight) as threads:
        list(threads.map(store.get, read))


def on_spark(episodes: int) -> None:
    from pyspark.sql import SparkSession

    from runvet import spark as runvet_spark

    def session() -> Any:
        build = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        build = build.config("spark.ui.showConsoleProgress", "false")
        return build.config("spark.driver.host", "127.0.0.1").getOrCreate()

    shown("Spark: session", session, 0)
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    for name, partitions in (("first job, 2", 2), ("2", 2), ("4", 4), ("100", 100)):
        table = spark.read.format("runvet").option("partitions", partitions).load(RUNS)
        shown(f"Spark: {name} partitions", lambda: runvet_spark.totals(table), episodes)
    spark.stop()


def on_ray(episodes: int) -> None:
    start = time.monotonic()
    import ray

    from runvet import ray as runvet_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    print(f"| Ray: import and init | {time.monotonic() - start:.2f} s | 0 |", flush=True)
    for name, partitions in (("first job, 2", 2), ("2", 2), ("4", 4), ("100", 100)):
        work = lambda: runvet_ray.check(RUNS, partitions=partitions).count()  # noqa: E731
        shown(f"Ray: {name} partitions", work, episodes)
    ray.shutdown()


def main(episodes: int) -> None:
    root = Path(tempfile.mkdtemp(prefix="runvet-bench-"))
    good = CORPUS / "good" / "terminal" / "episodes" / "ep_answer"
    for number in range(episodes):
        put(good, root / "bucket" / "runs" / "episodes" / ulid(number))
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
        print("| what | time | episodes/s |\n|------|------|------------|")
        shown("plan into 4", lambda: batch.plan(RUNS, 4), episodes)
        for in_flight in (1, 8, 32):
            shown(f"only GETs, {in_flight} in flight", lambda: only_gets(in_flight), episodes)
            settings = batch.Settings(in_flight=in_flight)
            shown(f"checked, {in_flight} in flight", lambda: rows(settings, 1), episodes)
        on_spark(episodes)
        on_ray(episodes)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
