//! The directory that a run works in -> the digest of each of its files, and what a file contains.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;

use super::dir::OpenDir;
use crate::ground::digest::FileDigest;
use crate::ground::source::EntryKind;
use crate::store::path::there;

/// The number of bytes of all files of a workspace that are read, at most: as of all files that a
/// manifest names.
const MAX_WORKSPACE_BYTES: u64 = 16 << 30;

/// The number of entries of a workspace that are looked at, at most: a snapshot can name as many.
const MAX_ENTRIES: usize = 500_000;

/// The number of levels below a workspace that are looked at, at most.
const MAX_LEVELS: usize = 256;

/// Returns the digests of the regular files below a directory, by their paths. Links are passed
/// over, and names that are ignored, and one directory. Beyond 16 GiB, 500,000 entries or 256
/// levels, there are none, nor where it is asked to stop.
pub(crate) fn files_below(
    dir: &OpenDir,
    ignored: &[&str],
    but: Option<&OpenDir>,
    stop: &AtomicBool,
) -> io::Result<BTreeMap<String, String>> {
    let (mut digests, mut bytes_left) = (BTreeMap::new(), MAX_WORKSPACE_BYTES);
    let mut entries_left = MAX_ENTRIES;
    // A directory is opened when its turn comes, so that few are open at a time.
    let mut waiting = vec![(dir.clone(), OsString::from("."), PathBuf::new())];
    while let Some((parent, name, at)) = waiting.pop() {
        // What others remove meanwhile is not there.
        let Some(dir) = there(parent.dir(&name))? else {
            continue;
        };
        let is_top = at.as_os_str().is_empty();
        if !is_top && but.is_some_and(|but| dir.is(but)) {
            continue;
        }
        if at.components().count() > MAX_LEVELS {
            return Err(io::Error::other("it is nested too deep"));
        }

        let names = dir.names(entries_left)?;
        entries_left -= names.len();
        for (name, kind) in names {
            let path = at.join(&name);
            if ignored
                .iter()
                .any(|ignored| name == *ignored)
            {
            } else if kind == EntryKind::Directory {
                waiting.push((dir.clone(), name, path));
            } else if kind == EntryKind::File
                && let Some((bytes, digest)) = there(digest(&dir, &name, bytes_left, stop))?
            {
                bytes_left -= bytes;
                digests.insert(text_of(&path), digest.to_string());
            }
        }
    }

    Ok(digests)
}

/// Returns the size and the digest of a file that is not larger than a limit.
fn digest(
    dir: &OpenDir,
    name: &OsStr,
    limit: u64,
    stop: &AtomicBool,
) -> io::Result<(u64, FileDigest)> {
    let file = dir.file(name, OFlags::RDONLY)?;
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    if file.metadata()?.len() > limit {
        return Err(too_large());
    }

    FileDigest::of_stream(Stoppable(file, stop), limit)?.ok_or_else(too_large)
}

/// Returns the text of a path below a workspace. One that is not UTF-8 is escaped after two
/// slashes, with which no other starts.
fn text_of(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    path.to_str()
        .map_or_else(|| format!("//{}", bytes.escape_ascii()), str::to_owned)
}

/// A reader that fails once its flag is set.
struct Stoppable<'s, R>(R, &'s AtomicBool);

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.load(Ordering::Relaxed) {
            return Err(io::Error::other("it was asked to stop"));
        }
        self.0.read(buffer)
    }
}

/// Returns whether content has some bytes in it.
pub(crate) fn contains(content: impl Read, wanted: &[u8], stop: &AtomicBool) -> io::Result<bool> {
    let mut file = BufReader::new(Stoppable(content, stop));
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
