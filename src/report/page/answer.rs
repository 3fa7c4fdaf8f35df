//! The sums over many runs -> the beginning of the overview: whether the runs can be trusted, and
//! why not.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::badges::badge;
use super::calendar::{date, time};
use super::charts::{meter, runs};
use super::findings::marked_up;
use super::overview::{Newest, RunAge, RunSums};
use super::units::{grouped, precise, share, thousands};
use crate::ground::finding::{RuleInfo, Tally, Totals, Verdict};
use crate::ground::printable::{escape, in_address, rounded};
use crate::judge::rules::ALL;
use crate::report::wording::not_judged_in_words;

/// The number of causes that the overview tells at first; the others can be opened.
const MAX_CAUSES: usize = 5;

/// The maximum number of faults that the overview names.
const MAX_FAULTS: usize = 1_000;

/// Draws the answer: the number of runs that can't be trusted or break a rule of the team, with
/// links to them, and the settings of the check.
pub(super) fn answer(sums: &RunSums) -> Markup {
    let all = sums.all;
    let broken = all.invalid - all.breaks_rule;
    let breaks = Verdict::BreaksRule.phrase(all.breaks_rule);
    let is_partial = sums.is_under_way || !sums.is_complete;
    let judged = if is_partial {
        format!("the {} judged so far", counted(all.episodes, "run"))
    } else {
        counted(all.episodes, "run")
    };

    let of_judged = |number: u64| match all.episodes {
        1 if !is_partial => "The run".into(),
        _ => format!("{} of {judged}", thousands(number)),
    };

    html! {
        section.answer aria-labelledby="answer" {
            h2 #answer {
                @if all.episodes == 0 && sums.is_under_way {
                    "No run is judged yet"
                } @else if all.episodes == 0 {
                    "There are no runs"
                } @else if all.invalid > 0 {
                    @if broken > 0 {
                        a href="#/runs?verdict=invalid" { (of_judged(broken)) }
                        " can't be trusted"
                    }
                    @if broken > 0 && all.breaks_rule > 0 { ", " }
                    @if all.breaks_rule > 0 {
                        a href="#/runs?verdict=breaks_rule" {
                            @if broken == 0 { (of_judged(all.breaks_rule)) }
                            @else { (thousands(all.breaks_rule)) }
                        }
                        " " (breaks)
                    }
                } @else if all.undecided > 0 {
                    a href="#/runs?valid=undecided" { (of_judged(all.undecided)) }
                    " could not be judged"
                } @else if is_partial {
                    "Nothing is wrong in " (judged)
                } @else if sums.unjudged > 0 {
                    "Nothing was found, but "
                    a href="#/runs?has=unjudged" { (of_judged(sums.unjudged)) }
                    " could not be judged by every rule"
                } @else if all.episodes == 1 {
                    "The run can be trusted"
                } @else {
                    "All " (judged) " can be trusted"
                }
            }
            (scope(sums))
        }
    }
}

/// Returns where the runs are, by what they were judged, and what that says.
fn scope(sums: &RunSums) -> Markup {
    html! {
        p.note {
            @if let Some(dir) = sums.dir.as_deref().filter(|dir| !dir.is_empty()) {
                "In " code { (escape(dir)) } ", "
            }
            "judged by runvet " (env!("CARGO_PKG_VERSION"))
            @if !sums.settings.is_empty() { " with " (escape(&sums.settings)) }
            ". "
            b { "Valid" }
            " says that the records of a run agree with each other and with their schemas, \
             and keep the rules of the team; "
            "whether the run reached its goal is its outcome."
        }
        @let lacking = not_judged_in_words(sums.all.not_judged);
        @if !lacking.is_empty() {
            p.note { "Not judged: " (lacking.join(", ")) "." }
        }
    }
}

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
}

