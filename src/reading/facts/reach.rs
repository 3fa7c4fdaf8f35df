//! The state and the timeline -> the line up to which they are compared, and what the comparison
//! finds there.
//!
//! The snapshot of a run that may be in progress is as old as the projection event that was written
//! with it. A writer may crash, or a reader come, between the two writes. So the reach is the first
//! of a few lines at which the timeline explains the snapshot.

use std::cell::OnceCell;

use super::StateFacts;
use super::act::CONTENTS;
use super::event::{EventFacts, KeptEvent};
use super::listener::EventListener;
use super::mirror::{self, Unlike};
use super::plan::{PlanForm, Rebuilt};
use super::slots::InAction;
use super::timeline::Timeline;
use super::value::RowItem;
use crate::ground::finding::Lifecycle;
use crate::ground::source::Line;

/// A part of the state that a rule compares with the timeline up to a reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// The plan: what step records and act events say of it.
    Plan,
    /// The plan: what labels of older runtimes say of it.
    Labels,
    /// The existence of a plan event that lists steps.
    PlanEvent,
    Actions,
}

impl Topic {
    const ALL: [Self; 4] = [Self::Plan, Self::Labels, Self::PlanEvent, Self::Actions];

    /// Returns `true` if its rule finds errors, not warnings.
    const fn is_error(self) -> bool {
        matches!(self, Self::Plan | Self::Actions)
    }
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReachVerdict {
    Agrees,
    Differs,
    /// The timeline says nothing to compare with.
    Idle,
}

/// The outcomes of the comparisons of [`Topic::ALL`].
type Verdicts = [ReachVerdict; Topic::ALL.len()];

/// The part of the timeline that the snapshot is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The projection event up to which it is; `None` for the whole timeline.
    pub(crate) event: Option<Line>,
    /// `true` if that event has the digest of the snapshot.
    pub(crate) is_sealed: bool,
    /// The outcomes of the comparisons, where they were made to find the reach.
    verdicts: Option<Verdicts>,
}

impl Reach {
    pub(crate) fn new(event: Option<Line>) -> Self {
        Self {
            event,
            is_sealed: false,
            verdicts: None,
        }
    }

    /// Returns the number of its last line.
    pub(in crate::reading) fn line(&self) -> u64 {
        self.event
            .map_or(u64::MAX, |event| event.number)
    }

    /// Returns `true` if a comparison may find something: it may have been made before.
    pub(crate) fn may_differ(&self, topic: Topic) -> bool {
        Topic::ALL
            .iter()
            .zip(self.verdicts.iter().flatten())
            .find(|(of, _)| **of == topic)
            .is_none_or(|(_, verdict)| *verdict == ReachVerdict::Differs)
    }

    fn any_error(&self) -> bool {
        let mut errors = Topic::ALL
            .into_iter()
            .filter(|topic| topic.is_error());
        self.verdicts.is_some() && errors.any(|topic| self.may_differ(topic))
    }
}

/// Returns `true` if the timeline explains the snapshot at a reach, given what was found at the
/// latest projection event. Each topic must be:
///
/// | at the latest event | agrees here | idle here | differs here |
/// |---------------------|-------------|-----------|--------------|
/// | agrees or idle      | explained   | explained | no           |
/// | differs             | explained   | no        | no           |
fn explains(here: Verdicts, at_latest: Verdicts) -> bool {
    let is_explained = |(here, at_latest)| match here {
        ReachVerdict::Agrees => true,
        ReachVerdict::Idle => at_latest != ReachVerdict::Differs,
        ReachVerdict::Differs => false,
    };

    here.into_iter()
        .zip(at_latest)
        .all(is_explained)
}

/// The facts of a timeline, and their comparison with the state.
pub(crate) struct TimelineFacts<'a> {
    /// What is kept of its events.
    pub(crate) kept: &'a Timeline<'a>,
    state: Option<StateFacts<'a>>,
    lifecycle: Lifecycle,
    /// Sought on first use.
    reach: OnceCell<Option<Reach>>,
}

impl<'a> TimelineFacts<'a> {
    pub(crate) fn new(
        kept: &'a Timeline<'a>,
        state: Option<StateFacts<'a>>,
        lifecycle: Lifecycle,
    ) -> Self {
        Self {
            kept,
            state,
            lifecycle,
            reach: OnceCell::new(),
        }
    }

