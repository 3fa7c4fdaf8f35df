"""Frameworks that run agents, recorded as they run: the real packages, with models that answer."""

from __future__ import annotations

import asyncio
import json
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


PLAN = [["lookup", "lookup", "approve"], ["ask"], ["refund", "lookup"]]
"""What a model of a graph calls, turn by turn."""


def interrupted(
    recorder: Recorder, memory: Any, plan: list[list[str]], **compiled: Any
) -> tuple[Any, Any]:
    """A graph that asks a person in a tool, its settings, and a handler of its own."""
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.types import interrupt

    from runvet.langchain import Callbacks

    def called(name: str) -> Any:
        def call(order: str) -> str:
            """Does it."""
            return str(interrupt(f"{name} {order}?")) if name == "ask" else name

        call.__name__ = name
        return tool(call)

    def model(state: Any) -> Any:
        turn = sum(isinstance(it, AIMessage) for it in state["messages"])
        names = plan[turn] if turn < len(plan) else []
        calls: Any = [
            {"name": name, "args": {"order": "o"}, "id": f"{turn}-{at}"}
            for at, name in enumerate(names)
        ]
        return {"messages": [AIMessage("" if calls else "done", tool_calls=calls)]}

    tools = [called(name) for name in ("lookup", "approve", "ask", "refund")]
    graph = StateGraph(MessagesState)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode(tools, handle_tool_errors=(runvet.Refused,)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges(
        "model", lambda state: "tools" if state["messages"][-1].tool_calls else END
    )
    graph.add_edge("tools", "model")
    app = graph.compile(checkpointer=memory, **compiled)
    return app, {"configurable": {"thread_id": "t-1"}, "callbacks": [Callbacks(recorder)]}


RULES = """
[[order]]
id = "acme/approval"
each = { tool = "refund" }
needs-earlier = { tool = "approve" }
message = "nobody approved it"

[[order]]
id = "acme/two"
each = { tool = "lookup" }
at-most = 2
message = "more than two lookups"
"""


@pytest.mark.parametrize("is_new_process", [False, True])
def test_interrupt_of_langgraph_pauses_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new_process: bool
) -> None:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.types import Command

    from runvet import _spans

    (tmp_path / "runvet.toml").write_text(RULES)
    recorder = Recorder(tmp_path / "runs", config=tmp_path / "runvet.toml")
    memory = MemorySaver()
    app, asked = interrupted(recorder, memory, PLAN)
    asks = {"messages": [HumanMessage("pay o back"), HumanMessage("soon")]}
    assert "__interrupt__" in app.invoke(asks, asked)
    (entry,) = runvet.open(tmp_path / "runs").runs()
    assert entry["paused"]["reason"] == "it waits for a person"
    run = only(tmp_path / "runs")
    steps = run.state()["plan"]["steps"]
    assert [it["status"] for it in steps] == ["done", "done", "done", "skipped"]
    (note,) = run.events(phase="observe")
    assert note["payload"]["kind"] == "interrupted" and note["payload"]["act"]["tool"] == "ask"
    # A thread of its own is another run.
    other = {**asked, "configurable": {"thread_id": "t-2"}}
    assert "__interrupt__" in app.invoke(asks, other)
    assert len(runvet.open(tmp_path / "runs")) == 2
    if is_new_process:
        monkeypatch.setattr(_spans, "_WAITING", {})
    app, asked = interrupted(recorder, memory, PLAN)
    said = app.invoke(Command(resume="yes"), asked)["messages"]
    assert len(runvet.open(tmp_path / "runs")) == 2
    told = [str(it.content) for it in said if isinstance(it, ToolMessage)][-3:]
    assert told[:2] == ["yes", "refund"] and "more than two lookups" in told[2]
    state = runvet.open(tmp_path / "runs").state(run.id)
    assert (state["goal"]["task"], state["outcomes"]["status"]) == ("pay o back", "ok")
    assert state["episode"]["tags"] == {"thread_id": "t-1"}
    acts = [(it["tool"], it["result_status"]) for it in state["outcomes"]["actions"]]
    assert sorted(acts) == sorted(
        (name, "ok") for name in ("lookup", "lookup", "approve", "ask", "refund")
    )
    assert runvet.validate(run.path or "", config=tmp_path / "runvet.toml").ok


