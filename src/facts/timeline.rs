//! Events, one at a time -> what rules need to know about the whole timeline.
//!
//! What is kept does not grow with the number of events: the latest of each kind, counts, and one
//! entry for each step and each action of the state.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::act::KeptAct;
use super::event::KeptEvent;
use super::note::{ActNote, EventNote};
use super::slips::Slips;
use super::tally::Tally;
use super::value::Stamp;
use crate::document::{Node, Tape};
use crate::record::StepStatus;
use crate::source::Line;

/// A value that events update: the latest one, and the latest one up to the latest projection
/// event.
#[derive(Debug)]
struct Latest<T> {
    current: (u64, T),
    settled: Option<Box<(u64, T)>>,
}

impl<T> Latest<T> {
    /// Updates the value from a line, given the value before it.
    fn after(before: Option<Self>, line: u64, value: T, projection_line: u64) -> Self {
        let settled = before.and_then(|before| {
            if before.current.0 <= projection_line {
                Some(Box::new(before.current))
            } else {
                before.settled
            }
        });
        Self {
            current: (line, value),
            settled,
        }
    }

    fn as_of(&self, reach: u64) -> Option<&T> {
        if self.current.0 <= reach {
            Some(&self.current.1)
        } else {
            self.settled.as_ref().map(|settled| &settled.1)
        }
    }
}

/// A plan event, and what later act events say about its steps.
#[derive(Debug)]
struct PlanTrace {
    event: KeptEvent,
    /// The ids of its step records, computed on first use.
    step_ids: Option<BTreeSet<String>>,
    statuses: BTreeMap<String, Latest<StepEvidence>>,
}

impl PlanTrace {
    /// Whether the plan event has a record of a step.
    fn has_step(&mut self, id: &str, tape: &mut Tape) -> bool {
        let step_ids = self.step_ids.get_or_insert_with(|| {
            let document = tape.read_record(&self.event.text).ok();
            let records = document.and_then(|event| event.root().at(&["payload", "step_records"]));
            let ids = records
                .into_iter()
                .flat_map(Node::items)
                .filter_map(|record| record.get("id")?.text());
            let ids = ids.map(Cow::into_owned).collect();
            tape.release();
            ids
        });
        step_ids.contains(id)
    }
}

/// What an act event says about a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepEvidence {
    pub(crate) line: Line,
    /// The status; `None` where the event has an unknown status, so that of the step is unknown.
    pub(crate) status: Option<StepStatus>,
}

/// The start event.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) line: Line,
    pub(crate) timestamp: Option<Stamp<'static>>,
}

/// The events of other runs.
#[derive(Debug)]
pub(crate) struct ForeignEvents {
    pub(crate) first: Line,
    pub(crate) id: String,
    pub(crate) lines: u64,
}

/// What rules need to know about a timeline.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The first line that is not an event.
    pub(crate) broken_line: Option<Line>,
    /// A last line that may still be written.
    pub(crate) unfinished_line: Option<Line>,
    /// What is probably misspelled.
    pub(crate) slips: Slips,
    pub(crate) start: Option<Start>,
    pub(crate) foreign: Option<ForeignEvents>,
    pub(crate) tally: Tally,
    pub(crate) projection: Option<KeptEvent>,
    plan: Option<Latest<PlanTrace>>,
    /// The first act event that has an action's id.
    first_act_id: Option<u64>,
    /// The latest act event for each id that an action of the state has.
    acts: BTreeMap<String, Latest<KeptAct>>,
}

impl Timeline {
    pub(crate) fn projection_line(&self) -> Option<u64> {
        self.projection.as_ref().map(|event| event.line.number)
    }

    /// The latest plan event up to a line.
    pub(crate) fn plan_event(&self, reach: u64) -> Option<&KeptEvent> {
        Some(&self.plan.as_ref()?.as_of(reach)?.event)
    }

    /// What the act events after that plan event, up to a line, say about a step.
    pub(crate) fn step_evidence(&self, reach: u64, step_id: &str) -> Option<StepEvidence> {
        self.plan
            .as_ref()?
            .as_of(reach)?
            .statuses
            .get(step_id)?
            .as_of(reach)
            .copied()
    }

    /// Whether any act event up to a line has an action's id.
    pub(crate) fn names_actions(&self, reach: u64) -> bool {
        self.first_act_id.is_some_and(|line| line <= reach)
    }

    /// The latest act event up to a line that has the id of an action.
    pub(super) fn act(&self, reach: u64, id: &str) -> Option<&KeptAct> {
        self.acts.get(id)?.as_of(reach)
    }
}

/// The bytes of act events that are kept of one timeline, at most: beyond that, they are read again
/// where they are needed.
const MAX_ACT_BYTES: usize = 16 << 20;

