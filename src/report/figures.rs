//! Instants, durations and statuses -> short texts for tables and dashboards.

use super::Style;
use crate::ground::document::Number;
use crate::ground::finding::{Pause, RunEntry};
use crate::ground::printable::{brief, fit};
use crate::ground::timestamp::Timestamp;

/// The characters that dashboards are drawn with.
pub(in crate::report) struct Glyphs {
    /// Between two columns.
    pub(in crate::report) bar: &'static str,
    /// A segment of a bar in a chart.
    pub(in crate::report) block: &'static str,
    /// One for each of [`STATUSES`].
    statuses: [&'static str; 6],
}

/// The statuses of steps that have a character.
const STATUSES: [&str; 6] = ["done", "pending", "running", "skipped", "failed", "vetoed"];

impl Glyphs {
    pub(in crate::report) const fn of(style: Style) -> &'static Self {
        match style {
            Style::Ascii => &Self {
                bar: "|",
                block: "#",
                statuses: ["x", ".", ">", "-", "!", "v"],
            },
            Style::Colour | Style::Plain => &Self {
                bar: "│",
                block: "█",
                statuses: ["✓", "○", "▶", "–", "✗", "⊘"],
            },
        }
    }

    pub(in crate::report) fn status(&self, status: &str) -> &'static str {
        let mut known = STATUSES.iter().zip(self.statuses);
        known
            .find(|(known, _)| **known == status)
            .map_or("?", |(_, glyph)| glyph)
    }
}

/// Returns an instant for tables: as written, without fraction and offset, cut to a number of
/// columns.
pub(crate) fn instant(text: &str, columns: usize) -> String {
    if Timestamp::parse(text).is_none() {
        return fit(text, columns);
    }

    text.chars()
        .take(columns.min(19))
        .collect::<String>()
        .replace(['T', 't'], " ")
}

/// Returns an instant for dashboards: as written, without fraction, with offset.
pub(super) fn instant_with_offset(text: &str) -> String {
    let behind = text.get(19..).unwrap_or_default();
    let offset = behind
        .find(['+', '-'])
        .and_then(|sign| behind.get(sign..));
    let offset = match offset {
        Some("+00:00" | "-00:00") | None => "Z",
        Some(offset) => offset,
    };

    match Timestamp::parse(text) {
        Some(_) => format!("{}{offset}", instant(text, 19)),
        None => fit(text, 19),
    }
}

/// Returns the start of a run's pause and the reason, or its last event before it has a state.
pub(crate) fn waiting(run: &RunEntry) -> Option<String> {
    let Some(Pause { since, reason }) = run.paused.as_deref() else {
        let now = run
            .now
            .as_ref()
            .filter(|_| run.status.is_none())?;
        return Some(format!("now {}", brief(now)));
    };

    let since = since
        .as_deref()
        .map(instant_with_offset);
    let since = since.map(|since| format!(" since {since}"));
    let reason = reason
        .as_deref()
        .map(|reason| format!(": {}", brief(reason)));

    Some(format!(
        "paused{}{}",
        since.unwrap_or_default(),
        reason.unwrap_or_default()
    ))
}

/// Returns a duration for tables, in at most six columns.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.0 => "?".into(),
        s if s < 10.0 => format!("{s:.2}s"),
        s if s < 600.0 => format!("{s:.0}s"),
        s if s < 36_000.0 => format!("{:.0}min", s / 60.0),
        s if s < 3.6e7 => format!("{:.0}h", s / 3_600.0),
        _ => ">1y".into(),
    }
}

/// Returns the time of an event since the first one, in at most nine columns for a century.
pub(super) fn offset(seconds: f64) -> String {
    match seconds.abs() {
        s if s < 1_000.0 => format!("{seconds:+.3}s"),
        s if s < 86_400.0 => format!("{seconds:+.1}s"),
        s => {
            let (sign, hours) = (if seconds < 0.0 { '-' } else { '+' }, (s / 3_600.0).floor());
            format!("{sign}{:.0}d {:.0}h", (hours / 24.0).floor(), hours % 24.0)
        }
    }
}

/// Returns milliseconds, with as many digits as people read.
pub(super) fn milliseconds(value: f64) -> String {
    Number::of(&value.to_string())
        .rounded()
        .into_owned()
}
