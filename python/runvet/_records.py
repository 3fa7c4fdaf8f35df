"""The records as they are read: types for those who check them. Made from the schemas by
`make bless`; a record that is not valid may lack any field, or have another value in it.
"""

from typing import Any, Literal, NotRequired, TypedDict


class Belief(TypedDict):
    """A normalized statement that the run inferred during execution."""

    confidence: float
    provenance: str
    statement: str
    timestamp: NotRequired[str]


IntuitionMode = Literal["advisory", "interventive", "hybrid"]
"""The way in which intuition may act on a run."""


class StateEpisode(TypedDict):
    """The identity of a run and the settings it was started with."""

    id: str
    intuition_mode: NotRequired[IntuitionMode]
    seed: NotRequired[float]
    started_at: str
    tags: NotRequired[dict[str, Any]]
    using: NotRequired[str]


class Goal(TypedDict):
    """The goal that a run should achieve."""

    task: str
    type: NotRequired[str]


class StateLinks(TypedDict):
    """Relative paths, inside the episode's directory, to the run's other artifacts."""

    events: NotRequired[str]
    learn: NotRequired[str]
    manifest: NotRequired[str]
    summary: NotRequired[str]


class Fact(TypedDict):
    """One fact that the run remembers."""

    key: str
    provenance: NotRequired[str]
    timestamp: NotRequired[str]
    value: Any


class StateMemory(TypedDict):
    """The memory of a run."""

    facts: NotRequired[list[Fact]]
    scratchpad: NotRequired[str]


class Action(TypedDict):
    """One action of a run."""

    duration_ms: NotRequired[Any]
    id: NotRequired[Any]
    input: NotRequired[Any]
    input_excerpt: NotRequired[Any]
    kind: NotRequired[Any]
    output: NotRequired[Any]
    provenance: NotRequired[Any]
    result_artifacts: NotRequired[Any]
    result_status: NotRequired[Any]
    step_id: NotRequired[Any]
    timestamp: NotRequired[str]
    tool: NotRequired[Any]


RunStatus = Literal["ok", "error", "vetoed", "aborted", "partial", "pending"]
"""The status of a run."""


class Outcomes(TypedDict):
    """The status of a run, its actions and its results."""

    actions: NotRequired[list[Action]]
    artifacts: NotRequired[list[str]]
    error: NotRequired[Any]
    metrics: NotRequired[dict[str, Any]]
    status: RunStatus


StepKind = Literal["detect", "analyze", "plan", "act", "verify", "review"]
"""The kind of work that a step does."""


StepStatus = Literal["pending", "running", "done", "skipped", "failed", "vetoed"]
"""The progress of a step."""


class Step(TypedDict):
    """One step of a plan."""

    description: str
    id: str
    inputs: NotRequired[dict[str, Any]]
    kind: StepKind
    outputs: NotRequired[dict[str, Any]]
    rationale: NotRequired[str]
    status: StepStatus


class StatePlan(TypedDict):
    """The steps that lead to the goal."""

    rationale: NotRequired[str]
    source: NotRequired[str]
    steps: list[Step]
    updated_at: NotRequired[str]


class State(TypedDict):
    """A snapshot of what a run planned and what it did: goal, beliefs, plan, memory, outcomes,
    and links to its other artifacts."""

    beliefs: NotRequired[list[Belief]]
    episode: StateEpisode
    goal: Goal
    links: NotRequired[StateLinks]
    memory: NotRequired[StateMemory]
    outcomes: Outcomes
    plan: StatePlan
    state_schema_version: str
    version: str


AdapterResult = Literal["success", "error", "skipped"]
"""The result of an adapter."""


class Direction(TypedDict):
    """The directives and vetoes of intuition."""

    applied: NotRequired[int]
    last_diff: NotRequired[list[str]]
    policy: NotRequired[str]
    threshold: NotRequired[float]
    vetoed: NotRequired[int]


RuntimeMode = Literal["meta", "minimal"]
"""The mode of the runtime: whether it directs the run and measures the plan."""


class Flags(TypedDict):
    """The settings of the runtime."""

    direction: NotRequired[Direction]
    intuition: bool
    mode: RuntimeMode


