//! Two values -> the places where they differ, in one walk over both.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Difference, MAX_DIFFERENCES, align};
use crate::ground::document::{Kind, Node};
use crate::report::{json, raw_json};

/// The maximum length of a value that is listed as it is, in bytes.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// The number of characters that are listed of a longer text.
const MAX_TEXT_CHARS: usize = 1_000;

/// The maximum length of all pointers and values that are listed, in bytes.
const MAX_LISTED_BYTES: usize = 4 << 20;

/// Members under which a run keeps the data of its task: there, every difference counts.
const CONTENTS: [&str; 6] = ["input", "inputs", "output", "outputs", "tags", "value"];

/// Returns `true` if a member is an id, a time, a duration or a digest, which differs between any
/// two runs.
pub(crate) fn is_expected(name: &str) -> bool {
    let is_name = matches!(
        name,
        "id" | "timestamp" | "time" | "latencies" | "duration" | "sha256" | "digest" | "hash"
    );
    let ends = [
        "_id", "_ids", "_at", "_ms", "_sec", "_seconds", "_sha256", "_digest", "_hash",
    ];

    is_name
        || ends
            .iter()
            .any(|end| name.ends_with(end))
}

/// Some differences, and the number of the other ones.
#[derive(Default)]
pub(super) struct DiffList {
    pub(super) listed: Vec<Difference>,
    pub(super) more: u64,
    bytes: usize,
}

impl DiffList {
    pub(super) fn is_none(&self) -> bool {
        self.listed.is_empty() && self.more == 0
    }

    fn add(&mut self, places: [&str; 2], values: impl FnOnce() -> [Box<RawValue>; 2]) {
        let [pointer, in_right] = places;
        if self.listed.len() == MAX_DIFFERENCES || self.bytes + pointer.len() > MAX_LISTED_BYTES {
            self.more += 1;
            return;
        }

        let [left, right] = values();
        self.bytes += pointer.len() + left.get().len() + right.get().len();
        self.listed.push(Difference {
            pointer: pointer.to_owned(),
            right_pointer: (in_right != pointer).then(|| in_right.to_owned()),
            left,
            right,
        });
    }
}

/// Returns a value as JSON that is safe to print and bounded in length.
fn shown(node: Option<Node<'_>>) -> Box<RawValue> {
    match node {
        None => json(&()),
        Some(node) if node.raw().len() <= MAX_VALUE_BYTES => raw_json(node).unwrap_or_default(),
        Some(node) => match node.text() {
            Some(text) => {
                let mut beginning: String = text
                    .chars()
                    .take(MAX_TEXT_CHARS)
                    .collect();
                beginning.push('…');
                json(&beginning)
            }
            None => json(&format!(
                "{} of {} bytes, digest {}",
                node.kind().with_article(),
                node.raw().len(),
                node.meaning()
            )),
        },
    }
}

/// A walk over two comparison documents.
#[derive(Default)]
pub(super) struct DiffWalk {
    pointer: String,
    /// The pointer into the second document, where an item stands at another position.
    right_pointer: String,
    counted: DiffList,
    uncounted: DiffList,
    /// `true` if the walk is inside a member that does not count.
    is_expected: bool,
    /// `true` if it is inside one where everything counts.
    is_content: bool,
}

impl DiffWalk {
    /// Returns the differences that count, and those that do not.
    pub(super) fn done(self) -> (DiffList, DiffList) {
        (self.counted, self.uncounted)
    }

    /// Walks on below a member or an item.
    pub(super) fn at(&mut self, token: &str, walk: impl FnOnce(&mut Self)) {
        self.at_both([token, token], walk);
    }

    /// Walks on below a member or an item, whose place in each document is given.
    fn at_both(&mut self, [left, right]: [&str; 2], walk: impl FnOnce(&mut Self)) {
        let (left_length, right_length) = (self.pointer.len(), self.right_pointer.len());
        push_token(&mut self.pointer, left);
        push_token(&mut self.right_pointer, right);
        walk(self);
        self.pointer.truncate(left_length);
        self.right_pointer
            .truncate(right_length);
    }

    /// Compares two values that are not of records.
    pub(super) fn plain<T: PartialEq + Serialize>(&mut self, left: Option<T>, right: Option<T>) {
        if left != right {
            self.differ(|| [left, right].map(|value| json(&value)));
        }
    }

    /// Compares two values of records.
    pub(super) fn value(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>) {
        let [left, right] = [left, right].map(|node| node.filter(|node| !node.is_null()));
        let kinds = [left, right].map(|node| node.map(Node::kind));
        match (left, right) {
            (None, None) => {}
            (Some(a), Some(b)) if kinds == [Some(Kind::Object); 2] => {
                self.members(a, b);
            }
            (Some(a), Some(b)) if kinds == [Some(Kind::Array); 2] => {
                if align::has(&self.pointer) {
                    return self.aligned(a, b);
                }

                let (mut items, mut others) = (a.items(), b.items());
                for index in 0_u64.. {
                    let (a, b) = (items.next(), others.next());
                    if a.is_none() && b.is_none() {
                        break;
                    }
                    self.at(&index.to_string(), |walk| walk.value(a, b));
                }
            }
            (Some(a), Some(b)) if a.kind() == b.kind() && a.equals(b) => {}
            _ => self.differ(|| [left, right].map(shown)),
        }
    }

