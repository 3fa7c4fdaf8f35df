//! The state and the timeline -> the line up to which they are compared, and what the comparison
//! finds there.
//!
//! The snapshot of a run that may be in progress is as old as the projection event that was written
//! with it. A writer may crash, or a reader come, between the two writes. So the reach is the first
//! of a few lines at which the timeline explains the snapshot.

use std::cell::OnceCell;
use std::ops::Deref;

use super::StateFacts;
use super::event::{EventFacts, KeptEvent, ReadAgain, Unread};
use super::listener::Listener;
use super::mirror::{self, Unlike};
use super::plan::{Form, Rebuilt};
use super::timeline::Timeline;
use super::value::Value;
use crate::document::{Document, Tape};
use crate::finding::Lifecycle;
use crate::source::Line;

/// What of the state is compared with the timeline up to a reach, by a rule each.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Topic {
    /// The plan: what step records and act events say of it.
    Plan,
    /// The plan: what labels of older runtimes say of it.
    Labels,
    /// Whether there is a plan event at all.
    PlanEvent,
    Actions,
}

impl Topic {
    const ALL: [Self; 4] = [Self::Plan, Self::Labels, Self::PlanEvent, Self::Actions];

    /// Whether its rule finds errors, not warnings.
    const fn is_error(self) -> bool {
        matches!(self, Self::Plan | Self::Actions)
    }
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Agrees,
    Differs,
    /// The timeline says nothing to compare with.
    Idle,
    /// A line can't be read again.
    Unread,
}

/// What the comparison of all topics comes to.
#[derive(Clone, Copy, Debug)]
struct Verdicts([Verdict; Topic::ALL.len()]);

impl Verdicts {
    fn of(self, topic: Topic) -> Verdict {
        let verdict = self.0.get(topic as usize);
        verdict.copied().unwrap_or(Verdict::Unread)
    }

    fn are_silent(self) -> bool {
        let is_silent = |verdict| matches!(verdict, Verdict::Agrees | Verdict::Idle);
        self.0.into_iter().all(is_silent)
    }

    fn any_error(self) -> bool {
        let mut errors = Topic::ALL.into_iter().filter(|topic| topic.is_error());
        errors.any(|topic| self.of(topic) == Verdict::Differs)
    }

    fn any_unread(self) -> bool {
        self.0.contains(&Verdict::Unread)
    }

    /// Whether they explain what was found elsewhere: not, where there is nothing to compare with.
    fn explain(self, others: Self) -> bool {
        let pairs = self.0.iter().zip(others.0);
        let says_nothing =
            |(here, there): (&Verdict, _)| *here == Verdict::Idle && there == Verdict::Differs;
        self.are_silent() && !pairs.into_iter().any(says_nothing)
    }
}

/// How much of the timeline the snapshot is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The projection event up to which it is; `None` for the whole timeline.
    pub(crate) event: Option<Line>,
    /// Whether that event has the digest of the snapshot.
    pub(crate) is_sealed: bool,
    /// What is known of the comparison.
    verdicts: Option<Verdicts>,
}

impl Reach {
    fn new(event: Option<Line>) -> Self {
        Self {
            event,
            is_sealed: false,
            verdicts: None,
        }
    }

    /// The number of its last line.
    pub(crate) fn line(&self) -> u64 {
        self.event.map_or(u64::MAX, |event| event.number)
    }

    /// Whether a comparison may find something: it may have been made before.
    pub(crate) fn may_differ(&self, topic: Topic) -> bool {
        let verdict = self.verdicts.map(|verdicts| verdicts.of(topic));
        !matches!(verdict, Some(Verdict::Agrees | Verdict::Idle))
    }
}

/// What is reused for the kept events of the next timeline.
#[derive(Default)]
pub(crate) struct KeptBuffers {
    pub(crate) projection_tape: Tape,
    pub(crate) plan_tape: Tape,
}

