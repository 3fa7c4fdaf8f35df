"""Records as dictionaries: equal to what `json.loads` makes of the same text."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import runvet
from runvet import _runvet


def alike(ours: Any, theirs: Any) -> bool:
    """Equal in value, type, order and sign, all the way down."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return list(ours) == list(theirs) and all(alike(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    return repr(ours) == repr(theirs)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def without_surrogates(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@given(values.filter(without_surrogates), st.booleans(), st.sampled_from([None, 1]))
@example({"": -0.0, "a": [1e400, 5e-324, 10**400, -(2**63), 2**64]}, False, None)
def test_values_read_as_json_loads_reads_them(value: Any, ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    if "Infinity" in text and not isinstance(value, str):
        text = text.replace("-Infinity", "-1e999").replace("Infinity", "1e999")
    assert alike(_runvet.loads(text), json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "-0", "-0.0", "0e0", "1E5", "1e400", "-1e400", "1e-400", "123456789012345678901234567890",
        "1.0000000000000000000000000000000001", '{"a":1,"b":2,"a":3}', '{"a":{"a":1,"a":2},"a":{}}',
        '"\\ud83d\\ude00"', '"\\u0000"', " [ ] ", "{}", "9223372036854775808", "-9223372036854775809",
        "1" * 4300, "-" + "1" * 4300,
    ],
)  # fmt: skip
def test_texts_read_as_json_loads_reads_them(text: str) -> None:
    assert alike(_runvet.loads(text), json.loads(text))


@pytest.mark.parametrize("text", ["NaN", "[1,]", "\ufeff1", '"\\ud800"', "[" * 129, "", "1 2"])
def test_texts_that_are_no_records_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        _runvet.loads(text)


def test_integer_beyond_the_limit_of_int_is_a_decimal() -> None:
    digits = "7" * 100_000
    read = _runvet.loads(f'{{"n": {digits}, "m": -{digits}}}')
    assert read["n"] == Decimal(digits)
    assert isinstance(read["m"], Decimal)


def test_decimals_are_exact_where_they_are_asked_for() -> None:
    text = '{"a": 0.1, "b": 1e5, "c": 7, "d": 1e-400, "e": 1e99999999999999999999, "f": -0.0}'
    read = _runvet.loads(text, "decimal")
    assert read["a"] == Decimal("0.1") and read["b"] == Decimal("1e5")
    assert type(read["c"]) is int
    assert read["d"] == Decimal("1e-400")
    assert read["e"] == Decimal("Infinity")
    assert str(read["f"]) == "-0.0"
    with pytest.raises(ValueError):
        _runvet.loads("1", "float")


def test_record_keeps_text_and_names_duplicates() -> None:
    text = b'{"goal": {"task": "a", "task": "b"}, "x/y": 1.50, "x/y": 2}\n'
    record = runvet.Episode.of("ep_1", {"state": text}).record("state")
    assert record.text == text.decode()
    assert record.dict() == json.loads(text)
    assert list(record.dict()) == list(json.loads(text))
    assert record.duplicates == ["/goal/task", "/x~1y"]
    assert record.dict() is not record.dict()
    assert math.isclose(record.dict()["x/y"], 2)


@given(values.filter(without_surrogates))
def test_recorded_values_read_as_they_were_given(value: Any) -> None:
    def fits(value: Any) -> bool:
        if isinstance(value, bool):
            return True
        if isinstance(value, int):
            return -(2**63) <= value < 2**64
        if isinstance(value, float):
            return math.isfinite(value)
        if isinstance(value, dict):
            return all(map(fits, value.values()))
        return not isinstance(value, list) or all(map(fits, value))

    if fits(value):
        assert _runvet.bounded(value, 1 << 30) == value
    else:
        with pytest.raises(ValueError):
            _runvet.bounded(value, 1 << 30)


def test_values_that_json_lacks_are_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (math.nan, math.inf, {1: 2}, {"a": object()}, {1, 2}, b"", 2**64, endless):
        with pytest.raises((TypeError, ValueError)):
            _runvet.bounded(value, 1 << 30)
