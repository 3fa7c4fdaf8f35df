//! The content of a directory -> whether it is a run, or may hide one.

use std::io;
use std::path::Path;

use super::Unreadable;
use super::disk::{Directory, EpisodeDir, LinkPolicy};
use super::path::{is_loop, is_nothing};
use crate::document::{Kind, Refused, Tape};
use crate::record::STATE_FIELDS;
use crate::source::Artifact;

/// Returns whether a directory holds a timeline.
pub(super) fn holds_timeline(dir: &Path) -> io::Result<bool> {
    match dir.join(Artifact::Events.file_name()).symlink_metadata() {
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
pub(super) fn is_foreign(dir: &EpisodeDir) -> bool {
    let bytes = record(dir, Artifact::State).unwrap_or_default();
    Tape::default().read_record(&bytes).is_ok_and(|state| {
        let has_field = |field: &&str| state.root().get(field).is_some();
        state.root().kind() == Kind::Object && !STATE_FIELDS.iter().any(has_field)
    })
}

/// Returns `true` if a summary names a run. What can't be read may be a run's.
pub(super) fn names_run(dir: &EpisodeDir) -> bool {
    let Ok(bytes) = record(dir, Artifact::Summary) else {
        return true;
    };
    match Tape::default().read_record(&bytes) {
        Ok(summary) => {
            let id = summary.root().get("episode_id");
            id.is_some_and(|id| id.kind() == Kind::String)
        }
        Err(refused) => !matches!(refused, Refused::Syntax(_)),
    }
}

fn record(dir: &EpisodeDir, artifact: Artifact) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    let opened = Directory::open(dir, LinkPolicy::Refused)?.open_file(artifact)?;
    opened.read_record(&mut bytes)?;
    Ok(bytes)
}
