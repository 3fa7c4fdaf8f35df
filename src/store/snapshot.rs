//! The directories that a walk saw -> their listings again, and where they differ now.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, CWD};

use super::disk::EpisodeDir;
use super::listing::{Listing, OtherNames, list};
use super::nature;
use super::path::{is_artifact, is_nothing, join};
use super::stillness::FileVersion;
use super::tree::{Dir, Tree};
use crate::ground::parallel::locked;
use crate::ground::source::{Artifact, EPISODES, EntryKind};

/// The directories of a tree as they were last seen, by their paths from the root on.
#[derive(Default)]
pub(super) struct Snapshot {
    /// By the bytes of their paths, which are compared faster than paths are.
    directories: BTreeMap<OsString, SeenDirectory>,
    /// The directories that were listed for the first time, or in which an artifact may differ.
    pub(super) touched: BTreeSet<PathBuf>,
    /// `true` if a walk may find something else than the last one.
    pub(super) is_stale: bool,
}

/// The state of a directory when it was last seen.
struct SeenDirectory {
    /// The device, and the number of the directory on it.
    identity: Option<(u64, u64)>,
    /// `true` if it may be listed, and what is in it be looked at.
    is_open: bool,
    /// Its entries, sorted, or the number of the error; no other files where there are artifacts.
    listing: Result<Listing, i32>,
    /// The versions of the artifacts, and of the links, as far as they may be looked at.
    artifacts: Vec<Option<FileVersion>>,
    links: Vec<Option<FileVersion>>,
    /// `true` if an artifact was written just now: another write may leave the same version behind.
    is_fresh: bool,
    /// The answer to what a walk asked of the content of a record.
    content: Option<bool>,
}

/// The tree of a disk, of which each directory is listed once.
pub(super) struct SeenTree<'s> {
    pub(super) seen: &'s Mutex<Snapshot>,
    /// The function that is called with each directory before it is listed.
    /// Called with each directory before it is listed, by its path from the root on.
    pub(super) listen: &'s (dyn Fn(&Path) + Sync),
}

impl SeenTree<'_> {
    /// Answers a question about a record, which is read once.
    fn ask(&self, dir: &Dir, question: fn(&EpisodeDir) -> bool) -> bool {
        let below = dir.below();
        // Let go before the answer is looked for, which takes the lock again.
        let known = locked(self.seen)
            .get(&below)
            .and_then(|it| it.content);

        known.unwrap_or_else(|| {
            let answer = question(&dir.episode());
            if let Some(seen) = locked(self.seen)
                .directories
                .get_mut(below.as_os_str())
            {
                seen.content = Some(answer);
            }
            answer
        })
    }
}

impl Tree for SeenTree<'_> {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        let below = dir.below();
        if let Some(known) = locked(self.seen).get(&below) {
            return known.listing();
        }

        (self.listen)(&below);
        let is = SeenDirectory::at(&dir.path());
        let (listing, mut seen) = (is.listing(), locked(self.seen));
        seen.touched.insert(below.clone());
        seen.directories
            .insert(below.into_os_string(), is);

        listing
    }

    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        let listing = self.list(dir);
        let is_open = locked(self.seen)
            .get(&dir.below())
            .is_some_and(|it| it.is_open);

        match listing {
            Ok(listing) if is_open => Ok(listing.entries.has(Artifact::Events)),
            _ => nature::holds_timeline(&dir.path()),
        }
    }

    fn is_foreign(&self, dir: &Dir) -> bool {
        self.ask(dir, nature::is_foreign)
    }

    fn names_run(&self, dir: &Dir) -> bool {
        self.ask(dir, nature::names_run)
    }
}

/// The numbers of file systems that report no changes by others: NFS, SMB, CIFS, FUSE and virtiofs,
/// 9p, AFS, Ceph, Lustre, GPFS, GFS2, OCFS2, and shared folders of `VirtualBox` and `VMware`.
#[cfg(target_os = "linux")]
const SILENT: [u32; 15] = [
    0x6969,
    0x517B,
    0xFE53_4D42,
    0xFF53_4D42,
    0x6573_5546,
    0x0102_1997,
    0x5346_414F,
    0x6B41_4653,
    0x00C3_6400,
    0x0BD0_0BD0,
    0x4750_4653,
    0x0116_1970,
    0x7461_636F,
    0x786F_4256,
    0xBACB_ACBC,
];

