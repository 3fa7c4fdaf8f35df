//! The examples of an order -> what is wrong with them.

use super::{Moment, Sight, TeamOrder};
use crate::document::{Meanings, Node};
use crate::source::Line;
use crate::team::example::{RunExample, failures};

impl TeamOrder {
    /// What is wrong with its examples, each as a line.
    pub(crate) fn failures(&self) -> Vec<String> {
        failures(&self.examples, |example| self.fires(example))
    }

    /// The lines at which it finds something in an example.
    fn fires(&self, example: &RunExample) -> Vec<u64> {
        let mut automaton = self.automaton();
        let mut offences = Vec::new();
        example.for_each_event(|line, event| {
            let Some(sight) = self.sight(event) else {
                return true;
            };
            let moment = Moment::new(line, event.get("timestamp"));
            let seen = self.seen(&moment, &sight);
            automaton.step(&seen, &mut offences).is_ok()
        });
        if example.has_ended {
            offences.extend(automaton.end());
        } else if self.pattern.is_of_the_end() {
            offences.clear();
        }
        let line = |line: Option<Line>| line.map_or(0, |line| line.number);
        offences.iter().map(|offence| line(offence.line)).collect()
    }

    fn sight(&self, event: Node<'_>) -> Option<Sight> {
        let is_each = self.each.names(event);
        let is_other = self.other.as_ref().is_some_and(|other| other.names(event));
        if !(is_each || is_other) {
            return None;
        }
        let same = self.same.as_ref().and_then(|same| same.of(event));
        let meanings = &mut Meanings::default();
        Some(Sight::new(0, is_each, is_other, same, meanings))
    }
}
