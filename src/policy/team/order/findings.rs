//! What an order found in a run -> the findings.

use std::sync::Arc;

use super::super::RunFacts;
use super::super::events::EventSelector;
use super::super::judge::Judge;
use super::super::limit::TeamLimit;
use super::super::message::MessageWord;
use super::super::selector::TeamSelector;
use super::OrderJudge;
use super::automaton::{Offence, OffenceKind, OrderPattern};
use crate::ground::draft::{Compared, Draft, Findings};
use crate::ground::finding::{Lifecycle, MAX_FINDINGS_PER_RULE, SkipReason};
use crate::ground::select::shown_paths;
use crate::ground::source::{Artifact, Line, Place, Pointer};
use crate::reading::facts::UNKNOWN_LIFECYCLE;

impl OrderJudge {
    /// Returns why it can't be judged.
    pub(super) fn unmet(&self, run: &RunFacts<'_>) -> Option<SkipReason> {
        let pattern = self.order.pattern;
        if let Some(reason) = (run.unjudged)(Artifact::Events) {
            return Some(reason);
        }
        if !self.is_of_the_end() {
            return None;
        }
        if run.lifecycle == Lifecycle::Unknown {
            return Some(UNKNOWN_LIFECYCLE);
        }

        let has_windows = self.order.since.is_some() || self.order.until.is_some();
        let needs_all = pattern.needs_every_event() || has_windows;
        run.broken_line
            .filter(|_| needs_all)
            .map(|line| SkipReason::no_event(line.number))
    }

    pub(super) fn draft(&self, offence: &Offence) -> Draft {
        let mut draft = self.without_answer(offence);
        if let Some(answer) = offence.answer {
            draft.message += answer.clause();
        }
        draft
    }

    /// Returns the number of events that a baseline accepts with an offence.
    pub(super) fn accepted(&self, offence: &Offence, line: Line, count: u64) -> Option<u64> {
        let order = &self.order;
        let counts_all = order.since.is_none() && order.until.is_none() && order.within.is_none();
        match order.pattern {
            OrderPattern::AtMost(_) if counts_all => Some(self.automaton.count(offence.same)),
            OrderPattern::AtMost(_) => Some(count),
            OrderPattern::AtMostInARow(_) => Some(
                self.rows
                    .get(&line)
                    .copied()
                    .unwrap_or(count),
            ),
            _ => None,
        }
    }

    pub(super) fn without_answer(&self, offence: &Offence) -> Draft {
        let same = offence
            .same
            .and_then(|same| self.shown.get(&same).cloned());
        let message = self.message(offence, same.as_deref());
        let draft = match (offence.line, &offence.why) {
            (Some(line), OffenceKind::Pattern(count)) => {
                let draft = Draft::new(Place::event(line, ""), message);
                match self.accepted(offence, line, *count) {
                    Some(accepted) => draft.further([&accepted.to_le_bytes()[..]]),
                    None => draft,
                }
            }
            (Some(line), OffenceKind::Unknown(unjudged)) => {
                unjudged.draft(&Pointer::default(), Place::event(line, ""))
            }
            (Some(line), _) => Draft::new(Place::event(line, ""), message),
            (None, OffenceKind::Pattern(count)) => {
                let besides = format!("{count} {}", same.unwrap_or_default());
                Draft {
                    further: offence.same,
                    ..Draft::new(Place::whole(Artifact::Events), message).besides(&besides)
                }
            }
            (None, _) => Draft::new(Place::whole(Artifact::Events), message),
        };

        let draft = match &offence.why {
            OffenceKind::Unknown(it) if it.at.is_none() => draft.unjudged(),
            _ => draft,
        };

        match offence.other {
            Some(other) if offence.is_taken => {
                let what = "the event since which no other one counts";
                draft.related(Place::event(other, ""), what)
            }
            Some(other) => draft.related(Place::event(other, ""), "the other event"),
            None => draft,
        }
    }
}

