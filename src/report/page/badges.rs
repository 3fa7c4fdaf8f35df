//! Words of records -> badges in the colours of their meanings.

use crate::ground::printable::escape;
use maud::{Markup, html};

/// Returns a word of a record in the colour of its meaning.
pub(super) fn badge(word: &str, text: &str) -> Markup {
    html! { span.badge.(tone(word)) { (escape(text)) } }
}

/// Returns the class for the meaning of a status or an outcome.
pub(super) fn tone(word: &str) -> &'static str {
    match word {
        "ok" | "success" | "done" | "passed" => "good",
        "error" | "failed" | "goal_not_achieved" => "bad",
        "vetoed" | "aborted" | "partial" | "success_unverified" => "warn",
        "running" => "live",
        _ => "dim",
    }
}
