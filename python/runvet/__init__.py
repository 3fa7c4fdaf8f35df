"""Vets agent runs: reads, checks and records the episodes that an agent runtime writes.

>>> import runvet
>>> report = runvet.validate("runs")        # doctest: +SKIP
>>> report.ok, report.totals.errors         # doctest: +SKIP
"""

from . import _runvet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._bin import find_runvet_bin
    from ._check import Check, Checking, Level, PathLike, Rule, check_records, validate, verify
    from ._columns import Columns
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
        SealError,
        StepSkipped,
        UnknownRule,
        UnknownRun,
        Vetoed,
    )
    from ._import import Imported, ImportedRun, import_logs
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
        compare,
        coverage,
        diff,
        impact,
        open as open,
    )
    from ._recorder import Assertion, Recorder, Recovered, file_contains, file_exists
    from ._records import (
        EpisodeReportRecord,
        Event,
        Plan,
        ReportRecord,
        RunEntry,
        State,
        Summary,
    )
    from ._redact import Redacted, redact
    from ._report import (
        Change,
        EpisodeReport,
        FaultRow,
        Finding,
        NotJudged,
        Related,
        Report,
        Skip,
        Suppressed,
        Table,
        Totals,
        Verification,
    )
    from ._rules import explain, rules, schema
    from ._run import Evaluated, OpenStep, Paused, Recorded, Run, Step, current_step, tool

__version__: str = _runvet.version()

__all__ = [
    "Advice",
    "AmbiguousRun",
    "ArtifactError",
    "Assertion",
    "BadLine",
    "Change",
    "Check",
    "Checking",
    "Columns",
    "Comparison",
    "ConfigError",
    "Consulted",
    "Difference",
    "Episode",
    "EpisodeReport",
    "EpisodeReportRecord",
    "Evaluated",
    "Event",
    "Events",
    "Fault",
    "FaultRow",
    "Finding",
    "FindingWarning",
    "Hint",
    "Imported",
    "ImportedRun",
    "Intervention",
    "Level",
    "NoRunData",
    "NotJudged",
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
    "Redacted",
    "Refused",
    "Related",
    "Report",
    "ReportRecord",
    "Rule",
    "Run",
    "RunBusy",
    "RunData",
    "RunEnded",
    "RunEntry",
    "RunExists",
    "RunUntrusted",
    "RunvetError",
    "SealError",
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
    "Verification",
    "Veto",
    "Vetoed",
    "check_records",
    "consult",
    "current_step",
    "compare",
    "coverage",
    "diff",
    "explain",
    "file_contains",
    "file_exists",
    "find_runvet_bin",
    "impact",
    "import_logs",
    "redact",
    "rules",
    "schema",
    "tool",
    "validate",
    "verify",
]

# The modules of these names are loaded when one of them is first used: a script that records needs
# nothing of what reports.
_NAMES = {
    "_bin": ("find_runvet_bin",),
    "_check": (
        "Check",
        "Checking",
        "Level",
        "PathLike",
        "Rule",
        "check_records",
        "validate",
        "verify",
    ),
    "_columns": ("Columns",),
    "_errors": (
        "AmbiguousRun",
        "ArtifactError",
        "ConfigError",
        "Fault",
        "FindingWarning",
        "NoRunData",
        "PolicyError",
        "RecorderError",
        "Refused",
        "RunBusy",
        "RunEnded",
        "RunExists",
        "RunUntrusted",
        "RunvetError",
        "SealError",
        "StepSkipped",
        "UnknownRule",
        "UnknownRun",
        "Vetoed",
    ),
    "_import": ("Imported", "ImportedRun", "import_logs"),
    "_policy": ("Advice", "Consulted", "Hint", "Intervention", "Policy", "Veto", "consult"),
    "_read": (
        "BadLine",
        "Comparison",
        "Difference",
        "Episode",
        "Events",
        "Numbers",
        "Record",
        "RunData",
        "compare",
        "coverage",
        "diff",
        "impact",
        "open",
    ),
    "_recorder": ("Assertion", "Recorder", "Recovered", "file_contains", "file_exists"),
    "_redact": ("Redacted", "redact"),
    "_records": (
        "EpisodeReportRecord",
        "Event",
        "Plan",
        "ReportRecord",
        "RunEntry",
        "State",
        "Summary",
    ),
    "_report": (
        "Change",
        "EpisodeReport",
        "FaultRow",
        "Finding",
        "NotJudged",
        "Related",
        "Report",
        "Skip",
        "Suppressed",
        "Table",
        "Totals",
        "Verification",
    ),
    "_rules": ("explain", "rules", "schema"),
    "_run": ("Evaluated", "OpenStep", "Paused", "Recorded", "Run", "Step", "current_step", "tool"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name):
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{module}", __name__), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_MODULES})
