//! A value as it is written -> the one text that all values equal to it have.

use smallvec::SmallVec;

use super::parser::{Sink, walk};
use super::{Kind, Node, Number, unquoted};
use crate::ground::digest::Digest;

/// The bytes of the text of an array or object in another from which its digest stands for it.
const LARGE: usize = 256;

/// The end of a string: a byte that no text has.
const END: u8 = 0xFF;

/// Adds the text of the value that starts at a place of a JSON text, and returns the end of the
/// value. Two values have the same text if they are equal, by [`Node::equals`], and only then.
pub(crate) fn push_canonical(text: &str, start: usize, to: &mut Vec<u8>) -> Option<usize> {
    let (open, members) = (SmallVec::new(), SmallVec::new());
    let canonical = Canonical {
        text,
        to,
        open,
        members,
    };

    walk(text.as_bytes(), start, 0, canonical).ok()
}

#[expect(
    clippy::elidable_lifetime_names,
    reason = "the public interface is compared by how it is written"
)]
impl<'a> Node<'a> {
    /// Returns `true` if two values are equal: numbers by exact value, strings unescaped, objects
    /// in any order of keys.
    #[must_use]
    pub fn equals(self, other: Node<'_>) -> bool {
        self.raw() == other.raw()
            || (self.kind() == other.kind() && canonical(self.raw()) == canonical(other.raw()))
    }
}

/// Returns the text of a value, see [`push_canonical`], given how it is written.
pub(crate) fn canonical(written: &str) -> Vec<u8> {
    let mut text = Vec::new();
    push_canonical(written, 0, &mut text);
    text
}

struct Canonical<'t, 'v> {
    text: &'t str,
    to: &'v mut Vec<u8>,
    /// The arrays and objects whose texts are being made: the place of the content of each, and the
    /// number of members of those around it.
    open: SmallVec<[(usize, usize); 8]>,
    /// The members of these.
    members: SmallVec<[Member; 8]>,
}

/// The place of a member in the text that is made.
struct Member {
    start: usize,
    end_of_name: usize,
    /// The end, once all members of its object are there: the next one starts where it ends.
    end: usize,
}

impl Member {
    fn name<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start..self.end_of_name)
            .unwrap_or_default()
    }
}

impl Canonical<'_, '_> {
    fn push_string(&mut self, start: usize, end: usize, escaped: bool) {
        if escaped {
            let content = unquoted(self.text, start, end, escaped);
            self.to.push(b'"');
            self.to
                .extend_from_slice(content.as_bytes());
        } else {
            // The quote at its start, too.
            let content = self.text.as_bytes().get(start..end - 1);
            self.to
                .extend_from_slice(content.unwrap_or_default());
        }

        self.to.push(END);
    }

    /// Sorts some members, whose text starts at a place, by their names.
    fn sort(&mut self, start: usize, members: usize) {
        let text = &mut *self.to;
        let members = self
            .members
            .get_mut(members..)
            .unwrap_or_default();
        if members.is_sorted_by(|a, b| a.name(text) < b.name(text)) {
            return;
        }

        let unsorted = text.len();
        let mut end = unsorted;
        for member in members.iter_mut().rev() {
            member.end = end;
            end = member.start;
        }

        members.sort_by(|a, b| a.name(text).cmp(b.name(text)));
        for (index, member) in members.iter().enumerate() {
            // Of a name that repeats, the last counts.
            let next = members.get(index + 1);
            if next.is_none_or(|next| next.name(text) != member.name(text)) {
                text.extend_from_within(member.start..member.end);
            }
        }

        text.drain(start..unsorted);
    }
}

impl Sink for Canonical<'_, '_> {
    fn value(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        if kind == Kind::String {
            self.push_string(start, end, escaped);
        } else {
            let written = self
                .text
                .get(start..end)
                .unwrap_or_default();
            match kind {
                Kind::Number => Number(written).push_canonical(self.to),
                _ => self
                    .to
                    .extend_from_slice(written.as_bytes()),
            }
        }

        if !self.open.is_empty() {
            self.to.push(b',');
        }
    }

    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let from = self.to.len();
        self.push_string(start, end, escaped);
        let end_of_name = self.to.len();
        self.to.push(b':');
        self.members.push(Member {
            start: from,
            end_of_name,
            end: end_of_name,
        });
    }

    fn open(&mut self, kind: Kind, _: usize) -> bool {
        self.to
            .push(if kind == Kind::Object { b'{' } else { b'[' });
        self.open
            .push((self.to.len(), self.members.len()));
        true
    }

    fn close(&mut self, _: usize) {
        if let Some((start, members)) = self.open.pop() {
            self.sort(start, members);
            self.members.truncate(members);
            if self.to.len() - start >= LARGE {
                // What is moved behind other keys is short, however deep it is.
                let digest = Digest::by_secret(
                    self.to
                        .get(start - 1..)
                        .unwrap_or_default(),
                );
                self.to.truncate(start - 1);
                self.to.push(b'#');
                self.to
                    .extend_from_slice(digest.bytes());
            }
        }

        if !self.open.is_empty() {
            self.to.push(b',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::push_canonical;
    use crate::ground::document::Tape;

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
            "[[1],2]",
            "[[1,2]]",
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
        for (a, b) in values
            .iter()
            .flat_map(|a| values.map(|b| (a, b)))
        {
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
