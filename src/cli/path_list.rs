//! A list of paths, such as git prints -> the paths to check.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::ground::printable::{count, quote};
use crate::ground::source::{Artifact, EPISODES};
use crate::store::{self, display, is_gone};

/// The maximum size of a list of paths, in bytes.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// The paths of a list that lead to episodes.
#[derive(Default)]
pub(super) struct PathList {
    pub(super) paths: Vec<PathBuf>,
    /// The number of those that were passed over because they lead to no artifact.
    others: u64,
    /// Paths of artifacts whose directories do not exist here.
    lost: Vec<PathBuf>,
    /// `true` if a path leads to a directory in which an artifact was.
    has_deleted: bool,
}

impl PathList {
    /// Adds a path.
    pub(super) fn add(&mut self, path: PathBuf, skip_others: bool) {
        let has_directory = || path.parent().is_some_and(is_directory);
        if is_gone(&path) && is_artifact(&path) && has_directory() {
            self.has_deleted = true;
            self.paths.extend(sibling(&path));
        } else if skip_others && is_gone(&path) && is_artifact(&path) {
            self.lost.push(path);
        } else if skip_others && is_other(&path) {
            self.others += 1;
        } else {
            self.paths.push(path);
        }
    }

    /// Returns the notes on the paths that were passed over. It is an error that artifacts exist
    /// from another directory on, or that all of a list lie in directories that do not exist.
    pub(super) fn notes(&self) -> Result<Vec<String>, String> {
        let mut notes = Vec::new();
        if self.others > 0 {
            let paths = count(self.others, "path");
            notes.push(format!("skipped {paths} without an artifact"));
        }

        let Some(first) = self.lost.first() else {
            return Ok(notes);
        };
        let paths = count(self.lost.len() as u64, "path");
        let lost = format!(
            "{paths} of artifacts in directories that do not exist here, such as {}",
            quote(&display(first))
        );
        let here = std::env::current_dir().unwrap_or_default();
        let is_above = |path: &Path| {
            here.ancestors()
                .skip(1)
                .any(|dir| is_directory(dir.join(path).parent().unwrap_or(dir)))
        };

        let is_stray = |path: &PathBuf| {
            path.ancestors()
                .find(|it| it.ends_with(EPISODES))
                .is_some_and(|dir| !is_directory(dir))
        };

        let is_all = self.paths.is_empty() && !self.has_deleted;
        if self
            .lost
            .iter()
            .any(|path| is_above(path))
            || is_all && self.lost.iter().all(is_stray)
        {
            return Err(format!(
                "the list has {lost}: it was made in another directory than it is read in; git \
                 lists paths from the root of the repository, and with --relative from the working \
                 directory"
            ));
        }

        notes.push(format!("skipped {lost}: their runs were deleted"));
        Ok(notes)
    }
}

fn is_artifact(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .and_then(Artifact::from_file_name)
        .is_some()
}

fn is_directory(path: &Path) -> bool {
    path == Path::new("") || path.is_dir()
}

/// Returns `true` if nothing is at a path, or a file that is not an artifact.
fn is_other(path: &Path) -> bool {
    is_gone(path) || !(is_artifact(path) || path.is_dir())
}

/// Returns what is left of the run whose artifact was deleted, if anything is: another artifact
/// stands for the episode as well. The directory does not, because episodes may lie below it.
fn sibling(deleted: &Path) -> Option<PathBuf> {
    Artifact::ALL
        .map(|other| deleted.with_file_name(other.file_name()))
        .into_iter()
        .find(|other| !is_gone(other))
}

/// Reads a list of paths, each terminated by the byte `end`; `-` is standard input.
pub(super) fn read(list: &Path, end: u8) -> io::Result<Vec<PathBuf>> {
    let bytes = if list.as_os_str() == "-" {
        read_at_most(io::stdin().lock(), MAX_LIST_BYTES)?
    } else {
        read_at_most(File::open(list)?, MAX_LIST_BYTES)?
    };

    // Shells of Windows put a byte order mark before a list.
    let bytes = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&bytes);
    if bytes.contains(&0) != (end == 0) && !bytes.is_empty() {
        return Err(io::Error::other(match end {
            0 => "no NUL byte ends a path, so leave out --null",
            _ => {
                "it has NUL bytes: --null is for a list that these separate, and UTF-16 must be UTF-8"
            }
        }));
    }

    let listed = bytes
        .split(|byte| *byte == end)
        .map(|path| match end {
            0 => store::path::from_bytes(path.to_vec()),
            _ => from_line(path),
        });

    Ok(listed
        .filter(|path| *path != Path::new(""))
        .collect())
}

/// Returns the path on a line. Where none is as the line reads, its line end is that of Windows, or
/// git has quoted it.
fn from_line(line: &[u8]) -> PathBuf {
    let path = |bytes: &[u8]| store::path::from_bytes(bytes.to_vec());
    if !is_gone(&path(line)) {
        return path(line);
    }

    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line {
        [b'"', quoted @ .., b'"'] if is_gone(&path(line)) => path(&unquoted(quoted)),
        _ => path(line),
    }
}

/// Returns the bytes of a path that git has quoted.
fn unquoted(mut quoted: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [first, rest @ ..] = quoted {
        let octal = store::path::octal_escape(quoted);
        let (byte, rest) = octal.unwrap_or_else(|| match (first, rest) {
            (b'\\', [escape, rest @ ..]) => {
                let known = b"abtnvfr"
                    .iter()
                    .zip(7..)
                    .find(|(it, _)| *it == escape);
                (known.map_or(*escape, |(_, byte)| byte), rest)
            }
            _ => (*first, rest),
        });
        bytes.push(byte);
        quoted = rest;
    }

    bytes
}

/// Reads all there is, up to a number of bytes.
pub(super) fn read_at_most(reader: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader
        .take(max + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        let message = format!("it is larger than {} MiB", max >> 20);
        return Err(io::Error::other(message));
    }

    Ok(bytes)
}
