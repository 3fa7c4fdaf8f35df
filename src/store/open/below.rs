//! A path that the user gave -> the regular files at or below it, each opened beneath it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::OFlags;
use walkdir::WalkDir;

use super::dir::OpenDir;
use crate::store::path::directory_of;

/// A file that is open to be read.
pub(crate) type OpenFile = File;

/// A regular file at or below a path that the user gave.
#[derive(Clone)]
pub(crate) struct FileBelow {
    root: Arc<OpenDir>,
    /// Its path below the given directory.
    pub(crate) name: PathBuf,
    /// `true` if the user named the file itself.
    pub(crate) is_given: bool,
}

/// What changes with the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) modified: SystemTime,
    pub(crate) len: u64,
}

/// What is found at or below a path.
#[derive(Default)]
pub(crate) struct FilesBelow {
    /// The files, sorted by their paths.
    pub(crate) files: Vec<FileBelow>,
    /// The number of links, which are not followed.
    pub(crate) links: u64,
    /// The directories that can't be listed.
    pub(crate) faults: Vec<io::Error>,
}

impl FilesBelow {
    /// Finds the files at or below a path, but for those below `except` and in `.git`.
    pub(crate) fn of(given: &Path, except: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        if !given.metadata()?.is_dir() {
            found.files.push(FileBelow {
                root: OpenDir::open(directory_of(given))?.into(),
                name: given
                    .file_name()
                    .unwrap_or_default()
                    .into(),
                is_given: true,
            });
            return Ok(found);
        }

        let root = Arc::new(OpenDir::open(given)?);
        let except = except.canonicalize().ok();
        let is_wanted = |path: &Path| {
            let is_same = || path.canonicalize().ok() == except;
            !(path.ends_with(".git") || (except.is_some() && is_same()))
        };

        let walk = WalkDir::new(given)
            .sort_by_file_name()
            .into_iter();
        let is_entered = |entry: &walkdir::DirEntry| {
            entry.depth() == 0 || !entry.file_type().is_dir() || is_wanted(entry.path())
        };
        for entry in walk.filter_entry(is_entered) {
            match entry {
                Err(error) => found.faults.push(error.into()),
                Ok(entry) if entry.depth() > 0 && entry.path_is_symlink() => found.links += 1,
                Ok(entry) if entry.file_type().is_file() => found.files.push(FileBelow {
                    root: Arc::clone(&root),
                    name: (entry.path().strip_prefix(given))
                        .unwrap_or(entry.path())
                        .into(),
                    is_given: false,
                }),
                Ok(_) => {}
            }
        }

        Ok(found)
    }
}

impl FileBelow {
    /// Opens it beneath the given directory, through no link.
    pub(crate) fn open(&self) -> io::Result<OpenFile> {
        let mut dir = OpenDir::clone(&self.root);
        for part in self
            .name
            .parent()
            .into_iter()
            .flat_map(Path::components)
        {
            dir = dir.dir(part.as_os_str())?;
        }

        dir.file(
            self.name
                .file_name()
                .unwrap_or_default(),
            OFlags::RDONLY,
        )
    }

    /// Returns the file at a path from its directory, if that leads to no directory above.
    pub(crate) fn beside(&self, path: &str) -> Option<Self> {
        let path = Path::new(path);
        let is_name = |part| matches!(part, Component::Normal(_));
        path.components()
            .all(is_name)
            .then(|| Self {
                root: Arc::clone(&self.root),
                name: self.name.with_file_name(path),
                is_given: false,
            })
    }

    /// Returns its first bytes.
    pub(crate) fn beginning(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?
            .take(most)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns when it was last changed.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        Some(self.version()?.modified)
    }

    /// Returns what changes with its content.
    pub(crate) fn version(&self) -> Option<FileStamp> {
        let metadata = self.open().ok()?.metadata().ok()?;
        Some(FileStamp {
            modified: metadata.modified().ok()?,
            len: metadata.len(),
        })
    }

    /// Returns its path as the user would write it.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.path().join(&self.name)
    }
}
