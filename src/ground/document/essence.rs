//! Values -> digests that depend neither on the order of keys nor on the space between tokens, in
//! one walk.

use std::collections::BTreeMap;

use super::{Key, Kind, Node};
use crate::ground::digest::{Digest, Parts};

/// The digests that are asked for, by the places of their values on the tape.
type Wanted = BTreeMap<u32, Option<Digest>>;

/// Returns the digest of each value, in the order of the values. A value inside another is walked
/// over once, however many of those around it are given.
pub(crate) fn digests(values: &[Node<'_>]) -> Vec<Digest> {
    let mut wanted: Wanted = values
        .iter()
        .map(|value| (value.index(), None))
        .collect();
    let mut outer_first = values.to_vec();
    outer_first.sort_by_key(|value| value.index());
    for value in outer_first {
        if wanted.get(&value.index()) == Some(&None) {
            add(value, &mut Parts::default(), &mut wanted);
        }
    }

    let found = |value: &Node<'_>| {
        wanted
            .get(&value.index())
            .copied()
            .flatten()
    };

    values
        .iter()
        .filter_map(found)
        .collect()
}

/// Adds a value to the parts of the one around it, and keeps its digest if that is asked for.
fn add(value: Node<'_>, to: &mut Parts, wanted: &mut Wanted) {
    let inside = match value.kind() {
        Kind::Array => {
            let mut items = Parts::default();
            value
                .items()
                .for_each(|item| add(item, &mut items, wanted));
            Some((&b"["[..], items.digest()))
        }
        Kind::Object => {
            let member = |key: Key<'_>| {
                let mut parts = Parts::default();
                parts.add(key.name().as_bytes());
                add(key.value(), &mut parts, wanted);
                parts.digest()
            };

            let mut members: Vec<Digest> = value
                .all_members()
                .map(member)
                .collect();
            members.sort_unstable();
            let all = Digest::of(members.iter().map(Digest::bytes));
            Some((&b"{"[..], all))
        }
        _ => None,
    };

    let (kind, text) = match &inside {
        Some((bracket, digest)) => (*bracket, digest.bytes()),
        None => (&b""[..], value.raw().as_bytes()),
    };

    to.add(kind);
    to.add(text);
    if let Some(digest) = wanted.get_mut(&value.index()) {
        *digest = Some(Digest::of([kind, text]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    fn of(text: &str) -> Digest {
        let document = OwnedDocument::read(text.as_bytes().to_vec()).unwrap();
        digests(&[document.root()])[0]
    }

    #[test]
    fn digest_depends_on_values_and_not_on_their_order() {
        assert_eq!(
            of(r#"{"a":1,"b":{"c":[1,2],"d":null}}"#),
            of(r#" {"b" : {"d":null,"c":[ 1,2]}, "a":1}"#)
        );
        let all = [
            "1",
            "\"1\"",
            "[]",
            "{}",
            "[[]]",
            "[{}]",
            "[1,2]",
            "[2,1]",
            "[[1],2]",
            "[[1,2]]",
            r#"{"a":[1]}"#,
            r#"{"a":1}"#,
            r#"{"b":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":1,"b":1}"#,
        ];
        let distinct: std::collections::BTreeSet<Digest> = all.map(of).into();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn digest_is_the_same_whatever_else_is_wanted() {
        let document =
            OwnedDocument::read(br#"{"a":{"b":[1,{"c":2}]},"d":[{"c":2},3,3]}"#.to_vec()).unwrap();
        let mut all = Vec::new();
        let mut open = vec![document.root()];
        while let Some(value) = open.pop() {
            all.push(value);
            open.extend(value.items());
            open.extend(value.members().map(Key::value));
        }
        let alone: Vec<Digest> = all
            .iter()
            .map(|value| digests(&[*value])[0])
            .collect();
        assert_eq!(digests(&all), alone);
        let twice: Vec<_> = all
            .iter()
            .chain(&all)
            .copied()
            .collect();
        assert_eq!(digests(&twice), [alone.clone(), alone].concat());
    }
}
