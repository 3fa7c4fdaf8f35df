//! A directory with only a `state.json` -> whether another program wrote it.
//!
//! Other programs use that file name too, such as tools below `node_modules`. Their records have no
//! field of a run's. What can't be read, or is not an object, stays an episode: it may be a run
//! whose record is broken.

use std::path::Path;

use super::disk::{Directory, EpisodeDir};
use crate::document::{Kind, Tape};
use crate::record::STATE_FIELDS;
use crate::source::Artifact;

/// The paths of a search that a user gave. What they lead to is judged in any case.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'p> {
    /// All of them.
    Each,
    /// This one; the others were found.
    #[cfg_attr(
        not(feature = "watch"),
        expect(
            dead_code,
            reason = "a watch is given a directory and finds the others"
        )
    )]
    Only(&'p Path),
    /// None of them.
    None,
}

/// Whether a directory outside `episodes` holds the `state.json` of another program, and no other
/// artifact.
pub(super) fn is_foreign(dir: &EpisodeDir) -> bool {
    let is_only_state = |it: &Artifact| dir.entries.has(*it) == (*it == Artifact::State);
    dir.id.is_none()
        && Artifact::ALL.iter().all(is_only_state)
        && shares_no_field(dir).unwrap_or(false)
}

/// Whether a state record is an object without any field of a run's; `None` where it is no object.
fn shares_no_field(dir: &EpisodeDir) -> Option<bool> {
    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    let directory = Directory::open(dir, false).ok()?;
    let opened = directory.open_file(Artifact::State).ok()?;
    opened.read_record(&mut bytes).ok()?;
    let root = tape.read_record(&bytes).ok()?.root();
    let has_none = || STATE_FIELDS.iter().all(|field| root.get(field).is_none());
    (root.kind() == Kind::Object).then(has_none)
}
