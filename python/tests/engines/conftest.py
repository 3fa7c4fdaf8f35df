"""A real S3 server on this machine with run data in it, and a proxy that refuses some of it."""

from __future__ import annotations

import http.client
import http.server
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stores

import runvet
from runvet import batch

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parents[2] / "corpus"
SERVER = os.environ.get("S3S_FS", "s3s-fs")
EPISODES = 60
RUNS = "s3://bucket/runs"


def ulid(number: int) -> str:
    """An id as runtimes make them: real ones differ late, for they begin with a time."""
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    value = (1_790_000_000_000 + number * 3_600_000) << 80 | random.Random(number).getrandbits(80)
    return "ep_" + "".join(letters[value >> shift & 31] for shift in range(125, -5, -5))


def put(source: Path, episode: Path) -> None:
    """Copies an episode to where its id is the name of the directory."""
    episode.mkdir(parents=True)
    for file in source.iterdir():
        if file.is_file() and not file.is_symlink():
            content = file.read_bytes().replace(source.name.encode(), episode.name.encode())
            (episode / file.name).write_bytes(content)


def fill(runs: Path) -> None:
    good = CORPUS / "good" / "terminal" / "episodes" / "ep_answer"
    cases = [path for part in ("good", "bad") for path in (CORPUS / part).rglob("ep_answer")]
    invalid = sorted(path for path in cases if (path / "state.json").is_file())
    for number in range(EPISODES):
        source = good if number % 4 else invalid[number * 5 % len(invalid)]
        put(source, runs / "episodes" / ulid(number))
    first = runs / "episodes" / ulid(1)
    shutil.copytree(first, runs / "episodes" / ulid(2) / "checkpoints" / "7")
    for number in range(EPISODES, EPISODES + 9):
        put(good, runs / "episodes" / "nightly" / ulid(number))
    shutil.copy(good / "summary.json", runs / "episodes" / "nightly")
    age(runs)


def age(below: Path) -> None:
    """Nothing in it is written any more."""
    before = time.time() - 3600
    for path in below.rglob("*"):
        if path.is_file():
            os.utime(path, (before, before))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not answer")


@pytest.fixture(scope="session")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory in which the server keeps its objects; it is served from now on, by a proxy."""
    root = tmp_path_factory.mktemp("s3")
    fill(root / "bucket" / "runs")
    port, door = free_port(), free_port()
    keys = ["--access-key", "test", "--secret-key", "test"]
    server = subprocess.Popen(
        [SERVER, "--host", "127.0.0.1", "--port", str(port), *keys, str(root)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    Proxy.behind = port
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", door), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    # Workers inherit them.
    os.environ.update(
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
        AWS_REGION="us-east-1",
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{door}",
        PYTHONPATH=os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]),
        PYSPARK_PYTHON=sys.executable,
        RUNVET_TEST_MARK=str(root / "mark"),
    )
    try:
        wait_for(port)
        yield root
    finally:
        proxy.shutdown()
        server.kill()
        server.wait()


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on, but for those whose path has a text that is refused or answered here, and
    those of objects that are too many in a second."""

    protocol_version = "HTTP/1.1"
    behind = 0
    refused: dict[str, int] = {}
    answers: dict[str, bytes] = {}
    requests: list[str] = []
    most_per_second = 0
    second = (0, 0)
    throttled = 0
    turn = threading.Lock()

    def is_too_many(self) -> bool:
        """Returns True if more objects are read in this second than the server gives."""
        with Proxy.turn:
            now = int(time.monotonic())
            Proxy.second = (now, Proxy.second[1] + 1 if Proxy.second[0] == now else 1)
            is_over = 0 < Proxy.most_per_second < Proxy.second[1]
            Proxy.throttled += is_over
            return is_over

    def reply(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        if body or status == 200:
            self.send_header("ETag", '"portal"')
            self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.requests.append(self.path)
        for text, status in self.refused.items():
            if text in self.path:
                return self.reply(status)
        for text, body in self.answers.items():
            if text in self.path:
                return self.reply(200, body)
        if self.is_too_many():
            return self.reply(503)
        server = http.client.HTTPConnection("127.0.0.1", self.behind)
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server.request(self.command, self.path, sent or None, headers=dict(self.headers))
        answer = server.getresponse()
        body = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(body))
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        self.wfile.write(body)
        server.close()

    do_HEAD = do_PUT = do_POST = do_GET

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def proxy(disk: Path) -> Iterator[type[Proxy]]:
    Proxy.refused, Proxy.answers, Proxy.requests = {}, {}, []
    Proxy.throttled = 0
    yield Proxy
    Proxy.refused, Proxy.answers, Proxy.most_per_second = {}, {}, 0


def lines_of(disk: Path, *options: str) -> list[Any]:
    """Returns the reports of the command about the same files."""
    lines = printed(disk, "validate", *options)
    return [line for line in lines if "dir" in line]


def table_rows(disk: Path, table: str) -> list[Any]:
    """The rows of a table of the command, of the same files."""
    return printed(disk, "table", table)


def printed(disk: Path, *arguments: str) -> list[Any]:
    runs = disk / "bucket" / "runs"
    binary = shutil.which("runvet", path=os.path.dirname(sys.executable)) or str(
        runvet.find_runvet_bin()
    )
    ran = subprocess.run(
        [binary, *arguments, "--format", "ndjson", str(runs)],
        capture_output=True,
        text=True,
    )
    text = ran.stdout.replace(str(runs), RUNS)
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="session")
def lines(disk: Path) -> list[Any]:
    found = lines_of(disk)
    assert len(found) == EPISODES + 9 and any(line["findings"] for line in found)
    return found


def as_lines(rows: list[dict[str, Any]]) -> list[Any]:
    judged = [batch.as_ndjson(row) for row in rows if row["lifecycle"] is not None]
    return sorted(judged, key=lambda line: str(line["dir"]))


def refuse(proxy: type[Proxy]) -> dict[str, str]:
    """Has three episodes refused; their faults."""
    proxy.refused = {f"{ulid(5)}/": 403, f"{ulid(6)}/events": 404, f"{ulid(66)}/": 503}
    return {
        f"{RUNS}/episodes/{ulid(5)}": f"episodes/{ulid(5)}/events.jsonl: its store answers 403",
        f"{RUNS}/episodes/{ulid(6)}": f"episodes/{ulid(6)}/events.jsonl: it does not exist",
        f"{RUNS}/episodes/nightly/{ulid(66)}": (
            f"episodes/nightly/{ulid(66)}/events.jsonl: its store answers 503"
        ),
    }


@pytest.fixture
def killing(disk: Path) -> batch.Location:
    """A store in which a worker dies once."""
    Path(os.environ[stores.MARK]).write_text(ulid(30))
    return batch.Location(RUNS, open=stores.Killing)


@pytest.fixture
def rewriting(disk: Path) -> Iterator[batch.Location]:
    """A store in which an unfinished record is replaced once its episode was listed."""
    state = disk / "bucket" / "runs" / "episodes" / ulid(9) / "state.json"
    mark = Path(os.environ[stores.MARK])
    whole = state.read_bytes()
    state.write_bytes(b'{"version": "1.0"}')
    mark.with_suffix(".written").write_bytes(whole)
    mark.with_suffix(".goal").unlink(missing_ok=True)
    mark.with_suffix(".goal").symlink_to(state)
    mark.write_text(f"{ulid(9)}/state")
    yield batch.Location(RUNS, open=stores.Rewriting)
    assert not mark.exists() and state.read_bytes() == whole
    age(state.parent)
