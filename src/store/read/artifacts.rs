//! The artifacts of one episode, stored anywhere -> their listing and their bytes.
//!
//! A check reads an episode through [`Artifacts`]. Here are two implementations: a directory, and
//! bytes in memory ([`InMemory`](super::InMemory)). A store of objects is a third, for others to
//! write.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};

use rustix::io::Errno;

use super::limits::{LARGE_BYTES, MAX_RECORD_BYTES, MAX_TIMELINE_BYTES};
use crate::ground::digest::{FileDigest, RunningDigest};
use crate::ground::parallel::locked;
use crate::ground::source::{Artifact, Entries, Line};

/// The artifacts of one episode.
///
/// Each is read once, from its beginning to its end; of the timeline, lines that findings point
/// into are read a second time. Large episodes are checked one at a time in the process, so an
/// implementation must not wait for another check.
/// [`Gate::artifacts`](crate::gate::Gate::artifacts) has an
/// example.
pub trait Artifacts {
    /// Returns the artifacts that exist.
    fn entries(&self) -> Entries;

    /// Opens an artifact for reading.
    ///
    /// # Errors
    ///
    /// Why its content can't be read. [`Unreadable::ListedOnly`] says that the content was not
    /// fetched, which is not a defect of an artifact that runvet does not need to read.
    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable>;

    /// Returns whether an artifact that runvet does not read is readable.
    ///
    /// # Errors
    ///
    /// Why it is not readable.
    fn probe(&self, artifact: Artifact) -> Result<(), Unreadable> {
        match self.open(artifact) {
            Ok(_) | Err(Unreadable::ListedOnly) => Ok(()),
            Err(why) => Err(why),
        }
    }

    /// Returns whether the content of an artifact has no bytes.
    ///
    /// # Errors
    ///
    /// Why that can't be read.
    fn is_empty(&self, artifact: Artifact) -> Result<bool, Unreadable> {
        self.open(artifact)?.is_empty()
    }

    /// Opens a file that the episode's manifest names: by its path in the episode, with `/` between
    /// its parts, none of which is empty, `.` or `..`. It is read for the rule `manifest/digest`.
    ///
    /// The default opens artifacts and no other file.
    ///
    /// # Errors
    ///
    /// Why its content can't be read. [`Unreadable::Vanished`] says that there is no such file.
    fn open_named(&self, path: &str) -> Result<Opened<'_>, Unreadable> {
        match Artifact::from_file_name(path) {
            Some(artifact) if self.entries().has(artifact) => self.open(artifact),
            Some(_) => Err(Unreadable::Vanished),
            None => Err(Unreadable::ListedOnly),
        }
    }

    /// Returns the paths of all regular files of the episode, sorted, as [`Artifacts::open_named`]
    /// takes them. They are listed for the rule `manifest/unlisted`.
    ///
    /// The default knows of no files but the artifacts.
    ///
    /// # Errors
    ///
    /// Why they can't be listed. [`Unreadable::ListedOnly`] says that they are not known.
    fn file_names(&self) -> Result<Vec<String>, Unreadable> {
        Err(Unreadable::ListedOnly)
    }

    /// Returns the current version of an artifact's content, such as an `ETag`. It is read before
    /// and after an episode is read: if it has changed, the records may be of two generations, and
    /// findings that depend on them do not count. `None` if the content never changes.
    fn version(&self, artifact: Artifact) -> Option<Version> {
        let _ = artifact;
        None
    }
}

/// A text that identifies one version of an artifact's content.
#[derive(Clone, Debug, PartialEq)]
pub struct Version(Arc<[u8]>);

impl Version {
    /// Returns the version with this text.
    #[must_use]
    pub fn new(tag: impl Into<Vec<u8>>) -> Self {
        Self(tag.into().into())
    }
}

