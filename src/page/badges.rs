//! Words of records -> badges in the colour of what they mean.

use maud::{Markup, html};

use super::said;

/// Returns a word of a record in the colour of what it means.
pub(super) fn badge(word: &str, text: &str) -> Markup {
    html! { span.badge.(tone(word)) { (said(text)) } }
}

/// Returns the class for what a status or an outcome means.
pub(super) fn tone(word: &str) -> &'static str {
    match word {
        "ok" | "success" | "done" | "passed" => "good",
        "error" | "failed" | "goal_not_achieved" => "bad",
        "vetoed" | "aborted" | "partial" | "success_unverified" => "warn",
        "running" => "live",
        _ => "dim",
    }
}
