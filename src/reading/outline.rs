//! The events of a timeline, one at a time -> an outline of them all: counts, the events that
//! matter, and those that tell why the run ended as it did; and a track of those that a page shows.
//!
//! Memory does not grow with the number of events: of those that are kept, the line is kept, and
//! read again at the end.

mod calls;
mod density;
mod event_summary;
mod folding;
mod incident;
mod track;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::ground::document::{Node, Tape};
use crate::ground::printable::brief;
use crate::ground::record::phases::KnownPhase;
use crate::ground::source::Line;
use crate::ground::timestamp::Timestamp;
use crate::ground::words::Words as _;
use crate::reading::dashboard::{EventSummary, Mark, Outline, Reason};
use crate::reading::facts::{EventFacts, InEvent, Prefix};
pub(crate) use calls::CallReader;
pub(crate) use density::{Density, PhaseBin};
pub(crate) use event_summary::{TimelineClock, first_words, shown, summary_of, waits};
use folding::{Folding, Weight};
pub(crate) use incident::error_text;
use incident::incident;
use track::Track;
pub(crate) use track::Tracked;

/// The maximum number of errors of lines that an outline keeps.
const MAX_BROKEN_LINES: usize = 10;

/// The maximum number of phases that an outline counts separately; the rest are counted together.
const MAX_PHASES: usize = 100;

/// The data that is asked of a timeline in addition to its facts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listening<'n> {
    Outline,
    /// An outline, and a track that shows the lines that findings name.
    Track(&'n BTreeSet<u64>),
}

/// The reason why a line is not an event, or the timeline can't be read on.
#[derive(Clone, Debug)]
pub(crate) struct NoEvent {
    /// The line and the column, where it is a line.
    pub(crate) place: Option<(u64, u64)>,
    pub(crate) reason: String,
}

/// The result of reading the events of a timeline.
#[derive(Debug, Default)]
pub(crate) struct Outlined {
    pub(crate) outline: Outline,
    /// The first lines that are not events.
    pub(crate) broken: Vec<NoEvent>,
    pub(crate) track: Vec<Tracked>,
    /// The number of all events over time, where a track is wanted.
    pub(crate) density: Density,
    pub(crate) clock: TimelineClock,
}

/// A timeline on its way to an outline.
pub(crate) struct OutlineReader<'n> {
    outlined: Outlined,
    folding: Folding,
    /// The clarity of the failure and the veto of the outline, of which the clearer event counts.
    clarity: [u8; 2],
    track: Option<Track<'n>>,
}

impl<'n> OutlineReader<'n> {
    pub(crate) fn new(listening: Listening<'n>) -> Self {
        Self {
            outlined: Outlined::default(),
            folding: Folding::default(),
            clarity: [0; 2],
            track: match listening {
                Listening::Outline => None,
                Listening::Track(named) => Some(Track::new(named)),
            },
        }
    }

    /// Adds the next event.
    pub(crate) fn event(&mut self, event: EventFacts<'_>) {
        let line = event.line;
        let text = |slot| incident::text(event, slot);
        let phase = event_summary::cut(text(InEvent::Phase).unwrap_or_default());
        let at = text(InEvent::Timestamp).and_then(|text| Timestamp::parse(&text));
        let offset_sec = at.map(|at| self.outlined.clock.offset(&at));
        let marked = incident::mark(event);

        if let Some(prefix) = Prefix::of(event) {
            self.outlined.outline.anchor = Some(prefix);
        }
        if line.number == 2 && phase == "observe" {
            self.outlined.outline.imported = event.node().and_then(imported);
        }

        count(&mut self.outlined.outline, &phase);
        if marked.is_some() || phase == "terminate" {
            self.incident(event, &phase, marked, offset_sec);
        }

        if marked.is_none()
            && let Some(step) = incident::good_step(event)
        {
            self.make_good(&brief(&step));
        }

        let mark = marked.map(|(mark, _)| mark);
        if let Some(track) = &mut self.track {
            track.add(line, mark.is_some());
            if let Some(at) = offset_sec {
                self.outlined
                    .density
                    .add(&phase, line.number, at);
                if let Some(step) = text(InEvent::StepId) {
                    let is_begun = text(InEvent::StepStatus).as_deref() == Some("running");
                    track.step(line.number, brief(&step), at, is_begun);
                }
            }
        }

        self.folding
            .add(weight(&phase, mark), lasting(&phase), line);
    }

    /// Keeps the incident in an event, if none of its kind is clearer: its mark comes with its
    /// clarity.
    fn incident(
        &mut self,
        event: EventFacts<'_>,
        phase: &str,
        marked: Option<(Mark, u8)>,
        offset_sec: Option<f64>,
    ) {
        let Some(node) = event.node() else { return };
        let incident = Reason {
            offset_sec,
            ..incident(node, event.line.number, marked)
        };

        let outline = &mut self.outlined.outline;
        if phase == "terminate" {
            outline.end = Some(incident.clone());
        }

        let [failure, veto] = &mut self.clarity;
        match marked {
            Some((Mark::Failed, clarity)) if clarity >= *failure => {
                *failure = clarity;
                outline.failure = Some(incident);
            }
            Some((Mark::Vetoed, clarity)) if clarity >= *veto => {
                *veto = clarity;
                outline.veto = Some(incident);
            }
            _ => {}
        }
    }

