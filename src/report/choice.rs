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
    /// The number of findings met before each, its size, and its text.
    lines: Vec<(u64, usize, String)>,
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
                kept.lines.push((self.met, size, text));
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
            .map(|(_, at, _)| *at)
            .collect();
        for kept in self.rules.values_mut() {
            let held = kept.lines.len();
            kept.lines
                .retain(|(at, ..)| listed.contains(at));
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
        listed.sort_unstable_by_key(|(_, at, _)| *at);
        self.counted(&listed)
    }

    fn counted<'t>(&self, listed: &[(Severity, u64, &'t str)]) -> (Vec<&'t str>, u64) {
        let unlisted = self.met - listed.len() as u64;
        (
            listed
                .iter()
                .map(|(.., text)| *text)
                .collect(),
            unlisted,
        )
    }

    fn chosen(&self, taken: usize) -> Vec<(Severity, u64, &str)> {
        let mut room = self.room.saturating_sub(taken);
        let mut listed: Vec<(Severity, u64, &str)> = Vec::new();
        for severity in Severity::ALL.iter().copied() {
            let mut open: Vec<_> = self
                .rules
                .iter()
                .filter(|((of, _), _)| *of == severity)
                .map(|(_, kept)| kept.lines.iter())
                .collect();
            while !open.is_empty() {
                open.retain_mut(|lines| {
                    let Some((at, size, text)) = lines.next().filter(|it| it.1 <= room) else {
                        return false;
                    };
                    room -= size;
                    listed.push((severity, *at, text));
                    true
                });
            }
        }

        listed
    }
}
