//! The names of the directories in a large directory of runs -> one text, in which each is found.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::listing::list;
use super::path::{self, join};
use super::root::Root;

/// A large directory at or below `episodes`, and the names of the directories in it.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) root: Root,
    pub(super) below: PathBuf,
    /// What the paths of these directories start with, as a user would type them.
    pub(super) prefix: Vec<u8>,
    /// The names, sorted, one after the other, and where each ends.
    names: Vec<u8>,
    ends: Vec<usize>,
}

impl Group {
    pub(super) fn new(root: Root, below: PathBuf, mut directories: Vec<OsString>) -> Self {
        directories.sort_unstable();
        let mut prefix = path::bytes(&join(&join(&root.typed, &below), Path::new("x"))).to_vec();
        prefix.pop();
        let (mut names, mut ends) = (Vec::new(), Vec::with_capacity(directories.len()));
        for name in directories {
            names.extend_from_slice(name.as_encoded_bytes());
            ends.push(names.len());
        }
        Self {
            root,
            below,
            prefix,
            names,
            ends,
        }
    }

    /// The name at a place.
    pub(super) fn name(&self, at: usize) -> Option<&OsStr> {
        let start = match at.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        let name = self.names.get(start..*self.ends.get(at)?)?;
        Some(path::as_name(name))
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of the directory with a path, if it is one of these.
    pub(super) fn name_of(&self, typed: &Path) -> Option<&OsStr> {
        let name = path::bytes(typed).strip_prefix(&*self.prefix)?;
        let (mut from, mut to) = (0, self.ends.len());
        while from < to {
            let middle = from.midpoint(to);
            let at = self.name(middle)?;
            match at.as_encoded_bytes().cmp(name) {
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
                Ordering::Equal => return Some(at),
            }
        }
        None
    }
}

/// Whether the directories in a large directory are most likely runs, by the first of them.
pub(super) fn are_likely_runs(first: &Path) -> bool {
    list(first).is_ok_and(|listing| listing.directories.is_empty())
}
