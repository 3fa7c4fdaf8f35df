//! The files of the repository that people wrote, as text.

use std::collections::BTreeMap;
use std::fs;

use walkdir::{DirEntry, WalkDir};

use crate::support::markdown::root;

/// Every Rust file below `src/`: its path from the project's root, and its text.
pub(crate) fn sources() -> BTreeMap<String, String> {
    files("src", "rs")
}

/// Every file below a directory that has an extension; built and hidden files are left out.
pub(crate) fn files(below: &str, extension: &str) -> BTreeMap<String, String> {
    let is_written = |entry: &DirEntry| {
        let name = entry
            .file_name()
            .to_str()
            .unwrap_or_default();
        entry.depth() == 0 || !(name == "target" || name.starts_with('.'))
    };
    let entries = WalkDir::new(root().join(below)).into_iter();
    entries
        .filter_entry(is_written)
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| {
            path.extension()
                .is_some_and(|found| found == extension)
        })
        .map(|path| {
            let name = path
                .strip_prefix(root())
                .unwrap()
                .display()
                .to_string();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// A text without its comments, which may mention anything, and without its tests.
pub(crate) fn code(text: &str) -> String {
    let production = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap();
    production
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |code, line| code + line + "\n")
}
