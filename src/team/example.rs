//! The runs by which authors test their rules and orders.

use std::fmt::Write as _;

use crate::document::{Node, Tape};
use crate::source::Line;

/// A run by which the author of a rule tests it.
#[derive(Debug)]
pub(crate) struct RunExample {
    /// The events, as JSON.
    pub(crate) events: Vec<String>,
    /// The lines of the findings, counted from 1; 0 is a finding without a line.
    pub(crate) fires: Vec<u64>,
    pub(crate) has_ended: bool,
    /// The records as JSON: empty where there is no such file, absent for one that is sound.
    pub(crate) state: Option<String>,
    pub(crate) summary: Option<String>,
    /// The file and the line where it stands.
    pub(crate) place: String,
}

/// What is wrong with examples, each as a line; a rule says at which lines it fires.
pub(super) fn failures(
    examples: &[RunExample],
    fires: impl Fn(&RunExample) -> Vec<u64>,
) -> Vec<String> {
    let wrong = examples.iter().filter_map(|example| {
        let (mut expected, mut found) = (example.fires.clone(), fires(example));
        expected.sort_unstable();
        found.sort_unstable();
        (found != expected).then(|| {
            let (place, found, expected) = (&example.place, lines(&found), lines(&expected));
            format!("{place}: the rule fires at {found}, not at {expected}")
        })
    });
    let mut wrong: Vec<String> = wrong.collect();
    if examples.iter().all(|example| example.fires.is_empty()) {
        wrong.push("the rule has no example in which it finds something".into());
    }
    wrong
}

impl RunExample {
    /// Hands each event to a function until that returns `false`.
    pub(super) fn for_each_event(&self, mut event: impl FnMut(Line, Node<'_>) -> bool) {
        let mut tape = Tape::default();
        for (number, written) in (1..).zip(&self.events) {
            let text = filled(written, number);
            let line = Line {
                number,
                offset: 0,
                length: text.len(),
            };
            if let Ok(document) = tape.read(text.as_bytes())
                && !event(line, document.root())
            {
                return;
            }
        }
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
