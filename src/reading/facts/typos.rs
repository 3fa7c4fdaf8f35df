//! The keys and phases of events -> those that are probably misspelled, see `events/misspelled`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::event::EventFacts;
use super::lexicon::{EVENT_KEYS, WordOwner, is_typo_of_projection, phase_begun, phase_meant};
use super::slots::InEvent;
use super::value::Value;
use crate::ground::document::{Key, Node};
use crate::ground::source::{Artifact, Line, Place, Pointer, Target};
use crate::ground::spelling::is_near;

/// A key or a phase that is probably misspelled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Typo {
    /// The owner of the key; `None` for a phase.
    pub(crate) within: Option<WordOwner>,
    /// The key or the phase as it is written; only the beginning of a long one.
    pub(crate) written: String,
    /// The word that is probably meant.
    pub(crate) meant: &'static str,
}

impl Typo {
    /// Returns the place of the typo in the first line that has it.
    pub(crate) fn place(&self, lines: &TypoLines) -> Place {
        let pointer = lines.pointer.clone();
        Place {
            artifact: Artifact::Events,
            line: Some(lines.first),
            target: match self.within {
                None => Target::Value(pointer),
                Some(_) => Target::Key(pointer),
            },
            elsewhere: None,
        }
    }
}

/// The lines that have a typo.
#[derive(Debug)]
pub(crate) struct TypoLines {
    pub(crate) first: Line,
    pub(crate) count: u64,
    /// The place of the typo in the first line.
    pointer: Pointer,
    latest: u64,
}

/// The typos of a timeline.
#[derive(Debug, Default)]
pub(crate) struct Typos {
    found: BTreeMap<Typo, TypoLines>,
    /// The first line with a typo beyond the limit, and the number of those.
    pub(crate) more: Option<(Line, u64)>,
    /// For phases of the reference, the first line with a phase that begins with it, and that one.
    pub(crate) begun: BTreeMap<&'static str, (Line, String)>,
    /// The first event whose type is probably meant as that of a projection event, and that type.
    pub(crate) projection_type: Option<(Line, String)>,
    /// The first act event of a step that has the status of a step under `status`.
    pub(crate) bare_status: Option<Line>,
}

/// The number of typos that are listed of one timeline: each is a habit of its writer.
const MAX_SLIPS: usize = 100;

/// The number of characters that are kept of a misspelled word: one in many pieces, joined by `_`,
/// has any length.
const KEPT_CHARS: usize = 100;

impl Typos {
    /// Drops the keys that are declared, by their pointers.
    pub(crate) fn forget(&mut self, is_declared: impl Fn(&Pointer) -> bool) {
        self.found
            .retain(|typo, lines| typo.within.is_none() || !is_declared(&lines.pointer));
    }

    /// Adds the typos of an event.
    pub(crate) fn add(&mut self, event: EventFacts<'_>) {
        let phase = event.text(InEvent::Phase);
        if let Some(phase) = &phase
            && let Some(meant) = phase_meant(phase)
        {
            self.add_one(event.line, None, phase, meant, Pointer::new("/phase"));
        }

        if let Some(root) = event.root().node() {
            self.add_keys(event.line, WordOwner::Event, root, &Pointer::default());
        }

        let payload = event.payload().and_then(Value::node);
        if let (Some(payload), Some(phase)) = (payload, phase)
            && let event_type = event.text(InEvent::EventType)
            && let Some(within) = WordOwner::payload(&phase, event_type.as_deref())
        {
            self.add_keys(event.line, within, payload, &Pointer::new("/payload"));
        }
    }

    fn add_keys(&mut self, line: Line, within: WordOwner, object: Node<'_>, above: &Pointer) {
        let known = within.keys();
        let mut absent: Option<Vec<&'static str>> = None;
        for key in object.members() {
            let name = key.name();
            if known
                .iter()
                .any(|known| known.name == name)
            {
                continue;
            }

            let absent = absent.get_or_insert_with(|| {
                known
                    .iter()
                    .map(|known| known.name)
                    .filter(|name| object.get(name).is_none())
                    .collect()
            });
            if let Some(meant) = absent
                .iter()
                .find(|known| is_near(&name, known))
            {
                self.add_one(line, Some(within), &name, meant, above.field(&name));
            }
        }
    }

    fn add_one(
        &mut self,
        line: Line,
        within: Option<WordOwner>,
        written: &str,
        meant: &'static str,
        pointer: Pointer,
    ) {
        let typo = Typo {
            within,
            written: written
                .chars()
                .take(KEPT_CHARS)
                .collect(),
            meant,
        };

        let is_full = self.found.len() >= MAX_SLIPS;
        match self.found.get_mut(&typo) {
            Some(lines) => {
                lines.count += u64::from(lines.latest != line.number);
                lines.latest = line.number;
            }
            None if is_full => self.more.get_or_insert((line, 0)).1 += 1,
            None => {
                let lines = TypoLines {
                    first: line,
                    count: 1,
                    pointer,
                    latest: line.number,
                };
                self.found.insert(typo, lines);
            }
        }
    }

    /// Adds the phase of an event that is not a typo.
    pub(super) fn add_phase(&mut self, line: Line, phase: &str) {
        if let Some(begun) = phase_begun(phase) {
            let kept = || (line, phase.chars().take(KEPT_CHARS).collect());
            self.begun
                .entry(begun)
                .or_insert_with(kept);
        }
    }

    /// Adds the type of an event of the phase `runtime`.
    pub(super) fn add_type(&mut self, line: Line, event_type: &str) {
        if self.projection_type.is_none() && is_typo_of_projection(event_type) {
            let kept = event_type
                .chars()
                .take(KEPT_CHARS)
                .collect();
            self.projection_type = Some((line, kept));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
            && self.begun.is_empty()
            && self.projection_type.is_none()
            && self.bare_status.is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Typo, &TypoLines)> {
        self.found.iter()
    }
}

/// Returns the key of an event that is probably meant as one that is absent.
pub(crate) fn typo_for(event: Node<'_>, absent: &str) -> Option<String> {
    let names = event.members().map(Key::name);
    let is_known = |name: &str| {
        EVENT_KEYS
            .iter()
            .any(|known| known.name == name)
    };

    let is_typo = |name: &Cow<'_, str>| is_near(name, absent) && !is_known(name);
    names
        .into_iter()
        .find(is_typo)
        .map(Cow::into_owned)
}
