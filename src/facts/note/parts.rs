//! The members of an event, as the parser meets them -> those that are noted.

use std::borrow::Cow;
use std::ops::Range;

use super::{MIRRORED, MirroredSpans, is_extension};
use crate::document::{Kind, Sink, unquoted};
use crate::facts::slips::Suspects;
use crate::facts::value::NotAFact;

/// The flags of a skeleton whose payload has `synthetic` as true, of one whose payload has an
/// `error` that is more than a text, and of one of which an action mirrors more than strings of
/// known keys; the others are [`Suspects`].
const SYNTHETIC: u8 = 1 << 7;
const ERROR: u8 = 1 << 6;
const MIRRORS_MORE: u8 = 1 << 5;

/// Fields of the payload that are looked at besides those that are noted.
pub(super) const GLANCED: [Field; 4] = [
    Field::ResultStatus,
    Field::Decision,
    Field::Status,
    Field::Error,
];

/// Declares the fields that are noted, each with its key in the event or in the payload, and with
/// `text` where its text is noted.
macro_rules! fields {
    (
        event: { $($of_event:ident = $event_key:literal $($event_text:ident)?),+ $(,)? }
        payload: { $($of_payload:ident = $payload_key:literal $($payload_text:ident)?),+ $(,)? }
    ) => {
        /// The fields of an event and of its payload that are noted.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Field {
            $($of_event,)+
            $($of_payload,)+
            /// Any other.
            Other,
        }

        impl Field {
            const COUNT: usize = [$(Self::$of_event,)+ $(Self::$of_payload,)+ Self::Other].len();

            /// The fields whose texts are noted.
            pub(super) const TEXTS: &[Self] = &[
                $($({ stringify!($event_text); Self::$of_event },)?)+
                $($({ stringify!($payload_text); Self::$of_payload },)?)+
            ];

            const OF_PAYLOAD: [Self; [$(stringify!($of_payload)),+].len()] = [$(Self::$of_payload,)+];

            fn of_event(key: &str) -> Self {
                match key {
                    $($event_key => Self::$of_event,)+
                    _ => Self::Other,
                }
            }

            pub(super) fn of_payload(key: &str) -> Self {
                match key {
                    $($payload_key => Self::$of_payload,)+
                    _ => Self::Other,
                }
            }

            /// The path to the field in an event.
            pub(super) fn path(self) -> &'static [&'static str] {
                match self {
                    $(Self::$of_event => &[$event_key],)+
                    $(Self::$of_payload => &["payload", $payload_key],)+
                    Self::Other => &[],
                }
            }
        }
    };
}

fields! {
    event: {
        AgentId = "agent_id" text,
        EpisodeId = "episode_id" text,
        EventType = "event_type" text,
        Payload = "payload",
        Phase = "phase" text,
        Timestamp = "timestamp" text,
    }
    payload: {
        StepId = "step_id" text,
        StepStatus = "step_status" text,
        ActionId = "action_id" text,
        Id = "id" text,
        Synthetic = "synthetic",
        ResultStatus = "result_status",
        Decision = "decision",
        Status = "status",
        Error = "error",
        Kind = "kind",
        Tool = "tool",
        InputExcerpt = "input_excerpt",
    }
}

impl Field {
    /// Those that an action mirrors, in the order of [`MIRRORED`].
    pub(super) const MIRRORED: [Self; MIRRORED.len()] = [
        Self::Kind,
        Self::Tool,
        Self::StepId,
        Self::InputExcerpt,
        Self::ResultStatus,
    ];
}

/// A value: its kind and its span.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) kind: Kind,
    escaped: bool,
    pub(super) start: u32,
    end: u32,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "an event longer than 4 GiB is not noted"
)]
impl Part {
    /// A value whose kind alone is known.
    fn without_text(kind: Kind) -> Self {
        Self {
            kind,
            escaped: false,
            start: 0,
            end: 0,
        }
    }

    pub(super) fn string(span: Range<usize>, escaped: bool) -> Self {
        Self {
            kind: Kind::String,
            escaped,
            start: span.start as u32,
            end: span.end as u32,
        }
    }
}

/// The values of an event's fields; the last one where a key repeats.
pub(super) struct Parts {
    found: [Option<Part>; Field::COUNT],
    /// The field of the next value.
    field: Field,
    /// The nesting depth: 1 inside the event, 2 inside its payload.
    depth: u8,
    /// Whether any key has escapes, which may hide a field.
    pub(super) has_escaped_keys: bool,
    /// Whether an action mirrors more of the payload than the fields of [`MIRRORED`].
    mirrors_more: bool,
    /// The other keys that may be misspelled.
    pub(super) suspects: Suspects,
}

/// The parts of a text, while it is read.
pub(super) struct PartsOf<'p, 'a>(pub(super) &'p mut Parts, pub(super) &'a str);

impl Default for Parts {
    fn default() -> Self {
        Self {
            found: [None; Field::COUNT],
            field: Field::Other,
            depth: 0,
            has_escaped_keys: false,
            mirrors_more: false,
            suspects: Suspects::default(),
        }
    }
}

