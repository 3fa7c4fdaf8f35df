//! A value as it is written -> the one text that all values equal to it have.

use std::ops::Range;

use super::parser::{end_of_number, end_of_string, skip_whitespace};
use super::{Number, unquoted};
use crate::digest::Digest;

/// The bytes of the text of an array or object in another from which its digest stands for it.
const LARGE: usize = 256;

/// Adds the text of the value that starts at a place of a JSON text, and returns the end of the
/// value. Two values have the same text if they are equal, by [`super::Node::equals`], and only
/// then.
pub(crate) fn push_canonical(text: &str, start: usize, to: &mut Vec<u8>) -> Option<usize> {
    let (bytes, from) = (text.as_bytes(), to.len());
    let end = match bytes.get(start)? {
        b'"' => {
            let (end, is_escaped) = end_of_string(bytes, start)?;
            if is_escaped {
                let content = unquoted(text, start, end, true);
                serde_json::to_writer(&mut *to, &content).ok()?;
            } else {
                to.extend_from_slice(bytes.get(start..end)?);
            }
            return Some(end);
        }
        b'{' => push_object(text, start, to)?,
        b'[' => push_array(text, start, to)?,
        b't' | b'n' => start + 4,
        b'f' => start + 5,
        _ => {
            let end = end_of_number(bytes, start)?;
            Number(text.get(start..end)?).push_canonical(to);
            return Some(end);
        }
    };
    if to.len() == from {
        to.extend_from_slice(bytes.get(start..end)?);
    } else if to.len() - from > LARGE {
        // What is moved behind other keys is short, however deep it is.
        let digest = Digest::of([to.get(from..)?]);
        to.truncate(from);
        to.push(b'#');
        to.extend_from_slice(digest.bytes());
    }
    Some(end)
}

fn push_array(text: &str, start: usize, to: &mut Vec<u8>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_whitespace(bytes, start + 1);
    to.push(b'[');
    while bytes.get(at)? != &b']' {
        at = skip_whitespace(bytes, push_canonical(text, at, to)?);
        to.push(b',');
        if bytes.get(at)? == &b',' {
            at = skip_whitespace(bytes, at + 1);
        }
    }
    Some(at + 1)
}

fn push_object(text: &str, start: usize, to: &mut Vec<u8>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_whitespace(bytes, start + 1);
    to.push(b'{');
    let first = to.len();
    // Of each member, its name and all of it, from the first one on.
    let mut members: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    while bytes.get(at)? != &b'}' {
        let from = to.len() - first;
        at = skip_whitespace(bytes, push_canonical(text, at, to)?);
        let name = from..to.len() - first;
        to.push(b':');
        at = skip_whitespace(bytes, at + 1);
        at = skip_whitespace(bytes, push_canonical(text, at, to)?);
        to.push(b',');
        members.push((name, from..to.len() - first));
        if bytes.get(at)? == &b',' {
            at = skip_whitespace(bytes, at + 1);
        }
    }
    let made = to.get(first..)?;
    let name = |(name, _): &(Range<usize>, Range<usize>)| made.get(name.clone());
    if !members.is_sorted_by(|a, b| name(a) < name(b)) {
        members.sort_by(|a, b| name(a).cmp(&name(b)));
        let mut sorted = Vec::with_capacity(made.len());
        for (index, member) in members.iter().enumerate() {
            // Of a name that repeats, the last counts.
            let next = members.get(index + 1);
            if next.is_none_or(|next| name(next) != name(member)) {
                sorted.extend_from_slice(made.get(member.1.clone())?);
            }
        }
        to.truncate(first);
        to.append(&mut sorted);
    }
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::push_canonical;
    use crate::document::Tape;

    fn canonical(text: &str) -> Vec<u8> {
        let mut form = Vec::new();
        assert_eq!(push_canonical(text, 0, &mut form), Some(text.len()));
        form
    }

    #[test]
    fn equal_values_have_one_text() {
        let long = "x".repeat(300);
        let values = [
            "null",
            "true",
            "false",
            "0",
            "-0.0",
            "1",
            "1.0",
            "10e-1",
            "100",
            "1e2",
            "-1",
            "12",
            "1.2",
            "1e400",
            "1e401",
            "1e1000000000000000000000",
            "10E999999999999999999999",
            r#""""#,
            r#""1""#,
            r#""a""#,
            r#""\u0061""#,
            r#""\"\n/""#,
            r#""\u0022\u000a\/""#,
            "[]",
            "[[]]",
            "[1,[2]]",
            "[ 1.0 , [2] ]",
            "[1,2]",
            "[12]",
            "{}",
            "{ }",
            r#"{"a":1,"b":2}"#,
            r#"{"b":2,"\u0061":1.0}"#,
            r#"{"a":2,"b":1}"#,
            r#"{"a":0,"b":1,"a":2}"#,
            r#"{"a,b":1}"#,
            &format!(r#"{{"a":["{long}"],"b":[1]}}"#),
            &format!(r#"{{"b":[1e0],"a":["{long}"]}}"#),
            &format!(r#"{{"a":["{long}y"],"b":[1]}}"#),
        ];
        let (mut one, mut other) = (Tape::default(), Tape::default());
        for (a, b) in values.iter().flat_map(|a| values.map(|b| (a, b))) {
            let this = one.read(a.as_bytes()).unwrap().root();
            let that = other.read(b.as_bytes()).unwrap().root();
            let is_same = canonical(a) == canonical(b);
            assert_eq!(this.equals(that), is_same, "{a} and {b}");
        }
        assert!(
            canonical(values[values.len() - 2]).len() < 60,
            "{long} is a digest"
        );
    }
}
