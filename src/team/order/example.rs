//! The examples of an order -> what is wrong with them.

use super::TeamOrder;
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
            let Some(seen) = self.see(line, event) else {
                return true;
            };
            let (offences, added) = automaton.step(&seen);
            fires.extend(offences.into_iter().filter(|_| is_due));
            added.is_ok()
        });
        if example.has_ended {
            fires.extend(automaton.end());
        }
        let line = |line: Option<Line>| line.map_or(0, |line| line.number);
        fires.iter().map(|offence| line(offence.line)).collect()
    }
}