/// What a timeline says, and how the state compares with it.
pub(crate) struct TimelineFacts<'a> {
    timeline: &'a Timeline<'a>,
    state: Option<StateFacts<'a>>,
    lifecycle: Lifecycle,
    /// The latest projection event, and the plan rebuilt at the likely reach; `None` where their
    /// texts are long, so that they are read again when they are wanted.
    projection: Option<EventFacts<'a>>,
    plan: Option<Rebuilt<'a>>,
    read_again: ReadAgain<'a>,
    /// Sought on first use.
    reach: OnceCell<Option<Reach>>,
}

impl<'a> Deref for TimelineFacts<'a> {
    type Target = Timeline<'a>;

    fn deref(&self) -> &Timeline<'a> {
        self.timeline
    }
}

impl<'a> TimelineFacts<'a> {
    pub(crate) fn new(
        timeline: &'a Timeline<'a>,
        state: Option<StateFacts<'a>>,
        lifecycle: Lifecycle,
        buffers: &'a mut KeptBuffers,
        read_again: ReadAgain<'a>,
    ) -> Self {
        let mut facts = Self {
            timeline,
            state,
            lifecycle,
            projection: None,
            plan: None,
            read_again,
            reach: OnceCell::new(),
        };
        let KeptBuffers {
            projection_tape,
            plan_tape,
        } = buffers;
        let parse = |kept: &'a KeptEvent, tape: &'a mut Tape| {
            let document = tape.read_record(kept.text()?).ok()?;
            Some(event(kept.line, document))
        };
        let projection = timeline.projection.as_ref();
        facts.projection = projection.and_then(|kept| parse(kept, projection_tape));
        facts.plan = facts.likely_reach().and_then(|reach| {
            let event = parse(timeline.plan_event(reach.line())?, plan_tape)?;
            Rebuilt::new(&event, timeline, reach.line())
        });
        facts
    }

