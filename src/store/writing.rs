//! What is recorded -> system calls: the one seam through which every recorded byte goes.
//!
//! Each method is one system call, so that tests can note each, fail each, and lay out the disk as
//! it is after any of them.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};

use super::OpenDir;
use super::path::directory_of;
use super::stillness::FileVersion;

/// A place to write to: the file system, or what tests put in its place.
pub(crate) trait Disk: Send + Sync {
    /// Makes a directory that must not exist.
    fn make_dir(&self, dir: &OpenDir, name: &OsStr) -> io::Result<()>;

    /// Makes a file that must not exist, for appending.
    fn create(&self, dir: &OpenDir, name: &str) -> io::Result<Box<dyn Appending>>;

    /// Opens a regular file that exists, for reading and appending.
    fn open(&self, dir: &OpenDir, name: &str) -> io::Result<Box<dyn Appending>>;

    /// Gives a file another name, in place of the file that has it.
    fn rename(&self, dir: &OpenDir, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, dir: &OpenDir, name: &str) -> io::Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &OpenDir) -> io::Result<()>;
}

/// A file that grows at its end.
pub(crate) trait Appending: Send {
    /// Writes at the end; returns the number of bytes that were written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Makes the content durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to a length.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Takes the one lock of the file; `false` where another writer has it. The lock ends with
    /// [`Appending::unlock`], at the latest with the processes that have the file open.
    fn lock(&mut self) -> io::Result<bool>;

    /// Gives the lock up, also where a process that was forked has the file open still.
    fn unlock(&mut self) -> io::Result<()>;

    /// Returns what the file holds, from its beginning.
    fn content(&self) -> io::Result<Box<dyn Read>>;

    /// Returns `true` if the entry of a name is this file, and the file has a length.
    fn is_in_place(&self, dir: &OpenDir, name: &str, length: u64) -> bool;
}

/// The file system.
pub(crate) struct FileSystem;

impl Disk for FileSystem {
    fn make_dir(&self, dir: &OpenDir, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(
            dir.fd(),
            name,
            Mode::from_raw_mode(0o777),
        )?)
    }

    fn create(&self, dir: &OpenDir, name: &str) -> io::Result<Box<dyn Appending>> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        Ok(Box::new(dir.file(name, flags)?))
    }

    fn open(&self, dir: &OpenDir, name: &str) -> io::Result<Box<dyn Appending>> {
        let file = dir.file(name, OFlags::RDWR | OFlags::APPEND)?;
        if file.metadata()?.nlink() > 1 {
            return Err(io::Error::other("it has another name too, by a hard link"));
        }
        Ok(Box::new(file))
    }

    fn rename(&self, dir: &OpenDir, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(dir.fd(), from, dir.fd(), to)?)
    }

    fn remove(&self, dir: &OpenDir, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(dir.fd(), name, AtFlags::empty())?)
    }

    fn sync_dir(&self, dir: &OpenDir) -> io::Result<()> {
        Ok(rustix::fs::fsync(dir.fd())?)
    }
}

impl Appending for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(self, bytes)
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

    fn unlock(&mut self) -> io::Result<()> {
        Self::unlock(self)
    }

    fn content(&self) -> io::Result<Box<dyn Read>> {
        let mut content = self.try_clone()?;
        content.rewind()?;
        Ok(Box::new(content))
    }

    fn is_in_place(&self, dir: &OpenDir, name: &str, length: u64) -> bool {
        let both = FileVersion::of(self).ok().zip(dir.version(Path::new(name)));
        both.is_some_and(|(is, there)| there.bytes() == length && is.is_same_file(there))
    }
}

/// Opens a directory that a user names, and makes it and those above it that are missing. Returns
/// the directories in which names were made too.
pub(crate) fn open_or_make(disk: &dyn Disk, path: &Path) -> io::Result<(OpenDir, Vec<OpenDir>)> {
    match OpenDir::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return Ok((opened?, Vec::new())),
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
