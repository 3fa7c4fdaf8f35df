//! A directory -> what a walk sees of each directory below it -> where that changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, CWD};

use super::along::Changes;
use super::listing::{Listing, list};
use super::stillness::FileVersion;
use super::tree::{Dir, OnDisk, Tree};
use crate::source::{Artifact, Entries, EntryKind};

/// The artifacts of a directory: as listed, and the version of each that may be looked at.
type Versions = [Option<(EntryKind, Option<FileVersion>)>; Artifact::ALL.len()];

/// What a walk saw of all directories, by their paths from the top on.
#[derive(Default)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Seen>);

/// What was seen of a directory.
#[derive(Default)]
struct Seen {
    versions: Versions,
    /// Whether an artifact was written just now: another write may leave the same version behind.
    is_fresh: bool,
    /// Files that may be records under other names.
    suspects: BTreeSet<Arc<OsStr>>,
    /// The directories in it, and the links.
    names: BTreeMap<Arc<OsStr>, Option<FileVersion>>,
    /// Whether it may be listed, and what is in it be looked at.
    is_open: bool,
}

/// The tree of a disk, which notes what is seen of it.
#[derive(Default)]
pub(crate) struct Noting(Mutex<Snapshot>);

impl Noting {
    fn note(&self, dir: &Dir, listing: &Listing, is_open: bool) {
        let seen = Seen::new(&dir.path(), listing, is_open);
        let mut snapshot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot.0.insert(dir.below(), seen);
    }

    pub(crate) fn into_snapshot(self) -> Snapshot {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tree for Noting {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        let listing = OnDisk.list(dir);
        let is_open = listing.is_ok() && is_open(&dir.path());
        match &listing {
            Ok(listing) => self.note(dir, listing, is_open),
            Err(_) => self.note(dir, &Listing::default(), false),
        }
        listing
    }

    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        let holds = OnDisk.holds_timeline(dir);
        let mut listing = Listing::default();
        if matches!(holds, Ok(true)) {
            listing.entries.set(Artifact::Events, EntryKind::File);
        }
        self.note(dir, &listing, holds.is_ok());
        holds
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

/// Whether the file system of a directory is known not to report what others change.
pub(crate) fn reports_no_changes(dir: &Path) -> bool {
    #[cfg(target_os = "linux")]
    if let Ok(stat) = rustix::fs::statfs(dir) {
        return SILENT
            .iter()
            .any(|it| i128::from(stat.f_type) & 0xFFFF_FFFF == i128::from(*it));
    }
    let _ = dir;
    false
}

/// Whether a directory may be listed, and what is in it be looked at.
pub(crate) fn is_open(dir: &Path) -> bool {
    let access = Access::READ_OK | Access::EXEC_OK;
    rustix::fs::accessat(CWD, dir, access, AtFlags::EACCESS).is_ok()
}

impl Snapshot {
    /// What differs from an earlier snapshot.
    pub(crate) fn since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
        let mut add = |below: PathBuf, is_whole: bool| {
            *changes.0.entry(below).or_default() |= is_whole;
        };
        let (none, known) = (Seen::default(), before.0.keys().chain(self.0.keys()));
        for below in known {
            let was = before.0.get(below).unwrap_or(&none);
            let is = self.0.get(below).unwrap_or(&none);
            if was.is_open != is.is_open {
                add(below.clone(), true);
            } else if was.is_fresh || was.versions != is.versions || was.suspects != is.suspects {
                add(below.clone(), false);
            }
            for name in was.names.keys().chain(is.names.keys()) {
                if was.names.get(name) != is.names.get(name) {
                    add(below.join(&**name), true);
                }
            }
        }
        changes
    }
}

impl Seen {
    fn new(dir: &Path, listing: &Listing, is_open: bool) -> Self {
        let now = SystemTime::now();
        let version = |name: &OsStr| {
            let stat = rustix::fs::lstat(dir.join(name)).ok()?;
            Some(FileVersion::from(&stat))
        };
        let entries: &Entries = &listing.entries;
        let versions = Artifact::ALL.map(|artifact| {
            let kind = entries.kind(artifact)?;
            Some((kind, version(artifact.file_name().as_ref())))
        });
        let mut known = versions
            .iter()
            .flatten()
            .filter_map(|(_, version)| *version);
        let directories = listing
            .directories
            .iter()
            .map(|name| (Arc::clone(name), None));
        let links = listing
            .links
            .iter()
            .map(|name| (Arc::clone(name), version(name)));
        Self {
            is_fresh: known.any(|version| version.is_fresh(now)),
            versions,
            suspects: listing.others.suspects.iter().cloned().collect(),
            names: directories.chain(links).collect(),
            is_open,
        }
    }
}

/// Looks whether a directory can be listed.
pub(crate) fn look_at(dir: &Path) -> io::Result<()> {
    list(dir).map(drop)
}
