//! The records of a run -> tables: beliefs, facts, verification, metrics, links.

use maud::{Markup, html};

use super::badges::badge;
use super::charts::meter;
use super::units::{duration, grouped, thousands};
use super::unshown;
use crate::ground::printable::escape;
use crate::reading::dashboard::{Overview, Rows, VerificationSection};

/// The maximum number of rows of a table.
const MAX_SHOWN: usize = 200;

/// The maximum number of metrics of the outcomes in the header of a page; if there are more, all of
/// them stand below it too.
pub(super) const MAX_METRICS: usize = 6;

pub(super) fn details(overview: &Overview) -> Markup {
    let has = |rows: usize| rows > 0;
    let lacking: Vec<&str> = [
        ("beliefs", has(overview.beliefs.total)),
        ("facts", has(overview.facts.total)),
        ("verification", overview.verification.is_some()),
        ("metrics", overview.metrics.is_some()),
        ("links", overview.links.is_some()),
    ]
    .iter()
    .filter(|(_, has)| !has)
    .map(|(name, _)| *name)
    .collect();

    html! {
        div.columns {
            @if let Some(verification) = &overview.verification {
                (panel("Verification", &self::verification(verification)))
            }
            @if let Some(metrics) = &overview.metrics {
                @if has(overview.latencies.total) {
                    (panel("Latencies", &latencies(&overview.latencies)))
                }
                @if has(metrics.total) { (panel("Metrics", &figures(metrics))) }
            }
            @if overview.outcome_metrics.total > MAX_METRICS {
                (panel("Outcome metrics", &figures(&overview.outcome_metrics)))
            }
            @if has(overview.beliefs.total) { (panel("Beliefs", &beliefs(overview))) }
            @if has(overview.facts.total) { (panel("Facts", &facts(overview))) }
            @if let Some(links) = &overview.links {
                (panel("Links", &self::links(links)))
            }
        }
        @if !lacking.is_empty() {
            p.note { "These are not in the records: " (lacking.join(", ")) "." }
        }
    }
}

fn beliefs(overview: &Overview) -> Markup {
    table(
        &["belief", "confidence"],
        &overview.beliefs,
        |(confidence, statement)| {
            html! {
                td { (escape(statement)) }
                td { (escape(confidence)) }
            }
        },
    )
}

fn facts(overview: &Overview) -> Markup {
    table(&["fact", "value"], &overview.facts, |(key, value)| {
        html! {
            th scope="row" { (escape(key)) }
            td { code { (escape(value)) } }
        }
    })
}

fn panel(title: &str, body: &Markup) -> Markup {
    html! {
        section.panel {
            h3 { (title) }
            (body)
        }
    }
}

fn table<T>(heads: &[&str], rows: &Rows<T>, row: impl Fn(&T) -> Markup) -> Markup {
    html! {
        @if !rows.first.is_empty() {
            div.scroll tabindex="0" role="group" aria-label=(heads.join(", ")) {
                table {
                    thead { tr { @for head in heads { th scope="col" { (head) } } } }
                    tbody { @for item in rows.first.iter().take(MAX_SHOWN) { tr { (row(item)) } } }
                }
            }
            (more(rows))
        }
    }
}

fn more<T>(rows: &Rows<T>) -> Markup {
    unshown(rows.total - rows.first.len().min(MAX_SHOWN), "more")
}

fn verification(verification: &VerificationSection) -> Markup {
    let verdict = match verification.passed.as_deref() {
        Some("true") => badge("passed", "passed"),
        Some("false") => badge("failed", "not passed"),
        Some(other) => badge("", other),
        None => badge("", "not verified"),
    };

    html! {
        p {
            (verdict) " "
            (thousands(verification.assertions.total as u64))
            @if verification.assertions.total == 1 { " assertion" } @else { " assertions" }
        }
        (table(&["assertion", "result", "message"], &verification.assertions, |assertion| html! {
            th scope="row" { (escape(&assertion.name)) }
            td { (badge(assertion.result, assertion.result)) }
            td { (escape(assertion.message.as_deref().unwrap_or_default())) }
        }))
        @if let Some(error) = &verification.error {
            p.notice.is-bad { (escape(error)) }
        }
        @if !verification.changes.first.is_empty() {
            ul.diff {
                @for (sign, path) in verification.changes.first.iter().take(MAX_SHOWN) {
                    @let (class, sign, what) = match sign {
                        '+' => ("good", "+", "added"),
                        '~' => ("warn", "~", "modified"),
                        _ => ("bad", "−", "deleted"),
                    };
                    li.(class) {
                        span.sign aria-hidden="true" { (sign) }
                        span.unseen { (what) " " }
                        code { (escape(path)) }
                    }
                }
            }
            (more(&verification.changes))
        }
    }
}

fn figures(figures: &Rows<(String, String)>) -> Markup {
    html! {
        dl.metrics {
            @for (name, value) in figures.first.iter().take(MAX_SHOWN) {
                div { dt { (escape(name)) } dd { (escape(&grouped(value))) } }
            }
        }
        (more(figures))
    }
}

fn latencies(latencies: &Rows<(String, f64)>) -> Markup {
    let longest = latencies
        .first
        .iter()
        .map(|(_, ms)| *ms)
        .fold(f64::MIN_POSITIVE, f64::max);

    table(&["latency", "time"], latencies, |(name, ms)| {
        html! {
            th scope="row" { (escape(name)) }
            td.wide data-sec=(ms) {
                (meter(&[("c1", (ms / longest).max(0.0))])) " "
                (duration(ms / 1e3))
            }
        }
    })
}

fn links(links: &Rows<(String, String, Option<&str>)>) -> Markup {
    table(
        &["link", "target", "there"],
        links,
        |(name, target, end)| {
            html! {
                th scope="row" { (escape(name)) }
                td { code { (escape(target)) } }
                td {
                    @match end {
                        Some("there") => (badge("ok", "yes")),
                        Some(end) => (badge("failed", end)),
                        None => "–",
                    }
                }
            }
        },
    )
}
