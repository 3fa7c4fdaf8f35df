//! A run-data directory -> its runs. The listing is enough: no run is opened.

use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::discover::discover;
use super::fault::Fault;
use super::listed_run::ListedRun;
use super::nature::names_episodes;
use super::root::{GivenPaths, Root};
use super::tree::OnDisk;
use super::walk::{TreeWalk, WalkFindings};
use crate::ground::parallel::cores;
use crate::ground::source::{Artifact, EPISODES};
use crate::store::open::list;
use crate::store::path::join;

/// The number of levels below a directory that are searched. Projects keep run data near their
/// root.
const MAX_LEVELS: usize = 5;

/// The number of directories that are listed. A working directory may be a home, with millions
/// below it.
const MAX_LISTED: usize = 10_000;

/// Returns the runs below a run-data directory, and the paths there that can't be searched.
///
/// These are the runs that discovery finds below its directory called `episodes`, and directories
/// that turn out to be none when they are opened.
pub(crate) fn runs(run_data: &Path) -> io::Result<(Vec<ListedRun>, Vec<Fault>)> {
    let episodes = join(run_data, Path::new(EPISODES));
    let root = Root::at(episodes.clone(), episodes, 1, GivenPaths::None);
    let root = Arc::new(root);
    let walk = TreeWalk {
        opens_runs: false,
        ..TreeWalk::new(&OnDisk, &root, None)
    };

    let (runs, found) = split(walk.everything(cores()));
    let faults: io::Result<_> = found
        .into_iter()
        .map(|fault| fault.unless_at(&root.typed))
        .collect();

    Ok((runs, faults?))
}

/// Returns the runs at or below a path that is not a run-data directory, such as one run, and the
/// paths there that can't be searched.
pub(crate) fn runs_at(path: &Path, given: GivenPaths) -> (Vec<ListedRun>, Vec<Fault>) {
    split(discover(&[path], NonZeroUsize::MIN, None, given, None))
}

fn split(found: WalkFindings) -> (Vec<ListedRun>, Vec<Fault>) {
    let opened = found
        .episodes
        .into_iter()
        .map(ListedRun::from);
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

        listing
            .directories
            .retain(|name| &**name != EPISODES);
        if level < MAX_LEVELS {
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
    path.canonicalize()
        .is_ok_and(|real| names_episodes(&real))
}

/// Returns when an artifact of a run was last written.
pub(crate) fn last_written(dir: &Path) -> Option<SystemTime> {
    let written = |artifact: Artifact| {
        std::fs::symlink_metadata(dir.join(artifact.file_name()))
            .ok()?
            .modified()
            .ok()
    };

    Artifact::ALL
        .into_iter()
        .filter_map(written)
        .max()
}
