//! The state record, `state.json` (reference, section 2.1).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::format;
use super::{DateTime, any_value, describe_values, schema_id};
use crate::ground::words::words;

/// A snapshot of what a run planned and what it did: goal, beliefs, plan, memory, outcomes, and
/// links to its other artifacts. The runtime writes it while the run is in progress (for example
/// when the run pauses for approval) and again when the run ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "State record (state.json)", extend("$id" = schema_id("state")))]
#[non_exhaustive]
pub struct State {
    /// The identifier of the record format. It changes only when older readers can no longer read
    /// the record.
    #[schemars(extend("const" = format::STATE_VERSION, "x-stays" = "version"))]
    pub version: String,
    /// The semantic version of the schema that the record follows.
    #[schemars(extend("const" = format::STATE_SCHEMA_VERSION, "x-stays" = "version"))]
    pub state_schema_version: String,
    /// The identity of the run and the settings it was started with.
    pub episode: Episode,
    /// The goal that the run should achieve.
    pub goal: Goal,
    /// Normalized statements that the run inferred during execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beliefs: Option<Vec<Belief>>,
    /// The steps that lead to the goal, each with its status.
    pub plan: Plan,
    /// The memory of the run: facts and free-form notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// The status of the run, its actions and its results.
    pub outcomes: Outcomes,
    /// Relative paths, inside the episode's directory, to the run's other artifacts. A run in
    /// progress links `events` and `learn`; a run that has ended links all four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
}

/// The fields at the root of a state record.
pub(crate) const STATE_FIELDS: [&str; 9] = [
    format::STATE_VERSION_FIELD,
    format::STATE_SCHEMA_VERSION_FIELD,
    "episode",
    "goal",
    "beliefs",
    "plan",
    "memory",
    "outcomes",
    "links",
];

/// The identity of a run and the settings it was started with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Episode {
    /// The run's unique identifier. It equals the name of the episode's directory.
    #[schemars(length(min = 1), extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"], "x-stays" = "id"))]
    pub id: String,
    /// The seed that makes the run reproducible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Number>,
    /// User-provided metadata: any keys with any values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [{"team": "search"}]))]
    pub tags: Option<Map<String, Value>>,
    /// The label of the adapter that executed the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["adapter:core.minimal"], "x-stays" = "adapter"))]
    pub using: Option<String>,
    /// The time at which the run started: the timestamp of its `start` event. It does not change
    /// when the run is continued.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: DateTime,
    /// The way in which intuition may act on the run. Absent means `advisory`; older runtimes do
    /// not write this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intuition_mode: Option<IntuitionMode>,
}

impl Episode {
    /// Returns how intuition may act on the run; `advisory` where the record has no such field.
    #[must_use]
    pub fn intuition_mode(&self) -> IntuitionMode {
        self.intuition_mode.unwrap_or_default()
    }
}

/// The way in which intuition may act on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum IntuitionMode {
    /// Intuition gives advice and changes nothing.
    #[default]
    Advisory,
    /// Intuition intervenes and changes the course of the run.
    Interventive,
    /// Intuition gives advice, and intervenes where needed.
    Hybrid,
}

words!(IntuitionMode {
    Advisory = "advisory",
    Interventive = "interventive",
    Hybrid = "hybrid",
});

/// The goal that a run should achieve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Goal {
    /// The original task, as the user gave it.
    #[schemars(extend("examples" = ["Summarize the open tickets"]))]
    pub task: String,
    /// The kind of goal. The runtime defines the values.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["task"]))]
    pub kind: Option<String>,
}

/// A normalized statement that the run inferred during execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Belief {
    /// The statement that the run believes.
    pub statement: String,
    /// The confidence of the run, from 0 (none) to 1 (certainty).
    #[schemars(with = "Number", range(min = 0, max = 1), extend("examples" = [0.85]))]
    pub confidence: f64,
    /// The source of the belief.
    pub provenance: String,
    /// The time at which the belief was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime>,
}

/// The steps that lead to the goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Plan {
    /// The steps, in execution order.
    pub steps: Vec<Step>,
    /// The origin of the plan: `source` in the payload of the latest `plan` event, or `agent_id`
    /// where that payload has no `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["planner.minimal", "planner.resume"], "x-stays" = "id"))]
    pub source: Option<String>,
    /// The time at which the plan was last updated: the timestamp of the latest `plan` event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime>,
    /// Free text that explains the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Step {
    /// The step's identifier, unique within the plan.
    #[schemars(length(min = 1), extend("examples" = ["step-1"], "x-stays" = "id"))]
    pub id: String,
    /// The kind of work that the step does.
    pub kind: StepKind,
    /// A description of the step, in words for people.
    pub description: String,
    /// The progress of the step.
    pub status: StepStatus,
    /// The reason why the plan has this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The inputs of the step: any keys with any values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Map<String, Value>>,
    /// The outputs that the step produced: any keys with any values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
}

impl Step {
    /// Returns a step that has not started.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: StepKind, description: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind,
            description: description.into(),
            status: StepStatus::Pending,
            rationale: None,
            inputs: None,
            outputs: None,
        }
    }
}

/// The kind of work that a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum StepKind {
    /// Gathers information.
    Detect,
    /// Processes or categorizes information.
    Analyze,
    /// Plans a part of the work in more detail.
    Plan,
    /// Executes an action.
    Act,
    /// Checks results.
    Verify,
    /// Waits for a person to review the work.
    Review,
}

