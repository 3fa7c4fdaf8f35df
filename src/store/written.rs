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
        let exceeded = match read {
            _ if read > MAX_RECORD_BYTES + 1 => Some(("a line", MAX_RECORD_BYTES as u64)),
            _ if read as u64 > left => Some(("the file", MAX_TIMELINE_BYTES)),
            _ => None,
        };
        if let Some((what, limit)) = exceeded {
            let why = format!("{what} is larger than the limit of {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
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
