//! The runs by which authors test their rules and orders.

use std::fmt::Write as _;

use crate::document::Tape;

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

impl RunExample {
    /// The events, each with what its author left out of the envelope.
    pub(super) fn filled(&self) -> Vec<String> {
        let events = (1..).zip(&self.events);
        events
            .map(|(number, event)| filled(event, number))
            .collect()
    }
}

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
