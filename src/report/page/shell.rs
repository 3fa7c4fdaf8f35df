//! The parts of a page -> the page: its policy, style and script around them.

use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::charts::patterns;
use super::units::thousands;

/// The style of a page.
pub(crate) const STYLE: &str = include_str!("style.css");

/// The script of a page: one function of the parts below `script/`. It shows the content of the
/// page, and sends no requests.
pub(crate) const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("script/base.js"),
    include_str!("script/source.js"),
    include_str!("script/filters.js"),
    include_str!("script/list.js"),
    include_str!("script/run.js"),
    include_str!("script/compare.js"),
    include_str!("script/groups.js"),
    include_str!("script/waterfall.js"),
    include_str!("script/events.js"),
    include_str!("script/tree.js"),
    include_str!("script/places.js"),
    include_str!("script/keys.js"),
    include_str!("script/views.js"),
    "})();\n"
);

/// Returns the policy of a page: it may use its own style and script, which are known by their
/// digests. It may not load anything, send anything, or make markup in any way but the script's
/// own.
fn policy() -> String {
    let digest = |text: &str| BASE64.encode(&Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; \
         trusted-types runvet",
        digest(STYLE),
        digest(SCRIPT)
    )
}

/// Returns a page in one file, without a script, of some sections.
pub(crate) fn plain(title: &str, sections: &Markup) -> String {
    html! { (framed(title, false, &html! {})) main { (sections) } }.into_string()
}

/// Returns the head of a page that has its own policy and style, or gets them from a service.
pub(super) fn framed(title: &str, is_served: bool, top: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        // The element ends with the file: what is written later belongs to it.
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            @if !is_served { meta http-equiv="Content-Security-Policy" content=(policy()); }
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content={ "runvet " (env!("CARGO_PKG_VERSION")) };
            link rel="icon" href="data:,";
            title { (title) }
            @if is_served { link rel="stylesheet" href="static/style.css"; }
            @else { style { (PreEscaped(STYLE)) } }
        }
        (top)
    }
}

/// Returns the bar at the top of every view.
pub(super) fn top(runs: u64, state: &Markup) -> Markup {
    html! {
        a.skip href="#main" { "Skip to the content" }
        (patterns())
        header.top {
            a.brand href="#/" tabindex="-1" {
                svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" {
                    path.good d="M2 3h14v2.4H2zM2 7.8h9v2.4H2zM2 12.6h5V15H2z" {}
                    path.c1 d="M9.2 13.4l1.6-1.6 1.7 1.7 3.6-3.7 1.6 1.6-5.2 5.3z" {}
                }
                "runvet"
            }
            nav.views aria-label="Views" {
                a href="#/" data-view="overview" { "Overview" }
                a href="#/runs" data-view="runs" {
                    "Runs " span.count { (thousands(runs)) }
                }
            }
            div.tools {
                (state)
                button.key-help type="button" hidden data-do="help" { "Keys" }
                button type="button" hidden data-do="theme" { "Theme" }
            }
        }
    }
}

/// The forms of a time that filters take.
const TIMES: &str = "a date, a date-time such as 2026-03-01T14:00, today, yesterday, or a length \
                     before now such as 15m, 24h or 7d; in UTC";

/// The forms of a length of silence, of the service alone.
const LENGTHS: &str = "a length of time such as 15m: runs in progress of which no file was written \
                       for so long";

/// The forms of a filter by duration.
const DURATIONS: &str = "the shortest duration in seconds and the end of the range, such as 10..60, \
                         60.. or ..1";

/// The forms of a filter by a metric.
const METRICS: &str = "the name of a metric, alone or with its lowest value and the end of its \
                       range, such as task_score or task_score..0.5..0.9";

/// Returns a filter that takes a text, with the texts that it offers.
fn typed(name: &str, title: &str, placeholder: &str, forms: &str, offered: &[&str]) -> Markup {
    html! {
        label {
            span { (title) }
            input type="text" name=(name) list={ "offered-" (name) } autocomplete="off"
                placeholder=(placeholder) title=(forms);
            datalist id={ "offered-" (name) } {
                @for text in offered { option value=(text) {} }
            }
        }
    }
}

/// Returns the list of runs, which the script fills.
pub(super) fn list() -> Markup {
    let filters = [
        ("valid", "Validity"),
        ("status", "Status"),
        ("outcome", "Outcome"),
        ("rule", "Rule"),
        ("adapter", "Adapter"),
        ("mode", "Mode"),
        ("tag", "Tag"),
        ("tool", "Tool"),
    ];

    html! {
        section.view #runs aria-labelledby="runs-title" {
            h1.unseen #runs-title { "Runs" }
            form.filters hidden role="search" {
                label.search {
                    span.unseen { "Search" }
                    input type="search" name="q" placeholder="Search id, task, directory" autocomplete="off";
                }
                details.more-filters {
                    summary { "Filters" }
                    div.controls {
                        @for (name, title) in filters {
                            label {
                                span { (title) }
                                select name=(name) { option value="" { "any" } }
                            }
                        }
                        label {
                            span { "Call" }
                            select name="call" {
                                option value="" { "any" }
                                option value="error" { "returned an error" }
                                option value="denied" { "denied" }
                            }
                        }
                        @for (name, title) in [("since", "From"), ("until", "Before")] {
                            (typed(name, title, "yesterday", TIMES,
                                &["1h", "24h", "7d", "30d", "today", "yesterday"]))
                        }
                        (typed("silent_for", "Silent for", "15m", LENGTHS, &["5m", "15m", "1h", "24h"]))
                        (typed("duration", "Seconds", "60..", DURATIONS, &["..1", "1..60", "60..", "3600.."]))
                        // The script offers the metrics that runs have.
                        (typed("metric", "Metric", "task_score..0.5..", METRICS, &[]))
                        label {
                            span { "Text in runs" }
                            input type="search" name="text" placeholder="HTTP 503" autocomplete="off"
                                title="words that are all in one text of a run";
                        }
                        button type="reset" { "Clear" }
                    }
                }
            }
            p.list-status role="status" aria-live="polite" {}
            div.table {}
            nav.pages aria-label="Pages of the list" {}
            noscript { p.notice { "The list of runs, their steps, events and records need JavaScript. What was found in runs follows." } }
        }
    }
}

/// Returns two runs side by side, which the script fills.
pub(super) fn compared() -> Markup {
    html! { section.view #compare aria-labelledby="compare-title" {} }
}

/// Returns the place of the runs of each value of a tag side by side, which a service draws.
pub(super) fn grouped() -> Markup {
    html! { section.view #groups aria-labelledby="groups-title" {} }
}

/// Returns the keys that the script knows.
pub(super) fn keys() -> Markup {
    let keys = [
        ("/", "search"),
        ("j k", "next and previous run of the list"),
        ("Enter", "open a run"),
        ("[ ]", "previous and next run"),
        ("o", "overview"),
        ("r", "runs"),
        ("f", "next finding"),
        ("e", "first error of a run"),
        ("← →", "previous and next mark of a chart"),
        ("t", "light or dark"),
        ("Esc", "back to the list"),
        ("?", "these keys"),
    ];

    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl {
                @for (key, what) in keys {
                    div { dt { @for key in key.split(' ') { kbd { (key) } " " } } dd { (what) } }
                }
            }
            label { input type="checkbox" name="keys" checked; " Keys without a modifier act" }
            form method="dialog" { button { "Close" } }
        }
    }
}
