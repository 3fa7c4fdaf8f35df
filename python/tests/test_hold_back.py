"""A call that a rule of the team forbids is not made, wherever it comes from."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from test_recorder import judged

import runvet

CONFIG = """
[[order]]
id = "acme/once"
each = { tool = "pay" }
at-most = 1
same = "/payload/input/order"
message = "paid {count} times"

[[rule]]
id = "acme/limit"
each = { tool = "pay" }
check = "event.payload.input.amount <= 500"
message = "more than 500"

[[rule]]
id = "acme/polite"
each = { tool = "pay" }
check = "event.payload.input.amount <= 100"
message = "more than 100"
level = "warning"

[[order]]
id = "acme/never"
each = { tool = ["delete*", "mockllm/none"] }
never = true
message = "nothing is deleted"
"""


@pytest.fixture
def recorder(tmp_path: Path) -> runvet.Recorder:
    config = tmp_path / "runvet.toml"
    config.write_text(CONFIG)
    return runvet.Recorder(tmp_path / "runs", config=config)


def vetoes(runs: Path) -> list[Any]:
    """The vetoes of the only run, whose records are right."""
    judged(runs)
    (run,) = runvet.open(runs)
    found = [it for it in run.events() if it.get("event_type") == "direction.veto"]
    assert run.summary()["metrics"]["veto_count"] == len(found)
    return found


def test_tool_is_held_back_and_the_agent_answers(
    tmp_path: Path, recorder: runvet.Recorder
) -> None:
    paid = []
    with recorder.begin("Pay") as run, run.step("pay", kind="act") as step:

        @run.tool(name="pay")
        def pay(order: str, amount: int) -> None:
            paid.append(order)

        pay("a", 50)
        for order, amount, said in [("a", 50, "paid 2 times"), ("b", 501, "more than 500")]:
            with pytest.raises(runvet.Refused, match=said) as refused:
                pay(order, amount)
            assert [it.severity for it in refused.value.findings] == ["error"]
        with pytest.warns(runvet.FindingWarning, match="more than 100"):
            step.tool(pay.__wrapped__, name="pay")("c", 101)  # type: ignore[attr-defined]
    assert paid == ["a", "c"]
    first, second = vetoes(tmp_path / "runs")
    assert (first["agent_id"], first["payload"]["reason"]) == ("rule:acme/once", "paid 2 times")
    assert first["payload"]["step_id"] == "pay" and first["payload"]["scope"] == "act"
    assert second["payload"]["act"]["input"] == {"order": "b", "amount": 501}


def test_nothing_is_held_back_where_that_is_turned_off(
    tmp_path: Path, recorder: runvet.Recorder
) -> None:
    paid = []
    lenient = runvet.Recorder(
        tmp_path / "runs", config=tmp_path / "runvet.toml", hold_back=False
    ).durability("process")
    with lenient.begin("Pay") as run:
        with pytest.warns(runvet.FindingWarning, match="more than"):
            run.tool(lambda order, amount: paid.append(order), name="pay")("a", 501)
    assert paid == ["a"] and [it.rule for it in run.findings] == ["acme/limit", "acme/polite"]
    with pytest.raises(TypeError, match="hold_back is 0, not a bool"):
        runvet.Recorder(tmp_path, hold_back=0)  # type: ignore[arg-type]


def test_calls_at_the_same_time_know_of_each_other(
    tmp_path: Path, recorder: runvet.Recorder
) -> None:
    paid, start = [], Barrier(4)

    async def agent(run: runvet.Run) -> list[Any]:
        @run.tool
        async def pay(order: str, amount: int) -> None:
            await asyncio.sleep(0)
            paid.append(order)

        return await asyncio.gather(*[pay("a", 1) for _ in range(3)], return_exceptions=True)

    with recorder.begin("Pay") as run:
        answers = asyncio.run(agent(run))
        assert [type(it) for it in answers] == [type(None), runvet.Refused, runvet.Refused]
        pay = run.tool(lambda order, amount: paid.append(order), name="pay")

        def paying(_: int) -> bool:
            start.wait()
            try:
                pay("b", 1)
            except runvet.Refused:
                return False
            return True

        with ThreadPoolExecutor(4) as threads:
            assert sorted(threads.map(paying, range(4))) == [False, False, False, True]
        # A call that is given up is under way no more.
        forgotten = run.tool(paying_slowly, name="pay")("c", 1)
        with pytest.raises(runvet.Refused):
            pay("c", 1)
        del forgotten
        pay("c", 1)
    assert paid == ["a", "b", "c"]
    assert len(vetoes(tmp_path / "runs")) == 6


def paying_slowly(order: str, amount: int) -> Iterator[int]:
    """Is under way until it has ended."""
    yield amount


def test_generators_and_failures_are_held_back_too(
    tmp_path: Path, recorder: runvet.Recorder
) -> None:
    def pay(order: str, amount: int) -> Iterator[int]:
        yield amount

    async def stream(order: str, amount: int) -> AsyncIterator[int]:
        yield amount

    def fail(order: str, amount: int) -> None:
        raise OSError("no bank")

    with recorder.begin("Pay") as run:
        paying = run.tool(pay)("a", 1)
        with pytest.raises(runvet.Refused):
            run.tool(stream, name="pay")("a", 1)
        assert list(paying) == [1]
        with pytest.raises(OSError):
            run.tool(fail, name="pay")("b", 1)
        # A payment that failed is one that was tried.
        with pytest.raises(runvet.Refused):
            run.tool(fail, name="pay")("b", 1)
    assert len(vetoes(tmp_path / "runs")) == 2


def test_arguments_are_judged_by_their_own_names(
    tmp_path: Path, recorder: runvet.Recorder
) -> None:
    called = []

    def pay(order: str, /, **more: Any) -> None:
        called.append(more)

    with recorder.begin("Pay") as run:
        for given in ({"amount": 501}, {"amount": 1}, {"amount": 1, "order": "b"}):
            try:
                run.tool(pay)("a", **given)
            except runvet.Refused as refused:
                assert refused.findings[0].rule in ("acme/limit", "acme/once")
    assert called == [{"amount": 1}]
    first, second = (it["payload"]["act"]["input"] for it in vetoes(tmp_path / "runs"))
    assert first == {"order": "a", "amount": 501}
    # Nothing is lost of two that have one name.
    assert second == {"order": "a", "more": {"amount": 1, "order": "b"}}


def test_adapter_is_held_back(tmp_path: Path, recorder: runvet.Recorder) -> None:
    called = []

    def delete(step: Any, state: Any) -> None:
        called.append(step)

    async def deletes(step: Any, state: Any) -> None:
        called.append(step)

    with recorder.begin("Tidy up") as run:
        run.plan([("a", "act", "Delete"), ("b", "act", "Delete")])
        with pytest.raises(runvet.Refused, match="nothing is deleted"):
            run.execute(delete)
        with pytest.raises(runvet.Refused, match="nothing is deleted"):
            asyncio.run(run.aexecute(deletes))
        run.finish("partial")
    assert called == [] and len(vetoes(tmp_path / "runs")) == 2


def test_act_is_not_made_where_the_veto_warns(tmp_path: Path, recorder: runvet.Recorder) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text(CONFIG + '[vocabulary]\nevent_type = ["start"]\n')
    called: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", runvet.FindingWarning)
        run = runvet.Recorder(tmp_path / "runs", config=config).begin("Tidy up")
        with pytest.raises((runvet.Refused, runvet.FindingWarning)):
            run.tool(called.append, name="delete")(1)
    assert called == []


def test_langchain_tool_is_held_back(tmp_path: Path, recorder: runvet.Recorder) -> None:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import tool

    from runvet.langchain import Callbacks

    paid = []

    @tool
    def pay(order: str, amount: int) -> str:
        """Pays."""
        paid.append(order)
        return "paid"

    @tool
    def pong() -> str:
        """Answers."""
        return "ping"

    def work(_: str, config: Any) -> str:
        answers = []
        for given in ({"order": "a", "amount": 1}, {"order": "b", "amount": 900}):
            try:
                answers.append(pay.invoke(given, config))
            except runvet.Refused as refused:
                answers.append(refused.findings[0].message)
        return ", ".join(answers)

    runs = tmp_path / "chain" / "runs"
    runs.parent.mkdir()
    (runs.parent / "runvet.toml").write_text(CONFIG)
    made = runvet.Recorder(runs, config=runs.parent / "runvet.toml")
    config: Any = {"callbacks": [Callbacks(made)]}
    assert RunnableLambda(work).invoke("x", config) == "paid, more than 500"
    assert len(vetoes(runs)) == 1
    # A call without arguments has none, and not a text.
    pong.invoke({}, {"callbacks": [Callbacks(runvet.Recorder(tmp_path / "pong"))]})
    (run,) = runvet.open(tmp_path / "pong")
    assert [it["input"] for it in run.state()["outcomes"]["actions"]] == [{}]
    # A call from outside is a run of its own.
    with pytest.raises(runvet.Refused):
        pay.invoke({"order": "c", "amount": 900}, {"callbacks": [Callbacks(recorder)]})
    assert paid == ["a"] and len(vetoes(tmp_path / "runs")) == 1


def test_awaited_tool_of_langgraph_is_held_back(tmp_path: Path, recorder: runvet.Recorder) -> None:
    graphs = pytest.importorskip("langgraph.graph")
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    from runvet.langchain import Callbacks

    paid = []

    @tool
    async def pay(order: str, amount: int) -> str:
        """Pays."""
        paid.append(order)
        return "paid"

    calls = [
        {"name": "pay", "args": {"order": "a", "amount": amount}, "id": str(amount)}
        for amount in (1, 2)
    ]
    graph = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("pay", prebuilt.ToolNode([pay], handle_tool_errors=(runvet.Refused,)))
    graph.add_edge(graphs.START, "pay")
    graph.add_edge("pay", graphs.END)
    config: Any = {"callbacks": [Callbacks(recorder)]}
    asked = {"messages": [AIMessage("", tool_calls=calls)]}
    answered = asyncio.run(graph.compile().ainvoke(asked, config))
    said = [message.content for message in answered["messages"][1:]]
    assert sorted("paid 2 times" in text for text in said) == [False, True], said
    assert paid == ["a"] and len(vetoes(tmp_path / "runs")) == 1


def test_span_of_opentelemetry_is_judged_afterwards(
    tmp_path: Path, recorder: runvet.Recorder
) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    from runvet.opentelemetry import Processor

    with pytest.warns(RuntimeWarning, match="holds no call back.*acme/never") as warned:
        processor = Processor(recorder)
    assert len(warned) == 1 and warned[0].filename == __file__
    provider = TracerProvider()
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("test")

    def span(operation: str, **more: str) -> Any:
        attributes = {"gen_ai.operation.name": operation, **more}
        return tracer.start_as_current_span(operation, attributes=attributes)

    called = []
    with pytest.warns(runvet.FindingWarning, match="nothing is deleted"):
        with span("invoke_agent", **{"gen_ai.agent.name": "helper"}):
            for tool in ("delete", "list"):
                with span("execute_tool", **{"gen_ai.tool.name": tool}):
                    called.append(tool)
    (run,) = runvet.open(tmp_path / "runs")
    assert [it["tool"] for it in run.state()["outcomes"]["actions"]] == called
    found = runvet.validate(tmp_path / "runs", config=tmp_path / "runvet.toml").episodes[0].findings
    assert [it.rule for it in found] == ["acme/never"]
    with warnings.catch_warnings():
        # Nothing would be held back here, so there is nothing to say.
        warnings.simplefilter("error")
        Processor(runvet.Recorder(tmp_path / "other"))
        config = tmp_path / "runvet.toml"
        Processor(runvet.Recorder(tmp_path / "other", config=config, hold_back=False))


def test_tool_of_inspect_is_rejected(
    tmp_path: Path, recorder: runvet.Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    import runvet.inspect_ai

    paid = []

    @tool
    def pay() -> Tool:
        async def execute(order: str, amount: int) -> str:
            """Pays.

            Args:
                order: Which.
                amount: How much.
            """
            paid.append(order)
            return "paid"

        return execute

    monkeypatch.setenv(runvet.inspect_ai.VARIABLE, str(tmp_path / "runs"))
    monkeypatch.setenv("RUNVET_CONFIG", str(tmp_path / "runvet.toml"))
    answers = [
        ModelOutput.for_tool_call("mockllm/model", "pay", {"order": order, "amount": amount})
        for order, amount in [("a", 1), ("a", 1), ("b", 900)]
    ]
    answers.append(ModelOutput.from_content("mockllm/model", "done"))
    for answer in answers:
        answer.usage = ModelUsage()
    solver = [use_tools(pay()), generate()]
    task = Task(dataset=[Sample(input="Pay")], solver=solver)
    model = get_model("mockllm/model", custom_outputs=answers)
    (log,) = eval(
        task, model=model, log_dir=str(tmp_path / "logs"), display="none",
        approval="runvet/hold_back",
    )
    assert paid == ["a"], log.error
    assert log.samples is not None
    said = [it.error.message for it in log.samples[0].messages if it.role == "tool" and it.error]
    assert ["paid 2 times" in said[0], "more than 500" in said[1]] == [True, True]
    assert len(vetoes(tmp_path / "runs")) == 2
    (run,) = runvet.open(tmp_path / "runs")
    tools = [it["tool"] for it in run.state()["outcomes"]["actions"]]
    assert tools.count("pay") == 1

    def refused(said: str) -> None:
        with pytest.raises(Exception, match=said):
            eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none",
                 approval="runvet/hold_back")
        assert paid == ["a"]

    # What can hold nothing back does not begin.
    (tmp_path / "runvet.toml").write_text("[[order]]")
    refused("the key `each` is missing")
    monkeypatch.delenv("RUNVET_CONFIG")
    refused("without RUNVET_CONFIG")
