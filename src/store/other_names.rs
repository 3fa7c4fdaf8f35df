//! The names of files that are no artifacts -> whether one may be a record under another name.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::path::{display, shared_name};
use crate::printable::{count, quote};
use crate::source::Artifact;

/// The endings of files that a compressor or an archiver writes.
const PACKED: [&[u8]; 12] = [
    b".gz", b".tgz", b".zst", b".xz", b".bz2", b".zip", b".tar", b".7z", b".lz4", b".br", b".rar",
    b".txz",
];

/// The number of files that a message names.
const MAX_NAMED: usize = 3;

/// The files of a directory that are no artifacts, as far as they tell whether a run is there.
/// Hidden ones do not count: file systems and editors leave them behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OtherNames {
    count: usize,
    /// The first name in order.
    first: Option<Arc<OsStr>>,
    /// The names of what may be a record that was packed, renamed or copied.
    pub(super) suspects: Vec<Arc<OsStr>>,
}

/// Returns `true` if a file may be a record, or hold some, under a name that is not an artifact's.
fn is_suspect(name: &[u8]) -> bool {
    is_packed(name) || resembles_artifact(name)
}

/// Returns `true` if a name is that of an artifact in another case of letters or with something
/// added, such as `STATE.JSON`, `state.json.bak` or `events (1).jsonl`.
fn resembles_artifact(name: &[u8]) -> bool {
    Artifact::ALL.iter().any(|artifact| {
        let stem = artifact.file_name().split('.').next().unwrap_or_default();
        let parts = name.split_at_checked(stem.len());
        parts.is_some_and(|(start, rest)| {
            let has_json = || rest.windows(5).any(|it| it.eq_ignore_ascii_case(b".json"));
            start.eq_ignore_ascii_case(stem.as_bytes()) && has_json()
        })
    })
}

pub(super) fn is_packed(name: &[u8]) -> bool {
    let ends = |ending: &&[u8]| {
        let at = name.len().checked_sub(ending.len());
        let end = at.and_then(|at| name.get(at..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    PACKED.iter().any(ends)
}

impl OtherNames {
    pub(super) fn add(&mut self, name: &[u8]) {
        if name.starts_with(b".") {
            return;
        }
        self.count += 1;
        let is_first = |first: &Arc<OsStr>| name < first.as_encoded_bytes();
        if self.first.as_ref().is_none_or(is_first) {
            self.first = Some(shared_name(name));
        }
        if is_suspect(name) {
            self.suspects.push(shared_name(name));
        }
    }

    pub(super) fn are_none(&self) -> bool {
        self.count == 0
    }

    /// Returns the names of some, and the number of the others; `below` leads to them.
    pub(super) fn listed(&self, below: &Path) -> String {
        let mut suspects: Vec<&OsStr> = self.suspects.iter().map(|name| &**name).collect();
        suspects.sort_unstable();
        let some = match &*suspects {
            [] => self.first.as_deref().into_iter().collect(),
            suspects => suspects.iter().copied().take(MAX_NAMED).collect::<Vec<_>>(),
        };
        let names = some.iter().map(|name| quote(&display(&below.join(name))));
        let names = names.collect::<Vec<_>>().join(", ");
        match self.count - some.len() {
            0 => names,
            more => format!("{names} and {}", count(more as u64, "more file")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_record_is_recognized_under_what_was_added() {
        for name in [
            "STATE.JSON",
            "State.json",
            "state.json.gz",
            "events.jsonl.1",
            "events (1).jsonl",
            "summary.json~",
            "EVENTS.JSONL.ZST",
            "ep_1.tar.gz",
            "run.ZIP",
        ] {
            assert!(is_suspect(name.as_bytes()), "{name}");
        }
        for name in ["notes.md", "state", "states.txt", "data.json", "json", "gz"] {
            assert!(!is_suspect(name.as_bytes()), "{name}");
        }
    }
}
