//! The bytes of events -> what is noted of them, by the skeletons of events that were read before.

use std::borrow::Cow;

use super::EventNote;
use super::parts::{Field, GLANCED, Part, Parts, PartsOf};
use crate::document::{LEAST_BYTES_BEYOND, Parser, Scalar, Scalars, Skeletons, utf8};
use crate::facts::slips::phase_meant;
use crate::record::phases;

/// A sound event that was read in one pass: its note, and the fields of its payload that tell how
/// it went.
pub(crate) struct EventReading<'r, 'a> {
    pub(crate) note: EventNote<'a>,
    text: &'a str,
    parts: &'r Parts,
    scalars: &'r Scalars,
    /// The number that events share which differ in strings and numbers alone, if it is known.
    pub(crate) template: Option<u32>,
}

impl<'r, 'a> EventReading<'r, 'a> {
    /// Returns the line that was read.
    pub(crate) fn line(&self) -> &'a str {
        self.text
    }

    /// Returns its strings and numbers, if its template is known and the reader
    /// [keeps](EventReader::keep_scalars) them.
    pub(crate) fn scalars(&self) -> &'r Scalars {
        self.scalars
    }

    /// Returns a text of the payload, under a key of [`GLANCED`].
    #[inline]
    pub(crate) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        let field = Field::of_payload(key);
        self.parts.string(self.text, field).ok().flatten()
    }

    /// Returns `true` if the payload has any field that may say that something failed or was
    /// vetoed. Most events have none.
    pub(crate) fn tells_how_it_went(&self) -> bool {
        self.sets_status() || (GLANCED.into_iter()).any(|field| self.parts.get(field).is_some())
    }

    /// Returns `true` if the payload sets the status of a step.
    pub(crate) fn sets_status(&self) -> bool {
        self.parts.get(Field::StepStatus).is_some()
    }

    /// Returns `true` if the payload may tell of an error.
    pub(crate) fn may_have_error(&self) -> bool {
        self.parts.may_have_error()
            || (self.text("error")).is_some_and(|error| !error.trim().is_empty())
    }
}

/// The number of a skeleton, and the flags of every event with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Template {
    flags: u8,
    number: u32,
}

/// Reads events from their bytes, each in one pass and without a tape.
///
/// Tests compare the notes with the schema and with [`EventNote::of`].
#[derive(Default)]
pub(crate) struct EventReader {
    /// The skeletons of events that were read.
    pub(super) skeletons: Skeletons<Field, Template>,
    /// How many were added, those included that are no longer known.
    pub(super) learned: u32,
    pub(super) own_phases: OwnPhases,
    pub(super) keeps_scalars: bool,
    pub(super) parts: Parts,
    pub(super) scalars: Scalars,
}

impl EventReader {
    /// Sets whether the strings and numbers of events are kept, for those who know what else is in
    /// events with one template.
    pub(crate) fn keep_scalars(&mut self, keep: bool) {
        self.keeps_scalars = keep;
    }

    /// Reads an event, if it certainly satisfies its schema and has nothing misspelled. `None` says
    /// nothing about the event: the caller must parse and validate it.
    #[inline]
    pub(crate) fn read<'a>(&mut self, bytes: &'a [u8]) -> Option<EventReading<'_, 'a>> {
        let text = text(bytes)?;
        self.parts = Parts::default();
        let known = if self.keeps_scalars {
            let scalars = &mut self.scalars;
            scalars.clear();
            find(&self.skeletons, &mut self.parts, bytes, |scalar| {
                scalars.add(scalar.kind, scalar.span.clone(), scalar.escaped);
            })
        } else {
            find(&self.skeletons, &mut self.parts, bytes, |_| {})
        };
        if let Some(Template { flags, .. }) = known {
            self.parts.set_flags(flags);
        } else {
            self.parts = Parts::default();
            let mut parts = PartsOf(&mut self.parts, text);
            Parser::new(bytes, &mut parts).text().ok()?;
        }
        let note = EventNote::of_parts(&self.parts, text, &mut self.own_phases)?;
        if known.is_none() {
            self.learn(bytes);
        }
        let known = known.filter(|_| !self.skeletons.is_shallow());
        Some(EventReading {
            note,
            text,
            parts: &self.parts,
            scalars: &self.scalars,
            template: known.map(|template| template.number),
        })
    }

    /// Learns the skeleton of an event that was read, unless a noted field of it is not a string:
    /// an event with the same skeleton would then be noted wrongly.
    fn learn(&mut self, bytes: &[u8]) {
        let parts = &self.parts;
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
            let template = Template {
                flags: parts.flags(),
                number: self.learned,
            };
            self.learned = self.learned.wrapping_add(1);
            let mark = |at| fields().find(|field| starts(*field, at));
            let may_be_shallow = !self.keeps_scalars;
            self.skeletons.learn(bytes, template, mark, may_be_shallow);
        }
    }
}

/// Finds the skeleton of an event, and fills in the parts that it marks.
#[expect(clippy::inline_always, reason = "measured: one loop for each use")]
#[inline(always)]
fn find(
    skeletons: &Skeletons<Field, Template>,
    parts: &mut Parts,
    bytes: &[u8],
    mut found: impl FnMut(&Scalar<Field>),
) -> Option<Template> {
    skeletons.read(bytes, |scalar| {
        found(&scalar);
        if let Some(field) = scalar.mark {
            parts.set(field, Some(Part::string(scalar.span, scalar.escaped)));
        }
    })
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
