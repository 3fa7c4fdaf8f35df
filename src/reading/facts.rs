//! Documents -> facts: the values of the records that rules can rely on.
//!
//! A fact is a value that its schema allows. Any other value counts as absent: the schema rules
//! report it, and no other rule says more. One broken value never hides the facts beside it.

mod act;
mod as_of;
mod content;
mod event;
mod evidence;
mod lexicon;
mod listener;
mod mirror;
pub(crate) mod plan;
mod reach;
mod slots;
mod strict;
mod tally;
mod timeline;
mod typos;
mod value;

use std::borrow::Cow;
use std::marker::PhantomData;

pub(crate) use event::EventFacts;
pub(crate) use lexicon::{WordOwner, may_be_misspelled, phase_meant};
pub(crate) use listener::EventListener;
pub(crate) use mirror::Unlike;
pub(crate) use reach::{Reach, TimelineFacts, Topic};
pub(crate) use slots::{
    EVENT, InAction, InEvent, InState, InStep, InSummary, LISTED_STATE, STATE, SUMMARY, Slot,
    event_slot,
};
pub(crate) use strict::{
    MAX_EVENT_IDS, Prefix, RepeatedEventKey, Stamped, StartEvent, StrictFacts, Termination, Wanted,
};
pub(crate) use tally::Counted;
pub(crate) use timeline::{Timeline, TimelineReader};
pub(crate) use typos::{Typo, TypoLines, Typos, typo_for};
pub(crate) use value::{JsonText, NotAFact, RowItem, Stamp, Value, show};

use crate::ground::digest::FileDigest;
use crate::ground::document::{Kind, Number, Row};
use crate::ground::finding::{Lifecycle, SkipKind, SkipReason};
use crate::ground::source::{Artifact, Entries};

/// The facts of a record, whose slots are `S`.
#[derive(Clone, Copy)]
pub(crate) struct RecordFacts<'a, S> {
    of: JsonText<'a>,
    slots: PhantomData<S>,
}

/// The facts of a state.
pub(crate) type StateFacts<'a> = RecordFacts<'a, InState>;

/// The facts of a summary.
pub(crate) type SummaryFacts<'a> = RecordFacts<'a, InSummary>;

impl<'a, S: Slot> RecordFacts<'a, S> {
    pub(crate) fn new(of: JsonText<'a>) -> Self {
        let slots = PhantomData;
        Self { of, slots }
    }

    /// Returns the whole record.
    pub(crate) fn root(self) -> Value<'a> {
        self.of.root()
    }

    /// Returns a value, fact or not.
    #[inline]
    pub(crate) fn value(self, slot: S) -> Option<Value<'a>> {
        self.of.slot(Row::ROOT, slot)
    }

    /// Returns a fact.
    pub(crate) fn fact(self, slot: S) -> Option<Value<'a>> {
        self.value(slot)?.fact()
    }

    /// Returns a fact, if it is a text.
    pub(crate) fn text(self, slot: S) -> Option<Cow<'a, str>> {
        self.fact(slot)?.string()
    }

    /// Returns a fact, if it is a number.
    pub(crate) fn number(self, slot: S) -> Option<Number<'a>> {
        self.fact(slot)?.number()
    }

    /// Returns a fact, if it is an instant.
    pub(crate) fn stamp(self, slot: S) -> Option<Stamp<'a>> {
        Stamp::of(self.text(slot)?)
    }
}

