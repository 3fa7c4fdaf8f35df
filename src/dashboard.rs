//! One run at a glance, as plain data: what renderers of dashboards draw.
//!
//! [`crate::view`] fills it, and [`crate::report`] draws it as text. Texts of records are bounded
//! in length, and characters that control a terminal are escaped; a renderer escapes the characters
//! that are special in its own format. Of a long list, the first rows and the length are kept.

mod timeline;

use serde::Serialize;

use crate::finding::{EpisodeReport, Lifecycle};
pub use timeline::{Folded, Incident, Mark, Moment, Outline, Reason, ReasonKind, TimelineRow};

/// The maximum number of rows of a list that a dashboard keeps.
pub const MAX_ROWS: usize = 1_000;

/// One run at a glance.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Dashboard {
    /// What the records say.
    pub overview: Overview,
    /// Why the run did not succeed; `None` where it did, or where the records do not say.
    pub reason: Option<Reason>,
    /// What the timeline says.
    pub timeline: Outline,
    /// The verdict of a check.
    pub verdict: Verdict,
}

/// What the records of a run say. A value that a record lacks is `None`; a list has no rows.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Overview {
    /// Which run it is, and how it went.
    pub header: Header,
    /// The plan that the state persists.
    pub plan: Option<PlanSection>,
    /// The actions of the state.
    pub actions: Rows<ActionRow>,
    /// The beliefs of the state.
    pub beliefs: Rows<BeliefRow>,
    /// The facts that the state remembers.
    pub facts: Rows<FactRow>,
    /// The verification that the summary reports.
    pub verification: Option<VerificationSection>,
    /// The metrics of the summary.
    pub metrics: Option<MetricsSection>,
    /// The links of the state.
    pub links: Option<Rows<LinkRow>>,
}

/// Which run it is, and how it went.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Header {
    /// The run's id.
    pub episode_id: String,
    /// The episode's directory.
    pub dir: String,
    /// The task.
    pub task: Option<String>,
    /// The status, from the state.
    pub status: Option<String>,
    /// The outcome, from the summary.
    pub outcome: Option<String>,
    /// When it started, as written.
    pub started_at: Option<String>,
    /// The duration in seconds.
    pub duration_sec: Option<f64>,
    /// The mode of the runtime.
    pub mode: Option<String>,
    /// The adapter that executed the run.
    pub adapter: Option<String>,
    /// Whether the run has ended.
    pub lifecycle: Lifecycle,
    /// Records that should exist but can't be shown, each with the reason.
    pub unreadable: Vec<UnreadableRecord>,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            episode_id: String::new(),
            dir: String::new(),
            task: None,
            status: None,
            outcome: None,
            started_at: None,
            duration_sec: None,
            mode: None,
            adapter: None,
            lifecycle: Lifecycle::Unknown,
            unreadable: Vec::new(),
        }
    }
}

/// A record that can't be shown.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UnreadableRecord {
    /// The name of its file.
    pub file: &'static str,
    /// Why.
    pub reason: String,
}

/// The first rows of a list, and its length.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Rows<T> {
    /// At most [`MAX_ROWS`] rows.
    pub first: Vec<T>,
    /// The number of rows of the whole list.
    pub total: usize,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            total: 0,
        }
    }
}

impl<T> FromIterator<T> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut rows = rows.into_iter();
        let first: Vec<T> = rows.by_ref().take(MAX_ROWS).collect();
        let total = first.len() + rows.count();
        Self { first, total }
    }
}

/// The plan that the state persists, with the steps that only the timeline has.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct PlanSection {
    /// The source of the plan.
    pub source: Option<String>,
    /// Its steps, in their order.
    pub steps: Rows<StepRow>,
}

/// A step of the plan. A value that the state lacks is empty, here and in the other rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StepRow {
    /// The step's identifier.
    pub id: String,
    /// The kind of work.
    pub kind: String,
    /// The status.
    pub status: String,
    /// What it does.
    pub description: String,
    /// Whether the timeline says otherwise.
    pub is_contested: bool,
    /// Whether only the timeline has the step, and the state lacks it.
    pub is_unpersisted: bool,
}

/// An action of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ActionRow {
    /// The action's identifier.
    pub id: String,
    /// The step that it belongs to.
    pub step_id: String,
    /// The tool that was used.
    pub tool: String,
    /// How it ended.
    pub result_status: String,
    /// The inputs of the tool, cut.
    pub input_excerpt: String,
}

/// A belief of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BeliefRow {
    /// The confidence.
    pub confidence: String,
    /// What it believes.
    pub statement: String,
}

/// A fact that the run remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FactRow {
    /// Its name.
    pub key: String,
    /// Its value: a text without its quotes, anything else as JSON.
    pub value: String,
}

/// The verification that the summary reports.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct VerificationSection {
    /// `true`, `false`, or another value in its place; `None` if the run was not verified.
    pub passed: Option<String>,
    /// Why the verification failed.
    pub error: Option<String>,
    /// The number of its assertions.
    pub assertions: usize,
    /// The files of the workspace that the run changed.
    pub changes: Rows<FileChange>,
}

/// A file of the workspace that the run changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileChange {
    /// What happened to it.
    pub kind: ChangeKind,
    /// Its path.
    pub path: String,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It has other content.
    Modified,
    /// It is gone.
    Deleted,
}

/// The metrics of the summary.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MetricsSection {
    /// The single figures.
    pub figures: Rows<Figure>,
    /// The latencies.
    pub latencies: Rows<Latency>,
}

/// A single figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its value, a number with as many digits as people read.
    pub value: String,
}

/// A latency.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Latency {
    /// Its name.
    pub name: String,
    /// Milliseconds.
    pub value_ms: f64,
}

/// A link of the state to an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LinkRow {
    /// The key of the link.
    pub name: String,
    /// The target, as written.
    pub target: String,
    /// What is at the target; `None` if the key names no artifact.
    pub end: Option<LinkEnd>,
}

/// What is at the target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LinkEnd {
    /// The artifact.
    There,
    /// Nothing.
    Missing,
    /// Something other than the artifact.
    Elsewhere,
}

/// The verdict of a check on a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The status, from the state: a run may have failed although its records are consistent.
    pub status: Option<String>,
    /// The outcome, from the summary.
    pub outcome: Option<String>,
    /// Why the run did not succeed.
    pub reason: Option<Reason>,
    /// The check's report on its records.
    pub report: EpisodeReport,
    /// The line of the first event with which the persisted plan disagrees.
    pub plan_differs_from: Option<u64>,
}
