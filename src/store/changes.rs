//! The paths at which something changed -> the parts of a search that they may change.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::source::Artifact;

/// Paths from the root of a walk on at which something changed, each with whether everything below
/// may have changed too. Otherwise, only the artifacts in the directory did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(pub(crate) BTreeMap<PathBuf, bool>);

impl Changes {
    /// Adds a path at which something changed.
    pub(super) fn add(&mut self, below: PathBuf, is_whole: bool) {
        *self.0.entry(below).or_default() |= is_whole;
    }

    /// Returns `true` if what is known of a path may have changed.
    pub(super) fn show(&self, below: &Path) -> bool {
        self.0.contains_key(below) || self.show_all(below)
    }

    /// Returns `true` if everything at and below a path may have changed. An artifact's name may be
    /// that of a directory.
    pub(super) fn show_all(&self, below: &Path) -> bool {
        let mut last = None;
        for above in below.ancestors() {
            match self.0.get(above) {
                Some(true) => return true,
                Some(false) if last.is_some_and(is_artifact) => return true,
                _ => last = above.file_name(),
            }
        }
        false
    }

    /// Returns the paths of which everything is shown, and those of which only the directory is.
    pub(super) fn parts(&self) -> (Vec<PathBuf>, Vec<&Path>) {
        let (mut whole, mut single) = (Vec::new(), Vec::new());
        for (below, is_whole) in &self.0 {
            if *is_whole {
                whole.push(below.clone());
            } else {
                single.push(&**below);
                whole.extend(Artifact::ALL.map(|artifact| below.join(artifact.file_name())));
            }
        }
        (whole, single)
    }

    /// Returns the names in a directory that lead to changes.
    pub(super) fn next(&self, below: &Path) -> Vec<&OsStr> {
        let mut names = Vec::new();
        let mut from = below.to_owned();
        while let Some((change, _)) = self.0.range(from.clone()..).next() {
            let Ok(way) = change.strip_prefix(below) else {
                break;
            };
            let mut after = OsString::new();
            if let Some(name) = way.iter().next() {
                names.push(name);
                after.push(name);
            }
            // No name has this byte: what comes next is in another directory.
            after.push("\0");
            from = below.join(after);
        }
        names
    }
}

/// Returns `true` if a name is that of an artifact.
pub(super) fn is_artifact(name: &OsStr) -> bool {
    name.to_str().and_then(Artifact::from_file_name).is_some()
}
