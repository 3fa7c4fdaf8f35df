//! What a walk saw of each directory -> where that has changed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, CWD};

use super::changes::Changes;
use super::listing::{Listing, list};
use super::other_names::OtherNames;
use super::path::{is_nothing, join};
use super::stillness::FileVersion;
use crate::source::{Artifact, EntryKind};

/// The state of all directories when they were last seen, by their paths from the top on.
#[derive(Default)]
pub(super) struct Snapshot(BTreeMap<PathBuf, SeenDirectory>);

/// The state of a directory when it was last seen.
struct SeenDirectory {
    /// The device, and the number of the directory on it.
    identity: Option<(u64, u64)>,
    /// `true` if it may be listed, and what is in it be looked at.
    is_open: bool,
    /// Each artifact: as listed, and its version if it may be looked at.
    versions: [Option<(EntryKind, Option<FileVersion>)>; Artifact::ALL.len()],
    /// `true` if an artifact was written just now: another write may leave the same version behind.
    is_fresh: bool,
    /// The other files, where there is no artifact.
    others: OtherNames,
    /// The directories in it, and the links.
    names: BTreeMap<Arc<OsStr>, Option<FileVersion>>,
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
            let kind = rustix::fs::statfs(&place).map(|stat| i128::from(stat.f_type) & 0xFFFF_FFFF);
            kind.is_ok_and(|kind| SILENT.iter().any(|it| kind == i128::from(*it)))
        });
    #[cfg(not(target_os = "linux"))]
    {
        let _ = dir;
        false
    }
}

/// Returns the directories below one at which file systems are mounted.
#[cfg(target_os = "linux")]
fn mounts_below(dir: &Path) -> Vec<PathBuf> {
    let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let Ok(dir) = dir.canonicalize() else {
        return Vec::new();
    };
    let mounts = mounts.split(|byte| *byte == b'\n');
    let places = mounts.filter_map(|mount| mount.split(|byte| *byte == b' ').nth(4));
    let places = places.map(|place| super::path::from_bytes(unescaped(place)));
    places.filter(|place| place.starts_with(&dir)).collect()
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

/// Returns `true` if a directory may be listed, and what is in it be looked at.
fn is_open(dir: &Path) -> bool {
    let access = Access::READ_OK | Access::EXEC_OK;
    rustix::fs::accessat(CWD, dir, access, AtFlags::EACCESS).is_ok()
}

impl Snapshot {
    /// Notes what a directory lists; the names in it only if it is whole.
    pub(super) fn note(
        &mut self,
        below: PathBuf,
        path: &Path,
        listing: &io::Result<Listing>,
        is_whole: bool,
    ) {
        let mut is = SeenDirectory::new(path, listing);
        if !is_whole {
            is.names = self
                .0
                .remove(&below)
                .map(|was| was.names)
                .unwrap_or_default();
        }
        self.0.insert(below, is);
    }

    /// Forgets all directories at and below a path.
    pub(super) fn forget(&mut self, below: &Path) {
        let known = self.0.range(below.to_owned()..).map(|(it, _)| it);
        let doomed: Vec<PathBuf> = known
            .take_while(|it| it.starts_with(below))
            .cloned()
            .collect();
        for below in doomed {
            self.0.remove(&below);
        }
    }

    /// Returns `true` if a directory was seen at a path.
    pub(super) fn has(&self, below: &Path) -> bool {
        self.0.contains_key(below)
    }

    /// Adds what differs now at a path: the directory or the link there, and what is in it. That is
    /// noted.
    pub(super) fn look(&mut self, root: &Path, below: &Path, changes: &mut Changes) {
        let mut at = below;
        if let (Some(dir), Some(name)) = (below.parent(), below.file_name())
            && let Some(parent) = self.0.get_mut(dir)
        {
            let is = version(&join(root, below));
            let is = is
                .filter(|_| name != ".git")
                .and_then(|it| match it.kind() {
                    EntryKind::Directory => Some(None),
                    EntryKind::Link => Some(Some(it)),
                    EntryKind::File | EntryKind::Special => None,
                });
            if parent.names.get(name) != is.as_ref() {
                match is {
                    Some(is) => drop(parent.names.insert(name.into(), is)),
                    None => drop(parent.names.remove(name)),
                }
                return changes.add(below.to_owned(), true);
            }
            if is.is_none() && !parent.holds_artifact() {
                at = dir;
            }
        }
        if let Some(is) = self.look_into(root, at, changes) {
            self.0.insert(at.to_owned(), is);
        }
    }

    /// Adds what differs now anywhere. None of that is noted.
    pub(super) fn look_at_all(&self, root: &Path) -> Changes {
        let mut changes = Changes::default();
        for below in self.0.keys() {
            self.look_into(root, below, &mut changes);
        }
        changes
    }

    fn look_into(&self, root: &Path, below: &Path, changes: &mut Changes) -> Option<SeenDirectory> {
        let was = self.0.get(below)?;
        let path = join(root, below);
        let listing = list(&path);
        if matches!(&listing, Err(error) if is_nothing(error)) && below != Path::new("") {
            // What is seen of the directory around it tells.
            return None;
        }
        let is = SeenDirectory::new(&path, &listing);
        if (was.identity, was.is_open) != (is.identity, is.is_open) {
            changes.add(below.to_owned(), true);
        } else if was.is_fresh || was.versions != is.versions || was.others != is.others {
            changes.add(below.to_owned(), false);
        }
        for name in was.names.keys().chain(is.names.keys()) {
            if was.names.get(name) != is.names.get(name) {
                changes.add(below.join(&**name), true);
            }
        }
        Some(is)
    }
}

impl SeenDirectory {
    fn new(dir: &Path, listing: &io::Result<Listing>) -> Self {
        let now = SystemTime::now();
        let none = Listing::default();
        let is_open = listing.is_ok() && is_open(dir);
        let listing = listing.as_ref().unwrap_or(&none);
        let versions = Artifact::ALL.map(|artifact| {
            let kind = listing.entries.kind(artifact)?;
            Some((kind, version(&dir.join(artifact.file_name()))))
        });
        let mut known = versions.iter().flatten();
        let mut others = listing.others.clone();
        if known.clone().next().is_some() {
            others = OtherNames::default();
        }
        others.suspects.sort_unstable();
        let directories = listing
            .directories
            .iter()
            .map(|name| (Arc::clone(name), None));
        let links = listing.links.iter();
        let links = links.map(|name| (Arc::clone(name), version(&dir.join(&**name))));
        Self {
            identity: rustix::fs::stat(dir).ok().map(|it| (it.st_dev, it.st_ino)),
            is_open,
            is_fresh: known.any(|(_, version)| version.is_some_and(|it| it.is_fresh(now))),
            versions,
            others,
            names: directories.chain(links).collect(),
        }
    }

    fn holds_artifact(&self) -> bool {
        self.versions.iter().any(Option::is_some)
    }
}

fn version(path: &Path) -> Option<FileVersion> {
    rustix::fs::lstat(path)
        .ok()
        .map(|stat| FileVersion::from(&stat))
}

/// Looks whether a directory can be listed.
pub(crate) fn look_at(dir: &Path) -> io::Result<()> {
    list(dir).map(drop)
}
