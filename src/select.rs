//! A pattern of a team, and a value of a record -> whether the pattern names it.
//!
//! A selector is a set of tests, each of the value at a pointer.

use std::sync::Arc;

use crate::document::{Kind, Node, Number};
use crate::source::Pointer;

/// The tokens of a JSON Pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyPath(Box<[Box<str>]>);

impl KeyPath {
    /// Returns the path that a pointer spells; `None` where the text is not a pointer.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_escape = |rest: &str| rest.starts_with(['0', '1']);
        let escapes_are_right = text.split('~').skip(1).all(is_escape);
        if !(text.is_empty() || text.starts_with('/')) || !escapes_are_right {
            return None;
        }
        let pointer = Pointer::new(text);
        Some(Self(
            pointer.tokens().map(|token| (*token).into()).collect(),
        ))
    }

    /// Returns the value that it leads to.
    pub(crate) fn of<'a>(&self, record: Node<'a>) -> Option<Node<'a>> {
        let mut tokens = self.0.iter();
        tokens.try_fold(record, |node, token| step(node, token))
    }

    /// Returns the pointer to the value that it leads to, or to the nearest one around it.
    pub(crate) fn reached(&self, record: Node<'_>) -> Pointer {
        let (mut node, mut pointer) = (record, Pointer::default());
        for token in &self.0 {
            let Some(next) = step(node, token) else { break };
            (node, pointer) = (next, pointer.field(token));
        }
        pointer
    }

    /// Returns its text.
    pub(crate) fn pointer(&self) -> Pointer {
        let tokens = self.0.iter();
        tokens.fold(Pointer::default(), |pointer, token| pointer.field(token))
    }

    pub(crate) fn tokens(&self) -> &[Box<str>] {
        &self.0
    }
}

/// Returns the value to which one token of a pointer leads.
fn step<'a>(node: Node<'a>, token: &str) -> Option<Node<'a>> {
    match node.kind() {
        Kind::Array => node.items().nth(index(token)?),
        _ => node.get(token),
    }
}

/// Returns the index that a token is in an array.
fn index(token: &str) -> Option<usize> {
    let is_written_so = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| is_written_so)
}

/// The words that stand for pointers into an event; the last two for those into an action, too.
const WORDS: [(&str, &str); 5] = [
    ("phase", "/phase"),
    ("event_type", "/event_type"),
    ("agent_id", "/agent_id"),
    ("tool", "/payload/tool"),
    ("kind", "/payload/kind"),
];

/// Returns the words that stand for pointers into an event or an action.
pub(crate) fn key_words(of_action: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let words = WORDS.iter().skip(if of_action { 3 } else { 0 });
    words.map(
        move |(word, pointer)| match pointer.strip_prefix("/payload") {
            Some(of_payload) if of_action => (*word, of_payload),
            _ => (*word, *pointer),
        },
    )
}

/// Returns the path that a key of a selector stands for, a word or a pointer; `None` where it is
/// neither.
pub(crate) fn key_path(key: &str, of_action: bool) -> Option<KeyPath> {
    let known = key_words(of_action).find(|(word, _)| *word == key);
    let pointer = known.map_or(key, |(_, pointer)| pointer);
    KeyPath::parse(pointer).filter(|_| !pointer.is_empty())
}

/// A value that a team writes to name those of records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SelectorValue {
    Text(Glob),
    /// As it is written in JSON.
    Number(String),
    Boolean(bool),
}

impl SelectorValue {
    /// Returns `true` if a value is it; the text is the content of a string.
    fn is(&self, written: &str, text: Option<&str>) -> bool {
        match (self, Kind::of(written)) {
            (Self::Text(glob), _) => text.is_some_and(|text| glob.matches(text)),
            (Self::Number(wanted), Kind::Number) => Number::of(written).equals(Number::of(wanted)),
            (Self::Boolean(wanted), kind) => kind == if *wanted { Kind::True } else { Kind::False },
            (Self::Number(_), _) => false,
        }
    }
}

/// A text in which `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    first: Box<str>,
    /// The texts behind each `*`.
    rest: Box<[Box<str>]>,
}

impl Glob {
    pub(crate) fn new(text: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '*' => parts.push(String::new()),
                '\\' if characters.next_if_eq(&'*').is_some() => push(&mut parts, '*'),
                other => push(&mut parts, other),
            }
        }
        let mut parts = parts.into_iter().map(String::into_boxed_str);
        Self {
            first: parts.next().unwrap_or_default(),
            rest: parts.collect(),
        }
    }

    #[inline]
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some((last, between)) = self.rest.split_last() else {
            return *self.first == *text;
        };
        let Some(mut left) = text.strip_prefix(&*self.first) else {
            return false;
        };
        for part in between {
            match left.split_once(&**part) {
                Some((_, after)) => left = after,
                None => return false,
            }
        }
        left.ends_with(&**last)
    }

    /// Returns the text, where it has no `*`.
    pub(crate) fn word(&self) -> Option<&str> {
        self.rest.is_empty().then_some(&*self.first)
    }
}

