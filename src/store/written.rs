//! Files that were recorded -> their lines, their bytes, their digests.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::disk::EpisodeDir;
use super::writing::open_regular;
use crate::digest::FileDigest;

/// Opens a regular file for reading.
pub(crate) fn open_written(path: &Path) -> io::Result<BufReader<std::fs::File>> {
    Ok(BufReader::new(open_regular(
        path,
        OpenOptions::new().read(true),
    )?))
}

/// Reads the lines of a file, newlines included, until `take` returns `false`; returns what follows
/// the last newline. A longer line than the limit is an error.
pub(crate) fn whole_lines(
    path: &Path,
    limit: usize,
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<Vec<u8>> {
    let mut file = open_written(path)?;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut file)
            .take(limit as u64 + 2)
            .read_until(b'\n', &mut line)?;
        if read > limit + 1 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if !line.ends_with(b"\n") {
            return Ok(line);
        }
        if !take(&line) {
            return Ok(Vec::new());
        }
    }
}

/// The content of a file that is not longer than a limit.
pub(crate) fn read_whole(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = open_written(path)?
        .take(limit as u64 + 1)
        .read_to_end(&mut content)?;
    if read > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}

/// The SHA-256 digest of a file in hexadecimal digits, and its length.
pub(crate) fn digest_of(path: &Path) -> io::Result<(String, u64)> {
    let (length, digest) =
        FileDigest::of_stream(open_written(path)?, u64::MAX)?.ok_or(io::ErrorKind::FileTooLarge)?;
    Ok((digest.to_string(), length))
}

/// Whether a directory has an entry of a name.
pub(crate) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The directory of an episode whose id is its name.
pub(crate) fn episode_dir(path: &Path, id: &str) -> io::Result<EpisodeDir> {
    let mut dir = EpisodeDir {
        path: path.to_owned(),
        id: Some(id.to_owned()),
        name: id.to_owned(),
        entries: crate::source::Entries::default(),
    };
    dir.list_again()?;
    Ok(dir)
}
