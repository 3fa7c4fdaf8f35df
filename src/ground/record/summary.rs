//! The summary record, `summary.json` (reference, section 2.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::scalar::{read_flag, write_flag};
use super::{Count, DateTime, describe_values, format, nullable, schema_id};
use crate::ground::words::words;

/// A compact view of a run that has ended: outcome, verification, flags, counters, latencies,
/// insight and tags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Summary record (summary.json)", extend("$id" = schema_id("summary")))]
#[non_exhaustive]
pub struct Summary {
    /// The semantic version of the schema that the record follows.
    #[schemars(extend("const" = format::SUMMARY_SCHEMA_VERSION, "x-stays" = "version"))]
    pub schema_version: String,
    /// The run's unique identifier. It equals the name of the episode's directory.
    #[schemars(length(min = 1), extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"], "x-stays" = "id"))]
    pub episode_id: String,
    /// The original task, as the user gave it.
    pub task: String,
    /// The time at which the run started. It equals `episode.started_at` in the state.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: DateTime,
    /// The duration of the run, in seconds; at least 0.
    #[schemars(with = "Number", range(min = 0), extend("examples" = [1.25]))]
    pub duration_sec: f64,
    /// The result of the adapter that executed the run.
    pub adapter_result: AdapterResult,
    /// The outcome of the run: whether it achieved its goal.
    pub outcome: SummaryOutcome,
    /// The verification of the outcome: whether it took place, and with which result.
    pub verification: Verification,
    /// The settings of the runtime.
    pub flags: Flags,
    /// Counters and latencies of the run.
    pub metrics: Metrics,
    /// An assessment of how well the plan worked. Written in meta mode only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insight: Option<Insight>,
    /// User-provided metadata: any keys with any values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [{"team": "search"}]))]
    pub tags: Option<Map<String, Value>>,
}

/// The result of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum AdapterResult {
    /// The adapter ran to completion.
    Success,
    /// The adapter stopped with an error.
    Error,
    /// The adapter did not run.
    Skipped,
}

words!(AdapterResult {
    Success = "success",
    Error = "error",
    Skipped = "skipped",
});

/// The outcome of a run: whether it achieved its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum SummaryOutcome {
    /// The run achieved its goal.
    Success,
    /// The run ended without an error, but did not achieve its goal.
    GoalNotAchieved,
    /// The run ended successfully, but nothing verified the result.
    SuccessUnverified,
    /// The run failed.
    Error,
}

words!(SummaryOutcome {
    Success = "success",
    GoalNotAchieved = "goal_not_achieved",
    SuccessUnverified = "success_unverified",
    Error = "error",
});

/// The verification of the outcome: whether it took place, and with which result. No field is
/// required.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Verification {
    /// `true` if the user supplied assertions to verify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provided: Option<bool>,
    /// `true` if all assertions passed; null when nothing was verified or verification was
    /// unavailable.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<bool>")]
    pub passed: Option<bool>,
    /// The result of each assertion, in any shape; empty when no assertions were supplied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<Vec<Value>>,
    /// The changes in the workspace between the two snapshots; null when there are no snapshots.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<WorkspaceDiff>")]
    pub workspace_diff: Option<WorkspaceDiff>,
    /// The paths of the workspace snapshots; null when no snapshots were taken.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<Snapshots>")]
    pub snapshots: Option<Snapshots>,
    /// The rules for taking workspace snapshots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<VerificationPolicy>,
    /// The reason why the result could not be verified; null when there was no verification error.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<String>", extend("examples" = ["workspace_unavailable"]))]
    pub error: Option<String>,
}

/// The changes in the workspace between two snapshots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WorkspaceDiff {
    /// The files that were added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Vec<Value>>,
    /// The files that were modified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Vec<Value>>,
    /// The files that were deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<Value>>,
}

