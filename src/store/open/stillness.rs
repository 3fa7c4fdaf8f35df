//! The versions of artifacts before and after a read -> whether the episode changed meanwhile.
//!
//! This is an optimistic read, validated afterwards. A writer replaces several files one after the
//! other, so a read in between sees two generations, and their differences are not defects. A read
//! is valid if the directory is still the same one, lists the same artifacts, and no artifact has
//! changed since it was opened, nor within the last moment, nor just before it was opened: two
//! changes within one tick of the kernel's clock may leave the same version behind. Nor may another
//! file that a team's schemas judge. Other entries of the directory don't count: a lock or a
//! heartbeat that comes and goes says nothing about the records.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::ground::source::{Artifact, EntryKind};
use crate::store::read::{Artifacts, Version};

/// The time that must have passed since the last change. A writer is expected to need less between
/// two files.
pub(super) const QUIET: Duration = Duration::from_millis(100);

/// The longest time in which a kernel gives two changes the same time, and some more.
const TICK_NS: u128 = 20_000_000;

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub(crate) kind: EntryKind,
    device: u64,
    inode: u64,
    pub(crate) bytes: u64,
    /// The time of the last change of the content, the name or the permissions of the file (ctime).
    /// Unlike the modification time, a writer can't set it, and a rename updates it.
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
    /// Returns the version of an open file or directory.
    pub(crate) fn of(file: impl AsFd) -> Result<Self, Errno> {
        Ok((&rustix::fs::fstat(file)?).into())
    }

    /// Returns the version of an entry of a directory, which may be a link.
    pub(super) fn of_entry(dir: impl AsFd, name: impl Arg) -> Result<Self, Errno> {
        Ok((&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?).into())
    }

    /// Returns the version of what is at a path, which may be a link; `None` where nothing is.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        Some((&rustix::fs::lstat(path).ok()?).into())
    }

    /// Returns the version in the form that all implementations share.
    pub(super) fn tag(self) -> Version {
        Version::new(format!("{self:?}"))
    }

    pub(crate) fn is_same_file(self, other: Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Returns `true` if the last change was so recent that another one may leave the same version
    /// behind.
    pub(crate) fn is_fresh(self, now: SystemTime) -> bool {
        nanoseconds(now).abs_diff(self.changed_ns) < TICK_NS
    }

    /// Returns the time until the last change is older than [`QUIET`]; zero if it is older already,
    /// or if the clocks differ so much that its time means nothing.
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

/// The version of a file when it was opened, and when that was.
#[derive(Clone, Copy)]
pub(super) struct OpenedAt {
    pub(super) version: FileVersion,
    pub(super) time: SystemTime,
}

impl OpenedAt {
    pub(super) fn now(version: FileVersion) -> Self {
        Self {
            version,
            time: SystemTime::now(),
        }
    }
}

/// The changes in an episode's directory.
#[derive(Debug, Default)]
pub(crate) struct Movement {
    now_ns: i128,
    artifacts: Vec<Artifact>,
    /// `true` if another file changes that schemas judge.
    has_others: bool,
    /// `true` if another directory is in the place of the one that was read.
    is_replaced: bool,
    settles_in: Duration,
}

impl Movement {
    /// Returns a movement for which nothing has been compared yet.
    pub(super) fn at(now: SystemTime) -> Self {
        Self {
            now_ns: nanoseconds(now),
            ..Self::default()
        }
    }

    /// Records the directory: the one that was opened, and the one that has its path now. A recent
    /// change in it is not a movement, but worth a wait: a missing artifact may be about to come
    /// back.
    pub(super) fn directory(&mut self, opened: FileVersion, is: Option<FileVersion>) {
        self.is_replaced |= is.is_none_or(|is| !is.is_same_file(opened));
        self.settles_in = self
            .settles_in
            .max(opened.settles_in(self.now_ns));
    }

    /// Records an entry: as it was listed, and as it is now.
    pub(super) fn entry(
        &mut self,
        artifact: Artifact,
        listed: Option<EntryKind>,
        is: Option<EntryKind>,
    ) {
        if is != listed {
            self.artifacts.push(artifact);
        }
    }

    /// Records a file that was read: as it was when it was opened, and as it is now.
    pub(super) fn file(&mut self, artifact: Artifact, opened: OpenedAt, is: Option<FileVersion>) {
        if self.moves(Some(opened), is) {
            self.artifacts.push(artifact);
        }
    }

    /// Records another file: as it was before it was read, and as it is now.
    pub(super) fn other_file(&mut self, before: Option<OpenedAt>, is: Option<FileVersion>) {
        self.has_others |= self.moves(before, is);
    }

    fn moves(&mut self, before: Option<OpenedAt>, is: Option<FileVersion>) -> bool {
        let settles_in = is.map_or(Duration::ZERO, |is| is.settles_in(self.now_ns));
        self.settles_in = self.settles_in.max(settles_in);
        let is_same = is == before.map(|opened| opened.version);
        // A file that was changed just before it was opened may have been changed once more while
        // it was read, and have the same version.
        let was_fresh = before.is_some_and(|opened| opened.version.is_fresh(opened.time));
        !is_same || was_fresh || !settles_in.is_zero()
    }

    /// Compares what was seen of artifacts before they were read with what was seen afterwards.
    pub(crate) fn between(before: &SeenVersions, after: &SeenVersions) -> Self {
        let seen = before.iter().zip(after);
        let changed = Artifact::ALL
            .into_iter()
            .zip(seen)
            .filter(|(_, (before, after))| before != after);

        Self {
            artifacts: changed
                .map(|(artifact, _)| artifact)
                .collect(),
            ..Self::default()
        }
    }

    /// Returns `true` if nothing changes.
    pub(crate) fn is_none(&self) -> bool {
        self.artifacts.is_empty() && !self.has_others && !self.is_replaced
    }

    /// Returns `true` if one of these artifacts changes.
    pub(crate) fn touches(&self, artifacts: &[Artifact]) -> bool {
        let moves = |artifact| self.artifacts.contains(artifact);
        self.is_replaced || artifacts.iter().any(moves)
    }

    /// Returns how long to wait until the last change is older than [`QUIET`].
    pub(crate) fn settles_in(&self) -> Duration {
        self.settles_in
    }
}

/// The entry of each artifact in an episode's listing, and the version of its content.
pub(super) type SeenVersions = [(Option<EntryKind>, Option<Version>); Artifact::ALL.len()];

pub(crate) fn seen_versions(artifacts: &dyn Artifacts) -> SeenVersions {
    let entries = artifacts.entries();
    Artifact::ALL.map(|artifact| (entries.kind(artifact), artifacts.version(artifact)))
}

fn nanoseconds(now: SystemTime) -> i128 {
    now.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos().cast_signed())
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

    fn time(ns: i128) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(ns).unwrap())
    }

    fn movement(directory_ns: i128, opened: FileVersion, is: Option<FileVersion>) -> Movement {
        opened_at(NOW_NS, directory_ns, opened, is)
    }

    fn opened_at(
        opened_ns: i128,
        directory_ns: i128,
        version: FileVersion,
        is: Option<FileVersion>,
    ) -> Movement {
        let mut movement = Movement::at(time(NOW_NS));
        movement.directory(written(directory_ns), Some(written(directory_ns)));
        movement.entry(Artifact::State, Some(EntryKind::File), is.map(|it| it.kind));
        let time = time(opened_ns);
        movement.file(Artifact::State, OpenedAt { version, time }, is);
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
        for is in others
            .map(Some)
            .into_iter()
            .chain([None])
        {
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
        let beside = movement(NOW_NS - 60 * MS, written(0), Some(written(0)));
        assert!(
            beside.is_none() && beside.settles_in() == Duration::from_millis(40),
            "other entries of the directory may come and go"
        );
    }

    #[test]
    fn read_just_after_a_change_is_repeated() {
        let version = written(NOW_NS - 500 * MS);
        let opened_after = |ms| opened_at(version.changed_ns + ms * MS, 0, version, Some(version));
        assert!(
            opened_after(1).touches(&[Artifact::State]),
            "a second change may have the time of the first"
        );
        assert!(opened_after(1).settles_in().is_zero());
        assert!(opened_after(20).is_none());
    }

    #[test]
    fn every_artifact_moves_when_the_directory_is_replaced() {
        let other = FileVersion {
            inode: 9,
            ..written(0)
        };
        for is in [None, Some(other)] {
            let mut movement = movement(0, written(0), Some(written(0)));
            movement.directory(written(0), is);
            assert!(!movement.is_none() && movement.touches(&[Artifact::State]));
        }
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
