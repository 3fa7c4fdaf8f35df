"""The same calls through every door: their acts have one form."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, stays_when_redacted
from test_recorder import judged

import runvet
from runvet import Recorder

PATCH = "*** Begin Patch\n*** Add File: /repo/x\n*** Delete File: /repo/y\n*** End Patch"

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Bash", {"command": "rm -rf build"}),
    ("shell", {"command": ["bash", "-lc", "pytest -q"]}),
    ("exec_command", {"cmd": ["git", "commit", "-m", "two words"]}),
    ("Read", {"file_path": "/repo/src/../a.rs"}),
    ("Edit", {"file_path": "/repo/./a.rs", "old": "x", "new": "y"}),
    ("apply_patch", {"input": PATCH}),
    ("Grep", {"pattern": "x"}),
    ("str_replace_editor", {"command": "view", "path": "/repo/a"}),
    ("lookup_order", {"order": "o-17", "amount": 3}),
    ("update_plan", {}),
]

Calls = list[tuple[str, dict[str, Any]]]

FAILING = "Grep"
"""The tool that fails."""

MADE: list[str] = []
"""The tools that were called."""


def answer(tool: str) -> str:
    MADE.append(tool)
    if tool == FAILING:
        raise OSError("no index")
    return f"{tool} is done"


def called(tool: str) -> Callable[..., str]:
    return lambda **_: answer(tool)


def by_functions(runs: Path, calls: Calls, config: Path | None) -> None:
    with Recorder(runs, config=config).begin("T") as run:
        for tool, given in calls:
            try:
                run.tool(called(tool), name=tool, agent=None)(**given)
            except OSError:
                assert tool == FAILING
            except runvet.Refused:
                assert config


def by_functions_of_modules(runs: Path, calls: Calls, config: Path | None) -> None:
    with Recorder(runs, config=config).begin("T"):
        for tool, given in calls:
            try:
                runvet.tool(called(tool), name=tool)(**given)
            except OSError:
                assert tool == FAILING
            except runvet.Refused:
                assert config


def by_the_protocol(runs: Path, calls: Calls, config: Path | None) -> None:
    command = [sys.executable, "-m", "runvet", "record", "--run-data", str(runs), "--task", "T"]
    if config:
        command += ["--config", str(config)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as recorder:
        commands, answers = recorder.stdin, recorder.stdout
        assert commands and answers

        def send(command: dict[str, Any]) -> Any:
            commands.write(json.dumps(command) + "\n")
            commands.flush()
            return json.loads(answers.readline())

        answers.readline()
        for tool, given in calls:
            act: dict[str, Any] = {"tool": tool, "input": given}
            if config:
                held = send({"act": {**act, "hold": True}})
                if held["verdict"]["kind"] != "go":
                    continue
                act["x-call-id"] = held["call"]
            else:
                # As many frameworks give it.
                act["input"] = json.dumps(given)
            try:
                end = {"result_status": "ok", "output": answer(tool)}
            except OSError as error:
                end = {"result_status": "error", "output": str(error)}
            assert send({"act": {**act, **end}})["ok"]
        assert send({"finish": "ok"})["ok"]


def by_import(runs: Path, calls: Calls, config: Path | None) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "T"}]
    for number, (tool, given) in enumerate(calls):
        function = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"call-{number}", "type": "function", "function": function}
        said = "Error: no index" if tool == FAILING else answer(tool)
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": said})
    messages.append({"role": "assistant", "content": "done"})
    log = runs.parent / "chat.json"
    log.write_text(json.dumps({"id": "chat", "messages": messages}))
    command = [sys.executable, "-m", "runvet", "import", str(log), "--into", str(runs)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def by_langchain(runs: Path, calls: Calls, config: Path | None) -> None:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import StructuredTool

    from runvet.langchain import Callbacks

    def tool_of(name: str, given: Mapping[str, Any]) -> Any:
        fields = {key: {} for key in given}
        return StructuredTool(
            name=name,
            description="A tool",
            args_schema={"type": "object", "properties": fields},
            func=lambda **_: answer(name),
        )

    callbacks = [Callbacks(Recorder(runs, config=config))]
    is_judged = config is not None

    def work(_: str, config: Any) -> None:
        for tool, given in calls:
            try:
                tool_of(tool, given).invoke(given, config)
            except OSError:
                assert tool == FAILING
            except runvet.Refused:
                assert is_judged

    RunnableLambda(work).invoke("T", {"callbacks": callbacks})


def by_opentelemetry(runs: Path, calls: Calls, config: Path | None) -> None:
    import warnings

    from runvet.opentelemetry import Processor

    with warnings.catch_warnings():
        # It says that nothing is held back, and then what is found.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", runvet.FindingWarning)
        traced(Processor(Recorder(runs, config=config)), calls)


def by_imported_spans(runs: Path, calls: Calls, config: Path | None) -> None:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    memory = InMemorySpanExporter()
    traced(SimpleSpanProcessor(memory), calls)
    spans = [json.dumps(json.loads(it.to_json())) for it in memory.get_finished_spans()]
    log = runs.parent / "spans.jsonl"
    log.write_text("\n".join(spans) + "\n")
    assert runvet.import_logs(log, into=runs).ok


def traced(processor: Any, calls: Calls) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    provider = TracerProvider()
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("test")

    def span(operation: str, **more: str) -> Any:
        attributes = {"gen_ai.operation.name": operation, **more}
        return tracer.start_as_current_span(operation, attributes=attributes)

    with span("invoke_agent", **{"gen_ai.agent.name": "helper"}):
        for tool, given in calls:
            called = {"gen_ai.tool.name": tool, "gen_ai.tool.call.arguments": json.dumps(given)}
            try:
                with span("execute_tool", **called) as open_span:
                    open_span.set_attribute("gen_ai.tool.call.result", answer(tool))
            except OSError:
                assert tool == FAILING


def by_inspect(runs: Path, calls: Calls, config: Path | None) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import ToolDef, ToolError, ToolParams
    from inspect_ai.util import JSONSchema

    def tool_of(name: str, given: Mapping[str, Any]) -> Any:
        async def execute(**_: Any) -> str:
            try:
                return answer(name)
            except OSError as error:
                raise ToolError(str(error)) from None

        fields = {key: JSONSchema(description=key) for key in given}
        described = ToolParams(properties=fields)
        return ToolDef(execute, name=name, description="A tool", parameters=described).as_tool()

    answers = [ModelOutput.for_tool_call("mockllm/model", tool, given) for tool, given in calls]
    answers.append(ModelOutput.from_content("mockllm/model", "done"))
    for it in answers:
        # Without it, Inspect loads a tokenizer from a network.
        it.usage = ModelUsage()
    task = Task(
        dataset=[Sample(input="T")],
        solver=[use_tools([tool_of(*call) for call in calls]), generate()],
    )
    model = get_model("mockllm/model", custom_outputs=answers)
    logs = str(runs.parent / "logs")
    approval = "runvet/hold_back" if config else None
    eval(
        task, model=model, log_dir=logs, display="none", fail_on_error=False, approval=approval,
    )


Door = Callable[[Path, Calls, Path | None], None]

AFTERWARDS: list[Door] = [by_import, by_imported_spans, by_opentelemetry]
"""Doors that learn of calls that are made."""

DOORS: list[Door] = [
    by_functions, by_functions_of_modules, by_the_protocol, by_langchain, by_inspect, *AFTERWARDS,
]


def acts(runs: Path) -> list[dict[str, Any]]:
    (run,) = runvet.open(runs)
    fields = ("tool", "kind", "input", "output", "result_status", "x-command", "x-paths")
    found = run.state()["outcomes"].get("actions") or []
    same = [{key: it[key] for key in fields if key in it} for it in found]
    for act in same:
        # Of an error, each door knows something else.
        if act.get("result_status") == "error":
            assert "no index" in json.dumps(act.pop("output"))
    return same


WANTED = {
    "Bash": ("execute", {"x-command": "rm -rf build"}),
    "shell": ("execute", {"x-command": "pytest -q"}),
    "exec_command": ("execute", {"x-command": "git commit -m 'two words'"}),
    "Read": ("read", {"x-paths": ["/repo/a.rs"]}),
    "Edit": ("edit", {"x-paths": ["/repo/a.rs"]}),
    "apply_patch": ("edit", {"x-paths": ["/repo/x", "/repo/y"]}),
    "Grep": ("search", {}),
    "str_replace_editor": ("read", {"x-paths": ["/repo/a"]}),
    "lookup_order": ("tool", {}),
    "update_plan": ("plan", {}),
}


def wanted(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    kind, more = WANTED[tool]
    act = {"tool": tool, "kind": kind, "input": given, **more}
    if tool == FAILING:
        return {**act, "result_status": "error"}
    return {**act, "result_status": "ok", "output": answer(tool)}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_calls_have_one_form(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNVET_INSPECT", str(tmp_path / "runs"))
    door(tmp_path / "runs", CALLS, None)
    assert acts(tmp_path / "runs") == [wanted(*call) for call in CALLS]
    judged(tmp_path / "runs")
    stays_when_redacted(tmp_path / "runs")


PACKS: dict[str, list[tuple[str, dict[str, Any], str | None]]] = {
    "acme": [
        ("look_up", {"order_id": "o-7"}, None),
        ("refund", {"order_id": "o-7", "amount": 900}, "acme/approval"),
        ("mcp__shop__Refund", {"order_id": "o-7", "amount": -1}, "acme/spending"),
        ("post_note", {"text": ["the key is ghp_0123456789"]}, "acme/secrets"),
        ("edit", {"path": "a.rs"}, None),
        ("push", {"branch": "main"}, "acme/tests-since-edit"),
        ("freeze", {"until": "noon"}, None),
        ("write_file", {"path": "b.rs"}, "acme/no-write-after-freeze"),
        ("fetch", {"url": "https://example.org"}, None),
        ("query", {"table": "salaries"}, None),
        ("send_mail", {"to": "kim@example.org"}, "acme/rule-of-two"),
        ("send_money", {"recipient": "DE1"}, "acme/own-recipients"),
        ("login", {"user": "kim"}, None),
        ("login", {"user": "kim"}, None),
        ("login", {"user": "kim"}, None),
        ("login", {"user": "kim"}, "acme/retries"),
    ],
    "coding": [
        ("Read", {"file_path": "a.rs"}, None),
        ("Bash", {"command": "rm -rf /"}, "coding/destructive"),
    ],
}
"""The calls of a run, each with the rule of a pack of the product that forbids it."""


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_packs_hold_in_each_door(
    door: Door, pack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = CORPUS / "team" / "policies" / "runvet.toml"
    if pack == "coding":
        command = [sys.executable, "-m", "runvet", "init", "--pack=coding", "."]
        subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
        config = tmp_path / "runvet.toml"
    runs = tmp_path / "runs"
    monkeypatch.setenv("RUNVET_INSPECT", str(runs))
    monkeypatch.setenv("RUNVET_CONFIG", str(config))
    MADE.clear()
    calls = PACKS[pack]
    rules = [rule for _, _, rule in calls if rule]
    door(runs, [(tool, given) for tool, given, _ in calls], config)

    (run,) = runvet.open(runs)
    vetoes = [it for it in run.events() if it.get("event_type") == "direction.veto"]
    (report,) = runvet.validate(runs, config=config).episodes
    found = {it.rule for it in report.findings if it.severity == "error"}
    if door in AFTERWARDS:
        assert vetoes == [] and found >= set(rules)
    else:
        assert [it["agent_id"] for it in vetoes] == [f"rule:{rule}" for rule in rules]
        assert found == set()
        assert MADE == [tool for tool, _, rule in calls if not rule]
    stays_when_redacted(runs)


def test_calls_of_models_are_notes_that_are_held_back(tmp_path: Path) -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda

    from runvet.langchain import Callbacks

    config = tmp_path / "runvet.toml"
    config.write_text("""
