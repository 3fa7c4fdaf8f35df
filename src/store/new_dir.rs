//! Texts -> files that did not exist.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Makes a directory, and those above it, and writes files into it in the given order. A directory
/// that exists is refused.
pub(crate) fn write_new_dir(dir: &Path, files: &[(&str, String)]) -> io::Result<()> {
    if let Some(above) = dir.parent() {
        fs::create_dir_all(above)?;
    }
    fs::create_dir(dir)?;
    files
        .iter()
        .try_for_each(|(name, text)| fs::write(dir.join(name), text))
}

/// Writes a file that does not exist, and makes the directories above it.
pub(crate) fn write_new_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}
