//! Values -> digests that depend neither on the order of keys nor on the space between tokens, in
//! one walk.

use super::{Key, Kind, Node};
use crate::digest::{Digest, Parts};

/// Returns the digest of each value, in the order of the values. A value inside another is walked
/// over once, however many of those around it are given.
pub(crate) fn digests(values: &[Node<'_>]) -> Vec<Digest> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let index_of = |at: usize| values.get(at).map(|value| value.index());
    order.sort_by_key(|at| index_of(*at));
    let mut targets: Vec<u32> = order.iter().filter_map(|at| index_of(*at)).collect();
    targets.dedup();
    let mut walk = DigestWalk {
        found: vec![None; targets.len()],
        targets: &targets,
        next: 0,
    };
    for at in &order {
        if let Some(value) = values.get(*at)
            && walk.targets.get(walk.next) == Some(&value.index())
        {
            walk.add(*value, &mut Parts::default());
        }
    }
    let found = |value: &Node<'_>| {
        let at = targets.binary_search(&value.index()).ok()?;
        walk.found.get(at).copied().flatten()
    };
    values
        .iter()
        .map(|value| found(value).unwrap_or_else(|| Digest::of([])))
        .collect()
}

struct DigestWalk<'w> {
    /// The indices of the values whose digests are asked for, ascending, as the tape has them.
    targets: &'w [u32],
    found: Vec<Option<Digest>>,
    /// The first of them that is not reached.
    next: usize,
}

impl DigestWalk<'_> {
    /// Adds a value to the parts of the one around it, and keeps its digest if that is asked for.
    fn add(&mut self, value: Node<'_>, to: &mut Parts) {
        let slot = self.next;
        let is_target = self.targets.get(slot) == Some(&value.index());
        self.next += usize::from(is_target);
        let inside = match value.kind() {
            Kind::Array => {
                let mut items = Parts::default();
                value.items().for_each(|item| self.add(item, &mut items));
                Some((&b"["[..], items.digest()))
            }
            Kind::Object => {
                let member = |key: Key<'_>| {
                    let mut parts = Parts::default();
                    parts.add(key.name().as_bytes());
                    self.add(key.value(), &mut parts);
                    parts.digest()
                };
                let mut members: Vec<Digest> = value.all_members().map(member).collect();
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
        if is_target && let Some(found) = self.found.get_mut(slot) {
            *found = Some(Digest::of([kind, text]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::OwnedDocument;

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
        let alone: Vec<Digest> = all.iter().map(|value| digests(&[*value])[0]).collect();
        assert_eq!(digests(&all), alone);
        let twice: Vec<_> = all.iter().chain(&all).copied().collect();
        assert_eq!(digests(&twice), [alone.clone(), alone].concat());
    }
}