def test_breakpoint_of_langgraph_pauses_the_run(tmp_path: Path) -> None:
    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.memory import MemorySaver

    app, asked = interrupted(
        Recorder(tmp_path), MemorySaver(), [["lookup"]], interrupt_before=["tools"]
    )
    app.invoke({"messages": [HumanMessage("look")]}, asked)
    assert only(tmp_path).state()["outcomes"]["status"] == "pending"
    app.invoke(None, asked)
    state = only(tmp_path).state()
    assert state["outcomes"]["status"] == "ok"
    assert [it["tool"] for it in state["outcomes"]["actions"]] == ["lookup"]
    judged(tmp_path)
    # The run is over: the thread goes on in another one.
    app.invoke({"messages": [HumanMessage("again")]}, asked)
    assert len(runvet.open(tmp_path)) == 2


@pytest.mark.parametrize(
    ("answer", "said", "by"),
    [(True, "yes", ""), (["yes", "ann"], "yes", "ann"), ("no", "no", ""), ("perhaps", "no", "")],
)
def test_question_of_a_rule_is_an_interrupt_of_langgraph(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: Any, said: str, by: str
) -> None:
    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.types import Command

    (tmp_path / "runvet.toml").write_text("""
[[order]]
id = "acme/ask"
each = { tool = "refund" }
never = true
level = "ask"
message = "a person decides"
""")
    recorder = Recorder(tmp_path / "runs", config=tmp_path / "runvet.toml")
    memory = MemorySaver()
    app, asked = interrupted(recorder, memory, [["lookup"], ["refund"]])
    (question,) = app.invoke({"messages": [HumanMessage("pay")]}, asked)["__interrupt__"]
    assert (question.value["tool"], question.value["input"]) == ("refund", {"order": "o"})
    (found,) = question.value["findings"]
    assert found["rule"] == "acme/ask" and "a person decides" in found["message"]
    app.invoke(Command(resume=answer), asked)
    run = only(tmp_path / "runs")
    (told,) = (it["payload"] for it in run.events() if it.get("event_type") == "direction.ask")
    assert (told["answer"], told["by"]) == (said, by)
    tools = [it["tool"] for it in run.state()["outcomes"]["actions"]]
    assert tools == ["lookup", "refund"][: 2 if said == "yes" else 1] and caplog.records == []
    assert runvet.validate(tmp_path / "runs", config=tmp_path / "runvet.toml").ok


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


def test_spans_are_acts_live_as_in_an_import(tmp_path: Path) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from runvet.opentelemetry import Processor

    memory, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    provider.add_span_processor(Processor(Recorder(tmp_path / "live")))
    tracer = provider.get_tracer("test")

    def span(name: str, **given: Any) -> Any:
        attributes = {key.replace("__", "."): value for key, value in given.items()}
        return tracer.start_as_current_span(name, attributes=attributes)

    def tool(name: str, **given: Any) -> Any:
        told = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": name}
        return span(f"execute_tool {name}", **told, **given)

    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "pay"}]}])
    agent = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "a"}
    with span("a", **agent, gen_ai__input__messages=asked):
        with tool(
            "refund", gen_ai__tool__call__arguments='{"amount": 900}', gen_ai__tool__call__id="c",
            shop="x", numbers=[1, 2],
        ) as made:
            made.set_attribute("gen_ai.tool.call.result", '{"paid": true}')
        with tool("typed", gen_ai__tool__call__arguments="plain") as made:
            made.set_attribute("error.type", "timeout")
        with tool("left") as made:
            made.record_exception(ValueError("boom"), escaped=True)
        with tool("handled") as made:
            made.record_exception(ValueError("boom"))
        with tool("mcp") as made:
            made.set_attribute("gen_ai.tool.call.result", '{"isError": true}')
        with pytest.raises(OSError), tool("fails"):
            raise OSError("no index")
        with span("o", openinference__span__kind="TOOL", tool__name="look", input__value='{"q": 1}'):
            pass
        with span("late") as made:
            made.set_attribute("traceloop.span.kind", "tool")
            made.set_attribute("traceloop.entity.name", "late")
        with span("e", gen_ai__operation__name="embeddings"):
            pass
        with span("b", **{**agent, "gen_ai__agent__name": "b"}), tool("inner"):
            with span("c", gen_ai__operation__name="chat", gen_ai__request__model="m"):
                pass
    spans = [json.dumps(json.loads(it.to_json())) for it in memory.get_finished_spans()]
    (tmp_path / "spans.jsonl").write_text("\n".join(spans) + "\n")
    assert runvet.import_logs(tmp_path / "spans.jsonl", into=tmp_path / "imported").ok

    def recorded(runs: Path) -> Any:
        state = only(runs).state()
        # They depend on the time, and on the steps that only the live one has.
        varies = ("id", "step_id", "timestamp", "duration_ms", "input_excerpt")
        acts = [
            {name: it for name, it in act.items() if name not in varies}
            for act in state["outcomes"]["actions"]
        ]
        return state["goal"]["task"], sorted(acts, key=lambda act: str(act["tool"]))

    live = recorded(tmp_path / "live")
    assert live == recorded(tmp_path / "imported")
    failed = [it["tool"] for it in live[1] if it["result_status"] == "error"]
    assert failed == ["fails", "left", "mcp", "typed"] and len(live[1]) == 10
    judged(tmp_path / "live")


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


def evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scores: list[Any], **more: Any) -> Any:
    """An evaluation of Inspect whose samples have these scores; returns its log."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, mean, scorer

    import runvet.inspect_ai

    @scorer(metrics=[mean()])
    def given() -> Any:
        async def score(state: Any, target: Any) -> Score:
            return Score(value=scores[state.metadata["number"]])

        return score

    monkeypatch.setenv(runvet.inspect_ai.VARIABLE, str(tmp_path / "runs"))
    samples = [Sample(input=f"task {it}", metadata={"number": it}) for it in range(len(scores))]
    answer = ModelOutput.from_content("mockllm/model", "done")
    answer.usage = ModelUsage()
    model = get_model("mockllm/model", custom_outputs=[answer] * 100)
    (log,) = eval(
        Task(dataset=samples, scorer=given(), name="scored", **more), model=model,
        log_dir=str(tmp_path / "logs"), log_format="json", display="none", fail_on_error=False,
    )
    return log


def told(run: runvet.Episode) -> Any:
    """What the records say of a sample."""
    state, summary = run.state(), run.summary()
    tags = state["episode"]["tags"]
    judged = summary["verification"].get("assertions") or []
    own = ("given", "given/a", "given/b")
    metrics = {name: it for name, it in state["outcomes"]["metrics"].items() if name in own}
    return (
        (tags["sample"], tags["epoch"], tags["task"], tags["model"], tags["version"]),
        (state["outcomes"]["status"], summary["outcome"]),
        [(it["name"], it["passed"]) for it in judged],
        metrics,
    )


def reason(run: runvet.Episode) -> Any:
    (end,) = run.events(phase="terminate")
    return end["payload"]["reason"]


def test_scores_of_inspect_are_assertions_live_as_in_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = [
        "C", "I", "P", "N", 1, 0, 0.0, 1.0, 0.25, 7, True, False, "yes", "no", "0.0", "1",
        {"a": 1, "b": "I"},
    ]
    evaluated(tmp_path, monkeypatch, scores, epochs=2)
    imported = runvet.import_logs(tmp_path / "logs", into=tmp_path / "imported")
    assert imported.ok
    live, again = ([told(it) for it in runvet.open(tmp_path / it)] for it in ("runs", "imported"))
    assert len(live) == 2 * len(scores)
    assert sorted(map(repr, live)) == sorted(map(repr, again))
    solved = {0, 4, 7, 10, 12, 15}
    for (sample, *_), (status, outcome), found, metrics in live:
        is_solved = int(sample) - 1 in solved
        assert (status, outcome) == ("ok", "success" if is_solved else "goal_not_achieved")
        assert found and all(passed for _, passed in found) == is_solved and metrics
    judged(tmp_path / "runs")


def test_score_of_inspect_that_says_nothing_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated(tmp_path, monkeypatch, ["rather good"])
    _, (status, outcome), found, metrics = told(only(tmp_path / "runs"))
    assert (status, outcome, found) == ("partial", "goal_not_achieved", [])
    assert metrics == {"given": "rather good"}


def test_score_of_inspect_at_a_limit_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.solver import basic_agent

    evaluated(tmp_path, monkeypatch, ["C"], message_limit=4, solver=basic_agent())
    imported = runvet.import_logs(tmp_path / "logs", into=tmp_path / "imported")
    assert imported.ok
    live = told(only(tmp_path / "runs"))
    assert live == told(only(tmp_path / "imported"))
    assert live[1][0] == "aborted" and live[2] == [("given", True)]
    assert reason(only(tmp_path / "runs")) == "limit: message 4"


def test_sample_of_inspect_that_is_invalid_is_aborted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.hooks import SampleEnd
    from inspect_ai.log import ProvenanceData

    import runvet.inspect_ai

    end = runvet.inspect_ai.Recording.on_sample_end

    async def invalid(hooks: Any, data: SampleEnd) -> None:
        data.sample.invalidation = ProvenanceData(author="ann", reason="the tool was broken")
        await end(hooks, data)

    monkeypatch.setattr(runvet.inspect_ai.Recording, "on_sample_end", invalid)
    evaluated(tmp_path, monkeypatch, ["C"])
    run = only(tmp_path / "runs")
    (status, outcome), found = told(run)[1:3]
    assert (status, found) == ("aborted", [("given", True)]) and outcome != "success"
    assert reason(run) == "invalidated: the tool was broken"
    judged(tmp_path / "runs")


@pytest.mark.parametrize("decision", ["approve", "reject", None])
def test_question_of_a_rule_is_for_the_next_approver_of_inspect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decision: Any
) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.approval import Approval, ApprovalPolicy, approver
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    import runvet.inspect_ai

    paid = []

    @tool
    def pay() -> Tool:
        async def execute(order: str) -> str:
            """Pays.

            Args:
                order: Which.
            """
            paid.append(order)
            return "paid"

        return execute

    @approver(name="ann")
    def ann() -> Any:
        async def approve(message: str, call: Any, view: Any, history: Any) -> Approval:
            return Approval(decision=decision)

        return approve

    (tmp_path / "runvet.toml").write_text("""
