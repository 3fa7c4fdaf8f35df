//! A directory -> the versions of all artifacts below it -> the directories in which they changed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::listing::list;
use super::path::join;
use super::stillness::FileVersion;
use crate::source::{Artifact, Entries, EntryKind};

/// The artifacts of a directory: as listed, and the version of each that may be looked at.
type Versions = [Option<(EntryKind, Option<FileVersion>)>; Artifact::ALL.len()];

/// All directories below one, at one time; `None` is one that can't be listed.
#[derive(Default)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Option<Seen>>);

/// What was seen of a directory.
struct Seen {
    versions: Versions,
    /// Whether an artifact was written just now: another write may leave the same version behind.
    is_fresh: bool,
}

impl Snapshot {
    /// Takes a snapshot in the place of the last one, and returns the directories, relative to the
    /// top, that differ, each with whether it could not be listed before. The first time, there is
    /// nothing to differ from.
    ///
    /// # Errors
    ///
    /// Why the top can't be listed.
    pub(crate) fn renew(&mut self, top: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
        directories(top)?;
        let before = std::mem::take(&mut self.0);
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            let dir = join(top, &below);
            let seen = match list(&dir) {
                Ok(listing) => {
                    open.extend(listing.directories.iter().map(|name| below.join(&**name)));
                    Some(artifacts(&dir, listing.entries))
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => None,
            };
            self.0.insert(below, seen);
        }
        if before.is_empty() {
            return Ok(Vec::new());
        }
        let known = before.keys().chain(self.0.keys());
        let mut changed: Vec<(PathBuf, bool)> = known
            .filter(|below| match (before.get(*below), self.0.get(*below)) {
                (Some(Some(was)), Some(Some(is))) => was.is_fresh || was.versions != is.versions,
                (Some(None), Some(None)) => false,
                _ => true,
            })
            .map(|below| (below.clone(), matches!(before.get(below), Some(None))))
            .collect();
        changed.sort();
        changed.dedup();
        Ok(changed)
    }
}

fn artifacts(dir: &Path, listed: Entries) -> Seen {
    let now = SystemTime::now();
    let versions = Artifact::ALL.map(|artifact| {
        let path = dir.join(artifact.file_name());
        let stat = rustix::fs::lstat(&path).ok();
        Some((
            listed.kind(artifact)?,
            stat.map(|stat| FileVersion::from(&stat)),
        ))
    });
    let mut known = versions
        .iter()
        .flatten()
        .filter_map(|(_, version)| *version);
    let is_fresh = known.any(|version| version.is_fresh(now));
    Seen { versions, is_fresh }
}

/// The directories in a directory that may hold episodes.
pub(crate) fn directories(dir: &Path) -> io::Result<Vec<Arc<OsStr>>> {
    list(dir).map(|listing| listing.directories)
}
