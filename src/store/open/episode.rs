//! An episode's directory -> its listing and its artifacts, opened so that they can't lead
//! elsewhere.

mod listed;
mod opening;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use listed::{EntryBelow, entries_below};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Access, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::listing::{Listing, open_dir};
use super::stillness::{FileVersion, Movement, OpenedAt};
use crate::ground::Own;
use crate::ground::digest::FileDigest;
use crate::ground::finding::{SealedFile, SealedFiles};
use crate::ground::parallel::locked;
use crate::ground::source::{Artifact, Entries, EntryKind, EpisodeKey};
use crate::store::path::{display, tidy};
use crate::store::read::{Artifacts, DigestSoFar, MAX_TIMELINE_BYTES, Opened, Unreadable, Version};

/// An episode's directory, as found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EpisodeDir {
    /// The path as the user would type it.
    pub path: PathBuf,
    /// The directory's name, if it is the episode's id: below a directory called `episodes`.
    pub id: Option<String>,
    /// The directory's name in any case.
    pub name: String,
    /// The artifacts that it lists.
    pub entries: Entries,
    /// The given path that it is below.
    pub(crate) within: Option<Arc<Path>>,
}

impl EpisodeDir {
    /// Returns the key that identifies it in a report.
    #[must_use]
    pub fn key(&self) -> EpisodeKey {
        EpisodeKey::Dir(self.path.clone())
    }

    /// Lists the directory again.
    pub(crate) fn list_again(&mut self) -> io::Result<()> {
        self.entries = Listing::of(self.opened()?.as_fd())?.entries;
        Ok(())
    }

    /// Returns what is at a path below a directory, as an episode that was not listed.
    pub(crate) fn below(dir: &Path, path: PathBuf) -> Self {
        Self {
            path,
            id: None,
            name: String::new(),
            entries: Entries::default(),
            within: Some(dir.into()),
        }
    }

    /// Returns the episode as one that is below a given path.
    pub(crate) fn beneath(self, given: &Path) -> Self {
        let within = Some(tidy(given).into());
        Self { within, ..self }
    }

    /// Opens it. Below the given path, nothing on the way may be a link: one may have taken the
    /// place of a directory since that was found.
    fn opened(&self) -> io::Result<OwnedFd> {
        let Some(given) = &self.within else {
            return open_dir(&self.path);
        };
        self.path
            .strip_prefix(given)
            .unwrap_or(&self.path)
            .components()
            .try_fold(open_dir(given)?, |dir, name| {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
                let name = name.as_os_str();
                Ok(rustix::fs::openat(dir, name, flags, Mode::empty())?)
            })
    }
}

/// The places to which an artifact that is a symbolic link may lead.
#[derive(Clone, Debug, Default)]
pub(crate) enum LinkPolicy {
    /// Links are not followed.
    #[default]
    Refused,
    /// To files of the episode.
    Inside,
    /// To files of the episode, and to those beneath a directory: a store that tools make links
    /// into. Its path is the real one.
    Beneath(PathBuf),
}

/// An open directory of an episode.
pub(crate) struct OpenEpisode {
    dir: OwnedFd,
    entries: Entries,
    links: LinkPolicy,
    /// The version of each artifact when it was opened, and when that was.
    opened: [Cell<Option<OpenedAt>>; Artifact::ALL.len()],
    /// Other files that must be still, each with its version before any was read.
    others: Vec<(Arc<str>, Option<OpenedAt>)>,
    /// The error where the machine lacked a resource to open one.
    lacking: Cell<Option<Errno>>,
    /// The files that were opened, by their names, where they are to be sealed.
    read: Option<RefCell<BTreeMap<String, ReadFile>>>,
}

/// A file that is read, to be sealed.
struct ReadFile {
    opened: OpenedAt,
    digest: Arc<Mutex<DigestSoFar>>,
}

impl ReadFile {
    /// Returns the digest, once all is read.
    fn digest(&self) -> Option<FileDigest> {
        locked(&self.digest).of(self.opened.version.bytes)
    }
}

impl Artifacts for OpenEpisode {
    fn entries(&self) -> Entries {
        self.entries
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        self.open_file(artifact)
    }

