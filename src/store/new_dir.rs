//! Texts -> files in a directory that did not exist.

use std::fs;
use std::io;
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
