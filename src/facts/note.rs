//! The bytes of an event -> a note: the few fields that the timeline needs.

use std::borrow::Cow;
use std::ops::Range;

use super::event::{EventFacts, text};
use super::slips::{Suspects, is_slip_of_projection, phase_begun, phase_meant};
use super::value::{NotAFact, Value};
use crate::document::{
    Kind, LEAST_BYTES_BEYOND, Parser, Scalar, Scalars, Sink, Skeletons, unquoted, utf8,
};
use crate::record::phases::PROJECTION;
use crate::record::{StepStatus, phases};
use crate::timestamp::Timestamp;
use crate::words::Words as _;

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
    /// The id of the action that mirrors the event.
    pub(crate) action_id: Option<Cow<'a, str>>,
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
    pub(super) timestamp: Option<Range<usize>>,
    pub(super) fields: [Option<Range<usize>>; MIRRORED.len()],
}

/// What one look at a sound event shows: its note, and the texts of its payload that tell how it
/// went.
pub(crate) struct EventReading<'a> {
    pub(crate) note: EventNote<'a>,
    parts: Parts<'a>,
    pub(crate) line: &'a str,
    /// The number of its skeleton, where that is known.
    pub(crate) skeleton: Option<u32>,
}

impl<'a> EventReading<'a> {
    /// A text of the payload, under a key of [`GLANCED`].
    #[inline]
    pub(crate) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        let field = Field::of_payload(key.as_bytes());
        self.parts.string(field, self.line).ok().flatten()
    }

    /// Whether the payload has any field that may say that something failed or was vetoed. Most
    /// events have none.
    pub(crate) fn tells_how_it_went(&self) -> bool {
        self.sets_status() || (GLANCED.into_iter()).any(|field| self.parts.get(field).is_some())
    }

    /// Whether the payload sets the status of a step.
    pub(crate) fn sets_status(&self) -> bool {
        self.parts.get(Field::StepStatus).is_some()
    }

    /// Whether the payload may tell of an error.
    pub(crate) fn may_have_error(&self) -> bool {
        self.parts.may_have_error()
            || (self.text("error")).is_some_and(|error| !error.trim().is_empty())
    }
}

/// Fields of the payload that are looked at besides those that are noted.
const GLANCED: [Field; 4] = [
    Field::ResultStatus,
    Field::Decision,
    Field::Status,
    Field::Error,
];

impl<'a> EventNote<'a> {
    /// The note of any event.
    pub(crate) fn of(event: &EventFacts<'a>) -> Self {
        let phase = text(event.phase);
        Self {
            act: (phase.as_deref() == Some("act")).then(|| ActNote::of(event)),
            phase,
            event_type: text(event.event_type),
            episode_id: text(event.episode_id),
            timestamp: text(event.timestamp),
            synthetic: event
                .payload()
                .and_then(|payload| payload.get("synthetic"))
                .is_some_and(|synthetic| synthetic.node().kind() == Kind::True),
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
    fn of_parts(parts: &Parts<'_>, line: &'a str, own: &mut OwnPhases) -> Option<Self> {
        if parts.has_escaped_keys || parts.get(Field::Payload)?.kind != Kind::Object {
            return None;
        }
        let string = |field| parts.string(field, line).ok();
        string(Field::AgentId)?;
        let phase = string(Field::Phase)??;
        let timestamp = string(Field::Timestamp)?.filter(|text| Timestamp::is_valid(text))?;
        let event_type = string(Field::EventType)?;
        if own.is_slip(&phase) || parts.suspects.concern(&phase, event_type.as_deref()) {
            return None;
        }
        Some(Self {
            act: if phase == "act" {
                Some(ActNote::of_parts(parts, line)?)
            } else {
                None
            },
            phase: Some(phase),
            event_type,
            episode_id: string(Field::EpisodeId)?,
            timestamp: Some(timestamp),
            synthetic: parts.is_synthetic(),
        })
    }
}

impl<'a> ActNote<'a> {
    fn matters(&self) -> bool {
        self.step.is_some() || self.unset_step.is_some() || self.action_id.is_some()
    }

    fn of(event: &EventFacts<'a>) -> Self {
        let payload = event.payload();
        let in_payload = |key: &str| payload.and_then(|payload| payload.text(&[key]));
        let status = |value: Value<'_>| {
            value
                .node()
                .text()
                .and_then(|status| StepStatus::of_word(&status))
        };
        let step_status = payload.and_then(|payload| payload.get("step_status"));
        let step_id = in_payload("step_id");
        Self {
            unset_step: step_id.clone().filter(|_| step_status.is_none()),
            step: step_id.zip(step_status.map(status)),
            action_id: in_payload("action_id").or_else(|| in_payload("id")),
            mirrored: None,
        }
    }

    /// The note of an act event, if the event certainly satisfies its schema.
    fn of_parts(parts: &Parts<'_>, line: &'a str) -> Option<Self> {
        let step_id = parts.string(Field::StepId, line).ok()?;
        let status = match parts.string(Field::StepStatus, line).ok()? {
            Some(status) => Some(StepStatus::of_word(&status)?),
            None => None,
        };
        let id = |field| parts.string(field, line).ok().flatten();
        Some(Self {
            unset_step: step_id.clone().filter(|_| status.is_none()),
            step: step_id.zip(status.map(Some)),
            action_id: id(Field::ActionId).or_else(|| id(Field::Id)),
            mirrored: parts.mirrored(),
        })
    }
}

/// The flags of a skeleton whose payload has `synthetic` as true, of one whose payload has an
/// `error` that is more than a text, and of one of which an action mirrors more than strings of
/// known keys; the others are [`Suspects`].
const SYNTHETIC: u8 = 1 << 7;
const ERROR: u8 = 1 << 6;
const MIRRORS_MORE: u8 = 1 << 5;

/// What is known of every event with a skeleton: its flags, and the number that it alone has.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sign {
    flags: u8,
    number: u32,
}

