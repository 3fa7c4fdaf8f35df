//! A list of paths, such as git prints -> the paths to check.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::source::Artifact;
use crate::store::{self, is_gone};

/// The maximum size of a list of paths, in bytes.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// The paths of a list that lead to episodes.
pub(super) struct PathList {
    pub(super) paths: Vec<PathBuf>,
    /// The number of those that were passed over because they lead to no artifact.
    pub(super) others: u64,
}

impl PathList {
    /// Reads a list of paths, each terminated by the byte `end`; `-` is standard input.
    pub(super) fn read(list: &Path, end: u8, skip_others: bool) -> io::Result<Self> {
        let bytes = read(list)?;
        let listed = bytes
            .split(|byte| *byte == end)
            .filter(|path| !path.is_empty());
        let (mut paths, mut others) = (Vec::new(), 0);
        for path in listed.map(|path| store::path::from_bytes(path.to_vec())) {
            if is_gone(&path) && is_artifact(&path) && path.parent().is_some_and(is_directory) {
                paths.extend(sibling(&path));
            } else if skip_others && is_other(&path) {
                others += 1;
            } else {
                paths.push(path);
            }
        }
        Ok(Self { paths, others })
    }
}

fn is_artifact(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.and_then(Artifact::from_file_name).is_some()
}

fn is_directory(path: &Path) -> bool {
    path == Path::new("") || path.is_dir()
}

/// Whether nothing is at a path, or a file that is not an artifact.
fn is_other(path: &Path) -> bool {
    is_gone(path) || !(is_artifact(path) || path.is_dir())
}

/// What is left of the run whose artifact was deleted, if anything is: another artifact stands for
/// the episode as well. The directory does not, because episodes may lie below it.
fn sibling(deleted: &Path) -> Option<PathBuf> {
    let others = Artifact::ALL.map(|other| deleted.with_file_name(other.file_name()));
    others.into_iter().find(|other| !is_gone(other))
}

fn read(list: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader: Box<dyn Read> = if list.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(list)?)
    };
    reader
        .by_ref()
        .take(MAX_LIST_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_LIST_BYTES {
        return Err(io::Error::other(format!(
            "it is longer than {} MiB",
            MAX_LIST_BYTES >> 20
        )));
    }
    Ok(bytes)
}
