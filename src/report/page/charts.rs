//! Numbers -> charts, as SVG without a style or script of its own: places are in per cent, so that
//! a chart is as wide as its panel.

use maud::{Markup, html};

use super::units::{precise, thousands};
use crate::ground::printable::{escape, rounded};

/// The height of the bars of a chart, in pixels.
const PLOT_HEIGHT: f64 = 128.0;

/// The height of the labels below them.
const LABEL_HEIGHT: f64 = 20.0;

/// The width of a character of a label in per cent of a narrow chart.
const CHARACTER_WIDTH: f64 = 2.2;

/// The maximum number of labels below a chart.
const LABELS: usize = 4;

/// A part of each bar of a chart.
pub(super) struct Series {
    /// Empty for all runs.
    pub(super) name: String,
    /// The class that gives it a colour.
    pub(super) class: &'static str,
    /// The filter that leads to its runs, such as `valid=no`.
    pub(super) query: String,
}

/// A bar of a chart.
pub(super) struct Bin {
    pub(super) label: String,
    /// The meaning of the bar, in words.
    pub(super) title: String,
    /// The filter that leads to its runs, such as `since=2026-03-01`.
    pub(super) query: String,
    /// One for each series.
    pub(super) counts: Vec<u64>,
}

/// Returns a chart of bars, each a stack of parts, and each part a link to the runs behind it.
pub(super) fn stacked(title: &str, bins: &[Bin], series: &[Series]) -> Markup {
    let highest = bins
        .iter()
        .map(|bin| bin.counts.iter().sum())
        .max();
    let top = round_above(highest.unwrap_or_default());
    let scale = PLOT_HEIGHT / precise(top.max(1));
    let digits = thousands(top)
        .len()
        .max(thousands(top / 2).len());
    let margin = CHARACTER_WIDTH * (precise(digits as u64) + 0.5);
    let step = (100.0 - margin) / precise(bins.len().max(1) as u64);
    let labelled = bins.len().div_ceil(LABELS).max(1);

    html! {
        svg.chart width="100%" height=(PLOT_HEIGHT + LABEL_HEIGHT + 12.0) role="group"
            aria-label=(title) {
            @for (line, count) in [(0.0, Some(top)), (0.5, half(top)), (1.0, None)] {
                @let y = 12.0 + PLOT_HEIGHT * line;
                line.grid x1="0" x2="100%" y1=(pixels(y)) y2=(pixels(y)) {}
                @if let Some(count) = count {
                    text.axis x="0" y=(pixels(y - 3.0)) { (thousands(count)) }
                }
            }
            @for (at, bin) in bins.iter().enumerate() {
                @let left = margin + step * (precise(at as u64) + 0.1);
                (stack(bin, series, (left, step * 0.8), scale))
                @if at % labelled == 0 {
                    text.axis x=(per_cent(left)) y=(pixels(PLOT_HEIGHT + LABEL_HEIGHT + 8.0)) {
                        (escape(&bin.label))
                    }
                }
            }
        }
    }
}

fn stack(bin: &Bin, series: &[Series], (left, width): (f64, f64), scale: f64) -> Markup {
    let mut below = 0.0;
    let parts = series
        .iter()
        .zip(patterns_in_turn())
        .zip(&bin.counts);

    html! {
        @for ((series, pattern), count) in parts.filter(|(_, count)| **count > 0) {
            @let height = (precise(*count) * scale).max(1.5);
            @let y = 12.0 + PLOT_HEIGHT - below - height;
            @let () = below += height;
            @let name = match &*series.name {
                "" if *count == 1 => "run",
                "" => "runs",
                name => name,
            };
            @let what = format!("{}: {} {name}", bin.title, thousands(*count));
            a href=(runs(&[&bin.query, &series.query])) aria-label=(escape(&what)) {
                rect class=(series.class) x=(per_cent(left)) width=(per_cent(width))
                    y=(pixels(y)) height=(pixels(height)) {
                    title { (escape(&what)) }
                }
                rect fill=(pattern) x=(per_cent(left)) width=(per_cent(width)) y=(pixels(y))
                    height=(pixels(height)) pointer-events="none" {}
            }
        }
    }
}

