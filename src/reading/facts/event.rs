//! One event of the timeline -> what rules need to know of it.

use std::borrow::Cow;

use super::lexicon::{is_typo_of_projection, phase_begun};
use super::slots::{InEvent, RECORDS, Slot};
use super::value::{JsonText, RowItem, Stamp, Value};
use crate::ground::digest::FileDigest;
use crate::ground::document::{Document, Kind, Node, ReadText, Row};
use crate::ground::record::StepStatus;
use crate::ground::record::phases::{KnownPhase, PROJECTION};
use crate::ground::source::Line;
use crate::ground::words::Words as _;

/// The key of a terminate event, and of the metrics of a summary, that counts what was to be
/// recorded and is not in the run.
const REFUSED: &str = "x-refused";

/// One event: its fields, facts or not.
#[derive(Clone, Copy)]
pub(crate) struct EventFacts<'a> {
    pub(crate) line: Line,
    of: JsonText<'a>,
    /// The phase, if it is one that runtimes are known to write: it is asked for often.
    pub(super) known_phase: Option<KnownPhase>,
}

/// The facts of an act event about a step and an action.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::reading) struct ActFacts<'a> {
    pub(in crate::reading) step_id: Option<Cow<'a, str>>,
    pub(in crate::reading) sets_status: bool,
    /// The status that the event sets; `None` where it is unknown, too.
    pub(in crate::reading) status: Option<StepStatus>,
    /// The id of the action that mirrors the event, and the key that it is under.
    pub(in crate::reading) action_id: Option<Cow<'a, str>>,
    pub(in crate::reading) action_key: &'static str,
}

impl<'a> EventFacts<'a> {
    pub(crate) fn new(line: Line, of: JsonText<'a>) -> Self {
        let phase = of
            .slot(Row::ROOT, InEvent::Phase)
            .and_then(|phase| phase.fact()?.string());
        Self {
            line,
            of,
            known_phase: phase
                .as_deref()
                .and_then(KnownPhase::of_word),
        }
    }

