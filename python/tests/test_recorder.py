"""The recorder: what it leaves is valid, however the block is left."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import runvet
from runvet import Hint, Intervention, Recorder, Step, Veto


LOST = "that much was to be recorded and is not in the run"


def judged(path: Path, refused: int = 0) -> runvet.Report:
    """The report, with every rule on; a recorded run has nothing in it but the number of what was refused."""
    report = runvet.validate(path, rules={"strict/*": "warning", "manifest/*": "error"})
    found = [(row["rule"], row["pointer"], row["message"]) for row in report.rows()]
    assert found == [
        ("recorder/lost", f"/{place}/x-refused", f"`{place}.x-refused` is {refused}: {LOST}")
        for place in ("payload", "metrics")
        if refused
    ], report.render()
    assert all(not episode.skipped for episode in report.episodes), report.render()
    return report


def status(run: runvet.Run) -> tuple[str, str | None]:
    state = runvet.Episode.at(run.path)
    summary = state.summary()["outcome"] if "summary" in state.artifacts else None
    return state.state()["outcomes"]["status"], summary


PLAN = [("a", "detect", "look"), Step("b", "act", "do", rationale="it has to be done")]


class Says:
    """A policy that returns what its function returns."""

    name, version = "says", "1.0"

    def __init__(self, advise: Callable[[dict[str, Any]], Any]) -> None:
        self.advise = advise


def test_block_records_a_whole_run(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    recorder = Recorder(tmp_path / "runs")
    with recorder.begin(
        "count",
        type="task",
        seed=7,
        tags={"team": "x"},
        using="demo",
        workspace=tmp_path / "work",
        verify=[runvet.file_exists("out.txt"), runvet.file_contains("out.txt", "3")],
    ) as run:
        assert run.plan(PLAN) == []
        assert run.pending == ["a", "b"]
        with run.step("a") as step:
            assert step.act(tool="ls", input={"path": "."}, output=["x"]) == "act-1"
            step.outputs["found"] = 1
        opened = run.open("b")
        (tmp_path / "work" / "out.txt").write_text("3")
        opened.act({"kind": "tool", "x-cost": 0.5})
        run.close(opened, {"n": 1})
        run.note("observe", {"text": "half"}, at=1)
        run.believe("it works", 0.75, "test")
        run.remember("key", {"deep": [1, 2.5, None]})
        run.jot("a line")
        run.reflect(text="good")
        run.propose({"do": "more"}, applied=True)
        run.persist()
    report = judged(tmp_path / "runs")
    assert report.totals.valid == 1
    assert status(run) == ("ok", "success")
    state = runvet.open(tmp_path / "runs").state(run.id)
    assert [it["status"] for it in state["plan"]["steps"]] == ["done", "done"]
    assert state["plan"]["steps"][0]["outputs"] == {"found": 1}  # type: ignore[typeddict-item]
    assert state["memory"]["facts"][0]["value"] == {"deep": [1, 2.5, None]}


def test_run_names_its_parent_and_the_digest_of_its_manifest(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    outer = recorder.begin("Plan", id="outer").finish()
    inner = recorder.begin("Write", parent="outer", tags={"team": "docs"}).finish()
    assert inner.state["episode"]["tags"] == {"parent": "outer", "team": "docs"}
    for recorded in (outer, inner, recorder.abandon(recorder.begin("Stop").id, "enough")):
        manifest = (recorded.path / "manifest.json").read_bytes()
        assert recorded.manifest_sha256 == hashlib.sha256(manifest).hexdigest()
    with pytest.raises(ValueError, match="given twice"):
        recorder.begin("Write", parent="outer", tags={"parent": "other"})


def test_leaving_the_block_ends_the_run(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    with recorder.begin("nothing to do") as run:
        pass
    assert status(run) == ("ok", "success_unverified")
    with recorder.begin("unfinished") as run:
        run.plan(PLAN)
    assert status(run) == ("partial", "goal_not_achieved")
    with pytest.raises(ZeroDivisionError), recorder.begin("fails") as run:
        run.plan(PLAN)
        with run.step("a"):
            raise ZeroDivisionError("by zero")
    assert status(run) == ("error", "error")
    state = runvet.Episode.at(run.path).state()
    assert state["outcomes"]["error"] == {"type": "ZeroDivisionError", "message": "by zero"}
    assert state["plan"]["steps"][0]["status"] == "failed"
    with pytest.raises(KeyboardInterrupt), recorder.begin("stopped") as run:
        raise KeyboardInterrupt
    assert status(run) == ("aborted", "error")
    with recorder.begin("ended by hand") as run:
        recorded = run.finish("partial", "enough", artifacts=["a.txt"], metrics={"score": 0.5})
    assert recorded.state["outcomes"]["metrics"]["score"] == 0.5
    assert recorded.summary["outcome"] == "goal_not_achieved"
    with recorder.begin("paused") as run:
        run.pause("for the night")
    assert status(run) == ("pending", None)
    judged(tmp_path)


def test_steps_end_as_they_are_told(tmp_path: Path) -> None:
    with Recorder(tmp_path).begin("steps") as run:
        run.plan([("a", "act", "x"), ("b", "act", "y"), {"id": "c", "kind": "act", "description": "z"}])
        with run.step("a") as step:
            step.skip("nothing to do")
        with run.step("b") as step:
            step.fail({"code": 3})
        with run.step("c") as step:
            run.close(step)
            for late in (lambda: step.act(tool="late"), lambda: run.close(step)):
                with pytest.raises(runvet.Refused, match="closed already"):
                    late()
        with run.step("d", kind="act", description="fails") as step:
            step.fail(None)
    steps = runvet.Episode.at(run.path).state()["plan"]["steps"]
    assert [step["status"] for step in steps] == ["skipped", "failed", "done", "failed"]
    assert status(run) == ("partial", "goal_not_achieved")
    judged(tmp_path, refused=1)


def test_refused_calls_leave_no_byte_and_the_run_goes_on(tmp_path: Path) -> None:
    with Recorder(tmp_path).begin("refused") as run:
        run.plan(PLAN)
        size = (run.path / "events.jsonl").stat().st_size
        step = None
        for wrong in (
            lambda: run.note("act"),
            lambda: run.believe("x", 2),
            lambda: run.open("c"),
            lambda: run.plan([("", "act", "x")]),
            lambda: run.plan([("a", "dance", "x")]),  # type: ignore[list-item]
            lambda: run.finish(),
            lambda: run.finish("done"),  # type: ignore[arg-type]
        ):
            with pytest.raises(ValueError):
                wrong()
        assert (run.path / "events.jsonl").stat().st_size == size
        with pytest.raises(runvet.Refused) as refused:
            run.finish()
        assert refused.value.kind == "refused" and run.pending == ["a", "b"]
        assert pickle.loads(pickle.dumps(refused.value)).kind == "refused"
        step = run.open("a")
        with pytest.raises(runvet.Refused):
            run.pause("too early")
        with pytest.raises(runvet.Refused, match="x-"):
            step.act(cost=1)
        with Recorder(tmp_path / "other").begin("other") as other:
            other.plan(PLAN)
            mine = other.open("a")
            with pytest.raises(runvet.Refused, match=run.id):
                run.close(mine)
            other.finish("partial", "tried")
        with pytest.raises(runvet.Refused):
            run.close(step, {"big": "x" * 70_000_000})
        step.act(tool="still open")
        run.close(step)
        with run.step("b"):
            pass
    assert status(run)[0] == "ok"
    with pytest.raises(runvet.RunEnded, match="`ok`") as ended:
        run.note("observe")
    assert ended.value.status == "ok"
    for wrong in ({"durability": "never"}, {"threshold": 2.0}):
        recorder = Recorder(tmp_path)
        for name, value in wrong.items():
            recorder = getattr(recorder, name)(value)
        with pytest.raises(ValueError):
            recorder.begin("x")
    judged(tmp_path, refused=4)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run, _: run.plan([["a", "act", "A"]]), r"a step is .*, not \['a', 'act', 'A'\]"),
        (lambda run, _: run.plan([("a", "act")]), "a tuple of id, kind and description, not"),
        (lambda run, _: run.plan([{"id": "a"}]), "a mapping with its fields"),
        (lambda run, _: run.finish(assertions=["x"]), "'x', which is no runvet.Evaluated"),
        (lambda run, _: run.tool(len, max_output=None), "max_output is None"),
        (lambda _, recorder: recorder.begin("t", verify=["x"]), "'x', which is no runvet.Assertion"),
        (lambda _, recorder: recorder.begin("t", seed=2**70), "seed is 1180591620717411303424, not"),
        (lambda _, recorder: recorder.begin("t", seed=True), "seed is True, not"),
    ],
)
def test_wrong_arguments_are_told_with_what_is_expected(
    tmp_path: Path, call: Callable[[Any, Any], object], said: str
) -> None:
    recorder = Recorder(tmp_path)
    with recorder.begin("wrong") as run, pytest.raises((TypeError, ValueError), match=said):
        call(run, recorder)
    judged(tmp_path)


def test_default_replaces_values_and_not_steps(tmp_path: Path) -> None:
    with Recorder(tmp_path, default=lambda _: "replaced").begin("t") as run:
        run.plan([Step("a", "act", "do", inputs={"it": object()})])
        run.open("a")
        assert run.state["plan"]["steps"][0]["inputs"] == {"it": "replaced"}
        run.finish("partial", "enough", assertions=[runvet.Evaluated("short", True)])
    judged(run.path)


def test_recorder_that_has_recorded_can_be_pickled(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path).threshold(0.7)
    recorder.begin("one").finish()
    pickle.loads(pickle.dumps(recorder)).begin("two").finish()
    assert len(runvet.open(tmp_path)) == 2


def test_full_run_neither_breaks_its_agent_nor_stays_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text(
        '[[schema]]\nid = "acme/input"\nwhere = { tool = ["len", "max"] }\n'
        'at = "/payload/input"\nschema.properties.args.maxItems = 1\n'
    )
    with Recorder(tmp_path, config=config).begin("full") as run:
        with run.step("a", kind="act", description="calls tools") as step:
            for objects in (190_000, 8_000, 900, 50, 10, 1):
                with pytest.raises(runvet.Refused, match="200000 objects"):
                    while True:
                        run.remember("key", [{}] * objects)
            assert [run.tool(len)("four"), step.tool(abs)(-1)] == [4, 1]
            with pytest.raises(ValueError, match="invalid literal"):
                run.tool(int)("x")
            with pytest.raises(runvet.Refused, match="acme/input"):
                run.tool(max)(1, 2)
            step.outputs["some"] = "text"
    assert status(run)[0] == "ok"
    actions = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    assert actions == [] and "outputs" not in run_steps(run)[0]
    assert [(it.name, it.getMessage()[:21]) for it in caplog.records] == [
        ("runvet", "len could not be reco")
    ]
    judged(tmp_path, refused=10)


def test_policies_hint_intervene_and_veto(tmp_path: Path) -> None:
    def advise(state: dict[str, Any]) -> Any:
        steps = {step["id"]: step["status"] for step in state["plan"]["steps"]}
        if steps["a"] == "pending":
            return Hint("look twice", 0.9)
        if len(steps) == 2:
            extra = {"id": "c", "kind": "review", "description": "ask", "status": "pending"}
            return Intervention({"append": extra}, 0.8)
        return Veto("not now") if steps["b"] == "pending" else None

    with Recorder(tmp_path).policy(Says(advise)).begin("advised") as run:
        assert run.plan(PLAN) == ["look twice"]
        with run.step("a") as step:
            assert step.hints == ["look twice"]
        with run.step("b"):
            pass
        assert run.pending == ["c"]
        with run.step("c"):
            pass
    summary = runvet.Episode.at(run.path).summary()
    assert summary["flags"]["mode"] == "meta"
    assert summary["flags"]["direction"]["applied"] == 1
    judged(tmp_path)


def test_policies_are_asked_about_the_step_that_opens(tmp_path: Path) -> None:
    class OnSteps:
        name, version = "on-steps", "1.0"

        def advise(self, state: dict[str, Any]) -> None:
            return None

        def advise_on_step(self, state: dict[str, Any], step: dict[str, Any]) -> Any:
            assert step in state["plan"]["steps"] and step["status"] == "pending"
            with pytest.raises(TypeError):
                step["status"] = "done"
            return Veto("not this one") if step["id"] == "a" else Hint(f"do {step['id']}")

    with Recorder(tmp_path).policy(OnSteps()).begin("asked") as run:
        assert run.plan(PLAN) == []
        with pytest.raises(runvet.Vetoed, match="not this one"):
            run.open("a")
        with run.step("b") as step:
            assert step.hints == ["do b"]
    assert [step["status"] for step in run_steps(run)] == ["vetoed", "done"]
    judged(tmp_path)


def test_step_that_a_policy_skips_is_not_executed(tmp_path: Path) -> None:
    def advise(state: dict[str, Any]) -> Any:
        running = [step["id"] for step in state["plan"]["steps"] if step["status"] == "running"]
        done = state["plan"]["steps"][0]["status"] == "done"
        return Intervention({"skip": "b"}) if done and not running else None

    recorder = Recorder(tmp_path).policy(Says(advise))
    with recorder.begin("skips") as run:
        run.plan(PLAN)
        with run.step("a"):
            pass
        with pytest.raises(runvet.StepSkipped) as skipped, run.step("b"):
            pytest.fail("the step opened")
    assert pickle.loads(pickle.dumps(skipped.value)).step == "b"
    with recorder.begin("skips when executed") as run:
        run.plan(PLAN)
        run.execute(lambda step, state: None)
    assert [step["status"] for step in run_steps(run)] == ["done", "skipped"]
    judged(tmp_path)


def run_steps(run: runvet.Run) -> Any:
    return runvet.Episode.at(run.path).state()["plan"]["steps"]


def test_vetoes_are_exceptions_and_end_the_run_as_vetoed(tmp_path: Path) -> None:
    def no(state: dict[str, Any]) -> Any:
        return Veto("forbidden") if state["plan"]["steps"][0]["status"] == "running" else None

    recorder = Recorder(tmp_path).policy(Says(no))
    with recorder.begin("one step") as run:
        run.plan(PLAN)
        with run.step("a"), pytest.raises(runvet.Vetoed) as veto, run.step("b"):
            pytest.fail("the step opened")
    assert (veto.value.step, veto.value.scope) == ("b", "step")
    assert veto.value.reason == "forbidden" and "says" in veto.value.policy
    assert pickle.loads(pickle.dumps(veto.value)).step == "b"
    assert status(run)[0] == "ok"
    with pytest.raises(runvet.Vetoed) as veto, recorder.begin("lets it go on") as run:
        run.plan(PLAN)
        with run.step("a"), run.step("b"):
            pass
    assert status(run)[0] == "vetoed"
    stop = Recorder(tmp_path).policy(Says(lambda state: Veto("stop", scope="run")))
    with pytest.raises(runvet.Vetoed) as veto, stop.begin("stopped") as run:
        run.plan(PLAN)
    assert (veto.value.scope, veto.value.step) == ("run", None)
    assert status(run) == ("vetoed", "error")
    judged(tmp_path)


def test_policy_that_raises_vetoes_and_says_why(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(state: dict[str, Any]) -> None:
        raise KeyError("x")

    with pytest.raises(runvet.Vetoed) as veto, Recorder(tmp_path).policy(Says(fail)).begin("t") as run:
        run.plan(PLAN)
    assert veto.value.reason == "policy_failed"
    assert isinstance(veto.value.__cause__, runvet.PolicyError)
    assert isinstance(veto.value.__cause__.__cause__, KeyError)
    assert capfd.readouterr().err == ""

    def stop(state: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Recorder(tmp_path).policy(Says(stop)).begin("t") as run:
        run.plan(PLAN)
    assert status(run)[0] in ("aborted", "vetoed")
    judged(tmp_path)


def test_policy_that_calls_its_run_is_refused(tmp_path: Path) -> None:
    run: runvet.Run

    def meddle(state: dict[str, Any]) -> None:
        run.jot("from within")

    run = Recorder(tmp_path).policy(Says(meddle)).begin("t")
    with pytest.raises(runvet.Vetoed) as veto:
        run.plan(PLAN)
    assert "can't call the run" in str(veto.value.__cause__)
    run.finish("vetoed", "it meddles")
    judged(tmp_path)


def test_tool_has_the_plain_name_of_its_function_or_the_given_one(tmp_path: Path) -> None:
    class Bank:
        def refund(self) -> int:
            return 1

        def __call__(self) -> int:
            return 4

    with Recorder(tmp_path).begin("tools") as run, run.step("s", kind="act", description="d") as step:

        @run.tool
        def refund() -> int:
            return 0

        @run.tool(name="pay")
        def odd() -> int:
            return 2

        assert [refund(), run.tool(Bank().refund)(), odd()] == [0, 1, 2]
        assert [step.tool(Bank(), name="bank")(), step.tool(Bank())()] == [4, 4]
        with pytest.raises(TypeError, match="name is 3"):
            step.tool(len, name=3)  # type: ignore[call-overload]
    actions = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    assert [it["tool"] for it in actions] == ["refund", "refund", "pay", "bank", "Bank"]


def test_tool_records_calls_of_a_function(tmp_path: Path) -> None:
    with pytest.raises(OSError), Recorder(tmp_path).begin("tools") as run:

        @run.tool
        def search(query: str, *, limit: int = 5) -> list[str]:
            """Searches."""
            if query == "broken":
                raise OSError("no index")
            return [query] * limit

        class Odd:
            def __repr__(self) -> str:
                return "<odd \x1b>"

        assert search.__doc__ == "Searches."
        assert search("early", limit=0) == []
        assert run.act(tool="planner", result_status="ok") == "act-2"
        run.plan(PLAN)
        with run.step("a"):
            assert search("tickets", limit=1) == ["tickets"]
            # Within a step, an action is one of the step.
            assert run.act(tool="within", output=1) == "act-4"
            assert run.tool(Odd)() is not None
            search("broken")
    actions = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    # An agent without a plan records what it does too.
    early, planner, *actions = actions
    assert (early["tool"], planner["tool"]) == ("search", "planner")
    assert "step_id" not in early and "step_id" not in planner
    assert actions.pop(1)["step_id"] == "a"
    assert [action["result_status"] for action in actions] == ["ok", "ok", "error"]
    assert actions[0]["input"] == {"query": "tickets", "limit": 1}
    assert actions[0]["output"] == ["tickets"]
    assert actions[1]["output"] == "<odd \\u{1b}>"
    assert actions[2]["output"] == {"type": "OSError", "message": "no index"}
    assert all(action["step_id"] == "a" for action in actions)
    judged(tmp_path)


def test_adapter_executes_the_pending_steps(tmp_path: Path) -> None:
    def work(step: dict[str, Any], state: Any) -> str:
        return f"did {step['id']} of {len(state['plan']['steps'])}"

    with Recorder(tmp_path).begin("executed") as run:
        run.plan(PLAN)
        run.execute(work)
    actions = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    assert [action["output"] for action in actions] == ["did a of 2", "did b of 2"]
    assert status(run)[0] == "ok"
    judged(tmp_path)


def test_workspace_that_only_records_name_is_named_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    runs = tmp_path / "runs"
    with Recorder(runs).begin("paused", workspace=work) as run:
        paused = run.pause("later")
    (work / "made").write_text("x")
    with pytest.raises(runvet.Refused):
        Recorder(runs).resume(paused.id)
    recorded = Recorder(runs).abandon(paused.id, "enough", workspace=work)
    summary = json.loads((recorded.path / "summary.json").read_text())
    assert summary["verification"]["workspace_diff"]["added"] == ["made"]


def test_run_whose_pause_failed_is_not_called_paused(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    run = recorder.begin("moved away")
    run.path.rename(tmp_path / "away")
    with pytest.raises(runvet.RecorderError, match="was removed, replaced or changed"):
        run.pause("later")
    with pytest.raises(runvet.RunEnded, match="no longer recorded by this process"):
        run.jot("late")
    (tmp_path / "away").rename(run.path)
    recorder.resume(run.id).finish()
    judged(tmp_path)


def test_paused_run_is_resumed_and_dropped_one_abandoned(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    with recorder.begin("paused") as run:
        run.plan(PLAN)
        paused = run.pause("later")
    with recorder.resume(paused.id) as run:
        assert run.pending == ["a", "b"]
        for step in run.pending:
            with run.step(step):
                pass
    assert status(run)[0] == "ok"
    with pytest.raises(runvet.RunEnded) as ended:
        recorder.resume(paused.id)
    assert (ended.value.episode_id, ended.value.status) == (paused.id, "ok")
    with pytest.raises(runvet.UnknownRun):
        recorder.resume("ep_none")
    dropped = recorder.begin("dropped")
    with pytest.raises(runvet.RunBusy):
        recorder.resume(dropped.id)
    episode_id, path = dropped.id, dropped.path
    del dropped
    with (path / "events.jsonl").open("ab") as events:
        events.write(b'{"phase": "no')
    assert recorder.recover(episode_id) == runvet.Recovered("cut", 13)
    assert recorder.recover(episode_id).kind == "intact"
    abandoned = recorder.abandon(episode_id, "its process died")
    assert abandoned.state["outcomes"]["status"] == "aborted"
    judged(tmp_path)


def test_run_is_recorded_afterwards_with_the_verdict_of_an_evaluator(tmp_path: Path) -> None:
    began = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1)))
    run = Recorder(tmp_path).begin("old", id="trace-4711", started_at=began)
    run.at(began + timedelta(seconds=90, microseconds=1))
    run.note("observe")
    # Without a zone, a time is in UTC.
    run.at(datetime(2026, 3, 1, 11, 1, 30, 1))  # noqa: DTZ001
    with pytest.raises(runvet.Refused, match="not a finite number"):
        run.finish(score=float("nan"))
    ended = run.finish(
        assertions=[runvet.Evaluated("cites", True), runvet.Evaluated("short", False, "412 words")],
        score=0.5,
    )
    assert (ended.id, ended.summary["duration_sec"]) == ("trace-4711", 90.000001)
    assert ended.summary["outcome"] == "goal_not_achieved"
    assert ended.state["outcomes"]["metrics"]["score"] == 0.5
    with pytest.raises(runvet.Refused):
        Recorder(tmp_path).begin("live").at(began)
    judged(ended.path)


def test_times_go_back_as_in_a_log_or_are_unknown(tmp_path: Path) -> None:
    began = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    run = Recorder(tmp_path).begin("old", started_at=began)
    for time in (began + timedelta(seconds=9), began, None):
        run.at(time)
        run.act(tool="search")
    ended = run.finish()
    actions = ended.state["outcomes"]["actions"]
    assert [action.get("x-time-unknown") for action in actions] == [None, None, True]
    assert "latencies" not in ended.summary["metrics"] and ended.summary["duration_sec"] == 9
    assert runvet.validate(ended.path).ok


def test_changed_records_are_not_trusted(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    with recorder.begin("changed") as run:
        run.pause("later")
    events = run.path / "events.jsonl"
    events.write_text(events.read_text().replace("changed", "another"))
    with pytest.raises(runvet.RunUntrusted) as untrusted:
        recorder.resume(run.id)
    assert untrusted.value.kind == "untrusted" and untrusted.value.episode_id == run.id
    pickle.loads(pickle.dumps(untrusted.value))


def test_threads_share_a_run(tmp_path: Path) -> None:
    with Recorder(tmp_path).durability("process").begin("threads") as run:
        run.plan([(f"s{number}", "act", "x") for number in range(8)])

        def work(step: str) -> None:
            with run.step(step) as opened:
                for _ in range(20):
                    opened.act(tool="t", output=step)

        threads = [threading.Thread(target=work, args=(step,)) for step in run.pending]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    state = runvet.Episode.at(run.path).state()
    assert len(state["outcomes"]["actions"]) == 160
    assert all(action["output"] == action["step_id"] for action in state["outcomes"]["actions"])
    judged(tmp_path)


def test_fork_leaves_the_run_to_its_parent(tmp_path: Path) -> None:
    with Recorder(tmp_path).begin("forked") as run:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with run:
                    try:
                        run.note("observe")
                    except runvet.RecorderError as error:
                        code = 0 if error.kind == "forked" else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        run.note("observe", {"by": "the parent"})
    assert status(run)[0] == "ok"
    judged(tmp_path)


def test_ctrl_c_aborts_the_run(tmp_path: Path) -> None:
    code = (
        "import sys, time, runvet\n"
        "with runvet.Recorder(sys.argv[1]).begin('slow') as run:\n"
        "    run.plan([('a', 'act', 'x')])\n"
        "    with run.step('a'):\n"
        "        print(run.path, flush=True)\n"
        "        time.sleep(60)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdout is not None
    path = Path(child.stdout.readline().decode().strip())
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    child.wait(timeout=30)
    child.stdout.close()
    assert runvet.Episode.at(path).state()["outcomes"]["status"] == "aborted"
    judged(tmp_path)


def test_bytes_are_those_that_rust_writes(tmp_path: Path) -> None:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "python"
    recorded = subprocess.run(
        ["cargo", "run", "--quiet", "--locked", "--example", "recorded", "--", tmp_path / "rust"],
        cwd=ROOT / "python",
        env={**os.environ, "CARGO_TARGET_DIR": str(target), "PYO3_BUILD_EXTENSION_MODULE": "1"},
        check=False,
    )
    assert recorded.returncode == 0
    recorder = Recorder(tmp_path / "python")._with(clock=(1_772_366_400_000_000, 1_000))
    with recorder.policy(Says(lambda state: Hint("slowly", 0.5))).begin(
        "same", type="task", seed=1, tags={"team": "x", "n": 2.0}, using="demo"
    ) as run:
        run.plan(PLAN)
        with run.step("a") as step:
            step.act(tool="ls", input={"path": "."}, output=["x", 1.0, None])
            step.outputs["found"] = 1
        run.believe("it works", 0.75, "test")
        run.remember("key", {"z": 1, "a": "\u20ac"})
        run.jot("a line")
        run.note("observe", text="half")
        run.persist()
        with run.step("b") as step:
            step.fail({"code": 3})
        run.reflect(text="good")
        run.propose({"do": "more"})
        run.finish("partial", "one step failed", artifacts=["a.txt"], metrics={"score": 0.5})
    (rust,) = (tmp_path / "rust" / "episodes").iterdir()
    assert rust.name == run.id
    names = sorted(path.name for path in run.path.iterdir() if path.is_file())
    assert names == sorted(path.name for path in rust.iterdir() if path.is_file())
    for name in names:
        assert (run.path / name).read_bytes() == (rust / name).read_bytes(), name
    judged(tmp_path / "rust")


def test_files_are_attached_by_their_digest(tmp_path: Path) -> None:
    page = tmp_path / "page.HTML"
    page.write_bytes(b"<p>")
    (tmp_path / "link").symlink_to(page)
    run = Recorder(tmp_path / "runs").begin("look")
    image = run.attach(b"\x89PNG", "png")
    assert run.attach(memoryview(b"\x89PNG"), ".png") == image
    names = [image["name"], run.attach(page)["name"]]
    assert (image["bytes"], image["sha256"]) == (4, hashlib.sha256(b"\x89PNG").hexdigest())
    for wrong in (b"x", tmp_path / "link", str(tmp_path), tmp_path / "none"):
        with pytest.raises(runvet.Refused):
            run.attach(wrong, "a/b" if wrong == b"x" else "")
    for call in (lambda: run.attach(page, "html"), lambda: run.attach(3)):  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            call()
    run.act(tool="screenshot", output=image)
    ended = run.finish(artifacts=["report.md"])
    assert ended.state["outcomes"]["artifacts"] == [*names, "report.md"]
    assert [(ended.path / name).read_bytes() for name in names] == [b"\x89PNG", b"<p>"]
    judged(ended.path, refused=1)
    (ended.path / names[0]).write_bytes(b"other")
    assert not runvet.validate(ended.path, verify_manifest=True).ok
