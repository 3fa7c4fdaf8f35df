//! A value of any size -> the value, or what stands for it in a record: digest, size, excerpt.

use serde_json::{Map, Value, json};

use crate::ground::digest::FileDigest;

/// The number of bytes beyond which [`Session`](super::Session) and the Python package record the
/// digest of a value.
pub const MAX_OUTPUT: usize = 64 << 10;

/// The number of bytes of a value that is kept where the state is full: about those of a digest
/// with its excerpt.
pub(super) const MAX_SMALL: usize = 512;

/// The number of characters of an excerpt.
const EXCERPT: usize = 200;

/// Returns the value; or, where it has more bytes than a limit, an object with its digest as
/// `sha256`, its size as `bytes` and an `excerpt`. A string is measured as it is, any other value
/// as JSON without blanks.
///
/// ```
/// use runvet::recorder::bounded;
/// use serde_json::json;
///
/// assert_eq!(bounded(json!("short"), 5), json!("short"));
/// let cut = bounded(json!([1, 2, 3]), 5);
/// assert_eq!((&cut["bytes"], &cut["excerpt"]), (&json!(7), &json!("[1,2,3]")));
/// ```
#[must_use]
pub fn bounded(value: Value, most: usize) -> Value {
    let other;
    let text = if let Value::String(text) = &value {
        text
    } else {
        other = value.to_string();
        &other
    };

    if text.len() <= most {
        return value;
    }

    let mut excerpt: String = text.chars().take(EXCERPT).collect();
    if excerpt.len() < text.len() {
        excerpt.pop();
        excerpt.push('…');
    }

    json!({
        "sha256": FileDigest::of(text.as_bytes()).to_string(),
        "bytes": text.len(),
        "excerpt": excerpt,
    })
}

/// Returns values as [`bounded`] does, each beyond [`MAX_OUTPUT`] alone.
pub(crate) fn each_bounded(values: Map<String, Value>) -> Map<String, Value> {
    values
        .into_iter()
        .map(|(name, value)| (name, bounded(value, MAX_OUTPUT)))
        .collect()
}

/// Returns `true` if a value is what stands for one that was too large.
pub(super) fn is_shortened(value: &Value) -> bool {
    value.as_object().is_some_and(is_mark)
}

/// Returns `true` for the members of what stands for a value that was too large.
pub(super) fn is_mark(members: &Map<String, Value>) -> bool {
    let known = |name: &String| matches!(&**name, "sha256" | "bytes" | "excerpt" | "attachment");
    members.contains_key("sha256") && members.len() >= 3 && members.keys().all(known)
}

/// Returns `true` if a field of an act may have any value.
pub(super) fn is_free(name: &str) -> bool {
    matches!(name, "input" | "input_excerpt" | "output") || name.starts_with("x-")
}

/// Replaces what is large in the payload of an act by digests, for a state that is full. Returns
/// the number of values that are nowhere whole then.
pub(super) fn cut(payload: &mut Map<String, Value>) -> u64 {
    let mut lost = 0;
    for (_, value) in payload
        .iter_mut()
        .filter(|(name, _)| is_free(name))
    {
        if !is_shortened(value) {
            let short = bounded(value.clone(), MAX_SMALL);
            lost += u64::from(short != *value);
            *value = short;
        }
    }

    lost
}
