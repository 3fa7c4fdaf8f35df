//! The name, the entries and the records of a directory -> whether it is an episode.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::ground::document::{Kind, Refused, Tape};
use crate::ground::record::STATE_FIELDS;
use crate::ground::source::{Artifact, EPISODES, Entries};
use crate::store::open::{EpisodeDir, LinkPolicy, OpenEpisode};
use crate::store::path::{is_loop, is_nothing};
use crate::store::read::Unreadable;

/// The nature of a directory: whether it is an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It is one, whatever is below it.
    Episode,
    /// It is one unless there is an episode below it.
    UnlessAbove,
    /// It is none.
    None,
}

/// Returns what a directory below one called `episodes` is, by its name and its own entries.
/// Nothing else in it counts, so that a run can't be hidden by what is added to it.
pub(super) fn nature(name: &OsStr, entries: Entries) -> Nature {
    if name == EPISODES {
        Nature::None
    } else if holds_records(entries) {
        Nature::Episode
    } else if entries.has(Artifact::Summary) {
        Nature::UnlessAbove
    } else {
        Nature::None
    }
}

/// Returns `true` if a directory holds a record that makes it an episode anywhere.
pub(super) fn holds_records(entries: Entries) -> bool {
    entries.has(Artifact::State) || entries.has(Artifact::Events)
}

/// Returns `true` if a directory is below one called `episodes`.
pub(crate) fn below_episodes(real: &Path) -> bool {
    real.parent()
        .is_some_and(names_episodes)
}

/// Returns `true` if any directory of a path is called `episodes`.
pub(crate) fn names_episodes(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str() == EPISODES)
}

/// Returns the run-data directory around a directory that is, or is below, one called `episodes`:
/// the outermost.
pub(crate) fn run_data(real: &Path) -> PathBuf {
    real.components()
        .take_while(|part| part.as_os_str() != EPISODES)
        .collect()
}

/// Returns whether a directory holds a timeline.
pub(crate) fn holds_timeline(dir: &Path) -> io::Result<bool> {
    match dir
        .join(Artifact::Events.file_name())
        .symlink_metadata()
    {
        Ok(_) => Ok(true),
        Err(error) if is_nothing(&error) || is_loop(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns `true` if a `state.json` is that of another program.
///
/// Other programs use that file name too, such as tools below `node_modules`. Their records have no
/// field of a run's. What can't be read, or is not an object, stays an episode: it may be a run
/// whose record is broken.
pub(crate) fn is_foreign(dir: &EpisodeDir) -> bool {
    is_foreign_state(&record(dir, Artifact::State).unwrap_or_default())
}

/// Returns `true` if the text of a `state.json` is that of another program.
pub(crate) fn is_foreign_state(bytes: &[u8]) -> bool {
    Tape::default()
        .read_record(bytes)
        .is_ok_and(|state| {
            let has_field = |field: &&str| state.root().get(field).is_some();
            state.root().kind() == Kind::Object && !STATE_FIELDS.iter().any(has_field)
        })
}

/// Returns `true` if a summary names a run. What can't be read may be a run's.
pub(crate) fn names_run(dir: &EpisodeDir) -> bool {
    let Ok(bytes) = record(dir, Artifact::Summary) else {
        return true;
    };
    match Tape::default().read_record(&bytes) {
        Ok(summary) => summary
            .root()
            .get("episode_id")
            .is_some_and(|id| id.kind() == Kind::String),
        Err(refused) => !matches!(refused, Refused::Syntax(_)),
    }
}

fn record(dir: &EpisodeDir, artifact: Artifact) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    OpenEpisode::open(dir, LinkPolicy::Refused)?
        .open_file(artifact)?
        .read_record(&mut bytes)?;
    Ok(bytes)
}
