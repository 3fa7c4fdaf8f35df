//! A run -> a directory in which it is made, and from there its place, by one rename.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, RenameFlags};
use rustix::io::Errno;

use super::disk::{FileSystem, make_unless_there, open_or_make};
use crate::ground::source::EPISODES;
use crate::store::open::OpenDir;
use crate::store::path::there;
use crate::store::read::MAX_RECORD_BYTES;

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
        let (above, _) = open_or_make(&FileSystem, dir)?;
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
    let (to, _) = open_or_make(&FileSystem, to)?;
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
        let (above, _) = open_or_make(&FileSystem, runs)?;
        let name = format!(".hook-{id}");
        make_unless_there(&FileSystem, &above, OsStr::new(&name))?;

        let Some(dir) = there(above.dir(&name))? else {
            return Ok(None);
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
        there(std::fs::remove_dir_all(path.join(EPISODES)))?;

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