    /// Returns the event as it is written.
    pub(crate) fn written(self) -> &'a str {
        self.of.text
    }

    /// Returns the whole event.
    pub(crate) fn root(self) -> Value<'a> {
        self.of.root()
    }

    /// Returns the whole event on its tape, which is made when it is first asked for.
    pub(crate) fn node(self) -> Option<Node<'a>> {
        self.of.document().map(Document::root)
    }

    /// Returns a value, fact or not.
    #[inline]
    pub(crate) fn value(self, slot: impl Slot) -> Option<Value<'a>> {
        self.of.slot(Row::ROOT, slot)
    }

    /// Returns a fact, if it is a text.
    #[inline]
    pub(crate) fn text(self, slot: InEvent) -> Option<Cow<'a, str>> {
        self.value(slot)?.fact()?.string()
    }

    /// Returns the phase, if it is a fact.
    #[inline]
    pub(crate) fn phase(self) -> Option<Cow<'a, str>> {
        match self.known_phase {
            Some(known) => Some(Cow::Borrowed(known.word())),
            None => self.text(InEvent::Phase),
        }
    }

    /// Returns `true` if the phase is one that runtimes are known to write.
    pub(crate) fn has_known_phase(self) -> bool {
        self.known_phase.is_some()
    }

    /// Returns the payload, if it is an object.
    pub(crate) fn payload(self) -> Option<Value<'a>> {
        self.value(InEvent::Payload)
            .filter(|payload| payload.kind() == Kind::Object)
    }

    pub(in crate::reading) fn timestamp(self) -> Option<Stamp<'a>> {
        Stamp::of(self.text(InEvent::Timestamp)?)
    }

    /// Returns the digest of the state that was written with the event, if it has one.
    pub(crate) fn state_sha256(self) -> Option<FileDigest> {
        FileDigest::parse(
            &self
                .value(InEvent::StateSha256)?
                .string()?,
        )
    }

    /// Returns the digest of the timeline before the event, if it has one.
    pub(super) fn prefix_sha256(self) -> Option<FileDigest> {
        FileDigest::parse(
            &self
                .value(InEvent::PrefixSha256)?
                .string()?,
        )
    }

    /// Returns `true` if it is the evidence of a persisted state.
    pub(super) fn is_projection(self) -> bool {
        self.known_phase == Some(KnownPhase::Runtime)
            && self.text(InEvent::EventType).as_deref() == Some(PROJECTION)
    }

    /// Returns how many acts and notes a terminate event says are lost, if it is a number above 0.
    pub(super) fn refused(self) -> Option<Value<'a>> {
        let refused = self
            .extensions()
            .filter(|(name, _)| name == REFUSED);
        let (_, refused) = refused.last()?;
        Some(refused).filter(|refused| refused.is_above_zero())
    }

    /// Returns the document, whose tape is made when it is first asked for.
    pub(super) fn document(self) -> Option<Document<'a>> {
        self.of.document()
    }

    /// Returns the step records of a plan event.
    pub(in crate::reading) fn records(self) -> impl ExactSizeIterator<Item = RowItem<'a>> + Clone {
        let of = self.of;
        of.read
            .slots
            .rows(RECORDS)
            .map(move |row| RowItem::new(of, row))
    }

    /// Returns the keys of a runtime's own in the payload, each with its value.
    pub(super) fn extensions(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        self.of.others(Row::ROOT)
    }

    /// Returns `true` if the runtime filled the event in: nothing happened.
    pub(in crate::reading) fn is_synthetic(self) -> bool {
        self.value(InEvent::Synthetic)
            .is_some_and(|synthetic| synthetic.kind() == Kind::True)
    }

    /// Returns the value of a key of a runtime's own in the payload, if no key repeats.
    pub(crate) fn extension(self, key: &str) -> Option<Value<'a>> {
        let mut extensions = self.extensions();
        extensions
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Returns what the event says about a step and an action, if it is an act event.
    pub(in crate::reading) fn act(self) -> Option<ActFacts<'a>> {
        if self.known_phase != Some(KnownPhase::Act) {
            return None;
        }

        let status = || StepStatus::of_word(&self.text(InEvent::StepStatus)?);
        let action_id = self.text(InEvent::ActionId);
        Some(ActFacts {
            step_id: self.text(InEvent::StepId),
            sets_status: self
                .value(InEvent::StepStatus)
                .is_some(),
            status: status(),
            action_key: if action_id.is_some() {
                "action_id"
            } else {
                "id"
            },
            action_id: action_id.or_else(|| self.text(InEvent::Id)),
        })
    }

    /// Returns `true` if the timeline keeps anything of an event of its own run.
    pub(super) fn matters_by_phase(self) -> bool {
        match self.known_phase {
            Some(KnownPhase::Start | KnownPhase::Plan | KnownPhase::Terminate) => true,
            Some(KnownPhase::Act) => [InEvent::StepId, InEvent::ActionId, InEvent::Id]
                .into_iter()
                .any(|slot| self.value(slot).is_some()),
            Some(KnownPhase::Runtime) => {
                let of_projection = |it: &str| it == PROJECTION || is_typo_of_projection(it);
                self.text(InEvent::EventType)
                    .is_some_and(|it| of_projection(&it))
            }
            Some(_) => false,
            None => self
                .phase()
                .is_some_and(|phase| phase_begun(&phase).is_some()),
        }
    }

    /// Returns the id of the run that the event belongs to, if that is not the expected one.
    pub(super) fn foreign_id(self, expected_id: Option<&str>) -> Option<Cow<'a, str>> {
        let id = self.text(InEvent::EpisodeId)?;
        (id != expected_id?).then_some(id)
    }
}

/// An event that is needed again after all events are read.
pub(crate) struct KeptEvent {
    pub(crate) line: Line,
    text: String,
    read: ReadText,
}

impl KeptEvent {
    pub(super) fn new(event: EventFacts<'_>) -> Self {
        Self {
            line: event.line,
            text: event.of.text.to_owned(),
            read: ReadText::of(event.of.read.slots.clone()),
        }
    }

    /// Returns the bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.read.slots.bytes()
    }

    /// Returns the event. Violations are reported already; rules compare only fields of kept events
    /// that the schema does not restrict.
    pub(in crate::reading) fn facts(&self) -> EventFacts<'_> {
        let of = JsonText {
            text: &self.text,
            read: &self.read,
            refused: &[],
        };

        EventFacts::new(self.line, of)
    }
}
