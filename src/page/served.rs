//! What is known of runs -> the parts of a page that a service sends one by one.

use maud::{Markup, html};

use super::{Completion, RunSums, panels, rules, shell};
use crate::finding::RuleInfo;

/// The script that asks a service for what the page in a file holds.
pub(crate) const LIVE: &str = include_str!("live.js");

/// The whole page, with no run in it.
pub(crate) fn whole(sums: &RunSums, ending: &Completion<'_>, rules: &[RuleInfo]) -> String {
    let page: Markup = html! {
        (shell::served_head("runvet", sums.all.episodes))
        main #main tabindex="-1" {
            section.view #overview aria-labelledby="overview-title" {
                h1.unseen #overview-title { "Overview" }
                div #sums { (panels::overview(sums, ending, rules)) }
            }
            (shell::list())
            section.view #run {}
        }
        (shell::keys())
        script src="static/live.js" {}
        script src="static/script.js" {}
    };
    page.0
}

/// The overview alone.
pub(crate) fn overview_text(sums: &RunSums, ending: &Completion<'_>, rules: &[RuleInfo]) -> String {
    panels::overview(sums, ending, rules).0
}

/// The page of a rule.
pub(crate) fn rule_text(info: &RuleInfo) -> String {
    rules::rule(info).0
}
