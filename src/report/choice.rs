//! Findings, more than there is room for -> those to list: errors before warnings, and of each rule
//! some before many of one. What could not be judged and counts as an error is among them.

use std::collections::BTreeMap;

use crate::finding::Severity;
use crate::words::Words as _;

/// Findings as text, of each rule or kind of reason as many as could be listed alone.
pub(super) struct Choice {
    /// The sizes of all that are listed have at most this sum.
    room: usize,
    met: u64,
    rules: BTreeMap<(Severity, String), Kept>,
}

/// What is kept of the findings of one rule, or of one kind of reason.
#[derive(Default)]
struct Kept {
    size: usize,
    /// The number of findings met before each, its size, and its text.
    lines: Vec<(u64, usize, String)>,
}

impl Choice {
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            met: 0,
            rules: BTreeMap::new(),
        }
    }

    /// Adds a finding of a rule, or what a kind of reason kept from being judged.
    pub(super) fn add(&mut self, severity: Severity, rule: &str, size: usize, text: String) {
        let kept = self.rules.entry((severity, rule.to_owned())).or_default();
        // After the first that does not fit none is kept, so that there are no gaps.
        if kept.size <= self.room {
            kept.size += size;
            if kept.size <= self.room {
                kept.lines.push((self.met, size, text));
            }
        }
        self.met += 1;
    }

    /// The texts to list, errors first and else in the order in which they were met, and the number
    /// of the others.
    pub(super) fn listed(&self, taken: usize) -> (Vec<&str>, u64) {
        let mut room = self.room.saturating_sub(taken);
        let mut listed: Vec<(Severity, u64, &str)> = Vec::new();
        for severity in Severity::ALL.iter().copied() {
            let rules = self.rules.iter().filter(|((of, _), _)| *of == severity);
            let mut open: Vec<_> = rules.map(|(_, kept)| kept.lines.iter()).collect();
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
        listed.sort_unstable();
        let unlisted = self.met - listed.len() as u64;
        (
            listed.into_iter().map(|(.., text)| text).collect(),
            unlisted,
        )
    }
}