/// What is wanted of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Its fields, and those of its payload.
    Fields,
    /// All its strings and numbers.
    Whole,
}

/// Makes notes of events from their bytes, in one pass and without a tape.
///
/// Tests compare the notes with the schema and with [`EventNote::of`].
#[derive(Default)]
pub(crate) struct NoteTaker {
    /// The skeletons of events that were noted.
    skeletons: Skeletons<Field, Sign>,
    /// How many were added, those included that are no longer known.
    learned: u32,
    own_phases: OwnPhases,
}

impl NoteTaker {
    /// The note of an event, if it certainly satisfies its schema and has nothing misspelled.
    /// `None` says nothing about the event: the caller must parse and validate it.
    pub(crate) fn note<'a>(&mut self, bytes: &'a [u8]) -> Option<EventNote<'a>> {
        self.read(bytes, Detail::Fields, |_| {})
            .map(|reading| reading.note)
    }

    /// The note of such an event, with the texts that tell how it went.
    pub(crate) fn glance<'a>(&mut self, bytes: &'a [u8]) -> Option<EventReading<'a>> {
        self.read(bytes, Detail::Fields, |_| {})
    }

    /// The same, with its strings and numbers where its skeleton is known.
    pub(crate) fn scan<'a>(
        &mut self,
        bytes: &'a [u8],
        scalars: &mut Scalars,
    ) -> Option<EventReading<'a>> {
        scalars.clear();
        self.read(bytes, Detail::Whole, |scalar| {
            scalars.add(scalar.kind, scalar.span.clone(), scalar.escaped);
        })
    }

    #[inline]
    fn read<'a>(
        &mut self,
        bytes: &'a [u8],
        detail: Detail,
        mut found: impl FnMut(&Scalar<Field>),
    ) -> Option<EventReading<'a>> {
        // Whether a longer one is within the limit of keys and values, its tape shows.
        if bytes.len() >= LEAST_BYTES_BEYOND {
            return None;
        }
        let line = utf8(bytes).ok()?;
        let mut parts = Parts::new(line);
        let known = self.skeletons.read(bytes, |scalar| {
            found(&scalar);
            if let Some(field) = scalar.mark {
                parts.set(field, Some(Part::string(scalar.span, scalar.escaped)));
            }
        });
        if let Some(Sign { flags, .. }) = known {
            // Only events whose payload is an object are noted, so only their skeletons are known.
            parts.set(Field::Payload, Some(Part::without_text(Kind::Object)));
            parts.suspects = Suspects::of_flags(flags & !(SYNTHETIC | ERROR | MIRRORS_MORE));
            parts.mirrors_more = flags & MIRRORS_MORE != 0;
            if flags & SYNTHETIC != 0 {
                parts.set(Field::Synthetic, Some(Part::without_text(Kind::True)));
            }
            if flags & ERROR != 0 {
                parts.set(Field::Error, Some(Part::without_text(Kind::Object)));
            }
        } else {
            parts = Parts::new(line);
            Parser::new(bytes, &mut parts).text().ok()?;
        }
        let note = EventNote::of_parts(&parts, line, &mut self.own_phases)?;
        if known.is_none() {
            self.learn(bytes, &parts, detail);
        }
        Some(EventReading {
            note,
            parts,
            line,
            skeleton: known
                .filter(|_| !self.skeletons.is_shallow())
                .map(|sign| sign.number),
        })
    }

    /// Learns the skeleton of an event that was noted, unless a noted field of it is not a string:
    /// an event with the same skeleton would then be noted wrongly.
    fn learn(&mut self, bytes: &[u8], parts: &Parts<'_>, detail: Detail) {
        let is_text = |field: Field| {
            parts
                .get(field)
                .is_none_or(|part| part.kind == Kind::String)
        };
        if bytes.len() <= MAX_LEARNED_BYTES && Field::NOTED.into_iter().all(is_text) {
            let fields = || {
                let noted = Field::NOTED.into_iter();
                noted.chain(GLANCED).chain(Field::MIRRORED)
            };
            let starts = |field: Field, at: usize| {
                parts
                    .get(field)
                    .is_some_and(|part| part.start as usize == at)
            };
            let sign = Sign {
                flags: parts.flags(),
                number: self.learned,
            };
            self.learned = self.learned.wrapping_add(1);
            let root = bytes.len() - bytes.trim_ascii_start().len();
            let is_entered = |at| at == root || starts(Field::Payload, at);
            let is_entered = (detail == Detail::Fields).then_some(is_entered);
            let mark = |at| fields().find(|field| starts(*field, at));
            self.skeletons.learn(bytes, sign, mark, is_entered);
        }
    }
}

