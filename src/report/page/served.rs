//! Data about runs -> the parts of a page that a service sends one by one.

use maud::{Markup, html};

use super::{RunSums, panels, shell};
use crate::ground::finding::RuleInfo;

/// The script that asks a service for the parts that the page in a file holds.
pub(crate) const LIVE: &str = include_str!("live.js");

/// The script that follows the changes of a service, in a page or for all pages of a browser.
pub(crate) const CHANGES: &str = include_str!("changes.js");

/// Returns the whole page, with no run in it.
pub(crate) fn whole(sums: &RunSums, rules: &[RuleInfo]) -> String {
    // The script says whether the page follows the service.
    let state = html! { span.badge role="status" { "…" } };
    let page: Markup = html! {
        (shell::framed("runvet", true, &shell::top(sums.all.episodes, &state)))
        main #main tabindex="-1" {
            section.view #overview aria-labelledby="overview-title" {
                h1.unseen #overview-title { "Overview" }
                div #sums { (panels::overview(sums, rules)) }
            }
            (shell::list())
            section.view #run {}
            (shell::compared())
            (shell::grouped())
        }
        (shell::keys())
        script src="static/changes.js" {}
        script src="static/live.js" {}
        script src="static/script.js" {}
    };

    page.into_string()
}

/// Returns a form that takes the token of a service, and the mistake in the last attempt.
pub(crate) fn login(wrong: &str) -> String {
    let page: Markup = html! {
        (shell::framed("runvet", true, &html! {}))
        main #main {
            section.view {
                h1 { "This service needs its token" }
                @if !wrong.is_empty() {
                    p.notice.is-warn role="alert" { (wrong) }
                }
                form method="post" {
                    label {
                        "Token "
                        input type="password" name="token" required autofocus autocomplete="off";
                    }
                    " "
                    button { "Show runs" }
                }
                p { "It is in the file that the service was started with (--token-file)." }
            }
        }
    };

    page.into_string()
}
