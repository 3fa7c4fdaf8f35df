//! Words of records -> badges in the colours of their meanings.

use crate::ground::printable::escape;
use maud::{Markup, html};

/// Returns a word of a record in the colour of its meaning.
pub(super) fn badge(word: &str, text: &str) -> Markup {
    html! { span.badge.(tone(word)) { (escape(&in_words(text))) } }
}

/// Returns a status or an outcome as people say it.
pub(super) fn in_words(text: &str) -> String {
    match text {
        "success_unverified" => "success, not verified".into(),
        text => text.replace('_', " "),
    }
}

/// Returns the class for the meaning of a status or an outcome.
pub(super) fn tone(word: &str) -> &'static str {
    match word {
        "ok" | "success" | "done" | "passed" => "good",
        "error" | "failed" | "goal_not_achieved" => "bad",
        "vetoed" | "aborted" | "partial" => "warn",
        "running" => "live",
        _ => "dim",
    }
}
