"""A call is judged as the function gets it, a person may be asked, and none passes in silence."""

from __future__ import annotations

import functools
import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from test_recorder import judged

import runvet

CONFIG = """
[[order]]
id = "acme/push"
each = { tool = "push", "/payload/input/force" = true }
never = true
message = "nobody pushes by force"

[[order]]
id = "acme/shell"
each = { tool = "bash", "/payload/input/command" = "*rm -rf*" }
never = true
message = "nothing is removed"

[[order]]
id = "acme/pay"
each = { tool = "pay" }
never = true
level = "ask"
message = "a person decides"

[[order]]
id = "acme/lookups"
each = { tool = "look" }
at-most = 1
message = "one look is enough"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "runvet.toml"
    path.write_text(CONFIG)
    return path


def acts(run: runvet.Run, field: str) -> list[Any]:
    state = runvet.Episode.at(run.path).state()
    return [it.get(field) for it in state["outcomes"]["actions"]]


def answers(run: runvet.Run) -> list[Any]:
    events = runvet.Episode.at(run.path).events()
    return [it["payload"] for it in events if it.get("event_type") == "direction.ask"]


def test_arguments_have_their_defaults(tmp_path: Path, config: Path) -> None:
    made = []

    def push(branch: str, force: bool = True, token: str = "secret") -> None:
        made.append(branch)

    with runvet.Recorder(tmp_path / "runs", config=config).begin("Push") as run:
        for tool in (push, functools.partial(push, "main"), functools.partial(push, force=True)):
            with pytest.raises(runvet.Refused, match="by force"):
                run.tool(tool)(*(["main"] if tool is push or not tool.args else []))
        # What is not recorded can't be judged.
        with pytest.raises(runvet.Refused, match="acme/push"):
            run.tool(push, record_defaults=False)("main")
        run.tool(push, record_defaults=["token"])("main", force=False)
    judged(tmp_path / "runs")
    assert made == ["main"]
    assert b"secret" not in (run.path / "state.json").read_bytes()
    with pytest.raises(TypeError, match="record_defaults is 'token'"):
        run.tool(push, record_defaults="token")


@pytest.mark.parametrize(
    "command",
    [b"rm -rf /", ["rm -rf", "/"], ("rm -rf", "/"), "#" * 70_000 + "rm -rf /",
     b"#" * 5_000 + b"rm -rf /"],
)
def test_any_form_of_a_value_is_judged(tmp_path: Path, config: Path, command: Any) -> None:
    made = []
    with runvet.Recorder(tmp_path / "runs", config=config).begin("Tidy up") as run:
        with pytest.raises(runvet.Refused, match="acme/shell"):
            run.tool(lambda command: made.append(command), name="bash")(command)
    assert made == []


def test_yes_of_a_person_is_for_one_call(tmp_path: Path, config: Path) -> None:
    asked: list[Any] = []
    said: list[Any] = [(True, "ann"), True, (False, "bob"), OSError("no terminal"), "yes"]
    paid = []

    def ask(tool: str, given: Any, findings: tuple[runvet.Finding, ...]) -> Any:
        asked.append((tool, given, [it.rule for it in findings]))
        answer = said.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def pay(order: str) -> None:
        paid.append(order)

    with runvet.Recorder(tmp_path / "runs", config=config, ask=ask).begin("Pay") as run:
        tool = run.tool(pay)
        tool("a")
        tool("a")
        for order in "bcd":
            with pytest.raises(runvet.Refused, match="and the answer was no"):
                tool(order)
    judged(tmp_path / "runs")
    assert paid == ["a", "a"] and run.findings == []
    assert asked[0] == ("pay", {"order": "a"}, ["acme/pay"]) and len(asked) == 5
    told = [(it["answer"], it["by"]) for it in answers(run)]
    assert told == [("yes", "ann"), ("yes", ""), ("no", "bob"), ("no", ""), ("no", "")]


def test_nobody_to_ask_is_a_no(tmp_path: Path, config: Path) -> None:
    with runvet.Recorder(tmp_path / "runs", config=config).begin("Pay") as run:
        with pytest.raises(runvet.Refused, match="and nobody was asked"):
            run.tool(lambda: pytest.fail("it was called"), name="pay")()
    assert answers(run) == []

    async def ask(tool: str, given: Any, findings: Any) -> bool:
        return True

    with pytest.raises(TypeError, match="not a function that returns an answer"):
        runvet.Recorder(tmp_path, ask=ask)  # type: ignore[arg-type]


def test_interrupted_question_ends_the_call(tmp_path: Path, config: Path) -> None:
    def ask(tool: str, given: Any, findings: Any) -> bool:
        raise KeyboardInterrupt

    run = runvet.Recorder(tmp_path / "runs", config=config, ask=ask).begin("Pay")
    with pytest.raises(KeyboardInterrupt):
        run.tool(lambda: pytest.fail("it was called"), name="pay")()
    run.finish("aborted")


def test_tool_of_a_module_is_never_silent(tmp_path: Path, config: Path) -> None:
    looked = []

    @runvet.tool
    def look(at: str) -> None:
        looked.append(at)

    with pytest.raises(runvet.Refused, match="no run is open"):
        look("a")
    recorder = runvet.Recorder(tmp_path / "runs", config=config)
    with recorder.begin("Look") as run, ThreadPoolExecutor(1) as pool:
        with run.step("look", kind="act"):
            pool.submit(look, "b").result()
        with pytest.raises(runvet.Refused, match="one look is enough"):
            look("c")
        with recorder.begin("Look"), pytest.raises(runvet.Refused, match="2 runs are open"):
            look("d")
    judged(tmp_path / "runs")
    assert looked == ["b"] and acts(run, "input") == [{"at": "b"}]


def test_nameless_tools_are_refused_where_rules_name_tools(tmp_path: Path, config: Path) -> None:
    def logged(function: Any) -> Any:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    def bound(function: Any) -> Any:
        def wrapper(force: bool) -> Any:
            return function(force)

        return wrapper

    def keyword(function: Any) -> Any:
        def call(**kwargs: Any) -> Any:
            return function(**kwargs)

        return call

    class Push:
        def __call__(self, force: bool) -> None:
            pytest.fail("it was called")

        def push(self, force: bool) -> None:
            pytest.fail("it was called")

    def free() -> int:
        return 1

    with runvet.Recorder(tmp_path / "runs", config=config).begin("Push") as run:
        wrapped = [wrap(free) for wrap in (logged, bound, keyword)]
        for tool in (lambda force: None, *wrapped, Push(), functools.partial(Push())):
            with pytest.raises(runvet.Refused, match="no name that a rule can match"):
                run.tool(tool)(force=True)
        with pytest.raises(runvet.Refused, match="by force"):
            run.tool(Push().push)(force=True)
        run.tool(functools.partial(free))()
        run.tool(functools.wraps(free)(logged(free)))()
        with pytest.raises(runvet.Refused, match="no name that a rule can match"):
            run.execute(lambda step, state: None)
    assert acts(run, "tool") == ["free", "free"]
    with runvet.Recorder(tmp_path / "free").begin("Look") as run:
        run.tool(lambda: None)()


def test_exit_with_success_is_no_abort(tmp_path: Path) -> None:
    recorder = runvet.Recorder(tmp_path)
    ended = {}
    for code in (0, None, 1):
        with pytest.raises(SystemExit):
            with recorder.begin("Exit") as run, run.step("exit", kind="act"):
                sys.exit(code)
        ended[code] = runvet.Episode.at(run.path).state()["outcomes"]["status"]
    assert ended == {0: "ok", None: "ok", 1: "aborted"}


def test_result_that_says_it_failed_is_an_error(tmp_path: Path) -> None:
    from langchain_core.messages import ToolMessage

    class Result:
        isError = True

    message = ToolMessage("no", tool_call_id="1", status="error")
    results: list[Any] = [Result(), {"isError": True}, message, {}]
    with runvet.Recorder(tmp_path).begin("Call") as run:
        for result in results:
            run.tool(lambda it=result: it, name="call")()
    assert acts(run, "result_status") == ["error", "error", "error", "ok"]


def test_langchain_arguments_are_judged_as_the_tool_gets_them(
    tmp_path: Path, config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from langchain_core.tools import tool

    from runvet.langchain import Callbacks

    pushed = []

    @tool
    def push(branch: str, force: bool = True) -> str:
        """Pushes."""
        pushed.append(force)
        return "pushed"

    caplog.set_level(logging.WARNING)
    callbacks = [Callbacks(runvet.Recorder(tmp_path / "runs", config=config))]
    for given in ({"branch": "a", "force": "true"}, {"branch": "a"}):
        # The caller's name for the call is not that of the tool.
        with pytest.raises(runvet.Refused, match="by force"):
            push.invoke(given, {"callbacks": callbacks, "run_name": "other"})
    push.invoke({"branch": "a", "force": "false"}, {"callbacks": callbacks})
    assert pushed == [False] and caplog.records == []
    judged(tmp_path / "runs")
