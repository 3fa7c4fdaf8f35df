//! A value -> a digest of its meaning, for values that are compared with many others.

use super::{Kind, Node};
use crate::ground::digest::Digest;

impl Node<'_> {
    /// Returns the digest of the value's meaning: two values have the same one if they are equal,
    /// by [`Node::equals`], and only then.
    pub(crate) fn meaning(self) -> Digest {
        let digests = |parts: &[Digest], mark: &[u8]| {
            Digest::of(
                [mark]
                    .into_iter()
                    .chain(parts.iter().map(Digest::bytes)),
            )
        };

        match self.kind() {
            Kind::Null => Digest::of([&b"null"[..]]),
            Kind::False => Digest::of([&b"false"[..]]),
            Kind::True => Digest::of([&b"true"[..]]),
            Kind::Number => self
                .number()
                .unwrap_or(super::Number("0"))
                .meaning(),
            Kind::String => {
                let text = self.text().unwrap_or_default();
                Digest::of([&b"string"[..], text.as_bytes()])
            }
            Kind::Array => {
                let items: Vec<Digest> = self
                    .items()
                    .map(Node::meaning)
                    .collect();
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
        for (a, b) in VALUES
            .iter()
            .flat_map(|a| VALUES.map(|b| (a, b)))
        {
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
