//! The files that a user writes for runvet -> their location and their content.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::is_gone;
use super::listing::list;
use super::nature::holds_records;
use crate::source::EPISODES;

/// The name of the configuration.
const CONFIG: &str = "runvet.toml";

/// The number of bytes of a user's file that are read, at most.
const MAX_BYTES: u64 = 256 << 20;

/// The number of links that lead to a file, at most: that of Linux.
const MAX_LINKS: usize = 40;

/// Looks for `runvet.toml` from a directory upward to the root of the repository; outside of a
/// repository, in the directory alone. Returns it, relative to the directory that the search starts
/// from, and files with that name inside run data, which are not read, because the author of the
/// run data may have written them. The author may also have made run data of their directory, so
/// going on without them would let the writer of the run data choose how it is judged.
pub(crate) fn find_config(here: &Path) -> (Option<PathBuf>, Vec<PathBuf>) {
    let is_root = |dir: &Path| dir.join(".git").exists() && !is_run_data(dir);
    let levels = here.ancestors().position(is_root).unwrap_or_default();
    let mut passed_over = Vec::new();
    for (level, dir) in here.ancestors().take(levels + 1).enumerate() {
        // A file that exists but can't be read must not be ignored.
        let path = dir.join(CONFIG);
        if is_gone(&path) {
            continue;
        }
        let file = std::iter::repeat_n("..", level)
            .collect::<PathBuf>()
            .join(CONFIG);
        if !lies_in_run_data(&path).unwrap_or_else(|_| path.exists()) {
            return (Some(file), passed_over);
        }
        passed_over.push(file);
    }
    (None, passed_over)
}

/// Returns `true` if a directory contains run data, is an episode, or is inside run data.
pub(crate) fn is_run_data(dir: &Path) -> bool {
    dir.components()
        .any(|part| part == Component::Normal(EPISODES.as_ref()))
        || list(dir).is_ok_and(|listing| listing.holds_episodes || holds_records(listing.entries))
}

/// Returns whether a file, or a link on the way to it, lies inside run data at the time of the
/// look.
///
/// # Errors
///
/// A link can't be followed.
fn lies_in_run_data(given: &Path) -> io::Result<bool> {
    if given.parent().is_some_and(is_run_data) {
        return Ok(true);
    }
    let mut path = Path::new(".").join(given);
    for links in 0..=MAX_LINKS {
        let link = path.ancestors().filter(|it| it.is_symlink()).last();
        let dir = link.unwrap_or(&path).parent().unwrap_or(&path);
        // Without a link, the path is one that the user wrote.
        if links > 0 && is_run_data(&dir.canonicalize()?) {
            return Ok(true);
        }
        let Some(link) = link else { return Ok(false) };
        let rest = path.strip_prefix(link).unwrap_or(Path::new(""));
        path = dir
            .join(link.read_link()?)
            .join(rest)
            .components()
            .collect();
    }
    Err(io::Error::other("too many links lead to it"))
}

/// Returns an error if a file that was found by its name is not a regular file: reading a FIFO
/// would block.
pub(crate) fn must_be_file(path: &Path) -> io::Result<()> {
    if path.metadata()?.is_file() {
        Ok(())
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Reads a text that decides what is judged, unless it or a link to it lies inside run data: the
/// author of that may have written it.
pub(crate) fn read_trusted(path: &Path) -> io::Result<String> {
    if lies_in_run_data(path)? {
        return Err(io::Error::other("it lies inside run data"));
    }
    read_text(path)
}

/// Opens a file that the user named, to read it from its start to its end.
pub(crate) fn open_given(path: &Path) -> io::Result<impl Read + use<>> {
    File::open(path)
}

/// Reads a text that the user named.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it is longer than {} MiB",
            MAX_BYTES >> 20
        )));
    }
    Ok(text)
}
