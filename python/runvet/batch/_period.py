"""The names of directories -> whether runs in them began in a period, by the ULIDs in the names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from .. import _runvet
from .._read import text_of_time

Moment: TypeAlias = "str | date"
"""A time, as `RunData.runs` takes it."""

_ULID = re.compile(r"(?:^|[_-])([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}$", re.IGNORECASE)
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` on and before `until`, in milliseconds since 1970."""

    since: int | None = None
    until: int | None = None

    @classmethod
    def of(cls, since: Moment | None, until: Moment | None) -> Period:
        """The period between two moments."""
        return cls(_milliseconds("since", since), _milliseconds("until", until))

    def has(self, path: str) -> bool:
        """Returns True if no part of a path ends in a ULID of another time."""
        if self.since is None and self.until is None:
            return True
        return all(map(self._has_name, path.split("/")))

    def _has_name(self, name: str) -> bool:
        ulid = _ULID.search(name)
        if ulid is None:
            return True
        began = 0
        for digit in ulid.group(1).upper():
            began = began << 5 | _DIGITS.index(digit)
        is_late_enough = self.since is None or began >= self.since
        return is_late_enough and (self.until is None or began < self.until)


def _milliseconds(name: str, given: Moment | None) -> int | None:
    text = text_of_time(given)
    micros = None if text is None else _runvet.moment(name, text)
    return None if micros is None else micros // 1000
