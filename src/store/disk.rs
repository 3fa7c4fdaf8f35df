//! An episode's directory -> its listing and its artifacts, opened so that they can't lead
//! elsewhere.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::io::{self, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use rustix::fd::{AsFd as _, AsRawFd as _, OwnedFd};
#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{Access, AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;

use super::artifacts::{DigestSoFar, limit};
use super::listing::{Listing, entry_kind, open_dir};
use super::path::{self, display, is_nothing, tidy};
use super::stillness::{FileVersion, Movement, OpenedAt};
use super::{Artifacts, MAX_TIMELINE_BYTES, Opened, Unreadable, Version};
use crate::ground::digest::FileDigest;
use crate::ground::finding::{SealedFile, SealedFiles, Uncovered, UncoveredKind};
use crate::ground::parallel::locked;
use crate::ground::printable::in_address;
use crate::ground::source::{Artifact, Entries, EntryKind, EpisodeKey};

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
pub(crate) struct Directory {
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

impl Artifacts for Directory {
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

impl Directory {
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

    /// Returns it so that it keeps digests of the files that are read, for [`Directory::seal`].
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
            let read = self.read.as_ref()?.borrow();
            read.get(name)?.digest()
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

    /// Returns the content of what was opened by a name, which must be a regular file.
    fn opened(
        &self,
        name: &str,
        file: OwnedFd,
        version: FileVersion,
        limit: u64,
    ) -> Result<Opened<'static>, Unreadable> {
        let opened = opened(file, version, limit)?;
        let Some(read) = &self.read else {
            return Ok(opened);
        };
        let mut read = read.borrow_mut();
        let file = read
            .entry(name.to_owned())
            .or_insert_with(|| ReadFile {
                opened: OpenedAt::now(version),
                digest: Arc::default(),
            });

        Ok(opened.digested(Arc::clone(&file.digest)))
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
        let slot = self.opened.get(artifact as usize);
        if let Some(slot) = slot.filter(|slot| slot.get().is_none()) {
            slot.set(Some(OpenedAt::now(version)));
        }
    }

    /// Opens an artifact, which must be a regular file.
    pub(crate) fn open_file(&self, artifact: Artifact) -> Result<Opened<'static>, Unreadable> {
        // Opening a FIFO or a device can have an effect, so that it is refused afterwards is not
        // enough.
        if self.entries.kind(artifact) == Some(EntryKind::Special) {
            return Err(Unreadable::Special);
        }

        let file = self.open_any(artifact)?;
        let version = FileVersion::of(&file).map_err(Unreadable::from_errno)?;
        self.note_version(artifact, version);

        let limit = limit(artifact);
        if version.kind == EntryKind::File && version.bytes > limit {
            return Err(Unreadable::TooLarge(limit));
        }
        if self.entries.kind(artifact) == Some(EntryKind::Link) {
            return opened(file, version, limit);
        }

        self.opened(artifact.file_name(), file, version, limit)
    }

    /// Opens the file that an artifact's name leads to, but nothing outside of the directory.
    fn open_any(&self, artifact: Artifact) -> Result<OwnedFd, Unreadable> {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let is_link = self.entries.kind(artifact) == Some(EntryKind::Link);
        if is_link && matches!(self.links, LinkPolicy::Refused) {
            return Err(self.link(artifact, Unreadable::Link));
        }

        #[cfg(target_os = "linux")]
        if is_link {
            match open_regular(
                &self.dir,
                Path::new(artifact.file_name()),
                ResolveFlags::empty(),
            ) {
                // An old kernel or a sandbox does not support it: then links are not followed.
                Err(Errno::NOSYS | Errno::PERM) => {}
                Err(Errno::XDEV) => return self.open_in_store(artifact),
                Err(Errno::NOENT | Errno::LOOP) => {
                    return Err(self.link(artifact, Unreadable::Dangling));
                }
                other => return other.map_err(|errno| self.unreadable(errno)),
            }
        }

        // A name without a slash that is not a link can only lead into the directory.
        rustix::fs::openat(
            &self.dir,
            artifact.file_name(),
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
        )
        .map_err(|errno| self.unreadable(errno))
    }

