//! The examples of an order -> what is wrong with them.

use std::fmt::Write as _;

use super::TeamOrder;
use crate::document::Tape;
use crate::source::Line;

/// A timeline by which the author of an order tests it.
#[derive(Debug)]
pub(crate) struct OrderExample {
    /// The events, as JSON.
    pub(crate) events: Vec<String>,
    /// The lines of the findings, counted from 1; 0 is a finding without a line.
    pub(crate) fires: Vec<u64>,
    pub(crate) has_ended: bool,
    /// The file and the line where it stands.
    pub(crate) place: String,
}

impl TeamOrder {
    /// What is wrong with its examples, each as a line.
    pub(crate) fn failures(&self) -> Vec<String> {
        let wrong = self.examples.iter().filter_map(|example| {
            let (mut expected, found) = (example.fires.clone(), self.fires(example));
            expected.sort_unstable();
            (found != expected).then(|| {
                let place = &example.place;
                format!(
                    "{place}: it fires at {}, not at {}",
                    lines(&found),
                    lines(&expected)
                )
            })
        });
        let mut wrong: Vec<String> = wrong.collect();
        if self.examples.iter().all(|example| example.fires.is_empty()) {
            wrong.push("no example in which it finds something".into());
        }
        wrong
    }

    /// The lines at which it finds something in an example.
    fn fires(&self, example: &OrderExample) -> Vec<u64> {
        let mut automaton = self.automaton();
        let mut fires = Vec::new();
        let is_due = example.has_ended || !self.pattern.is_of_the_end();
        let mut tape = Tape::default();
        for (number, event) in (1..).zip(&example.events) {
            let event = filled(event, number);
            let line = Line {
                number,
                ..Line::FIRST
            };
            let document = tape.read(event.as_bytes()).ok();
            let seen = document.and_then(|event| self.see(line, event.root()));
            let Some(seen) = seen else { continue };
            if is_due {
                fires.extend(automaton.offences(&seen));
            }
            if automaton.add(&seen).is_err() {
                break;
            }
        }
        if example.has_ended {
            fires.extend(automaton.end());
        }
        let lines = fires
            .iter()
            .map(|offence| offence.line.map_or(0, |line| line.number));
        let mut lines: Vec<u64> = lines.collect();
        lines.sort_unstable();
        lines
    }
}

/// An event with what its author left out of the envelope.
fn filled(event: &str, number: u64) -> String {
    let mut tape = Tape::default();
    let document = tape.read(event.as_bytes()).ok();
    let lacks = |key: &str| document.is_some_and(|event| event.root().get(key).is_none());
    let (minute, second) = (number / 60 % 60, number % 60);
    let time = format!(
        "\"2026-01-01T{:02}:{minute:02}:{second:02}Z\"",
        number / 3_600 % 24
    );
    let mut filled = "{".to_owned();
    for (key, value) in [
        ("phase", "\"act\""),
        ("timestamp", &*time),
        ("episode_id", "\"ep_example\""),
        ("payload", "{}"),
    ] {
        if lacks(key) {
            let _ = write!(filled, "\"{key}\":{value},");
        }
    }
    let rest = event.trim_start().strip_prefix('{').unwrap_or_default();
    if rest.trim_start().starts_with('}') {
        filled.pop();
    }
    filled.push_str(rest);
    filled
}

fn lines(lines: &[u64]) -> String {
    match lines {
        [] => "no line".to_owned(),
        [line] => format!("line {line}"),
        lines => {
            let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
            format!("lines {}", lines.join(", "))
        }
    }
}