/// The phases of a runtime's own that were met and are not slips: of each, all words that it may be
/// a slip of would be tried again.
#[derive(Default)]
struct OwnPhases(Vec<Box<str>>);

/// The number of phases of a runtime's own that are remembered, and the bytes of each.
const OWN_PHASES: usize = 16;
const LONGEST_OWN_PHASE: usize = 64;

impl OwnPhases {
    /// Whether a phase is probably a slip of another one.
    #[inline]
    fn is_slip(&mut self, phase: &str) -> bool {
        !phases::is_known(phase)
            && !self.0.iter().any(|own| **own == *phase)
            && self.is_new_slip(phase)
    }

    fn is_new_slip(&mut self, phase: &str) -> bool {
        let is_slip = phase_meant(phase).is_some();
        if !is_slip && self.0.len() < OWN_PHASES && phase.len() <= LONGEST_OWN_PHASE {
            self.0.push(phase.into());
        }
        is_slip
    }
}

/// The length of the longest event whose skeleton is kept: long events rarely share a skeleton.
const MAX_LEARNED_BYTES: usize = 4 << 10;

/// Declares the fields that are noted, each with its key in the event or in the payload.
macro_rules! fields {
    (
        event: { $($of_event:ident = $event_key:literal),+ $(,)? }
        payload: { $($of_payload:ident = $payload_key:literal),+ $(,)? }
    ) => {
        /// The fields of an event and of its payload that are noted.
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Field {
            $($of_event,)+
            $($of_payload,)+
            /// Any other.
            Other,
        }

        impl Field {
            const COUNT: usize = [$(Self::$of_event,)+ $(Self::$of_payload,)+ Self::Other].len();

            const OF_PAYLOAD: [Self; [$(stringify!($of_payload)),+].len()] = [$(Self::$of_payload,)+];

            fn of_event(key: &[u8]) -> Self {
                match key {
                    $($event_key => Self::$of_event,)+
                    _ => Self::Other,
                }
            }

            fn of_payload(key: &[u8]) -> Self {
                match key {
                    $($payload_key => Self::$of_payload,)+
                    _ => Self::Other,
                }
            }
        }
    };
}