    /// Compares the items of two lists that stand side by side.
    fn aligned(&mut self, left: Node<'_>, right: Node<'_>) {
        let [left, right] = [left, right].map(|list| list.items().collect::<Vec<_>>());
        for [a, b] in align::rows(&self.pointer, &left, &right) {
            let places = [a.or(b), b.or(a)].map(|at| at.unwrap_or_default().to_string());
            let items = [(&left, a), (&right, b)];
            let [a, b] = items.map(|(list, at)| list.get(at?).copied());
            self.at_both(places.each_ref().map(|it| &**it), |walk| walk.value(a, b));
        }
    }

    /// Compares the members of two objects by name, in the order of the names.
    fn members(&mut self, left: Node<'_>, right: Node<'_>) {
        let (lefts, rights) = (left.by_name(), right.by_name());
        let names: BTreeSet<_> = lefts
            .keys()
            .chain(rights.keys())
            .collect();

        for name in names {
            let [left, right] = [&lefts, &rights].map(|members| members.get(name).copied());
            self.member(name, left, right);
        }
    }

    fn member(&mut self, name: &str, left: Option<Node<'_>>, right: Option<Node<'_>>) {
        let around = (self.is_expected, self.is_content);
        self.is_content |= CONTENTS.contains(&name);
        self.is_expected |= !self.is_content && is_expected(name);
        self.at(name, |walk| walk.value(left, right));
        (self.is_expected, self.is_content) = around;
    }

    fn differ(&mut self, values: impl FnOnce() -> [Box<RawValue>; 2]) {
        let list = if self.is_expected {
            &mut self.uncounted
        } else {
            &mut self.counted
        };

        list.add([&self.pointer, &self.right_pointer], values);
    }
}

/// Adds a token to a JSON Pointer.
fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Returns `true` if two values of records differ in anything that counts.
pub(crate) fn differs(left: Option<Node<'_>>, right: Option<Node<'_>>) -> bool {
    let mut walk = DiffWalk::default();
    walk.value(left, right);
    !walk.counted.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    /// Returns the pointers of the differences that count, and of those that do not.
    fn pointers(left: &str, right: &str) -> [Vec<String>; 2] {
        let [left, right] =
            [left, right].map(|text| OwnedDocument::read(text.as_bytes().to_vec()).unwrap());
        let mut walk = DiffWalk::default();
        walk.value(Some(left.root()), Some(right.root()));
        let (counted, uncounted) = walk.done();
        [counted, uncounted].map(|list| {
            let listed = list.listed.into_iter();
            listed
                .map(|difference| difference.pointer)
                .collect()
        })
    }

    #[test]
    fn values_are_compared_by_name_position_and_value() {
        let none: [Vec<String>; 2] = [vec![], vec![]];
        assert_eq!(
            pointers(r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":10e-1}"#),
            none
        );
        assert_eq!(pointers(r#"{"a":null}"#, "{}"), none, "absent equals null");
        let [counted, _] = pointers(r#"{"a/b":[1,2],"c":"x"}"#, r#"{"a/b":[1,3,4],"c":[]}"#);
        assert_eq!(counted, ["/a~1b/1", "/a~1b/2", "/c"]);
        let [counted, _] = pointers("9007199254740993", "9007199254740992");
        assert_eq!(counted, [""]);
    }

    #[test]
    fn ids_times_durations_and_digests_do_not_count() {
        let [counted, uncounted] = pointers(
            r#"{"id":"a","latencies":{"x":1},"k":{"duration_ms":1},"inputs":{"ticket_id":1}}"#,
            r#"{"id":"b","latencies":{"x":2},"k":{"duration_ms":2},"inputs":{"ticket_id":2}}"#,
        );
        assert_eq!(counted, ["/inputs/ticket_id"], "what a run works on counts");
        assert_eq!(uncounted, ["/id", "/k/duration_ms", "/latencies/x"]);
    }

    #[test]
    fn long_values_are_described_and_many_differences_counted() {
        let long = format!("[[{}]]", vec!["1"; 5_000].join(","));
        let [left, right] =
            [&*long, "[0]"].map(|text| OwnedDocument::read(text.as_bytes().to_vec()).unwrap());
        let mut walk = DiffWalk::default();
        walk.value(Some(left.root()), Some(right.root()));
        let described = walk.counted.listed[0].left.get();
        assert!(
            described.starts_with("\"an array of 10001 bytes, digest "),
            "{described}"
        );

        let (ones, twos) = (vec!["1"; 5_000].join(","), vec!["2"; 5_000].join(","));
        let [left, right] = [ones, twos]
            .map(|items| OwnedDocument::read(format!("[{items}]").into_bytes()).unwrap());
        let mut walk = DiffWalk::default();
        walk.value(Some(left.root()), Some(right.root()));
        let listed = walk.counted.listed.len();
        assert_eq!((listed, walk.counted.more), (MAX_DIFFERENCES, 4_000));
    }
}
