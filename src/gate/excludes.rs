//! Globs of the configuration -> the directories that are passed over, and the unmatched globs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Gate;
use crate::ground::printable::escape;
use crate::ground::source::{Artifact, EPISODES};
use crate::judge::rule::Check;
use crate::policy::team::EventSelector;
use crate::store::{Dir, Excludes};

impl Gate {
    /// Searches without the directories that the configuration excludes.
    pub(crate) fn with_excludes<T>(&self, search: impl FnOnce(Excludes<'_>) -> T) -> T {
        let excludes = |dir: &Path| self.excludes(dir);
        search((!self.excluded.is_empty()).then_some(&excludes))
    }

    /// Returns `true` if the configuration excludes a directory.
    #[must_use]
    pub fn excludes(&self, dir: &Path) -> bool {
        !self.excluded.is_empty() && {
            let dir = self.settings.base.relative(dir);
            // Each is asked, so that it is known which match nothing.
            self.excluded
                .iter()
                .filter(|glob| glob.matches(&dir))
                .count()
                > 0
        }
    }

    /// Returns one sentence for each glob of the configuration that no directory matches, as far as
    /// it is about directories below some given path of which everything was searched and judged:
    /// no artifact, no episode, and nothing below a directory called `episodes`.
    pub fn unmet_globs(
        &self,
        given: &[PathBuf],
        is_episode: impl Fn(&Path) -> bool,
    ) -> Vec<String> {
        let ignored = self
            .suppressions
            .ignored
            .iter()
            .map(|it| &it.episode);
        let globs = self
            .excluded
            .iter()
            .chain(self.settings.levels.globs())
            .chain(ignored);
        let tops = self.tops(given, is_episode);

        globs
            .filter_map(|glob| glob.unmet(&tops))
            .collect::<BTreeSet<&str>>()
            .into_iter()
            .map(|it| escape(it).into_owned())
            .collect()
    }

    /// Has rules over all runs judge the next check, if that looks at whole run-data directories.
    pub(crate) fn looks_at_all(&mut self, may_be: bool, given: &[PathBuf], episodes: &[Dir]) {
        self.are_whole = may_be && self.are_whole(given, episodes);
    }

    /// Returns `true` if each given path is a run-data directory or above one, so that all runs of
    /// these are looked at.
    pub(super) fn are_whole(&self, given: &[PathBuf], episodes: &[Dir]) -> bool {
        let is_episode = |path: &Path| {
            episodes
                .iter()
                .any(|it| it.episode().path == *path)
        };

        !given.is_empty() && self.tops(given, is_episode).len() == given.len()
    }

    /// Returns the given paths of which everything was searched and judged.
    fn tops(&self, given: &[PathBuf], is_episode: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let is_artifact = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            Artifact::from_file_name(name.as_encoded_bytes()).is_some()
        };

        let is_within = |path: &Path| {
            path.ancestors().skip(1).any(|dir| {
                dir.file_name()
                    .is_some_and(|name| name == EPISODES)
            })
        };

        let is_whole =
            |path: &&PathBuf| !(is_artifact(path) || is_within(path) || is_episode(path));
        given
            .iter()
            .filter(is_whole)
            .map(|dir| self.settings.base.relative(dir))
            .collect()
    }

    /// Returns one sentence for each selector of a team's rules that named no event of any run, if
    /// some given path is one as in [`Gate::unmet_globs`]; and whether the rule wants such events.
    pub fn unmet_selectors(
        &self,
        given: &[PathBuf],
        is_episode: impl Fn(&Path) -> bool,
    ) -> Vec<(String, bool)> {
        let checker = self.checker();
        let events = &checker.team().index;
        if self.tops(given, is_episode).is_empty() {
            return Vec::new();
        }

        let missed = self
            .selectors()
            .into_iter()
            .filter(|(_, _, selector, _)| events.has_missed(selector));
        let parts = missed.map(|(rule, key, _, is_banned)| {
            let rule = escape(&rule);
            let what = format!("{rule}: `{key}` matches no event of any run");
            (what, !is_banned)
        });

        parts.collect()
    }

    /// Returns one sentence for each rule of a team that names what recorders wrote in an earlier
    /// version.
    pub(crate) fn outdated_rules(&self) -> Vec<String> {
        let rules = self.rule_set();
        rules
            .iter()
            .filter_map(|rule| match rule.check {
                Check::Team(check) => {
                    let id = escape(&rule.info.id).into_owned();
                    Some(format!("{id}: {}", rules.team().outdated(check)?))
                }
                Check::BuiltIn(_) | Check::Hook => None,
            })
            .collect()
    }

    /// Returns the selectors of events that rules which are on have: the rule, the key, the
    /// selector, and whether the rule wants no such event.
    pub(crate) fn selectors(&self) -> Vec<(String, &'static str, EventSelector, bool)> {
        let (checker, mut selectors) = (self.checker(), Vec::new());
        for rule in self.rule_set().iter() {
            let Check::Team(declared) = rule.check else {
                continue;
            };
            for (key, at, is_banned) in checker
                .team()
                .judge(declared)
                .selectors()
            {
                selectors.push((rule.info.id.to_string(), key, at.clone(), is_banned));
            }
        }

        selectors
    }
}