/// The paths of the workspace snapshots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Snapshots {
    /// The path of the snapshot taken before the run; null when there is no such snapshot.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<String>")]
    pub pre: Option<String>,
    /// The path of the snapshot taken after the run; null when there is no such snapshot.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<String>")]
    pub post: Option<String>,
}

/// The rules for taking workspace snapshots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct VerificationPolicy {
    /// Names that snapshots leave out, such as directories of version control, caches, virtual
    /// environments or run data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[".git", "__pycache__"]]))]
    pub ignore: Option<Vec<String>>,
    /// The treatment of symbolic links in snapshots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["skip"]))]
    pub symlinks: Option<String>,
}

/// The settings of the runtime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Flags {
    /// `true` if intuition was enabled.
    pub intuition: bool,
    /// The mode of the runtime.
    pub mode: RuntimeMode,
    /// The directives and vetoes of intuition. Written in meta mode only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
}

/// The mode of the runtime: whether it directs the run and measures the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
#[non_exhaustive]
pub enum RuntimeMode {
    /// The runtime directs the run and records insight metrics.
    Meta,
    /// The runtime only executes the run.
    Minimal,
}

words!(RuntimeMode {
    Meta = "meta",
    Minimal = "minimal",
});

/// The directives and vetoes of intuition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Direction {
    /// The number of directives that were applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Count>,
    /// The number of vetoes that were issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vetoed: Option<Count>,
    /// The policy that issued the directives: its name and version in one string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["policy:core.minimal@1.0.0"]))]
    pub policy: Option<String>,
    /// The confidence threshold that was used for directives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [0.5]))]
    pub threshold: Option<Number>,
    /// The paths inside the plan that the last directive changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_diff: Option<Vec<String>>,
}

/// Counters and latencies of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Metrics {
    /// 1 when the run succeeded, 0 when it did not.
    #[serde(serialize_with = "write_flag", deserialize_with = "read_flag")]
    #[schemars(with = "Number", extend("enum" = [0, 1]))]
    pub success: bool,
    /// The number of planning iterations.
    pub plan_count: Count,
    /// The number of actions that were executed.
    pub act_count: Count,
    /// The number of reflection passes.
    pub reflect_count: Count,
    /// The number of vetoes that policies issued.
    pub veto_count: Count,
    /// The number of learning proposals that were generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_proposals: Option<Count>,
    /// The number of learning proposals that were applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_applied: Option<Count>,
    /// The durations of the parts of the run, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<Latencies>,
    /// The number of acts, notes and values that were to be recorded and are not in the run: an
    /// extension, of which the schema says nothing.
    #[serde(
        rename = "x-refused",
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "read_extension"
    )]
    #[schemars(skip)]
    pub refused: Option<Count>,
}

/// The durations of the parts of a run, in milliseconds; each is at least 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Latencies {
    /// The time from the start of the run to its first action, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>", range(min = 0))]
    pub first_action_ms: Option<f64>,
    /// The duration of the whole run, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>", range(min = 0))]
    pub total_ms: Option<f64>,
    /// The duration of the planning phase, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>", range(min = 0))]
    pub planning_ms: Option<f64>,
    /// The duration of the execution phase, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>", range(min = 0))]
    pub execution_ms: Option<f64>,
}

/// An assessment of how well the plan worked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Insight {
    /// The measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<InsightMetrics>,
}

/// Measurements of how well the plan worked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct InsightMetrics {
    /// The degree to which execution followed the plan, from 0 to 1, rounded to 4 decimal places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>", range(min = 0, max = 1), extend("examples" = [0.6667]))]
    pub plan_adherence: Option<f64>,
    /// The share of the planned tools that were used, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>", range(min = 0, max = 1))]
    pub tool_coverage: Option<f64>,
    /// The number of `direction` events in the timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branching_factor: Option<Count>,
    /// The number of times the plan was revised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_revisions: Option<Count>,
}

/// Reads a count under a key that may have any value.
fn read_extension<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Count>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(Count::deserialize(value).ok())
}
