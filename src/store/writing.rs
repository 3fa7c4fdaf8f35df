//! What is recorded -> system calls: the one seam through which every recorded byte goes.
//!
//! Each method is one system call, so that tests can note each, fail each, and lay out the disk as
//! it is after any of them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// A place to write to: the file system, or what tests put in its place.
pub(crate) trait Disk: Send + Sync {
    /// Makes a directory that must not exist.
    fn make_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes a file that must not exist, for appending.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Appending>>;

    /// Opens a regular file that exists, for appending.
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

    /// Takes the one lock of the file; `false` where another writer has it. The lock ends with
    /// [`Appending::unlock`], at the latest with the processes that have the file open.
    fn lock(&mut self) -> io::Result<bool>;

    /// Gives the lock up, also where a process that was forked has the file open still.
    fn unlock(&mut self) -> io::Result<()>;
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
        Ok(Box::new(open_regular(
            path,
            OpenOptions::new().append(true),
        )?))
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
}

/// Opens a regular file, and nothing that its name may be a link to.
pub(super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Without O_NONBLOCK, opening a FIFO would wait for its other end.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let file = options.custom_flags(flags.cast_signed()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Makes a directory, and those above it that are missing; returns the directories in which names
/// were made.
pub(crate) fn make_dirs(disk: &dyn Disk, dir: &Path) -> io::Result<Vec<PathBuf>> {
    let above = match dir.parent() {
        None => return Ok(Vec::new()),
        Some(above) if above.as_os_str().is_empty() => Path::new("."),
        Some(above) => above,
    };
    let mut changed = match disk.make_dir(dir) {
        Ok(()) => return Ok(vec![above.to_owned()]),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Vec::new()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => make_dirs(disk, above)?,
    };
    match disk.make_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => changed.push(above.to_owned()),
    }
    Ok(changed)
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
