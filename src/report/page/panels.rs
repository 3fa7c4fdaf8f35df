//! The sums over many runs -> the overview of a page. Each mark is a link to the runs behind it.

mod days;

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::answer::{answer, causes, failed, incomplete, tiles, verdicts};
use super::charts::{Bin, meter, runs, stacked};
use super::overview::RunSums;
use super::units::{duration, thousands};
use super::{named, unshown};
use crate::ground::finding::{OTHERS, RuleInfo, Totals, quantile};
use crate::ground::printable::{escape, in_address};
use days::{by_day, endings, outcomes_by_day, series};

/// The maximum number of rows of a list in the overview.
const BARS: usize = 12;

/// The number of values of a tag beyond which they are not listed one by one.
const MAX_TAG_VALUES: u64 = 30;

/// The minimum number of runs of which charts tell something.
const FEWEST_CHARTED: u64 = 10;

/// The values of a tag whose runs are worth comparing, at most.
const MOST_GROUPS: usize = 20;

/// The bounds of the classes of durations, in seconds: 1, 2 and 5 times each power of ten.
const DURATION_STEPS: [f64; 3] = [1.0, 2.0, 5.0];

/// Draws the overview of a check by some rules.
pub(crate) fn overview(sums: &RunSums, rules: &[RuleInfo]) -> Markup {
    html! {
        (answer(sums))
        (incomplete(sums))
        (failed(sums))
        (tiles(sums))
        (causes(sums, rules))
        @if sums.days.len() == 1 { (endings(sums)) }
        @if sums.all.episodes >= FEWEST_CHARTED {
            div.panels {
                @if sums.days.len() > 1 {
                    (by_day(sums))
                    (outcomes_by_day(sums))
                }
                (durations(sums))
                @if !sums.latencies.is_empty() { (latencies(sums)) }
                (panel("third", "Adapters", &shares("adapter", &sums.adapters)))
                (panel("third", "Modes", &shares("mode", &sums.modes)))
                (panel("third", "Tags", &tags(&sums.tags)))
                (panel("third", "Statuses", &shares("status", &sums.statuses)))
            }
        }
    }
}

fn panel(class: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section.panel.(class) {
            h2 { (title) }
            (body)
        }
    }
}

/// Returns the rules that compared nothing in any run, where that is known.
pub(super) fn vacuous(compared: &BTreeMap<String, bool>) -> Markup {
    let rules: Vec<&String> = compared
        .iter()
        .filter_map(|(rule, compared)| (!compared).then_some(rule))
        .collect();
    let body = html! {
        @if rules.is_empty() {
            p.empty { "Each rule compared something in some run." }
        } @else {
            ul.rules { @for rule in rules { li { code { (escape(rule)) } } } }
        }
    };

    html! {
        @if !compared.is_empty() { (panel("half", "Rules that compared nothing", &body)) }
    }
}

/// Draws runs by one of their properties, with the share that is valid.
fn shares(filter: &str, names: &BTreeMap<String, Totals>) -> Markup {
    let many = many_valued(filter, names);
    let mut names: Vec<_> = names.iter().collect();
    names.retain(|(name, _)| !many.contains_key(key_of(name)));
    names.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.episodes));

    let most = names
        .first()
        .map_or(1, |(_, sum)| sum.episodes.max(1));

    html! {
        @if names.is_empty() {
            p.empty { "There are none." }
        } @else {
            ol.bars {
                @for (name, sum) in names.iter().take(BARS) {
                    @let bar = html! {
                        span.name { (named(name)) }
                        (meter(&verdicts(sum, most)))
                        span.number { (thousands(sum.episodes)) }
                    };
                    li {
                        @if *name == OTHERS {
                            span.bar { (bar) }
                        } @else {
                            a href=(runs(&[&format!("{filter}={}", in_address(name))])) { (bar) }
                        }
                    }
                }
            }
            (unshown(names.len().saturating_sub(BARS), "more"))
        }
        @for (key, values) in &many {
            p.note { (named(key)) ": " (thousands(*values)) " values" }
        }
    }
}

/// Draws runs by tag, with a link for each tag with several values to the runs of each of them side
/// by side.
fn tags(tags: &BTreeMap<String, Totals>) -> Markup {
    let mut values: BTreeMap<&str, usize> = BTreeMap::new();
    for (tag, _) in tags
        .keys()
        .filter_map(|tag| tag.split_once(':'))
    {
        *values.entry(tag).or_default() += 1;
    }

    values.retain(|_, values| (2..=MOST_GROUPS).contains(values));
    html! {
        (shares("tag", tags))
        @if !values.is_empty() {
            p.note {
                "Compare by"
                @for tag in values.keys().take(BARS) {
                    " " a href={ "#/groups?by=" (in_address(*tag)) } { (named(tag)) }
                }
            }
        }
    }
}

