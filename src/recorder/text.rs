//! A record -> its JSON and its text, the same for equal records.

use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::store::MAX_RECORD_BYTES;

/// Returns a record as JSON.
pub(super) fn json(record: &(impl Serialize + ?Sized), what: &'static str) -> Result<Value, Error> {
    serde_json::to_value(record).map_err(|error| Error::refused(what, error.to_string()))
}

/// Returns the text of a record: sorted keys, compact, one newline at the end.
pub(super) fn text(record: &impl Serialize, what: &'static str) -> Result<Vec<u8>, Error> {
    let mut text = serde_json::to_vec(&json(record, what)?)
        .map_err(|error| Error::refused(what, error.to_string()))?;
    text.push(b'\n');
    if text.len() > MAX_RECORD_BYTES {
        return Err(Error::too_large(what, MAX_RECORD_BYTES));
    }

    Ok(text)
}