    /// Drops the failure of a step that was made good: it does not count.
    fn make_good(&mut self, step: &str) {
        let failure = &mut self.outlined.outline.failure;
        let failed = failure
            .as_ref()
            .and_then(|it| it.step_id.as_deref());

        if failed == Some(step) {
            self.clarity[0] = 0;
            *failure = None;
        }
    }

    /// Adds a line that is not an event, or the place beyond which nothing can be read.
    pub(crate) fn no_event(&mut self, why: impl FnOnce() -> NoEvent) {
        self.outlined.outline.broken_lines += 1;
        if self.outlined.broken.len() < MAX_BROKEN_LINES {
            self.outlined.broken.push(why());
        }
    }

    /// Finishes the outline after all events; `read_again` reads a line of them again.
    pub(crate) fn finish(self, read_again: impl Fn(Line, &mut Vec<u8>) -> bool) -> Outlined {
        let mut outlined = self.outlined;
        let (mut tape, mut bytes) = (Tape::default(), Vec::new());
        let (mut clock, dated) = (outlined.clock.clone(), &mut outlined.outline);
        dated.rows = self.folding.rows(|phase, line| {
            let number = line.number;
            let event = read_again(line, &mut bytes)
                .then_some(&*bytes)
                .and_then(|bytes| tape.read_record(bytes).ok());
            let Some(event) = event.map(crate::ground::document::Document::root) else {
                return EventSummary {
                    line: number,
                    phase: phase.into_owned(),
                    ..EventSummary::default()
                };
            };

            summary_of(number, event, clock.offset_of(event))
        });
        outlined.track = self
            .track
            .map(Track::finish)
            .unwrap_or_default();

        outlined
    }
}

/// Returns the format of the log that a note says a run was made of.
fn imported(event: Node<'_>) -> Option<String> {
    let kind = event.at(&["payload", "kind"])?.text()?;
    let format = event
        .at(&["payload", "format"])?
        .text()?;
    (kind == "import").then(|| brief(&format))
}

/// Counts an event of a phase.
fn count(outline: &mut Outline, phase: &str) {
    outline.events += 1;
    if let Some(counted) = outline.phases.get_mut(phase) {
        *counted += 1;
        return;
    }

    let is_known = outline.phases.len() < MAX_PHASES;
    let phase = if is_known { phase } else { "(others)" };
    *outline
        .phases
        .entry(phase.to_owned())
        .or_default() += 1;
}

/// Returns the importance of an event.
fn weight(phase: &str, mark: Option<Mark>) -> Weight {
    match (phase, mark) {
        (_, Some(_)) => Weight::Marked,
        ("start" | "plan" | "act" | "direction" | "terminate", None) => Weight::Kept,
        _ => Weight::Light,
    }
}

/// Returns a phase that outlasts its event.
fn lasting(phase: &str) -> Cow<'static, str> {
    match KnownPhase::of_word(phase) {
        Some(known) => Cow::Borrowed(known.word()),
        None => Cow::Owned(phase.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::ReadText;
    use crate::reading::facts::{EVENT, JsonText};

    #[test]
    fn slots_and_tape_give_an_event_the_same_mark() {
        const LINE: Line = Line {
            number: 1,
            offset: 0,
            length: 0,
        };
        for (event, is_marked) in [
            (
                r#"{"phase":"act","payload":{"step_status":"failed"}}"#,
                true,
            ),
            (
                r#"{"phase":"act","payload":{"result_status":"error"}}"#,
                true,
            ),
            (
                r#"{"phase":"plan","payload":{"result_status":"error"}}"#,
                false,
            ),
            (
                r#"{"phase":"x","payload":{"error":{"message":"no"}}}"#,
                true,
            ),
            (r#"{"phase":"x","payload":{"error":7}}"#, true),
            (r#"{"phase":"x","payload":{"error":" "}}"#, false),
            (r#"{"phase":"x","payload":{"error":false}}"#, false),
            (r#"{"phase":"x","payload":["error"]}"#, false),
            (r#"{"phase":"x","payload":{"decision":"d\u0065ny"}}"#, true),
            (
                r#"{"phase":"x","payload":{"decision":"veto","enforced":false}}"#,
                false,
            ),
            (
                r#"{"phase":"direction","payload":{"status":"blocked"}}"#,
                true,
            ),
            (r#"{"phase":"x","payload":{"status":"blocked"}}"#, false),
            (r#"{"event_type":"step.vetoed","phase":7}"#, true),
        ] {
            let mut read = ReadText::default();
            let text = read
                .parse(event.as_bytes(), &EVENT)
                .unwrap();
            let facts = EventFacts::new(
                LINE,
                JsonText {
                    text,
                    read: &read,
                    refused: &[],
                },
            );
            let mut reader = OutlineReader::new(Listening::Outline);
            reader.event(facts);
            let outline = reader.outlined.outline;
            let by_slots = outline.failure.is_some() || outline.veto.is_some();
            let node = facts.node().unwrap();
            let by_tape = summary_of(1, node, None).mark;
            assert_eq!(by_slots, is_marked, "{event}");
            assert_eq!(by_tape.is_some(), is_marked, "{event}");
        }
    }
}
