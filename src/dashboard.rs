//! One run at a glance, as plain data: what renderers of dashboards draw.
//!
//! [`crate::view`] fills it, and [`crate::report`] draws it as text. Texts of records are bounded
//! in length, and characters that act on a terminal are escaped; a renderer escapes what its own
//! format would take for structure. A list that is long keeps its first rows and its length.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::finding::{EpisodeReport, Lifecycle};

/// Rows of a list that a dashboard keeps.
pub const MAX_ROWS: usize = 1_000;

/// One run at a glance.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Dashboard {
    /// What the records say.
    pub overview: Overview,
    /// What the timeline says.
    pub timeline: Outline,
    /// What a check says.
    pub verdict: Verdict,
}

/// What the records of a run say. What a record lacks is `None`, or has no rows.
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
    /// How the run stands, as the state says.
    pub status: Option<String>,
    /// How it ended, as the summary says.
    pub outcome: Option<String>,
    /// When it started, as written.
    pub started_at: Option<String>,
    /// How long it took, in seconds.
    pub duration_sec: Option<f64>,
    /// The mode that the runtime was in.
    pub mode: Option<String>,
    /// The adapter that executed the run.
    pub adapter: Option<String>,
    /// Where the run stands in its life.
    pub lifecycle: Lifecycle,
    /// Records that should be there and can't be shown, each with the reason.
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
    /// [`MAX_ROWS`] rows at most.
    pub first: Vec<T>,
    /// The number of rows that the list has.
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

/// The plan that the state persists.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct PlanSection {
    /// Where the plan comes from.
    pub source: Option<String>,
    /// Its steps, in their order.
    pub steps: Rows<StepRow>,
}

/// A step of the plan. What the state lacks is empty, here and in the other rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StepRow {
    /// The step's identifier.
    pub id: String,
    /// What kind of work it is.
    pub kind: String,
    /// How far it has come.
    pub status: String,
    /// What it does.
    pub description: String,
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
    /// What the tool was given, cut.
    pub input_excerpt: String,
}

/// A belief of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BeliefRow {
    /// How sure the run is.
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
    /// Its value, as JSON, or a text without its quotes.
    pub value: String,
}

/// The verification that the summary reports.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct VerificationSection {
    /// `true`, `false`, or what else stands there; `None` where nobody verified the run.
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
    /// Its value, as written.
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
    /// Where it leads, as written.
    pub target: String,
    /// What is there; `None` for a key that names no artifact.
    pub end: Option<LinkEnd>,
}

/// What is at the end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkEnd {
    /// The artifact.
    There,
    /// Nothing.
    Missing,
    /// Something else than the artifact.
    Elsewhere,
}

/// A timeline in outline.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Outline {
    /// How many events there are.
    pub events: u64,
    /// How many of each phase.
    pub phases: BTreeMap<String, u64>,
    /// The first events.
    pub first: Vec<Moment>,
    /// The last events, those of `first` left out.
    pub last: VecDeque<Moment>,
    /// What is wrong with the first lines that are not events.
    pub broken: Vec<String>,
    /// How many lines are not events.
    pub broken_lines: u64,
    /// Why the timeline could not be read.
    pub fault: Option<String>,
}

/// One event in outline.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Moment {
    /// The line in `events.jsonl`.
    pub line: u64,
    /// Seconds since the first event; `None` where one of the two has no timestamp.
    pub offset_sec: Option<f64>,
    /// The phase.
    pub phase: String,
    /// Who emitted it.
    pub agent: String,
    /// What happened, in a line.
    pub summary: String,
}

/// What a check says of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// How the run stands, as the state says: it may have failed, and its records be consistent.
    pub status: Option<String>,
    /// What is wrong with its records.
    pub report: EpisodeReport,
    /// The line of the first event with which the persisted plan disagrees.
    pub plan_differs_from: Option<u64>,
}
