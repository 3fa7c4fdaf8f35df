//! Rules that could not be judged in many episodes -> a line for each kind of reason.

use std::collections::{BTreeMap, BTreeSet};

use super::wording::MAX_NAMED;
use crate::finding::{EpisodeReport, SkipKind};
use crate::printable::count;

/// The rules that could not be judged, by the kind of the reason.
#[derive(Default)]
pub(super) struct UnjudgedByKind(BTreeMap<SkipKind, OfKind>);

/// The rules that could not be judged for reasons of one kind.
struct OfKind {
    rules: BTreeSet<String>,
    episodes: u64,
    /// The first episode, and the reason there.
    first: String,
}

impl UnjudgedByKind {
    pub(super) fn add(&mut self, episode: &EpisodeReport) {
        let mut met = BTreeSet::new();
        for skip in &episode.skipped {
            let of_kind = self.0.entry(skip.kind).or_insert_with(|| OfKind {
                rules: BTreeSet::new(),
                episodes: 0,
                first: format!("{}: {}", episode.dir, skip.reason),
            });
            if !of_kind.rules.contains(&skip.rule) {
                of_kind.rules.insert(skip.rule.clone());
            }
            of_kind.episodes += u64::from(met.insert(skip.kind));
        }
    }

    /// Returns the lines, to be escaped; with the names of the rules if they are few, or wanted.
    pub(super) fn lines(&self, names_rules: bool) -> Vec<String> {
        let line = |of_kind: &OfKind| {
            let OfKind {
                rules,
                episodes,
                first,
            } = of_kind;
            let names = if names_rules || rules.len() <= MAX_NAMED {
                let names: Vec<&str> = rules.iter().map(String::as_str).collect();
                format!(" ({})", names.join(", "))
            } else {
                String::new()
            };
            let rules = count(rules.len() as u64, "rule");
            let episodes = count(*episodes, "episode");
            format!("not judged: {rules}{names} in {episodes}, first in {first}")
        };
        self.0.values().map(line).collect()
    }
}
