//! Paths -> episodes -> bytes: the one place that touches the file system, with every limit on
//! reading.

#[cfg(feature = "cli")]
mod changed;
mod discover;
mod lines;
pub(crate) mod path;
mod runs;
mod settings;
mod stillness;
#[cfg(feature = "cli")]
mod whole;

use std::cell::Cell;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Take};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fd::OwnedFd;
use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

#[cfg(feature = "cli")]
pub(crate) use changed::{Changed, changed_since};
pub use discover::{Discovery, Fault};
pub(crate) use discover::{discover, join};
pub(crate) use lines::{Block, LineRead, Lines};
pub(crate) use runs::{RunDir, runs};
#[cfg(feature = "cli")]
pub(crate) use settings::must_be_file;
pub(crate) use settings::read_text;
pub use settings::{ConfigSearch, find_config};
pub(crate) use stillness::Movement;
use stillness::Version;
#[cfg(feature = "cli")]
pub(crate) use whole::{WholeFile, append};

use crate::source::{Artifact, Entries, EntryKind, Line};

/// Bytes of `state.json`, of `summary.json` and of one line of `events.jsonl` that are read at
/// most.
///
/// Real records take kilobytes. The limit keeps a hostile file from taking the memory that other
/// episodes need.
pub(crate) const MAX_RECORD_BYTES: usize = 64 << 20;

/// Bytes of `events.jsonl` that are read at most.
///
/// Real timelines take megabytes, and lines are let go as they are read. The limit bounds the time
/// that a file takes which costs its writer nothing: one with a hole of exabytes in it.
pub(crate) const MAX_TIMELINE_BYTES: u64 = 16 << 30;

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

impl EpisodeDir {
    /// Looks again at what it lists.
    pub(crate) fn list_again(&mut self) -> io::Result<()> {
        self.entries = list(&self.path)?.entries;
        Ok(())
    }
}

/// Why an artifact that is there can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("it is a symbolic link, and links are not followed")]
    Link,
    #[error("it is a symbolic link that leads nowhere")]
    Dangling,
    #[error("it is a symbolic link that leads out of the episode's directory")]
    Outside,
    #[error("it is a directory")]
    Directory,
    #[error("it is a FIFO, a socket or a device")]
    Special,
    #[error("it is larger than the limit of {} MiB", .0 >> 20)]
    TooLarge(u64),
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

impl From<Errno> for Unreadable {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::LOOP => Self::Link,
            // What a socket or a device without a driver says to being opened.
            Errno::NXIO | Errno::NODEV => Self::Special,
            other => io::Error::from(other).into(),
        }
    }
}

/// The files of one episode.
pub(crate) enum Files<'a> {
    Disk(Box<Directory>),
    /// Records that were never files.
    Memory(&'a [(Artifact, &'a [u8])]),
}

/// An episode's directory that is open.
pub(crate) struct Directory {
    dir: OwnedFd,
    entries: Entries,
    /// Whether artifacts may be symbolic links.
    follow_links: bool,
    /// What each artifact was when it was opened.
    opened: [Cell<Option<Version>>; 5],
}

/// An artifact that is open for reading, up to its limit: who writes on while runvet reads could
/// otherwise keep it reading for ever.
pub(crate) enum Stream<'a> {
    File(Take<File>),
    Bytes { all: &'a [u8], read: usize },
}

impl<'a> Files<'a> {
    /// Opens an episode's directory.
    pub(crate) fn open(episode: &EpisodeDir, follow_links: bool) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let dir = rustix::fs::open(&episode.path, flags, Mode::empty())?;
        let directory = Directory {
            dir,
            entries: episode.entries,
            follow_links,
            opened: Default::default(),
        };
        Ok(Self::Disk(Box::new(directory)))
    }

    /// What is there.
    pub(crate) fn entries(&self) -> Entries {
        match self {
            Self::Disk(directory) => directory.entries,
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
        let Self::Disk(directory) = self else {
            return Ok(());
        };
        match directory.entries.kind(artifact) {
            Some(EntryKind::Link) if !directory.follow_links => Err(Unreadable::Link),
            // Whether a link leads to what may be read shows when it is opened.
            Some(EntryKind::Link) => directory.open(artifact).map(drop),
            Some(EntryKind::Directory) => Err(Unreadable::Directory),
            Some(EntryKind::Special) => Err(Unreadable::Special),
            _ => Ok(rustix::fs::accessat(
                &directory.dir,
                artifact.file_name(),
                Access::READ_OK,
                AtFlags::EACCESS,
            )?),
        }
    }

    /// Opens an artifact, making sure that it is a regular file.
    pub(crate) fn stream(&self, artifact: Artifact) -> Result<Stream<'a>, Unreadable> {
        match self {
            Self::Memory(blobs) => {
                let blob = blobs
                    .iter()
                    .find(|(name, _)| *name == artifact)
                    .ok_or(Unreadable::Vanished)?;
                Ok(Stream::Bytes {
                    all: blob.1,
                    read: 0,
                })
            }
            Self::Disk(directory) => directory.open(artifact).map(Stream::File),
        }
    }

    /// Reads an artifact into a buffer.
    pub(crate) fn read(&self, artifact: Artifact, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        self.stream(artifact)?.read_all(buffer)
    }

    /// What moves, or has moved since it was read. Nobody writes to records in memory.
    pub(crate) fn movement(&self) -> Movement {
        match self {
            Self::Disk(directory) => directory.movement(),
            Self::Memory(_) => Movement::default(),
        }
    }
}