/// Content that can be read from any offset.
pub trait ReadAt: Send + Sync {
    /// Reads bytes from an offset; returns 0 at the end of the content.
    ///
    /// # Errors
    ///
    /// Why the bytes can't be read.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// The reason why the content of an existing artifact can't be read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// It is a symbolic link.
    #[error("it is a symbolic link, and links are not followed")]
    Link,
    /// It is a symbolic link to nothing.
    #[error("it is a symbolic link to a file that does not exist")]
    Dangling,
    /// It is a symbolic link to a file of a store that this command fetches.
    #[error("it is a symbolic link into a store, and its file is not fetched")]
    NotFetched(&'static str),
    /// It is a symbolic link that leaves the episode.
    #[error("it is a symbolic link that leads out of the episode's directory")]
    Outside,
    /// It is a directory.
    #[error("it is a directory")]
    Directory,
    /// It is neither a file nor a directory.
    #[error("it is a FIFO, a socket or a device")]
    Special,
    /// It has more bytes than this limit.
    #[error("it is larger than the limit of {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// It has more keys and values than this limit, counted together, containers too.
    #[error("it has more than {0} keys and values")]
    TooManyValues(usize),
    /// It has more files than this limit.
    #[error("it has more than {0} files")]
    TooManyFiles(usize),
    /// Permission is missing.
    #[error("reading it is not permitted")]
    Denied,
    /// It was listed, but no longer exists.
    #[error("it vanished while the episode was read")]
    Vanished,
    /// The machine lacks what it takes to read it, such as memory: a fault of the machine, not of
    /// the artifact.
    #[error("the system says: {0}")]
    Lacking(String),
    /// It is listed, but its content was not provided.
    #[error("only its name was given, not its content")]
    ListedOnly,
    /// The operating system can't read it.
    #[error("the system says: {0}")]
    Fault(String),
    /// Another reason, as a clause: "its store answers 503".
    #[error("{0}")]
    Other(String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::NotFound => Self::Vanished,
            io::ErrorKind::IsADirectory => Self::Directory,
            _ if is_lacking(&error) => Self::Lacking(error.to_string()),
            _ => Self::Fault(error.to_string()),
        }
    }
}

/// Returns `true` if the machine has too little memory, or too few file descriptors.
fn is_lacking(error: &io::Error) -> bool {
    let lacking = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];
    error.kind() == io::ErrorKind::OutOfMemory
        || Errno::from_io_error(error).is_some_and(|errno| lacking.contains(&errno))
}

impl Unreadable {
    /// Returns what the system's answer to opening a file says of it.
    pub(crate) fn from_errno(errno: Errno) -> Self {
        match errno {
            Errno::LOOP => Self::Link,
            // The answer of a socket, or of a device without a driver, to being opened.
            Errno::NXIO | Errno::NODEV => Self::Special,
            other => io::Error::from(other).into(),
        }
    }
}

/// An artifact that is open for reading, up to a limit: a writer that never stops could otherwise
/// keep a reader busy forever.
pub struct Opened<'a> {
    content: Bytes<'a>,
    /// The number of bytes when it was opened, where that is known.
    size: Option<u64>,
    /// The bytes that were read, and the number that may still be read.
    position: u64,
    left: u64,
    /// The digest of what is read, where it is asked for.
    digest: Option<Arc<Mutex<DigestSoFar>>>,
}

/// The digest of a file, as far as it was read from its beginning on, by one reader or several.
#[derive(Debug, Default)]
pub(crate) struct DigestSoFar {
    digest: RunningDigest,
    bytes: u64,
}

impl DigestSoFar {
    /// Adds bytes that were read, if they are the next ones.
    fn add(&mut self, position: u64, bytes: &[u8]) {
        if position == self.bytes {
            self.digest.add(bytes);
            self.bytes += bytes.len() as u64;
        }
    }

    /// Returns the digest, if it covers this number of bytes.
    pub(crate) fn of(&self, bytes: u64) -> Option<FileDigest> {
        (self.bytes == bytes).then(|| self.digest.so_far())
    }
}

enum Bytes<'a> {
    OfFile(File),
    InMemory(&'a [u8]),
    Fetched(Box<dyn ReadAt + 'a>),
}

impl Bytes<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::OfFile(file) => file.read_at(buffer, offset),
            Self::InMemory(all) => read_memory_at(all, buffer, offset),
            Self::Fetched(reader) => reader.read_at(buffer, offset),
        }
    }
}

/// Reads bytes in memory from an offset; returns 0 at their end.
pub(super) fn read_memory_at(all: &[u8], buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    all.get(start..)
        .unwrap_or_default()
        .read(buffer)
}

/// Returns the number of bytes of an artifact that are read, at most.
pub(crate) fn limit(artifact: Artifact) -> u64 {
    if matches!(artifact, Artifact::Events | Artifact::Learn) {
        MAX_TIMELINE_BYTES
    } else {
        MAX_RECORD_BYTES as u64
    }
}

/// The number of bytes of each of two lines that are compared at a time.
const PART: usize = 64 << 10;