/// Draws the runs that failed last.
pub(super) fn failed(sums: &RunSums) -> Markup {
    html! {
        @if !sums.failed.is_empty() {
            section.panel.failed aria-labelledby="failed" {
                h2 #failed { "What failed last" }
                ol {
                    @for (RunAge { started: Reverse(started), dir }, run) in &sums.failed {
                        li {
                            (badge(&run.ended, &run.ended)) " "
                            a href={ "#/run/" (in_address(dir)) } {
                                (escape(run.task.as_deref().unwrap_or(&run.id)))
                            }
                            @if let Some(started) = *started {
                                " " span.dim { (time(started)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns what all runs together took, each with its name and the metrics that say so.
fn spent(sums: &RunSums) -> Vec<(String, &'static str, &'static str)> {
    let sum = |names: &[&str]| {
        let mut known = names
            .iter()
            .filter_map(|name| sums.metrics.get(*name))
            .peekable();
        known.peek()?;
        Some(known.flatten().sum::<f64>())
    };

    let cost = sum(&["cost_usd"]).map(|cost| {
        (
            format!("${}", grouped(&rounded(cost, 2))),
            "cost",
            "cost_usd",
        )
    });
    let tokens = |names: &[&str], what, metric| {
        sum(names).map(|tokens| (grouped(&rounded(tokens, 0)), what, metric))
    };

    [
        cost,
        tokens(&["tokens_in", "input_tokens"], "tokens in", "tokens_in"),
        tokens(&["tokens_out", "output_tokens"], "tokens out", "tokens_out"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn tiles(sums: &RunSums) -> Markup {
    let all = sums.all;
    let tile = |class: &str, href: &str, number: String, what: &str| {
        html! {
            a.tile.(class) href=(href) { b { (number) } span { (what) } }
        }
    };

    let others = [
        (sums.unjudged, "unjudged", "not fully judged"),
        (all.ignored, "suppressed", "findings ignored"),
        (all.baselined, "suppressed", "findings in the baseline"),
    ];

    html! {
        div.tiles {
            (tile("all", "#/runs", thousands(all.episodes),
                if all.episodes == 1 { "run" } else { "runs" }))
            a.tile.wide href="#/runs?valid=yes" {
                b { (share(all.valid, all.episodes)) }
                span { "valid" }
                (meter(&verdicts(&all, all.episodes)))
            }
            (tile(if all.invalid > all.breaks_rule { "is-bad" } else { "none" },
                "#/runs?verdict=invalid", thousands(all.invalid - all.breaks_rule), "invalid"))
            @if all.breaks_rule > 0 {
                (tile("is-bad", "#/runs?verdict=breaks_rule", thousands(all.breaks_rule),
                    Verdict::BreaksRule.phrase(all.breaks_rule)))
            }
            @if all.undecided > 0 {
                (tile("is-warn", "#/runs?valid=undecided", thousands(all.undecided), "undecided"))
            }
            (tile("some", "#/runs?valid=no", thousands(all.errors),
                if all.errors == 1 { "error" } else { "errors" }))
            (tile("some", "#/runs?has=warnings", thousands(all.warnings),
                if all.warnings == 1 { "warning" } else { "warnings" }))
            @for (number, what, metric) in spent(sums) {
                (tile("some", &format!("#/runs?sort=-metric:{metric}"), number, what))
            }
            @for (number, has, what) in others.into_iter().filter(|(number, ..)| *number > 0) {
                (tile("some", &format!("#/runs?has={has}"), thousands(number), what))
            }
        }
    }
}

/// Returns the shares of verdicts in a number of runs, each with its class.
pub(super) fn verdicts(totals: &Totals, of: u64) -> [(&'static str, f64); 4] {
    let broken = totals.invalid - totals.breaks_rule;
    [
        ("good", totals.valid),
        ("bad", broken),
        ("bad2", totals.breaks_rule),
        ("dim", totals.undecided),
    ]
    .map(|(class, number)| (class, precise(number) / precise(of.max(1))))
}

/// Draws the paths that could not be read or judged.
pub(super) fn incomplete(sums: &RunSums) -> Markup {
    let faults = &sums.faults;
    html! {
        @if sums.is_under_way {
            p.notice.under-way { "The runs are being judged for the first time. This page shows the runs that have been judged so far." }
        }
        @if !sums.is_complete {
            section.notice.is-bad aria-labelledby="faults" {
                h2 #faults { "This check is not complete" }
                @if faults.is_empty() {
                    p { "It was stopped early: not all runs were judged." }
                } @else {
                    p {
                        "Everything else is on this page. What could not be read or judged ("
                        (thousands(faults.len() as u64)) "):"
                    }
                }
                ul.faults {
                    @for fault in faults.iter().take(MAX_FAULTS) {
                        li { code { (escape(&fault.path)) } " " (escape(&fault.message)) }
                    }
                    @if faults.len() > MAX_FAULTS {
                        li { "and " (thousands((faults.len() - MAX_FAULTS) as u64)) " more" }
                    }
                }
            }
        }
    }
}

/// Draws the findings by rule: rules with errors first, then by the number of runs. That a run
/// breaks a rule of the team does not say that its records are wrong.
pub(super) fn causes(sums: &RunSums, infos: &[RuleInfo]) -> Markup {
    let mut found: Vec<(&String, &Tally)> = sums.rules.iter().collect();
    found.sort_by_key(|(_, tally)| (tally.errors == 0, Reverse(tally.episodes)));
    let is_of_records = |(id, _): &(&String, &Tally)| {
        ALL.iter()
            .any(|rule| rule.info.id == **id)
    };

    let (of_records, of_team): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(is_of_records);
    let row = |(rule, tally): &(&String, &Tally)| {
        let title = infos
            .iter()
            .find(|info| info.id == **rule)
            .map_or(&***rule, |info| &*info.title);
        cause(rule, title, tally, sums.newest.get(*rule))
    };

    let section = |id: &str, title: &str, found: &[(&String, &Tally)]| {
        html! {
            @if !found.is_empty() {
                section.panel.causes aria-labelledby=(id) {
                    h2 id=(id) { (title) }
                    ol { @for it in found.iter().take(MAX_CAUSES) { (row(it)) } }
                    @if found.len() > MAX_CAUSES {
                        details {
                            summary { "and " (counted((found.len() - MAX_CAUSES) as u64, "more rule")) }
                            ol { @for it in found.iter().skip(MAX_CAUSES) { (row(it)) } }
                        }
                    }
                }
            }
        }
    };

    html! {
        (section("causes", "What was found in records", &of_records))
        (section("policies", "Rules of the team that are broken", &of_team))
    }
}

fn cause(rule: &str, title: &str, tally: &Tally, newest: Option<&Newest>) -> Markup {
    let class = if tally.errors > 0 { "bad" } else { "warn" };
    html! {
        li {
            p {
                span.badge.(class) { (if tally.errors > 0 { "error" } else { "warning" }) } " "
                b { (marked_up(title)) } " "
                a.runs href=(runs(&[&format!("rule={}", in_address(rule))])) {
                    (counted(tally.episodes, "run"))
                }
                " " code.rule { (escape(rule)) }
            }
            @if let Some(newest) = newest {
                p.note {
                    "newest: " a href={ "#/run/" (in_address(&newest.dir)) } { (escape(&newest.id)) }
                    @if let Some(started) = newest.started_sec {
                        ", " (date(super::calendar::day_of(started)))
                    }
                    @if let Some(message) = &newest.message { ": " (marked_up(message)) }
                }
            }
        }
    }
}
