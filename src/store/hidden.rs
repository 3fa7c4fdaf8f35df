//! What lies in and beside an episode -> whether a run may be hidden there.

use std::io;
use std::path::Path;

use super::EpisodeDir;
use super::Unreadable;
use super::disk::Directory;
use super::fault::{Fault, unlistable};
use super::path::is_nothing;
use crate::document::{Kind, Refused, Tape};
use crate::source::Artifact;

/// Whether a directory in an episode holds a timeline, so that a run may be hidden there.
pub(super) fn holds_timeline(directory: &Path) -> Result<bool, Fault> {
    let timeline = directory.join(Artifact::Events.file_name());
    match timeline.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if is_nothing(&error) || is_loop(&error) => Ok(false),
        Err(source) => Err(unlistable(directory, source)),
    }
}

/// Whether a symbolic link leads to itself, and so nowhere.
pub(super) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether a directory with a summary above another episode is a run itself, and not a group with
/// a summary of its own: a run could be hidden by an episode that is added to it. What can't be
/// read may be a run's.
pub(super) fn is_run(dir: &EpisodeDir) -> bool {
    dir.entries.has(Artifact::Learn)
        || dir.entries.has(Artifact::Manifest)
        || names_run(dir).unwrap_or(true)
}

/// Whether the summary names a run.
fn names_run(dir: &EpisodeDir) -> Result<bool, Unreadable> {
    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    let directory = Directory::open(dir, false)?;
    let opened = directory.open_file(Artifact::Summary)?;
    opened.read_record(&mut bytes)?;
    Ok(match tape.read_record(&bytes) {
        Ok(summary) => {
            let id = summary.root().get("episode_id");
            id.is_some_and(|id| id.kind() == Kind::String)
        }
        Err(Refused::Syntax(_)) => false,
        Err(_) => true,
    })
}