/// Returns the keys of tags that have another value for nearly each run, with their numbers of
/// values.
fn many_valued<'n>(filter: &str, names: &'n BTreeMap<String, Totals>) -> BTreeMap<&'n str, u64> {
    let mut keys: BTreeMap<&str, u64> = BTreeMap::new();
    for name in names.keys().filter(|_| filter == "tag") {
        *keys.entry(key_of(name)).or_default() += 1;
    }

    keys.retain(|_, values| *values > MAX_TAG_VALUES);
    keys
}

fn key_of(tag: &str) -> &str {
    tag.split(':').next().unwrap_or(tag)
}

fn durations(sums: &RunSums) -> Markup {
    let mut sorted = sums.durations.clone();
    sorted.sort_by(f64::total_cmp);
    let quantiles = [50, 95].map(|percent| quantile(&sorted, percent));
    let all = [series("", "c1", "")];
    let bins = classes(&sorted);
    let body = html! {
        @if bins.is_empty() {
            p.empty { "No run says how long it took." }
        } @else {
            (stacked("Durations", &bins, &all))
            p.note {
                @if let [Some(half), Some(most)] = quantiles {
                    "p50 " b { (duration(half)) } " · p95 " b { (duration(most)) } " · "
                    (thousands(sorted.len() as u64)) " runs"
                }
            }
        }
    };

    panel("half", "Durations", &body)
}

/// Returns the number of durations in each class between the shortest and the longest.
fn classes(sorted: &[f64]) -> Vec<Bin> {
    let (Some(shortest), Some(longest)) = (sorted.first(), sorted.last()) else {
        return Vec::new();
    };
    let bounds: Vec<f64> = (-3..=9)
        .flat_map(|power| DURATION_STEPS.map(|step| step * 10_f64.powi(power)))
        .collect();
    let class_of = |value: f64| bounds.partition_point(|bound| *bound <= value);
    let (first, last) = (class_of(*shortest), class_of(*longest));
    // A few classes more on both sides, so that one class does not fill the chart.
    let (first, last) = (first.saturating_sub(2), (last + 2).min(bounds.len()));

    (first..=last)
        .map(|class| {
            let low = class
                .checked_sub(1)
                .and_then(|at| bounds.get(at))
                .copied();
            let high = bounds.get(class).copied();
            let count = sorted
                .iter()
                .filter(|value| class_of(**value) == class)
                .count();
            let text = |bound: Option<f64>| {
                bound
                    .map(|bound| bound.to_string())
                    .unwrap_or_default()
            };

            Bin {
                label: duration(low.unwrap_or_default()),
                title: match (low, high) {
                    (Some(low), Some(high)) => format!("{} to {}", duration(low), duration(high)),
                    (None, Some(high)) => format!("less than {}", duration(high)),
                    (low, None) => format!("{} or more", duration(low.unwrap_or_default())),
                },
                query: format!("duration={}..{}", text(low), text(high)),
                counts: vec![count as u64],
            }
        })
        .collect()
}

/// A latency of many runs: those that half of the runs, and most of them, stay below.
struct LatencyRow<'s> {
    name: &'s str,
    half: f64,
    most: f64,
}

fn latencies(sums: &RunSums) -> Markup {
    let mut rows: Vec<LatencyRow<'_>> = sums
        .latencies
        .iter()
        .filter_map(|(name, values)| {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            Some(LatencyRow {
                name,
                half: quantile(&sorted, 50)?,
                most: quantile(&sorted, 95)?,
            })
        })
        .collect();
    rows.sort_by(|a, b| b.most.total_cmp(&a.most));

    let number = rows.len();
    rows.truncate(BARS);
    let longest = rows
        .first()
        .map_or(1.0, |row| row.most.max(f64::MIN_POSITIVE));
    let body = html! {
        @if rows.is_empty() {
            p.empty { "No run has latencies." }
        } @else {
            table.latencies {
                thead {
                    tr {
                        th scope="col" { "latency" }
                        th.wide scope="col" { span.unseen { "bar" } }
                        th.number scope="col" { "p50" }
                        th.number scope="col" { "p95" }
                    }
                }
                tbody {
                    @for LatencyRow { name, half, most } in &rows {
                        @let link = |value: f64| {
                            runs(&[&format!("latency={}..{value}..", in_address(name))])
                        };
                        tr {
                            th scope="row" { (named(name)) }
                            td {
                                (meter(&[
                                    ("c1", half / longest),
                                    ("c1 pale", (most - half).max(0.0) / longest),
                                ]))
                            }
                            td.number { a href=(link(*half)) { (duration(*half / 1e3)) } }
                            td.number { a href=(link(*most)) { (duration(*most / 1e3)) } }
                        }
                    }
                }
            }
            (unshown(number.saturating_sub(BARS), "more"))
        }
    };

    panel("half", "Latencies", &body)
}
