"""Calls of the official SDK of MCP, through `runvet mcp` and through `runvet.mcp.session`."""

from __future__ import annotations

import asyncio
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import ElicitResult
from test_recorder import judged

import runvet
import runvet.mcp

CONFIG = """
[[order]]
id = "acme/no-deletion"
each = { tool = ["delete", "mcp__shop__delete"] }
never = true
message = "nothing is deleted"
help = "Archive it."

[[order]]
id = "acme/payments"
level = "ask"
each = { tool = ["pay", "mcp__shop__pay"] }
never = true
message = "a payment"
"""

SERVER = """
import base64
from mcp.server.mcpserver import Image, MCPServer

server = MCPServer("shop")

@server.tool()
def add(a: int, b: int) -> int:
    return a + b

@server.tool()
def pay(amount: int) -> str:
    return f"paid {amount}"

@server.tool()
def fail() -> str:
    raise ValueError("no such shop")

@server.tool(structured_output=False)
def shot() -> list:
    return ["a", Image(data=b"picture", format="png"), "b"]

server.run()
"""

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("add", {"a": 1, "b": 2}), ("delete", {"x": 1}), ("pay", {"amount": 5}), ("fail", {}), ("shot", {}), ("none", {}),
]

REFUSED = "nothing is deleted (acme/no-deletion): Archive it."


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "runvet.toml"
    path.write_text(CONFIG)
    (tmp_path / "server.py").write_text(SERVER)
    return path


def proxied(config: Path, *command: str, name: str = "shop") -> StdioServerParameters:
    options = ["--config", str(config), "--into", str(config.parent / "runs"), "--name", name]
    return StdioServerParameters(
        command=sys.executable, args=["-m", "runvet", "mcp", *options, "--", *command]
    )


def acts(runs: Path) -> list[tuple[Any, Any, Any]]:
    """The acts of the only run, whose records are right."""
    judged(runs)
    (run,) = runvet.open(runs)
    actions = run.state()["outcomes"]["actions"] or []
    (picture,) = [it["result_artifacts"] for it in actions if "result_artifacts" in it]
    assert (run.path / picture[0]).read_bytes() == b"picture" and picture[0].endswith(".png")
    return [(it["tool"], it["result_status"], it.get("output")) for it in actions]


async def called(session: ClientSession) -> dict[str, tuple[str, bool]]:
    results = {}
    for name, arguments in CALLS:
        told = (await session.call_tool(name, arguments)).model_dump(by_alias=True)
        results[name] = (told["content"][0].get("text"), told["isError"])
    return results


@pytest.mark.parametrize("answer", ["accept", "decline", None])
def test_calls_of_any_client_are_acts_and_are_held_back(config: Path, answer: Any) -> None:
    asked = []

    async def elicit(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=answer, content={})

    async def talk() -> dict[str, tuple[str, bool]]:
        server = proxied(config, sys.executable, str(config.parent / "server.py"))
        async with stdio_client(server) as streams:
            by = elicit if answer else None
            async with ClientSession(*streams, elicitation_callback=by) as session:
                await session.initialize()
                results = await called(session)
                adding = [session.call_tool("add", {"a": i, "b": i}) for i in range(5)]
                sums = await asyncio.gather(*adding)
                assert [it.content[0].text for it in sums] == ["0", "2", "4", "6", "8"]
                return results

    results = asyncio.run(talk())
    assert results["add"] == ("3", False) and results["delete"] == (REFUSED, True)
    assert results["fail"][1] and results["none"][1]
    is_paid = answer == "accept"
    assert results["pay"][1] is not is_paid and len(asked) == (1 if answer else 0)
    said = {"accept": "paid 5", "decline": "and the answer was no", None: "ask a person: a payment"}
    assert said[answer] in results["pay"][0]
    recorded = acts(config.parent / "runs")
    paid = [("mcp__shop__pay", "ok", {"result": "paid 5"})] if is_paid else []
    assert recorded[: 4 + len(paid)] == [
        ("mcp__shop__add", "ok", {"result": 3}),
        *paid,
        ("mcp__shop__fail", "error", results["fail"][0]),
        ("mcp__shop__shot", "ok", "a\nb"),
        ("mcp__shop__none", "error", results["none"][0]),
    ]
    assert {it[:2] for it in recorded[4 + len(paid) :]} == {("mcp__shop__add", "ok")}


def test_session_of_the_sdk_records_the_same_acts(config: Path) -> None:
    async def talk() -> dict[str, tuple[str, bool]]:
        runs = config.parent / "runs"
        recorder = runvet.Recorder(runs, config=config, ask=lambda *_: (True, "kim"))
        server = StdioServerParameters(
            command=sys.executable, args=[str(config.parent / "server.py")]
        )
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            with recorder.begin("Shop") as run:
                wrapped = runvet.mcp.session(run, session, name="shop")
                assert len((await wrapped.list_tools()).tools) == 4
                return await called(wrapped)

    results = asyncio.run(talk())
    assert results["delete"] == (REFUSED, True) and results["pay"] == ("paid 5", False)
    assert acts(config.parent / "runs") == [
        ("mcp__shop__add", "ok", {"result": 3}),
        ("mcp__shop__pay", "ok", {"result": "paid 5"}),
        ("mcp__shop__fail", "error", results["fail"][0]),
        ("mcp__shop__shot", "ok", "a\nb"),
        ("mcp__shop__none", "error", results["none"][0]),
    ]


def test_call_that_is_cancelled_is_recorded_so(config: Path) -> None:
    class Slow:
        async def call_tool(self, name: str, arguments: Any) -> None:
            await asyncio.sleep(60)

    async def talk() -> None:
        with runvet.Recorder(config.parent / "runs").begin("Wait") as run:
            wrapped: Any = runvet.mcp.session(run, Slow())  # type: ignore[arg-type]
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(wrapped.call_tool("wait"), 0.01)

    asyncio.run(talk())
    (run,) = runvet.open(config.parent / "runs")
    assert [it["result_status"] for it in run.state()["outcomes"]["actions"]] == ["cancelled"]


def test_server_of_a_registry_works_behind_runvet(config: Path) -> None:
    async def talk() -> Any:
        command = str(Path(sysconfig.get_path("scripts")) / "mcp-server-time")
        async with stdio_client(proxied(config, command, name="time")) as streams:
            async with ClientSession(*streams) as session:
                await session.initialize()
                return await session.call_tool("get_current_time", {"timezone": "Europe/Berlin"})

    assert not asyncio.run(talk()).model_dump()["is_error"]
    (run,) = runvet.open(config.parent / "runs")
    (act,) = run.state()["outcomes"]["actions"] or []
    assert act["tool"] == "mcp__time__get_current_time"
    assert act["output"]["timezone"] == "Europe/Berlin"
    assert run.state()["outcomes"]["status"] == "ok"
