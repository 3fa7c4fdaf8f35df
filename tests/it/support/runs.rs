//! Copies of runs for tests to change.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use runvet::gate::Gate;
use tempfile::TempDir;

use crate::support::corpus::corpus;

/// The only run of a case of the corpus.
pub(crate) fn run_of(case: &str) -> PathBuf {
    let [run] = &Gate::default()
        .discover(&[corpus().join(case)])
        .episodes[..]
    else {
        panic!("one run in {case}")
    };
    run.path.clone()
}

/// A run with errors, `ep_03_edited`.
pub(crate) fn bad_run() -> PathBuf {
    corpus().join("demo/episodes/ep_03_edited")
}

/// Run data with a copy of the only run of a case, for a test to change; and the run's directory.
pub(crate) fn copy_of(case: &str) -> (TempDir, PathBuf) {
    let (temp, from) = (tempfile::tempdir().unwrap(), run_of(case));
    let dir = temp
        .path()
        .join("episodes")
        .join(from.file_name().unwrap());
    copy_dir(&from, &dir);
    (temp, dir)
}

/// Replaces a text that occurs exactly once.
pub(crate) fn replace(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

/// Sets when a directory last changed: a number of days after a fixed day.
pub(crate) fn touch(dir: &Path, day: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + day * 86_400);
    File::open(dir)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

pub(crate) fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from)
        .unwrap()
        .map(Result::unwrap)
    {
        let (from, to) = (file.path(), to.join(file.file_name()));
        if from.is_dir() {
            copy_dir(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// Run data with a copy of a good episode, `ep_answer`, for a test to change. It is in memory if
/// the system has a file system for that, because a slow disk may delay a writer for too long.
pub(crate) fn copy_of_good_run() -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let dir = temp.path().join("episodes/ep_answer");
    copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &dir);
    (temp, dir)
}
