"""Threads, signals and forks: nothing waits for runvet, and nothing is left of it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import content

import runvet
from runvet import store


def many(path: Path, episodes: int, events: int) -> Path:
    """Run data with long timelines, of which each line is looked at in full."""
    line = b'{"payload":{"text":"' + b"x" * 200 + b'"},"phase":"observe","timestamp":"2026-03-01T12:00:00Z"}\n'
    for number in range(episodes):
        episode = path / "episodes" / f"ep_{number:05}"
        episode.mkdir(parents=True)
        (episode / "events.jsonl").write_bytes(line * events)
    return path


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def wait_for(condition: object, seconds: float = 30) -> bool:
    assert callable(condition)
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def test_other_threads_go_on_during_a_check(tmp_path: Path) -> None:
    many(tmp_path, 20, 5_000)
    counted, over = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1

    counting = threading.Thread(target=count)
    counting.start()
    try:
        runvet.validate(tmp_path, rules={"strict/*": "warning"})
    finally:
        over.set()
        counting.join()
    assert counted > 1_000


def test_threads_may_share_a_check(in_root: Path, good: Path) -> None:
    check = runvet.Check()
    records = content(good)
    expected = check.records("ep_answer", records)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: check.records("ep_answer", records), range(100)))
        reports = list(pool.map(lambda _: check.run("corpus/demo"), range(8)))
    assert all(it == expected for it in found)
    assert all(it == reports[0] for it in reports)


def test_threads_may_share_an_iterator(in_root: Path) -> None:
    checking = runvet.Check().each("corpus")
    found: list[runvet.EpisodeReport] = []

    def take() -> None:
        for episode in checking:
            found.append(episode)

    takers = [threading.Thread(target=take) for _ in range(3)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    expected = runvet.validate("corpus").episodes
    assert sorted(it.dir for it in found) == sorted(it.dir for it in expected)


@pytest.mark.skipif(sys.platform != "linux", reason="it counts threads in /proc")
def test_dropped_iterator_leaves_no_thread(tmp_path: Path) -> None:
    many(tmp_path, 600, 50)
    before = threads()
    for _ in range(5):
        checking = runvet.Check().each(tmp_path)
        next(checking)
        assert threads() > before
        del checking
        gc.collect()
    assert wait_for(lambda: threads() == before)


@pytest.fixture(scope="module")
def long_timeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One timeline of 300 MB: nothing is reported before all of it is read."""
    path = many(tmp_path_factory.mktemp("long"), 1, 1)
    events = next(path.rglob("events.jsonl"))
    chunk = events.read_bytes() * 4_000
    with events.open("ab") as out:
        for _ in range(280):
            out.write(chunk)
    yield path
    events.unlink()


# Both are in one process, for the sake of the fixture.
@pytest.mark.xdist_group("long timeline")
@pytest.mark.parametrize(
    "work",
    [
        "runvet.validate(path, rules={'strict/*': 'warning'})",
        "list(runvet.Check(rules={'strict/*': 'warning'}).each(path))",
        "runvet.coverage(path)",
        "list(runvet.open(path)['@latest'].events(phase='act'))",
    ],
)
def test_ctrl_c_ends_a_check_soon(long_timeline: Path, work: str) -> None:
    code = (
        "import sys, time, runvet\n"
        "path = sys.argv[1]\n"
        "print('ready', flush=True)\n"
        f"try:\n    {work}\n    print('ended')\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, long_timeline], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=5)
    assert said == "interrupted\n"


@pytest.fixture(scope="module")
def small_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return many(tmp_path_factory.mktemp("small"), 2_500, 2)


@pytest.mark.xdist_group("small runs")
@pytest.mark.parametrize(
    "work",
    [
        lambda path: runvet.validate(path, jobs=1),
        lambda path: runvet.coverage(path),
        lambda path: runvet.open(path).table("events"),
        lambda path: runvet.open(path).runs(),
        lambda path: runvet.compare(path, path),
        lambda path: runvet.Check().batch([("ep", {"events": b"{}\n" * 9})] * 600),
    ],
    ids=["validate", "coverage", "table", "runs", "compare", "batch"],
)
def test_signals_are_heard_all_the_time(small_runs: Path, work: Callable[[Path], object]) -> None:
    # In time of the processor: others may use it, too.
    heard = [time.process_time()]
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(time.process_time()))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        work(small_runs)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    heard.append(time.process_time())
    assert max(later - earlier for earlier, later in pairwise(heard)) < 0.5