    /// Passes the latest projection event on, if there is one.
    pub(crate) fn with_projection<R>(
        &self,
        look: impl FnOnce(&EventFacts<'_>) -> R,
    ) -> Result<Option<R>, Unread> {
        match (&self.projection, &self.timeline.projection) {
            (Some(event), _) => Ok(Some(look(event))),
            (None, Some(kept)) => self.again(kept, look).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Passes the plan on that is rebuilt from the events up to a reach; `None` where there is no
    /// plan event, or its payload is not an object.
    pub(crate) fn with_plan<R>(
        &self,
        reach: &Reach,
        look: impl FnOnce(Option<&Rebuilt<'_>>) -> R,
    ) -> Result<R, Unread> {
        let line = reach.line();
        match (&self.plan, self.timeline.plan_event(line)) {
            (_, None) => Ok(look(None)),
            (Some(plan), _) if plan.reach() == line => Ok(look(Some(plan))),
            (_, Some(kept)) => self.again(kept, |event| {
                look(Rebuilt::new(event, self.timeline, line).as_ref())
            }),
        }
    }

    /// Parses an event again, from its line where that is long. Only one is held at a time.
    fn again<R>(
        &self,
        kept: &KeptEvent,
        look: impl FnOnce(&EventFacts<'_>) -> R,
    ) -> Result<R, Unread> {
        let (mut tape, mut bytes) = (Tape::default(), Vec::new());
        let text = match kept.text() {
            Some(text) => text,
            None if (self.read_again)(kept.line, &mut bytes) => &bytes,
            None => return Err(Unread),
        };
        let document = tape.read_record(text).map_err(|_| Unread)?;
        Ok(look(&event(kept.line, document)))
    }

    /// Compares the actions of the state with their act events up to a reach.
    pub(crate) fn mirror(
        &self,
        reach: &Reach,
        differences: &mut Listener<'_, Unlike>,
    ) -> Result<(), Unread> {
        match self.state {
            Some(state) if self.timeline.names_actions(reach.line()) => {
                let timeline = (self.timeline, self.read_again);
                mirror::mirror(state, timeline, reach.line(), differences)
            }
            _ => Ok(()),
        }
    }

    /// The number of steps in the state, where no plan event up to a reach gives their origin.
    pub(crate) fn steps_without_event(&self, reach: &Reach) -> usize {
        if self.timeline.plan_event(reach.line()).is_some() {
            return 0;
        }
        let steps = self.state.and_then(StateFacts::steps);
        steps.map_or(0, Iterator::count)
    }

    /// Whether there is a reach, see [`Self::reach`].
    pub(crate) fn has_reach(&self) -> bool {
        self.likely_reach().is_some()
    }

    /// How much of the timeline the snapshot is compared with; `None` in a run that may not have
    /// ended and has no projection event.
    pub(crate) fn reach(&self) -> Option<Reach> {
        *self.reach.get_or_init(|| {
            let likely = self.likely_reach()?;
            let is_certain = self.lifecycle == Lifecycle::Terminal || likely.is_sealed;
            Some(match self.state {
                Some(state) if !is_certain && self.timeline.broken_line.is_none() => {
                    self.sought(state, likely)
                }
                _ => likely,
            })
        })
    }

    /// The reach if nothing speaks against it.
    fn likely_reach(&self) -> Option<Reach> {
        let marks = &self.timeline.marks;
        if self.lifecycle == Lifecycle::Terminal {
            return Some(Reach::new(None));
        }
        let event = marks.sealed.or(marks.latest)?;
        Some(Reach {
            is_sealed: marks.sealed.is_some(),
            ..Reach::new(Some(event))
        })
    }

    /// The first reach at which nothing is found. Where there is none, what is found at the latest
    /// projection event counts, unless only a later one has errors.
    fn sought(&self, state: StateFacts<'_>, latest: Reach) -> Reach {
        let verdicts = self.verdicts(state, &latest);
        let latest = Reach {
            verdicts: Some(verdicts),
            ..latest
        };
        if verdicts.are_silent() || verdicts.any_unread() {
            return latest;
        }
        let before = self.timeline.marks.before;
        let others = [before.map(Some), Some(None)].into_iter().flatten();
        let mut first_error = verdicts.any_error().then_some(latest);
        for event in others {
            let reach = Reach::new(event);
            let there = self.verdicts(state, &reach);
            let reach = Reach {
                verdicts: Some(there),
                ..reach
            };
            if there.explain(verdicts) {
                return reach;
            }
            if there.any_error() {
                first_error.get_or_insert(reach);
            }
        }
        first_error.unwrap_or(latest)
    }

    /// What the comparison up to a reach comes to.
    fn verdicts(&self, state: StateFacts<'_>, reach: &Reach) -> Verdicts {
        let differs = |count: usize| match count {
            0 => Verdict::Agrees,
            _ => Verdict::Differs,
        };
        let plan = self.with_plan(reach, |plan| match plan {
            Some(plan) if plan.form != Form::Neither => [false, true].map(|by_label| {
                let mut nobody = |_| ();
                let mut differences = Listener::new(0, &mut nobody);
                plan.differences(state, by_label, &mut differences);
                differs(differences.count())
            }),
            // Without a plan event, a rule of its own judges.
            None if self.timeline.plan_event(reach.line()).is_none() => [Verdict::Agrees; 2],
            _ => [Verdict::Idle; 2],
        });
        let [plan, labels] = plan.unwrap_or([Verdict::Unread; 2]);
        let mut nobody = |_| ();
        let mut unlike = Listener::new(0, &mut nobody);
        let actions = match self.mirror(reach, &mut unlike) {
            _ if !self.timeline.names_actions(reach.line()) => Verdict::Idle,
            Err(Unread) => Verdict::Unread,
            Ok(()) => differs(unlike.count()),
        };
        let plan_event = differs(self.steps_without_event(reach));
        Verdicts([plan, labels, plan_event, actions])
    }
}

/// An event that was kept as text.
fn event(line: Line, document: Document<'_>) -> EventFacts<'_> {
    // Violations are reported already; rules compare only fields of these events that the schema
    // does not restrict.
    EventFacts::new(line, Value::root(document, &[]))
}
