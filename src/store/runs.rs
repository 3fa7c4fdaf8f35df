//! A run-data directory -> its runs, each with its time. The listing is enough: no run is opened.
//!
//! The time of a run is the one in its directory's name, if the name ends in a ULID
//! (`ep_01JGFJJZ00CTSPE3DKFP348M8P`), else the modification time of the directory, which is when an
//! artifact was last added, renamed or removed.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, CWD, Mode, Stat};

use super::EpisodeDir;
use super::discover::discover;
use super::fault::{Fault, FaultKind};
use super::listing::list;
use super::nature::{Nature, names_episodes};
use super::path::{is_nothing, join};
use super::root::{GivenPaths, Root};
use super::tree::{Dir, OnDisk};
use super::walk::{TreeWalk, WalkFindings};
use crate::parallel::cores;
use crate::source::{Artifact, EPISODES};

/// The number of levels below a directory that are searched. Projects keep run data near their
/// root.
const MAX_LEVELS_NEARBY: usize = 5;

/// The number of directories that are listed. A working directory may be a home, with millions
/// below it.
const MAX_LISTED: usize = 10_000;

/// A directory that is most likely a run.
#[derive(Clone, Debug)]
pub(crate) struct RunDir {
    pub(super) dir: Dir,
    /// Nanoseconds since 1970.
    time: i128,
}

impl From<Dir> for RunDir {
    fn from(dir: Dir) -> Self {
        let stat = rustix::fs::lstat(dir.path());
        let time = stat.map_or(0, |stat| time(&dir.name().to_string_lossy(), &stat));
        Self { dir, time }
    }
}

impl RunDir {
    /// Returns `true` if a directory need not be opened where runs are listed: it is gone, or is
    /// most likely a run by its metadata, which is noted.
    pub(super) fn stays_closed(dir: &Dir, found: &mut WalkFindings) -> bool {
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
            let time = time(&dir.name().to_string_lossy(), &stat);
            let dir = dir.clone();
            found.unopened.push(Self { dir, time });
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
        let order = other.time.cmp(&self.time);
        order.then_with(|| other.dir.path_order(&self.dir))
    }
}

/// Returns the runs below a run-data directory, and the paths there that can't be searched.
///
/// These are the runs that discovery finds below its directory called `episodes`, and directories
/// that turn out to be none when they are opened.
pub(crate) fn runs(run_data: &Path) -> io::Result<(Vec<RunDir>, Vec<Fault>)> {
    let episodes = join(run_data, Path::new(EPISODES));
    let root = Arc::new(Root {
        real: episodes.clone(),
        typed: episodes,
        level: 1,
        given: GivenPaths::None,
    });
    let walk = TreeWalk {
        tree: &OnDisk,
        root: &root,
        excludes: None,
        opens_runs: false,
    };
    let (runs, found) = split(walk.everything(cores()));
    let mut faults = Vec::new();
    for fault in found {
        faults.push(match fault.unlistable_at(&root.typed) {
            Ok(source) => return Err(source),
            Err(other) => other,
        });
    }
    Ok((runs, faults))
}

/// Returns the runs at or below a path that is not a run-data directory, such as one run, and the
/// paths there that can't be searched.
pub(crate) fn runs_at(path: &Path, given: GivenPaths) -> (Vec<RunDir>, Vec<Fault>) {
    split(discover(&[path], NonZeroUsize::MIN, None, given))
}

fn split(found: WalkFindings) -> (Vec<RunDir>, Vec<Fault>) {
    let opened = found.episodes.into_iter().map(RunDir::from);
    let runs = found.unopened.into_iter().chain(opened);
    (runs.collect(), found.faults)
}

/// Returns the directories below one that contain a directory called `episodes`, sorted, and the
/// directory itself if it does. The nearest are searched first, in the order of their names, so
/// that the result does not depend on the file system. What can't be listed is passed over.
pub(crate) fn run_data_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([(dir.to_owned(), 0)]);
    let mut listed = 0;
    while let Some((dir, level)) = waiting.pop_front() {
        if listed == MAX_LISTED {
            break;
        }
        listed += 1;
        let Ok(mut listing) = list(&dir) else {
            continue;
        };
        listing.directories.retain(|name| &**name != EPISODES);
        if level < MAX_LEVELS_NEARBY {
            listing.directories.sort_unstable();
            let below = listing.directories.iter();
            waiting.extend(below.map(|name| (join(&dir, Path::new(&**name)), level + 1)));
        }
        if listing.holds_episodes {
            found.push(dir);
        }
    }
    found.sort_unstable();
    found
}

/// Returns `true` if a path leads to a directory called `episodes`, or below one.
pub(crate) fn is_below_episodes(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| names_episodes(&real))
}

/// Returns when an artifact of a run was last written.
pub(crate) fn last_written(dir: &Path) -> Option<SystemTime> {
    let written = |artifact: Artifact| {
        let entry = std::fs::symlink_metadata(dir.join(artifact.file_name()));
        entry.ok()?.modified().ok()
    };
    Artifact::ALL.into_iter().filter_map(written).max()
}

/// Returns the time of a run.
fn time(name: &str, stat: &Stat) -> i128 {
    let changed = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
    ulid_time(name).map_or(changed, |milliseconds| i128::from(milliseconds) * 1_000_000)
}

/// Returns the milliseconds since 1970 that a ULID at the end of a name carries.
fn ulid_time(name: &str) -> Option<u64> {
    let ulid = name.get(name.len().checked_sub(26)?..)?;
    let before = name.get(..name.len() - 26)?;
    if !(before.is_empty() || before.ends_with(['_', '-'])) {
        return None;
    }
    let digit = |c: u8| {
        b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
            .iter()
            .position(|known| *known == c.to_ascii_uppercase())
    };
    if !ulid.bytes().all(|c| digit(c).is_some()) {
        return None;
    }
    let time = ulid
        .bytes()
        .take(10)
        .try_fold(0u64, |sum, c| Some(sum << 5 | digit(c)? as u64))?;
    (time < 1 << 48).then_some(time)
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
