//! The events of a timeline, one at a time -> an outline of them all: counts, the events that
//! matter, and those that tell why the run ended as it did; and a track of those that a page shows.
//!
//! Memory does not grow with the number of events: of those that are kept, the line is kept, and
//! read again at the end.

mod density;
mod folding;
mod incident;
mod moment;
mod track;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::dashboard::{DashboardMoment, Mark, Outline};
use crate::document::{Kind, Node, Tape};
use crate::facts::{EventFacts, InEvent};
use crate::printable::brief;
use crate::record::phases;
use crate::source::Line;
use crate::timestamp::Timestamp;
pub(crate) use density::{Bin, Density};
use folding::{Folding, Weight};
pub(crate) use incident::error_text;
use incident::{IncidentText, Signs};
pub(crate) use moment::{TimelineClock, moment, shown, waits};
use track::Track;
pub(crate) use track::Tracked;

/// The maximum number of errors of lines that an outline keeps.
const MAX_BROKEN_LINES: usize = 10;

/// The maximum number of phases that an outline counts separately; the rest are counted together.
const MAX_PHASES: usize = 100;

/// The maximum number of phases whose events are counted together: those of others are read one by
/// one.
const GLANCED_PHASES: usize = 32;

/// The data that is wanted of a timeline in addition to its facts.
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
    /// The clarity of the failure and the veto of the outline, see [`Signs`].
    clarity: [u8; 2],
    track: Option<Track<'n>>,
}

/// The events of a block of lines, each read only as far as its count and its fold need. Most
/// events of a long timeline need no more.
#[derive(Default)]
pub(crate) struct Glances {
    done: Vec<Stretch>,
    open: Stretch,
}

/// Consecutive events that are not read in full, and the line after them, which is.
#[derive(Default)]
pub(crate) struct Stretch {
    passing: Vec<Passing>,
    phases: Vec<(Cow<'static, str>, u64)>,
    pub(crate) then: Option<Line>,
}

/// An event that is not read in full.
struct Passing {
    line: Line,
    /// The place of its phase among those of the stretch.
    phase: usize,
    step: Option<Box<PassingStep>>,
    /// The instant at which it happened, where a track is wanted.
    at: Option<Timestamp>,
}

/// The step of such an event, and what happened to it.
struct PassingStep {
    id: String,
    /// `true` if it was done, or its action ended well.
    is_good: bool,
    is_begun: bool,
}

/// The keys of a payload that may say that something failed or was vetoed.
const TELLING: [(&str, InEvent); 4] = [
    ("result_status", InEvent::ResultStatus),
    ("decision", InEvent::Decision),
    ("status", InEvent::Status),
    ("error", InEvent::Error),
];

/// Returns the slot of a key of a payload that tells how an event went.
fn told_under(key: &str) -> Option<InEvent> {
    match key {
        "step_id" => Some(InEvent::StepId),
        "step_status" => Some(InEvent::StepStatus),
        _ => TELLING
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, slot)| *slot),
    }
}

/// Returns `true` if an event may tell of an error.
fn may_have_error(event: EventFacts<'_>) -> bool {
    event
        .value(InEvent::Error)
        .is_some_and(|error| match error.kind() {
            Kind::Null | Kind::False => false,
            Kind::String => error.string().is_some_and(|text| !text.trim().is_empty()),
            _ => true,
        })
}

impl Glances {
    /// Adds an event. It is read in full only if something failed or was vetoed in it, or it ended
    /// the run.
    pub(crate) fn add(&mut self, event: EventFacts<'_>, with_steps: bool) {
        let (line, phase) = (event.line, event.phase());
        let phase = phase.as_deref().unwrap_or_default();
        let said = IncidentText {
            text: |key: &str| event.text(told_under(key)?),
            has_error: || may_have_error(event),
        };
        let event_type = event.text(InEvent::EventType);
        let event_type = event_type.as_deref();
        let sets_status = event.value(InEvent::StepStatus).is_some();
        let tells = sets_status || TELLING.iter().any(|(_, slot)| event.value(*slot).is_some());
        let needs_more = phase == "terminate"
            || ((tells || event_type.is_some()) && said.mark(phase, event_type, || true).is_some());
        let place = (!needs_more).then(|| self.count(phase)).flatten();
        let Some(phase) = place else {
            return self.look(line);
        };
        let good = tells.then(|| said.good_step(sets_status)).flatten();
        let is_good = good.is_some();
        let step = good.or_else(|| with_steps.then(|| event.text(InEvent::StepId)).flatten());
        let step = step.map(|id| {
            Box::new(PassingStep {
                id: brief(&id),
                is_good,
                is_begun: event.text(InEvent::StepStatus).as_deref() == Some("running"),
            })
        });
        let at = with_steps.then(|| event.timestamp()).flatten();
        self.open.passing.push(Passing {
            line,
            phase,
            step,
            at: at.map(|stamp| stamp.instant),
        });
    }

    /// Adds a line that must be read in full.
    pub(crate) fn look(&mut self, line: Line) {
        let mut open = std::mem::take(&mut self.open);
        open.then = Some(line);
        self.done.push(open);
    }

    /// Returns the stretches between the lines that need more.
    pub(crate) fn stretches(self) -> impl Iterator<Item = Stretch> {
        self.done.into_iter().chain([self.open])
    }

