//! The bytes of events -> their notes, by the skeletons of events that were noted before.

use std::borrow::Cow;

use super::EventNote;
use super::parts::{ERROR, Field, GLANCED, MIRRORS_MORE, Part, Parts, SYNTHETIC};
use crate::document::{Kind, LEAST_BYTES_BEYOND, Parser, Scalar, Scalars, Skeletons, utf8};
use crate::facts::slips::{Suspects, phase_meant};
use crate::record::phases;

/// What one look at a sound event shows: its note, and the texts of its payload that tell how it
/// went.
pub(crate) struct EventReading<'a> {
    pub(crate) note: EventNote<'a>,
    parts: Parts<'a>,
    /// The number of its skeleton, where that is known.
    pub(crate) skeleton: Option<u32>,
}

impl<'a> EventReading<'a> {
    /// The line that was read.
    pub(crate) fn line(&self) -> &'a str {
        self.parts.text
    }

    /// A text of the payload, under a key of [`GLANCED`].
    #[inline]
    pub(crate) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        let field = Field::of_payload(key);
        self.parts.string(field).ok().flatten()
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

/// What is known of every event with a skeleton: its flags, and the number that it alone has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
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
    pub(super) skeletons: Skeletons<Field, Sign>,
    /// How many were added, those included that are no longer known.
    pub(super) learned: u32,
    pub(super) own_phases: OwnPhases,
}

impl NoteTaker {
    /// The note of an event, if it certainly satisfies its schema and has nothing misspelled.
    /// `None` says nothing about the event: the caller must parse and validate it.
    pub(crate) fn note<'a>(&mut self, bytes: &'a [u8]) -> Option<EventNote<'a>> {
        let mut parts = Parts::new(text(bytes)?);
        let (note, _) = self.read(&mut parts, Detail::Fields, |_| {})?;
        Some(note)
    }

    /// The note of such an event, with the texts that tell how it went.
    pub(crate) fn glance<'a>(&mut self, bytes: &'a [u8]) -> Option<EventReading<'a>> {
        self.reading(bytes, Detail::Fields, |_| {})
    }

    /// The same, with its strings and numbers where its skeleton is known.
    pub(crate) fn scan<'a>(
        &mut self,
        bytes: &'a [u8],
        scalars: &mut Scalars,
    ) -> Option<EventReading<'a>> {
        scalars.clear();
        self.reading(bytes, Detail::Whole, |scalar| {
            scalars.add(scalar.kind, scalar.span.clone(), scalar.escaped);
        })
    }

    fn reading<'a>(
        &mut self,
        bytes: &'a [u8],
        detail: Detail,
        found: impl FnMut(&Scalar<Field>),
    ) -> Option<EventReading<'a>> {
        let mut parts = Parts::new(text(bytes)?);
        let (note, skeleton) = self.read(&mut parts, detail, found)?;
        Some(EventReading {
            note,
            parts,
            skeleton,
        })
    }

    /// Reads the parts of a text; returns the note, and the number of the skeleton where that is
    /// known.
    #[inline]
    fn read<'a>(
        &mut self,
        parts: &mut Parts<'a>,
        detail: Detail,
        mut found: impl FnMut(&Scalar<Field>),
    ) -> Option<(EventNote<'a>, Option<u32>)> {
        let bytes = parts.text.as_bytes();
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
            *parts = Parts::new(parts.text);
            Parser::new(bytes, &mut *parts).text().ok()?;
        }
        let note = EventNote::of_parts(parts, &mut self.own_phases)?;
        if known.is_none() {
            self.learn(bytes, parts, detail);
        }
        let known = known.filter(|_| !self.skeletons.is_shallow());
        Some((note, known.map(|sign| sign.number)))
    }

    /// Learns the skeleton of an event that was noted, unless a noted field of it is not a string:
    /// an event with the same skeleton would then be noted wrongly.
    fn learn(&mut self, bytes: &[u8], parts: &Parts<'_>, detail: Detail) {
        if bytes.len() <= MAX_LEARNED_BYTES && parts.are_strings(Field::TEXTS) {
            let fields = || {
                let noted = Field::TEXTS.iter().copied();
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
            let mark = |at| fields().find(|field| starts(*field, at));
            let may_be_shallow = detail == Detail::Fields;
            self.skeletons.learn(bytes, sign, mark, may_be_shallow);
        }
    }
}

/// The text of an event that may be noted. Whether a longer one is within the limit of keys and
/// values, its tape shows.
#[inline]
fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.len() >= LEAST_BYTES_BEYOND {
        return None;
    }
    utf8(bytes).ok()
}

/// The phases of a runtime's own that were met and are not slips: of each, all words that it may be
/// a slip of would be tried again.
#[derive(Default)]
pub(super) struct OwnPhases(Vec<Box<str>>);

/// The number of phases of a runtime's own that are remembered, and the bytes of each.
const OWN_PHASES: usize = 16;
const LONGEST_OWN_PHASE: usize = 64;

impl OwnPhases {
    /// Whether a phase is probably a slip of another one.
    #[inline]
    pub(super) fn is_slip(&mut self, phase: &str) -> bool {
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
