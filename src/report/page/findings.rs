//! The report on a run -> its findings on a page, each with the line in question, the other side,
//! and the page of its rule.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::units::thousands;
use super::unshown;
use crate::ground::finding::{EpisodeReport, Finding, Location, Severity, Suppression};
use crate::ground::printable::escape;
use crate::ground::source::Artifact;

/// The maximum number of cards of a run that its page shows, and of findings that do not count.
const MAX_FINDINGS: usize = 200;

/// The maximum number of places of equal findings that are marked, and of ranges that are named.
const MAX_MARKED: usize = 2_000;
const MAX_RANGES: usize = 20;

/// The maximum number of other places that a page shows of one finding.
const MAX_RELATED: usize = 8;

/// The places in the records and the timeline that findings are about.
pub(super) struct Places<'r> {
    prefix: &'r str,
    /// By the lines of events.
    events: BTreeMap<u64, BTreeMap<&'r str, FindingPlace>>,
    records: BTreeMap<Artifact, BTreeMap<&'r str, FindingPlace>>,
}

/// A place that a finding is about.
#[derive(Clone, Copy)]
pub(super) struct FindingPlace {
    pub(super) number: usize,
    /// `None` where it is only the other side of a finding.
    pub(super) severity: Option<Severity>,
}

fn class_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "bad",
        Severity::Warning => "warn",
    }
}

impl FindingPlace {
    /// Returns its class in the markup.
    pub(super) fn class(self) -> String {
        format!("place {}", self.severity.map_or("other", class_of))
    }

    /// Returns its kind, in a word.
    pub(super) fn label(self) -> &'static str {
        self.severity
            .map_or("related", Severity::word)
    }
}

impl<'r> Places<'r> {
    pub(super) fn of(report: &'r EpisodeReport, prefix: &'r str) -> Self {
        let mut places = Self {
            prefix,
            events: BTreeMap::new(),
            records: BTreeMap::new(),
        };

        let mut number = 0;
        for card in cards(report)
            .into_iter()
            .take(MAX_FINDINGS)
        {
            let own = card
                .iter()
                .map(|it| (&it.location, Some(it.severity)));
            let others = card
                .iter()
                .take(1)
                .flat_map(|it| &it.related)
                .take(MAX_RELATED)
                .map(|related| (&related.location, None));
            for (location, severity) in own.take(MAX_MARKED).chain(others) {
                number += 1;
                let new = FindingPlace { number, severity };
                let pointer = location.pointer.as_deref();
                let place = match (location.artifact, location.line, pointer) {
                    (Some(Artifact::Events), Some(line), pointer) => places
                        .events
                        .entry(line)
                        .or_default()
                        .entry(pointer.unwrap_or_default())
                        .or_insert(new),
                    (Some(artifact), _, Some(pointer)) if artifact != Artifact::Learn => places
                        .records
                        .entry(artifact)
                        .or_default()
                        .entry(pointer)
                        .or_insert(new),
                    _ => continue,
                };

                place.severity = place
                    .severity
                    .into_iter()
                    .chain(severity)
                    .min();
            }
        }

        places
    }

    /// Returns the places in a record, by their pointers.
    pub(super) fn in_record(&self, artifact: Artifact) -> BTreeMap<&'r str, FindingPlace> {
        self.records
            .get(&artifact)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the gravest place on a line of the timeline.
    pub(super) fn on_line(&self, line: u64) -> Option<FindingPlace> {
        let places = self.events.get(&line)?.values();
        let rank = |place: &&FindingPlace| (place.severity.is_none(), place.severity);
        places.min_by_key(rank).copied()
    }

    /// Returns the places within an event, by their pointers.
    pub(super) fn in_event(&self, line: u64) -> impl Iterator<Item = (&'r str, &FindingPlace)> {
        self.events
            .get(&line)
            .into_iter()
            .flatten()
            .map(|(pointer, place)| (*pointer, place))
            .filter(|(pointer, _)| !pointer.is_empty())
    }

    /// Returns the anchor of a place within an event.
    pub(super) fn event_anchor(&self, line: u64, place: FindingPlace) -> String {
        format!("{}L{line}-{}", self.prefix, place.number)
    }