    /// Opens the file in a store that an artifact leads to. Whatever is in its place by then,
    /// nothing but a file beneath the store is opened.
    #[cfg(target_os = "linux")]
    fn open_in_store(&self, artifact: Artifact) -> Result<OwnedFd, Unreadable> {
        let LinkPolicy::Beneath(store) = &self.links else {
            return Err(self.link(artifact, Unreadable::Outside));
        };
        // Opening a path alone has no effect on what is there.
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let target = rustix::fs::openat(&self.dir, artifact.file_name(), flags, Mode::empty())
            .map_err(|_| self.link(artifact, Unreadable::Dangling))?;
        let target = std::fs::read_link(format!("/proc/self/fd/{}", target.as_raw_fd()));
        let target = target.map_err(|_| Unreadable::Outside)?;
        let below = target.strip_prefix(store);
        let below = below.map_err(|_| Unreadable::Outside)?;
        let store = open_dir(store).map_err(Unreadable::from)?;

        open_regular(&store, below, ResolveFlags::NO_SYMLINKS)
            .map_err(|errno| self.unreadable(errno))
    }

    /// Returns why a link is not read: its file was not fetched into the store that it leads to, or
    /// else.
    fn link(&self, artifact: Artifact, otherwise: Unreadable) -> Unreadable {
        let name = artifact.file_name();
        let target = rustix::fs::readlinkat(&self.dir, name, Vec::new()).ok();
        let command = target.and_then(|target| fetching(&target.to_string_lossy()));
        let stat = || rustix::fs::statat(&self.dir, name, AtFlags::empty());
        let is_gone = || stat().is_err_and(|errno| is_nothing(&errno.into()));
        command
            .filter(|_| is_gone())
            .map_or(otherwise, Unreadable::NotFetched)
    }

    /// Opens a file by its path below the directory, one name after the other: none of them may be
    /// a symbolic link.
    fn open_beneath(&self, path: &str) -> Result<OwnedFd, Unreadable> {
        let mut dir = None;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let within = dir.as_ref().unwrap_or(&self.dir);
            let kind = FileVersion::of_entry(within, name).map(|it| it.kind);
            let is_last = names.peek().is_none();
            // What something can do when it is opened, it does even if it is refused afterwards.
            let flags = match (kind.map_err(|errno| self.unnamed(errno))?, is_last) {
                (EntryKind::Link, _) => return Err(Unreadable::Link),
                (EntryKind::Directory, false) => OFlags::RDONLY | OFlags::DIRECTORY,
                (_, false) => return Err(Unreadable::Vanished),
                (EntryKind::Directory, true) => return Err(Unreadable::Directory),
                (EntryKind::Special, true) => return Err(Unreadable::Special),
                (EntryKind::File, true) => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            };

            let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let opened = rustix::fs::openat(within, name, flags, Mode::empty());
            dir = Some(opened.map_err(|errno| self.unnamed(errno))?);
        }

