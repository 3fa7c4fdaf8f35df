"""The values that a program records -> JSON, also for values that JSON lacks or that raise."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Set
from datetime import date, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

from . import _runvet

Default = Callable[[Any], Any]
"""Replaces a value that JSON does not have; it raises `TypeError` for one that it does not know."""

MAX_TEXT = 4_096
"""Characters of the text of an error, and of a value that has no other form."""

MAX_EXCERPT = 200
"""Characters of an excerpt."""

MAX_OUTPUT = _runvet.MAX_OUTPUT
"""Bytes of JSON beyond which a value is recorded as its digest, its size and an excerpt."""


WITHHELD = {"sha256": "0" * 64, "bytes": 0, "excerpt": "(not recorded)"}
"""Stands for a value that may not be written down: a rule that asks for it can't be judged."""


def encoder(default: Default | None = None) -> Default:
    """The function that replaces values which JSON does not have; it never fails."""

    def replaced(value: Any) -> Any:
        for known in (default, _plain):
            try:
                if known is not None:
                    return known(value)
            except Exception:  # noqa: S112
                continue
        return _stand_in(value)

    return replaced


plain = encoder()


def _stand_in(value: object) -> Any:
    """The `repr` of a value. No rule can judge one that is cut."""
    text = described(value)
    return text if len(text) < MAX_TEXT else _runvet.bounded(text, 0, described)


def _plain(value: Any) -> Any:
    """Returns the JSON of a value of a common type. Raises for others."""
    if isinstance(value, (int, float, Decimal, UUID, PurePath)):
        return str(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, Set):
        return sorted(value, key=repr)
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {it.name: getattr(value, it.name) for it in dataclasses.fields(value)}
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return value.model_dump(mode="json")
    if getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(type(value).__name__)


def measured(value: Any, depth: int = 8) -> Any:
    """A metric, in which each number that JSON does not have is the nearest, or else None.

    No text stands for a number: who compares runs would take it for another kind of value.
    """
    try:
        if getattr(value, "ndim", None) == 0:
            value = value.item()
        if isinstance(value, Mapping) and depth:
            return {name: measured(item, depth - 1) for name, item in value.items()}
        if isinstance(value, (list, tuple)) and depth:
            return [measured(item, depth - 1) for item in value]
        is_large = isinstance(value, int) and not -(2**63) <= value < 2**64
        if is_large or isinstance(value, (float, Decimal, Fraction)):
            number = float(value)
            return number if math.isfinite(number) else None
    except (ArithmeticError, ValueError):
        return None
    except Exception:
        return value
    return value


def described(value: object, form: Callable[[Any], str] = repr) -> str:
    """The `repr` or the `str` of a value, safe to print, short, and without failing."""
    try:
        return shortened(_runvet.printable(form(value)[: MAX_TEXT + 1]), MAX_TEXT)
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        name, why = type(value).__name__, type(raised).__name__
        return f"<{name}, whose {form.__name__} raises {why}>"


def error_of(error: BaseException) -> dict[str, str]:
    """An exception as it is recorded."""
    try:
        message = described(error, str)
    except KeyboardInterrupt:
        message = "its text was interrupted"
    return {"type": type(error).__name__, "message": message}


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def bounded(value: Any, most: int, replace: Default = plain) -> Any:
    """A value as JSON; a digest, the size and an excerpt of it where it has more bytes."""
    return _runvet.bounded(value, most, replace)
