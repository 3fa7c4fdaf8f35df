//! Output -> a file that is written completely or not at all.

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fd::BorrowedFd;
use rustix::fs::fstat;
use tempfile::{Builder, NamedTempFile};

use super::is_gone;

/// Whether two paths name one file, there or not, however they are spelled.
pub(crate) fn is_one_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let dir = path
            .parent()
            .filter(|dir| !dir.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let in_its_dir = || Some(fs::canonicalize(dir).ok()?.join(path.file_name()?));
        fs::canonicalize(path).ok().or_else(in_its_dir)
    };
    a == b || place(a).is_some_and(|of_a| place(b) == Some(of_a))
}

/// A file that is being written. Until [`WholeFile::keep`] it has a temporary name next to its
/// path, and it is deleted when dropped.
pub(crate) struct WholeFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl WholeFile {
    /// Starts a file. It never replaces a device or another special file, nor a file that one of
    /// the streams writes to: readers of the stream would lose it.
    pub(crate) fn create(path: &Path, streams: &[BorrowedFd<'_>]) -> io::Result<Self> {
        let (path, permissions) = match fs::metadata(path) {
            Ok(found) if !found.is_file() => {
                return Err(io::Error::other("it is not a regular file"));
            }
            Ok(found) if streams.iter().any(|stream| is_same(*stream, &found)) => {
                return Err(io::Error::other(
                    "standard output or standard error is redirected to it",
                ));
            }
            // A link is kept, and its target is replaced.
            Ok(found) => (fs::canonicalize(path)?, found.permissions()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) if path.is_symlink() => {
                return Err(io::Error::other(
                    "it is a symbolic link to a file that does not exist",
                ));
            }
            Err(_) => (path.to_owned(), Permissions::from_mode(0o666)),
        };
        let dir = path
            .parent()
            .filter(|dir| !dir.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if is_gone(dir) {
            return Err(io::Error::other("its directory does not exist"));
        }
        let file = Builder::new()
            .prefix(".runvet-")
            .permissions(permissions)
            .tempfile_in(dir)
            .map_err(plain)?;
        Ok(Self {
            path,
            file: BufWriter::new(file),
        })
    }

    /// Moves the file to its path.
    pub(crate) fn keep(self) -> io::Result<()> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(self.path)?;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn is_same(stream: BorrowedFd<'_>, file: &Metadata) -> bool {
    fstat(stream).is_ok_and(|stream| (stream.st_dev, stream.st_ino) == (file.dev(), file.ino()))
}

/// An error without the name of the temporary file.
fn plain(error: io::Error) -> io::Error {
    let cause = error
        .get_ref()
        .and_then(|error| error.source())
        .map(ToString::to_string);
    cause.map_or(error, io::Error::other)
}

/// Appends to a file.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)?
        .write_all(bytes)
}
