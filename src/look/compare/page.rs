//! A comparison, and the differences of its flipped pairs -> a page for a browser.

use maud::{Markup, html};

use super::text::{COLUMNS, measures, missing, reason, summary};
use super::{Comparison, shown};
#[cfg(feature = "serve")]
use super::{GroupComparison, groups::Group, text};
#[cfg(feature = "serve")]
use crate::ground::printable::{brief, in_address};
use crate::ground::printable::{brief_json, escape};
use crate::look::diff::Difference;
use crate::report::Grid;
use crate::report::page::plain;

/// The flipped pairs whose runs are compared in full.
pub(crate) const MAX_DIFFED: usize = 50;

/// The differences of a pair that are shown.
const MAX_SHOWN: usize = 40;

/// Returns the page; `diffs` has the differences in each of the first flipped pairs, or the reason
/// why they are not known.
pub(crate) fn page(of: &Comparison, diffs: &[Result<Vec<Difference>, String>]) -> String {
    let title = format!("{} → {}", escape(&of.base.path), escape(&of.candidate.path));
    let sections = html! {
        section.answer {
            h1 { (title) }
            @for gate in &of.gates {
                p.notice.is-bad[gate.fails || gate.why_not.is_some()] {
                    (gate.word()) ": " (escape(&gate.condition))
                    @if let Some(why) = &gate.why_not { " (" (why) ")" }
                }
            }
            @for line in summary(of) { p { (line) } }
        }
        div.panels {
            section.panel {
                h2 { "Measures" }
                (drawn(&measures(of, COLUMNS)))
                @for line in missing(of) { p { (line) } }
            }
            section.panel { h2 { "Flipped" } (flipped(of, diffs)) }
            @if !of.apart.is_empty() {
                section.panel {
                    h2 { "Not compared" }
                    ul {
                        @for apart in &of.apart {
                            li { (reason(apart)) ": " (apart.set) " " (escape(&apart.dir)) }
                        }
                        @if of.apart_more > 0 { li { "and " (of.apart_more) " more" } }
                    }
                }
            }
        }
    };

    plain(&title, &sections)
}

fn flipped(of: &Comparison, diffs: &[Result<Vec<Difference>, String>]) -> Markup {
    html! {
        @for (at, pair) in of.flipped.iter().enumerate() {
            details open[at == 0] {
                summary { (pair.flipped.unwrap_or_default()) ": " (shown(&pair.key)) }
                p { (escape(&pair.base)) " → " (escape(&pair.candidate)) }
                @match diffs.get(at) {
                    Some(Ok(differences)) => (differing(differences)),
                    Some(Err(why)) => p { "Not compared: " (escape(why)) },
                    None => p { "Not compared here: run `runvet diff`." },
                }
            }
        }
        @if of.flipped.is_empty() { p { "No pair flipped." } }
    }
}

/// Returns the part of a page that has groups side by side, with the command that prints the same.
#[cfg(feature = "serve")]
pub(crate) fn groups(of: &GroupComparison) -> Markup {
    let heads = text::group_columns(&of.by);
    let with = |group: &Group| {
        let parts = [("by", &*of.by), ("base", &*group.value)]
            .map(|(name, value)| format!("{name}={}", in_address(value)));
        format!("#/groups?{}", parts.join("&"))
    };

    let runs = |group: &Group| {
        let tag = format!("{}:{}", of.by, group.value);
        format!("#/runs?tag={}", in_address(&tag))
    };

    html! {
        h1 #groups-title { "Runs by " (escape(&of.by)) }
        ul.groups {
            @for (at, group) in of.groups.iter().enumerate() {
                li {
                    a href=(runs(group)) { bdi { (brief(&group.value)) } }
                    ": " (text::group_counts(group)) " "
                    @if at > 0 { a href=(with(group)) { "compare others with it" } }
                }
            }
        }
        @for line in text::group_notes(of) { p { (line) } }
        div.table { (drawn(&text::groups(of, heads.each_ref().map(|head| &**head)))) }
        p { "The same in a terminal: " code { (escape(&of.command)) } }
    }
}

fn drawn<const N: usize>(table: &Grid<'_, N>) -> Markup {
    let class = |at: usize| {
        table
            .numbers
            .contains(&at)
            .then_some("number")
    };

    html! {
        div.scroll.grid tabindex="0" role="group" aria-label=(table.heads.join(", ")) { table {
            thead {
                tr {
                    @for (at, name) in table.heads.iter().enumerate() {
                        th class=[class(at)] { (name) }
                    }
                }
            }
            @for row in &table.rows {
                tr {
                    @for (at, text) in row.iter().enumerate() {
                        td class=[class(at)] { (text) }
                    }
                }
            }
        } }
    }
}

fn differing(differences: &[Difference]) -> Markup {
    let rows = differences
        .iter()
        .take(MAX_SHOWN)
        .map(|it| {
            let [left, right] = [&it.left, &it.right].map(|value| brief_json(value.get()));
            [escape(&it.pointer).into_owned(), left, right]
        });

    html! {
        (drawn(&Grid::new(["place", "base", "candidate"], 0..0, rows)))
        @if differences.len() > MAX_SHOWN {
            p { "… and " (differences.len() - MAX_SHOWN) " more: run `runvet diff`." }
        }
    }
}
