//! A sealed run and its directory now -> what differs, file by file.

use std::collections::BTreeMap;
use std::io;

use rustix::io::Errno;

use super::{Change, ChangeKind, Wanted};
use crate::ground::digest::FileDigest;
use crate::ground::finding::{SealedFiles, Uncovered, UncoveredKind};
use crate::store::{EpisodeDir, Fault, LinkPolicy, OpenEpisode, unlistable};

impl Wanted<'_> {
    /// Returns how the files of the run differ from the sealed ones.
    pub(super) fn compare(&self) -> Result<Vec<Change>, Fault> {
        let change = |kind, what: &str| {
            let (name, what) = (self.name.to_owned(), what.to_owned());
            Ok(vec![Change { kind, name, what }])
        };

        for root in &self.roots {
            let path = root.join(self.name);
            let episode = EpisodeDir::below(root, path.clone());
            let files = match OpenEpisode::open(&episode, LinkPolicy::Refused) {
                Ok(dir) => dir
                    .sealing()
                    .files(|name| self.sealed.files.contains_key(name)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if is_no_directory(&error) => {
                    return change(ChangeKind::Altered, "no directory is in its place");
                }
                Err(error) => Err(error),
            };

            return files
                .map(|files| self.changes(&files))
                .map_err(|source| unlistable(&path, source));
        }

        change(ChangeKind::Missing, "the whole run")
    }

    pub(super) fn changes(&self, now: &SealedFiles) -> Vec<Change> {
        let files: BTreeMap<&str, FileDigest> = now
            .files
            .iter()
            .map(|file| (&*file.name, file.digest))
            .collect();
        let others = kinds(&now.uncovered);
        let were_others = kinds(&self.sealed.said.uncovered);
        let is_known =
            |name: &str| were_others.contains_key(name) || self.sealed.files.contains_key(name);

        let of_files = self
            .sealed
            .files
            .iter()
            .filter_map(|(name, was)| {
                let (kind, what) = change_of_file(*was, files.get(&**name), others.get(&**name))?;
                Some(self.change(kind, name, what))
            });
        let of_others = were_others
            .iter()
            .filter_map(|(name, was)| {
                let is_file = now
                    .others
                    .iter()
                    .any(|other| other == name);
                let (kind, what) = change_of_other(*was, others.get(name), is_file)?;
                Some(self.change(kind, name, what))
            });
        let new_files = now
            .others
            .iter()
            .filter(|name| !is_known(name))
            .map(|name| self.change(ChangeKind::Added, name, "a file".into()));
        let new_others = others
            .iter()
            .filter(|(name, _)| !is_known(name))
            .map(|(name, kind)| self.change(ChangeKind::Added, name, kind.shown().into()));

        of_files
            .chain(of_others)
            .chain(new_files)
            .chain(new_others)
            .collect()
    }

    /// Returns the change of an entry of the run.
    pub(super) fn change(&self, kind: ChangeKind, entry: &str, what: String) -> Change {
        let name = match self.name {
            "." => entry.to_owned(),
            run => format!("{run}/{entry}"),
        };
        Change { kind, name, what }
    }
}

/// Returns how a file changed, if it did: its digest now, or the kind of what is in its place.
pub(super) fn change_of_file(
    was: FileDigest,
    is: Option<&FileDigest>,
    other: Option<&UncoveredKind>,
) -> Option<(ChangeKind, String)> {
    match (is, other) {
        (Some(is), _) if *is == was => None,
        (Some(_), _) => Some((ChangeKind::Altered, "other bytes".into())),
        (None, Some(kind)) => Some((
            ChangeKind::Altered,
            format!("{} is in its place", kind.shown()),
        )),
        (None, None) => Some((ChangeKind::Missing, "a file".into())),
    }
}

/// Returns how an entry that was no file changed, if it did.
pub(super) fn change_of_other(
    was: UncoveredKind,
    is: Option<&UncoveredKind>,
    is_file: bool,
) -> Option<(ChangeKind, String)> {
    let was_shown = was.shown();
    match is {
        Some(is) if *is == was => None,
        Some(is) => Some((
            ChangeKind::Altered,
            format!("{}, not {was_shown}", is.shown()),
        )),
        None if is_file => Some((ChangeKind::Altered, format!("a file, not {was_shown}"))),
        None => Some((ChangeKind::Missing, was_shown.into())),
    }
}

/// Returns the kinds of entries, by their names.
pub(super) fn kinds(entries: &[Uncovered]) -> BTreeMap<&str, UncoveredKind> {
    entries
        .iter()
        .map(|entry| (&*entry.name, entry.kind))
        .collect()
}

/// Returns `true` if a link or a file was in the place of a directory.
pub(super) fn is_no_directory(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOTDIR | Errno::LOOP)
    )
}
