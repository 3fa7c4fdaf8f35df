//! The directory that a run works in -> the digest of each of its files, and what a file contains.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead};
use std::path::Path;

use walkdir::WalkDir;

use super::written::{digest_of, open_written};

/// The digests of the regular files below a directory, by their paths. Names to ignore are passed
/// over at any depth, and so are links and one directory more.
pub(crate) fn files_below(
    dir: &Path,
    ignored: &[&str],
    but: &Path,
) -> io::Result<BTreeMap<String, String>> {
    let but = fs::canonicalize(but).ok();
    let is_wanted = |entry: &walkdir::DirEntry| {
        let is_ignored = ignored.iter().any(|name| entry.file_name() == *name);
        let is_excepted = entry.file_type().is_dir()
            && but.is_some()
            && fs::canonicalize(entry.path()).ok() == but;
        entry.depth() == 0 || !(is_ignored || is_excepted)
    };
    let walk = WalkDir::new(dir).sort_by_file_name().into_iter();
    let mut files = BTreeMap::new();
    for entry in walk.filter_entry(is_wanted) {
        let digest = entry.map_err(io::Error::from).and_then(|entry| {
            let is_file = entry.file_type().is_file();
            let digest = is_file.then(|| digest_of(entry.path())).transpose()?;
            Ok((entry, digest))
        });
        match digest {
            Ok((entry, Some((digest, _)))) => {
                let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                files.insert(below.to_string_lossy().into_owned(), digest);
            }
            Ok((_, None)) => {}
            // What others remove meanwhile is not there. A missing directory is no workspace.
            Err(error) if error.kind() == io::ErrorKind::NotFound && super::is_there(dir) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// Whether a regular file contains some bytes.
pub(crate) fn contains(path: &Path, wanted: &[u8]) -> io::Result<bool> {
    let mut file = open_written(path)?;
    let mut kept = Vec::new();
    loop {
        let piece = file.fill_buf()?;
        kept.extend_from_slice(piece);
        if memchr::memmem::find(&kept, wanted).is_some() {
            return Ok(true);
        }
        let length = piece.len();
        if length == 0 {
            return Ok(false);
        }
        file.consume(length);
        kept.drain(..kept.len().saturating_sub(wanted.len()));
    }
}
