//! Two values as they are written -> whether their tokens are the same.

use super::parser::{end_of_string, skip_whitespace};

/// Returns `true` if two values are written with the same tokens, whatever the whitespace between
/// them. Then they are equal; if not, they may still be.
pub(crate) fn same_tokens(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a == b {
        return true;
    }
    let (mut in_a, mut in_b) = (0, 0);
    loop {
        (in_a, in_b) = (skip_whitespace(a, in_a), skip_whitespace(b, in_b));
        match (a.get(in_a), b.get(in_b)) {
            (None, None) => return true,
            (Some(b'"'), Some(b'"')) => {
                let ends = (end_of_string(a, in_a), end_of_string(b, in_b));
                let (Some((end_a, _)), Some((end_b, _))) = ends else {
                    return false;
                };
                if a.get(in_a..end_a) != b.get(in_b..end_b) {
                    return false;
                }
                (in_a, in_b) = (end_a, end_b);
            }
            (Some(x), Some(y)) if x == y => {
                (in_a, in_b) = (in_a + 1, in_b + 1);
                // Two numbers or words may not be joined by the whitespace that one text has.
                if a.get(in_a).copied().is_some_and(is_blank)
                    != b.get(in_b).copied().is_some_and(is_blank)
                    && x.is_ascii_alphanumeric()
                    && !is_at_end(a, in_a)
                    && !is_at_end(b, in_b)
                {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns `true` if a number or word ends at a place.
fn is_at_end(text: &[u8], at: usize) -> bool {
    let next = text.get(skip_whitespace(text, at));
    next.is_none_or(|next| matches!(next, b',' | b':' | b']' | b'}'))
}
