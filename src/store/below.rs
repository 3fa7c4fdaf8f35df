//! A path that the user gave -> the regular files at or below it, each opened beneath it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fd::AsFd;
use rustix::fs::{FlockOperation, OFlags, RenameFlags};
use rustix::io::Errno;
use walkdir::WalkDir;

use super::path::directory_of;
use super::{FileSystem, MAX_RECORD_BYTES, OpenDir};
use crate::ground::source::EPISODES;

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
pub(crate) struct FileVersion {
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
    pub(crate) fn version(&self) -> Option<FileVersion> {
        let metadata = self.open().ok()?.metadata().ok()?;
        Some(FileVersion {
            modified: metadata.modified().ok()?,
            len: metadata.len(),
        })
    }

    /// Returns its path as the user would write it.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.path().join(&self.name)
    }
}

/// A directory in which others are made before they are put into their places. It is removed when
/// this is dropped.
pub(crate) struct Scratch {
    made: tempfile::TempDir,
    /// Holds the lock.
    _dir: OpenDir,
}

/// The start of the name of such a directory.
const SCRATCH: &str = ".import-";

impl Scratch {
    /// Makes one below a directory, which is made where it is missing: what is renamed has to be on
    /// the same file system. What a process left that was killed is removed.
    pub(crate) fn below(dir: &Path) -> io::Result<Self> {
        let (above, _) = super::open_or_make(&FileSystem, dir)?;
        let left = dir
            .read_dir()?
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|name| {
                name.as_encoded_bytes()
                    .starts_with(SCRATCH.as_bytes())
            });
        for name in left {
            // One that is locked is in use; what can't be removed stays.
            let locked = above
                .dir(&name)
                .ok()
                .filter(|left| lock(left).is_ok());
            if locked.is_some() {
                let _ = std::fs::remove_dir_all(dir.join(&name));
            }

            drop(locked);
        }

        loop {
            let made = tempfile::Builder::new()
                .prefix(SCRATCH)
                .tempdir_in(dir)?;
            let locked = OpenDir::open(made.path()).and_then(|it| lock(&it).map(|()| it));
            match locked {
                Ok(locked) if locked.is_in_place() => return Ok(Self { made, _dir: locked }),
                // Another process took it for one that was left.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.made.path()
    }
}

/// Locks a directory, as long as it is open.
fn lock(dir: &OpenDir) -> io::Result<()> {
    Ok(rustix::fs::flock(
        dir.fd(),
        FlockOperation::NonBlockingLockExclusive,
    )?)
}

/// Puts a directory into the place of a name in another one, by one rename. What was there is then
/// where the directory was.
pub(crate) fn put_dir(from: &Path, to: &Path, name: &str) -> io::Result<()> {
    let from = OpenDir::open(from)?;
    let (to, _) = super::open_or_make(&FileSystem, to)?;
    let rename = |flags| rustix::fs::renameat_with(from.fd(), name, to.fd(), name, flags);
    let flags = if to.has(name) {
        RenameFlags::EXCHANGE
    } else {
        RenameFlags::NOREPLACE
    };

    match rename(flags) {
        // This file system can't do it in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if to.has(name) {
                let aside = format!("{name}.old");
                rustix::fs::renameat(to.fd(), name, from.fd(), aside)?;
            }
            Ok(rustix::fs::renameat(from.fd(), name, to.fd(), name)?)
        }
        renamed => Ok(renamed?),
    }
}

/// A directory beside the runs, in which the run with an id is made, and into which it is removed,
/// by one process at a time. It is removed when this is dropped.
pub(crate) struct Workshop {
    runs: PathBuf,
    path: PathBuf,
    /// Holds the lock.
    _dir: OpenDir,
}

impl Workshop {
    /// Makes the one of a run; `None` while another process has it. What a process left that was
    /// killed is removed.
    pub(crate) fn take(runs: &Path, id: &str) -> io::Result<Option<Self>> {
        let (above, _) = super::open_or_make(&FileSystem, runs)?;
        let name = format!(".hook-{id}");
        super::make_unless_there(&FileSystem, &above, OsStr::new(&name))?;

        let dir = match above.dir(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            dir => dir?,
        };

        match lock(&dir) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            locked => locked?,
        }

        // Another process may have removed it meanwhile.
        if !dir.is_in_place() {
            return Ok(None);
        }

        let path = runs.join(name);
        match std::fs::remove_dir_all(path.join(EPISODES)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }

        Ok(Some(Self {
            runs: runs.to_owned(),
            path,
            _dir: dir,
        }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the run that was made in it into its place, which has no run.
    pub(crate) fn put(&self, id: &str) -> io::Result<()> {
        put_dir(&self.path.join(EPISODES), &self.runs.join(EPISODES), id)
    }

    /// Removes the run from its place.
    pub(crate) fn remove(&self, id: &str) -> io::Result<()> {
        put_dir(&self.runs.join(EPISODES), &self.path.join(EPISODES), id)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What stays is removed by the next one.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Returns `true` if a directory has nothing but what a run has before its first event is written,
/// or does not exist.
pub(crate) fn is_before_run(path: &Path) -> bool {
    let dir = match OpenDir::open(path) {
        Err(error) => return error.kind() == io::ErrorKind::NotFound,
        Ok(dir) => dir,
    };

    let has_no_line = |name: &OsString| {
        let is_of_run = name == "events.jsonl" || name == "learn.jsonl";
        let content = dir.read(name, MAX_RECORD_BYTES);
        is_of_run && content.is_ok_and(|content| !content.contains(&b'\n'))
    };

    dir.names(2).is_ok_and(|names| {
        names
            .iter()
            .all(|(name, _)| has_no_line(name))
    })
}

/// Returns a path in which the links are resolved, as far as it exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| {
            let rest = path.strip_prefix(above).ok()?;
            Some(above.canonicalize().ok()?.join(rest))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// Returns `true` if nobody reads what is written to a file: it is the null device, which also
/// takes the place of a standard output that is closed.
pub(crate) fn is_null_device(file: impl AsFd) -> bool {
    let null = rustix::fs::stat("/dev/null").map(|null| null.st_rdev);
    let device = rustix::fs::fstat(file).map(|file| file.st_rdev);
    null.is_ok_and(|null| null != 0 && device == Ok(null))
}

/// Returns the beginning of a file of a run, as far as a number of bytes.
pub(crate) fn beginning_of(run: &Path, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    OpenDir::open(run)?
        .file(name, OFlags::RDONLY)?
        .take(most)
        .read_to_end(&mut content)?;

    Ok(content)
}
