//! Two values as they are written -> whether their tokens are the same.

use std::iter;

use super::parser::{after_blank, end_of_string, skip, skip_whitespace};

/// Returns `true` if two values are written with the same tokens, whatever the whitespace between
/// them. Then they are equal; if not, they may still be.
pub(crate) fn same_tokens(a: &str, b: &str) -> bool {
    a == b || tokens(a.as_bytes()).eq(tokens(b.as_bytes()))
}

/// Returns the members of an object in a JSON text as they are written, keys with their quotes. It
/// looks at each byte once and makes no tape.
pub(crate) fn written_members(object: &str) -> impl Iterator<Item = (&str, &str)> {
    let bytes = object.as_bytes();
    let mut at = if bytes.first() == Some(&b'{') {
        1
    } else {
        bytes.len()
    };

    iter::from_fn(move || {
        let (mut byte, mut key) = after_blank(bytes, at)?;
        if byte == b',' {
            (byte, key) = after_blank(bytes, key + 1)?;
        }
        if byte != b'"' {
            return None;
        }

        let key_end = end_of_string(bytes, key)?.end;
        let (_, colon) = after_blank(bytes, key_end)?;
        let (_, value) = after_blank(bytes, colon + 1)?;
        at = skip(bytes, value, 0)?;
        Some((object.get(key..key_end)?, object.get(value..at)?))
    })
}

/// Returns the items of an array in a JSON text as they are written; none of any other value.
pub(crate) fn written_items(array: &str) -> impl Iterator<Item = &str> {
    let bytes = array.as_bytes();
    let mut at = if bytes.first() == Some(&b'[') {
        1
    } else {
        bytes.len()
    };

    iter::from_fn(move || {
        let (mut byte, mut item) = after_blank(bytes, at)?;
        if byte == b',' {
            (byte, item) = after_blank(bytes, item + 1)?;
        }
        if byte == b']' {
            return None;
        }

        at = skip(bytes, item, 0)?;
        array.get(item..at)
    })
}

/// Returns the tokens of a JSON text.
fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    iter::from_fn(move || {
        let start = skip_whitespace(text, at);
        at = match text.get(start)? {
            b'"' => end_of_string(text, start)?.end,
            b'{' | b'}' | b'[' | b']' | b',' | b':' => start + 1,
            _ => {
                let is_end = |byte: &u8| b" \n\r\t,:]}".contains(byte);
                let rest = text.get(start..)?;
                start
                    + rest
                        .iter()
                        .position(is_end)
                        .unwrap_or(rest.len())
            }
        };
        text.get(start..at)
    })
}
