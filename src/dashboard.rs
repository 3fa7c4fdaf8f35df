//! One run at a glance, as plain data: what renderers of dashboards draw.
//!
//! [`crate::view`] fills it, and [`crate::report`] draws it as text. Texts of records are bounded
//! in length, and characters that control a terminal are escaped; a renderer escapes the characters
//! that are special in its own format. Of a long list, the first rows and the length are kept.

mod timeline;

use crate::finding::{EpisodeReport, RunEntry};
pub(crate) use timeline::{
    DashboardMoment, Incident, Mark, OmittedEvents, Outline, Reason, ReasonKind, TimelineRow,
};

/// The maximum number of rows of a list that a dashboard keeps.
pub(crate) const MAX_ROWS: usize = 1_000;

/// One run at a glance.
#[derive(Clone, Debug)]
pub(crate) struct Dashboard {
    /// The values that the records give.
    pub(crate) overview: Overview,
    /// The reason why the run did not succeed; `None` where it did, or where the records give none.
    pub(crate) reason: Option<Reason>,
    /// The timeline in outline.
    pub(crate) timeline: Outline,
    /// The result of checking the records: a run may have failed although they are consistent.
    pub(crate) report: EpisodeReport,
    /// The line of the first event with which the persisted plan disagrees.
    pub(crate) plan_differs_from: Option<u64>,
}

/// The values that the records of a run give. A value that a record lacks is `None`; a list that it
/// lacks has no rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overview {
    /// The run as an entry of a list.
    pub(crate) entry: RunEntry,
    /// Records that should exist but can't be shown, each with the reason.
    pub(crate) unreadable: Vec<UnreadableRecord>,
    /// The plan that the state persists.
    pub(crate) plan: Option<PlanSection>,
    /// The actions of the state.
    pub(crate) actions: Rows<DashboardAction>,
    /// The beliefs of the state.
    pub(crate) beliefs: Rows<BeliefRow>,
    /// The facts that the state remembers.
    pub(crate) facts: Rows<DashboardFigure>,
    /// The verification that the summary reports.
    pub(crate) verification: Option<VerificationSection>,
    /// The metrics of the summary.
    pub(crate) metrics: Option<MetricsSection>,
    /// The metrics of the outcomes in the state.
    pub(crate) outcome_metrics: Rows<DashboardFigure>,
    /// The links of the state.
    pub(crate) links: Option<Rows<LinkRow>>,
}

/// A record that can't be shown.
#[derive(Clone, Debug)]
pub(crate) struct UnreadableRecord {
    /// The name of its file.
    pub(crate) file: &'static str,
    /// Why.
    pub(crate) reason: String,
}

/// The first rows of a list, and its length.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    /// At most [`MAX_ROWS`] rows.
    pub(crate) first: Vec<T>,
    /// The number of rows of the whole list.
    pub(crate) total: usize,
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
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanSection {
    /// The source of the plan.
    pub(crate) source: Option<String>,
    /// Its steps, in their order.
    pub(crate) steps: Rows<DashboardStep>,
}

/// A step of the plan. A value that the state lacks is empty, here and in the other rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DashboardStep {
    /// The step's identifier.
    pub(crate) id: String,
    /// The kind of work.
    pub(crate) kind: String,
    /// The status.
    pub(crate) status: String,
    /// The description of the step.
    pub(crate) description: String,
    /// `true` if the timeline says otherwise.
    pub(crate) is_contested: bool,
    /// `true` if only the timeline has the step, and the state lacks it.
    pub(crate) is_unpersisted: bool,
    /// Of a rebuilt step, the line of the event that set its status.
    pub(crate) line: Option<u64>,
}

/// An action of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DashboardAction {
    /// The action's identifier.
    pub(crate) id: String,
    /// The step that it belongs to.
    pub(crate) step_id: String,
    /// The tool that was used.
    pub(crate) tool: String,
    /// The status with which it ended.
    pub(crate) result_status: String,
    /// The inputs of the tool, cut.
    pub(crate) input_excerpt: String,
}

/// A belief of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BeliefRow {
    /// The confidence.
    pub(crate) confidence: String,
    /// The statement that the run believes.
    pub(crate) statement: String,
}

/// The verification that the summary reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct VerificationSection {
    /// `true`, `false`, or another value in its place; `None` if the run was not verified.
    pub(crate) passed: Option<String>,
    /// The reason why the result could not be verified.
    pub(crate) error: Option<String>,
    /// Its assertions, first those that did not pass.
    pub(crate) assertions: Rows<AssertionRow>,
    /// The files of the workspace that the run changed.
    pub(crate) changes: Rows<FileChange>,
}

/// An assertion of the verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AssertionRow {
    /// Its name and its target, or what else tells it from others.
    pub(crate) name: String,
    /// `true` if it passed; `None` where it does not say.
    pub(crate) passed: Option<bool>,
    /// Its message about the result.
    pub(crate) message: Option<String>,
}

impl AssertionRow {
    /// Returns its result in one word.
    pub(crate) const fn word(&self) -> &'static str {
        match self.passed {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "unknown",
        }
    }
}

/// A file of the workspace that the run changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The kind of change.
    pub(crate) kind: ChangeKind,
    /// Its path.
    pub(crate) path: String,
}

/// A kind of change to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// It is new.
    Added,
    /// It has other content.
    Modified,
    /// It is gone.
    Deleted,
}

/// The metrics of the summary.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetricsSection {
    /// The single figures.
    pub(crate) figures: Rows<DashboardFigure>,
    /// The latencies.
    pub(crate) latencies: Rows<Latency>,
}

/// A single figure, or a fact that the run remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DashboardFigure {
    /// Its name.
    pub(crate) name: String,
    /// Its value: a text without its quotes, a number with as many digits as people read, anything
    /// else as JSON.
    pub(crate) value: String,
}

/// A latency.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Latency {
    /// Its name.
    pub(crate) name: String,
    /// Milliseconds.
    pub(crate) value_ms: f64,
}

/// A link of the state to an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkRow {
    /// The key of the link.
    pub(crate) name: String,
    /// The target, as written.
    pub(crate) target: String,
    /// The result of following the link; `None` if the key names no artifact.
    pub(crate) end: Option<LinkEnd>,
}

/// The result of following a link: what is at its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEnd {
    /// The artifact.
    There,
    /// Nothing.
    Missing,
    /// Something other than the artifact.
    Elsewhere,
}
