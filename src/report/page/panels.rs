//! The sums over many runs -> the overview of a page. Each mark is a link to the runs behind it.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::answer::{answer, causes, failed, incomplete, tiles, verdicts};
use super::badges::in_words;
use super::calendar::date;
use super::charts::{Bin, Series, legend, meter, runs, stacked};
use super::overview::RunSums;
use super::units::{duration, precise, thousands};
use super::{named, unshown};
use crate::ground::finding::{NONE, OTHERS, RuleInfo, Totals, Verdict, quantile};
use crate::ground::printable::{escape, in_address};

/// The maximum number of bars of a chart by day.
const MOST_DAYS: i64 = 31;

/// The minimum number of such bars, so that a few days do not fill the chart.
const FEWEST_DAYS: i64 = 14;

/// The maximum number of outcomes that a chart by day distinguishes.
const OUTCOMES: usize = 6;

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

/// Returns days in groups of equal length: the first day of each, and the length.
fn days(sums: &RunSums) -> Option<(Vec<i64>, i64)> {
    let (first, last) = (*sums.days.keys().next()?, *sums.days.keys().next_back()?);
    let length = (last - first + 1).div_euclid(MOST_DAYS) + 1;
    let number = ((last - first) / length + 1).max(FEWEST_DAYS);
    let start = (last - (number - 1) * length - (length - 1)).min(first);

    Some((
        (0..number)
            .map(|bin| start + bin * length)
            .collect(),
        length,
    ))
}

fn bins(sums: &RunSums, counts: impl Fn(i64, i64) -> Vec<u64>) -> Vec<Bin> {
    let Some((starts, length)) = days(sums) else {
        return Vec::new();
    };
    let bin = |start: i64| {
        let (since, until) = (date(start), date(start + length));
        let title = if length == 1 {
            since.clone()
        } else {
            format!("{since} to {}", date(start + length - 1))
        };

        Bin {
            query: format!("since={}&until={}", in_address(&since), in_address(&until)),
            label: since,
            title,
            counts: counts(start, start + length),
        }
    };

    starts.into_iter().map(bin).collect()
}

fn by_day(sums: &RunSums) -> Markup {
    let queries = [
        ("good", "valid=yes"),
        ("bad", "verdict=invalid"),
        ("bad2", "verdict=breaks_rule"),
        ("dim", "valid=undecided"),
    ];
    let verdicts = sums
        .all
        .verdicts()
        .into_iter()
        .zip(queries);
    let is_always = |verdict| matches!(verdict, Verdict::Valid | Verdict::Invalid);
    let shown = verdicts.filter(|((verdict, all), _)| *all > 0 || is_always(*verdict));
    let (series, words): (Vec<_>, Vec<_>) = shown
        .map(|((verdict, _), (class, query))| {
            (series(verdict.phrase(2), class, query), verdict.word())
        })
        .unzip();
    let counts = |since: i64, until: i64| {
        let of = |word: &&str| {
            sums.days
                .range(since..until)
                .filter_map(|(_, day)| day.verdicts.get(*word))
                .sum()
        };
        words.iter().map(of).collect()
    };

    by_time("Valid and invalid runs", sums, &series, &bins(sums, counts))
}

/// Returns the number of runs by their endings, the most frequent ones first; runs without a start
/// are left out, as in a chart by day.
fn ended(sums: &RunSums) -> Vec<(&str, u64)> {
    let mut met: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, count) in sums
        .days
        .values()
        .flat_map(|day| &day.outcomes)
    {
        *met.entry(name).or_default() += count;
    }

    let mut names: Vec<(&str, u64)> = met.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    names
}

/// Draws the ends of the runs of one day.
fn endings(sums: &RunSums) -> Markup {
    let names = ended(sums);
    let all = precise(
        names
            .iter()
            .map(|(_, count)| count)
            .sum::<u64>()
            .max(1),
    );
    let body = html! {
        ol.bars {
            @for (series, (_, count)) in series_of(&names).iter().zip(&names) {
                li { a href=(runs(&[&series.query])) {
                    span.name { (series.name) }
                    (meter(&[(series.class, precise(*count) / all)]))
                    span.number { (thousands(*count)) }
                } }
            }
        }
        (unshown(names.len().saturating_sub(OUTCOMES), "more"))
    };

    html! { div.endings { (panel("whole", "How runs ended", &body)) } }
}

/// Returns the most frequent endings, each with its colour.
fn series_of(names: &[(&str, u64)]) -> Vec<Series> {
    let mut spare = ["c1", "c3", "c5", "c6"].into_iter();
    let names = names.iter().take(OUTCOMES);
    names
        .map(|(name, _)| {
            let class = match *name {
                "success" => "good",
                "ok" => "c2",
                "success_unverified" => "warn",
                "vetoed" => "c4",
                "error" => "bad",
                "goal_not_achieved" => "bad2",
                "pending" | NONE => "dim",
                _ => spare.next().unwrap_or("dim"),
            };

            series(
                &in_words(name),
                class,
                &format!("ended={}", in_address(name)),
            )
        })
        .collect()
}

fn outcomes_by_day(sums: &RunSums) -> Markup {
    let names = ended(sums);
    let shown: Vec<&str> = names
        .iter()
        .take(OUTCOMES)
        .map(|(name, _)| *name)
        .collect();
    let mut outcomes = series_of(&names);
    if names.len() > shown.len() {
        outcomes.push(series("other outcomes", "dim", ""));
    }

    let counts = |since: i64, until: i64| {
        let mut counts = vec![0; outcomes.len()];
        for (name, count) in sums
            .days
            .range(since..until)
            .flat_map(|(_, day)| &day.outcomes)
        {
            let at = shown
                .iter()
                .position(|known| known == name)
                .unwrap_or(shown.len());
            if let Some(sum) = counts.get_mut(at) {
                *sum += count;
            }
        }

        counts
    };

    let bins = bins(sums, counts);
    by_time("How runs ended", sums, &outcomes, &bins)
}

fn by_time(what: &str, sums: &RunSums, series: &[Series], bins: &[Bin]) -> Markup {
    let title = match days(sums) {
        Some((_, length)) if length > 1 => format!("{what} by {length} days"),
        _ => format!("{what} by day"),
    };

    let body = html! {
        (legend(series))
        (stacked(&title, bins, series))
        @if sums.undated > 0 {
            p.note {
                a href="#/runs?since=(none)" { (thousands(sums.undated)) " without a start" }
            }
        }
    };

    panel("half", &title, &body)
}

fn series(name: &str, class: &'static str, query: &str) -> Series {
    Series {
        name: named(name),
        class,
        query: query.into(),
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

fn latencies(sums: &RunSums) -> Markup {
    let mut rows: Vec<(&str, f64, f64, usize)> = sums
        .latencies
        .iter()
        .filter_map(|(name, values)| {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let (half, most) = (quantile(&sorted, 50)?, quantile(&sorted, 95)?);
            Some((&**name, half, most, sorted.len()))
        })
        .collect();
    rows.sort_by(|a, b| b.2.total_cmp(&a.2));

    let number = rows.len();
    rows.truncate(BARS);
    let longest = rows
        .first()
        .map_or(1.0, |row| row.2.max(f64::MIN_POSITIVE));
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
                    @for (name, half, most, _) in &rows {
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
