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
        let mut fires = Vec::new();
        let is_due = example.has_ended || !self.pattern.is_of_the_end();
        example.for_each_event(|line, event| {
            let Some(sight) = self.sight(event) else {
                return true;
            };
            let moment = Moment::new(line, event.get("timestamp"));
            let (offences, added) = automaton.step(&self.seen(&moment, &sight));
            fires.extend(offences.into_iter().filter(|_| is_due));
            added.is_ok()
        });
        if example.has_ended {
            fires.extend(automaton.end());
        }
        let line = |line: Option<Line>| line.map_or(0, |line| line.number);
        fires.iter().map(|offence| line(offence.line)).collect()
    }

    fn sight(&self, event: Node<'_>) -> Option<Sight> {
        let is_each = self.each.names(event);
        let is_other = self.other.as_ref().is_some_and(|other| other.names(event));
        let same = self.same.as_ref().and_then(|same| same.of(event));
        Sight::new(0, is_each, is_other, same, &mut Meanings::default())
    }
}
