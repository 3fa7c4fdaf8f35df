//! What a directory contains -> whether it is a run, or may hide one.

use std::io;
use std::path::Path;

use super::Unreadable;
use super::disk::{Directory, EpisodeDir, Links};
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
    shares_no_field(dir).unwrap_or(false)
}

/// Returns `true` if a summary names a run. What can't be read may be a run's.
pub(super) fn names_run(dir: &EpisodeDir) -> bool {
    has_episode_id(dir).unwrap_or(true)
}

/// Returns whether a state record is an object without any field of a run's; `None` where it is not
/// an object.
fn shares_no_field(dir: &EpisodeDir) -> Option<bool> {
    let (bytes, mut tape) = (record(dir, Artifact::State).ok()?, Tape::default());
    let root = tape.read_record(&bytes).ok()?.root();
    let has_none = || STATE_FIELDS.iter().all(|field| root.get(field).is_none());
    (root.kind() == Kind::Object).then(has_none)
}

fn has_episode_id(dir: &EpisodeDir) -> Result<bool, Unreadable> {
    let (bytes, mut tape) = (record(dir, Artifact::Summary)?, Tape::default());
    Ok(match tape.read_record(&bytes) {
        Ok(summary) => {
            let id = summary.root().get("episode_id");
            id.is_some_and(|id| id.kind() == Kind::String)
        }
        Err(Refused::Syntax(_)) => false,
        Err(_) => true,
    })
}

fn record(dir: &EpisodeDir, artifact: Artifact) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    let opened = Directory::open(dir, Links::Refused)?.open_file(artifact)?;
    opened.read_record(&mut bytes)?;
    Ok(bytes)
}
