//! Events, one at a time -> what rules need to know about the whole timeline.
//!
//! What is kept does not grow with the number of events: the latest of each kind, counts, and an
//! entry for each step and each action of the state, as of each line that the state may be as old
//! as.
//!
//! The recorder folds events too (`src/recorder/fold.rs`), into a state that it writes. The two
//! share no code: what that fold writes is the oracle for this one, which judges it.

use std::borrow::Cow;

use super::act::Acts;
use super::as_of::{AsOf, AsOfMarks};
use super::event::{ActFacts, EventFacts, KeptEvent};
use super::evidence::{PlanTrace, StepEvidence};
use super::slots::InEvent;
use super::strict::Stamped;
use super::tally::EventTally;
use super::typos::Typos;
use super::value::RowItem;
use crate::ground::digest::FileDigest;
use crate::ground::finding::MAX_FINDINGS_PER_RULE;
use crate::ground::printable::quote;
use crate::ground::record::StepStatus;
use crate::ground::record::phases::{KnownPhase, PROJECTION};
use crate::ground::source::Line;
use crate::ground::words::Words as _;

/// Events with an id of something that this run does not have: the id of another run, or that of
/// an action that its state lacks.
#[derive(Debug)]
pub(crate) struct EventsOfOthers {
    pub(crate) first: Line,
    /// The id of the first, as messages show it, and the key that it is under.
    pub(crate) id: String,
    pub(crate) key: &'static str,
    pub(crate) lines: u64,
}

impl EventsOfOthers {
    fn count(found: &mut Option<Self>, first: Line, id: &str, key: &'static str) {
        let new = || Self {
            first,
            id: quote(id),
            key,
            lines: 0,
        };

        found.get_or_insert_with(new).lines += 1;
    }
}

/// The facts about a timeline that rules need.
#[derive(Default)]
pub(crate) struct Timeline<'a> {
    /// The first line that is not an event.
    pub(crate) broken_line: Option<Line>,
    /// A last line that may still be written.
    pub(crate) unfinished_line: Option<Line>,
    /// The keys and phases that are probably misspelled.
    pub(crate) typos: Typos,
    pub(crate) start: Option<Stamped>,
    pub(crate) foreign: Option<EventsOfOthers>,
    pub(crate) tally: EventTally,
    pub(crate) projection: Option<KeptEvent>,
    /// The lines as of which plan and actions are known; none where only the end matters.
    pub(super) marks: AsOfMarks,
    plan: Option<AsOf<PlanTrace>>,
    /// `true` if more would have to be kept than [`MAX_KEPT_BYTES`], so that nothing can be said.
    pub(crate) exceeds_memory: bool,
    /// The first act event that has an action's id.
    first_act_id: Option<u64>,
    /// The latest act event for each id that an action of the state has.
    pub(super) acts: Acts<'a>,
    /// The others, without those that the runtime made up.
    pub(crate) unrecorded: Option<EventsOfOthers>,
    /// The terminate events that count what is lost, each with the number as messages show it: the
    /// first [`MAX_FINDINGS_PER_RULE`].
    pub(crate) lost: Vec<(Line, String)>,
    /// The number of terminate events.
    pub(crate) terminates: u64,
}

impl Timeline<'_> {
    /// Returns the latest plan event up to a line.
    pub(in crate::reading) fn plan_event(&self, reach: u64) -> Option<&KeptEvent> {
        Some(&self.plan.as_ref()?.at(reach)?.event)
    }

    /// Returns what the act events after that plan event, up to a line, say about a step.
    pub(in crate::reading) fn step_evidence(
        &self,
        reach: u64,
        step_id: &str,
    ) -> Option<StepEvidence> {
        self.plan
            .as_ref()?
            .at(reach)?
            .at(reach, step_id)
    }

    /// Returns the bytes that are kept of events.
    fn kept_bytes(&self) -> usize {
        let plans: usize = self
            .plan
            .iter()
            .flat_map(AsOf::values)
            .map(|trace| trace.bytes)
            .sum();
        let projection = self.projection.as_ref();
        plans + self.acts.bytes + projection.map_or(0, KeptEvent::bytes)
    }

    /// Returns `true` if any act event up to a line has an action's id.
    pub(crate) fn names_actions(&self, reach: u64) -> bool {
        self.first_act_id
            .is_some_and(|line| line <= reach)
    }

    /// Returns `true` if an action of the state has an id, and no act event has it.
    pub(crate) fn lacks_an_act(&self) -> bool {
        self.acts.lack_an_event()
    }

    /// Returns the line of the latest act event that has the id of an action.
    pub(crate) fn line_of_action(&self, id: &str) -> Option<u64> {
        Some(self.acts.at(u64::MAX, id)?.line.number)
    }
}

/// The bytes that are kept of one timeline, at most: the texts of plan and projection events, and
/// what act events say of steps and actions. It is enough for one of each as long as a line may be,
/// or for evidence for as many steps as a line may have.
const MAX_KEPT_BYTES: usize = 192 << 20;

/// The bytes beyond which so much is kept that the episode is large.
const LARGE_BYTES: usize = 4 << 20;