fields! {
    event: {
        AgentId = b"agent_id",
        EpisodeId = b"episode_id",
        EventType = b"event_type",
        Payload = b"payload",
        Phase = b"phase",
        Timestamp = b"timestamp",
    }
    payload: {
        StepId = b"step_id",
        StepStatus = b"step_status",
        ActionId = b"action_id",
        Id = b"id",
        Synthetic = b"synthetic",
        ResultStatus = b"result_status",
        Decision = b"decision",
        Status = b"status",
        Error = b"error",
        Kind = b"kind",
        Tool = b"tool",
        InputExcerpt = b"input_excerpt",
    }
}

impl Field {
    /// The fields whose texts are noted.
    const NOTED: [Self; 9] = [
        Self::AgentId,
        Self::EpisodeId,
        Self::EventType,
        Self::Phase,
        Self::Timestamp,
        Self::StepId,
        Self::StepStatus,
        Self::ActionId,
        Self::Id,
    ];

    /// Those that an action mirrors, in the order of [`MIRRORED`].
    const MIRRORED: [Self; MIRRORED.len()] = [
        Self::Kind,
        Self::Tool,
        Self::StepId,
        Self::InputExcerpt,
        Self::ResultStatus,
    ];
}

/// A value: its kind and its span.
#[derive(Clone, Copy)]
struct Part {
    kind: Kind,
    escaped: bool,
    start: u32,
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

    fn string(span: Range<usize>, escaped: bool) -> Self {
        Self {
            kind: Kind::String,
            escaped,
            start: span.start as u32,
            end: span.end as u32,
        }
    }
}

/// The values of an event's fields; the last one where a key repeats.
struct Parts<'a> {
    text: &'a str,
    found: [Option<Part>; Field::COUNT],
    /// The field of the next value.
    field: Field,
    /// The nesting depth: 1 inside the event, 2 inside its payload.
    depth: u8,
    /// Whether any key has escapes, which may hide a field.
    has_escaped_keys: bool,
    /// Whether an action mirrors more of the payload than the fields of [`MIRRORED`].
    mirrors_more: bool,
    /// The other keys that may be misspelled.
    suspects: Suspects,
}

