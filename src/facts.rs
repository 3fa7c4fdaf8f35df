//! Documents -> facts: the values of the records that rules can rely on.
//!
//! A fact is a value that its schema allows. Any other value counts as absent: the schema rules
//! report it, and no other rule says more. One broken value never hides the facts beside it.

mod act;
mod as_of;
mod event;
mod evidence;
mod listener;
mod mirror;
mod note;
pub(crate) mod plan;
mod reach;
mod slips;
mod strict;
mod tally;
mod timeline;
mod value;

use std::borrow::Cow;
use std::ops::Deref;

pub(crate) use event::EventFacts;
pub(crate) use listener::Listener;
pub(crate) use mirror::{Unlike, Why};
pub(crate) use note::{EventNote, EventReader, EventReading};
pub(crate) use reach::{KeptBuffers, Reach, TimelineFacts, Topic};
pub(crate) use slips::{Slip, SlipLines, Slips, Within, phase_meant, slip_of_event};
pub(crate) use strict::{Ending, MAX_EVENT_IDS, Stamped, StartEvent, StrictFacts};
pub(crate) use tally::{Counted, EventTally};
pub(crate) use timeline::{Timeline, TimelineReader};
pub(crate) use value::{NotAFact, Stamp, Value, show};

use crate::digest::FileDigest;
use crate::document::{Kind, Number};
use crate::finding::{Lifecycle, SkipKind, SkipReason};
use crate::source::{Artifact, Entries};

/// What a state record says.
#[derive(Clone, Copy)]
pub(crate) struct StateFacts<'a> {
    root: Value<'a>,
    /// The tokens of `outcomes`, `outcomes.actions` and `plan.steps`, for which rules ask often.
    outcomes: Option<u32>,
    actions: Option<u32>,
    steps: Option<u32>,
}

/// A record is its root value, with names for the fields that many rules use.
impl<'a> Deref for StateFacts<'a> {
    type Target = Value<'a>;

    fn deref(&self) -> &Value<'a> {
        &self.root
    }
}

impl<'a> StateFacts<'a> {
    pub(crate) fn new(root: Value<'a>) -> Self {
        let token = |value: Option<Value<'a>>| value.map(|value| value.node().index());
        let outcomes = root.get("outcomes");
        Self {
            root,
            outcomes: token(outcomes),
            actions: token(outcomes.and_then(|outcomes| outcomes.get("actions"))),
            steps: token(root.at(&["plan", "steps"])),
        }
    }

    /// The value at a token of the record.
    fn value(self, token: Option<u32>) -> Option<Value<'a>> {
        Some(self.root.at_index(token?))
    }

    pub(crate) fn id(self) -> Option<Cow<'a, str>> {
        self.text(&["episode", "id"])
    }

    pub(crate) fn started_at(self) -> Option<Stamp<'a>> {
        self.stamp(&["episode", "started_at"])
    }

    pub(crate) fn task(self) -> Option<Cow<'a, str>> {
        self.text(&["goal", "task"])
    }

    pub(crate) fn status(self) -> Option<Cow<'a, str>> {
        self.value(self.outcomes)?.text(&["status"])
    }

    /// `outcomes`, if it is an object; its fields may be facts or not.
    pub(crate) fn outcomes(self) -> Option<Value<'a>> {
        self.value(self.outcomes)
            .filter(|outcomes| outcomes.node().kind() == Kind::Object)
    }

    /// `links`: `Ok(None)` where the field is absent, an error where it is not what the schema
    /// allows.
    pub(crate) fn links(self) -> Result<Option<Value<'a>>, NotAFact> {
        match self.get("links") {
            None if self.node().kind() == Kind::Object => Ok(None),
            Some(links) if links.is_fact() => Ok(Some(links)),
            _ => Err(NotAFact),
        }
    }

    /// The SHA-256 of the record's bytes.
    pub(crate) fn sha256(self) -> FileDigest {
        FileDigest::of(self.node().document().text().as_bytes())
    }

    /// Whether `links` is an object that links none of the artifacts of a run that has ended. The
    /// keys count, whatever their values are.
    fn links_no_end(self) -> bool {
        let ends = [Artifact::Summary, Artifact::Manifest];
        self.get("links").is_some_and(|links| {
            links.node().kind() == Kind::Object
                && !links
                    .members()
                    .any(|(key, _)| ends.into_iter().any(|end| end.link_key() == Some(&*key)))
        })
    }

    /// `plan.steps`, if it is an array; steps and their fields may be facts or not.
    pub(crate) fn steps(self) -> Option<impl Iterator<Item = Value<'a>> + Clone> {
        let steps = self.value(self.steps)?;
        (steps.node().kind() == Kind::Array).then(|| steps.items())
    }

    /// The items of `outcomes.actions`.
    pub(crate) fn actions(self) -> impl Iterator<Item = Value<'a>> + Clone {
        let actions = self.value(self.actions);
        actions.into_iter().flat_map(Value::items)
    }

    /// Whether `outcomes.actions` is an array, empty or not.
    pub(crate) fn lists_actions(self) -> bool {
        self.value(self.actions)
            .is_some_and(|actions| actions.node().kind() == Kind::Array)
    }
}

