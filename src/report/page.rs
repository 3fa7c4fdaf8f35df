//! Data about runs -> a page for a browser: an overview, a list of runs, and a page for each run.
//! Plain data in, markup out.
//!
//! `File` puts all of it into one file that needs nothing else. A service can serve the same
//! parts one by one: `shell` around the `Overview`, `Row`s as JSON for the list, and a
//! [`RunSheet`] for each run.
//!
//! Texts of records are escaped twice: `escape` what acts on a reader, and `maud` what is
//! markup. No text of a record becomes a part of a style, of a script, or of a link to elsewhere.

mod answer;
mod badges;
mod calendar;
mod charts;
mod conversation;
mod details;
mod events;
mod file;
mod findings;
mod item;
mod overview;
mod panels;
mod plan;
mod records;
mod rules;
mod run;
mod scale;
mod served;
mod shell;
mod units;
mod waterfall;

use maud::{Markup, html};

use crate::ground::document::OwnedDocument;
use crate::ground::printable::{cut_after, escape};
use crate::reading::dashboard::{Dashboard, EventSummary, Rows, TimelineRow};
use crate::reading::outline::Density;
pub(crate) use file::{PageFile, Paged};
pub(crate) use item::RunItem;
pub(crate) use item::serialize as serialize_items;
pub(crate) use overview::{DaySums, RunSums};
pub(crate) use panels::overview;
pub(crate) use rules::rule;
pub(crate) use run::run_text;
pub(crate) use served::{CHANGES, LIVE, login, whole};
pub(crate) use shell::plain;
pub(crate) use shell::{SCRIPT, STYLE};
pub(crate) use waterfall::class_of_phase;

/// All that the page of one run shows.
///
/// Long parts are cut: lists have the rows that a [`Dashboard`] keeps, and of the timeline the
/// first and the last events are kept, and between them some that matter.
#[derive(Debug)]
pub(crate) struct RunSheet {
    /// Header, records in short, reason and verdict.
    pub(crate) dashboard: Dashboard,
    pub(crate) actions: Rows<ActionCell>,
    pub(crate) track: Vec<TrackItem>,
    /// The number of all events over time.
    pub(crate) density: Density,
    /// What the run and its models said to each other.
    pub(crate) messages: Vec<Message>,
    /// The number of messages that are not shown.
    pub(crate) more_messages: usize,
    /// The other records, or why they can't be shown.
    pub(crate) state: Result<OwnedDocument, String>,
    pub(crate) summary: Result<OwnedDocument, String>,
    pub(crate) manifest: Result<OwnedDocument, String>,
    pub(crate) learn: Result<Preview, String>,
    /// What became of the run since it was sealed, in words.
    pub(crate) seal: Option<String>,
}

/// An action of the state, with its event in the timeline.
#[derive(Debug, Default)]
pub(crate) struct ActionCell {
    pub(crate) id: String,
    pub(crate) step_id: String,
    pub(crate) tool: String,
    pub(crate) status: String,
    pub(crate) took_sec: Option<f64>,
    pub(crate) error: Option<String>,
    pub(crate) input: Option<Preview>,
    pub(crate) output: Option<Preview>,
    /// The line of its event.
    pub(crate) line: Option<u64>,
}

/// A message of a conversation.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) parts: Vec<MessagePart>,
    /// The line of the event that it was met in first.
    pub(crate) line: u64,
}

/// A part of a message.
#[derive(Debug)]
pub(crate) enum MessagePart {
    /// Words, in Markdown.
    Text(String),
    /// A call of a tool.
    Call { tool: String, input: String },
    /// What a tool gave.
    Result(String),
    /// The beginning of a value of which the record has the digest alone.
    Cut { excerpt: String, bytes: String },
    /// Content of another kind, as JSON.
    Other(String),
}

impl MessagePart {
    /// Returns the number of bytes of its text.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Result(text) | Self::Other(text) => text.len(),
            Self::Call { tool, input } => tool.len() + input.len(),
            Self::Cut { excerpt, .. } => excerpt.len(),
        }
    }

    /// Returns words as what a tool gave.
    pub(crate) fn into_result(self) -> Self {
        match self {
            Self::Text(text) => Self::Result(text),
            other => other,
        }
    }
}

/// The beginning of a value or a file: a text as it is, another value as JSON of several lines.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) text: String,
    /// The number of bytes behind it, at least.
    pub(crate) unshown: usize,
    /// All of it in one short line.
    pub(crate) line: String,
}

/// A part of a timeline: an event, or the number of events that are left out.
pub(crate) type TrackItem = TimelineRow<Box<TrackEvent>, u64>;

/// An event of a timeline, as a waterfall and a list of events show it.
#[derive(Debug)]
pub(crate) struct TrackEvent {
    pub(crate) row: EventSummary,
    /// The class of its mark where nothing failed or was vetoed in it.
    pub(crate) class: &'static str,
    /// Its start and end, in seconds since the first event, where it has both.
    pub(crate) span: Option<(f64, f64)>,
    pub(crate) body: EventBody,
}

/// The part of an event that a page shows.
#[derive(Debug)]
pub(crate) enum EventBody {
    Whole(OwnedDocument),
    /// The beginning and the end of a long one, as text.
    Ends {
        head: String,
        /// The number of bytes between them.
        between: usize,
        tail: String,
    },
}

/// Returns a note on what is not shown, if there is any.
fn unshown(number: usize, what: &str) -> Markup {
    html! {
        @if number > 0 { p.note { "and " (units::thousands(number as u64)) " " (what) } }
    }
}

/// Returns the beginning of a name of a record, escaped.
fn named(name: &str) -> String {
    escape(&cut_after(name, 80)).into_owned()
}
