"""Servers that misbehave, and keys that are no paths: nothing is lost, nothing hides the rest."""

from __future__ import annotations

import http.client
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import CORPUS, EPISODES, RUNS, Proxy, age, as_lines, free_port, put, ulid
from moto.server import ThreadedMotoServer
from test_store import ran, rows_of

from runvet import batch, store
from runvet.store import Location

GOOD = CORPUS / "good" / "terminal" / "episodes" / "ep_answer"


def checked(splits: list[batch.Split], **settings: Any) -> list[dict[str, Any]]:
    work = batch.Settings(**settings)
    found = (some for split in splits for some in batch.check_split(split, work))
    return [row for some in found for row in some.to_pylist()]


def test_listings_that_show_nothing_lose_nothing(
    disk: Path, proxy: type[Proxy], lines: list[Any]
) -> None:
    splits = batch.plan(RUNS, 4)
    assert batch.planned(splits) == (EPISODES + 9, True)
    for body in (b"<html>sign in</html>", b"<ListBucketResult></ListBucketResult>"):
        proxy.answers = {"list-type": body}
        rows = checked(splits)
        assert len(rows) == 4 and all("the listing shows 0" in row["fault"] for row in rows)
    # One range of four.
    third = splits[2].part
    assert third is not None
    proxy.answers = {f"start-after={quote('runs/' + third.first.rstrip('/'), safe='')}": body}
    rows = checked(splits)
    faults = [row["fault"] for row in rows if row["fault"]]
    assert len(faults) == 1 and f"saw {third.episodes} episodes" in faults[0]
    assert len(as_lines(rows)) == len(lines) - third.episodes


def test_bodies_of_a_portal_are_faults(
    disk: Path, proxy: type[Proxy], lines: list[Any]
) -> None:
    proxy.answers = {f"{ulid(5)}/state.json": b"<html>sign in</html>", f"{ulid(7)}/events": b""}
    rows = rows_of(RUNS, 2)
    faults = {row["uri"]: row["fault"] for row in rows if row["fault"]}
    assert [*faults] == [f"{RUNS}/episodes/{ulid(it)}" for it in (5, 7)]
    assert all("gives other bytes" in fault for fault in faults.values())


def test_addresses_in_a_bucket_share_one_client(disk: Path, lines: list[Any]) -> None:
    store._MADE.clear()
    uris = [line["dir"] for line in lines]
    assert as_lines(checked(batch.plan_of(uris, Location(""), 3))) == lines
    assert len(store._MADE) == 1


def test_addresses_of_rows_can_be_given_back(disk: Path) -> None:
    names = ["que?stion/ep_1", "#hash/100%/ep_2", "with space/%20/ep_3"]
    root = disk / "bucket" / "odd"
    for name in names:
        put(GOOD, root / "episodes" / name)
    age(root)
    rows = rows_of("s3://bucket/odd")
    assert {row["uri"] for row in rows} == {f"s3://bucket/odd/episodes/{name}" for name in names}
    again = checked(batch.plan_of([row["uri"] for row in rows], Location("")))
    ids = [(row["uri"], row["valid"]) for row in again]
    assert ids == [(row["uri"], row["valid"]) for row in rows] and all(it[1] for it in ids)
    (one,) = rows_of("s3://bucket/odd/episodes/que?stion/ep_1")
    assert one["valid"]


def test_a_store_that_throttles_is_asked_less(disk: Path, proxy: type[Proxy]) -> None:
    root = disk / "bucket" / "many"
    for number in range(1500):
        put(GOOD, root / "episodes" / ulid(number))
    age(root)
    proxy.most_per_second = 200
    rows = checked(batch.plan("s3://bucket/many", 1), in_flight=32)
    assert (len(rows), sum(row["fault"] is not None for row in rows)) == (1500, 0)
    assert proxy.throttled > 0


def test_reads_per_second_are_limited(disk: Path, proxy: type[Proxy]) -> None:
    splits = batch.plan(RUNS, 1)
    proxy.requests.clear()
    begun = time.monotonic()
    assert len(checked(splits, reads_per_second=100)) == EPISODES + 9
    assert time.monotonic() - begun >= (len(proxy.requests) - 1) / 100


def test_patience_ends_with_a_fault(disk: Path, proxy: type[Proxy]) -> None:
    proxy.refused = {f"{ulid(5)}/state": 503}
    begun = time.monotonic()
    rows = rows_of(Location(RUNS, patience=3), 1)
    faults = [row["fault"] for row in rows if row["fault"]]
    assert faults == [f"episodes/{ulid(5)}/state.json: its store answers 503"]
    assert time.monotonic() - begun > 1.5
    assert sum(f"{ulid(5)}/state" in path for path in proxy.requests) > 4


def test_output_is_uploaded(disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = ran(RUNS, "--output", "s3://bucket/out/found.parquet", "--partitions", "3")
    assert done.returncode == 0, done.stderr
    assert (disk / "bucket" / "out" / "found.parquet").stat().st_size > 1000
    assert [*tmp_path.iterdir()] == []


def test_empty_objects_are_read_by_fsspec(disk: Path) -> None:
    episode = disk / "bucket" / "fresh" / "episodes" / ulid(1)
    put(GOOD, episode)
    (episode / "events.jsonl").write_bytes(b"")
    age(episode)
    options = {"endpoint_url": os.environ["AWS_ENDPOINT_URL"]}
    expected = as_lines(rows_of("s3://bucket/fresh"))
    shown = rows_of(Location("s3://bucket/fresh", options, "fsspec"))
    assert [row["fault"] for row in shown] == [None] and as_lines(shown) == expected


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    """A server that has any key: the other one keeps objects as files."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port(), verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        connection = http.client.HTTPConnection(host, port)

        def send(path: str, body: bytes = b"") -> None:
            connection.request("PUT", path, body, {"Authorization": "AWS test:test"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, path

        send("/keys")
        for number in range(12):
            for file in sorted(GOOD.iterdir()):
                name = f"ep_{number:02}"
                content = file.read_bytes().replace(b"ep_answer", name.encode())
                send(f"/keys/runs/episodes/{name}/{file.name}", content)
        for odd in ODD:
            send(f"/keys/runs/episodes/{quote(odd)}", b"{}")
        yield f"http://{host}:{port}"
    finally:
        server.stop()


ODD = ["/x/state.json", "./state.json", "ep_03/../state.json", "ep_05\x7f/state.json"]


@pytest.mark.parametrize("adapter", ["obstore", "pyarrow", "fsspec"])
def test_odd_keys_are_faults_of_their_own(
    disk: Path, moto: str, adapter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runvet.batch._fetching.QUIET", 0.0)
    options = {
        "obstore": {"endpoint": moto},
        "pyarrow": {"endpoint_override": moto, "region": "us-east-1"},
        "fsspec": {"endpoint_url": moto},
    }
    rows = rows_of(Location("s3://keys/runs", options[adapter], adapter))
    uris = [row["uri"] for row in rows]
    assert len(uris) == len({*uris})
    sound = [f"s3://keys/runs/episodes/ep_{number:02}" for number in range(12)]
    assert [row["uri"] for row in rows if row["valid"]] == sound
    odd = [row["uri"].removeprefix("s3://keys/runs/episodes") for row in rows if row["fault"]]
    paths = ["//", "/.", "/ep_03/.."]
    assert sorted(it for it in odd if "\x7f" not in it) == sorted(paths), odd
    # Of another client than obstore, a control character is a letter.
    assert any("\x7f" in row["uri"] for row in rows if not row["valid"])