/// Reads events one by one.
pub(crate) struct TimelineReader<'a> {
    timeline: Timeline,
    expected_id: Option<&'a str>,
    /// The ids of the state's steps, sorted.
    step_ids: Vec<Cow<'a, str>>,
    /// The ids of the state's actions, sorted.
    action_ids: Vec<Cow<'a, str>>,
    plan_tape: Tape,
    act_bytes_left: usize,
}

impl<'a> TimelineReader<'a> {
    /// A reader of the timeline of a run: its id, and the ids of its state's steps and actions.
    pub(crate) fn new(
        expected_id: Option<&'a str>,
        mut step_ids: Vec<Cow<'a, str>>,
        mut action_ids: Vec<Cow<'a, str>>,
    ) -> Self {
        step_ids.sort_unstable();
        action_ids.sort_unstable();
        Self {
            timeline: Timeline::default(),
            expected_id,
            step_ids,
            action_ids,
            plan_tape: Tape::default(),
            act_bytes_left: MAX_ACT_BYTES,
        }
    }

    /// The id of the run.
    pub(crate) fn expected_id(&self) -> Option<&'a str> {
        self.expected_id
    }

    pub(crate) fn finish(self) -> Timeline {
        self.timeline
    }

    pub(crate) fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }

    /// Adds one event that was counted: its note, its text, and the tokens that its schema refuses.
    pub(crate) fn event(
        &mut self,
        line: Line,
        event: &EventNote<'_>,
        text: &[u8],
        refused: &[u32],
    ) {
        if !event.matters(self.expected_id) {
            return;
        }
        if event.is_foreign(self.expected_id) {
            let id = event.episode_id.clone().unwrap_or_default().into_owned();
            self.timeline
                .foreign
                .get_or_insert(ForeignEvents {
                    first: line,
                    id,
                    lines: 0,
                })
                .lines += 1;
        }
        match event.phase.as_deref() {
            Some("start") if self.timeline.start.is_none() => {
                let timestamp = event
                    .timestamp
                    .clone()
                    .and_then(Stamp::of)
                    .map(Stamp::into_owned);
                self.timeline.start = Some(Start { line, timestamp });
            }
            Some("runtime") if event.event_type.as_deref() == Some("run.state_projection") => {
                keep(&mut self.timeline.projection, line, text);
            }
            Some("plan") => self.plan(line, text),
            Some(phase) => match &event.act {
                Some(act) => self.act(line, act, text, refused),
                None => self.timeline.slips.add_phase(line, phase),
            },
            None => {}
        }
    }

    fn plan(&mut self, line: Line, text: &[u8]) {
        let event = KeptEvent {
            line,
            text: text.to_owned(),
        };
        let trace = PlanTrace {
            event,
            step_ids: None,
            statuses: BTreeMap::new(),
        };
        let (before, projection_line) = (
            self.timeline.plan.take(),
            self.timeline.projection_line().unwrap_or(0),
        );
        self.timeline.plan = Some(Latest::after(before, line.number, trace, projection_line));
    }

    fn act(&mut self, line: Line, act: &ActNote<'_>, text: &[u8], refused: &[u32]) {
        let projection_line = self.timeline.projection_line().unwrap_or(0);
        if let (Some((step_id, status)), Some(plan)) = (&act.step, &mut self.timeline.plan) {
            let trace = &mut plan.current.1;
            if self.step_ids.binary_search(step_id).is_ok()
                || trace.has_step(step_id, &mut self.plan_tape)
            {
                let before = trace.statuses.remove(&**step_id);
                let evidence = StepEvidence {
                    line,
                    status: *status,
                };
                let after = Latest::after(before, line.number, evidence, projection_line);
                trace.statuses.insert(step_id.clone().into_owned(), after);
            }
        }
        let Some(id) = &act.action_id else { return };
        self.timeline.first_act_id.get_or_insert(line.number);
        if self.action_ids.binary_search(id).is_ok() {
            // Compared only once, after all events are read: many events may name one action, and
            // many actions may share an id.
            let before = self.timeline.acts.remove(&**id);
            let kept = KeptAct::new(line, act, text, refused, &mut self.act_bytes_left);
            let after = Latest::after(before, line.number, kept, projection_line);
            self.timeline.acts.insert(id.clone().into_owned(), after);
        }
    }
}

fn keep(slot: &mut Option<KeptEvent>, line: Line, text: &[u8]) {
    let kept = slot.get_or_insert_with(|| KeptEvent {
        line,
        text: Vec::new(),
    });
    kept.line = line;
    kept.text.clear();
    kept.text.extend_from_slice(text);
}