impl<'a> Opened<'a> {
    /// Returns content in memory.
    #[must_use]
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        let size = Some(bytes.len() as u64);
        Self::new(Bytes::InMemory(bytes), size, MAX_TIMELINE_BYTES)
    }

    /// Returns content that is fetched as it is read, in blocks of many KiB.
    #[must_use]
    pub fn from_reader(reader: impl ReadAt + 'a) -> Self {
        let content = Bytes::Fetched(Box::new(reader));
        Self::new(content, None, MAX_TIMELINE_BYTES)
    }

    /// Returns the content of a regular file of a size, up to a limit and one byte more, which
    /// shows that the file is longer.
    pub(crate) fn from_file(file: File, size: u64, limit: u64) -> Self {
        Self::new(Bytes::OfFile(file), Some(size), limit)
    }

    fn new(content: Bytes<'a>, size: Option<u64>, limit: u64) -> Self {
        Self {
            content,
            size,
            position: 0,
            left: limit + 1,
            digest: None,
        }
    }

    /// Returns this content, of which what is read goes into a digest.
    pub(crate) fn digested(self, digest: Arc<Mutex<DigestSoFar>>) -> Self {
        Self {
            digest: Some(digest),
            ..self
        }
    }

    /// Returns this content, with what is written while it is read.
    pub(crate) fn growing(self) -> Self {
        Self { size: None, ..self }
    }

    /// Returns this content up to a number of bytes, which it has.
    pub(crate) fn first(self, bytes: u64) -> Self {
        Self {
            size: Some(bytes),
            left: bytes,
            ..self
        }
    }

    /// Returns whether there is nothing left to read.
    pub(crate) fn is_empty(&mut self) -> Result<bool, Unreadable> {
        let mut first = Vec::new();
        self.by_ref()
            .take(1)
            .read_to_end(&mut first)?;
        Ok(first.is_empty())
    }

    /// Returns the number of bytes, where that is known before they are read.
    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns `true` if as many bytes were read as there were when it was opened. A file that
    /// grows while it is read has changed, which shows when its version is compared. An empty file
    /// may be one whose size the system does not know.
    fn is_at_end(&self) -> bool {
        self.position > 0 && self.size == Some(self.position)
    }

    /// Reads a whole record.
    pub(crate) fn read_record(self, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
        self.read_record_with(buffer, || ())
    }

    /// Reads a whole record; calls `before_large` before it takes the memory of a large one.
    pub(crate) fn read_record_with(
        mut self,
        buffer: &mut Vec<u8>,
        before_large: impl Fn(),
    ) -> Result<(), Unreadable> {
        const LIMIT: usize = MAX_RECORD_BYTES;
        let expected = self
            .size
            .map_or(PART, |size| size.try_into().unwrap_or(LIMIT));
        let (mut length, mut read) = (0, 0);
        while !self.is_at_end() {
            if read == length {
                // One byte more than the limit shows that there are more.
                length = (2 * length)
                    .max(expected + 1)
                    .min(LIMIT + 1);
                if length > LARGE_BYTES + 1 {
                    before_large();
                }

                buffer
                    .try_reserve_exact(length.saturating_sub(buffer.len()))
                    .map_err(io::Error::from)?;
                // What an earlier record left is overwritten or cut off.
                buffer.resize(length.max(buffer.len()), 0);
            }
            match self.read(
                buffer
                    .get_mut(read..length)
                    .unwrap_or_default(),
            ) {
                Ok(0) => break,
                Ok(count) => read += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }

        buffer.truncate(read);
        if read > LIMIT {
            Err(Unreadable::TooLarge(LIMIT as u64))
        } else {
            Ok(())
        }
    }

    /// Reads a line again, or the beginning of one that is longer than the limit.
    pub(crate) fn read_again(&self, line: Line, buffer: &mut Vec<u8>) -> io::Result<()> {
        let length = line.length.min(MAX_RECORD_BYTES);
        buffer.clear();
        buffer.try_reserve_exact(length)?;
        buffer.resize(length, 0);

        let mut read = 0;
        while let Some(rest) = buffer
            .get_mut(read..)
            .filter(|rest| !rest.is_empty())
        {
            match self
                .content
                .read_at(rest, line.offset + read as u64)
            {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => read += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }

        Ok(())
    }

    /// Returns whether two lines of one length have the same bytes. They are read again in parts,
    /// because they may be too long to be kept.
    pub(super) fn same(&self, a: Line, b: Line) -> io::Result<bool> {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        for at in (0..a.length).step_by(PART) {
            let part = |line: Line| Line {
                offset: line.offset + at as u64,
                length: (line.length - at).min(PART),
                ..line
            };

            self.read_again(part(a), &mut of_a)?;
            self.read_again(part(b), &mut of_b)?;
            if of_a != of_b {
                return Ok(false);
            }
        }

        Ok(true)
    }
}

impl Read for Opened<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Most files need one system call, not two.
        if self.is_at_end() {
            return Ok(0);
        }

        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let buffer = buffer
            .get_mut(..most)
            .unwrap_or_default();
        let count = self
            .content
            .read_at(buffer, self.position)?
            .min(most);
        if let Some(digest) = &self.digest {
            let read = buffer.get(..count).unwrap_or_default();
            locked(digest).add(self.position, read);
        }

        self.position += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

impl fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn record_of_unknown_size_is_read_whole_over_a_shorter_one() {
        let record = vec![b'x'; 4 * PART];
        let mut buffer = vec![0; PART + PART / 2];
        let opened = Opened::from_reader(Arc::<[u8]>::from(record.as_slice()));
        opened.read_record(&mut buffer).unwrap();
        assert!(buffer == record);
    }
}