        dir.ok_or(Unreadable::Directory)
    }

    /// Returns the reason why a file can't be opened by a name that is not in the listing.
    fn unnamed(&self, errno: Errno) -> Unreadable {
        match errno {
            Errno::NAMETOOLONG | Errno::NOTDIR | Errno::INVAL => Unreadable::Vanished,
            other => self.unreadable(other),
        }
    }

    fn unreadable(&self, errno: Errno) -> Unreadable {
        let why = Unreadable::from_errno(errno);
        if matches!(why, Unreadable::Lacking(_)) {
            self.lacking.set(Some(errno));
        }
        why
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
            if let Some(opened) = self
                .opened
                .get(artifact as usize)
                .and_then(Cell::get)
            {
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

/// The entries of the directory of an episode that are listed, at most, and the number of levels
/// below it.
const MAX_FILES: usize = 100_000;
const MAX_DEPTH: usize = 64;

/// The number of bytes that are read at a time, to take the digest of a file.
const PART: usize = 64 << 10;

/// An entry beneath a directory, which is no directory.
struct EntryBelow {
    path: PathBuf,
    kind: EntryKind,
}

impl EntryBelow {
    /// Returns the name in a seal; what a seal says of it, where it has no digest of it.
    fn sealed(self) -> Result<String, Uncovered> {
        let uncovered = |kind, name| Err(Uncovered { kind, name });
        let plain = path::sealable(&self.path).map(str::to_owned);
        let encoded = || in_address(path::bytes(&self.path)).to_string();

        match (self.kind, plain) {
            (EntryKind::File, Some(name)) => Ok(name),
            (EntryKind::Link, name) => uncovered(UncoveredKind::Link, name.unwrap_or_else(encoded)),
            (EntryKind::File, None) => uncovered(UncoveredKind::Name, encoded()),
            (_, name) => uncovered(UncoveredKind::Special, name.unwrap_or_else(encoded)),
        }
    }
}

/// Returns all entries beneath a directory but directories; no link is followed.
fn entries_below(top: &OwnedFd) -> Result<Result<Vec<EntryBelow>, Unreadable>, Errno> {
    let (mut entries, mut seen) = (Vec::new(), 0);
    let top = rustix::fs::openat(top, ".", DIRECTORY, Mode::empty())?;
    let mut open: Vec<(OwnedFd, PathBuf, Vec<CString>)> = Vec::new();
    let mut next = Some((top, PathBuf::new()));

    loop {
        if let Some((dir, prefix)) = next.take() {
            let mut below = Vec::new();
            for entry in Dir::read_from(&dir)? {
                let entry = entry?;
                let name = entry.file_name();
                if matches!(name.to_bytes(), b"." | b"..") {
                    continue;
                }

                seen += 1;
                match entry_kind(dir.as_fd(), name, entry.file_type()) {
                    _ if seen > MAX_FILES => return Ok(Err(Unreadable::TooManyFiles(MAX_FILES))),
                    EntryKind::Directory => below.push(name.to_owned()),
                    kind => {
                        let path = prefix.join(OsStr::from_bytes(name.to_bytes()));
                        entries.push(EntryBelow { path, kind });
                    }
                }
            }

            open.push((dir, prefix, below));
        }

        let depth = open.len();
        let Some((dir, prefix, below)) = open.last_mut() else {
            return Ok(Ok(entries));
        };

        match below.pop() {
            None => drop(open.pop()),
            Some(_) if depth > MAX_DEPTH => {
                let why = format!("it has more than {MAX_DEPTH} levels of directories");
                return Ok(Err(Unreadable::Other(why)));
            }
            Some(name) => {
                let prefix = prefix.join(OsStr::from_bytes(name.to_bytes()));
                match rustix::fs::openat(&*dir, &name, DIRECTORY, Mode::empty()) {
                    Ok(below) => next = Some((below, prefix)),
                    Err(Errno::NOENT) => {}
                    Err(errno) => return Err(errno),
                }
            }
        }
    }
}

/// How a directory is opened that is no link.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);

/// Returns the content of what was opened, which must be a regular file.
fn opened(file: OwnedFd, version: FileVersion, limit: u64) -> Result<Opened<'static>, Unreadable> {
    match version.kind {
        EntryKind::File => Ok(Opened::from_file(file.into(), version.bytes, limit)),
        EntryKind::Directory => Err(Unreadable::Directory),
        EntryKind::Link | EntryKind::Special => Err(Unreadable::Special),
    }
}

/// Opens a regular file beneath a directory, by no link that leads out of it.
#[cfg(target_os = "linux")]
fn open_regular(dir: &OwnedFd, path: &Path, resolve: ResolveFlags) -> Result<OwnedFd, Errno> {
    let resolve = resolve | ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let open = |flags| rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve);
    // Opening a FIFO or a device can have an effect.
    let target = open(OFlags::PATH | OFlags::CLOEXEC)?;
    if FileVersion::of(&target)?.kind == EntryKind::Special {
        return Err(Errno::NXIO);
    }

    open(OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY)
}

/// Returns the command that fetches the file of a link into the store of a tool.
fn fetching(target: &str) -> Option<&'static str> {
    [
        (".git/annex/objects/", "git annex get"),
        (".dvc/cache/", "dvc pull"),
        ("/nix/store/", "nix-store --realise"),
        ("/execroot/", "bazel build"),
        ("bazel-out/", "bazel build"),
    ]
    .iter()
    .find(|(store, _)| target.contains(store))
    .map(|(_, command)| *command)
}