class InsightMetrics(TypedDict):
    """Measurements of how well the plan worked."""

    branching_factor: NotRequired[int]
    plan_adherence: NotRequired[float]
    plan_revisions: NotRequired[int]
    tool_coverage: NotRequired[float]


class Insight(TypedDict):
    """An assessment of how well the plan worked."""

    metrics: NotRequired[InsightMetrics]


class Latencies(TypedDict):
    """The durations of the parts of a run, in milliseconds; each is at least 0."""

    execution_ms: NotRequired[float]
    first_action_ms: NotRequired[float]
    planning_ms: NotRequired[float]
    total_ms: NotRequired[float]


class Metrics(TypedDict):
    """Counters and latencies of a run."""

    act_count: int
    latencies: NotRequired[Latencies]
    learn_applied: NotRequired[int]
    learn_proposals: NotRequired[int]
    plan_count: int
    reflect_count: int
    success: float
    veto_count: int


SummaryOutcome = Literal["success", "goal_not_achieved", "success_unverified", "error"]
"""The outcome of a run: whether it achieved its goal."""


class VerificationPolicy(TypedDict):
    """The rules for taking workspace snapshots."""

    ignore: NotRequired[list[str]]
    symlinks: NotRequired[str]


class Verification(TypedDict):
    """The verification of the outcome: whether it took place, and with which result."""

    assertions: NotRequired[list[Any]]
    error: NotRequired[str | None]
    passed: NotRequired[bool | None]
    policy: NotRequired[VerificationPolicy]
    provided: NotRequired[bool]
    snapshots: NotRequired[dict[str, Any] | None]
    workspace_diff: NotRequired[dict[str, Any] | None]


class Summary(TypedDict):
    """A compact view of a run that has ended: outcome, verification, flags, counters,
    latencies, insight and tags."""

    adapter_result: AdapterResult
    duration_sec: float
    episode_id: str
    flags: Flags
    insight: NotRequired[Insight]
    metrics: Metrics
    outcome: SummaryOutcome
    schema_version: str
    started_at: str
    tags: NotRequired[dict[str, Any]]
    task: str
    verification: Verification


class Event(TypedDict):
    """One event of a run's timeline."""

    agent_id: NotRequired[str]
    episode_id: NotRequired[str]
    event_type: NotRequired[str]
    payload: dict[str, Any]
    phase: str
    timestamp: str


class Hit(TypedDict):
    """A place in a run that has what was asked for."""

    file: str
    line: int
    text: str


Lifecycle = Literal["terminal", "non_terminal", "unknown"]
"""The stage of a run: whether it has ended, according to its records."""


class Pause(TypedDict):
    """The pause of a run, by the last event of its timeline."""

    reason: str | None
    since: str | None


class ToolUse(TypedDict):
    """A tool that a run called, or was kept from calling."""

    denied_line: int | None
    error_line: int | None
    tool: str | None


class RunEntry(TypedDict):
    """A run as an entry of a list."""

    dir: str
    duration_sec: float | None
    episode_id: str
    first_error: str | None
    hits: NotRequired[list[Hit]]
    lifecycle: Lifecycle
    metrics: NotRequired[dict[str, float]]
    more_hits: NotRequired[bool]
    now: NotRequired[str]
    outcome: str | None
    parent: str | None
    paused: NotRequired[Pause]
    started_at: str | None
    status: str | None
    steps: NotRequired[int]
    task: str | None
    tools: NotRequired[list[ToolUse]]
    valid: bool | None


class PlanDifference(TypedDict):
    """One difference between the persisted plan and the rebuilt one."""

    line: int
    message: str
    pointer: str


class PlanStep(TypedDict):
    """A step rebuilt from the timeline."""

    description: str | None
    id: str | None
    inputs: Any
    kind: str | None
    rationale: str | None
    status: str | None
    status_line: NotRequired[int]


class Plan(TypedDict):
    """A plan rebuilt from the timeline."""

    from_labels: bool
    source: str | None
    steps: list[PlanStep]
    updated_at: str | None