    /// Returns the anchor of a place in a record.
    pub(super) fn anchor(&self, place: FindingPlace) -> String {
        format!("{}at{}", self.prefix, place.number)
    }

    /// Returns the anchor of a record.
    pub(super) fn record(&self, artifact: Artifact) -> String {
        format!("{}{}", self.prefix, artifact.name())
    }

    /// Returns the anchor that a location leads to.
    fn of_location(&self, location: &Location) -> Option<String> {
        match location.artifact? {
            Artifact::Events => Some(match location.line {
                Some(line) => {
                    let pointer = location
                        .pointer
                        .as_deref()
                        .unwrap_or_default();
                    let mut places = self.in_event(line);
                    match places.find(|(other, _)| *other == pointer) {
                        Some((_, place)) => self.event_anchor(line, *place),
                        None => format!("{}L{line}", self.prefix),
                    }
                }
                None => format!("{}events", self.prefix),
            }),
            record => {
                let places = self.records.get(&record);
                let place = places.and_then(|places| places.get(location.pointer.as_deref()?));
                let anchor = place.map(|place| self.anchor(*place));
                Some(anchor.unwrap_or_else(|| self.record(record)))
            }
        }
    }
}

/// Draws the findings of a check in a run.
pub(super) fn findings(report: &EpisodeReport, places: &Places<'_>) -> Markup {
    let shown = cards(report);
    html! {
        @if shown.is_empty() {
            p.empty {
                @if report.suppressed.is_empty() && report.skipped.is_empty() {
                    "Nothing was found: the records agree with their schemas and each other."
                } @else {
                    "Nothing was found that counts."
                }
            }
        }
        @for (at, card) in shown.iter().take(MAX_FINDINGS).enumerate() {
            @if let Some((finding, equal)) = card.split_first() {
                (one(finding, equal, at + 1, places))
            }
        }
        (unshown(shown.len().saturating_sub(MAX_FINDINGS),
            "more kinds of findings, which are not on this page"))
        (unjudged(report))
        (suppressed(report))
    }
}

/// Returns the findings, those that matter most first; those that say the same of several places
/// are one card.
fn cards(report: &EpisodeReport) -> Vec<Vec<&Finding>> {
    let mut cards: Vec<Vec<&Finding>> = Vec::new();
    let mut known = BTreeMap::new();
    for finding in report.by_weight() {
        let what = (&finding.rule, finding.severity, &finding.message);
        let at = *known.entry(what).or_insert(cards.len());
        match cards.get_mut(at) {
            Some(card) => card.push(finding),
            None => cards.push(vec![finding]),
        }
    }

    cards
}

/// Returns where the same was found too: consecutive lines of a file as one range.
fn elsewhere(equal: &[&Finding], places: &Places<'_>) -> Markup {
    let mut ranges: Vec<(&Location, Option<u64>)> = Vec::new();
    for finding in equal {
        let location = &finding.location;
        match ranges.last_mut() {
            Some((first, Some(last)))
                if first.file == location.file && location.line == Some(*last + 1) =>
            {
                *last += 1;
            }
            _ => ranges.push((location, location.line)),
        }
    }

    html! {
        p.places {
            b { "also at " (thousands(equal.len() as u64)) " other places: " }
            @for (at, (first, last)) in ranges.iter().take(MAX_RANGES).enumerate() {
                @if at > 0 { ", " }
                @let place = match (first.line, last) {
                    (Some(line), Some(last)) if line < *last => format!("{line}–{last}"),
                    (Some(line), _) => line.to_string(),
                    (None, _) => first.pointer.clone().unwrap_or_else(|| first.file.clone()),
                };
                @match places.of_location(first) {
                    Some(anchor) => a href={ "#" (anchor) } { (escape(&place)) },
                    None => (escape(&place)),
                }
            }
            @if ranges.len() > MAX_RANGES {
                " and " (thousands((ranges.len() - MAX_RANGES) as u64)) " more"
            }
        }
    }
}