/// A reader of events, one by one.
pub(crate) struct TimelineReader<'i, 'a> {
    /// In a box, as the reader is moved several times.
    timeline: Box<Timeline<'a>>,
    expected_id: Option<&'i str>,
    /// The ids of the state's steps, sorted.
    step_ids: Vec<Cow<'a, str>>,
    /// The bytes of the state, where it is a snapshot that may be as old as an earlier event; and
    /// their digest, computed on first use.
    snapshot: Option<(&'a [u8], Option<FileDigest>)>,
}

impl<'i, 'a> TimelineReader<'i, 'a> {
    /// Returns a reader of the timeline of a run: its id, the ids of its state's steps, the state's
    /// actions, and the bytes of the state, where it may be as old as an earlier event.
    pub(crate) fn new(
        expected_id: Option<&'i str>,
        mut step_ids: Vec<Cow<'a, str>>,
        actions: impl Iterator<Item = RowItem<'a>>,
        snapshot: Option<&'a [u8]>,
    ) -> Self {
        step_ids.sort_unstable();
        Self {
            timeline: Box::new(Timeline {
                acts: Acts::new(actions),
                ..Timeline::default()
            }),
            expected_id,
            step_ids,
            snapshot: snapshot.map(|state| (state, None)),
        }
    }

    pub(crate) fn finish(self) -> Box<Timeline<'a>> {
        self.timeline
    }

    pub(crate) fn timeline_mut(&mut self) -> &mut Timeline<'a> {
        &mut self.timeline
    }

    /// Returns `true` if so much is kept that the episode is large.
    pub(crate) fn is_large(&self) -> bool {
        self.timeline.kept_bytes() > LARGE_BYTES
    }

    /// Adds one event.
    pub(crate) fn event(&mut self, event: EventFacts<'_>) {
        let (line, timeline) = (event.line, &mut self.timeline);
        timeline.tally.event(event);
        let foreign_id = event.foreign_id(self.expected_id);
        let matters = foreign_id.is_some() || event.matters_by_phase();
        if !matters || timeline.exceeds_memory {
            return;
        }

        // A plan event is kept beside the one that it replaces.
        if timeline.kept_bytes() + event.written().len() > MAX_KEPT_BYTES {
            timeline.exceeds_memory = true;
            return;
        }

        if let Some(id) = foreign_id {
            EventsOfOthers::count(&mut timeline.foreign, line, &id, "episode_id");
        }

        match event.known_phase {
            Some(KnownPhase::Start) => {
                timeline
                    .start
                    .get_or_insert_with(|| Stamped::new(event));
            }
            Some(KnownPhase::Runtime) => match event
                .text(InEvent::EventType)
                .as_deref()
            {
                Some(PROJECTION) => self.projection(event),
                Some(other) => timeline.typos.add_type(line, other),
                None => {}
            },
            Some(KnownPhase::Plan) => self.plan(event),
            Some(KnownPhase::Terminate) => {
                timeline.terminates += 1;
                let lost = event
                    .refused()
                    .map(|refused| (line, refused.show()));
                let has_room = timeline.lost.len() < MAX_FINDINGS_PER_RULE;
                timeline
                    .lost
                    .extend(lost.filter(|_| has_room));
            }
            Some(KnownPhase::Act) => {
                if let Some(act) = event.act() {
                    self.act(event, &act);
                }
            }
            Some(_) => {}
            None => {
                if let Some(phase) = event.phase() {
                    timeline.typos.add_phase(line, &phase);
                }
            }
        }
    }

    fn projection(&mut self, event: EventFacts<'_>) {
        self.timeline.projection = Some(KeptEvent::new(event));
        if let Some((state, digest)) = &mut self.snapshot {
            let is_sealed = event
                .state_sha256()
                .is_some_and(|sealed| {
                    sealed == *digest.get_or_insert_with(|| FileDigest::of(state))
                });
            self.timeline
                .marks
                .add(event.line, is_sealed);
        }
    }

    fn plan(&mut self, event: EventFacts<'_>) {
        let trace = PlanTrace::new(event);
        let marks = self.timeline.marks;
        match &mut self.timeline.plan {
            Some(plan) => plan.set(event.line.number, trace, marks),
            none => *none = Some(AsOf::new(event.line.number, trace)),
        }
    }

    fn act(&mut self, event: EventFacts<'_>, act: &ActFacts<'_>) {
        let (line, timeline) = (event.line, &mut self.timeline);
        let marks = timeline.marks;
        let is_of_state = |id: &str, ids: &[Cow<'_, str>]| {
            ids.binary_search_by(|of| (**of).cmp(id))
                .is_ok()
        };

        match &act.step_id {
            Some(id) if act.sets_status => {
                if let Some(plan) = &mut timeline.plan {
                    let step = (&**id, is_of_state(id, &self.step_ids));
                    let said = StepEvidence {
                        line,
                        status: act.status,
                    };
                    plan.current_mut()
                        .add(step, said, marks);
                }
            }
            Some(id) => {
                let word = || event.value(InEvent::Status)?.string();
                if timeline.typos.bare_status.is_none()
                    && word().is_some_and(|word| StepStatus::of_word(&word).is_some())
                    && is_of_state(id, &self.step_ids)
                {
                    timeline.typos.bare_status = Some(line);
                }
            }
            None => {}
        }

        let Some(id) = &act.action_id else { return };
        timeline
            .first_act_id
            .get_or_insert(line.number);

        let is_of_action = timeline.acts.add(id, event, marks);

        if !is_of_action && !event.is_synthetic() {
            EventsOfOthers::count(&mut timeline.unrecorded, line, id, act.action_key);
        }
    }
}
