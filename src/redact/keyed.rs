//! A text and a key -> what stands in place of the text.

use std::path::Path;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::error::Error;
use crate::store::{SECRET_FILE_BYTES, make_secret_file, read_secret_file};

/// The number of bytes of a key.
const KEY_BYTES: usize = 32;

/// The number of hexadecimal digits that stand in place of a text.
const DIGITS: usize = 32;

const BEFORE: &str = "redacted-";

/// A key, ready to be used.
#[derive(Clone)]
pub(super) struct Keyed(Hmac<Sha256>);

impl Keyed {
    /// Returns the key in a file, which is made where it is absent; without a file, one that nobody
    /// keeps.
    pub(super) fn of(file: Option<&Path>) -> Result<Self, Error> {
        let fresh = || {
            let mut key = [0; KEY_BYTES];
            getrandom::fill(&mut key).map(|()| key)
        };

        let Some(path) = file else {
            let key = fresh().map_err(|why| Error::Key {
                path: "in memory".into(),
                why: why.to_string(),
            })?;
            return Ok(Self::new(&key));
        };

        let wrong = |why: String| Error::Key {
            path: path.to_owned(),
            why,
        };

        let content = read_secret_file(path).map_err(|why| wrong(why.to_string()))?;
        let Some(content) = content else {
            let key = fresh().map_err(|why| wrong(why.to_string()))?;
            let text = HEXLOWER.encode(&key) + "\n";
            make_secret_file(path, text.as_bytes()).map_err(|why| wrong(why.to_string()))?;
            return Ok(Self::new(&key));
        };

        let digits = content
            .strip_suffix(b"\n")
            .unwrap_or(&content);

        match (content.len(), HEXLOWER_PERMISSIVE.decode(digits)) {
            (KEY_BYTES, _) => Ok(Self::new(&content)),
            (_, Ok(key)) if key.len() == KEY_BYTES => Ok(Self::new(&key)),
            (length, _) => {
                let more = if length > SECRET_FILE_BYTES {
                    "more than "
                } else {
                    ""
                };

                let length = length.min(SECRET_FILE_BYTES);
                Err(wrong(format!(
                    "it has {more}{length} bytes; a key is 32 bytes or 64 hexadecimal digits"
                )))
            }
        }
    }

    fn new(key: &[u8]) -> Self {
        // A key of any length is one.
        Self(
            Hmac::new_from_slice(key)
                .unwrap_or_else(|_| Hmac::new(&hmac::digest::Key::<Hmac<Sha256>>::default())),
        )
    }

    /// Returns the digits in place of some bytes.
    fn digits(&self, bytes: &[u8]) -> String {
        let mut mac = self.mac();
        mac.add(bytes);
        mac.digits()
    }

    /// Starts on bytes that come one part after the other.
    pub(super) fn mac(&self) -> RunningMac {
        RunningMac(self.0.clone())
    }

    /// Returns what stands in place of a text.
    pub(super) fn placeholder(&self, text: &[u8]) -> String {
        format!("[{BEFORE}{}]", self.digits(text))
    }

    /// Returns what stands in place of an id.
    pub(super) fn id(&self, bytes: &[u8]) -> String {
        format!("{BEFORE}{}", self.digits(bytes))
    }

    /// Returns what stands in place of a digest of bytes that are not there: as many digits. The
    /// second half tells that the first is keyed, so that it stays when it is redacted again.
    pub(super) fn digest(&self, digits: &str) -> String {
        let half = digits.len() / 2;
        let checked = |half_digits: &str| {
            let check: String = self
                .digits(
                    ["digest", half_digits]
                        .concat()
                        .as_bytes(),
                )
                .chars()
                .cycle()
                .take(digits.len() - half)
                .collect();
            [half_digits, &check].concat()
        };

        let lower = digits.to_ascii_lowercase();
        if lower
            .get(..half)
            .is_some_and(|first| checked(first) == lower)
        {
            return digits.to_owned();
        }

        let first: String = self
            .digits(lower.as_bytes())
            .chars()
            .cycle()
            .take(half)
            .collect();
        let keyed = checked(&first);

        if digits
            .bytes()
            .any(|byte| byte.is_ascii_uppercase())
        {
            keyed.to_ascii_uppercase()
        } else {
            keyed
        }
    }
}

/// Bytes on their way to the digits that stand in their place.
pub(super) struct RunningMac(Hmac<Sha256>);

impl RunningMac {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns what stands in place of the bytes.
    pub(super) fn placeholder(self) -> String {
        format!("[{BEFORE}{}]", self.digits())
    }

    fn digits(self) -> String {
        let mac = self.0.finalize().into_bytes();
        let mut digits = HEXLOWER.encode(&mac);
        digits.truncate(DIGITS);
        digits
    }
}

/// Returns `true` if a text is what stands in place of a text or of an id.
pub(super) fn is_placeholder(text: &str) -> bool {
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    digits_of(inner.unwrap_or(text)).is_some_and(|digits| digits.len() == DIGITS)
}

/// Returns the digits after the word that begins what stands in place of an id.
fn digits_of(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(BEFORE)?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits
        .bytes()
        .all(is_digit)
        .then_some(digits)
}

/// Returns the first text in some bytes that stands in place of a text.
pub(super) fn placeholder_in(bytes: &[u8]) -> Option<&str> {
    let length = BEFORE.len() + DIGITS;
    let at = memchr::memmem::find(bytes, BEFORE.as_bytes())?;
    let text = str::from_utf8(bytes.get(at..at + length)?).ok()?;
    is_placeholder(text).then_some(text)
}