impl<'a> Parts<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            found: [None; Field::COUNT],
            field: Field::Other,
            depth: 0,
            has_escaped_keys: false,
            mirrors_more: false,
            suspects: Suspects::default(),
        }
    }

    fn get(&self, field: Field) -> Option<Part> {
        self.found.get(field as usize).copied().flatten()
    }

    /// The text of a field; `Ok(None)` where the field is absent, an error where it is not a
    /// string.
    #[inline]
    fn string<'l>(&self, field: Field, line: &'l str) -> Result<Option<Cow<'l, str>>, NotAFact> {
        match self.get(field) {
            None => Ok(None),
            Some(Part {
                kind: Kind::String,
                start,
                end,
                escaped,
            }) => Ok(Some(unquoted(line, start as usize, end as usize, escaped))),
            Some(_) => Err(NotAFact),
        }
    }

    /// What every event with the same skeleton has, see [`Skeletons`].
    fn flags(&self) -> u8 {
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        self.suspects.flags()
            | flag(SYNTHETIC, self.is_synthetic())
            | flag(ERROR, self.may_have_error())
            | flag(MIRRORS_MORE, self.mirrored().is_none())
    }

    /// Where the event has what an action mirrors, if that is nothing but strings of known keys.
    fn mirrored(&self) -> Option<MirroredSpans> {
        let span = |field| match self.get(field) {
            None => Ok(None),
            Some(part) if part.kind == Kind::String => {
                Ok(Some(part.start as usize..part.end as usize))
            }
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
    fn may_have_error(&self) -> bool {
        self.get(Field::Error)
            .is_some_and(|part| !matches!(part.kind, Kind::Null | Kind::False | Kind::String))
    }

    fn is_synthetic(&self) -> bool {
        self.get(Field::Synthetic)
            .is_some_and(|part| part.kind == Kind::True)
    }

    fn set(&mut self, field: Field, part: Option<Part>) {
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
impl Sink for &mut Parts<'_> {
    #[inline(always)]
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        let field = self.field;
        self.set(
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
                self.set(field, None);
            }
            self.mirrors_more = false;
        }
    }

    #[inline(always)]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let name = self.text.get(start + 1..end - 1).unwrap_or_default();
        if self.depth == 1 {
            self.field = Field::of_event(name.as_bytes());
            if self.field == Field::Other {
                self.suspects.add_of_event(name);
            }
        } else {
            self.field = Field::of_payload(name.as_bytes());
            if !matches!(
                self.field,
                Field::StepId | Field::StepStatus | Field::ActionId | Field::Id | Field::Synthetic
            ) {
                self.suspects.add_of_payload(name);
                self.mirrors_more |= is_extension(name);
            }
        }
        self.has_escaped_keys |= escaped;
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind, start: usize) -> bool {
        let is_wanted = kind == Kind::Object
            && (self.depth == 0 || (self.depth == 1 && self.field == Field::Payload));
        if is_wanted {
            if self.depth == 1 {
                self.value(kind, start, start, false);
            }
            self.depth += 1;
        }
        is_wanted
    }

    #[inline(always)]
    fn close(&mut self, _: usize) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tape;
    use crate::facts::slips::has_slips;
    use crate::schema;
    use crate::source::Line;

    /// Events around which mutants are made: every field that is noted, right and wrong, early and
    /// late, twice and escaped.
    const SEEDS: [&str; 12] = [
        r#"{"phase":"act","timestamp":"2025-01-01T00:00:00Z","payload":{"step_id":"s","step_status":"done","action_id":"a","id":"b","tool":"t","kind":null}}"#,
        r#"{"phase":"act","m":{"phase":[7]},"timestamp":"2025-01-01T00:00:00Z","payload":{"step_id":"s","o":{"id":[]},"kind":"k","x-own":"z"}}"#,
        r#"{"phase":"act","timestamp":"2025-01-01T00:00:00Z","payload":{"input_excerpt":"i","tool":"t","tool":"u","kind":"k","result_status":"ok"}}"#,
        r#"{"agent_id":"x","episode_id":"ep","event_type":"t","payload":{},"payload":{"id":7},"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"payload":{"step_id":1,"step_status":"gone"},"phase":"observe","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"payload":{"step_id":1,"step_status":"done","id":2},"phase":"observe","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"payload":[{"id":"x"}],"phase":"act","timestamp":"2025-01-01T00:00:00Z","ph\u0061se":"x","a":{"phase":[[]]}}"#,
        r#"{"payload":{"step_id":"a\n","payload":{"id":"q"},"action_id":null,"id":"z"},"phase":"act","timestamp":"2025-01-01T00:00:00Z","phase":"\u0061ct"}"#,
        r#"{"payload":{"step_id":"s","synthetic":true},"synthetic":false,"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"payload":{"id":"old"},"payload":"x","payload":{"x":1},"phase":"act","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"agentId":"x","payload":{"stepId":"s","step":1,"outcome":2},"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
        r#"{"agent":"x","event_type":"run.state_projection","payload":{"id":"s","Links":2},"phase":"act","timestamp":"2025-01-01T00:00:00Z"}"#,
    ];

    /// The pieces that mutants are made from.
    const PIECES: [&str; 24] = [
        "\"plan\"",
        "\"runtime\"",
        "\"Act\"",
        "\"reason\"",
        "\"act\"",
        "\"done\"",
        "null",
        "true",
        "7",
        "[]",
        "{}",
        "\"phase\"",
        "\"id\"",
        "\"tool\"",
        "\"x-y\"",
        "\"synthetic\"",
        ",",
        ":",
        "{",
        "}",
        "\"",
        "\\u0061",
        " ",
        "é",
    ];

    /// What the schema of an event asserts.
    const ASSERTIONS: [&str; 33] = [
        r#"/$defs/ActPayload/properties/step_id/type "string""#,
        r##"/$defs/ActPayload/properties/step_status/$ref "#/$defs/StepStatus""##,
        r#"/$defs/ActPayload/type "object""#,
        r#"/$defs/PlanPayload/type "object""#,
        r#"/$defs/StateProjectionPayload/type "object""#,
        r#"/$defs/StepStatus/enum/0 "pending""#,
        r#"/$defs/StepStatus/enum/1 "running""#,
        r#"/$defs/StepStatus/enum/2 "done""#,
        r#"/$defs/StepStatus/enum/3 "skipped""#,
        r#"/$defs/StepStatus/enum/4 "failed""#,
        r#"/$defs/StepStatus/enum/5 "vetoed""#,
        r#"/$defs/StepStatus/type "string""#,
        r#"/allOf/0/if/properties/phase/const "plan""#,
        r#"/allOf/0/if/required/0 "phase""#,
        r##"/allOf/0/then/properties/payload/$ref "#/$defs/PlanPayload""##,
        r#"/allOf/1/if/properties/phase/const "act""#,
        r#"/allOf/1/if/required/0 "phase""#,
        r##"/allOf/1/then/properties/payload/$ref "#/$defs/ActPayload""##,
        r#"/allOf/2/if/properties/phase/const "runtime""#,
        r#"/allOf/2/if/required/0 "phase""#,
        r##"/allOf/2/then/properties/payload/$ref "#/$defs/StateProjectionPayload""##,
        r#"/properties/agent_id/type "string""#,
        r#"/properties/episode_id/type "string""#,
        r#"/properties/event_type/type "string""#,
        r"/properties/payload/additionalProperties true",
        r#"/properties/payload/type "object""#,
        r#"/properties/phase/type "string""#,
        r#"/properties/timestamp/format "date-time""#,
        r#"/properties/timestamp/type "string""#,
        r#"/required/0 "phase""#,
        r#"/required/1 "timestamp""#,
        r#"/required/2 "payload""#,
        r#"/type "object""#,
    ];

    /// A taker of notes that knows the skeleton of each event from the first on.
    fn eager() -> NoteTaker {
        NoteTaker {
            skeletons: Skeletons::eager(),
            ..NoteTaker::default()
        }
    }

    /// The same with shallow skeletons.
    fn shallow() -> NoteTaker {
        NoteTaker {
            skeletons: Skeletons::eager_and_shallow(),
            ..NoteTaker::default()
        }
    }

    /// Where an event has what an action mirrors, if that is nothing but strings of known keys.
    fn mirrored_spans(event: &EventFacts<'_>) -> MirroredSpans {
        let payload = event.payload().unwrap();
        assert!(payload.members().all(|(name, _)| !is_extension(&name)));
        let span = |value: Value<'_>| {
            assert_eq!(value.node().kind(), Kind::String);
            value.node().span()
        };
        MirroredSpans {
            timestamp: event.timestamp.map(span),
            fields: MIRRORED.map(|name| payload.get(name).map(span)),
        }
    }

    /// Whatever is noted in one pass satisfies the schema, and is noted the same from the document;
    /// by its skeleton too, whatever events came before.
    fn is_sound(bytes: &[u8], after_others: &mut NoteTaker) -> bool {
        let shown = String::from_utf8_lossy(bytes);
        let note = after_others.note(bytes);
        assert_eq!(after_others.note(bytes), note, "{shown}, the second time");
        // A shallow skeleton may stand for an earlier payload, whose keys do not matter.
        let plain = NoteTaker::default().note(bytes);
        let is_shallow = after_others.skeletons.is_shallow();
        assert!(note == plain || (is_shallow && plain.is_none()), "{shown}");
        let Some(mut note) = note else { return false };
        let mut tape = Tape::default();
        let document = tape
            .read(bytes)
            .unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert!(
            schema::EVENT.violations_by_validator(document).is_empty(),
            "{shown}"
        );
        let line = Line {
            number: 1,
            offset: 0,
            length: bytes.len(),
        };
        let facts = EventFacts::new(line, Value::root(document, &[]));
        let spans = note.act.as_mut().and_then(|act| act.mirrored.take());
        assert_eq!(note, EventNote::of(&facts), "{shown}");
        if let Some(spans) = spans {
            assert_eq!(spans, mirrored_spans(&facts), "{shown}");
        }
        assert!(!has_slips(&facts), "{shown}");
        true
    }

    /// Every text made of a seed by putting a piece in the place of some tokens of it.
    fn mutants(seed: &str) -> impl Iterator<Item = String> {
        let tokens: Vec<usize> = seed
            .match_indices(['"', '{', '}', '[', ']', ',', ':'])
            .map(|(at, _)| at)
            .collect();
        let cuts = tokens.clone().into_iter().chain([seed.len()]);
        cuts.flat_map(move |cut| {
            let ends: Vec<usize> = tokens
                .iter()
                .copied()
                .filter(|end| *end >= cut)
                .take(12)
                .collect();
            ends.into_iter().flat_map(move |end| {
                PIECES
                    .into_iter()
                    .chain([""])
                    .map(move |piece| [&seed[..cut], piece, &seed[end..]].concat())
            })
        })
    }

    /// Keywords that assert nothing.
    const SILENT: [&str; 6] = [
        "$id",
        "$schema",
        "title",
        "description",
        "examples",
        "enumDescriptions",
    ];

    /// Every assertion that a schema makes, with the way to it.
    fn assertions(schema: &serde_json::Value, at: &str, found: &mut Vec<String>) {
        match schema {
            serde_json::Value::Object(members) => {
                for (key, value) in members {
                    if !SILENT.contains(&&**key) {
                        assertions(value, &format!("{at}/{key}"), found);
                    }
                }
            }
            serde_json::Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    assertions(item, &format!("{at}/{index}"), found);
                }
            }
            leaf => found.push(format!("{at} {leaf}")),
        }
    }

    /// A note is taken of an event without a look at its schema. When the schema asserts more than
    /// this list, [`EventNote::of_parts`] has to as well.
    #[test]
    fn note_taker_knows_every_assertion_of_the_schema() {
        let schema = serde_json::from_str(schema::EVENT.text()).unwrap();
        let mut found = Vec::new();
        assertions(&schema, "", &mut found);
        assert_eq!(found, ASSERTIONS);
    }

    #[test]
    fn note_agrees_with_document_and_schema() {
        let (mut noted, mut by_skeleton, mut tried) = (0_usize, 0, 0);
        for seed in SEEDS {
            let mut taker = eager();
            let mut other = shallow();
            for (index, mutant) in mutants(seed).enumerate() {
                if index % 500 == 0 {
                    (taker, other) = (eager(), shallow());
                    taker.note(seed.as_bytes());
                    other.note(seed.as_bytes());
                }
                is_sound(mutant.as_bytes(), &mut other);
                by_skeleton +=
                    usize::from(taker.skeletons.read(mutant.as_bytes(), |_| {}).is_some());
                noted += usize::from(is_sound(mutant.as_bytes(), &mut taker));
                tried += 1;
            }
        }
        assert!(
            tried > 30_000 && noted > 200,
            "{noted} of {tried} mutants were noted"
        );
        assert!(by_skeleton > 400, "{by_skeleton} were read by a skeleton");
    }

    #[test]
    fn typical_events_are_noted_in_one_pass() {
        for (index, expected) in [
            true, true, true, true, true, true, false, true, true, true, false, true,
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(
                is_sound(SEEDS[index].as_bytes(), &mut eager()),
                expected,
                "{}",
                SEEDS[index]
            );
        }
    }

    #[test]
    fn repeated_event_is_noted_by_its_skeleton() {
        let mut notes = eager();
        let first = SEEDS[0];
        assert!(notes.note(first.as_bytes()).is_some());
        let found = |line: &str| notes.skeletons.read(line.as_bytes(), |_| {}).is_some();
        assert!(found(first));
        assert!(found(&first.replace("\"done\"", "\"in \\u0022 progress\"")));
        assert!(!found(&first.replace("\"done\"", "null")));
        assert!(!found(&first.replace("\"done\"", "\"\u{1}\"")));
        assert!(!found(&first.replace("\"b\"", "\"b\",\"c\":1")));
        assert!(!found(&format!("{first}}}")));
        assert!(!found(&first[..first.len() - 1]));
        // Its skeleton is known, and what it says is not allowed.
        let unsound = first.replace("done", "gone");
        assert!(found(&unsound));
        assert_eq!(notes.note(unsound.as_bytes()), None);
    }
}
