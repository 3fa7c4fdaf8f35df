//! Two values as they are written -> whether they say the same.

use std::iter;

use smallvec::SmallVec;

use super::parser::{after_blank, end_of_string, skip};

/// The number of arrays and objects around a value that is compared as it is written, at most.
const MAX_AROUND: usize = 16;

/// The number of members that are compared as they are written whatever their order, at most: real
/// objects have fewer.
const MAX_UNORDERED: usize = 24;

/// A member of an object as it is written, its key with the quotes.
#[derive(Clone, Copy)]
pub(crate) struct WrittenMember<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
}

/// Members of an object with different keys, none of which has an escape.
pub(crate) type WrittenMembers<'a> = SmallVec<[WrittenMember<'a>; MAX_UNORDERED]>;

/// Returns `true` if two values are written with the same strings, numbers and words, whatever the
/// whitespace and the order of keys. Then they are equal; if not, they may still be.
pub(crate) fn same_as_written(a: &str, b: &str) -> bool {
    agree(a, b, MAX_AROUND)
}

fn agree(a: &str, b: &str, depth: usize) -> bool {
    if a == b {
        return true;
    }

    match (a.as_bytes().first(), b.as_bytes().first()) {
        (Some(b'{'), Some(b'{')) if depth > 0 => objects_agree(a, b, depth - 1),
        (Some(b'['), Some(b'[')) if depth > 0 => {
            let (mut a, mut b) = (written_items(a), written_items(b));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if agree(a, b, depth - 1) => {}
                    _ => return false,
                }
            }
        }
        _ => false,
    }
}

/// Compares members one after the other as long as their keys are the same, and the rest whatever
/// their order.
fn objects_agree(a: &str, b: &str, depth: usize) -> bool {
    let (mut a, mut b) = (written_members(a), written_members(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(of_a), Some(of_b)) if of_a.key == of_b.key => {
                if !agree(of_a.value, of_b.value, depth) {
                    return false;
                }
            }
            (Some(of_a), Some(of_b)) => {
                let a = distinct(iter::once(of_a).chain(a));
                let b = distinct(iter::once(of_b).chain(b));
                return a
                    .zip(b)
                    .is_some_and(|(a, b)| members_agree(&a, &b, depth));
            }
            _ => return false,
        }
    }
}

fn members_agree(a: &[WrittenMember<'_>], b: &[WrittenMember<'_>], depth: usize) -> bool {
    a.len() == b.len()
        && a.iter().all(|of_a| {
            b.iter()
                .find(|of_b| of_b.key == of_a.key)
                .is_some_and(|of_b| agree(of_a.value, of_b.value, depth))
        })
}

/// Returns the members of an object; `None` if they are many, a key is repeated or has an escape.
pub(crate) fn distinct_members(object: &str) -> Option<WrittenMembers<'_>> {
    distinct(written_members(object))
}

fn distinct<'a>(members: impl Iterator<Item = WrittenMember<'a>>) -> Option<WrittenMembers<'a>> {
    let mut found = WrittenMembers::new();
    for member in members {
        let is_odd = member.key.contains('\\')
            || found
                .iter()
                .any(|other| other.key == member.key);
        if is_odd || found.len() == MAX_UNORDERED {
            return None;
        }
        found.push(member);
    }

    Some(found)
}

/// Returns the members of an object in a JSON text as they are written. It looks at each byte once
/// and makes no tape.
pub(crate) fn written_members(object: &str) -> impl Iterator<Item = WrittenMember<'_>> {
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
        at = end_of_value(bytes, value)?;
        Some(WrittenMember {
            key: object.get(key..key_end)?,
            value: object.get(value..at)?,
        })
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

        at = end_of_value(bytes, item)?;
        array.get(item..at)
    })
}

/// Returns the end of the value that starts at a place of a JSON text.
fn end_of_value(bytes: &[u8], start: usize) -> Option<usize> {
    match bytes.get(start) {
        Some(b'"') => Some(end_of_string(bytes, start)?.end),
        _ => skip(bytes, start, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::same_as_written;

    #[test]
    fn values_agree_whatever_the_whitespace_and_the_order_of_keys() {
        let agree = [
            (
                r#"{"a":1,"b":[1,{"c":null,"d":"x"}]}"#,
                r#"{ "b": [1, {"d": "x", "c": null}], "a": 1 }"#,
            ),
            ("[]", "[ ]"),
            ("{}", "{\n}"),
            (r#"{"a":1,"a":2,"b":3}"#, r#"{"a": 1, "a": 2, "b": 3}"#),
        ];
        for (a, b) in agree {
            assert!(same_as_written(a, b) && same_as_written(b, a), "{a} {b}");
        }

        // The first two pairs are not equal. The others are, but not by what is written.
        let may_differ = [
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
            ("[1,2]", "[2,1]"),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"b":2,"a":1,"a":3}"#),
            ("1.0", "1"),
            (r#""\u0061""#, r#""a""#),
        ];
        for (a, b) in may_differ {
            assert!(!same_as_written(a, b) && !same_as_written(b, a), "{a} {b}");
        }
    }
}
