//! The bytes of a timeline, read again -> the digest of what is before each event that gives one.

use std::io;

use crate::ground::digest::RunningDigest;
use crate::ground::source::Line;
use crate::reading::facts::Prefix;
use crate::store::Opened;

/// The number of bytes that are read at a time.
const PART: u64 = 64 << 10;

/// Adds their digests to prefixes, which are in the order of the lines; those from the first on
/// that can't be read again stay without.
pub(super) fn measure(prefixes: &mut [Prefix], stream: &Opened<'_>) {
    // The prefixes that were measured say how far that went.
    let _ = measured(prefixes, stream);
}

fn measured(prefixes: &mut [Prefix], stream: &Opened<'_>) -> io::Result<()> {
    let (mut digest, mut at, mut bytes) = (RunningDigest::default(), 0, Vec::new());
    for prefix in prefixes {
        while at < prefix.line.offset {
            let length = (prefix.line.offset - at).min(PART);
            let part = Line {
                number: prefix.line.number,
                offset: at,
                length: usize::try_from(length).map_err(io::Error::other)?,
            };

            stream.read_again(part, &mut bytes)?;
            digest.add(&bytes);
            at += length;
        }

        prefix.actual = Some(digest.so_far());
    }

    Ok(())
}