/// The patterns drawn over the series of a chart, so that they differ without colours too.
const PATTERNS: [(&str, &str); 6] = [
    ("plain", ""),
    ("rising", "M0,6L6,0M-1,1L1,-1M5,7L7,5"),
    ("dashes", "M1,2H3M4,5H6"),
    ("level", "M0,1H6M0,4H6"),
    ("falling", "M0,0L6,6M5,-1L7,1M-1,5L1,7"),
    ("upright", "M1,0V6M4,0V6"),
];

fn patterns_in_turn() -> impl Iterator<Item = String> {
    PATTERNS
        .iter()
        .map(|(name, _)| format!("url(#{name})"))
        .cycle()
}

/// Returns the patterns of all charts of a page.
pub(super) fn patterns() -> Markup {
    html! {
        svg.patterns width="0" height="0" aria-hidden="true" {
            @for (name, path) in PATTERNS {
                pattern id=(name) width="6" height="6" patternUnits="userSpaceOnUse" {
                    path d=(path) {}
                }
            }
        }
    }
}

/// Returns the names of the series, each with its colour and its pattern.
pub(super) fn legend(series: &[Series]) -> Markup {
    html! {
        ul.legend {
            @for (series, pattern) in series.iter().zip(patterns_in_turn()) {
                li {
                    a href=(runs(&[&series.query])) {
                        svg.key width="12" height="12" aria-hidden="true" {
                            rect class=(series.class) width="12" height="12" rx="2" {}
                            rect fill=(pattern) width="12" height="12" rx="2" {}
                        }
                        (escape(&series.name))
                    }
                }
            }
        }
    }
}

/// Returns a bar from the left, of one or several parts of a whole.
pub(super) fn meter(parts: &[(&'static str, f64)]) -> Markup {
    let mut left = 0.0;
    html! {
        svg.meter width="100%" height="8" aria-hidden="true" {
            rect.track width="100%" height="8" rx="2" {}
            @for (class, share) in parts.iter().filter(|(_, share)| *share > 0.0) {
                @let x = left;
                @let () = left += share * 100.0;
                rect class=(class) x=(per_cent(x)) width=(per_cent(share * 100.0)) height="8"
                    rx="2" {}
            }
        }
    }
}

/// Returns the link to the list of runs with some filters.
pub(super) fn runs(queries: &[&str]) -> String {
    let mut link = "#/runs".to_owned();
    for query in queries
        .iter()
        .filter(|query| !query.is_empty())
    {
        link.push(if link.ends_with("#/runs") { '?' } else { '&' });
        link.push_str(query);
    }

    link
}

/// Returns half of a number, if that is whole.
fn half(number: u64) -> Option<u64> {
    number
        .is_multiple_of(2)
        .then_some(number / 2)
}

/// Returns the next of 1, 2, 4, 6, 10, 20, 40, 60, 100, … that a number does not exceed.
fn round_above(number: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for factor in [1, 2, 4, 6] {
            let step = unit.saturating_mul(factor);
            if number <= step {
                return step;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// Returns a place or length along a chart.
pub(super) fn per_cent(value: f64) -> String {
    format!("{}%", pixels(value))
}

/// Returns a number for a drawing: hundredths are enough.
pub(super) fn pixels(value: f64) -> String {
    rounded(value, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_ends_at_a_round_number() {
        let tops = [0, 1, 3, 5, 7, 11, 61, 99_999].map(round_above);
        assert_eq!(tops, [1, 1, 4, 6, 10, 20, 100, 100_000]);
        assert_eq!(round_above(u64::MAX), u64::MAX);
    }

    #[test]
    fn link_has_each_query_once() {
        assert_eq!(
            runs(&["", "rule=a/b", "valid=no"]),
            "#/runs?rule=a/b&valid=no"
        );
        assert_eq!(runs(&[]), "#/runs");
    }
}
