//! What the records of a run say, as far as it can be believed: documents -> facts.
//!
//! A fact is a value that its schema allows. Everything else is as good as not there: the schema
//! rules have spoken about it, and no other rule says more. One broken value never hides the facts
//! beside it.

mod note;
pub(crate) mod plan;
mod timeline;

use std::borrow::Cow;

use note::{ActNote, MIRRORED};
pub(crate) use note::{EventNote, NoteTaker};
pub(crate) use timeline::{Difference, EventFacts, Stamp, Timeline, TimelineReader, show};

use crate::document::{Document, Kind, Node, Number};
use crate::finding::Lifecycle;
use crate::schema::Violation;
use crate::source::Artifact;
use crate::source::Entries;
use crate::timestamp::Timestamp;

/// A value of a record, together with what is wrong in that record.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    node: Node<'a>,
    /// The tokens that violate the schema, ascending.
    violations: &'a [Violation],
}

impl<'a> Value<'a> {
    pub(crate) fn root(document: Document<'a>, violations: &'a [Violation]) -> Self {
        Self {
            node: document.root(),
            violations,
        }
    }

    /// The value itself, fact or not.
    pub(crate) fn node(self) -> Node<'a> {
        self.node
    }

    /// Whether nothing in the value violates its schema.
    pub(crate) fn is_fact(self) -> bool {
        if self.violations.is_empty() {
            return true;
        }
        let first = self
            .violations
            .partition_point(|violation| violation.token < self.node.index());
        self.violations
            .get(first)
            .is_none_or(|violation| violation.token >= self.node.end_index())
    }

    /// The value under a key, fact or not.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        Some(self.with(self.node.get(key)?))
    }

    /// The value at the end of a path of keys, fact or not.
    pub(crate) fn at(self, path: &[&str]) -> Option<Self> {
        Some(self.with(self.node.at(path)?))
    }

    /// The fact at the end of a path of keys.
    pub(crate) fn fact(self, path: &[&str]) -> Option<Self> {
        self.at(path).filter(|value| value.is_fact())
    }

    /// The fact at the end of a path, if it is a text.
    pub(crate) fn text(self, path: &[&str]) -> Option<Cow<'a, str>> {
        self.fact(path)?.node.text()
    }

    /// The fact at the end of a path, if it is a number.
    pub(crate) fn number(self, path: &[&str]) -> Option<Number<'a>> {
        self.fact(path)?.node.number()
    }

    /// The fact at the end of a path, if it is an instant.
    pub(crate) fn stamp(self, path: &[&str]) -> Option<Stamp<'a>> {
        Stamp::of(self.text(path)?)
    }

    /// The items of an array, facts or not.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> {
        self.node.items().map(move |item| self.with(item))
    }

    /// The members of an object, facts or not.
    pub(crate) fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        self.node
            .members()
            .map(move |key| (key.name(), self.with(key.value())))
    }

    fn with(self, node: Node<'a>) -> Self {
        Self {
            node,
            violations: self.violations,
        }
    }
}

/// What a state record says.
#[derive(Clone, Copy)]
pub(crate) struct StateFacts<'a>(pub(crate) Value<'a>);

impl<'a> StateFacts<'a> {
    pub(crate) fn id(self) -> Option<Cow<'a, str>> {
        self.0.text(&["episode", "id"])
    }

    pub(crate) fn started_at(self) -> Option<Stamp<'a>> {
        self.0.stamp(&["episode", "started_at"])
    }

    pub(crate) fn task(self) -> Option<Cow<'a, str>> {
        self.0.text(&["goal", "task"])
    }

    pub(crate) fn status(self) -> Option<Cow<'a, str>> {
        self.0.text(&["outcomes", "status"])
    }

    /// `outcomes`, if it is an object; its fields may be facts or not.
    pub(crate) fn outcomes(self) -> Option<Value<'a>> {
        self.0
            .get("outcomes")
            .filter(|outcomes| outcomes.node.kind() == Kind::Object)
    }

    /// `links`: `Ok(None)` where the field is absent, an error where it is not what the schema
    /// allows.
    pub(crate) fn links(self) -> Result<Option<Value<'a>>, NotAFact> {
        match self.0.get("links") {
            None if self.0.node.kind() == Kind::Object => Ok(None),
            Some(links) if links.is_fact() => Ok(Some(links)),
            _ => Err(NotAFact),
        }
    }

    /// `plan.steps`, if it is an array; steps and their fields may be facts or not.
    pub(crate) fn steps(self) -> Option<Vec<Value<'a>>> {
        let steps = self.0.at(&["plan", "steps"])?;
        (steps.node.kind() == Kind::Array).then(|| steps.items().collect())
    }

    /// The items of `outcomes.actions`.
    pub(crate) fn actions(self) -> impl Iterator<Item = Value<'a>> {
        self.0
            .at(&["outcomes", "actions"])
            .into_iter()
            .flat_map(Value::items)
    }
}