[[order]]
id = "acme/answers"
each = { phase = "reason" }
at-most = 1
message = "asked {count} times"

[[order]]
id = "acme/tools"
each = { tool = "*" }
never = true
message = "a tool"
""")
    recorder = Recorder(tmp_path / "runs", config=config)
    model = FakeListChatModel(responses=["one", "two"])

    def work(_: str, config: Any) -> str:
        said = model.invoke("x", config).content
        with pytest.raises(runvet.Refused, match="asked 2 times"):
            model.invoke("y", config)
        return str(said)

    asked: Any = {"callbacks": [Callbacks(recorder, tags={"cwd": "/repo"})]}
    assert RunnableLambda(work).invoke({"messages": [("user", "Say it")]}, asked) == "one"
    (run,) = runvet.open(tmp_path / "runs")
    assert run.state()["episode"]["tags"] == {"cwd": "/repo"}
    assert run.state()["goal"]["task"] == "Say it"
    (veto,) = run.events(phase="direction")
    assert veto["payload"]["scope"] == "note"
    assert run.summary()["metrics"]["act_count"] == 0
    judged(tmp_path / "runs")


def test_agents_are_named(tmp_path: Path) -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import tool

    from runvet.langchain import Callbacks

    model = FakeListChatModel(responses=["done"])

    @tool
    def research(question: str) -> str:
        """Asks another agent."""
        return str(model.invoke(question).content)

    asked: Any = {"callbacks": [Callbacks(Recorder(tmp_path / "chain"))]}
    RunnableLambda(lambda text: research.invoke({"question": text})).invoke("x", asked)
    (run,) = runvet.open(tmp_path / "chain")
    (act,) = run.state()["outcomes"]["actions"]
    (answer,) = run.events(phase="reason")
    assert (act["kind"], answer["agent_id"]) == ("delegate", "research")
    assert answer["payload"]["x-parent"] == act["x-call-id"]

    def look(path: str) -> str:
        return path

    with Recorder(tmp_path / "live").begin("T", tags={"cwd": "/repo"}) as run_of:
        run_of.tool(look, name="Read", agent="helper")("a.rs")
        asyncio.run(asyncio.to_thread(run_of.tool(look, agent="other"), "b"))
        run_of.act(tool="x", agent="third", output=1)
    (run,) = runvet.open(tmp_path / "live")
    assert [it["agent_id"] for it in run.events(phase="act")] == ["helper", "other", "third"]
    first, *_ = run.state()["outcomes"]["actions"]
    assert (first["x-agent"], first["x-paths"]) == ("helper", ["/repo/a.rs"])
    judged(tmp_path / "live")
