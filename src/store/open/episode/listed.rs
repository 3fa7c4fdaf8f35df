//! An episode's directory -> all entries beneath it, as a seal lists them.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;

use super::super::listing::entry_kind;
use crate::ground::finding::{Uncovered, UncoveredKind};
use crate::ground::printable::in_address;
use crate::ground::source::EntryKind;
use crate::store::path;
use crate::store::read::Unreadable;

/// The entries of the directory of an episode that are listed, at most, and the number of levels
/// below it.
const MAX_FILES: usize = 100_000;

const MAX_DEPTH: usize = 64;

/// An entry beneath a directory, which is no directory.
pub(super) struct EntryBelow {
    pub(super) path: PathBuf,
    pub(super) kind: EntryKind,
}

impl EntryBelow {
    /// Returns the name in a seal; what a seal says of it, where it has no digest of it.
    pub(super) fn sealed(self) -> Result<String, Uncovered> {
        let uncovered = |kind, name| Err(Uncovered { kind, name });
        let plain = path::sealable(&self.path).map(str::to_owned);
        let encoded = || in_address(path::bytes(&self.path)).to_string();

        match (self.kind, plain) {
            (EntryKind::File, Some(name)) => Ok(name),
            (EntryKind::Link, name) => uncovered(UncoveredKind::Link, name.unwrap_or_else(encoded)),
            (EntryKind::File, None) => uncovered(UncoveredKind::Name, encoded()),
            (_, name) => uncovered(UncoveredKind::Special, name.unwrap_or_else(encoded)),
        }
    }
}

/// Returns all entries beneath a directory but directories; no link is followed.
pub(super) fn entries_below(top: &OwnedFd) -> Result<Result<Vec<EntryBelow>, Unreadable>, Errno> {
    let (mut entries, mut seen) = (Vec::new(), 0);
    let top = rustix::fs::openat(top, ".", DIRECTORY, Mode::empty())?;
    let mut open: Vec<(OwnedFd, PathBuf, Vec<CString>)> = Vec::new();
    let mut next = Some((top, PathBuf::new()));

    loop {
        if let Some((dir, prefix)) = next.take() {
            let mut below = Vec::new();
            for entry in Dir::read_from(&dir)? {
                let entry = entry?;
                let name = entry.file_name();
                if matches!(name.to_bytes(), b"." | b"..") {
                    continue;
                }

                seen += 1;
                match entry_kind(dir.as_fd(), name, entry.file_type()) {
                    _ if seen > MAX_FILES => return Ok(Err(Unreadable::TooManyFiles(MAX_FILES))),
                    EntryKind::Directory => below.push(name.to_owned()),
                    kind => {
                        let path = prefix.join(OsStr::from_bytes(name.to_bytes()));
                        entries.push(EntryBelow { path, kind });
                    }
                }
            }

            open.push((dir, prefix, below));
        }

        let depth = open.len();
        let Some((dir, prefix, below)) = open.last_mut() else {
            return Ok(Ok(entries));
        };

        match below.pop() {
            None => drop(open.pop()),
            Some(_) if depth > MAX_DEPTH => {
                let why = format!("it has more than {MAX_DEPTH} levels of directories");
                return Ok(Err(Unreadable::Other(why)));
            }
            Some(name) => {
                let prefix = prefix.join(OsStr::from_bytes(name.to_bytes()));
                match rustix::fs::openat(&*dir, &name, DIRECTORY, Mode::empty()) {
                    Ok(below) => next = Some((below, prefix)),
                    Err(Errno::NOENT) => {}
                    Err(errno) => return Err(errno),
                }
            }
        }
    }
}

/// How a directory is opened that is no link.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);
