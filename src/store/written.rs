//! Files that were recorded -> their lines.

use std::io::{self, BufRead, BufReader, Read};

use super::{MAX_RECORD_BYTES, MAX_TIMELINE_BYTES};

/// Reads the lines of a timeline, newlines included, until `take` returns `false`; returns what
/// follows the last newline. A line or a file beyond the limits is an error.
pub(crate) fn whole_lines(
    file: impl Read,
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<Vec<u8>> {
    let mut left = MAX_TIMELINE_BYTES;
    let mut file = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = (MAX_RECORD_BYTES as u64 + 2).min(left + 1);
        let read = (&mut file).take(most).read_until(b'\n', &mut line)?;
        if read > MAX_RECORD_BYTES + 1 || read as u64 > left {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        left -= read as u64;
        if !line.ends_with(b"\n") {
            return Ok(line);
        }
        if !take(&line) {
            return Ok(Vec::new());
        }
    }
}
