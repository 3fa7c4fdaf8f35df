//! A record -> its text, the same for equal records.

use super::error::Error;
use crate::store::MAX_RECORD_BYTES;

/// Returns the text of a record: sorted keys, compact, one newline at the end.
pub(super) fn text(record: &impl serde::Serialize, what: &'static str) -> Result<Vec<u8>, Error> {
    let value =
        serde_json::to_value(record).map_err(|error| Error::refused(what, error.to_string()))?;
    let mut text =
        serde_json::to_vec(&value).map_err(|error| Error::refused(what, error.to_string()))?;
    text.push(b'\n');
    if text.len() > MAX_RECORD_BYTES {
        return Err(Error::TooLarge {
            what,
            limit: "64 MiB",
        });
    }
    Ok(text)
}
