//! The bytes of an event -> a note: the few fields that the timeline needs.

mod parts;
mod reader;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use reader::{EventReader, EventReading};

use super::event::{EventFacts, text};
use super::slips::{is_slip_of_projection, phase_begun};
use super::value::Value;
use crate::document::Kind;
use crate::record::StepStatus;
use crate::record::phases::PROJECTION;
use crate::timestamp::Timestamp;
use crate::words::Words as _;
use parts::{Field, Parts};
use reader::OwnPhases;

/// The fields of an event that the timeline needs: texts that are facts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EventNote<'a> {
    pub(crate) phase: Option<Cow<'a, str>>,
    pub(crate) event_type: Option<Cow<'a, str>>,
    pub(crate) episode_id: Option<Cow<'a, str>>,
    pub(crate) timestamp: Option<Cow<'a, str>>,
    /// Whether `payload.synthetic` is true: the runtime filled the event in.
    pub(crate) synthetic: bool,
    /// What an act event says about actions and steps.
    pub(crate) act: Option<ActNote<'a>>,
}

/// The fields of an act event that the timeline needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ActNote<'a> {
    /// The step whose status the event sets, and the status; `None` where the status is unknown.
    pub(crate) step: Option<(Cow<'a, str>, Option<StepStatus>)>,
    /// The step, if the event does not set its status.
    pub(crate) unset_step: Option<Cow<'a, str>>,
    /// The id of the action that mirrors the event, and the key that it is under.
    pub(crate) action_id: Option<Cow<'a, str>>,
    pub(crate) action_key: &'static str,
    /// Where the event has what an action mirrors; `None` where that is not known.
    pub(super) mirrored: Option<MirroredSpans>,
}

/// The fields that an action has from the payload of its act event, sorted by length.
pub(super) const MIRRORED: [&str; 5] =
    ["kind", "tool", "step_id", "input_excerpt", "result_status"];

/// Whether an action has a field from the payload of its act event.
pub(super) fn is_mirrored(name: &str) -> bool {
    MIRRORED.contains(&name) || is_extension(name)
}

/// Whether a field is one of a runtime's own, which an action mirrors too.
fn is_extension(name: &str) -> bool {
    name.starts_with("x-")
}

/// The bytes of the strings that an action mirrors of an event: those of its timestamp, and of each
/// field of [`MIRRORED`], quotes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MirroredSpans {
    pub(super) timestamp: Option<Span>,
    pub(super) fields: [Option<Span>; MIRRORED.len()],
}

impl MirroredSpans {
    /// Whether an action is written as the event is, so that nothing differs. Most actions are.
    pub(super) fn are_mirrored(&self, event: &[u8], action: Value<'_>) -> bool {
        let mut is_dated = false;
        let all_are = action.node().members().all(|key| {
            let span = if key.is("timestamp") {
                is_dated = self.timestamp.is_some();
                self.timestamp.as_ref()
            } else {
                let field = MIRRORED.iter().position(|name| key.is(name));
                field.and_then(|field| self.fields.get(field)?.as_ref())
            };
            let written = span.and_then(|span| event.get(bytes_of(span)));
            written.is_none_or(|written| written == key.value().raw().as_bytes())
        });
        all_are && is_dated
    }
}

/// A range of the bytes of an event. A note moves often, so it is kept small.
pub(super) type Span = Range<u32>;

pub(super) fn bytes_of(span: &Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

impl<'a> EventNote<'a> {
    /// The note of any event.
    pub(crate) fn of(event: &EventFacts<'a>) -> Self {
        let find = |field: Field| event.value.at(field.path());
        let is_synthetic =
            find(Field::Synthetic).is_some_and(|synthetic| synthetic.node().kind() == Kind::True);
        let sets_status = find(Field::StepStatus).is_some();
        Self::of_texts(|field| text(find(field)), is_synthetic, sets_status)
    }

    /// The note of an event with these texts, none of which violates the schema.
    #[inline]
    fn of_texts(
        text: impl Fn(Field) -> Option<Cow<'a, str>>,
        synthetic: bool,
        sets_status: bool,
    ) -> Self {
        let phase = text(Field::Phase);
        let is_act = phase.as_deref() == Some("act");
        Self {
            act: is_act.then(|| ActNote::of_texts(&text, sets_status)),
            phase,
            event_type: text(Field::EventType),
            episode_id: text(Field::EpisodeId),
            timestamp: text(Field::Timestamp),
            synthetic,
        }
    }

    /// Whether the timeline keeps anything of the event, apart from counting it; `expected_id` is
    /// the id of the run.
    pub(crate) fn matters(&self, expected_id: Option<&str>) -> bool {
        self.is_foreign(expected_id)
            || match self.phase.as_deref() {
                Some("start" | "plan") => true,
                Some("act") => self.act.as_ref().is_some_and(ActNote::matters),
                Some("runtime") => {
                    let of_projection = |it: &str| it == PROJECTION || is_slip_of_projection(it);
                    self.event_type.as_deref().is_some_and(of_projection)
                }
                Some(phase) => phase_begun(phase).is_some(),
                None => false,
            }
    }

    /// Whether the event belongs to another run than the expected one.
    pub(crate) fn is_foreign(&self, expected_id: Option<&str>) -> bool {
        matches!((expected_id, &self.episode_id), (Some(expected), Some(id)) if id != expected)
    }

    /// The note of an event, if it certainly satisfies its schema and has nothing misspelled.
    fn of_parts(parts: &Parts, text: &'a str, own: &mut OwnPhases) -> Option<Self> {
        if parts.has_escaped_keys || parts.get(Field::Payload)?.kind != Kind::Object {
            return None;
        }
        let text = |field| parts.string(text, field).ok().flatten();
        let sets_status = parts.get(Field::StepStatus).is_some();
        let mut note = Self::of_texts(text, parts.is_synthetic(), sets_status);
        let phase = note.phase.as_deref()?;
        if !note.timestamp.as_deref().is_some_and(Timestamp::is_valid)
            || !parts.are_strings(&[Field::AgentId, Field::EpisodeId, Field::EventType])
            || own.is_slip(phase)
            || parts.suspects.concern(phase, note.event_type.as_deref())
        {
            return None;
        }
        if let Some(act) = &mut note.act {
            let has_known_status = !sets_status || matches!(act.step, Some((_, Some(_))));
            if !has_known_status || !parts.are_strings(&[Field::StepId]) {
                return None;
            }
            act.mirrored = parts.mirrored();
        }
        Some(note)
    }
}

impl<'a> ActNote<'a> {
    fn matters(&self) -> bool {
        self.step.is_some() || self.unset_step.is_some() || self.action_id.is_some()
    }

    fn of_texts(text: impl Fn(Field) -> Option<Cow<'a, str>>, sets_status: bool) -> Self {
        let status = || text(Field::StepStatus).and_then(|word| StepStatus::of_word(&word));
        let step_id = text(Field::StepId);
        let action_id = text(Field::ActionId);
        let (step, unset_step) = if sets_status {
            (step_id.map(|step| (step, status())), None)
        } else {
            (None, step_id)
        };
        Self {
            step,
            unset_step,
            action_key: if action_id.is_some() {
                "action_id"
            } else {
                "id"
            },
            action_id: action_id.or_else(|| text(Field::Id)),
            mirrored: None,
        }
    }
}

#[cfg(test)]
mod tests;