class PlanComparison(TypedDict):
    """The persisted plan of a run, compared with the one rebuilt from its timeline."""

    differences: list[PlanDifference]
    more_differences: int
    rebuilt: Plan | None
    uncompared: NotRequired[list[str]]
    unjudged: NotRequired[str]


CoverageRecord = Literal["found", "sound", "nothing", "skipped"]
"""The result of a rule for a run."""


class RelatedRecord(TypedDict):
    """Another place that a finding is about."""

    column: NotRequired[int]
    end_column: NotRequired[int]
    end_line: NotRequired[int]
    file: str
    length: NotRequired[int]
    line: NotRequired[int]
    message: str
    offset: NotRequired[int]
    pointer: NotRequired[str]


Severity = Literal["error", "warning"]
"""The severity of a finding."""


class FindingRecord(TypedDict):
    """One defect that a rule found."""

    column: NotRequired[int]
    end_column: NotRequired[int]
    end_line: NotRequired[int]
    file: str
    fingerprint: NotRequired[str]
    help: str
    length: NotRequired[int]
    line: NotRequired[int]
    message: str
    offset: NotRequired[int]
    pointer: NotRequired[str]
    related: NotRequired[list[RelatedRecord]]
    rule: str
    severity: Severity


SkipKind = Literal[
    "missing",
    "unreadable",
    "syntax",
    "version",
    "no_event",
    "unreached",
    "lifecycle",
    "changing",
    "limit",
]
"""The kind of reason that kept a rule from being judged, for programs."""


class SkipRecord(TypedDict):
    """A rule that could not be checked in an episode."""

    kind: SkipKind
    reason: str
    rule: str


Suppression = Literal["ignore", "baseline"]
"""The reason why a finding does not count."""


class SuppressedRecord(TypedDict):
    """A finding that does not count."""

    by: Suppression
    finding: FindingRecord
    reason: NotRequired[str]


VerdictRecord = Literal["valid", "breaks_rule", "invalid", "undecided"]
"""The verdict on a run."""


class EpisodeReportRecord(TypedDict):
    """The result of checking one episode."""

    adapter: NotRequired[str]
    coverage: NotRequired[dict[str, CoverageRecord]]
    dir: str
    findings: list[FindingRecord]
    id: str
    lifecycle: Lifecycle
    mode: NotRequired[str]
    skipped: list[SkipRecord]
    suppressed: NotRequired[list[SuppressedRecord]]
    suppressed_skips: NotRequired[list[SkipRecord]]
    valid: bool | None
    verdict: NotRequired[VerdictRecord]


class ReportedFaultRecord(TypedDict):
    """A path that could not be read, or an episode that could not be judged."""

    message: str
    path: str


class TallyRecord(TypedDict):
    """Totals over some episodes."""

    episodes: int
    errors: int
    warnings: int


class StatisticsRecord(TypedDict):
    """Totals by rule, by mode and by adapter."""

    adapters: dict[str, TallyRecord]
    modes: dict[str, TallyRecord]
    rules: dict[str, TallyRecord]


class ToolRecord(TypedDict):
    """The program that wrote a report."""

    name: str
    version: str


class NotJudgedRecord(TypedDict):
    """The number of what a check did not judge, of each kind."""

    empty: NotRequired[int]
    links: NotRequired[int]
    not_ended: NotRequired[int]
    rules: NotRequired[int]
    skipped: NotRequired[int]


class TotalsRecord(TypedDict):
    """Totals over all episodes."""

    baselined: NotRequired[int]
    breaks_rule: NotRequired[int]
    episodes: int
    errors: int
    ignored: NotRequired[int]
    invalid: int
    not_judged: NotRequired[NotJudgedRecord]
    unchecked: NotRequired[int]
    undecided: int
    unjudged: NotRequired[int]
    valid: int
    warnings: int


class ReportRecord(TypedDict):
    """The result of checking run data."""

    complete: bool
    episodes: list[EpisodeReportRecord]
    faults: list[ReportedFaultRecord]
    schema_version: str
    statistics: NotRequired[StatisticsRecord]
    tool: ToolRecord
    totals: TotalsRecord