impl<'a> StateFacts<'a> {
    pub(crate) fn started_at(self) -> Option<Stamp<'a>> {
        self.stamp(InState::StartedAt)
    }

    pub(crate) fn status(self) -> Option<Cow<'a, str>> {
        self.text(InState::Status)
    }

    /// Returns `outcomes`, if it is an object; its fields may be facts or not.
    pub(crate) fn outcomes(self) -> Option<Value<'a>> {
        self.value(InState::Outcomes)
            .filter(|outcomes| outcomes.kind() == Kind::Object)
    }

    /// Returns `links`; `Ok(None)` where the field is absent, an error where it is not what the
    /// schema allows.
    pub(crate) fn links(self) -> Result<Option<Value<'a>>, NotAFact> {
        match self.value(InState::Links) {
            None if self.root().kind() == Kind::Object => Ok(None),
            Some(links) if links.is_fact() => Ok(Some(links)),
            _ => Err(NotAFact),
        }
    }

    /// Returns the links to artifacts, facts or not.
    pub(crate) fn known_links(self) -> impl Iterator<Item = (&'static str, Option<Value<'a>>)> {
        [
            ("events", InState::LinkEvents),
            ("learn", InState::LinkLearn),
            ("summary", InState::LinkSummary),
            ("manifest", InState::LinkManifest),
        ]
        .into_iter()
        .map(move |(key, slot)| (key, self.value(slot)))
    }

    /// Returns the other links, facts or not.
    pub(crate) fn other_links(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        self.of.others(Row::ROOT)
    }

    /// Returns the SHA-256 of the record's bytes.
    pub(crate) fn sha256(self) -> FileDigest {
        FileDigest::of(self.of.text.as_bytes())
    }

    /// Returns `true` if `links` is an object that links none of the artifacts of a run that has
    /// ended. The keys count, whatever their values are.
    fn links_no_end(self) -> bool {
        let links = self.value(InState::Links);
        let mut ends = [InState::LinkSummary, InState::LinkManifest].into_iter();
        links.is_some_and(|links| links.kind() == Kind::Object)
            && !ends.any(|end| self.value(end).is_some())
    }

    /// Returns `plan.steps`, if it is an array; steps and their fields may be facts or not.
    pub(crate) fn steps(self) -> Option<impl ExactSizeIterator<Item = RowItem<'a>> + Clone> {
        let text = self.of;
        let is_array = self.value(InState::Steps)?.kind() == Kind::Array;
        is_array.then(|| {
            text.read
                .slots
                .rows(slots::STEPS)
                .map(move |row| RowItem::new(text, row))
        })
    }

    /// Returns the items of `outcomes.actions`.
    pub(crate) fn actions(self) -> impl ExactSizeIterator<Item = RowItem<'a>> + Clone {
        let text = self.of;
        text.read
            .slots
            .rows(slots::ACTIONS)
            .map(move |row| RowItem::new(text, row))
    }

    /// Returns `true` if `outcomes.actions` is an array, empty or not.
    pub(crate) fn lists_actions(self) -> bool {
        self.value(InState::Actions)
            .is_some_and(|actions| actions.kind() == Kind::Array)
    }
}

impl<'a> SummaryFacts<'a> {
    pub(crate) fn outcome(self) -> Option<Cow<'a, str>> {
        self.text(InSummary::Outcome)
    }

    /// Returns `true` if `metrics.success` is 1; `None` where it is not a number.
    pub(crate) fn success(self) -> Option<bool> {
        let success = self.number(InSummary::Success)?;
        Some(success.equals(Number::of("1")))
    }

    /// Returns `metrics.x-refused`, if it is a number above 0.
    pub(crate) fn refused(self) -> Option<Value<'a>> {
        self.fact(InSummary::Refused)
            .filter(|refused| refused.is_above_zero())
    }

    /// Returns `true` if `metrics.veto_count` is 0.
    pub(crate) fn no_vetoes(self) -> bool {
        self.number(InSummary::VetoCount)
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
    /// `true` if the learning timeline has any bytes; `None` where that can't be read, and where
    /// the summary has no learning proposals.
    pub(crate) has_learned: Option<bool>,
    /// The facts that the strict rules need of the timeline, if one of them is on.
    pub(crate) strict: Option<&'a StrictFacts>,
}

/// The identity and the lifecycle of a run.
pub(crate) struct Stage<'a> {
    pub(crate) entries: Entries,
    /// The episode's id, and its source.
    pub(crate) id: Option<(Cow<'a, str>, IdSource)>,
    pub(crate) lifecycle: Lifecycle,
}

/// The source of an episode's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdSource {
    DirectoryName,
    State,
    Summary,
}

/// Returns the id of an episode and its source: its directory, else its state, else its summary.
pub(crate) fn id<'a>(
    directory_id: Option<&'a str>,
    state: Option<StateFacts<'a>>,
    summary: Option<SummaryFacts<'a>>,
) -> Option<(Cow<'a, str>, IdSource)> {
    directory_id
        .map(|id| (id.into(), IdSource::DirectoryName))
        .or_else(|| Some((state?.text(InState::Id)?, IdSource::State)))
        .or_else(|| Some((summary?.text(InSummary::Id)?, IdSource::Summary)))
}

/// Returns `true` if a text occurs more than once.
pub(crate) fn repeats<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> bool {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable();
    texts
        .windows(2)
        .any(|pair| pair.first() == pair.last())
}

/// Returns the lifecycle of a run, from its status, from what it links, and from the artifacts that
/// exist.
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

/// The reason why a rule about the lifecycle can't be checked.
pub(crate) const UNKNOWN_LIFECYCLE: SkipReason = SkipReason::new(
    SkipKind::Lifecycle,
    "the records do not say whether the run has ended",
);

/// The reason why a rule can't be checked against a timeline that does not date the snapshot.
pub(crate) const UNKNOWN_REACH: SkipReason = SkipReason::new(
    SkipKind::Unreached,
    "the run may not have ended, and no projection event dates its snapshot",
);