impl Directory {
    /// Opens an artifact, which must be a regular file.
    fn open(&self, artifact: Artifact) -> Result<Take<File>, Unreadable> {
        let file = self.open_any(artifact)?;
        let stat = rustix::fs::fstat(&file)?;
        let version = Version::from(&stat);
        if let Some(slot) = self.opened.get(artifact as usize) {
            slot.set(Some(version));
        }
        let limit = if artifact == Artifact::Events {
            MAX_TIMELINE_BYTES
        } else {
            MAX_RECORD_BYTES as u64
        };
        match version.kind() {
            EntryKind::File if version.bytes() > limit => Err(Unreadable::TooLarge(limit)),
            EntryKind::File => Ok(File::from(file).take(limit + 1)),
            EntryKind::Directory => Err(Unreadable::Directory),
            EntryKind::Link | EntryKind::Special => Err(Unreadable::Special),
        }
    }

    /// Opens what an artifact's name leads to, and nothing outside of the directory.
    fn open_any(&self, artifact: Artifact) -> Result<OwnedFd, Unreadable> {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        #[cfg(target_os = "linux")]
        if self.follow_links {
            use rustix::fs::ResolveFlags;
            let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(
                &self.dir,
                artifact.file_name(),
                flags,
                Mode::empty(),
                beneath,
            ) {
                // An old kernel, or a sandbox that has not heard of it: then links are not
                // followed.
                Err(Errno::NOSYS | Errno::PERM) => {}
                Err(Errno::XDEV) => return Err(Unreadable::Outside),
                Err(Errno::NOENT | Errno::LOOP)
                    if self.entries.kind(artifact) == Some(EntryKind::Link) =>
                {
                    return Err(Unreadable::Dangling);
                }
                other => return Ok(other?),
            }
        }
        // A name without a slash that is no link leads to nowhere but into the directory.
        Ok(rustix::fs::openat(
            &self.dir,
            artifact.file_name(),
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
        )?)
    }

    fn movement(&self) -> Movement {
        let Ok(directory) = rustix::fs::fstat(&self.dir) else {
            return Movement::default();
        };
        let mut movement = Movement::in_directory(SystemTime::now(), Version::from(&directory));
        for artifact in Artifact::ALL {
            let version = |flags| {
                let stat = rustix::fs::statat(&self.dir, artifact.file_name(), flags);
                stat.ok().map(|stat| Version::from(&stat))
            };
            let entry = version(AtFlags::SYMLINK_NOFOLLOW);
            let kind = entry.map(Version::kind);
            movement.entry(artifact, self.entries.kind(artifact), kind);
            if let Some(opened) = self.opened.get(artifact as usize).and_then(Cell::get) {
                let is = if kind == Some(EntryKind::Link) {
                    version(AtFlags::empty())
                } else {
                    entry
                };
                movement.file(artifact, opened, is);
            }
        }
        movement
    }
}

impl Stream<'_> {
    /// Reads all that is left, up to the limit.
    pub(crate) fn read_all(self, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        let limit = MAX_RECORD_BYTES as u64;
        buffer.clear();
        self.take(limit + 1).read_to_end(buffer)?;
        if buffer.len() as u64 > limit {
            Err(Unreadable::TooLarge(limit))
        } else {
            Ok(())
        }
    }

    /// Reads a line again, or the beginning of one that is longer than the limit.
    pub(crate) fn read_again(&self, line: Line, buffer: &mut Vec<u8>) -> io::Result<()> {
        let (offset, length) = (line.offset, line.length.min(MAX_RECORD_BYTES));
        buffer.clear();
        match self {
            Self::File(file) => {
                buffer.resize(length, 0);
                file.get_ref().read_exact_at(buffer, offset)
            }
            Self::Bytes { all, .. } => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                buffer.extend_from_slice(
                    all.get(start..start.saturating_add(length))
                        .unwrap_or_default(),
                );
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
    let mut listing = Listing {
        entries: Entries::default(),
        holds_episodes: false,
        directories: Vec::new(),
    };
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        let artifact = std::str::from_utf8(name)
            .ok()
            .and_then(Artifact::from_file_name);
        if artifact.is_none()
            && !matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
        {
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
        let stat = dir
            .fd()
            .and_then(|dir| rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW));
        stat.map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
    } else {
        listed
    };
    kind_of(known)
}

fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        FileType::Directory => EntryKind::Directory,
        _ => EntryKind::Special,
    }
}

/// Whether nothing is there any more, as far as that can be told.
pub(crate) fn is_gone(path: &Path) -> bool {
    let is_nothing = |error: io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
    };
    path.symlink_metadata().is_err_and(is_nothing)
}

/// A path as text; bytes that are not UTF-8 show as `�`.
pub(crate) fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The name of a directory as an id; one that is not UTF-8 no record can name.
fn id_of(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}
