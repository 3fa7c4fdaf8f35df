//! The summary record, `summary.json` (reference, section 2.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::format;
use super::{
    Count, DateTime, NonNegative, SuccessFlag, UnitInterval, describe_values, nullable, schema_id,
};

/// The compact view of a run that has ended: outcome, verification, flags, counters, latencies,
/// insight and tags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Summary record (summary.json)", extend("$id" = schema_id("summary")))]
pub struct Summary {
    /// The semantic version of the contract that the record was written for.
    #[schemars(extend("const" = format::SUMMARY_SCHEMA_VERSION))]
    pub schema_version: String,
    /// The run's unique identifier: the name of its directory.
    #[schemars(length(min = 1), extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub episode_id: String,
    /// The task as it was first given.
    pub task: String,
    /// When the run started.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: DateTime,
    /// How long the run took, in seconds.
    #[schemars(extend("examples" = [1.25]))]
    pub duration_sec: NonNegative,
    /// How the adapter ended.
    pub adapter_result: AdapterResult,
    /// How the run ended with respect to its goal.
    pub outcome: SummaryOutcome,
    /// Whether the outcome was verified, and what came of it.
    pub verification: Verification,
    /// How the runtime was set up.
    pub flags: Flags,
    /// Counters and latencies.
    pub metrics: Metrics,
    /// How well the plan served. Written in meta mode only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insight: Option<Insight>,
    /// Metadata of the user's: any keys with any values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [{"team": "search"}]))]
    pub tags: Option<Map<String, Value>>,
}

/// How an adapter ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum AdapterResult {
    /// It ran to completion.
    Success,
    /// It broke off with an error.
    Error,
    /// It did not run.
    Skipped,
}

/// How a run ended with respect to its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum SummaryOutcome {
    /// The goal was achieved.
    Success,
    /// The run ended without an error, short of its goal.
    GoalNotAchieved,
    /// The run ended well, and nothing verified it.
    SuccessUnverified,
    /// The run failed.
    Error,
}

/// Whether the outcome was verified, and what came of it. No field is required.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Whether assertions to verify were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provided: Option<bool>,
    /// Whether they held; null when nothing was verified or could be.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<bool>")]
    pub passed: Option<bool>,
    /// The result of each assertion, of any shape; empty when none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<Vec<Value>>,
    /// What changed in the workspace between the snapshots; null without snapshots.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<WorkspaceDiff>")]
    pub workspace_diff: Option<WorkspaceDiff>,
    /// Where the snapshots of the workspace are; null when none were taken.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<Snapshots>")]
    pub snapshots: Option<Snapshots>,
    /// How snapshots are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<VerificationPolicy>,
    /// Why nothing could be verified; null when nothing stood in the way.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<String>", extend("examples" = ["workspace_unavailable"]))]
    pub error: Option<String>,
}

/// What changed in the workspace between two snapshots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceDiff {
    /// What is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Vec<Value>>,
    /// What has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Vec<Value>>,
    /// What is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<Value>>,
}

/// Where the snapshots of the workspace are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshots {
    /// The path of the snapshot from before the run; null when there is none.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<String>")]
    pub pre: Option<String>,
    /// The path of the snapshot from after the run; null when there is none.
    #[serde(default)]
    #[schemars(schema_with = "nullable::<String>")]
    pub post: Option<String>,
}

/// How snapshots of the workspace are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerificationPolicy {
    /// Names that snapshots leave out, such as directories of version control, caches or run data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[".git", "__pycache__"]]))]
    pub ignore: Option<Vec<String>>,
    /// What snapshots do with symbolic links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["skip"]))]
    pub symlinks: Option<String>,
}

/// How the runtime was set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flags {
    /// Whether intuition was on.
    pub intuition: bool,
    /// How much the runtime did besides the task itself.
    pub mode: RuntimeMode,
    /// What intuition directed. Written in meta mode only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
}

/// How much the runtime does besides the task itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub enum RuntimeMode {
    /// With direction and insight.
    Meta,
    /// The bare run.
    Minimal,
}

/// What intuition directed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Direction {
    /// Directives applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Count>,
    /// Vetoes issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vetoed: Option<Count>,
    /// The policy that gave the directives: its name and version in one text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["policy:core.minimal@1.0.0"]))]
    pub policy: Option<String>,
    /// The confidence from which directives count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [0.5]))]
    pub threshold: Option<Number>,
    /// The paths in the plan that the last directive changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_diff: Option<Vec<String>>,
}

/// Counters and latencies of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metrics {
    /// 1 when the run succeeded, 0 when it did not.
    pub success: SuccessFlag,
    /// Rounds of planning.
    pub plan_count: Count,
    /// Actions executed.
    pub act_count: Count,
    /// Rounds of reflection.
    pub reflect_count: Count,
    /// Vetoes of policies.
    pub veto_count: Count,
    /// Proposals that learning made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_proposals: Option<Count>,
    /// Proposals of learning that were applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_applied: Option<Count>,
    /// How long the parts of the run took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<Latencies>,
}

/// How long the parts of a run took, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latencies {
    /// From the start to the first action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_action_ms: Option<NonNegative>,
    /// The whole episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<NonNegative>,
    /// The planning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planning_ms: Option<NonNegative>,
    /// The execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_ms: Option<NonNegative>,
}

/// How well the plan served.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Insight {
    /// The figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<InsightMetrics>,
}

/// Figures about how well the plan served.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InsightMetrics {
    /// How closely the run followed its plan, from 0 to 1, rounded to 4 decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [0.6667]))]
    pub plan_adherence: Option<UnitInterval>,
    /// The share of the planned tools that were used, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_coverage: Option<UnitInterval>,
    /// The number of `direction` events in the timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branching_factor: Option<Count>,
    /// How often the plan was revised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_revisions: Option<Count>,
}