    fn probe(&self, artifact: Artifact) -> Result<(), Unreadable> {
        match self.entries.kind(artifact) {
            Some(EntryKind::Link) if matches!(self.links, LinkPolicy::Refused) => {
                Err(self.link(artifact, Unreadable::Link))
            }
            // Whether a link leads to a readable file shows when it is opened.
            Some(EntryKind::Link) => self.open_file(artifact).map(drop),
            Some(EntryKind::Directory) => Err(Unreadable::Directory),
            Some(EntryKind::Special) => Err(Unreadable::Special),
            _ => Ok(rustix::fs::accessat(
                &self.dir,
                artifact.file_name(),
                Access::READ_OK,
                AtFlags::EACCESS,
            )
            .map_err(Unreadable::from_errno)?),
        }
    }

    fn is_empty(&self, artifact: Artifact) -> Result<bool, Unreadable> {
        if self.entries.kind(artifact) != Some(EntryKind::File) {
            return self.open_file(artifact)?.is_empty();
        }

        // One system call instead of four.
        let version = FileVersion::of_entry(&self.dir, artifact.file_name())
            .map_err(Unreadable::from_errno)?;
        self.note_version(artifact, version);

        match version.kind {
            EntryKind::File => Ok(version.bytes == 0),
            _ => Err(Unreadable::Special),
        }
    }

    fn open_named(&self, path: &str) -> Result<Opened<'_>, Unreadable> {
        let file = self.open_beneath(path)?;
        let version = FileVersion::of(&file).map_err(Unreadable::from_errno)?;
        if let Some(artifact) = Artifact::from_file_name(path) {
            self.note_version(artifact, version);
        }

        self.opened(path, file, version, MAX_TIMELINE_BYTES)
    }

    fn file_names(&self) -> Result<Vec<String>, Unreadable> {
        let mut names: Vec<String> = self
            .entries_below()?
            .into_iter()
            .filter(|it| it.kind == EntryKind::File)
            .map(|it| display(&it.path))
            .collect();
        names.sort_unstable();

        Ok(names)
    }

    fn version(&self, artifact: Artifact) -> Option<Version> {
        Some(
            self.entry(artifact.file_name())
                .ok()?
                .tag(),
        )
    }
}

impl OpenEpisode {
    /// Opens an episode's directory.
    pub(crate) fn open(episode: &EpisodeDir, links: LinkPolicy) -> io::Result<Self> {
        let dir = episode.opened()?;
        Ok(Self::new(dir, episode.entries, links))
    }

    /// Returns a directory that is open, and what it lists.
    pub(super) fn new(dir: OwnedFd, entries: Entries, links: LinkPolicy) -> Self {
        Self {
            dir,
            entries,
            links,
            opened: Default::default(),
            others: Vec::new(),
            lacking: Cell::new(None),
            read: None,
        }
    }

    /// Returns it so that it keeps digests of the files that are read, for [`OpenEpisode::seal`].
    pub(crate) fn sealing(self) -> Self {
        Self {
            read: Some(RefCell::default()),
            ..self
        }
    }

    /// Returns all entries beneath it but directories; no link is followed.
    fn entries_below(&self) -> Result<Vec<EntryBelow>, Unreadable> {
        entries_below(&self.dir).map_err(|errno| self.unreadable(errno))?
    }

    /// Returns its files: those that were judged as they were read, and the others as they are.
    /// Only the names of those that were judged, where the run has not ended.
    ///
    /// # Errors
    ///
    /// The first file that can't be read, with the reason.
    pub(crate) fn seal(&self, has_ended: bool) -> io::Result<SealedFiles> {
        let read = self.read.as_ref().map(RefCell::borrow);
        let judged = read
            .iter()
            .flat_map(|read| read.keys().cloned())
            .collect();
        drop(read);

        let sealed = if has_ended {
            self.files(|_| true)?
        } else {
            SealedFiles::default()
        };

        Ok(SealedFiles { judged, ..sealed })
    }