/// A value is there, and its schema does not allow it.
#[derive(Debug)]
pub(crate) struct NotAFact;

/// What a summary record says.
#[derive(Clone, Copy)]
pub(crate) struct SummaryFacts<'a>(pub(crate) Value<'a>);

impl<'a> SummaryFacts<'a> {
    pub(crate) fn id(self) -> Option<Cow<'a, str>> {
        self.0.text(&["episode_id"])
    }

    pub(crate) fn outcome(self) -> Option<Cow<'a, str>> {
        self.0.text(&["outcome"])
    }

    /// `metrics.success`: whether it is 1.
    pub(crate) fn success(self) -> Option<bool> {
        Some(
            self.0
                .number(&["metrics", "success"])?
                .equals(Number::of("1")),
        )
    }

    /// Whether `metrics.veto_count` is 0.
    pub(crate) fn no_vetoes(self) -> bool {
        self.0
            .number(&["metrics", "veto_count"])
            .is_some_and(|count| count.equals(Number::of("0")))
    }
}

/// A record, or why there is none to judge by.
pub(crate) enum Recorded<T> {
    /// It was read.
    Read(T),
    /// It is not there, and need not be yet.
    NotDue,
    /// It can't be judged by, for a reason.
    Unjudged(&'static str),
}

impl<T: Copy> Recorded<T> {
    pub(crate) fn read(&self) -> Option<T> {
        match self {
            Self::Read(record) => Some(*record),
            _ => None,
        }
    }
}

/// All that is known of one run.
pub(crate) struct Run<'a> {
    pub(crate) entries: Entries,
    /// The episode's id, and what says so.
    pub(crate) id: Option<(Cow<'a, str>, IdSource)>,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) state: Recorded<StateFacts<'a>>,
    pub(crate) summary: Recorded<SummaryFacts<'a>>,
    pub(crate) timeline: Recorded<&'a Timeline>,
    /// The latest projection event of the timeline.
    pub(crate) projection: Option<EventFacts<'a>>,
    /// The latest plan event within reach.
    pub(crate) plan: Option<plan::Rebuilt<'a>>,
}

/// What names an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdSource {
    DirectoryName,
    State,
    Summary,
}

impl IdSource {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::DirectoryName => "the directory is called",
            Self::State => "state.json says",
            Self::Summary => "summary.json says",
        }
    }
}

/// Why nothing can be judged by a timeline whose reach is not known, see [`Run::reach`].
pub(crate) const UNKNOWN_REACH: &str = "no projection event tells how old the snapshot of this run is, which has not ended for certain";

impl Run<'_> {
    /// The last line of the timeline by which plan and actions are judged: a snapshot of a run that
    /// goes on, or may go on, is as old as its latest projection event. `None` where there is none
    /// yet.
    pub(crate) fn reach(&self) -> Option<u64> {
        match (self.lifecycle, &self.timeline) {
            (Lifecycle::NonTerminal | Lifecycle::Unknown, Recorded::Read(timeline)) => {
                timeline.projection_line()
            }
            _ => Some(u64::MAX),
        }
    }
}

/// Where a run stands in its life, from its status or, where that can't be read, from what is
/// there.
pub(crate) fn lifecycle(status: Option<&str>, entries: Entries) -> Lifecycle {
    let none_of =
        |artifacts: [Artifact; 3]| !artifacts.into_iter().any(|artifact| entries.has(artifact));
    match status {
        Some("pending") => Lifecycle::NonTerminal,
        Some(_) => Lifecycle::Terminal,
        None if none_of([Artifact::State, Artifact::Summary, Artifact::Manifest]) => {
            Lifecycle::NonTerminal
        }
        None => Lifecycle::Unknown,
    }
}

impl<'a> Stamp<'a> {
    pub(crate) fn of(text: Cow<'a, str>) -> Option<Self> {
        Some(Self {
            instant: Timestamp::parse(&text)?,
            text,
        })
    }
}
