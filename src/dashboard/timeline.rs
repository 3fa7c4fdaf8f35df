//! A timeline in outline, and why a run did not succeed, as plain data.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::words::words;

/// A timeline in outline.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Outline {
    /// The episode's directory.
    pub dir: String,
    /// The number of events.
    pub events: u64,
    /// The number of events of each phase.
    pub phases: BTreeMap<String, u64>,
    /// The events in their order. Of a long timeline, events that matter less are folded.
    pub rows: Vec<TimelineRow>,
    /// The errors of the first lines that are not events.
    pub broken: Vec<String>,
    /// The number of lines that are not events.
    pub broken_lines: u64,
    /// Why the timeline could not be read.
    pub fault: Option<String>,
    /// The event in which the run failed: the last one that failed and was not repeated with
    /// success.
    pub failure: Option<Incident>,
    /// The event that vetoed something: the last one that says so most clearly.
    pub veto: Option<Incident>,
    /// The last `terminate` event.
    pub end: Option<Incident>,
}

/// A row of a timeline in outline.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum TimelineRow {
    /// One event.
    Event(Moment),
    /// Events that are left out.
    Folded(Folded),
}

/// Events of a timeline that follow each other and are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Folded {
    /// The number of events.
    pub events: u64,
    /// Some of their phases.
    pub phases: BTreeSet<String>,
}

/// One event in outline.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Moment {
    /// The line in `events.jsonl`.
    pub line: u64,
    /// Seconds since the first event; `None` where one of the two has no timestamp.
    pub offset_sec: Option<f64>,
    /// The phase.
    pub phase: String,
    /// The agent that emitted it.
    pub agent: String,
    /// What happened, in one line.
    pub summary: String,
    /// Whether something failed or was vetoed in it.
    pub mark: Option<Mark>,
}

/// What went wrong in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mark {
    /// Something failed.
    Failed,
    /// Something was vetoed.
    Vetoed,
}

words!(Mark {
    Failed = "failed",
    Vetoed = "vetoed",
});

/// An event that may tell why a run ended as it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Incident {
    /// The line in `events.jsonl`.
    pub line: u64,
    /// Seconds since the first event; `None` where one of the two has no timestamp.
    pub offset_sec: Option<f64>,
    /// The step that it names.
    pub step_id: Option<String>,
    /// The action that it names.
    pub action_id: Option<String>,
    /// The policy that decided, else who emitted the event.
    pub by: Option<String>,
    /// The error or reason that it gives.
    pub text: Option<String>,
}

/// Why a run did not succeed, as far as its records say. Texts are bounded in length and safe to
/// print. What the records do not say is absent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Reason {
    /// What became of the run.
    pub kind: ReasonKind,
    /// The id of the step in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["step-4"]))]
    pub step_id: Option<String>,
    /// The id of the action in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["act-4"]))]
    pub action_id: Option<String>,
    /// Who vetoed or stopped the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["policy:core.minimal@1.0.0"]))]
    pub by: Option<String>,
    /// The error, or the reason that was given, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["TimeoutError: tool did not answer in 30 s"]))]
    pub text: Option<String>,
    /// The name of the artifact that says so.
    #[schemars(extend("examples" = ["events.jsonl", "state.json"]))]
    pub file: String,
    /// The line in that artifact, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// The time from the first event to this one, in seconds; below 0 where clocks disagree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_sec: Option<f64>,
}

/// What became of a run that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::record::describe_values)]
#[non_exhaustive]
pub enum ReasonKind {
    /// It failed with an error.
    Failed,
    /// A policy blocked it.
    Vetoed,
    /// It was stopped.
    Aborted,
    /// It ended without reaching its goal.
    GoalNotAchieved,
    /// Nobody verified its result.
    Unverified,
}

impl ReasonKind {
    /// What became of the run, as the first words of a sentence.
    #[cfg(any(feature = "human", feature = "html"))]
    pub(crate) const fn sentence_start(self) -> &'static str {
        match self {
            Self::Failed => "Failed",
            Self::Vetoed => "Vetoed",
            Self::Aborted => "Aborted",
            Self::GoalNotAchieved => "Goal not achieved",
            Self::Unverified => "Not verified",
        }
    }
}

words!(ReasonKind {
    Failed = "failed",
    Vetoed = "vetoed",
    Aborted = "aborted",
    GoalNotAchieved = "goal_not_achieved",
    Unverified = "unverified",
});
