//! Two values as they are written -> whether their tokens are the same.

use std::iter;

use super::parser::{end_of_string, skip_whitespace};

/// Returns `true` if two values are written with the same tokens, whatever the whitespace between
/// them. Then they are equal; if not, they may still be.
pub(crate) fn same_tokens(a: &str, b: &str) -> bool {
    a == b || tokens(a.as_bytes()).eq(tokens(b.as_bytes()))
}

/// Returns the tokens of a JSON text.
fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    iter::from_fn(move || {
        let start = skip_whitespace(text, at);
        at = match text.get(start)? {
            b'"' => end_of_string(text, start)?.0,
            b'{' | b'}' | b'[' | b']' | b',' | b':' => start + 1,
            _ => {
                let is_end = |byte: &u8| b" \n\r\t,:]}".contains(byte);
                let rest = text.get(start..)?;
                start + rest.iter().position(is_end).unwrap_or(rest.len())
            }
        };
        text.get(start..at)
    })
}