fn push(parts: &mut [String], character: char) {
    if let Some(last) = parts.last_mut() {
        last.push(character);
    }
}

/// Values, of which a value is one, or none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    pub(crate) any_of: Vec<SelectorValue>,
    /// `true` if the value is to be none of them.
    pub(crate) negated: bool,
}

impl Values {
    pub(crate) fn have(&self, value: Node<'_>) -> bool {
        self.have_written(value.raw(), value.text().as_deref())
    }

    /// Returns `true` if they have a value as it is written; the text is the content of a string.
    pub(crate) fn have_written(&self, written: &str, text: Option<&str>) -> bool {
        let mut any_of = self.any_of.iter();
        any_of.any(|wanted| wanted.is(written, text)) != self.negated
    }
}

/// Tests of values, all of which a record passes that it names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selector(pub(crate) Vec<(KeyPath, Values)>);

impl Selector {
    pub(crate) fn names(&self, record: Node<'_>) -> bool {
        let mut tests = self.0.iter();
        tests.all(|(path, values)| path.of(record).is_some_and(|value| values.have(value)))
    }
}

/// The paths that many selectors, and other readers of a record, ask for: each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(Vec<KeyPath>);

impl Keys {
    /// Returns the place of a path among them.
    pub(crate) fn place(&mut self, path: &KeyPath) -> usize {
        place(&mut self.0, path)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the path at a place.
    pub(crate) fn path(&self, place: usize) -> Option<&KeyPath> {
        self.0.get(place)
    }

    /// Returns the tests of a selector, by the places of their paths.
    pub(crate) fn indexed(&mut self, selector: &Selector) -> Indexed {
        let tests = selector.0.iter();
        let tests = tests.map(|(path, values)| (self.place(path), Arc::new(values.clone())));
        Indexed(tests.collect())
    }

    /// Returns the number of paths.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the place of an item in a list, to which it is added if it is new.
pub(crate) fn place<T: Clone + PartialEq>(list: &mut Vec<T>, item: &T) -> usize {
    let known = list.iter().position(|known| known == item);
    known.unwrap_or_else(|| {
        list.push(item.clone());
        list.len() - 1
    })
}

/// A selector whose paths are those of [`Keys`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Indexed(pub(crate) Vec<(usize, Arc<Values>)>);

impl Indexed {
    /// Returns `true` if it names a record, of which a function gives the value at a place.
    pub(crate) fn names<'a>(&self, value: impl Fn(usize) -> Option<Node<'a>>) -> bool {
        let mut tests = self.0.iter();
        tests.all(|(key, wanted)| value(*key).is_some_and(|value| wanted.have(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tape;

    #[test]
    fn star_stands_for_any_characters() {
        for (glob, text, expected) in [
            ("refund", "refund", true),
            ("refund", "refunds", false),
            ("adapter:*", "adapter:", true),
            ("adapter:*", "adapter:a/b", true),
            ("adapter:*", "adapter", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            (r"a\b", r"a\b", true),
            (r"a\\*", r"a\*", true),
        ] {
            assert_eq!(Glob::new(glob).matches(text), expected, "{glob} {text}");
        }
    }

    #[test]
    fn values_are_equal_as_json_values() {
        let number = |text: &str| Values {
            any_of: vec![SelectorValue::Number(text.into())],
            negated: false,
        };
        let mut tape = Tape::default();
        for (wanted, json, expected) in [
            (number("500"), "500.0", true),
            (number("500"), "5e2", true),
            (number("500"), "\"500\"", false),
            (number("1"), "true", false),
            (number("9007199254740993"), "9007199254740992", false),
        ] {
            let document = tape.read(json.as_bytes()).unwrap();
            assert_eq!(wanted.have(document.root()), expected, "{json}");
        }
        let none_of = Values {
            any_of: vec![SelectorValue::Boolean(true)],
            negated: true,
        };
        let null = tape.read(b"null").unwrap();
        assert!(
            none_of.have(null.root()),
            "null is there, and equals nothing"
        );
    }

    #[test]
    fn path_leads_through_objects_and_arrays_to_the_last_of_equal_keys() {
        let mut tape = Tape::default();
        let text = br#"{"a":[{"b/c":1}],"a":[{"b/c":2},{"~":3}]}"#;
        let root = tape.read(text).unwrap().root();
        for (path, expected) in [
            ("/a/0/b~1c", Some("2")),
            ("/a/1/~0", Some("3")),
            ("/a/01", None),
            ("/a/2", None),
            ("/a/+1", None),
            ("/b", None),
        ] {
            let path = KeyPath::parse(path).unwrap();
            assert_eq!(path.of(root).map(Node::raw), expected, "{path:?}");
        }
        assert!(KeyPath::parse("a").is_none() && KeyPath::parse("/~2").is_none());
    }
}