/// What a summary record says.
#[derive(Clone, Copy)]
pub(crate) struct SummaryFacts<'a> {
    root: Value<'a>,
    /// The token of `metrics`, for which rules ask often.
    metrics: Option<u32>,
}

/// Like [`StateFacts`].
impl<'a> Deref for SummaryFacts<'a> {
    type Target = Value<'a>;

    fn deref(&self) -> &Value<'a> {
        &self.root
    }
}

impl<'a> SummaryFacts<'a> {
    pub(crate) fn new(root: Value<'a>) -> Self {
        let metrics = root.get("metrics").map(|metrics| metrics.node().index());
        Self { root, metrics }
    }

    fn metrics(self) -> Option<Value<'a>> {
        Some(self.root.at_index(self.metrics?))
    }

    /// A number in `metrics`.
    pub(crate) fn metric(self, name: &str) -> Option<Number<'a>> {
        self.metrics()?.number(&[name])
    }

    /// `metrics.latencies`, fact or not.
    pub(crate) fn latencies(self) -> Option<Value<'a>> {
        self.metrics()?.get("latencies")
    }

    /// A number in `flags.direction`.
    pub(crate) fn direction(self, name: &str) -> Option<Number<'a>> {
        self.number(&["flags", "direction", name])
    }

    pub(crate) fn id(self) -> Option<Cow<'a, str>> {
        self.text(&["episode_id"])
    }

    pub(crate) fn outcome(self) -> Option<Cow<'a, str>> {
        self.text(&["outcome"])
    }

    /// `metrics.success`: whether it is 1.
    pub(crate) fn success(self) -> Option<bool> {
        let success = self.metric("success")?;
        Some(success.equals(Number::of("1")))
    }

    /// `metrics.learn_proposals`: the number of learning proposals.
    pub(crate) fn learn_proposals(self) -> Option<Number<'a>> {
        self.metric("learn_proposals")
    }

    /// Whether `metrics.veto_count` is 0.
    pub(crate) fn no_vetoes(self) -> bool {
        self.metric("veto_count")
            .is_some_and(|count| count.equals(Number::of("0")))
    }
}

/// A record, or why rules can't use it.
#[derive(Clone)]
pub(crate) enum Usable<T> {
    /// It was read.
    Read(T),
    /// It is missing, which is fine at this stage of the run.
    NotDue,
    /// Rules can't use it, for a reason.
    Unjudged(SkipReason),
}