/// Returns `true` if the file system of a directory, or one that is mounted below it, is known not
/// to report what others change.
pub(crate) fn reports_no_changes(dir: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return std::iter::once(dir.to_owned())
        .chain(mounts_below(dir))
        .any(|place| {
            rustix::fs::statfs(&place)
                .map(|stat| i128::from(stat.f_type) & 0xFFFF_FFFF)
                .is_ok_and(|kind| {
                    SILENT
                        .iter()
                        .any(|it| kind == i128::from(*it))
                })
        });

    #[cfg(not(target_os = "linux"))]
    {
        let _ = dir;
        false
    }
}

/// The maximum size of the list of mounted file systems that is read.
#[cfg(target_os = "linux")]
const MAX_MOUNTS_BYTES: u64 = 16 << 20;

/// Returns the directories below one at which file systems are mounted.
#[cfg(target_os = "linux")]
fn mounts_below(dir: &Path) -> Vec<PathBuf> {
    let (Ok(dir), Ok(list)) = (dir.canonicalize(), File::open("/proc/self/mountinfo")) else {
        return Vec::new();
    };
    let mut mounts = Vec::new();
    let _ = list
        .take(MAX_MOUNTS_BYTES)
        .read_to_end(&mut mounts);

    mounts
        .split(|byte| *byte == b'\n')
        .filter_map(|mount| mount.split(|byte| *byte == b' ').nth(4))
        .map(|place| super::path::from_bytes(unescaped(place)))
        .filter(|place| place.starts_with(&dir))
        .collect()
}

/// Returns the bytes of a path in which the kernel has escaped blanks and such.
#[cfg(target_os = "linux")]
fn unescaped(mut place: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [first, rest @ ..] = place {
        let (byte, rest) = super::path::octal_escape(place).unwrap_or((*first, rest));
        bytes.push(byte);
        place = rest;
    }

    bytes
}

impl Snapshot {
    fn get(&self, below: &Path) -> Option<&SeenDirectory> {
        self.directories.get(below.as_os_str())
    }

    /// Forgets all directories at and below a path.
    pub(super) fn forget(&mut self, below: &Path) {
        self.is_stale = true;
        if below == Path::new("") {
            return self.directories.clear();
        }

        self.directories
            .remove(below.as_os_str());
        let mut prefix = below.as_os_str().to_owned();
        prefix.push("/");

        let known = self
            .directories
            .range(prefix.clone()..)
            .map(|(it, _)| it);
        let is_below = |it: &&OsString| {
            it.as_bytes()
                .starts_with(prefix.as_bytes())
        };

        for below in known
            .take_while(is_below)
            .cloned()
            .collect::<Vec<_>>()
        {
            self.directories.remove(&below);
        }
    }

    /// Looks again at what is at some paths, and notes what differs.
    pub(super) fn look<'p>(&mut self, root: &Path, paths: impl Iterator<Item = &'p Path>) {
        let mut at = BTreeSet::new();
        for below in paths {
            at.insert(below);
            at.extend(
                below
                    .parent()
                    .filter(|dir| self.must_look_around(root, dir, below)),
            );
        }

        for below in at {
            self.look_into(root, below);
        }
    }

    /// Returns `true` if the directory around a path has to be listed again. For another directory
    /// that came or went, it need not: it may be one of many.
    fn must_look_around(&mut self, root: &Path, dir: &Path, below: &Path) -> bool {
        let name = below.file_name().unwrap_or_default();
        let Some(known) = self
            .directories
            .get_mut(dir.as_os_str())
        else {
            return false;
        };

        let has_artifacts = !known.artifacts.is_empty();
        let Ok(listing) = &mut known.listing else {
            return true;
        };
        let was_link = listing
            .links
            .binary_search_by(|it| (**it).cmp(name))
            .is_ok();
        let is_plain = !was_link && !is_artifact(name) && name != ".git";
        let kind = FileVersion::at(&join(root, below)).map(|it| it.kind);
        match (
            kind,
            listing
                .directories
                .binary_search_by(|it| (**it).cmp(name)),
        ) {
            (Some(EntryKind::Directory), Ok(_)) => return false,
            (Some(EntryKind::Directory), Err(at)) if is_plain => {
                listing
                    .directories
                    .insert(at, name.into());
                listing.holds_episodes |= name == EPISODES;
            }
            (None, Ok(at)) if is_plain => {
                listing.directories.remove(at);
                listing.holds_episodes &= name != EPISODES;
            }
            // The other files do not count where there are artifacts.
            (kind, was) => {
                let is_link = kind == Some(EntryKind::Link);
                return is_link || was_link || was.is_ok() || !has_artifacts;
            }
        }

        self.forget(below);
        false
    }

    fn look_into(&mut self, root: &Path, below: &Path) {
        let Some(was) = self.get(below) else {
            return;
        };
        let is = SeenDirectory::at(&join(root, below));
        if is.is_gone() && below != Path::new("") {
            // What is seen of the directory around it tells.
            return;
        }

        if !was.is_same_directory(&is) {
            // A walk lists it, once it is listened to.
            return self.forget(below);
        }

        let (is_touched, is_stale) = (was.is_touched(&is), was.is_stale(&is));
        for name in was.other_names(&is) {
            self.forget(&below.join(&*name));
        }
        if is_touched {
            self.touched.insert(below.to_owned());
        }

        self.is_stale |= is_stale;
        self.directories
            .insert(below.into(), is);
    }

    /// Returns the paths at which something differs now. Nothing is noted.
    pub(super) fn changes(&self, root: &Path) -> Vec<PathBuf> {
        let mut changes = Vec::new();
        for (below, was) in &self.directories {
            let below = Path::new(below);
            let is = SeenDirectory::at(&join(root, below));
            if is.is_gone() && below != Path::new("") {
                continue;
            }

            let names = was.other_names(&is);
            if was.is_touched(&is) || names.is_empty() && was.is_stale(&is) {
                changes.push(below.to_owned());
            }

            changes.extend(
                names
                    .iter()
                    .map(|name| below.join(&**name)),
            );
        }

        changes
    }
}

