//! A directory -> those of its entries that matter here.

use std::ffi::{CStr, OsStr};
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::stillness::{FileVersion, kind_of};
use crate::ground::printable::{count, quote};
use crate::ground::source::{Artifact, EPISODES, Entries, EntryKind};
use crate::store::path::{display, shared_name};

/// The number of bytes of entries that are asked for at a time.
#[cfg(target_os = "linux")]
const LISTED_BYTES: usize = 8 << 10;

/// The entries of a directory that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) entries: Entries,
    /// `true` if it contains a directory called `episodes`.
    pub(crate) holds_episodes: bool,
    /// The directories in it that may hold episodes.
    pub(crate) directories: Vec<Arc<OsStr>>,
    /// The symbolic links in it.
    pub(crate) links: Vec<Arc<OsStr>>,
    /// The files in it that are no artifacts.
    pub(crate) others: OtherNames,
    /// `true` if it contains anything but directories, hidden files included.
    pub(super) holds_files: bool,
}

impl Listing {
    /// Returns `true` if it may hold runs, or parts of one.
    pub(crate) fn holds_anything(&self) -> bool {
        !(self.directories.is_empty() && self.links.is_empty() && self.entries.is_empty())
    }

    /// Returns `true` if it contains nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        !self.holds_files && self.directories.is_empty()
    }

    /// Adds a directory, or removes it. The directories are sorted.
    #[cfg(feature = "cli")]
    pub(crate) fn set_directory(&mut self, name: &OsStr, is_there: bool) {
        let found = self
            .directories
            .binary_search_by(|it| (**it).cmp(name));
        match found {
            Err(at) if is_there => self.directories.insert(at, name.into()),
            Ok(at) if !is_there => drop(self.directories.remove(at)),
            _ => {}
        }

        if name == EPISODES {
            self.holds_episodes = is_there;
        }
    }

    /// Returns the entries of an open directory, from its first one on.
    pub(crate) fn of(dir: BorrowedFd<'_>) -> io::Result<Self> {
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

        self.holds_files |= kind != EntryKind::Directory || bytes == b".git";
        if kind == EntryKind::Link {
            self.links.push(shared_name(bytes));
        }

        if kind == EntryKind::Directory && !matches!(bytes, b"." | b".." | b".git") {
            self.holds_episodes |= bytes == EPISODES.as_bytes();
            self.directories
                .push(shared_name(bytes));
        }
    }
}

pub(crate) fn list(path: &Path) -> io::Result<Listing> {
    Listing::of(open_dir(path)?.as_fd())
}

/// Returns the records in a directory that make it an episode anywhere, without a look at what else
/// it has.
pub(crate) fn records_in(dir: &Path) -> Entries {
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
        rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
    } else {
        listed
    };

    kind_of(known)
}

/// The endings of files that a compressor or an archiver writes.
const PACKED: [&[u8]; 12] = [
    b".gz", b".tgz", b".zst", b".xz", b".bz2", b".zip", b".tar", b".7z", b".lz4", b".br", b".rar",
    b".txz",
];

/// The number of files that a message names.
const MAX_NAMED: usize = 3;

/// The files of a directory that are no artifacts, as far as they tell whether a run is there.
/// Hidden ones do not count: file systems and editors leave them behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OtherNames {
    count: usize,
    /// The first name in order.
    first: Option<Arc<OsStr>>,
    /// The names of what may be a record that was packed, renamed or copied.
    pub(crate) suspects: Vec<Arc<OsStr>>,
}

/// Returns `true` if a file may be a record, or hold some, under a name that is not an artifact's.
fn is_suspect(name: &[u8]) -> bool {
    is_packed(name) || resembles_artifact(name)
}

/// Returns `true` if a name is that of an artifact in another case of letters or with something
/// added, such as `STATE.JSON`, `state.json.bak` or `events (1).jsonl`.
fn resembles_artifact(name: &[u8]) -> bool {
    Artifact::ALL.iter().any(|artifact| {
        let stem = artifact
            .file_name()
            .split('.')
            .next()
            .unwrap_or_default();
        name.split_at_checked(stem.len())
            .is_some_and(|(start, rest)| {
                let has = |ending: &[u8]| {
                    rest.windows(ending.len())
                        .any(|part| part.eq_ignore_ascii_case(ending))
                };
                let is_like = || has(b".json") || has(b".yaml") || has(b".yml");
                start.eq_ignore_ascii_case(stem.as_bytes()) && is_like()
            })
    })
}

pub(crate) fn is_packed(name: &[u8]) -> bool {
    let ends = |ending: &&[u8]| {
        name.len()
            .checked_sub(ending.len())
            .and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };

    PACKED.iter().any(ends)
}

impl OtherNames {
    pub(crate) fn add(&mut self, name: &[u8]) {
        if name.starts_with(b".") {
            return;
        }

        self.count += 1;
        let is_first = |first: &Arc<OsStr>| name < first.as_encoded_bytes();
        if self.first.as_ref().is_none_or(is_first) {
            self.first = Some(shared_name(name));
        }

        if is_suspect(name) {
            self.suspects.push(shared_name(name));
        }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.count == 0
    }

    /// Returns the names of those that may be a record of the run in whose directory they are, if
    /// there are any.
    pub(crate) fn like_records(&self) -> Option<String> {
        let mut like: Vec<String> = self
            .suspects
            .iter()
            .filter(|name| resembles_artifact(name.as_encoded_bytes()))
            .map(|name| quote(&name.to_string_lossy()))
            .collect();
        like.sort_unstable();

        let more = like.len().saturating_sub(MAX_NAMED);
        like.truncate(MAX_NAMED);
        let names = like.join(", ");

        match more {
            _ if like.is_empty() => None,
            0 => Some(names),
            more => Some(format!("{names} and {}", count(more as u64, "more file"))),
        }
    }

    /// Returns the names of some, and the number of the others; `below` leads to them.
    pub(crate) fn listed(&self, below: &Path) -> String {
        let mut suspects: Vec<&OsStr> = self
            .suspects
            .iter()
            .map(|name| &**name)
            .collect();
        suspects.sort_unstable();

        let some = match &*suspects {
            [] => self
                .first
                .as_deref()
                .into_iter()
                .collect(),
            suspects => suspects
                .iter()
                .copied()
                .take(MAX_NAMED)
                .collect::<Vec<_>>(),
        };

        let names = some
            .iter()
            .map(|name| quote(&display(&below.join(name))))
            .collect::<Vec<_>>()
            .join(", ");

        match self.count - some.len() {
            0 => names,
            more => format!("{names} and {}", count(more as u64, "more file")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_record_is_recognized_under_what_was_added() {
        for name in [
            "STATE.JSON",
            "State.json",
            "state.json.gz",
            "events.jsonl.1",
            "events (1).jsonl",
            "summary.json~",
            "EVENTS.JSONL.ZST",
            "ep_1.tar.gz",
            "run.ZIP",
            "summary.yaml",
            "events.json",
        ] {
            assert!(is_suspect(name.as_bytes()), "{name}");
        }
        for name in ["notes.md", "state", "states.txt", "data.json", "json", "gz"] {
            assert!(!is_suspect(name.as_bytes()), "{name}");
        }
    }
}
