//! A directory -> those of its entries that matter here.

use std::ffi::{CStr, OsStr};
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::other_names::OtherNames;
use super::path;
use super::stillness::{FileVersion, kind_of};
use crate::source::{Artifact, EPISODES, Entries, EntryKind};

/// The number of bytes of entries that are asked for at a time.
#[cfg(target_os = "linux")]
const LISTED_BYTES: usize = 8 << 10;

/// The entries of a directory that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) entries: Entries,
    /// `true` if it contains a directory called `episodes`.
    pub(super) holds_episodes: bool,
    /// The directories in it that may hold episodes.
    pub(super) directories: Vec<Arc<OsStr>>,
    /// The symbolic links in it.
    pub(super) links: Vec<Arc<OsStr>>,
    /// The files in it that are no artifacts.
    pub(super) others: OtherNames,
}

impl Listing {
    /// Returns `true` if it may hold runs, or parts of one.
    pub(super) fn holds_anything(&self) -> bool {
        !(self.directories.is_empty() && self.links.is_empty())
            || Artifact::ALL.iter().any(|it| self.entries.has(*it))
    }

    /// Returns the entries of an open directory, from its first one on.
    pub(super) fn of(dir: BorrowedFd<'_>) -> io::Result<Self> {
        let mut listing = Self::default();
        #[cfg(target_os = "linux")]
        {
            let mut buffer = [const { MaybeUninit::uninit() }; LISTED_BYTES];
            let mut entries = rustix::fs::RawDir::new(dir, &mut buffer);
            while let Some(entry) = entries.next() {
                let entry = entry?;
                listing.add(dir, entry.file_name(), entry.file_type());
            }
        }
        #[cfg(not(target_os = "linux"))]
        for entry in rustix::fs::Dir::read_from(dir)? {
            let entry = entry?;
            listing.add(dir, entry.file_name(), entry.file_type());
        }
        Ok(listing)
    }

    fn add(&mut self, dir: BorrowedFd<'_>, name: &CStr, listed: FileType) {
        let bytes = name.to_bytes();
        let artifact = Artifact::from_file_name(bytes);
        let kind = entry_kind(dir, name, listed);
        match artifact {
            Some(artifact) => self.entries.set(artifact, kind),
            None if kind == EntryKind::File => self.others.add(bytes),
            None => {}
        }
        if kind == EntryKind::Link {
            self.links.push(path::shared_name(bytes));
        }
        if kind == EntryKind::Directory && !matches!(bytes, b"." | b".." | b".git") {
            self.holds_episodes |= bytes == EPISODES.as_bytes();
            self.directories.push(path::shared_name(bytes));
        }
    }
}

pub(super) fn list(path: &Path) -> io::Result<Listing> {
    Listing::of(open_dir(path)?.as_fd())
}

/// Returns the records in a directory that make it an episode anywhere, without a look at what else
/// it has.
pub(super) fn records_in(dir: &Path) -> Entries {
    let mut entries = Entries::default();
    for artifact in [Artifact::State, Artifact::Events] {
        if let Some(version) = FileVersion::at(&dir.join(artifact.file_name())) {
            entries.set(artifact, version.kind);
        }
    }
    entries
}

pub(super) fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

pub(super) fn entry_kind(dir: BorrowedFd<'_>, name: &CStr, listed: FileType) -> EntryKind {
    let known = if listed == FileType::Unknown {
        // Some file systems do not list the type of an entry.
        let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
    } else {
        listed
    };
    kind_of(known)
}