impl<T> Usable<T> {
    pub(crate) fn unjudged(kind: SkipKind, reason: &'static str) -> Self {
        Self::Unjudged(SkipReason::new(kind, reason))
    }

    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Usable<U> {
        match self {
            Self::Read(record) => Usable::Read(f(record)),
            Self::NotDue => Usable::NotDue,
            Self::Unjudged(reason) => Usable::Unjudged(reason),
        }
    }
}

impl<T> Usable<T> {
    pub(crate) fn as_ref(&self) -> Usable<&T> {
        match self {
            Self::Read(record) => Usable::Read(record),
            Self::NotDue => Usable::NotDue,
            Self::Unjudged(reason) => Usable::Unjudged(reason.clone()),
        }
    }
}

impl<T: Copy> Usable<T> {
    pub(crate) fn read(&self) -> Option<T> {
        match self {
            Self::Read(record) => Some(*record),
            _ => None,
        }
    }
}

/// All that is known of one run.
pub(crate) struct Run<'a> {
    pub(crate) stage: Stage<'a>,
    pub(crate) state: Usable<StateFacts<'a>>,
    pub(crate) summary: Usable<SummaryFacts<'a>>,
    pub(crate) timeline: Usable<&'a TimelineFacts<'a>>,
    /// Whether the learning timeline has any bytes; `None` where that can't be read, and where the
    /// summary has no learning proposals.
    pub(crate) has_learned: Option<bool>,
    /// What the strict rules need to know of the timeline, if one of them is on.
    pub(crate) strict: Option<&'a StrictFacts>,
}

/// The identity and the lifecycle of a run.
pub(crate) struct Stage<'a> {
    pub(crate) entries: Entries,
    /// The episode's id, and its source.
    pub(crate) id: Option<(Cow<'a, str>, IdSource)>,
    pub(crate) lifecycle: Lifecycle,
}

/// What names an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdSource {
    DirectoryName,
    State,
    Summary,
}

/// The id of an episode and its source: its directory, else its state, else its summary.
pub(crate) fn id<'a>(
    directory_id: Option<&'a str>,
    state: Option<StateFacts<'a>>,
    summary: Option<SummaryFacts<'a>>,
) -> Option<(Cow<'a, str>, IdSource)> {
    directory_id
        .map(|id| (id.into(), IdSource::DirectoryName))
        .or_else(|| Some((state?.id()?, IdSource::State)))
        .or_else(|| Some((summary?.id()?, IdSource::Summary)))
}

/// Whether a text occurs more than once.
pub(crate) fn repeats<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> bool {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable();
    texts.windows(2).any(|pair| pair.first() == pair.last())
}

/// The lifecycle of a run, from its status, from what it links, and from the artifacts that exist.
pub(crate) fn lifecycle(state: Option<StateFacts<'_>>, entries: Entries) -> Lifecycle {
    let has_ended = || entries.has(Artifact::Summary) || entries.has(Artifact::Manifest);
    let status = state.and_then(StateFacts::status);
    match status.as_deref() {
        Some("pending") => Lifecycle::NonTerminal,
        // Runtimes persist a pause as a partial outcome.
        Some("partial") if !has_ended() && state.is_some_and(StateFacts::links_no_end) => {
            Lifecycle::NonTerminal
        }
        Some(_) => Lifecycle::Terminal,
        // A run may just have begun.
        None if !has_ended() && !entries.has(Artifact::State) => Lifecycle::NonTerminal,
        None => Lifecycle::Unknown,
    }
}

/// Why a rule about the lifecycle can't be checked.
pub(crate) const UNKNOWN_LIFECYCLE: SkipReason = SkipReason::new(
    SkipKind::Lifecycle,
    "the records do not say whether the run has ended",
);

/// Why a rule can't be checked against a timeline that does not date the snapshot.
pub(crate) const UNKNOWN_REACH: SkipReason = SkipReason::new(
    SkipKind::Unreached,
    "the run may not have ended, and no projection event dates its snapshot",
);
