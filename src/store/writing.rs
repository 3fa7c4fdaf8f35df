//! What is recorded -> system calls: the one seam through which every recorded byte goes.
//!
//! Each method is one system call, so that tests can note each, fail each, and lay out the disk as
//! it is after any of them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use walkdir::WalkDir;

use crate::digest::FileDigest;

/// A place to write to: the file system, or what tests put in its place.
pub(crate) trait Disk: Send + Sync {
    /// Makes a directory that must not exist.
    fn make_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes a file that must not exist, for appending.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Appending>>;

    /// Opens a file that exists, for appending.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Appending>>;

    /// Gives a file another name, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// A file that grows at its end.
pub(crate) trait Appending: Send {
    /// Writes at the end; returns the number of bytes that were written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Makes the content durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to a length.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Takes the one lock of the file, until it is closed; `false` where another writer has it.
    fn lock(&mut self) -> io::Result<bool>;
}

/// The file system.
pub(crate) struct FileSystem;

impl Disk for FileSystem {
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Appending>> {
        let mut options = OpenOptions::new();
        Ok(Box::new(options.append(true).create_new(true).open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Appending>> {
        Ok(Box::new(OpenOptions::new().append(true).open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }
}

impl Appending for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn lock(&mut self) -> io::Result<bool> {
        match self.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Writes all of some bytes at the end of a file.
pub(crate) fn append_all(file: &mut dyn Appending, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.append(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads the lines of a file, newlines included, until `take` returns `false`; returns what follows
/// the last newline. A longer line than the limit is an error.
pub(crate) fn whole_lines(
    path: &Path,
    limit: usize,
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<Vec<u8>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut file)
            .take(limit as u64 + 2)
            .read_until(b'\n', &mut line)?;
        if read > limit + 1 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if !line.ends_with(b"\n") {
            return Ok(line);
        }
        if !take(&line) {
            return Ok(Vec::new());
        }
    }
}

/// The content of a file that is not longer than a limit.
pub(crate) fn read_whole(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = File::open(path)?
        .take(limit as u64 + 1)
        .read_to_end(&mut content)?;
    if read > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}

/// The SHA-256 digest of a file in hexadecimal digits, and its length.
pub(crate) fn digest_of(path: &Path) -> io::Result<(String, u64)> {
    let (length, digest) =
        FileDigest::of_stream(File::open(path)?, u64::MAX)?.ok_or(io::ErrorKind::FileTooLarge)?;
    Ok((digest.to_string(), length))
}

/// Whether a file contains some bytes.
pub(crate) fn contains(path: &Path, wanted: &[u8]) -> io::Result<bool> {
    let (mut kept, mut found) = (Vec::new(), wanted.is_empty());
    each_piece(path, &mut |piece| {
        kept.extend_from_slice(piece);
        found |= memchr::memmem::find(&kept, wanted).is_some();
        kept.drain(..kept.len().saturating_sub(wanted.len()));
        !found
    })?;
    Ok(found)
}

fn each_piece(path: &Path, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    loop {
        let piece = file.fill_buf()?;
        let length = piece.len();
        if length == 0 || !take(piece) {
            return Ok(());
        }
        file.consume(length);
    }
}

/// The digests of the regular files below a directory, by their paths. Names to ignore are passed
/// over at any depth, and so are links and one directory more.
pub(crate) fn files_below(
    dir: &Path,
    ignored: &[&str],
    but: &Path,
) -> io::Result<BTreeMap<String, String>> {
    let but = fs::canonicalize(but).ok();
    let is_wanted = |entry: &walkdir::DirEntry| {
        let is_ignored = ignored.iter().any(|name| entry.file_name() == *name);
        let is_excepted = entry.file_type().is_dir()
            && but.is_some()
            && fs::canonicalize(entry.path()).ok() == but;
        entry.depth() == 0 || !(is_ignored || is_excepted)
    };
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_wanted)
    {
        let entry = entry?;
        if entry.file_type().is_file() {
            let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
            let (digest, _) = digest_of(entry.path())?;
            files.insert(below.to_string_lossy().into_owned(), digest);
        }
    }
    Ok(files)
}
