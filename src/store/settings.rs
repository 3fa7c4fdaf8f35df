//! The files that a user writes for runvet -> their location and their content.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::listing::list;
use super::nature::{names_episodes, run_data};
use super::path::{directory_of, is_gone};
use crate::ground::printable::escape;
use crate::ground::source::{Artifact, EPISODES};

/// The name of the configuration.
const CONFIG: &str = "runvet.toml";

/// The number of bytes of a user's file that are read, at most.
const MAX_BYTES: u64 = 256 << 20;

/// The number of links that lead to a file, at most: that of Linux.
const MAX_LINKS: usize = 40;

/// Looks for `runvet.toml` from a directory upward to the root of the repository; outside of a
/// repository, in the directory alone. Returns it, relative to the directory that the search starts
/// from, and files with that name inside run data, each with the path that shows it. They are not
/// read, because the author of the run data may have written them. The author may also have made
/// run data of their directory, so going on without them would let the writer of the run data
/// choose how it is judged.
pub(crate) fn find_config(here: &Path) -> (Option<PathBuf>, Vec<(PathBuf, PathBuf)>) {
    let is_root = |dir: &Path| dir.join(".git").exists() && sign_of_run_data(dir).is_none();
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
        let unknown = |_| path.exists().then(|| path.clone());
        match lies_in_run_data(&path).unwrap_or_else(unknown) {
            Some(sign) => passed_over.push((file, sign)),
            None => return (Some(file), passed_over),
        }
    }
    (None, passed_over)
}

/// Returns the path that shows that a directory contains run data, is an episode, or is inside run
/// data: that of a directory called `episodes`, or of a record.
///
/// A `state.json` of another program counts: the author of a run that is given by its path can make
/// it look like one.
pub(crate) fn sign_of_run_data(dir: &Path) -> Option<PathBuf> {
    if names_episodes(dir) {
        return Some(run_data(dir).join(EPISODES));
    }
    let listing = list(dir).ok()?;
    let mut records = [Artifact::State, Artifact::Events].into_iter();
    let record = records.find(|it| listing.entries.has(*it));
    let episodes = listing.holds_episodes.then_some(EPISODES);
    Some(dir.join(episodes.or(record.map(Artifact::file_name))?))
}

/// Returns the path that shows that a file, or a link on the way to it, lies inside run data at the
/// time of the look.
///
/// # Errors
///
/// A link can't be followed.
fn lies_in_run_data(given: &Path) -> io::Result<Option<PathBuf>> {
    let sign = sign_of_run_data(directory_of(given));
    if sign.is_some() {
        return Ok(sign);
    }
    let mut path = Path::new(".").join(given);
    for links in 0..=MAX_LINKS {
        let link = path.ancestors().filter(|it| it.is_symlink()).last();
        let dir = link.unwrap_or(&path).parent().unwrap_or(&path);
        // Without a link, the path is one that the user wrote.
        if links > 0
            && let Some(sign) = sign_of_run_data(&dir.canonicalize()?)
        {
            return Ok(Some(sign));
        }
        let Some(link) = link else { return Ok(None) };
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

/// Returns an error if a file that decides what is judged, or a link to it, lies inside run data:
/// the author of that may have written it.
pub(crate) fn must_be_trusted(path: &Path) -> io::Result<()> {
    match lies_in_run_data(path)? {
        None => Ok(()),
        Some(sign) => {
            let sign = sign.to_string_lossy();
            let why = format!("it lies inside run data, because of {}", escape(&sign));
            Err(io::Error::other(why))
        }
    }
}

/// Reads a text that decides what is judged.
pub(crate) fn read_trusted(path: &Path) -> io::Result<String> {
    must_be_trusted(path)?;
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
