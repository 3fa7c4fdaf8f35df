//! A run-data directory -> its runs, newest first. The listing is enough: no run is opened.
//!
//! The time of a run is the one in its directory's name, if the name ends in a ULID
//! (`ep_01JGFJJZ00CTSPE3DKFP348M8P`), else the modification time of the directory, which is when an
//! artifact was last added, renamed or removed.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Access, AtFlags, Mode, Stat};

use super::EpisodeDir;
use super::discover::discover;
use super::fault::{Fault, FaultKind};
use super::listing::{Listing, list, open_dir};
use super::nature::{Nature, names_episodes};
use super::path::{is_nothing, join};
use super::root::{GivenPaths, Root};
use super::tree::{Dir, Tree};
use super::walk::TreeWalk;
use crate::parallel::{cores, in_order};
use crate::source::{Artifact, EPISODES};

/// The number of entries whose metadata is one piece of work for a thread.
const PIECE: usize = 64;

/// A directory that is most likely a run.
#[derive(Clone, Debug)]
pub(crate) struct RunDir {
    dir: Dir,
    /// Nanoseconds since 1970.
    time: i128,
}

impl From<(Dir, i128)> for RunDir {
    fn from((dir, time): (Dir, i128)) -> Self {
        Self { dir, time }
    }
}

impl RunDir {
    fn new(dir: Dir) -> Self {
        let stat = rustix::fs::lstat(dir.path());
        let time = stat.map_or(0, |stat| time(&dir.name().to_string_lossy(), &stat));
        Self { dir, time }
    }

    /// Returns the directory's name: the run's id.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        self.dir.name().to_string_lossy()
    }

    /// Returns the run, if the directory is one.
    pub(crate) fn episode(&self) -> Option<EpisodeDir> {
        self.open().ok()
    }

    /// Returns the run; where the directory is none, the fault that it most likely was one.
    pub(crate) fn open(&self) -> Result<EpisodeDir, Option<Fault>> {
        let Listing {
            entries,
            holds_episodes,
            others,
            ..
        } = list(&self.dir.path()).map_err(|_| None)?;
        if self.dir.nature(entries, holds_episodes) != Nature::None {
            return Ok(self.dir.episode(entries));
        }
        let fault = || {
            Fault::new(
                self.dir.path(),
                FaultKind::NoRecord(others.listed(Path::new(""))),
            )
        };
        Err((!others.suspects.is_empty()).then(fault))
    }

    /// Orders runs, newest first. The names of runs in one directory are compared alone.
    fn order(&self, other: &Self) -> Ordering {
        other.time.cmp(&self.time).then_with(|| {
            if self.dir.is_beside(&other.dir) {
                other.dir.name().cmp(self.dir.name())
            } else {
                other.dir.path().cmp(&self.dir.path())
            }
        })
    }
}

/// Runs, newest first, and paths that can't be searched, sorted.
#[derive(Debug, Default)]
pub(crate) struct FoundRuns {
    pub(crate) runs: Vec<RunDir>,
    pub(crate) faults: Vec<Fault>,
}

/// Returns the runs below a run-data directory.
///
/// These are the runs that discovery finds below its directory called `episodes`, and directories
/// that turn out to be none when they are opened.
pub(crate) fn runs(run_data: &Path) -> io::Result<FoundRuns> {
    let episodes = join(run_data, Path::new(EPISODES));
    let root = Arc::new(Root {
        real: episodes.clone(),
        typed: episodes,
        level: 1,
        given: GivenPaths::None,
    });
    let walk = TreeWalk {
        tree: &Unopened,
        root: &root,
        excludes: None,
    };
    let found = walk.everything(NonZeroUsize::MIN);
    let mut runs = FoundRuns {
        runs: found.likely.into_iter().map(RunDir::from).collect(),
        faults: Vec::new(),
    };
    for fault in found.faults {
        match fault.unlistable_at(&root.typed) {
            Ok(source) => return Err(source),
            Err(other) => runs.faults.push(other),
        }
    }
    let opened = found.episodes.into_iter();
    runs.runs.extend(opened.map(|it| RunDir::new(it.dir)));
    runs.sort();
    Ok(runs)
}

