//! Rules that could not be judged in many episodes -> a line for each kind of reason.

use std::collections::{BTreeMap, BTreeSet};

use super::wording::MAX_NAMED;
use crate::ground::finding::{EpisodeReport, SkipKind};
use crate::ground::printable::count;

/// The rules that could not be judged, by the kind of the reason: their names, the number of
/// episodes, and the first of these with the reason there.
#[derive(Default)]
pub(super) struct UnjudgedByKind(BTreeMap<SkipKind, (BTreeSet<String>, u64, String)>);

impl UnjudgedByKind {
    pub(super) fn add(&mut self, episode: &EpisodeReport) {
        let mut met = BTreeSet::new();
        for skip in &episode.skipped {
            let first = || format!("{}: {}", episode.dir, skip.reason);
            let of_kind = self.0.entry(skip.kind);
            let (rules, episodes, _) = of_kind.or_insert_with(|| (BTreeSet::new(), 0, first()));
            if !rules.contains(&skip.rule) {
                rules.insert(skip.rule.clone());
            }
            *episodes += u64::from(met.insert(skip.kind));
        }
    }

    /// Returns the lines, to be escaped; with the names of the rules if they are few, or wanted.
    pub(super) fn lines(&self, names_rules: bool) -> Vec<String> {
        let line = |(rules, episodes, first): &(BTreeSet<String>, u64, String)| {
            let names = if names_rules || rules.len() <= MAX_NAMED {
                let names: Vec<&str> = rules
                    .iter()
                    .map(String::as_str)
                    .collect();
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