[[order]]
id = "acme/ask"
each = { tool = "pay" }
never = true
level = "ask"
message = "a person decides"
""")
    monkeypatch.setenv(runvet.inspect_ai.VARIABLE, str(tmp_path / "runs"))
    monkeypatch.setenv("RUNVET_CONFIG", str(tmp_path / "runvet.toml"))
    answers = [
        ModelOutput.for_tool_call("mockllm/model", "pay", {"order": "a"}),
        ModelOutput.from_content("mockllm/model", "done"),
    ]
    for answer in answers:
        answer.usage = ModelUsage()
    approvers = [runvet.inspect_ai.hold_back(), *([ann()] if decision else [])]
    eval(
        Task(dataset=[Sample(input="Pay")], solver=[use_tools(pay()), generate()]),
        model=get_model("mockllm/model", custom_outputs=answers), display="none",
        log_dir=str(tmp_path / "logs"), approval=[ApprovalPolicy(it, "*") for it in approvers],
    )
    run = only(tmp_path / "runs")
    told = [it["payload"] for it in run.events() if it.get("event_type") == "direction.ask"]
    vetoes = [it for it in run.events() if it.get("event_type") == "direction.veto"]
    tools = [it["tool"] for it in run.state()["outcomes"]["actions"] if "tool" in it]
    if decision == "approve":
        assert (paid, tools, vetoes) == (["a"], ["pay"], [])
        assert [(it["answer"], it["by"]) for it in told] == [("yes", "ann")]
    else:
        assert (paid, tools, len(vetoes)) == ([], [], 1)
        assert [(it["answer"], it["by"]) for it in told] == ([("no", "ann")] if decision else [])
    report = runvet.validate(tmp_path / "runs", config=tmp_path / "runvet.toml")
    assert report.ok, report.render()
