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

/// The result of searching for the configuration.
#[derive(Default)]
pub(crate) struct ConfigSearch {
    /// The configuration file, relative to the directory that the search started from.
    pub(crate) found: Option<PathBuf>,
    /// Files with that name inside run data, which are not read, because the author of the run data
    /// may have written them. The author may also have made run data of their directory, so going
    /// on without them would let the writer of the run data choose how it is judged.
    pub(crate) passed_over: Vec<PathBuf>,
}

/// Looks for `runvet.toml` from a directory upward to the root of the repository; outside of a
/// repository, in the directory alone.
pub(crate) fn find_config(here: &Path) -> ConfigSearch {
    let is_root = |dir: &Path| dir.join(".git").exists() && !is_run_data(dir);
    let levels = here.ancestors().position(is_root).unwrap_or_default();
    let mut search = ConfigSearch::default();
    for (level, dir) in here.ancestors().take(levels + 1).enumerate() {
        // A file that exists but can't be read must not be ignored.
        if is_gone(&dir.join(CONFIG)) {
            continue;
        }
        let file = std::iter::repeat_n("..", level)
            .collect::<PathBuf>()
            .join(CONFIG);
        let real = dir.join(CONFIG).canonicalize();
        if is_run_data(dir) || real.is_ok_and(|real| lies_in_run_data(&real)) {
            search.passed_over.push(file);
        } else {
            search.found = Some(file);
            break;
        }
    }
    search
}

/// Whether a directory contains run data, is an episode, or is inside run data.
fn is_run_data(dir: &Path) -> bool {
    dir.components()
        .any(|part| part == Component::Normal(EPISODES.as_ref()))
        || list(dir).is_ok_and(|listing| listing.holds_episodes || holds_records(listing.entries))
}

fn lies_in_run_data(path: &Path) -> bool {
    path.parent().is_some_and(is_run_data)
}

/// An error if a file that was found by its name is not a regular file: reading a FIFO would block.
#[cfg(feature = "cli")]
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
    // No link is left on the real path, so that what is read is what was looked at.
    let real = path.canonicalize()?;
    if lies_in_run_data(path) || lies_in_run_data(&real) {
        return Err(io::Error::other("it lies inside run data"));
    }
    read_text(&real)
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
