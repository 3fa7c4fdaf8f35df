//! A JSON value of a log -> its texts, numbers and times.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64;
use serde_json::Value;

use crate::ground::timestamp::Timestamp;

/// A picture in the result of a call.
pub(super) struct Picture {
    pub(super) extension: String,
    pub(super) content: Vec<u8>,
}

/// Returns the text at a pointer; empty where there is none.
pub(super) fn text<'v>(value: &'v Value, at: &str) -> &'v str {
    value
        .pointer(at)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the value at a pointer; null where there is none.
pub(super) fn value_at<'v>(value: &'v Value, at: &str) -> &'v Value {
    value
        .pointer(at)
        .unwrap_or(&Value::Null)
}

/// Returns the text at a pointer, unless it is missing or empty.
pub(super) fn some_text(value: &Value, at: &str) -> Option<String> {
    Some(text(value, at).to_owned()).filter(|text| !text.is_empty())
}

/// Returns the first text that is there at some pointers.
pub(super) fn first_text(value: &Value, places: &[&str]) -> Option<String> {
    places
        .iter()
        .find_map(|at| some_text(value, at))
}

/// Returns the count at a pointer; 0 where there is none.
pub(super) fn count(value: &Value, at: &str) -> u64 {
    value
        .pointer(at)
        .and_then(Value::as_u64)
        .unwrap_or_default()
}

/// Returns the object at a pointer, if there is one.
pub(super) fn object<'v>(value: &'v Value, at: &str) -> Option<&'v Value> {
    value
        .pointer(at)
        .filter(|found| found.is_object())
}

/// Returns the members of the object at a pointer.
pub(super) fn members<'v>(
    value: &'v Value,
    at: &str,
) -> impl Iterator<Item = (&'v String, &'v Value)> + Clone + use<'v> {
    value
        .pointer(at)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

/// Returns the items of the list at a pointer.
pub(super) fn items<'v>(value: &'v Value, at: &str) -> &'v [Value] {
    value
        .pointer(at)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(super) fn is_true(value: &Value, at: &str) -> bool {
    value.pointer(at) == Some(&Value::Bool(true))
}

/// Returns the time at a pointer: RFC 3339, which is UTC where it has no zone, or milliseconds
/// since 1970.
pub(super) fn time(value: &Value, at: &str) -> Option<SystemTime> {
    match value.pointer(at)? {
        Value::String(text) => {
            let time = Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")));
            time?.system_time()
        }
        number => {
            let since = match number.as_u64() {
                Some(millis) => Duration::from_millis(millis),
                None => Duration::try_from_secs_f64(number.as_f64()? / 1_000.0).ok()?,
            };
            UNIX_EPOCH.checked_add(since)
        }
    }
}

/// Returns the texts of a content, in lines: a text, or a list of texts and parts.
pub(super) fn texts(content: &Value) -> String {
    let of_part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        part => {
            let is_text = part.get("type").is_none_or(|kind| {
                let kind = kind.as_str().unwrap_or_default();
                matches!(kind, "text" | "input_text" | "output_text" | "refusal")
            });
            first_text(part, &["/text", "/content", "/refusal"]).filter(|_| is_text)
        }
    };

    match content {
        Value::Array(parts) => parts
            .iter()
            .filter_map(of_part)
            .collect::<Vec<String>>()
            .join("\n"),
        one => of_part(one).unwrap_or_default(),
    }
}

/// Returns the value of a text that is JSON, else the text.
pub(super) fn parsed(value: &Value) -> Value {
    value
        .as_str()
        .map(serde_json::from_str)
        .and_then(Result::ok)
        .unwrap_or_else(|| value.clone())
}

/// Returns the picture of a `data:` URL.
pub(super) fn picture_of_url(url: &str) -> Option<Picture> {
    let (kind, data) = url
        .strip_prefix("data:")?
        .split_once(";base64,")?;
    picture(kind, data)
}

/// Returns a picture of a media type such as `image/png`, from its base64.
pub(super) fn picture(media_type: &str, base64: &str) -> Option<Picture> {
    let extension = media_type
        .strip_prefix("image/")?
        .to_owned();
    let content = BASE64.decode(base64.as_bytes()).ok()?;
    Some(Picture { extension, content })
}

/// Returns a text without the parts that a program put between two marks.
pub(super) fn without(text: &str, start: &str, end: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(start) {
        let Some((_, after)) = after.split_once(end) else {
            break;
        };
        kept += before;
        rest = after;
    }

    kept + rest
}

/// Returns the number at a pointer.
pub(super) fn number(value: &Value, at: &str) -> Option<f64> {
    value.pointer(at)?.as_f64()
}

/// Returns the time at a pointer, in seconds since 1970.
pub(super) fn seconds(value: &Value, at: &str) -> Option<SystemTime> {
    let since = Duration::try_from_secs_f64(number(value, at)?).ok()?;
    UNIX_EPOCH.checked_add(since)
}

/// Returns what stands between two marks.
pub(super) fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(start)?;
    let (inside, _) = after.split_once(end)?;
    Some(inside)
}
