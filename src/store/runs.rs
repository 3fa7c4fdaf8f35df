//! A run-data directory -> its runs, newest first. The listing is enough: no run is opened.
//!
//! The time of a run is the one in its directory's name, if the name ends in a ULID
//! (`ep_01JGFJJZ00CTSPE3DKFP348M8P`), else the modification time of the directory, which is when an
//! artifact was last added, renamed or removed.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::BorrowedFd;
use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, Stat};

use super::discover::discover;
use super::fault::Fault;
use super::hidden::{self, holds_timeline};
use super::listing::{list, open_dir};
use super::nature::{EPISODES, Nature, names_episodes, nature};
use super::path::{self, join};
use super::{EpisodeDir, Given};
use crate::parallel::{cores, in_order};
use crate::source::Artifact;

/// The number of entries whose metadata is one piece of work for a thread.
const PIECE: usize = 64;

/// A directory that is most likely a run.
#[derive(Clone, Debug)]
pub(crate) struct RunDir {
    at: At,
    /// Nanoseconds since 1970.
    time: i128,
}

/// Where a run is.
#[derive(Clone, Debug)]
enum At {
    /// A name in a directory of runs.
    Name(Arc<Path>, OsString),
    /// A run that was opened already.
    Found(Box<EpisodeDir>),
}

impl RunDir {
    fn new(found: EpisodeDir) -> Self {
        Self {
            time: rustix::fs::lstat(&found.path).map_or(0, |stat| time(&found.name, &stat)),
            at: At::Found(Box::new(found)),
        }
    }

    fn path(&self) -> PathBuf {
        match &self.at {
            At::Name(group, name) => join(group, Path::new(name)),
            At::Found(found) => found.path.clone(),
        }
    }

    /// The directory's name: the run's id.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match &self.at {
            At::Name(_, name) => name.to_string_lossy(),
            At::Found(found) => Cow::Borrowed(&found.name),
        }
    }

    /// The run, if the directory is one.
    pub(crate) fn episode(&self) -> Option<EpisodeDir> {
        let name = match &self.at {
            At::Found(found) => return Some((**found).clone()),
            At::Name(_, name) => name,
        };
        let path = self.path();
        let entries = list(&path).ok()?.entries;
        let is_run = nature(name, entries) != Nature::None;
        let id = path::id(name);
        is_run.then(|| EpisodeDir {
            path,
            id: Some(id.clone()),
            name: id,
            entries,
        })
    }

    /// Newest first. The names of runs in one directory are compared alone.
    fn order(&self, other: &Self) -> Ordering {
        other
            .time
            .cmp(&self.time)
            .then_with(|| match (&self.at, &other.at) {
                (At::Name(group, name), At::Name(other_group, other)) if group == other_group => {
                    other.cmp(name)
                }
                _ => other.path().cmp(&self.path()),
            })
    }
}

/// Runs, newest first, and paths that can't be searched, sorted.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    pub(crate) runs: Vec<RunDir>,
    pub(crate) faults: Vec<Fault>,
}

/// The runs below a run-data directory.
///
/// These are the runs that discovery finds below its directory called `episodes`, and directories
/// that turn out to be none when they are opened.
pub(crate) fn runs(run_data: &Path) -> io::Result<Runs> {
    let mut found = Runs::default();
    found.collect(&join(run_data, Path::new(EPISODES)))?;
    found.sort();
    Ok(found)
}

/// The runs at or below a path that is not a run-data directory, such as one run.
pub(crate) fn runs_at(path: &Path, given: Given<'_>) -> Runs {
    let found = discover(&[path], NonZeroUsize::MIN, &|_| false, given);
    let mut runs = Runs {
        runs: found.episodes.into_iter().map(RunDir::new).collect(),
        faults: found.faults,
    };
    runs.sort();
    runs
}

/// Whether a path leads to a directory called `episodes`, or below one.
pub(crate) fn is_below_episodes(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| names_episodes(&real))
}

impl Runs {
    fn sort(&mut self) {
        self.runs.sort_by(RunDir::order);
        self.faults.sort_by(|a, b| a.path().cmp(b.path()));
    }

    /// All of these runs, each once.
    pub(crate) fn joined(parts: Vec<Self>) -> Self {
        if let [_] = &*parts {
            return parts.into_iter().next().unwrap_or_default();
        }
        let (mut all, mut seen, mut faults) = (Self::default(), BTreeSet::new(), BTreeMap::new());
        for part in parts {
            all.runs.extend(part.runs.into_iter().filter(|run| {
                let path = run.path();
                seen.insert(path.canonicalize().unwrap_or(path))
            }));
            let part = part.faults.into_iter();
            faults.extend(part.map(|fault| (fault.path().to_owned(), fault)));
        }
        all.faults = faults.into_values().collect();
        all.sort();
        all
    }

