//! A comparison, and the differences of its flipped pairs -> a page for a browser.

use maud::{DOCTYPE, PreEscaped, html};

use super::text::{figure, p_value, summary};
use super::{Comparison, shown};
use crate::diff::Difference;
use crate::printable::{brief_json, escape};

/// The flipped pairs whose runs are compared in full.
pub(crate) const MAX_DIFFED: usize = 50;

/// The differences of a pair that are shown.
const MAX_SHOWN: usize = 40;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;\
    padding:0 1rem;color-scheme:light dark}table{border-collapse:collapse}\
    td,th{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #8884;\
    overflow-wrap:anywhere}td.n{text-align:right;font-variant-numeric:tabular-nums}";

/// The page; `diffs` has what differs in each of the first flipped pairs, or why that is not known.
pub(crate) fn page(of: &Comparison, diffs: &[Result<Vec<Difference>, String>]) -> String {
    let title = format!("{} → {}", escape(&of.base.path), escape(&of.candidate.path));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p { (summary(of)) }
                @for gate in &of.gates {
                    p { (if gate.fails { "Fails: " } else { "Passes: " }) (escape(&gate.condition)) }
                }
                h2 { "Flipped" }
                @for (at, pair) in of.flipped.iter().enumerate() {
                    details open[at == 0] {
                        summary { (pair.flipped.unwrap_or_default()) ": " (shown(&pair.key)) }
                        p { (escape(&pair.base)) " → " (escape(&pair.candidate)) }
                        @match diffs.get(at) {
                            Some(Ok(differences)) => (table(differences)),
                            Some(Err(why)) => p { "Not compared: " (escape(why)) },
                            None => p { "Not compared here: run `runvet diff`." },
                        }
                    }
                }
                @if of.flipped.is_empty() { p { "No pair flipped." } }
                h2 { "Measures" }
                table {
                    tr {
                        @for name in
                            ["measure", "base", "candidate", "lower", "same", "higher", "p"]
                        {
                            th { (name) }
                        }
                    }
                    @for it in &of.measures {
                        tr {
                            td { (escape(&it.name)) }
                            td.n { (figure(it.base)) }
                            td.n { (figure(it.candidate)) }
                            @for tasks in [it.lower, it.same, it.higher] { td.n { (tasks) } }
                            td.n { (p_value(it.p)) }
                        }
                    }
                }
                h2 { "Not compared" }
                ul {
                    @for apart in &of.apart {
                        li { (apart.why) ": " (apart.set) " " (escape(&apart.dir)) }
                    }
                }
            }
        }
    };
    markup.into_string()
}

fn table(differences: &[Difference]) -> maud::Markup {
    html! {
        table {
            tr { th { "place" } th { "base" } th { "candidate" } }
            @for it in differences.iter().take(MAX_SHOWN) {
                tr {
                    td { (escape(&it.pointer)) }
                    td { (brief_json(it.left.get())) }
                    td { (brief_json(it.right.get())) }
                }
            }
        }
        @if differences.len() > MAX_SHOWN {
            p { "… and " (differences.len() - MAX_SHOWN) " more: run `runvet diff`." }
        }
    }
}
