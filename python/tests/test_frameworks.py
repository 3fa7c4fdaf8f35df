"""Frameworks that run agents, recorded as they run: the real packages, with models that answer."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from test_recorder import judged

import runvet
from runvet import Recorder


def only(runs: Path) -> runvet.Episode:
    (run,) = runvet.open(runs)
    return run


def test_log_records_are_notes_of_the_step(tmp_path: Path) -> None:
    from runvet.logs import Handler

    log = logging.Logger("agent")
    log.addHandler(Handler())
    with Recorder(tmp_path).begin("logs") as run:
        log.warning("outside of a step")
        with run.step("a", kind="act"):
            log.warning("%d tickets", 3)
            log.error("%d tickets", "many")
    notes = [event["payload"] for event in only(tmp_path).events(phase="observe")]
    assert [note["message"] for note in notes] == ["3 tickets", notes[1]["message"]]
    assert notes[0] == {
        "level": "WARNING", "logger": "agent", "message": "3 tickets", "source": "logging",
        "step_id": "a",
    }
    assert "raises TypeError" in notes[1]["message"]
    judged(tmp_path)


def test_langchain_is_recorded_while_it_runs(tmp_path: Path) -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import tool

    from runvet.langchain import Callbacks

    @tool
    def search(query: str) -> str:
        """Searches."""
        if query == "broken":
            raise OSError("no index")
        return query.upper()

    model = FakeListChatModel(responses=["the answer"])

    def work(query: str, config: Any) -> Any:
        (run,) = runvet.open(tmp_path / query)
        assert run.state is not None and "act" in {it["phase"] for it in run.events()}
        return model.invoke(search.invoke({"query": query}, config), config).content

    chain = RunnableLambda(work).with_config(run_name="work") | RunnableLambda(str.title)
    for query in ("tickets", "broken"):
        config: Any = {"callbacks": [Callbacks(Recorder(tmp_path / query))]}
        try:
            assert chain.invoke(query, config) == "The Answer"
        except OSError:
            assert query == "broken"
    run = only(tmp_path / "tickets")
    state = run.state()
    assert [it["tool"] for it in state["outcomes"]["actions"]] == ["search"]
    (answer,) = run.events(phase="reason")
    assert answer["payload"]["text"] == "the answer"
    assert state["outcomes"]["actions"][0]["input"] == {"query": "tickets"}
    assert [(it["description"], it["status"]) for it in state["plan"]["steps"]][0] == ("work", "done")
    assert state["goal"]["task"] == "tickets" and state["outcomes"]["status"] == "ok"
    broken = only(tmp_path / "broken").state()["outcomes"]
    assert (broken["status"], broken["actions"][0]["result_status"]) == ("error", "error")
    judged(tmp_path)


def test_langchain_that_awaits_and_works_alone_is_recorded(tmp_path: Path) -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    from runvet.langchain import Callbacks

    model = FakeListChatModel(responses=["one", "two", "three"])
    config: Any = {"callbacks": [Callbacks(Recorder(tmp_path))]}

    async def agent() -> None:
        await asyncio.gather(*(model.ainvoke(text, config) for text in ("a", "b")))
        assert [part.content async for part in model.astream("c", config)]

    asyncio.run(agent())
    assert [run.state()["outcomes"]["status"] for run in runvet.open(tmp_path)] == ["ok"] * 3
    answers = [[it["payload"] for it in run.events(phase="reason")] for run in runvet.open(tmp_path)]
    assert sorted(it["text"] for (it,) in answers) == ["one", "three", "two"]
    judged(tmp_path)


def test_nodes_of_langgraph_are_steps(tmp_path: Path) -> None:
    graphs = pytest.importorskip("langgraph.graph")
    from langchain_core.tools import tool
    from typing_extensions import TypedDict

    from runvet.langchain import Callbacks

    class State(TypedDict):
        count: int

    @tool
    def add(count: int) -> int:
        """Adds one."""
        return count + 1

    graph = graphs.StateGraph(State)
    graph.add_node("add", lambda state: {"count": add.invoke({"count": state["count"]})})
    graph.add_edge(graphs.START, "add")
    graph.add_conditional_edges("add", lambda state: "add" if state["count"] < 3 else graphs.END)
    config: Any = {"callbacks": [Callbacks(Recorder(tmp_path))]}
    assert graph.compile().invoke({"count": 0}, config) == {"count": 3}
    state = only(tmp_path).state()
    assert [it["description"] for it in state["plan"]["steps"]] == ["add"] * 3
    assert [it["output"] for it in state["outcomes"]["actions"]] == [1, 2, 3]
    judged(tmp_path)


def test_spans_of_opentelemetry_are_recorded_while_they_are_open(tmp_path: Path) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    from runvet.opentelemetry import Processor

    provider = TracerProvider()
    provider.add_span_processor(Processor(Recorder(tmp_path)))
    tracer = provider.get_tracer("test")

    def span(operation: str, **more: str) -> Any:
        told = {f"gen_ai.{name.replace('_', '.')}": value for name, value in more.items()}
        attributes = {"gen_ai.operation.name": operation, **told}
        return tracer.start_as_current_span(f"{operation} x", attributes=attributes)

    with tracer.start_as_current_span("GET /", attributes={"http.route": "/"}):
        with span("invoke_agent", agent_name="helper"):
            with span("chat", request_model="gpt") as chat:
                chat.set_attribute("gen_ai.usage.input_tokens", 7)
                chat.set_attribute("gen_ai.response.finish_reasons", ("stop",))
            assert len(runvet.open(tmp_path)) == 1
            with tracer.start_as_current_span("POST /tools"), pytest.raises(OSError):
                with span("execute_tool", tool_name="search"):
                    raise OSError("no index")
            with span("invoke_agent", agent_name="other"), span("chat", request_model="small"):
                pass
    run = only(tmp_path)
    state = run.state()
    actions = state["outcomes"]["actions"]
    assert [(it["tool"], it["kind"], it["result_status"]) for it in actions] == [
        ("search", "tool", "error"), ("other", "delegate", "ok")
    ]
    assert "no index" in actions[0]["output"]
    first, second = run.events(phase="reason")
    usage = {"input_tokens": 7, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0}
    assert first["payload"] == {
        "kind": "message", "role": "assistant", "model": "gpt", "stop_reason": "stop",
        "usage": {**usage, "tokens": 7},
    }
    # What the second agent does is by that, and was begun by the call of it.
    assert (first["agent_id"], second["agent_id"]) == ("system", "other")
    assert second["payload"]["x-parent"] == actions[1]["x-call-id"]
    assert state["outcomes"]["metrics"]["tokens"] == 7
    assert [it["description"] for it in state["plan"]["steps"]] == ["search", "other"]
    assert state["outcomes"]["status"] == "ok"
    judged(tmp_path)


def test_recording_that_fails_is_logged_and_the_agent_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    from runvet.opentelemetry import Processor

    (tmp_path / "file").write_text("")
    provider = TracerProvider()
    provider.add_span_processor(Processor(Recorder(tmp_path / "file")))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}):
        pass
    assert "chat could not be recorded" in caplog.text


@pytest.mark.parametrize("fails", [False, True])
def test_samples_of_inspect_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    import runvet.inspect_ai

    @tool
    def search() -> Tool:
        async def execute(query: str) -> str:
            """Searches.

            Args:
                query: What for.
            """
            if fails:
                raise ZeroDivisionError("by zero")
            return query.upper()

        return execute

    monkeypatch.setenv(runvet.inspect_ai.VARIABLE, str(tmp_path / "runs"))
    answers = [
        ModelOutput.for_tool_call("mockllm/model", "search", {"query": "x"}),
        ModelOutput.from_content("mockllm/model", "X"),
    ]
    for answer in answers:
        # Without it, Inspect loads a tokenizer from a network.
        answer.usage = ModelUsage()
    task = Task(
        dataset=[Sample(input="Search for x", target="X")],
        solver=[use_tools(search()), generate()],
        scorer=match(),
    )
    model = get_model("mockllm/model", custom_outputs=answers)
    eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", fail_on_error=False)
    run = only(tmp_path / "runs")
    outcomes = run.state()["outcomes"]
    tools = [it["tool"] for it in outcomes["actions"]]
    if fails:
        assert outcomes["status"] == "error" and "by zero" in str(outcomes["error"])
    else:
        assert (tools, outcomes["actions"][0]["output"]) == (["search"], "X")
        assert [it["payload"].get("text") for it in run.events(phase="reason")][-1] == "X"
        assert (outcomes["status"], run.summary()["outcome"]) == ("ok", "success")
        (assertion,) = run.summary()["verification"]["assertions"]
        assert (assertion["name"], assertion["passed"]) == ("match", True)
    judged(tmp_path / "runs")
