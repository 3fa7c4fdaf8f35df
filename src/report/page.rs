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
    /// `true` if its event has the same input and output, from which they are drawn when somebody
    /// opens them.
    pub(crate) is_in_event: bool,
}

/// Where the content of the events of a page is until somebody opens one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// In the page, as JSON.
    InPage,
    /// At the service, which is asked.
    AtService,
}

/// A message of a conversation.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) role: String,
    /// The agent of its event.
    pub(crate) agent: String,
    pub(crate) parts: Vec<MessagePart>,
    /// The line of the event that it was met in first.
    pub(crate) line: u64,
    /// The seconds from the first event to that one.
    pub(crate) offset_sec: Option<f64>,
    /// The call of a model that it answers.
    pub(crate) call: Option<ModelCall>,
}

/// A call of a model: what it took, with numbers as they are written.
#[derive(Debug)]
pub(crate) struct ModelCall {
    pub(crate) model: Option<String>,
    pub(crate) tokens_in: Option<String>,
    pub(crate) tokens_out: Option<String>,
    pub(crate) cost_usd: Option<String>,
    pub(crate) took_sec: Option<f64>,
    /// The action whose conversation it continues.
    pub(crate) from: Option<String>,
    /// The number of messages that its event has.
    pub(crate) saw: usize,
}

/// A part of a message.
#[derive(Debug)]
pub(crate) enum MessagePart {
    /// Words, in Markdown.
    Text(String),
    /// Words that a model did not say.
    Thought(String),
    Call(ToolCall),
    /// The result of a call that is not known.
    Result(ToolResult),
    /// A picture in base64, or the name of the attached file.
    Picture(String),
    /// The beginning of a value of which the record has the digest alone, and the name of the file
    /// that has all of it.
    Cut {
        excerpt: String,
        bytes: String,
        attachment: Option<String>,
    },
    /// Content of another kind, as JSON.
    Other(String),
}

/// A call of a tool in a message.
#[derive(Debug)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) result: Option<ToolResult>,
}

/// What a tool gave.
#[derive(Debug, Default)]
pub(crate) struct ToolResult {
    /// The id of its call.
    pub(crate) id: String,
    pub(crate) parts: Vec<MessagePart>,
    pub(crate) failed: bool,
    /// The line of the event that has it, where that is another one than that of its call.
    pub(crate) line: u64,
}

impl MessagePart {
    /// Returns the number of bytes of its text; pictures have room of their own.
    pub(crate) fn bytes(&self) -> usize {
        let of_result = |result: &ToolResult| {
            result
                .parts
                .iter()
                .map(Self::bytes)
                .sum::<usize>()
        };

        match self {
            Self::Text(text) | Self::Thought(text) | Self::Other(text) => text.len(),
            Self::Call(call) => {
                call.tool.len()
                    + call.input.len()
                    + call
                        .result
                        .as_ref()
                        .map_or(0, of_result)
            }
            Self::Result(result) => of_result(result),
            Self::Picture(_) => 0,
            Self::Cut { excerpt, .. } => excerpt.len(),
        }
    }
}

/// The beginning of a value or a file: a text as it is, another value as JSON of several lines.
#[derive(Debug, PartialEq, Eq)]
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
    /// Its start and end, where it has both.
    pub(crate) span: Option<TimeSpan>,
    pub(crate) body: EventBody,
}

/// A length of time, by its start and its end in seconds since the first event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeSpan {
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl TimeSpan {
    pub(crate) fn seconds(self) -> f64 {
        self.end - self.start
    }
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
