//! A directory that is most likely a run -> its time, and the run once it is opened.
//!
//! The time of a run is the one in its directory's name, if the name ends in a ULID
//! (`ep_01JGFJJZ00CTSPE3DKFP348M8P`), else the modification time of the directory, which is when an
//! artifact was last added, renamed or removed.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Mode, Stat};

use super::dir::Dir;
use super::fault::{Fault, FaultKind};
use super::nature::Nature;
use crate::ground::source::EPISODES;
use crate::store::open::{EpisodeDir, list};
use crate::store::path::is_nothing;

/// A directory that is most likely a run.
#[derive(Clone, Debug)]
pub(crate) struct ListedRun {
    pub(super) dir: Dir,
    /// Nanoseconds since 1970.
    time: i128,
}

impl From<Dir> for ListedRun {
    fn from(dir: Dir) -> Self {
        let time = rustix::fs::lstat(dir.path()).map_or(0, |stat| time(&dir, &stat));
        Self { dir, time }
    }
}

impl ListedRun {
    /// Returns `true` if a directory need not be opened where runs are listed: it is gone, or is
    /// most likely a run by its metadata, which is noted.
    pub(super) fn stays_closed(dir: &Dir, unopened: &mut Vec<Self>) -> bool {
        if dir.is_root() || dir.name() == EPISODES {
            return false;
        }

        let path = dir.path();
        let stat = match rustix::fs::lstat(&path) {
            Ok(stat) => stat,
            // Listing it says why it can't be looked at.
            Err(errno) => return is_nothing(&errno.into()),
        };

        let may_be_read = || {
            Mode::from_raw_mode(stat.st_mode).contains(Mode::ROTH)
                || rustix::fs::accessat(CWD, &path, Access::READ_OK, AtFlags::EACCESS).is_ok()
        };

        // A directory with only its two default hard links contains no directories, so no runs.
        let is_likely = stat.st_nlink == 2 && may_be_read();
        if is_likely {
            unopened.push(Self {
                time: time(dir, &stat),
                dir: dir.clone(),
            });
        }

        is_likely
    }

    /// Returns the directory's name: the run's id.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        self.dir.name().to_string_lossy()
    }

    /// Returns the directory's path.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path()
    }

    /// Returns the run, if the directory is one.
    pub(crate) fn episode(&self) -> Option<EpisodeDir> {
        self.open().ok()
    }

    /// Returns the run; where the directory is none, the fault that it most likely was one.
    pub(crate) fn open(&self) -> Result<EpisodeDir, Option<Fault>> {
        let listing = list(&self.path()).map_err(|_| None)?;
        if self.dir.nature(&listing) != Nature::None {
            let mut dir = self.dir.clone();
            dir.entries = listing.entries;
            return Ok(dir.episode());
        }

        let others = listing.others;
        let fault = || {
            Fault::new(
                self.path(),
                FaultKind::NoRecord(others.listed(Path::new(""))),
            )
        };

        Err((!others.suspects.is_empty()).then(fault))
    }

    /// Orders runs, newest first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other
            .time
            .cmp(&self.time)
            .then_with(|| other.dir.path_order(&self.dir))
    }
}

/// Returns the time of a run.
fn time(dir: &Dir, stat: &Stat) -> i128 {
    let name = dir.name().to_string_lossy();
    let changed = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
    ulid_time(&name).map_or(changed, |milliseconds| i128::from(milliseconds) * 1_000_000)
}

/// Returns the milliseconds since 1970 that a ULID at the end of a name carries.
fn ulid_time(name: &str) -> Option<u64> {
    let (before, ulid) = name.split_at_checked(name.len().checked_sub(26)?)?;
    if !(before.is_empty() || before.ends_with(['_', '-'])) {
        return None;
    }

    let digits = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let digit = |c: u8| {
        digits
            .iter()
            .position(|it| *it == c.to_ascii_uppercase())
    };

    let mut digits = ulid.bytes().map(digit);
    let time = digits
        .by_ref()
        .take(10)
        .try_fold(0, |sum, digit| Some(sum << 5 | digit? as u64))?;

    (digits.all(|digit| digit.is_some()) && time < 1 << 48).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::ulid_time;

    #[test]
    fn ulid_time_is_in_its_first_ten_characters() {
        assert_eq!(
            ulid_time("ep_01JGFJJZ00CTSPE3DKFP348M8P"),
            Some(1_735_689_600_000)
        );
        assert_eq!(
            ulid_time("01JGFJJZ00CTSPE3DKFP348M8P"),
            Some(1_735_689_600_000)
        );
        for other in [
            "ep_adr008_veto",
            "ep_01JGFJJZ00CTSPE3DKFP348M8",
            "x01JGFJJZ00CTSPE3DKFP348M8P",
            "ep_81JGFJJZ00CTSPE3DKFP348M8P",
            "ep_01JGFJJZ00CTSPE3DKFP348MUP",
        ] {
            assert_eq!(ulid_time(other), None, "{other}");
        }
    }
}