    fn collect(&mut self, group: &Path) -> io::Result<()> {
        let mut dir = Dir::new(open_dir(group)?)?;
        let names_artifacts = group.file_name().is_some_and(|name| name == EPISODES);
        let mut is_stray = false;
        let (mut entries, mut end) = (Vec::new(), Ok(()));
        while let Some(entry) = dir.read() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    end = Err(error.into());
                    break;
                }
            };
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b".." | b".git") {
                continue;
            }
            is_stray |= names_artifacts && is_artifact(name);
            if matches!(entry.file_type(), FileType::Directory | FileType::Unknown) {
                entries.push((path::name(name.to_vec()), entry.file_type()));
            }
        }
        let group: Arc<Path> = group.into();
        let looked = look_at(dir.fd()?, &entries);
        for ((name, _), looked) in entries.into_iter().zip(looked) {
            match looked {
                Ok(Some(Looked { time, hard_links })) => {
                    if self.is_run(&name, &group, hard_links) {
                        let at = At::Name(Arc::clone(&group), name);
                        self.runs.push(RunDir { at, time });
                    }
                }
                Ok(None) => {}
                Err(source) => {
                    let path = join(&group, Path::new(&name));
                    self.faults.push(Fault::Unlistable { path, source });
                }
            }
        }
        if is_stray {
            self.faults.push(Fault::Stray(group.to_path_buf()));
        }
        end
    }

    /// Whether a directory is most likely a run. The runs of one that is a group are collected.
    fn is_run(&mut self, name: &OsStr, group: &Path, hard_links: u64) -> bool {
        // A directory with only its two default hard links contains no directories, so no runs.
        if hard_links == 2 && name != EPISODES {
            return true;
        }
        let path = &join(group, Path::new(name));
        let before = self.runs.len();
        let searched = list(path).and_then(|listing| {
            let nature = nature(name, listing.entries);
            if nature == Nature::Episode {
                let hidden = listing.directories.iter().map(|name| path.join(name));
                self.faults.extend(hidden.filter_map(hidden_run));
            } else {
                self.collect(path)?;
            }
            Ok((nature, listing.entries))
        });
        let entries = match searched {
            Ok((Nature::Episode, _)) => return true,
            Ok((Nature::UnlessAbove, entries)) => entries,
            Ok((Nature::None, _)) => return false,
            Err(source) => {
                let path = path.to_owned();
                self.faults.push(Fault::Unlistable { path, source });
                return false;
            }
        };
        // It is a run unless there is one below it, so candidates above an episode are dropped.
        let below = self.runs.split_off(before);
        self.runs
            .extend(below.into_iter().filter(|run| run.episode().is_some()));
        if self.runs.len() == before {
            return true;
        }
        let name = path::id(name);
        let dir = EpisodeDir {
            path: path.to_owned(),
            id: Some(name.clone()),
            name,
            entries,
        };
        if hidden::is_run(&dir) {
            self.faults.push(Fault::Displaced(dir.path));
        }
        false
    }
}

/// What the metadata of a directory says.
struct Looked {
    time: i128,
    hard_links: u64,
}

/// Looks at the metadata of entries of a directory: `None` where one is no directory, or gone. If
/// there are many, several threads look at them.
fn look_at(
    dir: BorrowedFd<'_>,
    entries: &[(OsString, FileType)],
) -> Vec<io::Result<Option<Looked>>> {
    let parts: Vec<_> = entries.chunks(PIECE).collect();
    let jobs = match &*parts {
        [] | [_] => NonZeroUsize::MIN,
        _ => cores(),
    };
    let mut all = Vec::with_capacity(entries.len());
    in_order(
        &parts,
        jobs,
        || (),
        |(), part| {
            let part = part.iter().map(|(name, listed)| look(dir, name, *listed));
            part.collect::<Vec<_>>()
        },
        |part| {
            all.extend(part);
            ControlFlow::Continue(())
        },
    );
    all
}

fn look(dir: BorrowedFd<'_>, name: &OsStr, listed: FileType) -> io::Result<Option<Looked>> {
    let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        // Some file systems do not list the type of an entry.
        Err(_) if listed == FileType::Unknown => return Ok(None),
        Err(error) => {
            let error = error.into();
            return if path::is_nothing(&error) {
                Ok(None)
            } else {
                Err(error)
            };
        }
    };
    if listed == FileType::Unknown && !FileType::from_raw_mode(stat.st_mode).is_dir() {
        return Ok(None);
    }
    if !Mode::from_raw_mode(stat.st_mode).contains(Mode::ROTH) {
        rustix::fs::accessat(dir, name, Access::READ_OK, AtFlags::EACCESS)?;
    }
    Ok(Some(Looked {
        time: time(&name.to_string_lossy(), &stat),
        hard_links: stat.st_nlink,
    }))
}

fn is_artifact(name: &[u8]) -> bool {
    let name = std::str::from_utf8(name).ok();
    name.and_then(Artifact::from_file_name).is_some()
}

/// The fault of a directory in an episode, if it has any.
fn hidden_run(directory: PathBuf) -> Option<Fault> {
    match holds_timeline(&directory) {
        Ok(true) => Some(Fault::Hidden(directory)),
        Ok(false) => None,
        Err(fault) => Some(fault),
    }
}

/// The time of a run.
fn time(name: &str, stat: &Stat) -> i128 {
    let changed = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
    ulid_time(name).map_or(changed, |milliseconds| i128::from(milliseconds) * 1_000_000)
}

/// The milliseconds since 1970 that a ULID at the end of a name carries.
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
