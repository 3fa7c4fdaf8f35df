//! The bytes of a recording -> system calls: the one seam through which every recorded byte goes.
//!
//! Each method is one system call, so that tests can note each, fail each, and lay out the disk as
//! it is after any of them.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};

/// A file that is recorded, which grows at its end.
pub(crate) type RecordedFile = File;
use crate::store::open::{FileVersion, OpenDir};
use crate::store::path::{directory_of, there};

/// A place to write to: the file system, unless tests put something in its place.
pub(crate) trait Disk: Send + Sync {
    /// Makes a directory that must not exist.
    fn make_dir(&self, dir: &OpenDir, name: &OsStr) -> io::Result<()> {
        let mode = Mode::from_raw_mode(0o777);
        Ok(rustix::fs::mkdirat(dir.fd(), name, mode)?)
    }

    /// Makes a file that must not exist, for appending.
    fn create(&self, dir: &OpenDir, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        dir.file(name, flags)
    }

    /// Gives a file another name, in place of the file that has it.
    fn rename(&self, dir: &OpenDir, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(dir.fd(), from, dir.fd(), to)?)
    }

    /// Removes a file.
    fn remove(&self, dir: &OpenDir, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(dir.fd(), name, AtFlags::empty())?)
    }

    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &OpenDir) -> io::Result<()> {
        Ok(rustix::fs::fsync(dir.fd())?)
    }

    /// Writes at the end of the file of a path; returns the number of bytes that were written.
    fn append(&self, _: &Path, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Makes the content of the file of a path durable.
    fn sync(&self, _: &Path, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Cuts the file of a path to a length.
    fn cut(&self, _: &Path, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }
}

/// The file system.
pub(crate) struct FileSystem;

impl Disk for FileSystem {}

/// Opens a regular file that exists, for reading and appending.
pub(crate) fn open_to_append(dir: &OpenDir, name: &str) -> io::Result<File> {
    let file = dir.file(name, OFlags::RDWR | OFlags::APPEND)?;
    // Writing through one name would change what another one stands for, outside of the run.
    if file.metadata()?.nlink() > 1 {
        return Err(io::Error::other("it has another name too, by a hard link"));
    }

    Ok(file)
}

/// Takes the one lock of a file; `false` where another writer has it. The lock ends when it is
/// given up, at the latest with the processes that have the file open.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns what a file holds, from its beginning.
pub(crate) fn content_of(file: &File) -> io::Result<File> {
    let mut content = file.try_clone()?;
    content.rewind()?;
    Ok(content)
}

/// Returns `true` if the entry of a name is this file, and the file has a length.
pub(crate) fn is_in_place(file: &File, dir: &OpenDir, name: &str, length: u64) -> bool {
    FileVersion::of(file)
        .ok()
        .zip(dir.version(Path::new(name)))
        .is_some_and(|(is, there)| there.bytes == length && is.is_same_file(there))
}

/// Opens a directory that a user names, and makes it and those above it that are missing. Returns
/// the directories in which names were made too.
pub(crate) fn open_or_make(disk: &dyn Disk, path: &Path) -> io::Result<(OpenDir, Vec<OpenDir>)> {
    if let Some(dir) = there(OpenDir::open(path))? {
        return Ok((dir, Vec::new()));
    }

    let Some(name) = path.components().next_back() else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let (above, mut changed) = open_or_make(disk, directory_of(path))?;
    make_unless_there(disk, &above, name.as_os_str())?;
    changed.push(above);

    Ok((OpenDir::open(path)?, changed))
}

/// Makes a directory, unless something of its name is there.
pub(crate) fn make_unless_there(disk: &dyn Disk, dir: &OpenDir, name: &OsStr) -> io::Result<()> {
    match disk.make_dir(dir, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Writes all bytes at the end of the file of a path.
pub(crate) fn append_all(
    disk: &dyn Disk,
    path: &Path,
    file: &File,
    mut bytes: &[u8],
) -> io::Result<()> {
    while !bytes.is_empty() {
        match disk.append(path, file, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }

    Ok(())
}