    /// Returns the latest projection event.
    pub(crate) fn projection_event(&self) -> Option<EventFacts<'a>> {
        self.kept
            .projection
            .as_ref()
            .map(KeptEvent::facts)
    }

    /// Returns the plan that is rebuilt from the events up to a reach; `None` where there is no
    /// plan event, or its payload is not an object.
    pub(crate) fn plan(&self, reach: &Reach) -> Option<Rebuilt<'a>> {
        let line = reach.line();
        Rebuilt::new(self.kept.plan_event(line)?.facts(), self.kept, line)
    }

    /// Compares the actions of the state with their act events up to a reach.
    pub(crate) fn mirror(&self, reach: &Reach, differences: &mut EventListener<'_, Unlike>) {
        if let Some(state) = self.state
            && self.kept.names_actions(reach.line())
        {
            mirror::mirror(state, self.kept, reach.line(), differences);
        }
    }

    /// Compares what the actions of the state took and gave with their act events up to a reach.
    pub(crate) fn contents(&self, reach: &Reach, differences: &mut EventListener<'_, Unlike>) {
        if let Some(state) = self.state {
            mirror::contents(state, self.kept, reach.line(), differences);
        }
    }

    /// Returns `true` if an action of the state has anything that it took or gave, and the id of an
    /// act event.
    pub(crate) fn has_contents(&self, reach: &Reach) -> bool {
        let has_any = |it: RowItem<'_>| {
            CONTENTS
                .iter()
                .any(|(_, slot, _)| it.value(*slot).is_some())
                && it.text(InAction::Id).is_some_and(|id| {
                    self.kept
                        .acts
                        .at(reach.line(), &id)
                        .is_some()
                })
        };

        self.state
            .is_some_and(|state| state.actions().any(has_any))
    }

    /// Returns `true` if the state has an action and the timeline an act event that can be
    /// compared.
    pub(crate) fn has_mirrored(&self, reach: &Reach) -> bool {
        let has_id = |it: RowItem<'_>| {
            it.value(InAction::Id)
                .is_some_and(|id| !id.is_null())
        };

        self.kept.names_actions(reach.line())
            && self
                .state
                .is_some_and(|state| state.actions().any(has_id))
    }

    /// Returns the line of the latest plan event up to a reach.
    pub(crate) fn plan_line(&self, reach: &Reach) -> Option<Line> {
        Some(self.kept.plan_event(reach.line())?.line)
    }

    /// Returns the number of steps in the state, where the latest plan event up to a reach lists no
    /// steps, or there is none.
    pub(crate) fn steps_without_event(&self, reach: &Reach) -> usize {
        let plan = self.plan(reach);
        if plan.is_some_and(|plan| plan.form != PlanForm::Neither) {
            return 0;
        }

        self.state
            .and_then(StateFacts::steps)
            .map_or(0, |steps| steps.len())
    }

    /// Returns how much of the timeline the snapshot is compared with; `None` in a run that may not
    /// have ended and has no projection event.
    pub(crate) fn reach(&self) -> Option<Reach> {
        *self.reach.get_or_init(|| {
            let likely = self.likely_reach()?;
            let is_certain = self.lifecycle == Lifecycle::Terminal || likely.is_sealed;
            Some(match self.state {
                Some(state) if !is_certain && self.kept.broken_line.is_none() => {
                    self.sought(state).unwrap_or(likely)
                }
                _ => likely,
            })
        })
    }

    /// Returns the reach if nothing speaks against it.
    fn likely_reach(&self) -> Option<Reach> {
        let marks = &self.kept.marks;
        if self.lifecycle == Lifecycle::Terminal {
            return Some(Reach::new(None));
        }

        let event = marks.sealed.or(marks.latest)?;
        Some(Reach {
            is_sealed: marks.sealed.is_some(),
            ..Reach::new(Some(event))
        })
    }

    /// Returns the first reach at which the timeline explains the snapshot: up to the latest
    /// projection event, up to the one before it, or the whole timeline. Where there is none, the
    /// first one that has errors counts, else the first one.
    fn sought(&self, state: StateFacts<'_>) -> Option<Reach> {
        let marks = &self.kept.marks;
        // What every line lacks says nothing of the reach.
        let has_plan_event = self.kept.plan_event(u64::MAX).is_some();
        let of_reach = |[plan, labels, plan_event, actions]: Verdicts| match plan_event {
            ReachVerdict::Differs if !has_plan_event => {
                [plan, labels, ReachVerdict::Agrees, actions]
            }
            _ => [plan, labels, plan_event, actions],
        };

        let candidates = [marks.latest.map(Some), marks.before.map(Some), Some(None)];
        let mut tried: Vec<(Reach, Verdicts)> = Vec::new();
        for event in candidates.into_iter().flatten() {
            let reach = Reach::new(event);
            let here = self.verdicts(state, &reach);
            let reach = Reach {
                verdicts: Some(here),
                ..reach
            };

            let at_latest = tried
                .first()
                .map_or(here, |(_, verdicts)| *verdicts);
            if explains(of_reach(here), of_reach(at_latest)) {
                return Some(reach);
            }

            tried.push((reach, here));
        }

        tried
            .iter()
            .find(|(reach, _)| reach.any_error())
            .or(tried.first())
            .map(|(reach, _)| *reach)
    }

    /// Returns what the comparison up to a reach comes to.
    fn verdicts(&self, state: StateFacts<'_>, reach: &Reach) -> Verdicts {
        let differs = |count: usize| match count {
            0 => ReachVerdict::Agrees,
            _ => ReachVerdict::Differs,
        };

        let (plan, steps) = (self.plan(reach), self.steps_without_event(reach));
        let [plan, labels] = match plan {
            Some(plan) if plan.form != PlanForm::Neither => [false, true].map(|by_label| {
                let mut nobody = |_| ();
                let mut differences = EventListener::new(0, &mut nobody);
                plan.differences(state, by_label, &mut differences);
                differs(differences.count())
            }),
            // Where no plan event lists steps, a rule of its own judges.
            _ if steps > 0 => [ReachVerdict::Agrees; 2],
            None if self
                .kept
                .plan_event(reach.line())
                .is_none() =>
            {
                [ReachVerdict::Agrees; 2]
            }
            _ => [ReachVerdict::Idle; 2],
        };

        let plan_event = differs(steps);
        let actions = if self.kept.names_actions(reach.line()) {
            let mut nobody = |_| ();
            let mut unlike = EventListener::new(0, &mut nobody);
            self.mirror(reach, &mut unlike);
            differs(unlike.count())
        } else {
            ReachVerdict::Idle
        };

        [plan, labels, plan_event, actions]
    }
}
