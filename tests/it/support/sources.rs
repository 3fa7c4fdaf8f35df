//! The source files of the crate, as text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Every Rust file below `src/`: its path from the project's root, and its text.
pub(crate) fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = WalkDir::new(root.join("src")).into_iter();
    files
        .map(|file| file.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let text = fs::read_to_string(path).unwrap();
            (name, text)
        })
        .collect()
}

/// A text without its comments, which may speak of anything, and without its tests.
pub(crate) fn code(text: &str) -> String {
    let production = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    production
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |code, line| code + line + "\n")
}
