//! Output -> a file that is written completely or not at all, or one that did not exist.

use std::fs::{self, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Seek as _, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use rustix::fs::Mode;
use rustix::fs::{AtFlags, CWD, OFlags, fstat, linkat, stat};
use tempfile::{Builder, NamedTempFile, TempPath};

use crate::store::open::{FileVersion, OpenDir};
use crate::store::path::{directory_of, is_gone};

/// Returns `true` if two paths name one file, there or not, however they are spelled.
pub(crate) fn is_one_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let in_its_dir = || {
            let dir = fs::canonicalize(directory_of(path)).ok()?;
            Some(dir.join(path.file_name()?))
        };
        fs::canonicalize(path)
            .ok()
            .or_else(in_its_dir)
    };

    a == b || place(a).is_some_and(|of_a| place(b) == Some(of_a))
}

/// Returns `true` if what is written to two open files, terminals or pipes goes to one place.
pub(crate) fn are_one_open_file(one: impl AsFd, other: impl AsFd) -> bool {
    FileVersion::of(one)
        .ok()
        .zip(FileVersion::of(other).ok())
        .is_some_and(|(one, other)| one.is_same_file(other))
}

/// Returns `true` if nobody reads what is written to a file: it is the null device, which also
/// takes the place of a standard output that is closed.
pub(crate) fn is_null_device(file: impl AsFd) -> bool {
    let null = stat("/dev/null").map(|null| null.st_rdev);
    let device = fstat(file).map(|file| file.st_rdev);
    null.is_ok_and(|null| null != 0 && device == Ok(null))
}

/// A file that is being written. Until [`WholeFile::keep`] it has no name, so that nothing is left
/// of it however the program ends. Where the system can't do that, it has a temporary name next to
/// its path, and it is deleted when dropped, or by the next one if the program was killed.
pub(crate) struct WholeFile {
    path: PathBuf,
    file: BufWriter<File>,
    /// The temporary name; `None` where it has no name yet.
    name: Option<TempPath>,
}

/// A temporary name is made of these, with some letters and digits in between.
const PREFIX: &str = ".runvet-";
const SUFFIX: &str = ".tmp";

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    builder
}

/// Returns a file with a temporary name. It is locked, so that it is known not to be left over.
fn named(dir: &Path, permissions: &Permissions) -> io::Result<NamedTempFile> {
    remove_leftovers(dir);
    loop {
        let file = builder()
            .permissions(permissions.clone())
            .tempfile_in(dir)
            .map_err(plain)?;
        // Where there are no locks, nobody removes it either.
        let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        // Another process may have removed it before it was locked.
        if !is_taken && file.as_file().metadata()?.nlink() > 0 {
            return Ok(file);
        }
    }
}

/// Removes the files that processes left in a directory when they were killed: no process has their
/// locks. Errors are ignored.
fn remove_leftovers(dir: &Path) {
    let Ok(dir) = OpenDir::open(dir) else { return };
    for (name, _) in dir
        .names(usize::MAX)
        .unwrap_or_default()
    {
        let bytes = name.as_encoded_bytes();
        if bytes.starts_with(PREFIX.as_bytes())
            && bytes.ends_with(SUFFIX.as_bytes())
            && let Ok(file) = dir.file(&name, OFlags::RDONLY)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(dir.path().join(&name));
        }
    }
}

/// Returns a file that has no name, if it can get one later.
#[cfg(target_os = "linux")]
fn unnamed(dir: &Path, permissions: &Permissions) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(permissions.mode());
    let file = File::from(rustix::fs::open(dir, flags, mode).ok()?);
    fs::metadata(place_of(&file))
        .is_ok()
        .then_some(file)
}

/// Returns the path through which an open file gets a name.
fn place_of(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Gives a file that has no name a temporary one.
fn name(file: &File, dir: &Path) -> io::Result<TempPath> {
    let from = place_of(file);
    let link = |to: &Path| Ok(linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW)?);
    let named = builder()
        .make_in(dir, link)
        .map_err(plain)?;

    Ok(named.into_temp_path())
}

