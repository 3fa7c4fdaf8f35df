//! The bytes of events -> their facts, for those that are certainly sound.

use crate::document::{LazyTape, Slots};
use crate::facts::{self, EventFacts, InEvent, JsonText, Suspects, phase_meant};
use crate::record::phases;
use crate::schema::{self, SlotReader};
use crate::source::Line;

/// Reads events, each in one pass.
pub(crate) struct EventReader {
    reader: SlotReader,
    slots: Slots,
    tape: LazyTape,
    own_phases: OwnPhases,
}

impl Default for EventReader {
    fn default() -> Self {
        Self {
            reader: schema::EVENT.slot_reader(&facts::EVENT),
            slots: Slots::default(),
            tape: LazyTape::default(),
            own_phases: OwnPhases::default(),
        }
    }
}

impl EventReader {
    /// Reads an event, if it certainly satisfies its schema and has nothing misspelled. `None` says
    /// nothing about the event: the caller must parse and validate it.
    #[inline]
    pub(crate) fn read<'a>(&'a mut self, line: Line, bytes: &'a [u8]) -> Option<EventFacts<'a>> {
        let text = self.reader.read(bytes, &mut self.slots)?;
        self.tape.clear();
        let lexica = self.slots.near;
        let event = EventFacts::new(
            line,
            JsonText {
                text,
                slots: &self.slots,
                refused: &[],
                tape: &self.tape,
            },
        );
        let phase = event.phase()?;
        let is_odd = self.own_phases.is_slip(&phase)
            || (lexica != 0
                && Suspects::concern(lexica, &phase, event.text(InEvent::EventType).as_deref()));
        (!is_odd).then_some(event)
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
    /// Returns `true` if a phase is probably a slip of another one.
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