words!(pub StepKind {
    Detect = "detect",
    Analyze = "analyze",
    Plan = "plan",
    Act = "act",
    Verify = "verify",
    Review = "review",
});

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum StepStatus {
    /// The step has not started yet.
    Pending,
    /// The step is executing.
    Running,
    /// The step completed successfully.
    Done,
    /// The step was skipped on purpose.
    Skipped,
    /// The step failed with an error.
    Failed,
    /// A policy blocked the step.
    Vetoed,
}

words!(StepStatus {
    Pending = "pending",
    Running = "running",
    Done = "done",
    Skipped = "skipped",
    Failed = "failed",
    Vetoed = "vetoed",
});

/// The memory of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Memory {
    /// Normalized facts, each with a key and a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<Fact>>,
    /// Free-form notes that were written during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratchpad: Option<String>,
}

/// One fact that the run remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Fact {
    /// The identifier of the fact.
    #[schemars(extend("x-stays" = "id"))]
    pub key: String,
    /// The value of the fact, of any JSON type; null is a value too.
    #[schemars(schema_with = "any_value")]
    pub value: Value,
    /// The time at which the fact was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime>,
    /// The source of the fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
}

/// The status of a run, its actions and its results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Outcomes {
    /// The status of the run. `pending` means that the run is in progress, and so does `partial` as
    /// long as there is neither a summary nor a manifest and `links` has neither; every other
    /// status means that the run has ended.
    pub status: RunStatus,
    /// The actions of the run, in order. Each action mirrors the payload of an `act` event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<Action>>,
    /// Measurements of the outcome, such as the total duration, `task_score`, `steps_completed` or
    /// `steps_total`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [{"task_score": 0.75, "steps_completed": 3, "steps_total": 4}]))]
    pub metrics: Option<Map<String, Value>>,
    /// Names or paths of the artifacts that the run produced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [["report.md"]], "x-stays" = "artifact"))]
    pub artifacts: Option<Vec<String>>,
    /// The error of the run: a value of any shape, or null when there was none.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    pub error: Value,
}

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum RunStatus {
    /// The run completed successfully.
    Ok,
    /// The run failed.
    Error,
    /// A policy blocked the run.
    Vetoed,
    /// A person stopped the run.
    Aborted,
    /// The run achieved a part of its goal.
    Partial,
    /// The run is still in progress, or paused.
    Pending,
}

words!(RunStatus {
    Ok = "ok",
    Error = "error",
    Vetoed = "vetoed",
    Aborted = "aborted",
    Partial = "partial",
    Pending = "pending",
});

/// One action of a run. Only the keys below and keys that start with `x-` are allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false, "patternProperties" = {"^x-": true}))]
#[non_exhaustive]
pub struct Action {
    /// The identifier of the action. The payload of its `act` event has the same id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["act-1"], "x-stays" = "id"))]
    pub id: Option<Value>,
    /// The kind of the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["adapter"], "x-stays" = "name"))]
    pub kind: Option<Value>,
    /// The tool that the action used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["adapter:core.minimal"], "x-stays" = "name"))]
    pub tool: Option<Value>,
    /// A short excerpt of the tool's input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub input_excerpt: Option<Value>,
    /// The result of the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["ok"], "x-stays" = "name"))]
    pub result_status: Option<Value>,
    /// The id of the plan step that the action belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["step-1"], "x-stays" = "id"))]
    pub step_id: Option<Value>,
    /// The source of the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub provenance: Option<Value>,
    /// The artifacts that the action produced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("x-stays" = "artifact"))]
    pub result_artifacts: Option<Value>,
    /// The input of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub input: Option<Value>,
    /// The output of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub output: Option<Value>,
    /// The time of the action: the timestamp of its `act` event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime>,
    /// The duration of the action, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub duration_ms: Option<Value>,
    /// Extensions: the keys that start with `x-`.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extensions: BTreeMap<String, Value>,
}

impl Action {
    /// Returns a use of a tool.
    #[must_use]
    pub fn new(tool: impl Into<Value>) -> Self {
        Self {
            tool: Some(tool.into()),
            ..Self::default()
        }
    }

    /// Sets the status with which the use ended (`result_status`).
    #[must_use]
    pub fn status(mut self, status: impl Into<Value>) -> Self {
        self.result_status = Some(status.into());
        self
    }

    /// Sets the value that the tool returned.
    #[must_use]
    pub fn output(mut self, output: impl Into<Value>) -> Self {
        self.output = Some(output.into());
        self
    }
}

/// Relative paths, inside the episode's directory, to the run's other artifacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = {"type": "string", "x-stays": "link"}))]
#[non_exhaustive]
pub struct Links {
    /// The path of the event timeline. Always present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["events.jsonl"], "x-stays" = "link"))]
    pub events: Option<String>,
    /// The path of the learning timeline. Always present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["learn.jsonl"], "x-stays" = "link"))]
    pub learn: Option<String>,
    /// The path of the summary record. Present only when the run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["summary.json"], "x-stays" = "link"))]
    pub summary: Option<String>,
    /// The path of the manifest. Present only when the run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["manifest.json"], "x-stays" = "link"))]
    pub manifest: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::{STATE_FIELDS, State};

    #[test]
    fn state_fields_are_those_of_the_schema() {
        let schema = schemars::schema_for!(State);
        let properties = schema
            .get("properties")
            .and_then(|it| it.as_object());
        let mut known: Vec<&str> = properties
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut fields = STATE_FIELDS;
        known.sort_unstable();
        fields.sort_unstable();
        assert_eq!(known, fields);
    }
}
