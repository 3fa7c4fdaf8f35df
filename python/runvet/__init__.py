"""Vets agent runs: reads, checks and records the episodes that an agent runtime writes.

>>> import runvet
>>> report = runvet.validate("runs")        # doctest: +SKIP
>>> report.ok, report.totals.errors         # doctest: +SKIP
"""

from . import _runvet
from ._bin import find_runvet_bin
from ._check import Check, Checking, Level, PathLike, check_records, validate
from ._errors import (
    AmbiguousRun,
    ArtifactError,
    ConfigError,
    Fault,
    NoRunData,
    PolicyError,
    RecorderError,
    Refused,
    RunBusy,
    RunEnded,
    RunExists,
    RunUntrusted,
    RunvetError,
    UnknownRule,
    UnknownRun,
    Vetoed,
)
from ._policy import Advice, Consulted, Hint, Intervention, Policy, Veto, consult
from ._read import (
    BadLine,
    Comparison,
    Difference,
    Episode,
    Events,
    Numbers,
    Record,
    RunData,
    open as open,
)
from ._records import Event, Plan, RunEntry, State, Summary
from ._report import (
    Columns,
    EpisodeReport,
    FaultRow,
    Finding,
    Related,
    Report,
    Skip,
    Suppressed,
    Totals,
)
from ._rules import Rule, explain, rules, schema

__version__: str = _runvet.version()

__all__ = [
    "Advice",
    "AmbiguousRun",
    "ArtifactError",
    "BadLine",
    "Check",
    "Checking",
    "Columns",
    "Comparison",
    "ConfigError",
    "Consulted",
    "Difference",
    "Episode",
    "EpisodeReport",
    "Event",
    "Events",
    "Fault",
    "FaultRow",
    "Finding",
    "Hint",
    "Intervention",
    "Level",
    "NoRunData",
    "Numbers",
    "PathLike",
    "Plan",
    "Policy",
    "PolicyError",
    "Record",
    "RecorderError",
    "Refused",
    "Related",
    "Report",
    "Rule",
    "RunBusy",
    "RunData",
    "RunEnded",
    "RunEntry",
    "RunExists",
    "RunUntrusted",
    "RunvetError",
    "Skip",
    "State",
    "Summary",
    "Suppressed",
    "Totals",
    "UnknownRule",
    "UnknownRun",
    "Veto",
    "Vetoed",
    "check_records",
    "consult",
    "explain",
    "find_runvet_bin",
    "rules",
    "schema",
    "validate",
]