impl Parts {
    pub(super) fn get(&self, field: Field) -> Option<Part> {
        self.found.get(field as usize).copied().flatten()
    }

    /// Returns the text of a field; `Ok(None)` where the field is absent, an error where it is not
    /// a string.
    #[inline]
    pub(super) fn string<'a>(
        &self,
        text: &'a str,
        field: Field,
    ) -> Result<Option<Cow<'a, str>>, NotAFact> {
        match self.get(field) {
            None => Ok(None),
            Some(Part {
                kind: Kind::String,
                start,
                end,
                escaped,
            }) => {
                let (start, end) = (start as usize, end as usize);
                Ok(Some(unquoted(text, start, end, escaped)))
            }
            Some(_) => Err(NotAFact),
        }
    }

    /// Whether each of these fields that is there is a string.
    pub(super) fn are_strings(&self, fields: &[Field]) -> bool {
        (fields.iter()).all(|field| {
            self.get(*field)
                .is_none_or(|part| part.kind == Kind::String)
        })
    }

    /// What every event with the same skeleton has, see [`Skeletons`].
    pub(super) fn flags(&self) -> u8 {
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        self.suspects.flags()
            | flag(SYNTHETIC, self.is_synthetic())
            | flag(ERROR, self.may_have_error())
            | flag(MIRRORS_MORE, self.mirrored().is_none())
    }

    /// Sets what the flags of a skeleton say.
    pub(super) fn set_flags(&mut self, flags: u8) {
        // Only events whose payload is an object are noted, so only their skeletons are known.
        self.set(Field::Payload, Some(Part::without_text(Kind::Object)));
        self.suspects = Suspects::of_flags(flags & !(SYNTHETIC | ERROR | MIRRORS_MORE));
        self.mirrors_more = flags & MIRRORS_MORE != 0;
        if flags & SYNTHETIC != 0 {
            self.set(Field::Synthetic, Some(Part::without_text(Kind::True)));
        }
        if flags & ERROR != 0 {
            self.set(Field::Error, Some(Part::without_text(Kind::Object)));
        }
    }

    /// Where the event has what an action mirrors, if that is nothing but strings of known keys.
    pub(super) fn mirrored(&self) -> Option<MirroredSpans> {
        let span = |field| match self.get(field) {
            None => Ok(None),
            Some(part) if part.kind == Kind::String => Ok(Some(part.start..part.end)),
            Some(_) => Err(NotAFact),
        };
        let mut fields = [const { None }; MIRRORED.len()];
        for (found, field) in fields.iter_mut().zip(Field::MIRRORED) {
            *found = span(field).ok()?;
        }
        let timestamp = span(Field::Timestamp).ok()?;
        (!self.mirrors_more).then_some(MirroredSpans { timestamp, fields })
    }

    /// Whether the payload has an `error` that is neither a text, nor null, nor false.
    pub(super) fn may_have_error(&self) -> bool {
        self.get(Field::Error)
            .is_some_and(|part| !matches!(part.kind, Kind::Null | Kind::False | Kind::String))
    }

    pub(super) fn is_synthetic(&self) -> bool {
        self.get(Field::Synthetic)
            .is_some_and(|part| part.kind == Kind::True)
    }

    pub(super) fn set(&mut self, field: Field, part: Option<Part>) {
        if let Some(slot) = self.found.get_mut(field as usize) {
            *slot = part;
        }
    }
}

#[expect(
    clippy::inline_always,
    reason = "measured: the parser and its sink should compile to one function"
)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "an event longer than 4 GiB is not noted"
)]
impl Sink for &mut PartsOf<'_, '_> {
    #[inline(always)]
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        let parts = &mut *self.0;
        let field = parts.field;
        parts.set(
            field,
            Some(Part {
                kind,
                escaped,
                start: start as u32,
                end: end as u32,
            }),
        );
        if field == Field::Payload {
            // The fields of an earlier payload do not count.
            for field in Field::OF_PAYLOAD {
                parts.set(field, None);
            }
            parts.mirrors_more = false;
        }
    }

    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let PartsOf(parts, text) = &mut **self;
        let name = text.get(start + 1..end - 1).unwrap_or_default();
        if parts.depth == 1 {
            parts.field = Field::of_event(name);
            if parts.field == Field::Other {
                parts.suspects.add_of_event(name);
            }
        } else {
            parts.field = Field::of_payload(name);
            if !matches!(
                parts.field,
                Field::StepId | Field::StepStatus | Field::ActionId | Field::Id | Field::Synthetic
            ) {
                parts.suspects.add_of_payload(name);
                parts.mirrors_more |= is_extension(name);
            }
        }
        parts.has_escaped_keys |= escaped;
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind, start: usize) -> bool {
        let is_wanted = kind == Kind::Object
            && (self.0.depth == 0 || (self.0.depth == 1 && self.0.field == Field::Payload));
        if is_wanted {
            if self.0.depth == 1 {
                self.value(kind, start, start, false);
            }
            self.0.depth += 1;
        }
        is_wanted
    }

    #[inline(always)]
    fn close(&mut self, _: usize) {
        self.0.depth -= 1;
    }
}
