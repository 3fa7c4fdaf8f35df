//! A pattern of a team, and a value of a record -> whether the pattern names it.
//!
//! A selector is a set of tests, each of the value at a pointer.

use std::borrow::Cow;

use crate::ground::document::{Kind, Node, Number, Sink, Span, unquoted, walk};
use crate::ground::source::Pointer;

/// The tokens of a JSON Pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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

    /// Returns where the value is that its tokens after some lead to, in the value that starts at
    /// a place of a text that was read.
    pub(crate) fn in_text(&self, after: usize, text: &str, start: usize) -> Span {
        let mut found = Span::default();
        let finder = ValueFinder {
            text,
            path: self.0.get(after..).unwrap_or_default(),
            found: &mut found,
            is_next: true,
            open: Vec::new(),
        };
        // The text is JSON, so the pass ends where it does.
        let _ = walk(text.as_bytes(), start, 0, finder);
        found
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

    /// Returns the path of its first tokens.
    pub(crate) fn first(&self, length: usize) -> Self {
        Self(self.0.iter().take(length).cloned().collect())
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

/// Returns paths as a message names the places of which one lacks a value.
pub(crate) fn shown_paths(paths: &[KeyPath]) -> String {
    let paths = paths
        .iter()
        .map(|path| format!("`{}`", path.pointer().as_str()));
    paths.collect::<Vec<_>>().join(" or ")
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
        match self {
            Self::Text(glob) => text.is_some_and(|text| glob.matches(text)),
            Self::Number(wanted) => {
                Kind::of(written) == Kind::Number && Number::of(written).equals(Number::of(wanted))
            }
            Self::Boolean(wanted) => written == if *wanted { "true" } else { "false" },
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
        // Most texts differ in their first bytes, which takes no call to find out.
        let first = self.first.as_bytes().first();
        if first.is_some() && first != text.as_bytes().first() {
            return false;
        }
        let Some((last, between)) = self.rest.split_last() else {
            return *self.first == *text;
        };
        // No memory is compared for an empty part: some processors take long for that.
        let mut left = text;
        if !self.first.is_empty() {
            match left.strip_prefix(&*self.first) {
                Some(after) => left = after,
                None => return false,
            }
        }
        for part in between {
            match left.split_once(&**part) {
                Some((_, after)) => left = after,
                None => return false,
            }
        }
        last.is_empty() || left.ends_with(&**last)
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
    pub(in crate::ground) fn have(&self, value: Node<'_>) -> bool {
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

/// Finds the value in a text that a path leads to.
struct ValueFinder<'p, 'v> {
    text: &'v str,
    path: &'p [Box<str>],
    found: &'v mut Span,
    /// `true` if the path leads to the next value, or through it.
    is_next: bool,
    /// The arrays and objects that are open, all of them on the path: of an array the number of the
    /// next item.
    open: Vec<Option<usize>>,
}

impl<'p> ValueFinder<'p, '_> {
    /// Returns the token of the path that counts where the innermost array or object is open.
    fn token(&self) -> Option<&'p str> {
        let at = self.open.len().checked_sub(1)?;
        self.path.get(at).map(|token| &**token)
    }

    /// Goes on to the next item of an array.
    fn step(&mut self) {
        let token = self.token();
        self.is_next = false;
        if let Some(Some(item)) = self.open.last_mut() {
            self.is_next = token.and_then(index) == Some(*item);
            *item += 1;
        }
    }
}

impl Sink for ValueFinder<'_, '_> {
    #[inline]
    fn value(&mut self, _: Kind, start: usize, end: usize, escaped: bool) {
        if self.is_next {
            // Of a key that repeats, the last counts.
            *self.found = if self.open.len() == self.path.len() {
                Span::new(start, end).escaped(escaped)
            } else {
                Span::default()
            };
        }
        self.step();
    }

    #[inline]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let token = self.token();
        self.is_next = token.is_some_and(|token| match self.text.get(start + 1..end - 1) {
            Some(name) if !escaped => *name == *token,
            _ => *unquoted(self.text, start, end, escaped) == *token,
        });
    }

    #[inline]
    fn open(&mut self, kind: Kind, _: usize) -> bool {
        let is_wanted = self.is_next && self.open.len() < self.path.len();
        if is_wanted {
            *self.found = Span::default();
            self.open.push((kind == Kind::Array).then_some(0));
            self.step();
        }
        is_wanted
    }

    #[inline]
    fn close(&mut self, _: usize) {
        self.open.pop();
        self.step();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::Tape;

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
        let paths = [
            "", "/a", "/a/b", "/a/1", "/a/1/b", "/b~1", "/a/b/c", "/x/y", "/0/a",
        ];
        let mut tape = Tape::default();
        let mut present = 0;
        for text in [
            r#"{"a":{"b":{"c":1},"1":2},"b/":"x\"","x":{"y":null}}"#,
            " { \"a\" : [ 1 , { \"b\" : true } , 3 ] , \"x\" : [ ] } ",
            r#"{"a":{"b":1,"1":{"b":2}},"x":{"y":[]},"a":{"\u0062":{"c":[{}]}}}"#,
            r#"{"a":{"b":1},"\u0061":"","x":{"y":-1.5e3},"x":{}}"#,
            r#"{"a":{"b":1},"a":[],"x":{"y":1},"x":null}"#,
            r#"[{"a":1},false]"#,
            "7",
        ] {
            let root = tape.read(text.as_bytes()).unwrap().root();
            let start = text.find(|c: char| c != ' ').unwrap();
            for path in paths.map(|path| KeyPath::parse(path).unwrap()) {
                let span = path.in_text(0, text, start);
                let (written, node) = (Written { text, span }, path.of(root));
                let on_tape = node.map_or("", Node::raw);
                assert_eq!(written.raw(), on_tape, "{path:?} in {text}");
                let string = node.and_then(Node::text);
                assert_eq!(written.string(), string, "{path:?} in {text}");
                present += u32::from(span.is_present());
            }
        }
        assert_eq!(present, 23);
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
