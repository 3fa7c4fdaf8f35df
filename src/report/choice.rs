//! Findings, more than there is room for -> those to list: errors before warnings, and of each rule
//! some before many of one. What could not be judged and counts as an error is among them.

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::finding::Severity;
use crate::ground::words::Words as _;

/// Findings as text, of each rule or kind of reason as many as could be listed alone.
pub(super) struct Choice {
    /// The sizes of all that are listed have at most this sum.
    room: usize,
    met: u64,
    /// The number of findings that are kept.
    held: usize,
    rules: BTreeMap<(Severity, String), KeptFindings>,
}

/// The kept findings of one rule, or of one kind of reason.
#[derive(Default)]
struct KeptFindings {
    size: usize,
    lines: Vec<KeptLine>,
}

struct KeptLine {
    /// The number of findings met before it.
    at: u64,
    size: usize,
    text: String,
}

/// A line to list, in the order of the list.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ChosenLine<'t> {
    severity: Severity,
    at: u64,
    text: &'t str,
}

impl Choice {
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            met: 0,
            held: 0,
            rules: BTreeMap::new(),
        }
    }

    /// Adds a finding of a rule, or a rule that could not be judged for a kind of reason.
    pub(super) fn add(&mut self, severity: Severity, rule: &str, size: usize, text: String) {
        let kept = self
            .rules
            .entry((severity, rule.to_owned()))
            .or_default();
        // After the first that does not fit none is kept, so that there are no gaps.
        if kept.size <= self.room {
            kept.size += size;
            if kept.size <= self.room {
                kept.lines.push(KeptLine {
                    at: self.met,
                    size,
                    text,
                });
                self.held += 1;
            }
        }

        self.met += 1;
        if self.held > 2 * self.room {
            self.prune();
        }
    }

    /// Drops the findings that won't be listed: with each further finding, fewer are.
    fn prune(&mut self) {
        let listed: BTreeSet<u64> = self
            .chosen(0)
            .iter()
            .map(|line| line.at)
            .collect();
        for kept in self.rules.values_mut() {
            let held = kept.lines.len();
            kept.lines
                .retain(|line| listed.contains(&line.at));
            if kept.lines.len() < held {
                kept.size = self.room + 1;
            }
        }

        self.held = listed.len();
    }

    /// Returns the texts to list, errors first and else in the order in which they were met, and
    /// the number of the others.
    pub(super) fn listed(&self, taken: usize) -> (Vec<&str>, u64) {
        let mut listed = self.chosen(taken);
        listed.sort_unstable();
        self.counted(&listed)
    }

    /// Returns the texts to list, in the order in which they were met, and the number of the
    /// others.
    pub(super) fn in_order(&self) -> (Vec<&str>, u64) {
        let mut listed = self.chosen(0);
        listed.sort_unstable_by_key(|line| line.at);
        self.counted(&listed)
    }

    fn counted<'t>(&self, listed: &[ChosenLine<'t>]) -> (Vec<&'t str>, u64) {
        let unlisted = self.met - listed.len() as u64;
        (
            listed
                .iter()
                .map(|line| line.text)
                .collect(),
            unlisted,
        )
    }

    fn chosen(&self, taken: usize) -> Vec<ChosenLine<'_>> {
        let mut room = self.room.saturating_sub(taken);
        let mut listed = Vec::new();
        for severity in Severity::ALL.iter().copied() {
            let mut open: Vec<_> = self
                .rules
                .iter()
                .filter(|((of, _), _)| *of == severity)
                .map(|(_, kept)| kept.lines.iter())
                .collect();
            while !open.is_empty() {
                open.retain_mut(|lines| {
                    let Some(line) = lines
                        .next()
                        .filter(|line| line.size <= room)
                    else {
                        return false;
                    };
                    room -= line.size;
                    listed.push(ChosenLine {
                        severity,
                        at: line.at,
                        text: &line.text,
                    });
                    true
                });
            }
        }

        listed
    }
}
