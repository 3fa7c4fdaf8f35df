"""Agents that await, iterate, and hand their work to threads and to other agents."""

from __future__ import annotations

import asyncio
import gc
import inspect
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from test_recorder import PLAN, judged, run_steps, status

import runvet
from runvet import Recorder


def actions_of(run: runvet.Run) -> list[Any]:
    return list(runvet.Episode.at(run.path).state()["outcomes"].get("actions", []))


def test_blocks_of_async_agents_end_steps_and_runs(tmp_path: Path) -> None:
    async def agent(fails: bool) -> runvet.Run:
        async with Recorder(tmp_path).begin("awaits") as run:
            run.plan(PLAN)
            async with run.step("a"):
                await asyncio.sleep(0)
                if fails:
                    raise OSError("gone")
            async with run.step("b"):
                pass
        return run

    assert status(asyncio.run(agent(False))) == ("ok", "success_unverified")
    with pytest.raises(OSError):
        asyncio.run(agent(True))
    assert sorted(status(it)[0] for it in runvet.open(tmp_path)) == ["error", "ok"]

    async def cancelled() -> None:
        async with Recorder(tmp_path / "cancelled").begin("waits") as run:
            run.plan(PLAN)
            async with run.step("a"):
                await asyncio.sleep(60)

    async def impatient() -> None:
        await asyncio.wait_for(cancelled(), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    (run,) = runvet.open(tmp_path / "cancelled")
    assert status(run)[0] == "aborted"
    judged(tmp_path)


def test_awaited_tools_are_recorded_when_they_have_ended(tmp_path: Path) -> None:
    async def agent() -> runvet.Run:
        async with Recorder(tmp_path).begin("tools") as run:

            @run.tool
            async def search(query: str) -> list[str]:
                await asyncio.sleep(0.02)
                if query == "broken":
                    raise OSError("no index")
                return [query]

            class Asks:
                async def __call__(self, text: str) -> str:
                    return text.upper()

            assert inspect.iscoroutinefunction(search)
            run.plan(PLAN)
            async with run.step("a"):
                waiting = search("x")
                assert run.state["outcomes"].get("actions") == []
                assert await waiting == ["x"]
                assert await run.tool(Asks())("hi") == "HI"
                assert await run.tool(lambda: search("y"))() == ["y"]
                found = await asyncio.gather(search("1"), search("2"))
                with pytest.raises(OSError):
                    await search("broken")
            async with run.step("b"):
                pass
        assert found == [["1"], ["2"]]
        return run

    actions = actions_of(asyncio.run(agent()))
    assert [it["output"] for it in actions[:2]] == [["x"], "HI"]
    assert actions[0]["input"] == {"query": "x"} and actions[0]["duration_ms"] >= 19
    assert [it["result_status"] for it in actions] == ["ok"] * 6 + ["error"]
    judged(tmp_path)


def test_what_nobody_awaited_is_not_recorded_as_done(tmp_path: Path) -> None:
    async def work(step: dict[str, Any], state: Any) -> str:
        raise AssertionError("nobody awaits this")

    class Works:
        async def __call__(self, step: dict[str, Any], state: Any) -> str:
            raise AssertionError("nobody awaits this")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for adapter in (work, Works(), lambda step, state: work(step, state)):
            with pytest.raises(TypeError, match="aexecute"), Recorder(tmp_path).begin("x") as run:
                run.plan(PLAN)
                run.execute(adapter)
            assert status(run)[0] == "error"
            assert "done" not in [step["status"] for step in run_steps(run)]
        with Recorder(tmp_path).begin("dropped") as run:
            run.plan([("a", "act", "x")])
            with run.step("a"):
                run.tool(work)({}, None)
                gc.collect()
        assert actions_of(run) == []
    judged(tmp_path)


def test_adapter_is_awaited(tmp_path: Path) -> None:
    async def work(step: dict[str, Any], state: Any) -> str:
        await asyncio.sleep(0)
        with pytest.raises(TypeError):
            state["goal"]["task"] = "another"
        return f"did {step['id']} of {len(state['plan']['steps'])}"

    async def agent(adapter: Any) -> runvet.Run:
        async with Recorder(tmp_path).begin("executed") as run:
            run.plan(PLAN)
            await run.aexecute(adapter)
        return run

    run = asyncio.run(agent(work))
    assert [it["output"] for it in actions_of(run)] == ["did a of 2", "did b of 2"]
    assert [it["tool"] for it in actions_of(run)] == ["work", "work"]
    assert status(asyncio.run(agent(lambda step, state: "at once")))[0] == "ok"
    with pytest.raises(TypeError, match="generator"):
        asyncio.run(agent(lambda step, state: (it for it in "ab")))
    judged(tmp_path)


def test_generators_are_recorded_when_they_have_ended(tmp_path: Path) -> None:
    def lines(most: int) -> Iterator[int]:
        yield from range(most)
        if most == 3:
            raise OSError("torn")

    async def pages() -> AsyncIterator[str]:
        for page in ("one", "two"):
            await asyncio.sleep(0.01)
            yield page

    async def agent() -> runvet.Run:
        async with Recorder(tmp_path).begin("generators") as run:
            run.plan(PLAN)
            async with run.step("a") as step:
                read = step.tool(lines)
                iterator = read(2)
                assert run.state["outcomes"].get("actions") == []
                assert list(iterator) == [0, 1]
                assert [page async for page in step.tool(pages)()] == ["one", "two"]
                assert sum(read(5_000)) == sum(range(5_000))
                with pytest.raises(OSError):
                    list(read(3))
                early = read(9)
                assert next(early) == 0
                early.close()  # type: ignore[attr-defined]
            async with run.step("b"):
                pass
        return run

    one, two, many, torn, early = actions_of(asyncio.run(agent()))
    assert (one["output"], two["output"]) == ([0, 1], ["one", "two"])
    assert two["duration_ms"] >= 19
    assert (many["output"]["items"], len(many["output"]["first"])) == (5_000, 1_000)
    assert (torn["result_status"], early["result_status"]) == ("error", "partial")
    judged(tmp_path)


def test_generators_take_what_they_are_sent_and_thrown(tmp_path: Path) -> None:
    closed = []

    def echo() -> Generator[Any, Any, str]:
        given = "begun"
        try:
            while given != "over":
                try:
                    given = yield given
                except LookupError as error:
                    given = f"caught {error}"
        finally:
            closed.append("echo")
        return "returned"

    async def aecho() -> AsyncGenerator[Any, Any]:
        given = "begun"
        try:
            while given != "over":
                try:
                    given = yield given
                except LookupError as error:
                    given = f"caught {error}"
        finally:
            closed.append("aecho")

    async def agent() -> runvet.Run:
        async with Recorder(tmp_path).begin("generators") as run:
            async with run.step("a", kind="act", description="sends") as step:
                tool = step.tool(echo)()
                assert [next(tool), tool.send(1)] == ["begun", 1]
                assert tool.throw(LookupError("x")) == "caught x"
                with pytest.raises(StopIteration) as stop:
                    tool.send("over")
                assert stop.value.value == "returned"
                early = step.tool(echo)()
                assert next(early) == "begun"
                early.close()
                atool = step.tool(aecho)()
                assert [await anext(atool), await atool.asend(1)] == ["begun", 1]
                assert await atool.athrow(LookupError("x")) == "caught x"
                with pytest.raises(StopAsyncIteration):
                    await atool.asend("over")
                aearly = step.tool(aecho)()
                assert await anext(aearly) == "begun"
                await aearly.aclose()
        return run

    sent, early, asent, aearly = actions_of(asyncio.run(agent()))
    assert sent["output"] == asent["output"] == ["begun", 1, "caught x"]
    assert early["result_status"] == aearly["result_status"] == "partial"
    assert closed == ["echo", "echo", "aecho", "aecho"]
    judged(tmp_path)


def test_tools_of_thread_pools_name_their_step(tmp_path: Path) -> None:
    with Recorder(tmp_path).begin("pool") as run, ThreadPoolExecutor(4) as pool:
        run.plan(PLAN)
        with run.step("a") as step:
            assert runvet.current_step() is step
            assert pool.submit(runvet.current_step).result() is None
            # A thread of a pool knows no step, unless one is named.
            assert pool.submit(run.tool(str), 1).result() == "1"
            assert list(pool.map(step.tool(abs), [-1, -2, -3])) == [1, 2, 3]
        with run.step("b"):
            pass
    assert runvet.current_step() is None
    first, *others = actions_of(run)
    assert first["output"] == "1" and "step_id" not in first
    assert sorted(it["output"] for it in others) == [1, 2, 3]
    assert {it["step_id"] for it in others} == {"a"}
    judged(tmp_path)


@runvet.tool
def looks_up(word: str) -> int:
    """Of a module, which knows no run."""
    return len(word)


def test_tools_of_modules_record_where_a_step_is(tmp_path: Path) -> None:
    assert looks_up.__name__ == "looks_up"
    recorder = Recorder(tmp_path)
    with recorder.begin("outer") as outer:
        outer.plan([("a", "act", "delegate")])
        tool = outer.tool(len)
        with outer.step("a"), recorder.begin("inner") as inner:
            inner.plan([("b", "act", "work")])
            with inner.step("b"):
                assert looks_up("inner") == 5
                # The step of a sub-agent hides no step of the run around it.
                assert tool("outer!") == 6
            assert looks_up("outer") == 5
    assert [it["output"] for it in actions_of(inner)] == [5]
    assert [it["output"] for it in actions_of(outer)] == [6, 5]
    judged(tmp_path)


def test_steps_come_as_they_come(tmp_path: Path) -> None:
    with Recorder(tmp_path).begin("ReAct") as run:
        for number in range(5):
            with run.step(f"turn-{number}", kind="act", description="think, then do"):
                looks_up("x" * number)
        run.plan([(f"turn-{number}", "act", "x") for number in range(5)] + [("end", "verify", "?")])
        with run.step("end", kind="verify"):
            pass
        with pytest.raises(runvet.Refused):
            run.step("turn-0", kind="act")
        with pytest.raises(runvet.Refused):
            run.step("unknown")
        with run.step("bare", kind="detect"):
            pass
    steps = run_steps(run)
    assert [step["status"] for step in steps] == ["done"] * 7
    assert (steps[0]["kind"], steps[6]["description"]) == ("act", "bare")
    judged(tmp_path)
