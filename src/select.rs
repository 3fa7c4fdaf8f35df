//! A pattern of a team, and a value of a record -> whether the pattern names it.
//!
//! A selector is a set of tests, each of the value at a pointer.

use std::borrow::Cow;
use std::sync::Arc;

use crate::document::{
    Kind, Node, Number, Span, end_of_number, end_of_string, skip, skip_whitespace, unquoted,
};
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

    /// Returns the path to a field of the value that it leads to.
    pub(crate) fn field(&self, token: &str) -> Self {
        let tokens = self.0.iter().cloned();
        Self(tokens.chain([token.into()]).collect())
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

    /// Returns `true` if they have a value of a text.
    pub(crate) fn are_met_by(&self, value: Written<'_>) -> bool {
        self.have_written(value.raw(), value.string().as_deref())
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
pub(crate) struct Keys {
    paths: Vec<KeyPath>,
    tree: KeyTree,
}

/// The paths that begin with the same tokens: the place of the one that ends with these, and those
/// that go on, by their next token.
#[derive(Clone, Debug, Default)]
struct KeyTree {
    place: Option<usize>,
    below: Vec<(Box<str>, KeyTree)>,
}

impl Keys {
    /// Returns the place of a path among them.
    pub(crate) fn place(&mut self, path: &KeyPath) -> usize {
        let place = place(&mut self.paths, path);
        let mut tree = &mut self.tree;
        for token in &path.0 {
            let below = tree.below.iter().position(|(known, _)| known == token);
            let below = below.unwrap_or(tree.below.len());
            if below == tree.below.len() {
                tree.below.push((token.clone(), KeyTree::default()));
            }
            let Some((_, next)) = tree.below.get_mut(below) else {
                return place;
            };
            tree = next;
        }
        tree.place = Some(place);
        place
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns the path at a place.
    pub(crate) fn path(&self, place: usize) -> Option<&KeyPath> {
        self.paths.get(place)
    }

    /// Returns the place of a path, if it is one of them.
    pub(crate) fn find(&self, path: &KeyPath) -> Option<usize> {
        let mut tokens = path.0.iter();
        let tree = tokens.try_fold(&self.tree, |tree, token| {
            let mut below = tree.below.iter();
            Some(&below.find(|(known, _)| known == token)?.1)
        });
        tree?.place
    }

    /// Returns the values that the paths lead to in a text that was read, in one pass.
    pub(crate) fn values(&self, text: &str) -> Vec<Span> {
        let mut found = vec![Span::default(); self.paths.len()];
        let start = skip_whitespace(text.as_bytes(), 0);
        // The text is JSON, so the pass ends where it does.
        let _ = self.tree.read(text, start, &mut found);
        found
    }

    /// Returns the tests of a selector, by the places of their paths.
    pub(crate) fn indexed(&mut self, selector: &Selector) -> Indexed {
        let tests = selector.0.iter();
        let tests = tests.map(|(path, values)| (self.place(path), Arc::new(values.clone())));
        Indexed(tests.collect())
    }
}

impl KeyTree {
    /// Finds the values that the paths lead to from a place of a text; returns the end of what is
    /// there.
    fn read(&self, text: &str, start: usize, found: &mut [Span]) -> Option<usize> {
        self.forget(found);
        let bytes = text.as_bytes();
        let (end, is_escaped) = match bytes.get(start)? {
            b'"' => end_of_string(bytes, start)?,
            b'{' | b'[' if !self.below.is_empty() => (self.content(text, start, found)?, false),
            b'{' | b'[' => (skip(bytes, start, 0)?, false),
            b't' | b'n' => (start + 4, false),
            b'f' => (start + 5, false),
            _ => (end_of_number(bytes, start)?, false),
        };
        if let Some(place) = self.place.and_then(|place| found.get_mut(place)) {
            *place = Span::new(start, end).escaped(is_escaped);
        }
        Some(end)
    }

    /// Finds the values in an object or an array.
    fn content(&self, text: &str, start: usize, found: &mut [Span]) -> Option<usize> {
        const OTHER: KeyTree = KeyTree {
            place: None,
            below: Vec::new(),
        };
        let bytes = text.as_bytes();
        let after_blank = |at: usize| match bytes.get(at) {
            Some(byte) if *byte > b' ' => at,
            _ => skip_whitespace(bytes, at),
        };
        let is_object = bytes.get(start) == Some(&b'{');
        let mut at = after_blank(start + 1);
        if matches!(bytes.get(at)?, b'}' | b']') {
            return Some(at + 1);
        }
        for item in 0.. {
            let mut below = self.below.iter();
            let next = if is_object {
                let (end, is_escaped) = end_of_string(bytes, at)?;
                let name = unquoted(text, at, end, is_escaped);
                at = after_blank(after_blank(end) + 1);
                below.find(|(token, _)| **token == *name)
            } else {
                below.find(|(token, _)| index(token) == Some(item))
            };
            at = after_blank(
                next.map_or(&OTHER, |(_, tree)| tree)
                    .read(text, at, found)?,
            );
            if bytes.get(at)? != &b',' {
                break;
            }
            at = after_blank(at + 1);
        }
        Some(at + 1)
    }

    /// Forgets what was found: of a key that repeats, the last counts.
    fn forget(&self, found: &mut [Span]) {
        if let Some(place) = self.place.and_then(|place| found.get_mut(place)) {
            *place = Span::default();
        }
        self.below.iter().for_each(|(_, below)| below.forget(found));
    }
}

/// A value as it is written in its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

impl<'a> Written<'a> {
    pub(crate) fn raw(self) -> &'a str {
        self.span.of(self.text)
    }

    /// Returns the content of a string; `None` for any other value.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        let (start, end) = (self.span.start() as usize, self.span.end() as usize);
        let is_string = self.text.as_bytes().get(start) == Some(&b'"');
        is_string.then(|| unquoted(self.text, start, end, self.span.is_escaped()))
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
    pub(crate) fn names<'a>(&self, value: impl Fn(usize) -> Option<Written<'a>>) -> bool {
        let mut tests = self.0.iter();
        tests.all(|(key, wanted)| value(*key).is_some_and(|value| wanted.are_met_by(value)))
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
    fn paths_lead_to_the_same_values_in_a_text_and_on_its_tape() {
        let paths = ["", "/a", "/a/b", "/a/1", "/a/1/b", "/b~1", "/a/b/c", "/x/y"];
        let paths = paths.map(|path| KeyPath::parse(path).unwrap());
        let mut keys = Keys::default();
        let places = paths.each_ref().map(|path| keys.place(path));
        let mut tape = Tape::default();
        for text in [
            r#"{"a":{"b":{"c":1},"1":2},"b/":"x\"","x":{"y":null}}"#,
            " { \"a\" : [ 1 , { \"b\" : true } , 3 ] , \"x\" : [ ] } ",
            r#"{"a":{"b":1,"1":{"b":2}},"x":{"y":[]},"a":{"\u0062":{"c":[{}]}}}"#,
            r#"{"a":{"b":1},"\u0061":"","x":{"y":-1.5e3},"x":{}}"#,
            r#"[{"a":1},false]"#,
            "7",
        ] {
            let (values, root) = (
                keys.values(text),
                tape.read(text.as_bytes()).unwrap().root(),
            );
            for (path, place) in paths.iter().zip(places) {
                let written = Written {
                    text,
                    span: values[place],
                };
                let node = path.of(root);
                let on_tape = node.map_or("", Node::raw);
                assert_eq!(written.raw(), on_tape, "{path:?} in {text}");
                assert_eq!(
                    written.string(),
                    node.and_then(Node::text),
                    "{path:?} in {text}"
                );
                assert_eq!(keys.find(path), Some(place));
            }
        }
        assert_eq!(keys.find(&KeyPath::parse("/x").unwrap()), None);
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
