//! A tree of directories and files -> made beside its place, and put there by one rename.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::disk::{FileSystem, open_or_make};
use crate::store::open::OpenDir;
use crate::store::path::{directory_of, resolved, there};

/// A tree that is made beside its place.
pub(crate) struct NewTree {
    /// Removed when this is dropped.
    _scratch: tempfile::TempDir,
    root: PathBuf,
    to: PathBuf,
}

impl NewTree {
    /// Starts a tree that will be a directory, which must not exist or be empty.
    pub(crate) fn beside(to: &Path) -> io::Result<Self> {
        let to = resolved(&std::path::absolute(to)?);
        must_be_free(&to)?;
        let around = directory_of(&to);
        open_or_make(&FileSystem, around)?;

        let scratch = tempfile::Builder::new()
            .prefix(".redact-")
            .tempdir_in(around)?;
        let root = scratch.path().join("copy");
        DirBuilder::new().create(&root)?;

        Ok(Self {
            _scratch: scratch,
            root,
            to,
        })
    }

    /// Makes a directory, and those above it that are missing.
    pub(crate) fn dir(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o777)
            .create(self.root.join(path))
    }

    /// Starts a file that must not exist.
    pub(crate) fn file(&self, path: &Path) -> io::Result<BufWriter<File>> {
        let file = File::create_new(self.root.join(path))?;
        Ok(BufWriter::with_capacity(64 << 10, file))
    }

    pub(crate) fn link(&self, path: &Path, target: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, self.root.join(path))
    }

    /// Makes a FIFO, in place of any entry that is not a file, a directory or a link.
    pub(crate) fn special(&self, path: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            let mode = Mode::from_raw_mode(0o666);
            Ok(mknodat(CWD, self.root.join(path), FileType::Fifo, mode, 0)?)
        }
        #[cfg(not(target_os = "linux"))]
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            path.display().to_string(),
        ))
    }

    /// Removes a directory of it, if it is there.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        there(fs::remove_dir_all(self.root.join(path))).map(drop)
    }

    /// Puts it into its place, by one rename.
    pub(crate) fn put(self) -> io::Result<()> {
        must_be_free(&self.to)?;
        // An empty directory gives way to another, and one that is not empty does not.
        fs::rename(&self.root, &self.to)
    }

    /// Returns the path at which it is made.
    pub(crate) fn path(&self) -> &Path {
        &self.root
    }
}

fn must_be_free(path: &Path) -> io::Result<()> {
    let is_empty = |dir: OpenDir| {
        dir.names(1)
            .is_ok_and(|names| names.is_empty())
    };
    if there(OpenDir::open(path))?.is_none_or(is_empty) {
        Ok(())
    } else {
        Err(io::Error::other("it is not empty"))
    }
}
