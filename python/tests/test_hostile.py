"""Hostile input: an answer or an exception of runvet's own, never a panic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runvet
from runvet._report import columns_of

NAMES = ("state", "summary", "events", "learn", "manifest")


def look(records: dict[str, bytes | None]) -> None:
    """Everything that can be asked of an episode. A panic is no `Exception`, and goes on."""
    episode = runvet.Episode.of("ep_1", records)
    report = episode.check(runvet.Check(rules={"strict/*": "warning", "manifest/*": "error"}))
    report.to_dict(), report.render(), report._repr_html_(), columns_of([report])
    for ask in (
        episode.state,
        episode.summary,
        episode.plan,
        episode.compare_plan,
        episode.view,
        lambda: list(episode.events(strict=False)),
        lambda: episode.entry,
    ):
        try:
            ask()
        except runvet.RunvetError:
            pass


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), st.none() | st.binary(max_size=200)))
def test_any_bytes_are_judged(records: dict[str, bytes | None]) -> None:
    look(records)


def mutants(record: Any) -> st.SearchStrategy[Any]:
    """A record in which one value is another."""
    junk = st.sampled_from([None, True, -1, 1e400, "", "\x1b[2J<b>", [], {}, [[]], 10**30])

    def replaced(value: Any, path: list[Any], by: Any) -> Any:
        if not path:
            return by
        copied = dict(value) if isinstance(value, dict) else list(value)
        copied[path[0]] = replaced(value[path[0]], path[1:], by)
        return copied

    def paths(value: Any) -> list[list[Any]]:
        found: list[list[Any]] = [[]]
        inner: Any = value.items() if isinstance(value, dict) else ()
        inner = enumerate(value) if isinstance(value, list) else inner
        return found + [[key, *rest] for key, item in inner for rest in paths(item)]

    return st.builds(lambda path, by: replaced(record, path, by), st.sampled_from(paths(record)), junk)


RUN = Path(__file__).resolve().parents[2] / "corpus/good/terminal/episodes/ep_answer"
STATE = json.loads((RUN / "state.json").read_text())
EVENTS = [json.loads(line) for line in (RUN / "events.jsonl").read_text().splitlines()]


@settings(max_examples=150, deadline=None)
@given(mutants(STATE), st.integers(0, len(EVENTS) - 1).flatmap(
    lambda at: st.tuples(st.just(at), mutants(EVENTS[at]))))
def test_mutants_are_judged(state: Any, event: tuple[int, Any]) -> None:
    at, mutant = event
    events = [*EVENTS[:at], mutant, *EVENTS[at + 1 :]]
    lines = "".join(json.dumps(event) + "\n" for event in events)
    look({
        "state": json.dumps(state).replace("Infinity", "1e999").encode(),
        "summary": (RUN / "summary.json").read_bytes(),
        "events": lines.replace("Infinity", "1e999").encode(),
        "learn": None,
        "manifest": None,
    })


@pytest.mark.parametrize(
    "state",
    [
        b"[" * 200_000,
        b'{"a":' * 127 + b"1" + b"}" * 127,
        b'{"a":' * 129 + b"1" + b"}" * 129,
        b'"' + b"\\u0041" * 100_000 + b'"',
        b'{"n": ' + b"9" * 1_000_000 + b"}",
        b'{"n": 1e' + b"9" * 100_000 + b"}",
        b"{" + b",".join(b'"k%d":%d' % (it, it) for it in range(10_000)) + b"}",
        b'{"a":1' + b',"a":1' * 20_000 + b"}",
        b"\xff\xfe{\x00}\x00",
        b"",
    ],
)
def test_large_and_deep_records_are_judged(state: bytes) -> None:
    look({"state": state, "events": b""})
