//! Globs of the configuration -> the directories that are passed over, and the unmatched globs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Gate;
use crate::printable::escape;
use crate::source::{Artifact, EPISODES};
use crate::store::Excludes;

impl Gate {
    /// Searches without what the configuration excludes.
    pub(crate) fn with_excludes<T>(&self, search: impl FnOnce(Excludes<'_>) -> T) -> T {
        let excludes = |dir: &Path| self.excludes(dir);
        search((!self.excluded.is_empty()).then_some(&excludes))
    }

    /// Whether the configuration excludes a directory.
    #[must_use]
    pub fn excludes(&self, dir: &Path) -> bool {
        !self.excluded.is_empty() && {
            let dir = self.settings.base.relative(dir);
            // Each is asked, so that it is known which match nothing.
            let matching = self.excluded.iter().filter(|glob| glob.matches(&dir));
            matching.count() > 0
        }
    }

    /// One sentence for each glob of the configuration that no directory matches, as far as it is
    /// about directories below some given path of which everything was searched and judged: no
    /// artifact, no episode, and nothing below a directory called `episodes`.
    pub fn unmet_globs(
        &self,
        given: &[PathBuf],
        is_episode: impl Fn(&Path) -> bool,
    ) -> Vec<String> {
        let ignored = self.suppressions.ignored.iter().map(|it| &it.episode);
        let globs = self.excluded.iter().chain(self.settings.levels.globs());
        let mut globs = globs.chain(ignored).peekable();
        if globs.peek().is_none() {
            return Vec::new();
        }
        let is_artifact = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            Artifact::from_file_name(&name.to_string_lossy()).is_some()
        };
        let is_within = |path: &Path| {
            let mut above = path.ancestors().skip(1);
            above.any(|dir| dir.file_name().is_some_and(|name| name == EPISODES))
        };
        let is_whole =
            |path: &&PathBuf| !(is_artifact(path) || is_within(path) || is_episode(path));
        let tops = given.iter().filter(is_whole);
        let tops: Vec<PathBuf> = tops.map(|dir| self.settings.base.relative(dir)).collect();
        let unmet: BTreeSet<&str> = globs.filter_map(|glob| glob.unmet(&tops)).collect();
        let unmet = unmet.into_iter();
        unmet.map(|it| escape(it).into_owned()).collect()
    }
}
