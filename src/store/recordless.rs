//! Directories that hold files and no record, and the runs -> those in which a run is likely that
//! can't be judged.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fault::{Fault, FaultKind};
use super::path::{self, display, join, shared_name};
use super::tree::Dir;
use crate::printable::{count, quote};
use crate::source::{Artifact, EPISODES};

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

fn is_packed(name: &[u8]) -> bool {
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

/// Returns the beginning that the names of runs share, such as `ep_`; of names without one, their
/// length.
fn shape(name: &OsStr) -> (&[u8], usize) {
    let name = name.as_encoded_bytes();
    let letters = name.iter().take_while(|it| it.is_ascii_alphabetic());
    match name.split_at_checked(letters.count()) {
        Some((start, [end, ..])) if !start.is_empty() && !end.is_ascii_digit() => (start, 0),
        _ => (&[], name.len()),
    }
}

/// Names what is wrong with directories that hold files and no record, below `episodes`: where a
/// run is likely, in a fault, else in a note, which come second. A note names the outermost
/// directory without a run.
pub(super) fn decide(
    mut recordless: Vec<(Dir, OtherNames)>,
    mut runs: Vec<PathBuf>,
) -> (Vec<Fault>, Vec<Fault>) {
    let (mut faults, mut notes) = (Vec::new(), BTreeMap::new());
    recordless.sort_by(|(a, _), (b, _)| a.path_order(b));
    runs.sort_unstable_by(|a, b| path::bytes(a).cmp(path::bytes(b)));
    let siblings: BTreeSet<_> = runs.iter().filter_map(|run| place_and_shape(run)).collect();
    let is_like_others =
        |path: &Path| place_and_shape(path).is_some_and(|it| siblings.contains(&it));
    for (dir, files) in recordless {
        let path = dir.path();
        let Some(outermost) = outermost_without_run(&dir, &runs) else {
            // A group: an archive beside its runs may be one of them.
            let suspects = files.suspects.iter();
            let beside = suspects.map(|name| join(&path, Path::new(&**name)));
            let packed = beside.filter(|it| is_packed(path::bytes(it)) && is_like_others(it));
            faults.extend(packed.map(|it| Fault::new(it, FaultKind::Packed)));
            continue;
        };
        if files.suspects.is_empty() {
            let below = path.strip_prefix(&outermost).unwrap_or(&path);
            notes.entry(outermost).or_insert(files.listed(below));
        } else {
            let holds = files.listed(Path::new(""));
            faults.push(Fault::new(path, FaultKind::NoRecord(holds)));
        }
    }
    let notes = notes.into_iter();
    let notes = notes.map(|(path, files)| Fault::new(path, FaultKind::NoRecord(files)));
    let (likely, notes): (Vec<_>, _) = notes.partition(|fault| is_like_others(fault.path()));
    faults.extend(likely);
    (faults, notes)
}

fn place_and_shape(path: &Path) -> Option<(&Path, (&[u8], usize))> {
    Some((path.parent()?, shape(path.file_name()?)))
}

/// Returns the outermost directory below `episodes` that is, or is above, one in which there is no
/// run, and has none itself; `None` where there is a run. The runs are sorted.
fn outermost_without_run(dir: &Dir, runs: &[PathBuf]) -> Option<PathBuf> {
    let has_run = |path: &Path| {
        let prefix = path::prefix(path);
        let first = runs.partition_point(|run| path::bytes(run) < &*prefix);
        let first = runs.get(first);
        first.is_some_and(|run| path::bytes(run).starts_with(&prefix))
    };
    let path = dir.path();
    if dir.name() == EPISODES || has_run(&path) {
        return None;
    }
    let levels = dir.below().components().count();
    let above = path.ancestors().take(levels);
    let inside = above.take_while(|it| !it.ends_with(EPISODES) && !has_run(it));
    Some(inside.last().unwrap_or(&path).to_owned())
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

    #[test]
    fn names_of_runs_share_their_beginning_or_their_length() {
        let shape = |name: &'static str| shape(OsStr::new(name));
        assert_eq!(shape("ep_01_answer"), shape("ep_x"));
        assert_eq!(shape("01JGFJJZ00"), shape("01JGFJJZ01"));
        assert_ne!(shape("ep_01"), shape("assets"));
        assert_ne!(shape("ep_01"), shape("run-01"));
    }
}
