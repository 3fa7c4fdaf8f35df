//! The state record, `state.json` (reference, section 2.1).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::format;
use super::{DateTime, UnitInterval, any_value, describe_values, schema_id};

/// A snapshot of what a run planned and what it did: goal, beliefs, plan, memory, outcomes, and
/// links to its other artifacts. Written while the run goes on (at an approval pause, for example)
/// and again when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "State record (state.json)", extend("$id" = schema_id("state")))]
pub struct State {
    /// The identifier of the record's format that stays the same as long as older readers can read
    /// it.
    #[schemars(extend("const" = format::STATE_VERSION))]
    pub version: String,
    /// The semantic version of the contract that the record was written for.
    #[schemars(extend("const" = format::STATE_SCHEMA_VERSION))]
    pub state_schema_version: String,
    /// Which run this is and how it was started.
    pub episode: Episode,
    /// What the run is to reach.
    pub goal: Goal,
    /// What the run has come to believe, in normalized statements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beliefs: Option<Vec<Belief>>,
    /// The steps that lead to the goal, and how far each has come.
    pub plan: Plan,
    /// What the run remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// What the run has done and how it stands.
    pub outcomes: Outcomes,
    /// Relative paths, within the episode's directory, to the run's other artifacts. A run that
    /// goes on links `events` and `learn`; one that has ended links all four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
}

/// Which run this is and how it was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Episode {
    /// The run's unique identifier: the name of its directory.
    #[schemars(length(min = 1), extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub id: String,
    /// The seed to repeat the run with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Number>,
    /// Metadata of the user's: any keys with any values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [{"team": "search"}]))]
    pub tags: Option<Map<String, Value>>,
    /// The label of the adapter that executed the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["adapter:core.minimal"]))]
    pub using: Option<String>,
    /// When the run started: the instant of its `start` event. A run that is continued keeps it.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: DateTime,
    /// How intuition may act on the run. Records of older runtimes lack it; absent means
    /// `advisory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intuition_mode: Option<IntuitionMode>,
}

impl Episode {
    /// How intuition may act on the run; what older runtimes leave out reads as `advisory`.
    #[must_use]
    pub fn intuition_mode(&self) -> IntuitionMode {
        self.intuition_mode.unwrap_or_default()
    }
}

/// How intuition may act on a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum IntuitionMode {
    /// It gives advice and changes nothing itself.
    #[default]
    Advisory,
    /// It steps in and changes the course of the run.
    Interventive,
    /// It advises, and steps in where it has to.
    Hybrid,
}

/// What a run is to reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// The task as it was first given.
    #[schemars(extend("examples" = ["Summarize the open tickets"]))]
    pub task: String,
    /// The kind of goal; the values are the runtime's own.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["task"]))]
    pub kind: Option<String>,
}

/// A normalized statement that the run inferred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Belief {
    /// What is believed.
    pub statement: String,
    /// How sure the run is of it, from 0 (not at all) to 1 (certain).
    #[schemars(extend("examples" = [0.85]))]
    pub confidence: UnitInterval,
    /// Where the belief comes from.
    pub provenance: String,
    /// When it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime>,
}

/// The steps that lead to the goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// Where the plan comes from: the `source` of the latest `plan` event, else its `agent_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["planner.minimal", "planner.resume"]))]
    pub source: Option<String>,
    /// When the plan last changed: the instant of the latest `plan` event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime>,
    /// Why the plan is as it is, in free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The step's identifier, unique within the plan.
    #[schemars(length(min = 1), extend("examples" = ["step-1"]))]
    pub id: String,
    /// What kind of work the step is.
    pub kind: StepKind,
    /// What the step does, for people.
    pub description: String,
    /// How far the step has come.
    pub status: StepStatus,
    /// Why the step is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// What the step is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Map<String, Value>>,
    /// What the step brought forth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
}

/// What kind of work a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum StepKind {
    /// Gathers information.
    Detect,
    /// Processes or sorts what was gathered.
    Analyze,
    /// Plans a part of the work.
    Plan,
    /// Executes an action.
    Act,
    /// Checks results.
    Verify,
    /// Lets a person have a look.
    Review,
}

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum StepStatus {
    /// Not started yet.
    Pending,
    /// Under way.
    Running,
    /// Completed with success.
    Done,
    /// Left out on purpose.
    Skipped,
    /// Ended with an error.
    Failed,
    /// Blocked by a policy.
    Vetoed,
}

impl StepStatus {
    /// All statuses, in the order in which they are declared.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Running,
        Self::Done,
        Self::Skipped,
        Self::Failed,
        Self::Vetoed,
    ];

    /// The status as records write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Vetoed => "vetoed",
        }
    }

    /// The status that records write so.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What a run remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// Normalized facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<Fact>>,
    /// Free notes written during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratchpad: Option<String>,
}

/// One remembered fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// The fact's name.
    pub key: String,
    /// The fact's value, of any JSON type; null is a value too.
    #[schemars(schema_with = "any_value")]
    pub value: Value,
    /// When it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
}

/// What a run has done and how it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcomes {
    /// How the run stands. `pending` means that it goes on; every other status means that it has
    /// ended.
    pub status: RunStatus,
    /// What the run did, in order; each record mirrors the payload of an `act` event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<Action>>,
    /// Figures about the outcome, such as the total duration, `task_score`, `steps_completed` or
    /// `steps_total`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [{"task_score": 0.75, "steps_completed": 3, "steps_total": 4}]))]
    pub metrics: Option<Map<String, Value>>,
    /// Names or paths of what the run produced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [["report.md"]]))]
    pub artifacts: Option<Vec<String>>,
    /// What went wrong: null when nothing did, else a value of any shape.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    pub error: Value,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum RunStatus {
    /// It has ended with success.
    Ok,
    /// It has failed.
    Error,
    /// A policy has blocked it.
    Vetoed,
    /// Somebody has stopped it.
    Aborted,
    /// It has reached a part of its goal.
    Partial,
    /// It is still under way, or waits.
    Pending,
}

/// One action of a run. Only the keys below are allowed, and any key that starts with `x-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false, "patternProperties" = {"^x-": true}))]
pub struct Action {
    /// The action's identifier; the `act` event that it mirrors bears the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["act-1"]))]
    pub id: Option<Value>,
    /// What kind of action it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["adapter"]))]
    pub kind: Option<Value>,
    /// The tool that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["adapter:core.minimal"]))]
    pub tool: Option<Value>,
    /// The beginning of what the tool was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub input_excerpt: Option<Value>,
    /// How the action ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["ok"]))]
    pub result_status: Option<Value>,
    /// The step that the action belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["step-1"]))]
    pub step_id: Option<Value>,
    /// Where the action comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub provenance: Option<Value>,
    /// What the action produced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub result_artifacts: Option<Value>,
    /// What the tool was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub input: Option<Value>,
    /// What the tool gave back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub output: Option<Value>,
    /// When the action happened: the instant of its `act` event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime>,
    /// How long the action took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub duration_ms: Option<Value>,
    /// Extensions: keys that start with `x-`.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extensions: BTreeMap<String, Value>,
}

/// Relative paths, within the episode's directory, to the run's other artifacts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = {"type": "string"}))]
pub struct Links {
    /// The timeline; always there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["events.jsonl"]))]
    pub events: Option<String>,
    /// The learning timeline; always there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["learn.jsonl"]))]
    pub learn: Option<String>,
    /// The summary record; only when the run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["summary.json"]))]
    pub summary: Option<String>,
    /// The manifest; only when the run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["manifest.json"]))]
    pub manifest: Option<String>,
}
