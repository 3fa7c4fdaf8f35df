"""Vets agent runs: reads, checks and records the episodes that an agent runtime writes.

>>> import runvet
>>> report = runvet.validate("runs")        # doctest: +SKIP
>>> report.ok, report.totals.errors         # doctest: +SKIP
"""

from . import _runvet
from ._bin import find_runvet_bin
from ._check import Check, Checking, Level, PathLike, Rule, check_records, validate
from ._errors import (
    AmbiguousRun,
    ArtifactError,
    ConfigError,
    Fault,
    FindingWarning,
    NoRunData,
    PolicyError,
    RecorderError,
    Refused,
    RunBusy,
    RunEnded,
    RunExists,
    RunUntrusted,
    RunvetError,
    StepSkipped,
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
    diff,
    open as open,
)
from ._recorder import Assertion, Recorder, Recovered, file_contains, file_exists
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
    Table,
    Totals,
)
from ._rules import explain, rules, schema
from ._run import Evaluated, OpenStep, Paused, Recorded, Run, Step
from ._tool import current_step, tool

__version__: str = _runvet.version()

__all__ = [
    "Advice",
    "AmbiguousRun",
    "ArtifactError",
    "Assertion",
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
    "Evaluated",
    "Event",
    "Events",
    "Fault",
    "FaultRow",
    "Finding",
    "FindingWarning",
    "Hint",
    "Intervention",
    "Level",
    "NoRunData",
    "Numbers",
    "OpenStep",
    "PathLike",
    "Paused",
    "Plan",
    "Policy",
    "PolicyError",
    "Record",
    "Recorded",
    "Recorder",
    "RecorderError",
    "Recovered",
    "Refused",
    "Related",
    "Report",
    "Rule",
    "Run",
    "RunBusy",
    "RunData",
    "RunEnded",
    "RunEntry",
    "RunExists",
    "RunUntrusted",
    "RunvetError",
    "Skip",
    "State",
    "Step",
    "StepSkipped",
    "Summary",
    "Suppressed",
    "Table",
    "Totals",
    "UnknownRule",
    "UnknownRun",
    "Veto",
    "Vetoed",
    "check_records",
    "consult",
    "current_step",
    "diff",
    "explain",
    "file_contains",
    "file_exists",
    "find_runvet_bin",
    "rules",
    "schema",
    "tool",
    "validate",
]
