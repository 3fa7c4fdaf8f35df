"""The declarations of a team hold while a run is recorded."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import runvet

CONFIG = """
[[schema]]
id = "acme/input"
where = { tool = "refund" }
at = "/payload/input"
schema = { required = ["amount"], properties = { amount = { type = "integer" } } }

[[schema]]
id = "acme/observed"
where = { phase = "observe" }
at = "/payload"
schema = { required = ["source"] }

[[schema]]
id = "acme/step"
where = { phase = "plan" }
at = "/payload/step_records"
schema.items.properties.inputs.properties.limit.type = "integer"

[[order]]
id = "acme/twice"
each = { tool = "refund" }
at-most = 1
message = "refunded {count} times"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    config = tmp_path / "runvet.toml"
    config.write_text(CONFIG)
    return config


def rules(findings: Any) -> list[str]:
    return [finding.rule for finding in findings]


def test_evidence_is_recorded_with_findings_and_a_warning(tmp_path: Path, config: Path) -> None:
    recorder = runvet.Recorder(tmp_path / "runs", config=config)
    run = recorder.begin("Pay back")
    with pytest.warns(runvet.FindingWarning, match="source"):
        run.note("observe", {})
    with run.step("s", kind="act", description="Pay") as step:
        assert rules(step.would(tool="refund", input={})) == ["acme/input"]
        with pytest.warns(runvet.FindingWarning, match="amount"):
            step.act(tool="refund", input={}, output="done")
        found = step.would(tool="refund", input={"amount": 1})
        assert [it.message for it in found] == ["refunded 2 times"]
        assert rules(step.findings) == ["acme/input"]
    assert rules(run.findings) == ["acme/observed", "acme/input"]
    # What was told once is no warning again.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorded = run.finish()
    assert rules(recorded.findings) == ["acme/observed", "acme/input"]
    assert recorded.findings == runvet.validate(recorded.path, config=config).episodes[0].findings
    assert pickle.loads(pickle.dumps(recorded)) == recorded


def test_warning_as_an_error_leaves_the_run_recorded(tmp_path: Path, config: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", runvet.FindingWarning)
        run = runvet.Recorder(tmp_path / "runs", config=config).begin("Pay back")
        with pytest.raises(runvet.FindingWarning):
            run.note("observe", {})
        assert run.note("observe", {"source": "a"}) == "evt-000003"
        run.finish()


def test_warning_as_an_error_says_nothing_wrong_of_the_end(tmp_path: Path, config: Path) -> None:
    schema = 'record = "summary"\nschema = { required = ["x-team"] }\n'
    config.write_text(f'[[schema]]\nid = "acme/team"\n{schema}')
    recorder = runvet.Recorder(tmp_path / "runs", config=config)
    with warnings.catch_warnings():
        warnings.simplefilter("error", runvet.FindingWarning)
        with pytest.raises(LookupError) as failed, recorder.begin("fails") as run:
            raise LookupError
    assert not hasattr(failed.value, "__notes__")
    assert rules(run.findings) == ["acme/team"]


def test_tool_with_refused_arguments_is_not_called(tmp_path: Path, config: Path) -> None:
    called = []
    run = runvet.Recorder(tmp_path / "runs", config=config).begin("Pay back")

    @run.tool
    def refund(amount: Any) -> None:
        called.append(amount)

    with run.step("s", kind="act", description="Pay"):
        with pytest.raises(runvet.Refused, match="not an integer") as refused:
            refund("much")
        assert called == [] and rules(refused.value.findings) == ["acme/input"]
        assert pickle.loads(pickle.dumps(refused.value)).findings == refused.value.findings
        refund(5)
    with pytest.raises(runvet.Refused, match="acme/step"):
        run.step("t", kind="act", inputs={"limit": "a"})
    recorded = run.finish()
    assert called == [5] and recorded.findings == ()
    assert [it["tool"] for it in recorded.state["outcomes"]["actions"]] == ["refund"]


class Stops:
    """A policy that vetoes the run when its plan has a step `more`."""

    name, version = "stops", "1.0"

    def advise(self, state: dict[str, Any]) -> Any:
        has_more = any(step["id"] == "more" for step in state["plan"]["steps"])
        return runvet.Veto("enough", scope="run") if has_more else None


def veto(run: runvet.Run, step: runvet.OpenStep) -> None:
    with pytest.raises(runvet.Vetoed):
        run.step("more", kind="act")


def close(run: runvet.Run, step: runvet.OpenStep) -> None:
    run.close(step)


def pause(run: runvet.Run, step: runvet.OpenStep) -> None:
    run.close(step)
    run.pause("wait")


def end(run: runvet.Run, step: runvet.OpenStep) -> None:
    run.finish("aborted")


@pytest.mark.parametrize("is_judged", [True, False], ids=["config", "policy"])
@pytest.mark.parametrize(
    ("stop", "said"),
    [
        (veto, 'the step "s" is vetoed'),
        (close, "is closed already"),
        (pause, "no longer recorded by this process"),
        (end, "has ended with the status `aborted`"),
    ],
)
def test_tool_is_not_called_once_its_step_or_run_is_over(
    tmp_path: Path, config: Path, stop: Any, said: str, is_judged: bool
) -> None:
    called: list[int] = []
    recorder = runvet.Recorder(tmp_path / "runs", config=config if is_judged else None)
    run = recorder.policy(Stops()).begin("Pay back")
    step = run.step("s", kind="act", description="Pay")
    stop(run, step)
    with pytest.raises(runvet.RecorderError, match=said):
        step.tool(called.append)(5)
    assert called == []


def test_tool_in_a_forked_process_is_not_called_where_nothing_judges_it(
    tmp_path: Path, config: Path
) -> None:
    run = runvet.Recorder(tmp_path / "runs", config=config).begin("Pay back")
    refund = run.step("s", kind="act", description="Pay").tool((tmp_path / "paid").touch)
    child = os.fork()
    if child == 0:
        try:
            refund()
        except runvet.RecorderError:
            pass
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert not (tmp_path / "paid").exists()
    run.finish("aborted")


def test_resumed_run_knows_what_was_before(tmp_path: Path, config: Path) -> None:
    recorder = runvet.Recorder(tmp_path / "runs", config=config)
    run = recorder.begin("Pay back")
    with run.step("s", kind="act", description="Pay") as step:
        step.act(tool="refund", input={"amount": 1})
    run.pause("wait")
    run = recorder.durability("process").resume(run.id)
    assert rules(run.would("act", {"tool": "refund", "input": {"amount": 1}})) == ["acme/twice"]
    run.finish()


def test_mistake_in_the_configuration_is_one_of_the_recorder(tmp_path: Path, config: Path) -> None:
    config.write_text("[[order]]\nid = 'a/b'\n")
    with pytest.raises(runvet.ConfigError):
        runvet.Recorder(tmp_path, config=config)
    with pytest.raises(runvet.Fault):
        runvet.Recorder(tmp_path, config=tmp_path / "missing.toml")


def test_run_without_configuration_has_no_findings(tmp_path: Path) -> None:
    run = runvet.Recorder(tmp_path).begin("Pay back")
    assert run.would("act", {"tool": "refund"}) == [] and run.findings == []
    assert run.finish().findings == ()


def test_example_holds_back_what_its_pack_forbids(tmp_path: Path) -> None:
    script = ROOT / "examples" / "refunds.py"
    ran = subprocess.run(
        [sys.executable, "-W", "error", script, tmp_path / "runs"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    shown = ran.stdout
    assert shown in (ROOT / "docs" / "your-own-rules.md").read_text() and len(shown) > 50
