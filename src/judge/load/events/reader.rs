//! The bytes of events -> their facts, for those that are certainly sound.

use crate::ground::document::ReadText;
use crate::ground::source::Line;
use crate::reading::facts::{self, EventFacts, InEvent, JsonText, may_be_misspelled, phase_meant};
use crate::reading::schema::{self, SlotReader};

/// A reader of events, each in one pass.
pub(in crate::judge) struct EventReader {
    reader: SlotReader,
    read: ReadText,
    /// The phases of a runtime's own that were met and are not typos: of each, all words that it
    /// may be a misspelling of would be tried again.
    own_phases: Vec<Box<str>>,
}

impl Default for EventReader {
    fn default() -> Self {
        Self {
            reader: schema::EVENT.slot_reader(&facts::EVENT),
            read: ReadText::default(),
            own_phases: Vec::new(),
        }
    }
}

impl EventReader {
    /// Reads an event, if it certainly satisfies its schema and has nothing misspelled. `None` says
    /// nothing about the event: the caller must parse and validate it. What a team declares is
    /// judged in events without repeated keys.
    #[inline]
    pub(in crate::judge) fn read<'a>(
        &'a mut self,
        line: Line,
        bytes: &'a [u8],
        is_for_team: bool,
    ) -> Option<EventFacts<'a>> {
        self.reader.refuses_repeated_keys = is_for_team;
        let text = self
            .reader
            .read(bytes, self.read.renew())?;
        let lexica = self.read.slots.near;
        let event = EventFacts::new(
            line,
            JsonText {
                text,
                read: &self.read,
                refused: &[],
            },
        );
        let is_typo = !event.has_known_phase() && is_typo(&mut self.own_phases, &event.phase()?);
        let has_typo = lexica != 0
            && event.phase().is_none_or(|phase| {
                let event_type = event.text(InEvent::EventType);
                may_be_misspelled(lexica, &phase, event_type.as_deref())
            });

        (!is_typo && !has_typo).then_some(event)
    }
}

/// The number of phases of a runtime's own that are remembered, and the bytes of each.
const OWN_PHASES: usize = 16;
const LONGEST_OWN_PHASE: usize = 64;

/// Returns `true` if a phase is probably a misspelling of another one; else it is remembered.
#[inline]
fn is_typo(own_phases: &mut Vec<Box<str>>, phase: &str) -> bool {
    if own_phases
        .iter()
        .any(|own| **own == *phase)
    {
        return false;
    }

    let is_typo = phase_meant(phase).is_some();
    if !is_typo && own_phases.len() < OWN_PHASES && phase.len() <= LONGEST_OWN_PHASE {
        own_phases.push(phase.into());
    }

    is_typo
}

#[cfg(test)]
mod tests {
    use crate::ground::document::ReadText;
    use crate::ground::source::Line;
    use crate::reading::facts::{self, EventFacts, JsonText, Typos};

    use super::EventReader;

    const LINE: Line = Line {
        number: 1,
        offset: 0,
        length: 0,
    };

    /// Returns whether the reader accepts an event, and whether the event has a typo.
    fn judged(event: &str) -> (bool, bool) {
        let is_accepted = EventReader::default()
            .read(LINE, event.as_bytes(), false)
            .is_some();
        let (mut read, mut typos) = (ReadText::default(), Typos::default());
        let text = read
            .parse(event.as_bytes(), &facts::EVENT)
            .unwrap();
        let of = JsonText {
            text,
            read: &read,
            refused: &[],
        };
        typos.add(EventFacts::new(LINE, of));
        (is_accepted, typos.iter().next().is_some())
    }

    #[test]
    fn event_with_a_typo_is_not_accepted() {
        let event = |phase: &str, event_type: &str, payload: &str| {
            format!(
                r#"{{"event_type":"{event_type}","payload":{{{payload}}},"phase":"{phase}","timestamp":"2026-01-01T00:00:00Z"}}"#
            )
        };
        let projection = "run.state_projection";
        for (phase, event_type, payload) in [
            ("Plan", "", ""),
            ("plann", "", ""),
            ("plan", "", r#""step-records":[]"#),
            ("act", "", r#""stepid":"a""#),
            ("runtime", projection, r#""outcome":{}"#),
        ] {
            let event = event(phase, event_type, payload);
            assert_eq!(judged(&event), (false, true), "{event}");
        }
        for (phase, event_type, payload) in [
            ("planning", "", ""),
            ("observe", "", r#""stepid":"a","outcome":{}"#),
            ("act", "", r#""outcome":{}"#),
            ("runtime", "other", r#""outcome":{}"#),
        ] {
            let event = event(phase, event_type, payload);
            assert_eq!(judged(&event), (true, false), "{event}");
        }
        let near =
            r#"{"payload":{},"phase":"act","timestamps":1,"timestamp":"2026-01-01T00:00:00Z"}"#;
        assert_eq!(judged(near), (true, false), "the known key is there too");
    }
}
