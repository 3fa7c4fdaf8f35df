//! The versions of artifacts before and after a read -> whether the episode changed meanwhile.
//!
//! This is an optimistic read, validated afterwards. A writer replaces several files one after the
//! other, so a read in between sees two generations, and their differences are not defects. A read
//! is valid if no file has changed since it was opened, and nothing in the directory was written
//! within the last moment.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat};

use super::Version;
use crate::source::{Artifact, EntryKind};

/// The time that must have passed since the last change. A writer is expected to need less between
/// two files.
pub(crate) const QUIET: Duration = Duration::from_millis(100);

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileVersion {
    kind: EntryKind,
    device: u64,
    inode: u64,
    bytes: u64,
    /// When the content, the name or the permissions of the file last changed (ctime). Unlike the
    /// modification time, a writer can't set it, and a rename updates it.
    changed_ns: i128,
}

impl From<&Stat> for FileVersion {
    #[expect(clippy::cast_sign_loss, reason = "sizes are not negative")]
    fn from(stat: &Stat) -> Self {
        Self {
            kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
            device: stat.st_dev,
            inode: stat.st_ino,
            bytes: stat.st_size as u64,
            changed_ns: i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec),
        }
    }
}

impl FileVersion {
    pub(super) fn kind(self) -> EntryKind {
        self.kind
    }

    /// The version in the form that all implementations share.
    pub(super) fn tag(self) -> Version {
        Version::new(format!("{self:?}"))
    }

    pub(super) fn bytes(self) -> u64 {
        self.bytes
    }

    /// The time until the last change is older than [`QUIET`]; zero if it is older already, or if
    /// the clocks differ so much that its time means nothing.
    fn settles_in(self, now_ns: i128) -> Duration {
        let age = u64::try_from(now_ns.abs_diff(self.changed_ns))
            .map_or(Duration::MAX, Duration::from_nanos);
        match (age < QUIET, self.changed_ns > now_ns) {
            (false, _) => Duration::ZERO,
            (true, false) => QUIET.saturating_sub(age),
            (true, true) => QUIET + age,
        }
    }
}

/// The changes in an episode's directory.
#[derive(Debug, Default)]
pub(crate) struct Movement {
    now_ns: i128,
    artifacts: Vec<Artifact>,
    /// Whether entries appear or disappear.
    listing: bool,
    settles_in: Duration,
}

impl Movement {
    /// Records the version of the directory, which changes when an entry is added, removed or
    /// renamed.
    pub(super) fn in_directory(now: SystemTime, directory: FileVersion) -> Self {
        let now_ns = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos().cast_signed());
        let settles_in = directory.settles_in(now_ns);
        Self {
            now_ns,
            artifacts: Vec::new(),
            listing: !settles_in.is_zero(),
            settles_in,
        }
    }

    /// Records an entry: as it was listed, and as it is now.
    pub(super) fn entry(
        &mut self,
        artifact: Artifact,
        listed: Option<EntryKind>,
        is: Option<EntryKind>,
    ) {
        if is != listed {
            self.listing = true;
            self.artifacts.push(artifact);
        }
    }

    /// Records a file that was read: as it was when it was opened, and as it is now.
    pub(super) fn file(
        &mut self,
        artifact: Artifact,
        opened: FileVersion,
        is: Option<FileVersion>,
    ) {
        let settles_in = is.map_or(Duration::ZERO, |is| is.settles_in(self.now_ns));
        if is != Some(opened) || !settles_in.is_zero() {
            self.artifacts.push(artifact);
        }
        self.settles_in = self.settles_in.max(settles_in);
    }

    /// Compares the versions of artifacts before they were read with those afterwards.
    pub(crate) fn between(before: &[Option<Version>], after: &[Option<Version>]) -> Self {
        let versions = before.iter().zip(after);
        let changed = Artifact::ALL.into_iter().zip(versions);
        let changed = changed.filter(|(_, (before, after))| before != after);
        Self {
            artifacts: changed.map(|(artifact, _)| artifact).collect(),
            ..Self::default()
        }
    }

    /// Whether nothing changes.
    pub(crate) fn is_none(&self) -> bool {
        self.artifacts.is_empty() && !self.listing
    }

    /// Whether one of these artifacts changes.
    pub(crate) fn touches(&self, artifacts: &[Artifact]) -> bool {
        artifacts
            .iter()
            .any(|artifact| self.artifacts.contains(artifact))
    }

    /// How long to wait until the last change is older than [`QUIET`].
    pub(crate) fn settles_in(&self) -> Duration {
        self.settles_in
    }
}

pub(super) fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        FileType::Directory => EntryKind::Directory,
        _ => EntryKind::Special,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_NS: i128 = 1_700_000_000_000_000_000;
    const MS: i128 = 1_000_000;

    fn written(changed_ns: i128) -> FileVersion {
        FileVersion {
            kind: EntryKind::File,
            device: 1,
            inode: 2,
            bytes: 3,
            changed_ns,
        }
    }

    fn movement(directory_ns: i128, opened: FileVersion, is: Option<FileVersion>) -> Movement {
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(NOW_NS).unwrap());
        let mut movement = Movement::in_directory(now, written(directory_ns));
        movement.entry(
            Artifact::State,
            Some(EntryKind::File),
            is.map(FileVersion::kind),
        );
        movement.file(Artifact::State, opened, is);
        movement
    }

    #[test]
    fn file_is_still_when_written_long_ago() {
        let old = written(NOW_NS - 100 * MS);
        assert!(movement(old.changed_ns, old, Some(old)).is_none());
    }

    #[test]
    fn file_is_changed_when_its_metadata_differs() {
        let old = written(0);
        let others = [
            FileVersion { inode: 9, ..old },
            FileVersion { device: 9, ..old },
            FileVersion { bytes: 9, ..old },
            FileVersion {
                changed_ns: 9,
                ..old
            },
            FileVersion {
                kind: EntryKind::Link,
                ..old
            },
        ];
        for is in others.map(Some).into_iter().chain([None]) {
            let movement = movement(0, old, is);
            assert!(
                movement.touches(&[Artifact::Summary, Artifact::State]),
                "{is:?}"
            );
            assert!(!movement.touches(&[Artifact::Summary]));
            assert_eq!(
                movement.settles_in(),
                Duration::ZERO,
                "nothing is fresh, so nothing is waited for"
            );
        }
    }

    #[test]
    fn recent_write_is_waited_for() {
        let fresh = written(NOW_NS - 30 * MS);
        let waits = movement(0, fresh, Some(fresh));
        assert!(
            waits.touches(&[Artifact::State]) && waits.settles_in() == Duration::from_millis(70)
        );
        let gone = movement(NOW_NS - 60 * MS, written(0), Some(written(0)));
        assert!(
            !gone.is_none()
                && !gone.touches(&Artifact::ALL)
                && gone.settles_in() == Duration::from_millis(40)
        );
    }

    #[test]
    fn wrong_clock_is_not_waited_for() {
        let ahead = written(NOW_NS + 30 * MS);
        assert_eq!(
            movement(0, ahead, Some(ahead)).settles_in(),
            Duration::from_millis(130)
        );
        for far_off in [
            NOW_NS + 100 * MS,
            NOW_NS * 100,
            i128::from(i64::MIN) * 1_000_000_000,
        ] {
            assert!(movement(far_off, written(far_off), Some(written(far_off))).is_none());
        }
    }
}