    /// Returns its files, with the digests of those that are wanted.
    ///
    /// # Errors
    ///
    /// The first file that can't be read, with the reason.
    pub(crate) fn files(&self, is_wanted: impl Fn(&str) -> bool) -> io::Result<SealedFiles> {
        let mut sealed = SealedFiles::default();
        for entry in self
            .entries_below()
            .map_err(io::Error::other)?
        {
            match entry.sealed() {
                Ok(name) if !is_wanted(&name) => sealed.others.push(name),
                Ok(name) => {
                    let digest = self
                        .digest(&name)
                        .map_err(|why| io::Error::other(format!("{name}: {why}")))?;
                    sealed
                        .files
                        .push(SealedFile { name, digest });
                }
                Err(uncovered) => sealed.uncovered.push(uncovered),
            }
        }

        sealed
            .files
            .sort_unstable_by(|a, b| a.name.cmp(&b.name));
        sealed.uncovered.sort_unstable();

        Ok(sealed)
    }

    /// Returns the digest of a file: what was not read of it before is read now.
    fn digest(&self, name: &str) -> Result<FileDigest, Unreadable> {
        let known = || {
            self.read
                .as_ref()?
                .borrow()
                .get(name)?
                .digest()
        };

        if let Some(digest) = known() {
            return Ok(digest);
        }

        let rest = self.open_named(name)?;
        // What is reserved is also filled with zeros, which takes as long as a small file.
        let capacity = rest
            .size()
            .and_then(|size| usize::try_from(size).ok())
            .unwrap_or(PART)
            .min(PART);
        io::copy(
            &mut BufReader::with_capacity(capacity, rest),
            &mut io::sink(),
        )?;

        known().ok_or(Unreadable::Vanished)
    }

    /// Notes other files that must be still, before they are read.
    pub(crate) fn with_others<'n>(mut self, names: impl Iterator<Item = &'n Arc<str>>) -> Self {
        let now = |name: &str| self.entry(name).ok().map(OpenedAt::now);
        self.others = names
            .map(|name| (Arc::clone(name), now(name)))
            .collect();
        self
    }

    /// Returns the version of an entry, which may be a link.
    fn entry(&self, name: &str) -> Result<FileVersion, Errno> {
        FileVersion::of_entry(&self.dir, name)
    }

    /// Keeps the version in which an artifact is read. If it is read twice, the first one counts.
    fn note_version(&self, artifact: Artifact, version: FileVersion) {
        let slot = self.opened.own(artifact as usize);
        if slot.get().is_none() {
            slot.set(Some(OpenedAt::now(version)));
        }
    }

    /// Returns what the machine lacked to open an artifact: no fault of the episode.
    pub(crate) fn lacking(&self) -> Option<io::Error> {
        self.lacking.get().map(io::Error::from)
    }

    /// Returns the changes since the artifacts were read, and those in progress.
    pub(crate) fn movement(&self, episode: &EpisodeDir) -> Movement {
        let mut movement = Movement::at(SystemTime::now());
        if let Ok(opened) = FileVersion::of(&self.dir) {
            let is = rustix::fs::stat(&episode.path).ok();
            movement.directory(opened, is.as_ref().map(FileVersion::from));
        }

        for artifact in Artifact::ALL {
            let name = artifact.file_name();
            let listed = self.entries.kind(artifact);
            let entry = self.entry(name);
            let kind = match entry {
                Ok(entry) => Some(entry.kind),
                Err(Errno::NOENT) => None,
                // What can't be looked at has not vanished.
                Err(_) => listed,
            };

            movement.entry(artifact, listed, kind);
            if let Some(opened) = self.opened.own(artifact as usize).get() {
                let target = || rustix::fs::statat(&self.dir, name, AtFlags::empty()).ok();
                let is = match kind {
                    Some(EntryKind::Link) => target().as_ref().map(FileVersion::from),
                    _ => entry.ok(),
                };
                movement.file(artifact, opened, is);
            }
        }

        for (name, before) in &self.others {
            movement.other_file(*before, self.entry(name).ok());
        }

        if let Some(read) = &self.read {
            for (name, file) in &*read.borrow() {
                movement.other_file(Some(file.opened), self.entry(name).ok());
            }
        }

        movement
    }
}

/// The number of bytes that are read at a time, to take the digest of a file.
const PART: usize = 64 << 10;