fn one(finding: &Finding, equal: &[&Finding], number: usize, places: &Places<'_>) -> Markup {
    let class = class_of(finding.severity);
    html! {
        article.finding.(class) id={ (places.prefix) "finding-" (number) } {
            h3 {
                span.badge.(class) { (finding.severity) }
                " "
                a.rule href={ "#rule-" (finding.rule) } data-rule=(finding.rule) {
                    (escape(&finding.rule))
                }
                @if !equal.is_empty() {
                    span.count { (thousands(equal.len() as u64 + 1)) " times" }
                }
            }
            p.message { (marked_up(&finding.message)) }
            div.sides {
                (snippet(None, &finding.location, places))
                @for related in finding.related.iter().take(MAX_RELATED) {
                    (snippet(Some(&related.message), &related.location, places))
                }
            }
            (unshown(finding.related.len().saturating_sub(MAX_RELATED), "other places"))
            @if !equal.is_empty() { (elsewhere(equal, places)) }
            p.help { b { "To do: " } (marked_up(&finding.help)) }
        }
    }
}

/// Returns a message: the text in backticks is code.
pub(super) fn marked_up(message: &str) -> Markup {
    let text = escape(message);
    // A backtick without its partner is one.
    let is_paired = text
        .matches('`')
        .count()
        .is_multiple_of(2);

    html! {
        @if is_paired {
            @for (at, part) in text.split('`').enumerate() {
                @if at % 2 == 1 { code { (part) } } @else { (part) }
            }
        } @else {
            (text)
        }
    }
}

/// Returns the line around a place, with a link to the place.
fn snippet(message: Option<&str>, location: &Location, places: &Places<'_>) -> Markup {
    let place = location.place_in(location.name());
    html! {
        figure.snippet {
            figcaption {
                @match places.of_location(location) {
                    Some(anchor) => a href={ "#" (anchor) } { (escape(&place)) },
                    None => (escape(&place)),
                }
                @if let Some(pointer) = location.pointer.as_deref().filter(|it| !it.is_empty()) {
                    " " code.pointer { (escape(pointer)) }
                }
                @if let Some(message) = message {
                    span.note { " " (marked_up(message)) }
                }
            }
            @if let Some(excerpt) = &location.excerpt {
                @if !excerpt.text.is_empty() {
                    @let cut = |range: std::ops::Range<usize>| {
                        excerpt.text.get(range).unwrap_or_default().to_owned()
                    };
                    pre tabindex="0" {
                        (cut(0..excerpt.span.start))
                        mark { (cut(excerpt.span.clone())) }
                        (cut(excerpt.span.end..excerpt.text.len()))
                    }
                }
            }
        }
    }
}

/// Returns the rules that could not be judged, by the reason.
fn unjudged(report: &EpisodeReport) -> Markup {
    html! {
        @if !report.skipped.is_empty() {
            div.unjudged {
                h3 { "Not judged" }
                @for unjudged in report.unjudged() {
                    details {
                        summary {
                            (unjudged.rules.len())
                            @if unjudged.rules.len() == 1 { " rule: " } @else { " rules: " }
                            (escape(unjudged.reason))
                        }
                        ul.rules {
                            @for rule in &unjudged.rules { li { code { (escape(rule)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the findings that do not count.
fn suppressed(report: &EpisodeReport) -> Markup {
    html! {
        @if !report.suppressed.is_empty() {
            details.suppressed {
                summary {
                    "Findings that do not count: " (thousands(report.suppressed.len() as u64))
                }
                ul {
                    @for suppressed in report.suppressed.iter().take(MAX_FINDINGS) {
                        li {
                            code { (escape(&suppressed.finding.rule)) } " "
                            (marked_up(&suppressed.finding.message)) " "
                            span.note {
                                @match (suppressed.by, &suppressed.reason) {
                                    (Suppression::Ignore, Some(reason)) => {
                                        "(ignored: " (escape(reason)) ")"
                                    }
                                    (Suppression::Baseline, _) => "(in the baseline)",
                                    _ => "(ignored)",
                                }
                            }
                        }
                    }
                    @if report.suppressed.len() > MAX_FINDINGS {
                        li {
                            "and " (thousands((report.suppressed.len() - MAX_FINDINGS) as u64))
                            " more"
                        }
                    }
                }
            }
        }
        @if !report.suppressed_skips.is_empty() {
            p.note {
                "Rules that could not be judged for a reason that the baseline knows: "
                (thousands(report.suppressed_skips.len() as u64))
            }
        }
    }
}