impl SeenDirectory {
    fn at(dir: &Path) -> Self {
        let now = SystemTime::now();
        let mut listing = list(dir);
        let (mut artifacts, mut links) = (Vec::new(), Vec::new());

        if let Ok(listing) = &mut listing {
            listing.directories.sort_unstable();
            listing.links.sort_unstable();
            listing.others.suspects.sort_unstable();

            let version = |name: &OsStr| FileVersion::at(&dir.join(name));
            let there = Artifact::ALL
                .iter()
                .filter(|it| listing.entries.has(**it));
            artifacts.extend(there.map(|it| version(it.file_name().as_ref())));
            links.extend(
                listing
                    .links
                    .iter()
                    .map(|name| version(name)),
            );
            if !artifacts.is_empty() {
                listing.others = OtherNames::default();
            }
        }

        let access = Access::READ_OK | Access::EXEC_OK;
        let may_be_open = || rustix::fs::accessat(CWD, dir, access, AtFlags::EACCESS).is_ok();
        Self {
            identity: rustix::fs::stat(dir)
                .ok()
                .map(|it| (it.st_dev, it.st_ino)),
            is_open: listing.is_ok() && may_be_open(),
            is_fresh: artifacts
                .iter()
                .flatten()
                .any(|it| it.is_fresh(now)),
            listing: listing.map_err(|error| error.raw_os_error().unwrap_or_default()),
            artifacts,
            links,
            content: None,
        }
    }

    fn listing(&self) -> io::Result<Listing> {
        self.listing
            .clone()
            .map_err(io::Error::from_raw_os_error)
    }

    fn is_gone(&self) -> bool {
        matches!(self.listing(), Err(error) if is_nothing(&error))
    }

    fn is_same_directory(&self, is: &Self) -> bool {
        (self.identity, self.is_open) == (is.identity, is.is_open)
    }

    /// Returns `true` if an artifact may differ, or the other files where there is none.
    fn is_touched(&self, is: &Self) -> bool {
        let files = |it: &Self| {
            it.listing
                .as_ref()
                .ok()
                .map(|it| (it.entries, it.others.clone()))
        };

        self.is_fresh || self.artifacts != is.artifacts || files(self) != files(is)
    }

    /// Returns `true` if a walk may find something else.
    fn is_stale(&self, is: &Self) -> bool {
        !self.is_same_directory(is)
            || (&self.listing, &self.links) != (&is.listing, &is.links)
            || self.content.is_some() && self.is_touched(is)
    }

    /// Returns the names of the directories and links that came or went.
    fn other_names(&self, is: &Self) -> Vec<Arc<OsStr>> {
        let names = |it: &Self| {
            it.listing
                .iter()
                .flat_map(|it| {
                    it.directories
                        .iter()
                        .chain(&it.links)
                        .cloned()
                })
                .collect::<BTreeSet<_>>()
        };

        names(self)
            .symmetric_difference(&names(is))
            .cloned()
            .collect()
    }
}

/// Looks whether a directory can be listed.
pub(crate) fn look_at(dir: &Path) -> io::Result<()> {
    list(dir).map(drop)
}