impl WholeFile {
    /// Starts a file. It never replaces a device or another special file, nor a file that one of
    /// the streams writes to: readers of the stream would lose it.
    pub(crate) fn create(path: &Path, streams: &[BorrowedFd<'_>]) -> io::Result<Self> {
        let (path, permissions) = match fs::metadata(path) {
            Ok(found) if !found.is_file() => {
                return Err(io::Error::other("it is not a regular file"));
            }
            Ok(found)
                if streams
                    .iter()
                    .any(|stream| is_same(*stream, &found)) =>
            {
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

        let dir = directory_of(&path);
        if is_gone(dir) {
            return Err(io::Error::other("its directory does not exist"));
        }

        #[cfg(target_os = "linux")]
        let unnamed = unnamed(dir, &permissions);
        #[cfg(not(target_os = "linux"))]
        let unnamed = None;
        let (file, name) = if let Some(file) = unnamed {
            (file, None)
        } else {
            let (file, name) = named(dir, &permissions)?.into_parts();
            (file, Some(name))
        };

        Ok(Self {
            path,
            file: BufWriter::new(file),
            name,
        })
    }

    /// Moves the file to its path at once. A file can't get the name of another one, so one
    /// without a name gets a temporary one for a moment.
    pub(crate) fn keep(self) -> io::Result<()> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;

        let name = match self.name {
            Some(name) => name,
            None => name(&file, directory_of(&self.path))?,
        };

        Ok(name.persist(&self.path)?)
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

/// Text that is kept in a file without a name, until it is known what stands before it.
pub(crate) struct Spool(BufWriter<File>);

impl Spool {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(BufWriter::new(tempfile::tempfile()?)))
    }

    /// Writes all that was kept.
    pub(crate) fn copy_to(self, out: &mut dyn Write) -> io::Result<()> {
        let mut file = self
            .0
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;

        io::copy(&mut file, out).map(drop)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn is_same(stream: BorrowedFd<'_>, file: &Metadata) -> bool {
    fstat(stream).is_ok_and(|stream| (stream.st_dev, stream.st_ino) == (file.dev(), file.ino()))
}

/// Returns an error without the name of the temporary file.
fn plain(error: io::Error) -> io::Error {
    error
        .get_ref()
        .and_then(|error| error.source())
        .map(ToString::to_string)
        .map_or(error, io::Error::other)
}

/// Appends to a file.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)?
        .write_all(bytes)
}

/// Makes a directory, and those above it, and writes files into it in the given order. A directory
/// that exists is refused.
pub(crate) fn write_new_dir(dir: &Path, files: &[(&str, String)]) -> io::Result<()> {
    if let Some(above) = dir.parent() {
        fs::create_dir_all(above)?;
    }

    fs::create_dir(dir)?;
    files
        .iter()
        .try_for_each(|(name, text)| fs::write(dir.join(name), text))
}

/// Writes a file that does not exist, and makes the directories above it.
pub(crate) fn write_new_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use walkdir::WalkDir;

    use super::*;

    /// Returns a file as it is where the file system has none without a name.
    fn start(dir: &Path) -> NamedTempFile {
        named(dir, &Permissions::from_mode(0o644)).unwrap()
    }

    #[test]
    fn leftovers_are_removed_and_files_in_use_are_not() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        let killed = start(dir)
            .into_temp_path()
            .keep()
            .unwrap();
        let others = [".runvet-config", "report.tmp", ".state.json.tmp"].map(|name| dir.join(name));
        for other in &others {
            fs::write(other, "").unwrap();
        }
        std::os::unix::fs::symlink("report.tmp", dir.join(".runvet-linked.tmp")).unwrap();
        let mut written = start(dir);
        assert!(!killed.exists());
        written.write_all(b"whole").unwrap();
        let next = start(dir);
        assert!(written.path().exists());
        written
            .persist(dir.join("report.json"))
            .unwrap();
        drop(next);
        assert!(
            others
                .iter()
                .all(|other| other.exists())
        );
        let left = WalkDir::new(dir)
            .min_depth(1)
            .sort_by_file_name()
            .into_iter()
            .map(|entry| entry.unwrap().file_name().to_owned());
        let names: Vec<_> = left.collect();
        assert_eq!(
            names,
            [
                ".runvet-config",
                ".runvet-linked.tmp",
                ".state.json.tmp",
                "report.json",
                "report.tmp"
            ]
        );
    }
}