    /// Counts an event of a phase; returns its place, if there is room.
    fn count(&mut self, phase: &str) -> Option<usize> {
        let phases = &mut self.open.phases;
        let phase = moment::cut(Cow::Borrowed(phase));
        let place = phases.iter().position(|(known, _)| *known == phase);
        let place = place.unwrap_or(phases.len());
        if place == phases.len() && place < GLANCED_PHASES {
            phases.push((lasting(&phase), 0));
        }
        phases.get_mut(place)?.1 += 1;
        Some(place)
    }
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

    /// Returns `true` if the steps of events are wanted.
    pub(crate) fn wants_steps(&self) -> bool {
        self.track.is_some()
    }

    /// Returns `true` if events of a long timeline are folded, and the time of the first one is
    /// known, so that the next ones need not be read in full.
    pub(crate) fn is_under_way(&self) -> bool {
        self.folding.is_long() && self.outlined.clock.started.is_some()
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, line: Line, event: Node<'_>) {
        let Outlined { outline, clock, .. } = &mut self.outlined;
        let offset_sec = clock.offset(event);
        let phase = moment::phase(event);
        let signs = Signs::of(event, &phase);
        count(outline, &phase, 1);
        let incident = || signs.incident(line.number, offset_sec);
        let [failure, veto] = &mut self.clarity;
        match signs.mark {
            Some(Mark::Failed) if signs.clarity >= *failure => {
                *failure = signs.clarity;
                outline.failure = Some(incident());
            }
            Some(Mark::Vetoed) if signs.clarity >= *veto => {
                *veto = signs.clarity;
                outline.veto = Some(incident());
            }
            _ => {}
        }
        if phase == "terminate" {
            outline.end = Some(incident());
        }
        if let Some(track) = &mut self.track {
            track.add(line, signs.mark.is_some());
            let text = |key: &str| event.at(&["payload", key])?.text();
            if let Some(at) = offset_sec {
                self.outlined.density.add(&phase, line.number, at);
            }
            if let (Some(step), Some(at)) = (text("step_id"), offset_sec) {
                let is_begun = text("step_status").as_deref() == Some("running");
                track.step(line.number, brief(&step), at, is_begun);
            }
        }
        if signs.mark.is_none()
            && let Some(step) = signs.good_step()
        {
            self.make_good(&step);
        }
        self.folding
            .add(weight(&phase, signs.mark), lasting(&phase), line);
    }

    /// Drops the failure of a step that was made good: it does not count.
    fn make_good(&mut self, step: &str) {
        let failure = &mut self.outlined.outline.failure;
        let failed = failure.as_ref().and_then(|it| it.step_id.as_deref());
        if failed == Some(step) {
            self.clarity[0] = 0;
            *failure = None;
        }
    }

    /// Adds a line that is not an event, or the place beyond which nothing can be read.
    pub(crate) fn no_event(&mut self, why: NoEvent) {
        self.outlined.outline.broken_lines += 1;
        if self.outlined.broken.len() < MAX_BROKEN_LINES {
            self.outlined.broken.push(why);
        }
    }

    /// Adds a stretch of events that another thread has read.
    pub(crate) fn glanced(&mut self, stretch: Stretch) {
        let Stretch {
            passing, phases, ..
        } = stretch;
        for (phase, number) in phases.iter().filter(|(_, number)| *number > 0) {
            count(&mut self.outlined.outline, phase, *number);
        }
        for passed in passing {
            let Passing { line, phase, .. } = passed;
            let at = (passed.at).and_then(|at| self.outlined.clock.offset_of(&at));
            if let Some(step) = passed.step {
                self.glanced_step(line, *step, at);
            }
            if let Some(track) = &mut self.track {
                track.add(line, false);
            }
            if let Some((phase, _)) = phases.get(phase) {
                if let Some(at) = at {
                    self.outlined.density.add(phase, line.number, at);
                }
                self.folding.add(weight(phase, None), phase.clone(), line);
            }
        }
    }

    fn glanced_step(&mut self, line: Line, step: PassingStep, at: Option<f64>) {
        if step.is_good {
            self.make_good(&step.id);
        }
        if let (Some(track), Some(at)) = (&mut self.track, at) {
            track.step(line.number, step.id, at, step.is_begun);
        }
    }

    /// Finishes the outline after all events; `read_again` reads a line of them again.
    pub(crate) fn finish(self, read_again: impl Fn(Line, &mut Vec<u8>) -> bool) -> Outlined {
        let mut outlined = self.outlined;
        let (mut tape, mut bytes) = (Tape::default(), Vec::new());
        let (mut clock, dated) = (outlined.clock.clone(), &mut outlined.outline);
        dated.rows = self.folding.rows(|kept| {
            let number = kept.line.number;
            let read = read_again(kept.line, &mut bytes).then_some(&*bytes);
            let event = read.and_then(|bytes| tape.read_record(bytes).ok());
            let Some(event) = event.map(crate::document::Document::root) else {
                return DashboardMoment {
                    line: number,
                    phase: kept.phase.into_owned(),
                    ..DashboardMoment::default()
                };
            };
            moment(number, event, clock.offset(event))
        });
        outlined.track = self.track.map(Track::finish).unwrap_or_default();
        outlined
    }
}

/// Counts events of a phase.
fn count(outline: &mut Outline, phase: &str, number: u64) {
    outline.events += number;
    if let Some(counted) = outline.phases.get_mut(phase) {
        *counted += number;
        return;
    }
    let is_known = outline.phases.len() < MAX_PHASES;
    let phase = if is_known { phase } else { "(others)" };
    *outline.phases.entry(phase.to_owned()).or_default() += number;
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
    match phases::known(phase) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(phase.to_owned()),
    }
}
