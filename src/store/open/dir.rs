//! A directory that is held open -> what lies beneath it, wherever its path leads later.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Dir, Mode, OFlags};

use super::episode::{LinkPolicy, OpenEpisode};
use super::listing::{Listing, entry_kind, open_dir};
use super::stillness::FileVersion;
use crate::ground::source::EntryKind;
use crate::store::path::{directory_of, regular};

/// A directory that is held open. A name means what lies in that directory, even if its path leads
/// elsewhere by then; no name is followed where it is a link.
#[derive(Clone)]
pub(crate) struct OpenDir {
    dir: Arc<OwnedFd>,
    path: PathBuf,
    /// The path from the root, which stays right where the process changes its directory.
    place: PathBuf,
}

impl OpenDir {
    /// Opens the directory at a path that the user gave: links on the way to it are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let place = std::path::absolute(path)?;
        Ok(Self {
            dir: open_dir(&place)?.into(),
            path: path.to_owned(),
            place,
        })
    }

    /// Opens a directory in it.
    pub(crate) fn dir(&self, name: impl AsRef<Path>) -> io::Result<Self> {
        let name = name.as_ref();
        let dir = self.open_at(name, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Self {
            dir: dir.into(),
            path: self.path.join(name),
            place: self.place.join(name),
        })
    }

    /// Opens a regular file in it.
    pub(in crate::store) fn file(&self, name: impl AsRef<Path>, flags: OFlags) -> io::Result<File> {
        // Without O_NONBLOCK, opening a FIFO would wait for its other end.
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(self.open_at(name.as_ref(), flags)?);
        regular(file.metadata()?)?;
        Ok(file)
    }

    /// Reads the beginning of the regular file at a path that the user gave: links on the way to it
    /// are followed, and it is none itself.
    pub(crate) fn read_file(path: &Path, most: usize) -> io::Result<Vec<u8>> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::other("it is a directory"));
        };
        Self::open(directory_of(path))?.read(name, most)
    }

    /// Reads the beginning of a regular file in it.
    pub(crate) fn read(&self, name: impl AsRef<Path>, most: usize) -> io::Result<Vec<u8>> {
        let (file, mut content) = (self.file(name, OFlags::RDONLY)?, Vec::new());
        file.take(most as u64)
            .read_to_end(&mut content)?;
        Ok(content)
    }

    fn open_at(&self, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.dir, name, flags, Mode::from_raw_mode(0o666)).map_err(|errno| {
            match self.version(name) {
                Some(version) if version.kind == EntryKind::Link => {
                    io::Error::other("it is a symbolic link, and links are not followed")
                }
                _ => errno.into(),
            }
        })
    }

    /// Returns the path that it was opened by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory, for calls of the system.
    pub(in crate::store) fn fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// Returns `true` if it has an entry of a name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.version(Path::new(name)).is_some()
    }

    /// Returns `true` if it has a regular file of a name, with a number of bytes.
    pub(crate) fn has_file(&self, name: &str, bytes: u64) -> bool {
        self.version(Path::new(name))
            .is_some_and(|it| it.kind == EntryKind::File && it.bytes == bytes)
    }

    /// Returns the version of the entry of a name.
    pub(in crate::store) fn version(&self, name: &Path) -> Option<FileVersion> {
        FileVersion::of_entry(&self.dir, name).ok()
    }

    /// Returns `true` if its path still leads to it, without a link in its place.
    pub(crate) fn is_in_place(&self) -> bool {
        self.is_same(FileVersion::at(&self.place))
    }

    /// Returns `true` if two open directories are one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.is_same(FileVersion::of(&other.dir).ok())
    }

    fn is_same(&self, other: Option<FileVersion>) -> bool {
        FileVersion::of(&self.dir)
            .ok()
            .zip(other)
            .is_some_and(|(this, other)| this.is_same_file(other))
    }

    /// Returns its artifacts, and the files below it, as a check reads them.
    pub(crate) fn episode(&self) -> io::Result<OpenEpisode> {
        // Listing moves on in what is open, so that it needs an opening of its own.
        let dir = self.open_at(Path::new("."), OFlags::RDONLY | OFlags::DIRECTORY)?;
        let entries = Listing::of(dir.as_fd())?.entries;
        Ok(OpenEpisode::new(dir, entries, LinkPolicy::Refused))
    }

    /// Returns the names of its entries, each with its kind, up to a number of them.
    pub(in crate::store) fn names(&self, most: usize) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.dir)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if names.len() == most {
                return Err(io::Error::other("it has too many files"));
            }

            let kind = entry_kind(self.fd(), name, entry.file_type());
            names.push((OsString::from_vec(name.to_bytes().to_vec()), kind));
        }

        Ok(names)
    }
}
