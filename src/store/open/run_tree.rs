//! The directory of a run -> all that is in it, opened beneath it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::dir::OpenDir;
use super::episode::EpisodeDir;
use super::stillness::FileVersion;
use crate::ground::source::{Artifact, EntryKind};

/// The entries of a run that are copied, at most, and the levels of its directories.
const MAX_ENTRIES: usize = 100_000;
const MAX_LEVELS: usize = 64;

/// An entry of the directory of a run, or of one below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeEntry {
    Directory,
    File,
    /// A link, with the path that it holds.
    Link(PathBuf),
    /// A FIFO, a socket or a device.
    Special,
}

/// All that is in the directory of a run.
pub(crate) struct RunTree {
    dir: OpenDir,
    /// The entries by their paths: a directory comes before what is in it.
    pub(crate) entries: BTreeMap<PathBuf, TreeEntry>,
    versions: BTreeMap<PathBuf, FileVersion>,
    /// Holds the lock of the timeline, if it could be opened.
    _lock: Option<File>,
}

impl RunTree {
    /// Opens the directory of a run and lists it; `None` where another process writes it.
    pub(crate) fn open(episode: &EpisodeDir) -> io::Result<Option<Self>> {
        let dir = match &episode.within {
            None => OpenDir::open(&episode.path)?,
            Some(given) => {
                let below = episode
                    .path
                    .strip_prefix(given)
                    .unwrap_or(Path::new(""));
                let given = OpenDir::open(given)?;
                below
                    .iter()
                    .try_fold(given, |dir, name| dir.dir(name))?
            }
        };

        let timeline = dir
            .file(Artifact::Events.file_name(), OFlags::RDONLY)
            .ok();
        if let Some(Err(TryLockError::WouldBlock)) = timeline
            .as_ref()
            .map(File::try_lock_shared)
        {
            return Ok(None);
        }

        let mut tree = Self {
            dir: dir.clone(),
            entries: BTreeMap::new(),
            versions: BTreeMap::new(),
            _lock: timeline,
        };

        tree.list(&dir, Path::new(""), 0)?;
        Ok(Some(tree))
    }

    fn list(&mut self, dir: &OpenDir, at: &Path, level: usize) -> io::Result<()> {
        if level > MAX_LEVELS {
            let why = format!("it has more than {MAX_LEVELS} levels of directories");
            return Err(io::Error::other(why));
        }

        let mut names = dir.names(MAX_ENTRIES.saturating_sub(self.entries.len()))?;
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in names {
            let path = at.join(&name);
            let entry = match kind {
                EntryKind::Directory => TreeEntry::Directory,
                EntryKind::File => TreeEntry::File,
                EntryKind::Special => TreeEntry::Special,
                EntryKind::Link => {
                    let target = rustix::fs::readlinkat(dir.fd(), &name, Vec::new())?;
                    TreeEntry::Link(OsString::from_vec(target.into_bytes()).into())
                }
            };

            if let Some(version) = dir.version(Path::new(&name)) {
                self.versions
                    .insert(path.clone(), version);
            }

            let is_directory = entry == TreeEntry::Directory;
            self.entries.insert(path.clone(), entry);
            if is_directory {
                self.list(&dir.dir(&name)?, &path, level + 1)?;
            }
        }

        Ok(())
    }

    /// Opens a file by its path, through no link.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        let (dir, name) = self.around(path)?;
        dir.file(name, OFlags::RDONLY)
    }

    /// Reads a file of at most a number of bytes; `None` where it has more.
    pub(crate) fn read(&self, path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
        let mut content = Vec::new();
        let file = self.file(path)?.take(most as u64 + 1);
        { file }.read_to_end(&mut content)?;
        Ok(Some(content).filter(|content| content.len() <= most))
    }

    fn around<'p>(&self, path: &'p Path) -> io::Result<(OpenDir, &'p Path)> {
        let dir = path
            .parent()
            .unwrap_or(Path::new(""))
            .iter()
            .try_fold(self.dir.clone(), |dir, name| dir.dir(name))?;

        Ok((dir, Path::new(path.file_name().unwrap_or_default())))
    }

    /// Returns `true` if nothing in it has changed since it was opened.
    pub(crate) fn stood_still(&self) -> bool {
        let is_same = |(path, version): (&PathBuf, &FileVersion)| {
            let now = self
                .around(path)
                .ok()
                .and_then(|(dir, name)| dir.version(name));
            // Reading a directory changes nothing of it.
            now == Some(*version)
        };

        self.dir.is_in_place() && self.versions.iter().all(is_same)
    }
}
