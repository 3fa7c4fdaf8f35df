//! A value -> a digest of its meaning, for values that are compared with many others.

use super::{Kind, Node};
use crate::digest::Digest;

impl Node<'_> {
    /// Returns the digest of the value's meaning: two values have the same one if they are equal,
    /// by [`Node::equals`], and only then.
    pub(crate) fn meaning(self) -> Digest {
        let digests = |parts: &[Digest], mark: &[u8]| {
            Digest::of([mark].into_iter().chain(parts.iter().map(Digest::bytes)))
        };
        match self.kind() {
            Kind::Null => Digest::of([&b"null"[..]]),
            Kind::False => Digest::of([&b"false"[..]]),
            Kind::True => Digest::of([&b"true"[..]]),
            Kind::Number => self.number().unwrap_or(super::Number("0")).meaning(),
            Kind::String => {
                let text = self.text().unwrap_or_default();
                Digest::of([&b"string"[..], text.as_bytes()])
            }
            Kind::Array => {
                let items: Vec<Digest> = self.items().map(Node::meaning).collect();
                digests(&items, b"array")
            }
            Kind::Object => {
                let member = |key: super::Key<'_>| {
                    let (name, value) = (key.name(), key.value().meaning());
                    Digest::of([name.as_bytes(), value.bytes()])
                };
                let mut members: Vec<Digest> = self.members().map(member).collect();
                members.sort_unstable();
                digests(&members, b"object")
            }
        }
    }
}

/// The digests of values that were asked for lately: many events of a run have the same few values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meanings(Vec<Option<(Box<str>, Digest)>>);

/// The number of values that are remembered, and the length of each.
const REMEMBERED: usize = 256;
const LONGEST: usize = 64;

impl Meanings {
    /// Returns the digest of a value's meaning.
    pub(crate) fn of(&mut self, value: Node<'_>) -> Digest {
        let written = value.raw();
        if written.len() > LONGEST {
            return value.meaning();
        }
        if self.0.is_empty() {
            self.0.resize(REMEMBERED, None);
        }
        let (words, rest) = written.as_bytes().as_chunks();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        let words = words.chain(rest.iter().map(|byte| u64::from(*byte)));
        let sum = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [place, ..] = words.fold(0, sum).to_be_bytes();
        let Some(slot) = self.0.get_mut(usize::from(place)) else {
            return value.meaning();
        };
        match slot {
            Some((known, digest)) if **known == *written => *digest,
            _ => slot.insert((written.into(), value.meaning())).1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tape;

    #[test]
    fn values_mean_the_same_when_they_are_equal() {
        const VALUES: [&str; 26] = [
            "null",
            "true",
            "false",
            "0",
            "-0.0",
            "1",
            "1.0",
            "10e-1",
            "-1",
            "1e400",
            "1e401",
            "1e1000000000000000000000",
            "1E1000000000000000000000",
            r#""""#,
            r#""1""#,
            r#""a""#,
            r#""\u0061""#,
            "[]",
            "[[]]",
            "[1,[2]]",
            "[1.0,[2]]",
            "[1,2]",
            "{}",
            r#"{"a":1,"b":2}"#,
            r#"{"b":2,"\u0061":1.0}"#,
            r#"{"a":2,"b":1}"#,
        ];
        let (mut one, mut other) = (Tape::default(), Tape::default());
        for (a, b) in VALUES.iter().flat_map(|a| VALUES.map(|b| (a, b))) {
            let (this, that) = (
                one.read(a.as_bytes()).unwrap(),
                other.read(b.as_bytes()).unwrap(),
            );
            let (this, that) = (this.root(), that.root());
            assert_eq!(
                this.equals(that),
                this.meaning() == that.meaning(),
                "{a} and {b}"
            );
        }
    }
}
