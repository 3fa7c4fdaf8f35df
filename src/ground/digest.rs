//! Texts -> a short digest that identifies them, stable across versions and machines.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read};
use std::sync::LazyLock;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The first 128 bits of a SHA-256 hash: enough that nobody who writes run data can find two texts
/// with the same digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Digest([u8; 16]);

impl Digest {
    /// Returns the digest of a sequence of parts: `["ab", "c"]` and `["a", "bc"]` have different
    /// digests.
    pub(crate) fn of<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut parts_so_far = Parts::default();
        for part in parts {
            parts_so_far.add(part);
        }
        parts_so_far.digest()
    }

    /// Returns a digest of a text that is made in a fraction of the time, with keys that only this
    /// process has: nobody can foresee which texts share one. It is not to be kept.
    pub(crate) fn by_secret(text: &[u8]) -> Self {
        static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);
        let [high, low] = KEYS
            .each_ref()
            .map(|key| u128::from(key.hash_one(text)));
        Self((high << 64 | low).to_le_bytes())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A sequence of parts that comes one at a time, on its way to its digest.
#[derive(Default)]
pub(crate) struct Parts(Sha256);

impl Parts {
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0
            .update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    pub(crate) fn digest(self) -> Digest {
        let mut digest = [0; 16];
        for (to, from) in digest.iter_mut().zip(self.0.finalize()) {
            *to = from;
        }
        Digest(digest)
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

/// The clause of a message about a digest that fits but for line ends, and the advice on it.
pub(crate) const ONLY_LINE_ENDS: &str = "; only the line ends differ";
pub(crate) const KEEP_LINE_ENDS: &str = "Keep git from changing line ends, as it does with `core.autocrlf`: write `*.json -text` and `*.jsonl -text` into .gitattributes, and check the files out anew.";

/// The SHA-256 of all bytes of a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", inline, extend("pattern" = "^[0-9a-fA-F]{64}$"))]
pub(crate) struct FileDigest([u8; 32]);

impl TryFrom<String> for FileDigest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a digest is not 64 hexadecimal digits")
    }
}

impl From<FileDigest> for String {
    fn from(digest: FileDigest) -> Self {
        digest.to_string()
    }
}

impl FileDigest {
    /// Returns the digest of the bytes that were hashed.
    pub(crate) fn finish(hash: Sha256) -> Self {
        Self(hash.finalize().into())
    }

    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the digests of a text once all its line ends are `\n`, and once all are `\r\n`.
    pub(crate) fn with_other_line_ends(text: &[u8]) -> [Self; 2] {
        [&b"\n"[..], b"\r\n"].map(|end| {
            let mut hash = Sha256::new();
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                match line.strip_suffix(b"\n") {
                    Some(line) => {
                        hash.update(line.strip_suffix(b"\r").unwrap_or(line));
                        hash.update(end);
                    }
                    None => hash.update(line),
                }
            }

            Self::finish(hash)
        })
    }

    /// Returns the digest with this text: 64 hexadecimal digits, in either case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        HEXLOWER_PERMISSIVE
            .decode(text.as_bytes())
            .ok()?
            .try_into()
            .ok()
            .map(Self)
    }
}

/// The SHA-256 of the bytes so far.
#[derive(Debug, Default)]
pub(crate) struct RunningDigest(Sha256);

impl RunningDigest {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn so_far(&self) -> FileDigest {
        FileDigest::finish(self.0.clone())
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl FileDigest {
    /// Returns the size and the digest of the rest of a stream, unless it has more bytes than a
    /// limit.
    pub(crate) fn of_stream(stream: impl Read, limit: u64) -> io::Result<Option<(u64, Self)>> {
        let mut hash = Sha256::new();
        let mut stream = stream.take(limit.saturating_add(1));
        let mut buffer = vec![0; STREAM_BYTES];
        let mut size = 0;

        loop {
            let count = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            hash.update(buffer.get(..count).unwrap_or_default());
            size += count as u64;
        }

        Ok((size <= limit).then(|| (size, Self(hash.finalize().into()))))
    }
}

/// The number of bytes of a stream that are read at a time.
const STREAM_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_digest_is_read_from_64_digits_of_either_case() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(FileDigest::of(b"").to_string(), empty);
        for text in [empty, &empty.to_uppercase()] {
            assert_eq!(FileDigest::parse(text), Some(FileDigest::of(b"")));
        }
        let wrong = [
            &empty[1..],
            &format!("{empty}0"),
            &format!("+{}", &empty[1..]),
        ];
        assert!(
            wrong
                .into_iter()
                .all(|text| FileDigest::parse(text).is_none())
        );
        assert!(FileDigest::parse(&"é".repeat(32)).is_none());
    }

    #[test]
    fn digest_separates_parts() {
        let digest =
            |parts: &[&str]| Digest::of(parts.iter().map(|part| part.as_bytes())).to_string();
        assert_eq!(digest(&["ab", "c"]).len(), 32);
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&[]), digest(&[""]));
        assert_eq!(
            digest(&[]),
            "e3b0c44298fc1c149afbf4c8996fb924",
            "the SHA-256 of nothing"
        );
    }
}
