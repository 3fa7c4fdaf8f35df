"""Values that agents record: none of them, hostile or broken, changes how the run ends."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import uuid
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_recorder import PLAN, judged, status

import runvet
from runvet import Recorder


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Ticket:
    number: int
    seen: date


class Model(pydantic.BaseModel):
    name: str
    when: date


class Slotted:
    """An object without a form of its own."""

    def __repr__(self) -> str:
        return "<slotted \x1b>"


DAY = date(2026, 3, 1)
VALUES: list[tuple[Any, Any]] = [
    (np.int64(3), 3),
    (np.float32(0.5), 0.5),
    (np.bool_(True), True),
    (np.array(7), 7),
    (datetime(2026, 3, 1, 12, tzinfo=timezone.utc), "2026-03-01T12:00:00+00:00"),
    (DAY, "2026-03-01"),
    (PurePosixPath("a/b"), "a/b"),
    ({"b", "a"}, ["a", "b"]),
    (frozenset({2, 1}), [1, 2]),
    (Decimal("1.50"), "1.50"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (Colour.RED, "red"),
    (Ticket(1, DAY), {"number": 1, "seen": "2026-03-01"}),
    (Model(name="x", when=DAY), {"name": "x", "when": "2026-03-01"}),
    (float("nan"), "nan"),
    (2**70, str(2**70)),
    ("bad \udcff name", "bad \\udcff name"),
    ({1: {"x": {DAY}}, (1, 2): None}, {"1": {"x": ["2026-03-01"]}, "(1, 2)": None}),
    (b"\x00", "b'\\x00'"),
    (Slotted(), "<slotted \\u{1b}>"),
]


def test_metric_is_a_number_or_missing_and_never_a_text(tmp_path: Path) -> None:
    nan, inf = float("nan"), float("inf")
    metrics = {
        "nan": nan, "inf": -inf, "numpy": np.float32(nan), "array": np.array(inf),
        "decimal": Decimal("1.50"), "no_decimal": Decimal("sNaN"), "large": 2**70,
        "nested": {"a": [nan, 1]}, "text": "high", "whole": 3, "flag": True,
    }
    run = runvet.Recorder(tmp_path).begin("measure")
    run.finish(metrics=metrics)
    kept = runvet.Episode.at(run.path).state()["outcomes"]["metrics"]
    assert {name: kept[name] for name in metrics} == {
        "nan": None, "inf": None, "numpy": None, "array": None,
        "decimal": 1.5, "no_decimal": None, "large": 2.0**70,
        "nested": {"a": [None, 1]}, "text": "high", "whole": 3, "flag": True,
    }


def outputs_of(run: runvet.Run) -> Any:
    """Of each way to record a value, what is stored."""
    state = runvet.Episode.at(run.path).state()
    (action,) = state["outcomes"]["actions"]
    fact = state["memory"]["facts"][0]["value"]
    outputs = state["plan"]["steps"][0].get("outputs", {}).get("value")
    return action["input"]["value"], action["output"], outputs, fact


def recorded(runs: Path, value: Any, default: Any = None) -> runvet.Run:
    """A run in which a value is an input, an output, an output of a step, and a fact."""
    with Recorder(runs, default=default).begin("values") as run:
        run.plan([("a", "act", "x")])
        with run.step("a") as step:
            assert run.tool(lambda value: value)(value) is value
            step.outputs["value"] = value
        run.remember("key", value)
        run.note("observe", {"value": value})
    return run


@pytest.mark.parametrize("value, stored", VALUES, ids=lambda it: type(it).__name__)
def test_value_is_stored_in_one_form_everywhere(tmp_path: Path, value: Any, stored: Any) -> None:
    run = recorded(tmp_path, value)
    assert outputs_of(run) == (stored,) * 4
    assert status(run)[0] == "ok"
    judged(tmp_path)


def test_default_goes_first_and_may_fail(tmp_path: Path) -> None:
    def default(value: Any) -> Any:
        if isinstance(value, Slotted):
            return {"slotted": DAY}
        if isinstance(value, Decimal):
            raise ZeroDivisionError
        raise TypeError

    run = recorded(tmp_path, [Slotted(), DAY, Decimal(1)], default)
    assert outputs_of(run) == ([{"slotted": "2026-03-01"}, "2026-03-01", "1"],) * 4


def test_value_without_end_is_cut(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(3_000):
        deep = [deep]
    loop: dict[str, Any] = {}
    loop["self"] = loop
    wide: Any = []
    for _ in range(90):
        wide = [wide, wide]
    for name, value in (("deep", deep), ("loop", loop), ("wide", wide)):
        run = recorded(tmp_path / name, value)
        stored = json.dumps(outputs_of(run), ensure_ascii=False)
        assert '"sha256"' in stored
        assert '"…"' not in stored
        judged(tmp_path / name)


RULES = """
[[order]]
id = "acme/rm"
each = { phase = "act", tool = "run", "/payload/input/**" = "*rm*" }
never = true
message = "nothing is removed"
"""


def test_rule_cannot_judge_what_is_not_written(tmp_path: Path) -> None:
    config = tmp_path / "runvet.toml"
    config.write_text(RULES)
    deep: Any = "rm -rf /"
    for _ in range(200):
        deep = [deep]
    wide = [0] * 1_000_000 + ["rm -rf /"]
    done: list[Any] = []
    with Recorder(tmp_path / "runs", config=config).begin("deep") as run:
        execute = run.tool(done.append, name="run")
        for value in (deep, wide, {"a": {"b": wide}}):
            with pytest.raises(runvet.Refused, match="shortened"):
                execute(value)
        execute([["ls"]])
    assert done == [[["ls"]]]


def raising(error: BaseException) -> Any:
    def fail(self: object) -> str:
        raise error

    return type("Odd", (Exception,), {"__str__": fail, "__repr__": fail})()


raised = st.sampled_from([ValueError, SystemExit, RecursionError, GeneratorExit, MemoryError])
texts = st.text(st.characters(), max_size=40)


@settings(max_examples=40, deadline=None)
@given(error=st.one_of(raised.map(lambda kind: raising(kind())), texts.map(ValueError)))
def test_run_ends_as_what_it_was(tmp_path_factory: Any, error: Exception) -> None:
    runs = tmp_path_factory.mktemp("runs")
    recorder = Recorder(runs).durability("process")
    with pytest.raises(type(error)), recorder.begin("fails") as run:
        run.plan(PLAN)
        with run.step("a") as step:
            step.outputs["odd"] = error

            @run.tool
            def fail() -> None:
                raise error

            fail()
    assert status(run) == ("error", "error")
    assert not getattr(error, "__notes__", [])
    run = recorded(runs, error)
    assert status(run)[0] == "ok"
    judged(runs)


@settings(max_examples=40, deadline=None)
@given(text=texts)
def test_texts_of_any_kind_are_recorded(tmp_path_factory: Any, text: str) -> None:
    runs = tmp_path_factory.mktemp("runs")
    with Recorder(runs).durability("process").begin(f"t{text}", tags={text: text}) as run:
        run.plan([("a", "act", f"d{text}")])
        with run.step("a") as step:
            step.skip(f"r{text}")
        run.jot(text)
        run.believe(f"b{text}", 1)
        run.finish("partial", text)
    judged(runs)


def test_output_that_is_large_is_a_digest_once(tmp_path: Path) -> None:
    large = "ä" * 40_000
    with Recorder(tmp_path).begin("large") as run:
        run.plan(PLAN)
        with run.step("a") as step:
            assert run.tool(lambda text: text)(large) is large
            assert step.tool(lambda: [1] * 10, max_output=8)() == [1] * 10
            assert step.tool(lambda: "x" * 65_536)() == "x" * 65_536
            step.outputs["large"] = large
        with run.step("b"):
            pass
    actions = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    kept = actions[0]["output"]
    assert kept == actions[0]["input"]["text"]
    assert (kept["sha256"], kept["bytes"]) == (hashlib.sha256(large.encode()).hexdigest(), 80_000)
    assert kept["excerpt"] == "ä" * 199 + "…"
    assert actions[1]["output"]["bytes"] == len("[1,1,1,1,1,1,1,1,1,1]")
    assert actions[2]["output"] == "x" * 65_536
    events = (run.path / "events.jsonl").read_bytes()
    assert large.encode() not in events
    judged(tmp_path)


def test_tool_returns_its_result_where_the_state_is_full(tmp_path: Path) -> None:
    with Recorder(tmp_path).durability("process").begin("full") as run:
        run.plan([("a", "act", "x")])
        with run.step("a") as step:
            for _ in range(3):
                large = "x" * (30 << 20)
                assert step.tool(lambda: large, max_output=1 << 30)() is large
    actions = runvet.Episode.at(run.path).state()["outcomes"]["actions"]
    assert [type(action["output"]) for action in actions] == [str, dict, dict]


def test_policies_are_shown_the_state_that_is_stored(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Looks:
        name, version = "looks", "1"

        def advise(self, state: dict[str, Any]) -> None:
            seen.append((state, json.loads(json.dumps(state))))

    with Recorder(tmp_path).policy(Looks()).begin("shown", tags={"a": 1}) as run:
        run.believe("it works", 0.5)
        run.remember("key", None)
        run.jot("x")
        run.plan([(f"s{number}", "act", "x") for number in range(30)])
        run.execute(lambda step, state: seen.append((state, None)))
        assert run._run.shown() == run.state
    first, last = seen[0][0], seen[-1][0]
    assert first == seen[0][1]
    same = [a is b for a, b in zip(first["plan"]["steps"], last["plan"]["steps"])]
    # What has not changed since is not made again.
    assert same == [False] * 30 and first["beliefs"][0] is last["beliefs"][0]
    before, after = seen[-4][0], seen[-2][0]
    fresh = [a is not b for a, b in zip(before["plan"]["steps"], after["plan"]["steps"])]
    assert sum(fresh) <= 2
    assert all(a is b for a, b in zip(before["outcomes"]["actions"], after["outcomes"]["actions"]))
