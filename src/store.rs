//! Paths -> episodes -> bytes: the one place that touches the file system, with every limit on reading.

mod discover;
mod lines;
mod runs;
mod settings;
mod whole;

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags};

pub use discover::{Discovery, Fault};
pub(crate) use discover::{discover, join};
pub(crate) use lines::{LineRead, Lines};
pub(crate) use runs::{RunDir, runs};
pub(crate) use settings::{ConfigSearch, find_config, read_text};
pub(crate) use whole::{WholeFile, append};

use crate::source::{Artifact, Line};

/// Bytes of `state.json`, of `summary.json` and of one line of `events.jsonl` that are read at most.
///
/// Real records take kilobytes. The limit keeps a hostile file from taking the memory that other episodes need.
pub(crate) const MAX_RECORD_BYTES: usize = 64 << 20;

/// What kind of entry a directory lists under an artifact's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Link,
    Directory,
    /// A FIFO, a socket or a device.
    Special,
}

/// The artifacts that a directory lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries([Option<EntryKind>; 5]);

impl Entries {
    fn set(&mut self, artifact: Artifact, kind: EntryKind) {
        if let Some(slot) = self.0.get_mut(artifact as usize) {
            *slot = Some(kind);
        }
    }

    pub(crate) fn kind(self, artifact: Artifact) -> Option<EntryKind> {
        self.0.get(artifact as usize).copied().flatten()
    }

    /// Whether the directory lists an entry of the artifact's name, of whatever kind.
    #[must_use]
    pub fn has(self, artifact: Artifact) -> bool {
        self.kind(artifact).is_some()
    }
}

/// An episode's directory, as found.
#[derive(Clone, Debug)]
pub struct EpisodeDir {
    /// The path as the user would type it.
    pub path: PathBuf,
    /// The directory's name, where that is the episode's id: below a directory called `episodes`.
    pub id: Option<String>,
    /// The directory's name, wherever it lies.
    pub name: String,
    /// What it lists.
    pub entries: Entries,
}

/// Why an artifact that is there can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("it is a symbolic link, and links are not followed")]
    Link,
    #[error("it is a symbolic link that leads nowhere")]
    Dangling,
    #[error("it is a directory")]
    Directory,
    #[error("it is a FIFO, a socket or a device")]
    Special,
    #[error("it is larger than the limit of {} MiB", MAX_RECORD_BYTES >> 20)]
    TooLarge,
    #[error("reading it is not permitted")]
    Denied,
    #[error("it vanished while the episode was read")]
    Vanished,
    #[error("the system says: {0}")]
    Fault(String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::NotFound => Self::Vanished,
            io::ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Fault(error.to_string()),
        }
    }
}

impl From<rustix::io::Errno> for Unreadable {
    fn from(errno: rustix::io::Errno) -> Self {
        match errno {
            rustix::io::Errno::LOOP => Self::Link,
            other => io::Error::from(other).into(),
        }
    }
}

/// The files of one episode.
pub(crate) enum Files<'a> {
    /// A directory, and whether artifacts may be symbolic links.
    Disk { dir: OwnedFd, entries: Entries, follow_links: bool },
    /// Records that were never files.
    Memory(&'a [(Artifact, &'a [u8])]),
}

/// An artifact that is open for reading.
pub(crate) enum Stream<'a> {
    File(File),
    Bytes { all: &'a [u8], read: usize },
}

