"""Policies: they see the state, and can't change it."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

import runvet
from runvet import Hint, Intervention, Veto

STATE = {"goal": {"task": "t"}, "plan": {"steps": [{"id": "a"}]}}


@dataclass
class Says:
    advice: Any
    name: str = "says"
    version: str = "1.0"

    def advise(self, state: dict[str, Any]) -> Any:
        return self.advice(state) if callable(self.advice) else self.advice


def test_advice_of_all_policies_is_collected() -> None:
    advice = [Hint("faster"), None, Veto("no"), Intervention({"skip": "a"}, 0.4)]
    consulted = runvet.consult([Says(it) for it in advice], STATE)
    assert [it.advice for it in consulted] == advice
    assert consulted[0] == runvet.Consulted("says", "1.0", Hint("faster", confidence=1.0))
    assert Veto("no").scope == "step"
    assert pickle.loads(pickle.dumps(consulted)) == consulted


def test_state_reads_like_any_dictionary() -> None:
    def look(state: dict[str, Any]) -> Hint:
        assert isinstance(state, dict) and isinstance(state["plan"]["steps"], list)
        assert json.dumps(state) == json.dumps(STATE) and state == STATE
        mine = copy.deepcopy(state)
        mine["plan"]["steps"].append(1)
        state.copy()["goal"] = {}
        assert type(mine) is dict and type(pickle.loads(pickle.dumps(state))) is dict
        return Hint(str(len(state | {"more": 1})))

    assert runvet.consult([Says(look)], STATE)[0].advice == Hint("3")


@pytest.mark.parametrize(
    "write",
    [
        lambda state: state.update(a=1),
        lambda state: state.pop("goal"),
        lambda state: state["goal"].__setitem__("task", "x"),
        lambda state: state["plan"]["steps"].append({}),
        lambda state: state["plan"]["steps"][0].clear(),
        lambda state: state["plan"]["steps"].sort(),
        lambda state: state.setdefault("b", 1),
    ],
)
def test_writes_raise_and_reach_nobody(write: Any) -> None:
    def meddle(state: dict[str, Any]) -> None:
        with pytest.raises(TypeError, match="can't change the state"):
            write(state)

    before = copy.deepcopy(STATE)
    runvet.consult([Says(meddle)], STATE)
    assert before == STATE


def test_policy_that_raises_is_told_after_all_were_asked() -> None:
    asked: list[str] = []

    def fail(state: dict[str, Any]) -> None:
        raise KeyError("plans")

    policies = [Says(fail, "broken", "2"), Says(lambda state: asked.append("second"))]
    with pytest.raises(runvet.PolicyError) as failed:
        runvet.consult(policies, STATE)
    assert asked == ["second"]
    assert (failed.value.policy, failed.value.version) == ("broken", "2")
    assert isinstance(failed.value.__cause__, KeyError)
    again = pickle.loads(pickle.dumps(failed.value))
    assert (again.policy, str(again)) == ("broken", str(failed.value))

    class NoName:
        advise = fail

    with pytest.raises(runvet.PolicyError, match="the policy NoName .* no attribute 'name'"):
        runvet.consult([NoName(), policies[1]], STATE)  # type: ignore[list-item]
    assert asked == ["second", "second"]
    with pytest.raises(runvet.PolicyError, match="returned str"):
        runvet.consult([Says("veto")], STATE)
