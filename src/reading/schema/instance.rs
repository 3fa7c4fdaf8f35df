//! A document -> an instance that the `jsonschema` crate validates in place, without a tree of
//! values.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use jsonschema_value::LazyInstance;
use serde_json::Value;

use super::shape::is;
use crate::ground::document::{Items, Key, Kind, Members, Node, Number};

/// The representation of JSON values: nodes of a tape.
pub(super) struct TapeJson;

thread_local! {
    /// The number of times that the validator of this thread may still enter objects and arrays.
    static STEPS: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Validates with at most a number of looks into objects and arrays; `None` where it needs more.
///
/// The crate remembers whether a value is valid by a reference, but not why it is not: a schema
/// that refers to itself twice for a part of a value doubles that work with each level. Once the
/// steps are used up, no value has parts, so the validator comes to its end.
pub(super) fn within<T>(steps: u64, validate: impl FnOnce() -> T) -> Option<T> {
    STEPS.set(steps);
    let done = validate();
    let is_spent = STEPS.get() == 0;
    STEPS.set(u64::MAX);
    (!is_spent).then_some(done)
}

/// A value of a document, or a text that is used as a value.
#[derive(Clone, Copy)]
pub(super) enum Instance<'a> {
    Node(Node<'a>),
    /// A property's name, for `propertyNames`.
    Text(&'a str),
}

/// Texts are lent by the tape: none is copied into a buffer.
#[derive(Default)]
pub(super) struct NoBuffer;

impl Json for TapeJson {
    type Node<'a> = Instance<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = NoBuffer;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(_: &mut NoBuffer, string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Text(string))
    }
}

impl<'a> Instance<'a> {
    /// Returns the value, if it has parts of a kind, and another step is allowed.
    fn parts(self, kind: Kind) -> Option<Node<'a>> {
        let node = self.node_of(kind)?;
        let left = STEPS.get().saturating_sub(1);
        STEPS.set(left);
        (left > 0).then_some(node)
    }

    /// Returns the number that the value is.
    pub(super) fn number(self) -> Option<Number<'a>> {
        self.node_of(Kind::Number)?.number()
    }

    fn node_of(self, kind: Kind) -> Option<Node<'a>> {
        match self {
            Self::Node(node) if node.kind() == kind => Some(node),
            _ => None,
        }
    }
}

impl<'a> JsonNode<'a, TapeJson> for Instance<'a> {
    type Object = Node<'a>;
    type Array = Node<'a>;
    type Number = InstanceNumber<'a>;

    fn as_object(&self) -> Option<Node<'a>> {
        self.parts(Kind::Object)
    }

    fn as_array(&self) -> Option<Node<'a>> {
        self.parts(Kind::Array)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Node(node) => node.text(),
            Self::Text(text) => Some(Cow::Borrowed(text)),
        }
    }

    fn as_number(&self) -> Option<InstanceNumber<'a>> {
        self.number().map(InstanceNumber)
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Node(node) => node.boolean(),
            Self::Text(_) => None,
        }
    }

    fn is_null(&self) -> bool {
        self.node_of(Kind::Null).is_some()
    }

    fn json_type(&self) -> JsonType {
        match self {
            Self::Text(_) => JsonType::String,
            Self::Node(node) => match node.kind() {
                Kind::Null => JsonType::Null,
                Kind::False | Kind::True => JsonType::Boolean,
                Kind::Number => JsonType::Number,
                Kind::String => JsonType::String,
                Kind::Array => JsonType::Array,
                Kind::Object => JsonType::Object,
            },
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match self {
            Self::Node(node) => is(*node, expected),
            Self::Text(text) => expected.as_str() == Some(text),
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self {
            Self::Node(node) => value_of(node.raw().as_bytes(), 0),
            Self::Text(text) => Value::from(*text),
        })
    }

    fn lazy_value(&self) -> LazyInstance<'a> {
        match self {
            Self::Node(node) => LazyInstance::Deferred {
                bytes: node.raw().as_bytes(),
                tag: 0,
                make: value_of,
                cell: std::sync::OnceLock::new(),
            },
            Self::Text(_) => LazyInstance::Ready(self.to_value()),
        }
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match self {
            // No two values of a document start at the same byte.
            Self::Node(node) => NodeIdentity::new(node.raw().as_ptr().addr()),
            Self::Text(text) => NodeIdentity::tagged(text.as_ptr().addr(), 1),
        })
    }
}

/// Returns a value as one of `serde_json`. Where it is nested too deep for it, or has a number
/// beyond its range, its text stands for it, so that it equals no other value. No message shows it.
fn value_of(json: &[u8], _: u32) -> Value {
    serde_json::from_slice(json).unwrap_or_else(|_| String::from_utf8_lossy(json).into())
}

/// A number of a document as the validator sees it.
pub(super) struct InstanceNumber<'a>(Number<'a>);

impl JsonNumber for InstanceNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.text().parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.text().parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        Some(Number::as_f64(self.0))
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.text())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let number = self
            .0
            .text()
            .parse()
            .ok()
            .or_else(|| serde_json::Number::from_f64(Number::as_f64(self.0)));

        Cow::Owned(number.unwrap_or_else(|| 0.into()))
    }

    fn is_integer(&self) -> bool {
        Number::is_integer(self.0)
    }
}

impl<'a> Object<'a, TapeJson> for Node<'a> {
    type Node = Instance<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = std::iter::Map<Members<'a>, fn(Key<'a>) -> (Cow<'a, str>, Instance<'a>)>;

    fn len(&self) -> usize {
        Node::members(*self).count()
    }

    fn get(&self, key: &Box<str>) -> Option<Instance<'a>> {
        Node::get(*self, key).map(Instance::Node)
    }

    fn members(&self) -> Self::MembersIter {
        Node::members(*self).map(|key| (key.name(), Instance::Node(key.value())))
    }
}

impl<'a> Array<'a, TapeJson> for Node<'a> {
    type Node = Instance<'a>;
    type ElementsIter = std::iter::Map<Items<'a>, fn(Node<'a>) -> Instance<'a>>;

    fn len(&self) -> usize {
        self.items().count()
    }

    fn elements(&self) -> Self::ElementsIter {
        self.items().map(Instance::Node)
    }

    fn is_unique(&self) -> bool {
        let mut known = BTreeSet::new();
        self.items()
            .all(|item| known.insert(item.meaning()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonschema::json::conformance;

    #[test]
    fn tape_keeps_the_contract_of_the_validator() {
        let text = conformance::document().to_string();
        let mut tape = crate::ground::document::Tape::default();
        let document = tape
            .read(text.as_bytes())
            .expect("the conformance document is JSON");
        conformance::assert_conformance::<TapeJson>(&Instance::Node(document.root()));
    }
}
