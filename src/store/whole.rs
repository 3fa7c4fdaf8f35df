//! Output -> a file that is written whole or not at all.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file in the making. Until [`WholeFile::keep`] it lies beside its path under another name, and vanishes when dropped.
pub(crate) struct WholeFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl WholeFile {
    /// Starts a file. Where something else than a regular file is there, such as a device, nothing may take its place.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A link stays, and what it leads to is replaced.
        let (path, permissions) = match fs::canonicalize(path) {
            Ok(path) => {
                let there = fs::metadata(&path)?;
                if !there.is_file() {
                    return Err(io::Error::other("it is no regular file"));
                }
                (path, there.permissions())
            }
            Err(_) => (path.to_owned(), Permissions::from_mode(0o666)),
        };
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = Builder::new().prefix(".runvet-").permissions(permissions).tempfile_in(dir)?;
        Ok(Self { path, file: BufWriter::new(file) })
    }

    /// Puts the file in its place.
    pub(crate) fn keep(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
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

/// Writes behind the end of a file.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
}
