//! A timeline in outline, and why a run did not succeed, as plain data.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::reading::facts::Prefix;

/// A timeline in outline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// The episode's directory.
    pub(crate) dir: String,
    /// The number of events.
    pub(crate) events: u64,
    /// The number of events of each phase.
    pub(crate) phases: BTreeMap<String, u64>,
    /// The format of the log of which the run was made, if its first note says so.
    pub(crate) imported: Option<String>,
    /// The last projection event that has the digest of the timeline before it.
    pub(crate) anchor: Option<Prefix>,
    /// The events in their order. Of a long timeline, events that matter less are folded.
    pub(crate) rows: Vec<TimelineRow>,
    /// The errors of the first lines that are not events.
    pub(crate) broken: Vec<String>,
    /// The number of lines that are not events.
    pub(crate) broken_lines: u64,
    /// The reason why the timeline could not be read.
    pub(crate) fault: Option<String>,
    /// The event in which the run failed: the last one that failed and was not repeated with
    /// success.
    pub(crate) failure: Option<Reason>,
    /// The event that vetoed something: the last one that says so most clearly.
    pub(crate) veto: Option<Reason>,
    /// The last `terminate` event.
    pub(crate) end: Option<Reason>,
}

impl Outline {
    /// Returns up to which line the timeline is anchored, in words, if it has an anchor.
    pub(crate) fn anchored(&self) -> Option<String> {
        let anchor = self.anchor?;
        let line = anchor.line.number;
        Some(match (anchor.anchored_up_to(), anchor.actual) {
            (Some(last), _) => format!("anchored up to line {last}"),
            (None, Some(_)) => {
                format!("changed: the lines before line {line} are not those that it anchors")
            }
            (None, None) => format!("anchored on line {line}, and could not be read again"),
        })
    }
}

/// A row of a timeline in outline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TimelineRow<E = EventSummary, F = OmittedEvents> {
    /// One event.
    Event(E),
    /// Events that are left out.
    Folded(F),
}

impl<E, F> TimelineRow<E, F> {
    /// Returns the event, if it is one.
    pub(crate) const fn event(&self) -> Option<&E> {
        match self {
            Self::Event(event) => Some(event),
            Self::Folded(_) => None,
        }
    }
}

/// Events of a timeline that follow each other and are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OmittedEvents {
    /// The number of events.
    pub(crate) events: u64,
    /// Some of their phases, in alphabetical order.
    pub(crate) phases: Vec<Cow<'static, str>>,
}

/// One event in outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EventSummary {
    /// The line in `events.jsonl`.
    pub(crate) line: u64,
    /// Seconds since the first event; `None` where one of the two has no timestamp.
    pub(crate) offset_sec: Option<f64>,
    /// The phase.
    pub(crate) phase: String,
    /// The agent that emitted it.
    pub(crate) agent: String,
    /// A summary of the event, in one line.
    pub(crate) summary: String,
    /// The mark of an event in which something failed or was vetoed.
    pub(crate) mark: Option<Mark>,
}

/// A failure or a veto in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Something failed.
    Failed,
    /// Something was vetoed.
    Vetoed,
}

/// The reason why a run did not succeed, as far as its records say. Texts are bounded in length and
/// safe to print. Values that the records lack are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Reason {
    /// The result of the run.
    pub(crate) kind: ReasonKind,
    /// The id of the step in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["step-4"]))]
    pub(crate) step_id: Option<String>,
    /// The id of the action in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["act-4"]))]
    pub(crate) action_id: Option<String>,
    /// The policy or person that vetoed or stopped the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["policy:core.minimal@1.0.0"]))]
    pub(crate) by: Option<String>,
    /// The error, or the reason that was given, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["TimeoutError: tool did not answer in 30 s"]))]
    pub(crate) text: Option<String>,
    /// The last lines that the action in which it happened printed to standard error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["make: *** [Makefile:22: test] Error 1"]]))]
    pub(crate) stderr: Vec<String>,
    /// The name of the artifact that says so.
    #[schemars(extend("examples" = ["events.jsonl", "state.json"]))]
    pub(crate) file: String,
    /// The line in that artifact, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub(crate) line: Option<u64>,
    /// The time from the first event to this one, in seconds; below 0 where clocks disagree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset_sec: Option<f64>,
}

/// The result of a run that did not succeed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub(crate) enum ReasonKind {
    /// It failed with an error.
    #[default]
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
    /// Returns what became of the run, as the first words of a sentence.
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
