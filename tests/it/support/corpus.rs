//! The paths of the cases in the corpus.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The directories that hold an `expect.json`, below a directory of the corpus.
pub(crate) fn expecting_cases(below: &str) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(corpus().join(below))
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap);
    files
        .filter(|file| file.file_name() == "expect.json")
        .map(|file| file.path().parent().unwrap().to_owned())
        .collect()
}

pub(crate) fn good_cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(corpus().join("good"))
        .unwrap()
        .map(|case| case.unwrap().path())
        .collect();
    cases.sort();
    cases
}
