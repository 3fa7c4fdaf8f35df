//! The directory of a run -> all that is in it, opened beneath it; and a tree that is made beside
//! its place and put there by one rename.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::path::directory_of;
use super::stillness::FileVersion;
use super::{EpisodeDir, FileSystem, OpenDir, OpenFile, resolved};
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
                    TreeEntry::Link(std::ffi::OsString::from_vec(target.into_bytes()).into())
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
    pub(crate) fn file(&self, path: &Path) -> io::Result<OpenFile> {
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
        super::open_or_make(&FileSystem, around)?;

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
        match fs::remove_dir_all(self.root.join(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
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
    match OpenDir::open(path) {
        Ok(dir)
            if dir
                .names(1)
                .is_ok_and(|names| names.is_empty()) =>
        {
            Ok(())
        }
        Ok(_) => Err(io::Error::other("it is not empty")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The number of bytes of a file with a secret that are read, at most.
pub(crate) const SECRET_FILE_BYTES: usize = 4 << 10;

/// Reads a file that only its owner may read; `None` where there is none. One byte more than the
/// limit shows that it has more.
pub(crate) fn read_secret_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    // Opening a FIFO would wait for its other end.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };

    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }

    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let why =
            format!("others may read it (mode {mode:04o}): `chmod 600` makes it its owner's alone");
        return Err(io::Error::other(why));
    }

    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }

    let mut content = Vec::new();
    file.take(SECRET_FILE_BYTES as u64 + 1)
        .read_to_end(&mut content)?;

    Ok(Some(content))
}

/// Makes a file that only its owner may read, and that must not exist.
pub(crate) fn make_secret_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;

    file.write_all(content)
}
