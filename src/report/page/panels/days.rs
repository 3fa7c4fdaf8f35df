//! The sums over days -> charts by day, and the endings of one day.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::panel;
use crate::ground::finding::{NONE, Verdict};
use crate::ground::printable::in_address;
use crate::report::page::badges::in_words;
use crate::report::page::calendar::date;
use crate::report::page::charts::{Bin, Series, legend, meter, runs, stacked};
use crate::report::page::overview::RunSums;
use crate::report::page::units::{precise, thousands};
use crate::report::page::{named, unshown};

/// The maximum number of bars of a chart by day.
const MOST_DAYS: i64 = 31;

/// The minimum number of such bars, so that a few days do not fill the chart.
const FEWEST_DAYS: i64 = 14;

/// The maximum number of outcomes that a chart by day distinguishes.
const OUTCOMES: usize = 6;

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

pub(super) fn by_day(sums: &RunSums) -> Markup {
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
pub(super) fn endings(sums: &RunSums) -> Markup {
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
    names
        .iter()
        .take(OUTCOMES)
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

pub(super) fn outcomes_by_day(sums: &RunSums) -> Markup {
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

pub(super) fn series(name: &str, class: &'static str, query: &str) -> Series {
    Series {
        name: named(name),
        class,
        query: query.into(),
    }
}