impl OrderJudge {
    /// Returns what is wrong, in a group of events by the value that is shown.
    fn message(&self, offence: &Offence, same: Option<&str>) -> String {
        let order = &self.order;
        match &offence.why {
            OffenceKind::Pattern(count) => order.message.with(|word| match word {
                MessageWord::Same => same.map(str::to_owned),
                MessageWord::Count => Some(count.to_string()),
                MessageWord::Limit => order
                    .pattern
                    .limit()
                    .map(|limit| limit.to_string()),
                MessageWord::Value => None,
            }),
            OffenceKind::Unknown(unjudged) => unjudged.why.clone(),
            OffenceKind::NoValue => {
                let places = shown_paths(&order.same.each);
                format!("the event has no value at {places}, by which the order groups events")
            }
            OffenceKind::NoPair => {
                let places = shown_paths(&order.pair.each);
                format!("the event has no value at {places}, by which another one closes it")
            }
            OffenceKind::NoInstant => {
                "the event has no instant, so no other event is within the time of the order"
                    .to_owned()
            }
        }
    }
}

impl Judge for OrderJudge {
    /// Reports what it found, in the order of the timeline.
    fn report(&self, run: Option<&RunFacts<'_>>, findings: &mut Findings<'_>) -> Option<Compared> {
        let pattern = self.order.pattern;
        let (mut offences, mut more) = (self.offences.clone(), self.more);
        if let Some(run) = run {
            if let Some(reason) = self.unmet(run) {
                findings.skip(&reason);
                return None;
            }
            if let Some(broken) = run
                .broken_line
                .filter(|_| pattern.needs_every_event())
            {
                // What it may have been counts for no event before it.
                findings.skip(&SkipReason::no_event(broken.number));
                offences.retain(|it| {
                    it.line
                        .is_some_and(|it| it.number < broken.number)
                });
                more = 0;
            }
            // What a later event would have done is not known of an order that was stopped.
            if self.is_of_the_end() && self.stopped.is_none() {
                if run.lifecycle != Lifecycle::Terminal {
                    return None;
                }
                offences.extend(self.automaton.end());
            }
        }

        offences.sort_by_key(|offence| offence.line);
        more += offences
            .len()
            .saturating_sub(MAX_FINDINGS_PER_RULE);
        offences.truncate(MAX_FINDINGS_PER_RULE);
        for offence in &offences {
            findings.push(self.draft(offence));
        }

        findings.more(more);
        if let Some(stopped) = self.stopped {
            findings.skip(&SkipReason::bound(&stopped));
        }

        // `never` compares all events with its selector, all else is about events that are there.
        let has_events = run.is_some_and(|run| run.has_events);
        let is_examined = self.examined || (pattern == OrderPattern::Never && has_events);
        Compared::when(is_examined || !offences.is_empty())
    }

    fn selectors(&self) -> Vec<(&'static str, &EventSelector, bool)> {
        let pattern = self.order.pattern;
        let is_never = pattern == OrderPattern::Never;
        let each = self
            .in_events
            .iter()
            .map(|asks| ("each", &asks.each, is_never));
        let other = self
            .other()
            .map(|other| ("other", other, is_never || pattern.is_ban()));
        let windows = self
            .in_events
            .iter()
            .flat_map(|keys| [("since", &keys.since), ("until", &keys.until)])
            .filter_map(|(key, it)| Some((key, it.as_ref()?, true)));

        each.chain(other)
            .chain(windows)
            .collect()
    }

    fn depends_on_outcome(&self) -> bool {
        self.order
            .depends(TeamSelector::depends_on_outcome)
    }

    fn is_simple(&self) -> bool {
        let order = &self.order;
        order.since.is_none() && order.until.is_none() && !self.counts_rows()
    }

    fn room(&self) -> usize {
        self.automaton.room() + self.shown.len()
    }

    fn stop(&mut self) {
        self.stopped
            .get_or_insert(TeamLimit::Room);
        Arc::make_mut(&mut self.automaton).forget();
    }
}
