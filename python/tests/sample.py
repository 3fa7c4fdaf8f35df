"""Uses everything that the package has; type checkers hold it to its types, nobody runs it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Coroutine, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, assert_type

import runvet
from runvet import Hint, Intervention, Veto


class Careful:
    name = "careful"
    version = "1.0"

    def advise(self, state: dict[str, Any]) -> Hint | Intervention | Veto | None:
        if not state["plan"]["steps"]:
            return Veto("there is no plan", scope="run")
        if len(state["plan"]["steps"]) > 9:
            return Intervention({"skip": "step-9"}, confidence=0.5)
        return Hint("go on")


def reading() -> None:
    runs = runvet.open(Path("runs"))
    assert_type(runs, runvet.RunData)
    assert_type(runs.path, Path)
    entries = runs.runs(5, status="ok", outcome=["success"], since=datetime.now(), until="today")
    assert_type(runs.table("runs", tag="a:b", adapter=["x"], search="y", silent_for="7d"), runvet.Table)
    assert_type(entries[0]["episode_id"], str)
    assert_type(entries[0]["duration_sec"], float | None)
    state = runs.state("ep_1", numbers="decimal")
    assert_type(state["goal"]["task"], str)
    assert_type(state["plan"]["steps"][0]["description"], str)
    assert_type(runs.summary("ep_1")["metrics"]["success"], float)
    for episode in runs:
        assert_type(episode, runvet.Episode)
    assert_type(len(runs), int)
    assert_type([fault.message for fault in runs.faults], list[str])
    run = runs["@latest"]
    assert_type(run.id, str)
    assert_type(run.path, Path | None)
    assert_type(run.artifacts, frozenset[str])
    assert_type(run.entry["task"], str | None)
    record = run.record("state")
    assert_type(record.dict(), dict[str, Any])
    assert_type(record.text, str)
    assert_type(record.duplicates, list[str])
    assert_type(run.bytes("events"), bytes)
    events: Iterator[runvet.Event] = run.events(phase="act", strict=False)
    for event in events:
        assert_type(event["payload"], dict[str, Any])
        assert_type(event.get("event_type"), str | None)
    plan = run.plan()
    if plan is not None:
        assert_type(plan["steps"][0]["status"], str | None)
    compared = run.compare_plan()
    assert_type(compared, runvet.Comparison)
    assert_type(compared.parts_at, int | None)
    assert_type(compared.differences[0].pointer, str)
    assert_type(run.view(), dict[str, Any])
    assert_type(runvet.Episode.at("runs/episodes/ep_1").check(), runvet.EpisodeReport)
    assert_type(runvet.Episode.of("ep_1", {"state": b"{}", "learn": None}).state(), runvet.State)
    assert_type(Decimal(1), Decimal)
    assert_type(runvet.BadLine(1, 1, "why").line, int)
    assert_type(runvet.diff(run, Path("runs/episodes/ep_1")), dict[str, Any])
    assert_type(runvet.coverage("runs", check=runvet.Check(require=["plan/*"])), dict[str, Any])
    assert_type(runvet.impact("before.json", "after.json"), dict[str, Any])
    assert_type(runvet.compare("runs/main", "runs/change", pair=["task"]), dict[str, Any])


def checking() -> None:
    report = runvet.validate("runs", rules={"plan/*": "off"}, config="runvet.toml", jobs=2, deny_warnings=True, allow_empty=True)
    assert_type(report, runvet.Report)
    assert_type(report.ok, bool)
    assert_type(report.exit_code, int)
    assert_type(report.complete, bool)
    assert_type(report.faults, tuple[runvet.FaultRow, ...])
    report.seal(Path("seal.json"))
    verified = runvet.verify("seal.json", "runs", allow_new=True, require_same_rules=True)
    assert_type(verified, runvet.Verification)
    assert_type(verified.changes, tuple[runvet.Change, ...])
    redacted = runvet.redact("runs", to="copy", key="key", drop=["input"], check=runvet.Check())
    assert_type(redacted, runvet.Redacted)
    assert_type(redacted.runs, dict[Path, Path])
    assert_type(runvet.Recorder("runs", anchor=True), runvet.Recorder)
    assert_type(report.totals.undecided, int)
    assert_type(report.to_json(), str)
    assert_type(report.render("sarif"), str)
    assert_type(report.render(max_findings=3), str)
    assert_type(report.findings(), runvet.Columns)
    assert_type(report.rows(), list[dict[str, Any]])
    table: runvet.Table = report.table("episodes")
    assert_type(table.columns, runvet.Columns)
    whole: dict[str, Any] = report.to_dict()
    record: runvet.ReportRecord = json.loads(report.to_json())
    assert_type(record["totals"]["errors"], int)
    assert_type(whole["totals"], Any)
    for episode in report.episodes:
        assert_type(episode.valid, bool | None)
        for finding in episode.findings:
            assert_type(finding.rule, str)
            assert_type(finding.line, int | None)
            assert_type(finding.related, tuple[runvet.Related, ...])
        assert_type([skip.kind == "missing" for skip in episode.skipped], list[bool])
        assert_type([it.finding for it in episode.suppressed], list[runvet.Finding])
        part: dict[str, Any] = episode.to_dict()
        described: runvet.EpisodeReportRecord = json.loads(episode.to_json())
        assert_type(described["id"], str)
        assert_type(part["id"], Any)
    check = runvet.Check(rules={"*": "error"}, baseline=Path("baseline.json"), verify_manifest=True, strict_config=True)
    going_on = check.each("runs", Path("more"))
    for episode in going_on:
        assert_type(episode, runvet.EpisodeReport)
    assert_type(going_on.summary, runvet.Report | None)
    assert_type(check.run("runs"), runvet.Report)
    assert_type(check.records("ep_1", {"state": b""}, uri="s3://runs/ep_1"), runvet.EpisodeReport)
    assert_type(check.batch([("ep_1", {"state": b""})])["valid"], list[Any])
    assert_type(runvet.check_records("ep_1", {}, check=check), runvet.EpisodeReport)


def knowing() -> None:
    assert_type(runvet.rules(), list[runvet.Rule])
    assert_type(runvet.rules()[0].title, str)
    assert_type(runvet.explain("lifecycle/links"), str)
    assert_type(runvet.schema("state"), dict[str, Any])
    assert_type(runvet.__version__, str)
    assert_type(runvet.find_runvet_bin(), Path)


def advising() -> None:
    policy: runvet.Policy = Careful()
    consulted = runvet.consult([policy, Careful()], {"plan": {"steps": []}})
    assert_type(consulted, list[runvet.Consulted])
    match consulted[0].advice:
        case Hint(text, confidence):
            assert_type(text, str)
            assert_type(confidence, float)
        case Intervention() | Veto() | None:
            pass


def recording() -> None:
    recorder = runvet.Recorder("runs", config="runvet.toml").policy(Careful()).threshold(0.7).durability("event")
    verify = [runvet.file_exists("a"), runvet.file_contains("a", "b")]
    with recorder.begin(
        "task", type="task", seed=7, tags={"a": 1}, using="x", workspace=".", verify=verify
    ) as run:
        assert_type(run, runvet.Run)
        hints = run.plan([("a", "act", "x"), runvet.Step("b", "verify", "y", inputs={"n": 1})])
        assert_type(hints, list[str])
        with run.step("a") as step:
            assert_type(step, runvet.OpenStep)
            assert_type(step.would({"tool": "t"}, input={"a": 1}), list[runvet.Finding])
            assert_type(step.act(tool="t", input={"a": 1}), str)
            assert_type(step.findings, list[runvet.Finding])
            step.outputs["n"] = 1

        @run.tool
        def search(query: str, limit: int = 5) -> list[str]:
            return [query] * limit

        assert_type(search("x", limit=2), list[str])
        assert_type(step.tool(search, max_output=9)("x"), list[str])
        with run.step("new", kind="act", description="x", inputs={"a": 1}):
            assert_type(runvet.current_step(), runvet.OpenStep | None)
            waiting: Coroutine[Any, Any, str] = asked("x")
            waiting.close()
        opened = run.open("b")
        opened.skip("why")
        opened.fail("why")
        run.close(opened, {"n": 1}, error=None, skipped=None)
        with warnings.catch_warnings(action="ignore", category=runvet.FindingWarning):
            run.note("observe", {"text": "x"}, more=1)
        assert_type(run.would("observe", text="x"), list[runvet.Finding])
        assert_type(run.findings, list[runvet.Finding])
        run.believe("it works", 0.5)
        run.remember("key", [1, 2])
        run.jot("x")
        run.reflect(text="x")
        run.propose({"a": 1}, applied=True)
        run.execute(lambda step, state: state["goal"]["task"])
        run.persist()
        assert_type(run.state["outcomes"]["status"] == "ok", bool)
        assert_type(run.pending, list[str])
        assert_type(run.id, str)
        assert_type(run.path, Path)
        judged = [runvet.Evaluated("short", True, "why")]
        assert_type(run.finish("partial", "why", artifacts=["x"], metrics={"n": 1}), runvet.Recorded)
        ended = run.finish(assertions=judged, score=0.5)
        assert_type(ended, runvet.Recorded)
        assert_type(ended.findings, tuple[runvet.Finding, ...])
    paused = recorder.begin("task").pause("later")
    assert_type(paused, runvet.Paused)
    assert_type(recorder.resume(paused.id).finish().summary["outcome"] == "success", bool)
    assert_type(recorder.recover("ep_1"), runvet.Recovered)
    assert_type(recorder.abandon("ep_1", "why").path, Path)


@runvet.tool
async def asked(text: str) -> str:
    return text


async def awaiting() -> None:
    async with runvet.Recorder("runs", default=str).begin("task") as run:
        assert_type(run, runvet.Run)
        async with run.step("a", kind="act") as step:
            assert_type(await step.tool(asked)("x"), str)
        await run.aexecute(lambda step, state: asked(state["goal"]["task"]))


def failing(error: runvet.RunvetError) -> None:
    match error:
        case runvet.NoRunData() | runvet.Fault() | runvet.SealError():
            assert_type(error.path, Path)
        case runvet.UnknownRun():
            assert_type(error.nearest, list[str])
        case runvet.AmbiguousRun():
            assert_type(error.matches, list[str])
        case runvet.ArtifactError():
            assert_type(error.line, int | None)
        case runvet.UnknownRule():
            assert_type(error.nearest, str | None)
        case runvet.ConfigError():
            assert_type(error.file, Path)
        case runvet.PolicyError():
            assert_type(error.policy, str)
        case runvet.Vetoed():
            assert_type(error.step, str | None)
        case runvet.StepSkipped():
            assert_type(error.step, str)
        case runvet.RunUntrusted():
            assert_type(error.report, dict[str, Any] | None)
        case runvet.RunExists() | runvet.RunBusy() | runvet.RunEnded():
            assert_type(error.episode_id, str)
        case runvet.Refused() | runvet.RecorderError():
            assert_type(error.kind, str)
        case _:
            pass