impl<'a> Files<'a> {
    /// Opens an episode's directory.
    pub(crate) fn open(episode: &EpisodeDir, follow_links: bool) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let dir = rustix::fs::open(&episode.path, flags, Mode::empty())?;
        Ok(Self::Disk { dir, entries: episode.entries, follow_links })
    }

    /// What is there.
    pub(crate) fn entries(&self) -> Entries {
        match self {
            Self::Disk { entries, .. } => *entries,
            Self::Memory(blobs) => {
                let mut entries = Entries::default();
                for (artifact, _) in *blobs {
                    entries.set(*artifact, EntryKind::File);
                }
                entries
            }
        }
    }

    /// Whether an artifact that runvet has no need to read could be read.
    pub(crate) fn probe(&self, artifact: Artifact) -> Result<(), Unreadable> {
        let Self::Disk { dir, entries, follow_links } = self else { return Ok(()) };
        let kind = match entries.kind(artifact) {
            Some(EntryKind::Link) if !follow_links => return Err(Unreadable::Link),
            Some(EntryKind::Link) => {
                let target = rustix::fs::statat(dir, artifact.file_name(), AtFlags::empty()).map_err(dangling)?;
                kind_of(FileType::from_raw_mode(target.st_mode))
            }
            Some(kind) => kind,
            None => EntryKind::File,
        };
        match kind {
            EntryKind::Directory => Err(Unreadable::Directory),
            EntryKind::Special => Err(Unreadable::Special),
            _ => Ok(rustix::fs::accessat(dir, artifact.file_name(), Access::READ_OK, AtFlags::EACCESS)?),
        }
    }

    /// Opens an artifact, making sure that it is a regular file.
    pub(crate) fn stream(&self, artifact: Artifact) -> Result<Stream<'a>, Unreadable> {
        match self {
            Self::Memory(blobs) => {
                let blob = blobs.iter().find(|(name, _)| *name == artifact).ok_or(Unreadable::Vanished)?;
                Ok(Stream::Bytes { all: blob.1, read: 0 })
            }
            Self::Disk { dir, follow_links, entries } => {
                // Without O_NONBLOCK, opening a FIFO would wait for a writer.
                let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
                flags.set(OFlags::NOFOLLOW, !follow_links);
                let file = match rustix::fs::openat(dir, artifact.file_name(), flags, Mode::empty()) {
                    // What a socket or a device without a driver says to being opened.
                    Err(rustix::io::Errno::NXIO | rustix::io::Errno::NODEV) => return Err(Unreadable::Special),
                    Err(errno) if entries.kind(artifact) == Some(EntryKind::Link) => return Err(dangling(errno)),
                    other => other?,
                };
                match FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) {
                    FileType::RegularFile => Ok(Stream::File(file.into())),
                    FileType::Directory => Err(Unreadable::Directory),
                    _ => Err(Unreadable::Special),
                }
            }
        }
    }

    /// Reads an artifact into a buffer.
    pub(crate) fn read(&self, artifact: Artifact, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        self.stream(artifact)?.read_all(buffer)
    }
}

impl Stream<'_> {
    /// Reads all that is left, up to the limit.
    pub(crate) fn read_all(self, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        buffer.clear();
        self.take(MAX_RECORD_BYTES as u64 + 1).read_to_end(buffer)?;
        if buffer.len() > MAX_RECORD_BYTES { Err(Unreadable::TooLarge) } else { Ok(()) }
    }

    /// Reads a line again, or the beginning of one that is longer than the limit.
    pub(crate) fn read_again(&self, line: Line, buffer: &mut Vec<u8>) -> io::Result<()> {
        let (offset, length) = (line.offset, line.length.min(MAX_RECORD_BYTES));
        buffer.clear();
        match self {
            Self::File(file) => {
                buffer.resize(length, 0);
                file.read_exact_at(buffer, offset)
            }
            Self::Bytes { all, .. } => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                buffer.extend_from_slice(all.get(start..start.saturating_add(length)).unwrap_or_default());
                Ok(())
            }
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Bytes { all, read } => {
                let count = all.get(*read..).unwrap_or_default().read(buffer)?;
                *read += count;
                Ok(count)
            }
        }
    }
}

/// What a directory lists, as far as it matters here.
struct Listing {
    entries: Entries,
    /// Whether it holds a directory called `episodes`.
    holds_episodes: bool,
    /// The directories in it that may hold episodes.
    directories: Vec<OsString>,
}

fn list(path: &Path) -> io::Result<Listing> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let mut dir = rustix::fs::Dir::new(rustix::fs::open(path, flags, Mode::empty())?)?;
    let mut listing = Listing { entries: Entries::default(), holds_episodes: false, directories: Vec::new() };
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        let artifact = std::str::from_utf8(name).ok().and_then(Artifact::from_file_name);
        if artifact.is_none() && !matches!(entry.file_type(), FileType::Directory | FileType::Unknown) {
            continue;
        }
        let kind = entry_kind(&dir, entry.file_name(), entry.file_type());
        if let Some(artifact) = artifact {
            listing.entries.set(artifact, kind);
        }
        if kind == EntryKind::Directory && !matches!(name, b"." | b".." | b".git") {
            listing.holds_episodes |= name == b"episodes";
            listing.directories.push(OsString::from_vec(name.to_vec()));
        }
    }
    Ok(listing)
}

fn entry_kind(dir: &rustix::fs::Dir, name: &CStr, listed: FileType) -> EntryKind {
    let known = if listed == FileType::Unknown {
        // Some file systems do not say it in the listing.
        let stat = dir.fd().and_then(|dir| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW));
        stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
    } else {
        listed
    };
    kind_of(known)
}

/// Why a link that is followed leads to nothing.
fn dangling(errno: rustix::io::Errno) -> Unreadable {
    match errno {
        rustix::io::Errno::NOENT => Unreadable::Dangling,
        other => other.into(),
    }
}

fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        FileType::Directory => EntryKind::Directory,
        _ => EntryKind::Special,
    }
}

/// A path as text; bytes that are not UTF-8 show as `�`.
pub(crate) fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The name of a directory as an id; one that is not UTF-8 no record can name.
fn id_of(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}