/// Returns the runs at or below a path that is not a run-data directory, such as one run.
pub(crate) fn runs_at(path: &Path, given: GivenPaths) -> FoundRuns {
    let found = discover(&[path], NonZeroUsize::MIN, None, given);
    let episodes = found.episodes.into_iter();
    let mut runs = FoundRuns {
        runs: episodes.map(|it| RunDir::new(it.dir)).collect(),
        faults: found.faults,
    };
    runs.sort();
    runs
}

/// Returns `true` if a path leads to a directory called `episodes`, or below one.
pub(crate) fn is_below_episodes(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| names_episodes(&real))
}

impl FoundRuns {
    fn sort(&mut self) {
        self.runs.sort_by(RunDir::order);
        self.faults.sort_by(|a, b| a.path().cmp(b.path()));
    }

    /// Returns all of these runs, each once.
    pub(crate) fn joined(parts: Vec<Self>) -> Self {
        if let [_] = &*parts {
            return parts.into_iter().next().unwrap_or_default();
        }
        let (mut all, mut seen, mut faults) = (Self::default(), BTreeSet::new(), BTreeMap::new());
        for part in parts {
            all.runs.extend(part.runs.into_iter().filter(|run| {
                let path = run.dir.path();
                seen.insert(path.canonicalize().unwrap_or(path))
            }));
            let part = part.faults.into_iter();
            faults.extend(part.map(|fault| (fault.path().to_owned(), fault)));
        }
        all.faults = faults.into_values().collect();
        all.sort();
        all
    }
}

/// The tree of all directories. Those that are most likely runs are not opened.
struct Unopened;

impl Tree for Unopened {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        let opened = open_dir(&dir.path())?;
        let mut listing = Listing::of(opened.as_fd())?;
        // Where runs are listed, nothing is said of links.
        listing.links.clear();
        if dir.nature(listing.entries, listing.holds_episodes) == Nature::Episode {
            return Ok(listing);
        }
        let names = mem::take(&mut listing.directories);
        let looked = look_at(opened.as_fd(), &names);
        for (name, looked) in names.into_iter().zip(looked) {
            match looked {
                Looked::Run { time } => listing.likely.push((name, time)),
                Looked::Other => listing.directories.push(name),
                Looked::Nothing => {}
            }
        }
        Ok(listing)
    }
}

/// The kind of a directory by its metadata.
enum Looked {
    /// Most likely a run: it may be read, and contains no directory.
    Run {
        time: i128,
    },
    Other,
    Nothing,
}

/// Looks at the metadata of directories in a directory. If there are many, several threads look at
/// them.
fn look_at(dir: BorrowedFd<'_>, names: &[Arc<OsStr>]) -> Vec<Looked> {
    let parts: Vec<_> = names.chunks(PIECE).collect();
    let jobs = match &*parts {
        [] | [_] => NonZeroUsize::MIN,
        _ => cores(),
    };
    let mut all = Vec::with_capacity(names.len());
    in_order(
        &parts,
        jobs,
        || (),
        |(), part| part.iter().map(|name| look(dir, name)).collect::<Vec<_>>(),
        |part| {
            all.extend(part);
            ControlFlow::Continue(())
        },
    );
    all
}

fn look(dir: BorrowedFd<'_>, name: &OsStr) -> Looked {
    let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(error) if is_nothing(&error.into()) => return Looked::Nothing,
        // Listing it says why.
        Err(_) => return Looked::Other,
    };
    let may_be_read = || {
        Mode::from_raw_mode(stat.st_mode).contains(Mode::ROTH)
            || rustix::fs::accessat(dir, name, Access::READ_OK, AtFlags::EACCESS).is_ok()
    };
    // A directory with only its two default hard links contains no directories, so no runs.
    if stat.st_nlink == 2 && name != EPISODES && may_be_read() {
        let time = time(&name.to_string_lossy(), &stat);
        Looked::Run { time }
    } else {
        Looked::Other
    }
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
