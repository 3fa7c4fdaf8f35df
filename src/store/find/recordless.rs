//! Directories that hold files and no record, and the runs -> those in which a run is likely that
//! can't be judged.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::dir::Dir;
use super::fault::{Fault, FaultKind};
use crate::ground::source::EPISODES;
use crate::store::open::{OtherNames, is_packed};
use crate::store::path::{self, join};

/// Returns the beginning that the names of runs share, such as `ep_`; of names without one, their
/// length.
fn shape(name: &OsStr) -> (&[u8], usize) {
    let name = name.as_encoded_bytes();
    let letters = name
        .iter()
        .take_while(|it| it.is_ascii_alphabetic());

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

    let siblings: BTreeSet<_> = runs
        .iter()
        .filter_map(|run| place_and_shape(run))
        .collect();
    let is_like_others =
        |path: &Path| place_and_shape(path).is_some_and(|it| siblings.contains(&it));

    for (dir, files) in recordless {
        let path = dir.path();
        let Some(outermost) = outermost_without_run(&dir, &runs) else {
            // A group: an archive beside its runs may be one of them.
            let packed = files
                .suspects
                .iter()
                .map(|name| join(&path, Path::new(&**name)))
                .filter(|it| is_packed(path::bytes(it)) && is_like_others(it));
            faults.extend(packed.map(|it| Fault::new(it, FaultKind::Packed)));
            continue;
        };

        if files.suspects.is_empty() {
            let below = path
                .strip_prefix(&outermost)
                .unwrap_or(&path);
            notes
                .entry(outermost)
                .or_insert(files.listed(below));
        } else {
            let holds = files.listed(Path::new(""));
            faults.push(Fault::new(path, FaultKind::NoRecord(holds)));
        }
    }

    let notes = notes
        .into_iter()
        .map(|(path, files)| Fault::new(path, FaultKind::NoRecord(files)));
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
        runs.get(first)
            .is_some_and(|run| path::bytes(run).starts_with(&prefix))
    };

    let path = dir.path();
    if dir.name() == EPISODES || has_run(&path) {
        return None;
    }

    let levels = dir.below().components().count();
    let inside = path
        .ancestors()
        .take(levels)
        .take_while(|it| !it.ends_with(EPISODES) && !has_run(it));

    Some(
        inside
            .last()
            .unwrap_or(&path)
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_share_their_beginning_or_their_length() {
        let shape = |name: &'static str| shape(OsStr::new(name));
        assert_eq!(shape("ep_01_answer"), shape("ep_x"));
        assert_eq!(shape("01JGFJJZ00"), shape("01JGFJJZ01"));
        assert_ne!(shape("ep_01"), shape("assets"));
        assert_ne!(shape("ep_01"), shape("run-01"));
    }
}
