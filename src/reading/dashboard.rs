//! One run at a glance, as plain data: what renderers of dashboards draw.
//!
//! [`crate::look::view`] fills it, and [`crate::report`] draws it as text. Texts of records are
//! bounded in length, and characters that control a terminal are escaped; a renderer escapes the
//! characters that are special in its own format. Of a long list, the first rows and the length are
//! kept.

mod timeline;

use crate::ground::finding::{EpisodeReport, RunEntry};
pub(crate) use timeline::{
    EventSummary, Mark, OmittedEvents, Outline, Reason, ReasonKind, TimelineRow,
};

/// The maximum number of rows of a list that a dashboard keeps.
pub(crate) const MAX_ROWS: usize = 1_000;

/// One run at a glance.
#[derive(Clone, Debug)]
pub(crate) struct Dashboard {
    /// The values that the records give.
    pub(crate) overview: Overview,
    /// The persisted plan beside the rebuilt one.
    pub(crate) plan: PlanSides,
    /// The reason why the run did not succeed; `None` where it did, or where the records give none.
    pub(crate) reason: Option<Reason>,
    /// The timeline in outline.
    pub(crate) timeline: Outline,
    /// The result of checking the records: a run may have failed although they are consistent.
    pub(crate) report: EpisodeReport,
}

/// An action of the state in one line.
#[derive(Clone, Debug, Default)]
pub(crate) struct DashboardAction {
    pub(crate) id: String,
    pub(crate) step: String,
    pub(crate) tool: String,
    /// The status of its result.
    pub(crate) status: String,
    /// The command, the paths, or the first words of its input.
    pub(crate) input: String,
}

/// The values that the records of a run give. A value that a record lacks is `None`; a list that it
/// lacks has no rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overview {
    /// The run as an entry of a list.
    pub(crate) entry: RunEntry,
    /// The files of records that should exist but can't be shown, each with the reason.
    pub(crate) unreadable: Vec<(&'static str, String)>,
    /// The actions of the state.
    pub(crate) actions: Rows<DashboardAction>,
    /// The statements that the run believes, each after its confidence.
    pub(crate) beliefs: Rows<(String, String)>,
    /// The facts that the state remembers.
    pub(crate) facts: Rows<(String, String)>,
    /// The verification that the summary reports.
    pub(crate) verification: Option<VerificationSection>,
    /// The single figures among the metrics of the summary, each with its value: a text without its
    /// quotes, a number with as many digits as people read, anything else as JSON.
    pub(crate) metrics: Option<Rows<(String, String)>>,
    /// The latencies of the summary, in milliseconds.
    pub(crate) latencies: Rows<(String, f64)>,
    /// The metrics of the outcomes in the state.
    pub(crate) outcome_metrics: Rows<(String, String)>,
    /// The links of the state: the key of each, its target as written, and what is there, in words;
    /// `None` if the key names no artifact.
    pub(crate) links: Option<Rows<(String, String, Option<&'static str>)>>,
}

/// The first rows of a list, and its length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<T> {
    /// At most [`MAX_ROWS`] rows.
    pub(crate) first: Vec<T>,
    /// The number of rows of the whole list.
    pub(crate) total: usize,
}

impl<T> Rows<T> {
    /// Returns the first rows of a list, `most` at most.
    pub(crate) fn of(rows: impl IntoIterator<Item = T>, most: usize) -> Self {
        let mut rows = rows.into_iter();
        let first: Vec<T> = rows.by_ref().take(most).collect();
        let total = first.len() + rows.count();
        Self { first, total }
    }
}

impl<T> FromIterator<T> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        Self::of(rows, MAX_ROWS)
    }
}

/// The persisted plan beside the rebuilt one.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanSides {
    pub(crate) rows: Rows<PlanPair>,
    /// The differences in sentences, each with the line of the event that disagrees.
    pub(crate) differences: Vec<(String, u64)>,
    /// The number of differences beyond those.
    pub(crate) more_differences: usize,
    /// The reason why the plans could not be compared.
    pub(crate) unjudged: Option<String>,
    /// `true` if the state has a plan.
    pub(crate) is_persisted: bool,
    /// `true` if there is no state, so that the rebuilt plan stands for the persisted one.
    pub(crate) stands_alone: bool,
    pub(crate) persisted_source: Option<String>,
    pub(crate) rebuilt_source: Option<String>,
}

/// A step of the plan, on the sides that have it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanPair<S = DashboardStep> {
    pub(crate) persisted: Option<S>,
    pub(crate) rebuilt: Option<S>,
    /// `true` if the plans disagree here.
    pub(crate) differs: bool,
    /// `true` if something of the persisted step could not be compared.
    pub(crate) is_unsure: bool,
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
    /// Of a rebuilt step, the line of the event that set its status.
    pub(crate) line: Option<u64>,
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
    /// The paths of the files of the workspace that the run changed, each after `+` if it is new,
    /// `~` if it has other content, and `-` if it is gone.
    pub(crate) changes: Rows<(char, String)>,
}

/// An assertion about the result of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct AssertionRow {
    /// Its name and its target, or what else tells it from others.
    pub(crate) name: String,
    /// Its result, in one word.
    pub(crate) result: &'static str,
    /// Its message about the result.
    pub(crate) message: Option<String>,
}