def test_signal_that_raises_ends_work_and_its_thread() -> None:
    def stop(*_: object) -> None:
        raise InterruptedError

    before, running, begun = signal.signal(signal.SIGALRM, stop), threads(), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(InterruptedError):
            runvet.Check().batch([("ep", {"events": b"{}\n" * 100})] * 6_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert wait_for(lambda: threads() == running) and time.monotonic() - begun < 1


def test_missing_thread_is_an_error_of_the_system() -> None:
    code = (
        "import runvet\n"
        "for check in (runvet.validate, lambda path: list(runvet.Check().each(path))):\n"
        "    try:\n        check('.')\n"
        "    except OSError as error:\n        print(error)\n"
    )
    # No system has room for such a stack.
    environment = {**os.environ, "RUST_MIN_STACK": str(1 << 60)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.count("the system gives no thread for this work: ") == 2, done.stderr


def test_fork_is_harmless_while_an_iterator_is_alive(tmp_path: Path, in_root: Path) -> None:
    many(tmp_path, 600, 20)
    checking = runvet.Check().each(tmp_path)
    next(checking)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            try:
                next(checking)
            except RuntimeError:
                del checking
                gc.collect()
                own = runvet.validate("corpus/demo")
                code = 0 if own.totals.episodes == 5 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(list(checking)) == 599


class Opened:
    """A store that notes that it is dropped."""

    def __init__(self, dropped: list[int]) -> None:
        self.dropped = dropped

    def __del__(self) -> None:
        self.dropped.append(1)


def test_fork_neither_uses_nor_drops_stores_of_its_parent() -> None:
    dropped: list[int] = []

    def opened(uri: str) -> Any:
        return Opened(dropped)

    before = [id(store.Location(f"s3://{at}", open=opened).store()) for at in range(64)]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            dropped.clear()
            own = [store.Location(f"s3://{at}", open=opened).store() for at in range(64)]
            is_new = not {*before} & {id(it) for it in own}
            code = 0 if is_new and not dropped else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def judge(check: runvet.Check, episode: Path) -> runvet.EpisodeReport:
    return check.records(episode.name, content(episode))


def test_pool_of_processes_takes_checks_and_gives_reports(in_root: Path) -> None:
    check = runvet.Check(rules={"plan/*": "off"})
    check.run("corpus/demo")
    episodes = sorted(Path("corpus/demo/episodes").iterdir())
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(judge, [check] * 5, episodes))
        failed = pool.submit(runvet.validate, "nowhere")
        assert isinstance(failed.exception(), runvet.Fault)
    assert found == [judge(check, episode) for episode in episodes]


def test_memory_does_not_grow_with_the_episodes(tmp_path: Path) -> None:
    many(tmp_path, 300, 400)
    code = (
        "import resource, sys, runvet\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "check = runvet.Check(jobs=1)\n"
        "checking = check.each(sys.argv[1])\n"
        "for _ in range(50): next(checking)\n"
        "early = peak()\n"
        "seen = sum(1 for _ in checking)\n"
        "assert seen == 250, seen\n"
        "assert peak() - early < 20_000, (early, peak())\n"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True)


def test_events_of_a_long_timeline_stream(tmp_path: Path) -> None:
    many(tmp_path, 1, 100_000)
    code = (
        "import resource, sys, runvet\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "events = runvet.Episode.at(sys.argv[1]).events()\n"
        "next(events)\n"
        "early = peak()\n"
        "assert sum(1 for _ in events) == 99_999\n"
        "assert peak() - early < 10_000, (early, peak())\n"
    )
    episode = next(tmp_path.rglob("events.jsonl")).parent
    subprocess.run([sys.executable, "-c", code, episode], check=True)


def test_thread_in_a_policy_ends_with_the_interpreter(tmp_path: Path) -> None:
    # The interpreter would unwind it, and what called the policy with it.
    program = """
import sys, threading, time, runvet

class Slow:
    name, version = "slow", "1.0"

    def advise(self, state):
        asked.set()
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            pass

asked = threading.Event()
run = runvet.Recorder(sys.argv[1]).policy(Slow()).begin("t")
threading.Thread(target=run.plan, args=([("a", "act", "do")],), daemon=True).start()
asked.wait()
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_interpreter_ends_while_daemon_threads_check(demo: Path) -> None:
    program = """
import sys, threading, time
import runvet

def check():
    while True:
        runvet.validate(sys.argv[1], config=None)

for _ in range(4):
    threading.Thread(target=check, daemon=True).start()
time.sleep(float(sys.argv[2]))
"""
    for turn in range(12):
        command = [sys.executable, "-c", program, str(demo), str(0.2 + turn / 50)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), turn


@pytest.mark.parametrize("is_judged", [False, True])
@pytest.mark.parametrize("has_with", [False, True])
def test_no_call_is_lost_when_the_interpreter_ends(
    tmp_path: Path, is_judged: bool, has_with: bool
) -> None:
    (tmp_path / "runvet.toml").write_text("""
[[order]]
id = "acme/limit"
each = { tool = "work" }
at-most = 100000
message = "too much work"
""")
    program = """
import sys, threading, time
import runvet

made = open(sys.argv[2], "w", buffering=1)

def work(number):
    made.write(f"{number}\\n")
    time.sleep(number % 3 / 1000)

def loop(work, number):
    while True:
        try:
            work(number := number + 1)
        except runvet.RecorderError:
            time.sleep(0.0001)

def start(run):
    for number in range(4):
        threading.Thread(target=loop, args=(run.tool(work), number), daemon=True).start()
    time.sleep(0.05)

begun = runvet.Recorder(sys.argv[1], config=sys.argv[3] or None).begin("Work", id="work")
if sys.argv[4]:
    with begun as run:
        start(run)
else:
    start(begun)
"""
    for turn in range(3):
        runs, made = tmp_path / f"runs-{turn}", tmp_path / f"made-{turn}"
        config = str(tmp_path / "runvet.toml") if is_judged else ""
        options = [str(runs), str(made), config, "with" if has_with else ""]
        command = [sys.executable, "-c", program, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), turn
        events = list(runvet.Episode.at(runs / "episodes" / "work").events())
        acts = [it["payload"] for it in events if it["payload"].get("tool") == "work"]
        assert len(acts) >= len(made.read_text().splitlines()) > 0
        missing = [it for it in acts if it["result_status"] == "missing"]
        end = {"reason": "no result: work", "status": "partial"} if missing else {"status": "ok"}
        ends = [it["payload"] for it in events if it["phase"] == "terminate"]
        assert ends == ([end] if has_with else [])


def test_call_that_nobody_waits_for_has_no_result(tmp_path: Path) -> None:
    goes_on, begun = threading.Event(), []

    def wait() -> str:
        begun.append(1)
        assert goes_on.wait(10)
        return "late"

    recorder = runvet.Recorder(tmp_path)
    with recorder.begin("Wait") as run:
        waiting = threading.Thread(target=run.tool(wait))
        with run.step("wait", kind="act") as step:
            waiting_too = threading.Thread(target=step.tool(wait))
            for thread in (waiting, waiting_too):
                thread.start()
            assert wait_for(lambda: begun == [1, 1])
        given_up = run.tool(lambda: (yield 1), name="given up")()
        del given_up
    goes_on.set()
    for thread in (waiting, waiting_too):
        thread.join()
    acts = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    assert [(it["tool"], it["result_status"], it.get("step_id")) for it in acts] == [
        ("wait", "missing", None), ("wait", "missing", None),
    ]
    assert runvet.Episode.at(run.path).summary()["outcome"] == "goal_not_achieved"

    # A tool may end the run in which it is called.
    run = recorder.begin("Submit")
    run.tool(lambda: run.finish("ok"), name="submit")()
    assert runvet.Episode.at(run.path).state()["outcomes"]["status"] == "ok"
    assert runvet.validate(tmp_path, rules={"strict/*": "warning"}).totals.errors == 0


def test_act_of_a_step_that_is_over_is_recorded(tmp_path: Path) -> None:
    goes_on, begun = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        assert goes_on.wait(10)
        return "done"

    with runvet.Recorder(tmp_path).begin("Work") as run:
        with run.step("work", kind="act") as step:
            thread = threading.Thread(target=step.tool(work))
            thread.start()
            assert begun.wait(10)
        goes_on.set()
        thread.join()
    (act,) = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    assert (act["output"], act["result_status"], act.get("step_id")) == ("done", "ok", None)
    assert runvet.Episode.at(run.path).state()["outcomes"]["status"] == "ok"
