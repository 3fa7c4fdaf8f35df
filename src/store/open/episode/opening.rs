//! The name of a file in an episode's directory -> the file, opened so that the name can't lead
//! elsewhere.

#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::Arc;

#[cfg(target_os = "linux")]
use rustix::fd::AsRawFd as _;
use rustix::fd::OwnedFd;
#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

#[cfg(target_os = "linux")]
use super::super::listing::open_dir;
use super::super::stillness::{FileVersion, OpenedAt};
use super::{LinkPolicy, OpenEpisode, ReadFile};
use crate::ground::source::{Artifact, EntryKind};
use crate::store::path::is_nothing;
use crate::store::read::{Opened, Unreadable, limit};

impl OpenEpisode {
    /// Returns the content of what was opened by a name, which must be a regular file.
    pub(super) fn opened(
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
    pub(super) fn open_any(&self, artifact: Artifact) -> Result<OwnedFd, Unreadable> {
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
    pub(super) fn open_in_store(&self, artifact: Artifact) -> Result<OwnedFd, Unreadable> {
        let LinkPolicy::Beneath(store) = &self.links else {
            return Err(self.link(artifact, Unreadable::Outside));
        };
        // Opening a path alone has no effect on what is there.
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let target = rustix::fs::openat(&self.dir, artifact.file_name(), flags, Mode::empty())
            .map_err(|_| self.link(artifact, Unreadable::Dangling))?;
        let target = std::fs::read_link(format!("/proc/self/fd/{}", target.as_raw_fd()))
            .map_err(|_| Unreadable::Outside)?;
        let below = target
            .strip_prefix(store)
            .map_err(|_| Unreadable::Outside)?;
        let store = open_dir(store).map_err(Unreadable::from)?;

        open_regular(&store, below, ResolveFlags::NO_SYMLINKS)
            .map_err(|errno| self.unreadable(errno))
    }

    /// Returns why a link is not read: its file was not fetched into the store that it leads to, or
    /// else.
    pub(super) fn link(&self, artifact: Artifact, otherwise: Unreadable) -> Unreadable {
        let name = artifact.file_name();
        let command = rustix::fs::readlinkat(&self.dir, name, Vec::new())
            .ok()
            .and_then(|target| fetching(&target.to_string_lossy()));
        let stat = || rustix::fs::statat(&self.dir, name, AtFlags::empty());
        let is_gone = || stat().is_err_and(|errno| is_nothing(&errno.into()));
        command
            .filter(|_| is_gone())
            .map_or(otherwise, Unreadable::NotFetched)
    }

    /// Opens a file by its path below the directory, one name after the other: none of them may be
    /// a symbolic link.
    pub(super) fn open_beneath(&self, path: &str) -> Result<OwnedFd, Unreadable> {
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
    pub(super) fn unnamed(&self, errno: Errno) -> Unreadable {
        match errno {
            Errno::NAMETOOLONG | Errno::NOTDIR | Errno::INVAL => Unreadable::Vanished,
            other => self.unreadable(other),
        }
    }

    pub(super) fn unreadable(&self, errno: Errno) -> Unreadable {
        let why = Unreadable::from_errno(errno);
        if matches!(why, Unreadable::Lacking(_)) {
            self.lacking.set(Some(errno));
        }
        why
    }
}

/// Returns the content of what was opened, which must be a regular file.
pub(super) fn opened(
    file: OwnedFd,
    version: FileVersion,
    limit: u64,
) -> Result<Opened<'static>, Unreadable> {
    match version.kind {
        EntryKind::File => Ok(Opened::from_file(file.into(), version.bytes, limit)),
        EntryKind::Directory => Err(Unreadable::Directory),
        EntryKind::Link | EntryKind::Special => Err(Unreadable::Special),
    }
}

/// Opens a regular file beneath a directory, by no link that leads out of it.
#[cfg(target_os = "linux")]
pub(super) fn open_regular(
    dir: &OwnedFd,
    path: &Path,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
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
pub(super) fn fetching(target: &str) -> Option<&'static str> {
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
