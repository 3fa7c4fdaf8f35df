//! A pattern of a team, and a value of a record -> whether the pattern names it.
//!
//! A selector is a set of tests, each of the value at a pointer.

mod finder;
mod glob;
mod path;

use std::borrow::Cow;

use crate::ground::document::{Kind, Node, Number, Span, unquoted};
use crate::ground::shortened::Mark;
use crate::ground::source::Pointer;

pub(crate) use glob::Glob;
pub(crate) use path::{KeyPath, Look, shown_paths};

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
    WORDS
        .iter()
        .skip(if of_action { 3 } else { 0 })
        .map(
            move |(word, pointer)| match pointer.strip_prefix("/payload") {
                Some(of_payload) if of_action => (*word, of_payload),
                _ => (*word, *pointer),
            },
        )
}

/// Returns the path that a key of a selector stands for, a word or a pointer; `None` where it is
/// neither.
pub(crate) fn key_path(key: &str, of_action: bool) -> Option<KeyPath> {
    let pointer = key_words(of_action)
        .find(|(word, _)| *word == key)
        .map_or(key, |(_, pointer)| pointer);
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

/// Values that a team names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    pub(crate) items: Vec<SelectorValue>,
}

impl Values {
    /// Returns the texts among them that stand for themselves alone.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.items
            .iter()
            .filter_map(|value| match value {
                SelectorValue::Text(glob) => glob.word().map(str::to_owned),
                SelectorValue::Number(_) | SelectorValue::Boolean(_) => None,
            })
    }

    /// Returns `true` if a value of a text is one of them.
    pub(crate) fn have_written(&self, value: Written<'_>) -> bool {
        self.have(value.raw(), value.string().as_deref())
    }

    /// Returns `true` if a value as it is written is one of them; the text is the content of a
    /// string.
    pub(crate) fn have(&self, written: &str, text: Option<&str>) -> bool {
        self.items
            .iter()
            .any(|wanted| wanted.is(written, text))
    }

    /// Returns `true` if one of them has the type of a value as it is written.
    fn have_type_of(&self, written: &str) -> bool {
        let kind = Kind::of(written);
        self.items
            .iter()
            .any(|wanted| match wanted {
                SelectorValue::Text(_) => kind == Kind::String,
                SelectorValue::Number(_) => kind == Kind::Number,
                SelectorValue::Boolean(_) => matches!(kind, Kind::True | Kind::False),
            })
    }

    /// Returns their types, in words.
    fn types(&self) -> String {
        let mut types: Vec<&str> = Vec::new();
        for wanted in &self.items {
            let kind = match wanted {
                SelectorValue::Text(_) => Kind::String,
                SelectorValue::Number(_) => Kind::Number,
                SelectorValue::Boolean(_) => Kind::True,
            };
            if !types.contains(&kind.with_article()) {
                types.push(kind.with_article());
            }
        }

        types.join(" or ")
    }
}

/// What a team wants of the value at a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wanted {
    /// It is there.
    Present,
    /// It is not there.
    Absent,
    /// It is one of these.
    OneOf(Values),
    /// It is there and none of these.
    NoneOf(Values),
    /// It is not there, or none of these.
    AbsentOrNoneOf(Values),
}

/// Whether a test names a record. What is less counts where there are several tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    No,
    /// Nobody can tell.
    Unjudged,
    Yes,
}

/// The reason why nobody can tell if a record is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unjudged {
    /// The place of the value in the record; `None` where it is no single one.
    pub(crate) at: Option<Pointer>,
    pub(crate) why: String,
}

impl Wanted {
    /// Returns the values that it names.
    pub(crate) fn values(&self) -> &[SelectorValue] {
        match self {
            Self::Present | Self::Absent => &[],
            Self::OneOf(values) | Self::NoneOf(values) | Self::AbsentOrNoneOf(values) => {
                &values.items
            }
        }
    }

    /// Returns `true` if it allows a text.
    pub(crate) fn allows_text(&self, text: &str) -> bool {
        let written = Look::Value("\"");
        self.names(written, Some(text), 0) == Named::Yes
    }

    /// Returns whether it names a record by what a path with this number of tokens leads to; the
    /// text is the content of a string.
    #[inline]
    pub(crate) fn names(&self, found: Look<&str>, text: Option<&str>, tokens: usize) -> Named {
        let is = |is: bool| if is { Named::Yes } else { Named::No };
        match (self, found) {
            (Self::OneOf(values), Look::Value(written)) => match values.have(written, text) {
                true => Named::Yes,
                false if Kind::of(written) == Kind::Null || values.have_type_of(written) => {
                    Named::No
                }
                false => Named::Unjudged,
            },
            (Self::NoneOf(values) | Self::AbsentOrNoneOf(values), Look::Value(written)) => {
                is(!values.have(written, text))
            }
            (Self::Present, Look::Value(_)) => Named::Yes,
            (Self::Absent, Look::Value(_)) => Named::No,
            (_, Look::Nowhere) => is(matches!(self, Self::Absent | Self::AbsentOrNoneOf(_))),
            (Self::Present | Self::Absent, Look::Shortened { passed }) if passed == tokens => {
                is(*self == Self::Present)
            }
            (_, Look::Shortened { .. }) => Named::Unjudged,
        }
    }

    /// Returns whether it names a record by all values that a path leads to which has tokens for
    /// any path, and the place of the value that keeps it from being told.
    pub(crate) fn names_deep(&self, path: &KeyPath, record: Node<'_>) -> (Named, Option<Pointer>) {
        let (mut any, mut one, mut shortened) = (false, false, None);
        path.visit(record, &mut |node, is_end| {
            let is_shortened = Mark::of(node).is_some();
            any |= is_end && (!is_shortened || matches!(self, Self::Present | Self::Absent));
            match self {
                _ if is_shortened => {
                    if !is_end || !matches!(self, Self::Present | Self::Absent) {
                        shortened.get_or_insert(node);
                    }
                }
                Self::OneOf(values) | Self::NoneOf(values) | Self::AbsentOrNoneOf(values) => {
                    one |= values.have(node.raw(), node.text().as_deref());
                }
                Self::Present | Self::Absent => {}
            }
        });

        let decided = match self {
            Self::Present => any.then_some(Named::Yes),
            Self::Absent => any.then_some(Named::No),
            Self::OneOf(_) => one.then_some(Named::Yes),
            Self::NoneOf(_) | Self::AbsentOrNoneOf(_) => one.then_some(Named::No),
        };

        if let Some(decided) = decided {
            return (decided, None);
        }
        if let Some(shortened) = shortened {
            return (Named::Unjudged, Some(record.pointer_to(shortened)));
        }

        let is_named = match self {
            Self::Present | Self::OneOf(_) => false,
            Self::NoneOf(_) => any,
            Self::Absent | Self::AbsentOrNoneOf(_) => true,
        };

        (if is_named { Named::Yes } else { Named::No }, None)
    }

    /// Returns whether the value at a path names a record, and why nobody can tell.
    fn judge(&self, path: &KeyPath, record: Node<'_>) -> Result<bool, Unjudged> {
        let (named, at) = if path.is_deep() {
            self.names_deep(path, record)
        } else {
            let found = path.look(record);
            let value = match found {
                Look::Value(node) => Some(node),
                _ => None,
            };

            let text = value.and_then(Node::text);
            let (written, at) = match found {
                Look::Nowhere => (Look::Nowhere, None),
                Look::Value(node) => (Look::Value(node.raw()), Some(path.pointer())),
                Look::Shortened { passed } => (
                    Look::Shortened { passed },
                    Some(path.first(passed).pointer()),
                ),
            };

            let named = self.names(written, text.as_deref(), path.tokens().len());
            (named, at)
        };

        match named {
            Named::Yes => Ok(true),
            Named::No => Ok(false),
            Named::Unjudged => Err(self.unjudged(at.unwrap_or_default(), record)),
        }
    }

    /// Returns why nobody can tell because of the value at a place.
    fn unjudged(&self, at: Pointer, record: Node<'_>) -> Unjudged {
        let value = KeyPath::parse(at.as_str()).and_then(|path| path.of(record));
        let place = at.as_str();
        let why = match (value, self) {
            (Some(value), Self::OneOf(values)) if Mark::of(value).is_none() => {
                let kind = value.kind().with_article();
                let types = values.types();
                format!("the value at `{place}` is {kind}, and is compared with {types}")
            }
            _ => format!(
                "the value at `{place}` was shortened, and the run has no file with all of it"
            ),
        };

        Unjudged { at: Some(at), why }
    }
}

/// Tests of values, all of which a record passes that it names. Words stand before pointers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selector {
    pub(crate) tests: Vec<(KeyPath, Wanted)>,
}

impl Selector {
    /// Returns whether it names a record.
    ///
    /// # Errors
    ///
    /// Why nobody can tell, by the first test that can't be judged, where no other rules it out.
    pub(crate) fn names(&self, record: Node<'_>) -> Result<bool, Unjudged> {
        let mut unjudged = None;
        for (path, wanted) in &self.tests {
            match wanted.judge(path, record) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(why) => unjudged = unjudged.or(Some(why)),
            }
        }

        unjudged.map_or(Ok(true), Err)
    }

    /// Returns `true` if it may name a record of which the values at some paths are doubtful.
    pub(crate) fn may_name(
        &self,
        record: Node<'_>,
        is_doubtful: impl Fn(&KeyPath) -> bool,
    ) -> bool {
        self.tests
            .iter()
            .all(|(path, wanted)| is_doubtful(path) || wanted.judge(path, record) != Ok(false))
    }

    /// Returns the path that alone keeps it from naming a record, because it leads nowhere or to
    /// values of another type, and which of these.
    pub(crate) fn passes_over(&self, record: Node<'_>) -> Option<(Pointer, &'static str)> {
        let mut passed_over = None;
        for (path, wanted) in &self.tests {
            if wanted.judge(path, record) != Ok(false) {
                continue;
            }

            let why = match wanted {
                Wanted::OneOf(values) => {
                    let (mut any, mut typed) = (false, false);
                    path.visit(record, &mut |node, is_end| {
                        any |= is_end;
                        typed |= is_end && values.have_type_of(node.raw());
                    });
                    match (any, typed) {
                        (_, true) => return None,
                        (true, _) => "leads to another type",
                        (false, _) => "leads nowhere",
                    }
                }
                Wanted::NoneOf(_) if path.leads_nowhere(record) => "leads nowhere",
                _ => return None,
            };

            passed_over.get_or_insert((path.pointer(), why));
        }

        passed_over
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
    use crate::ground::document::{OwnedDocument, Tape};

    #[test]
    fn deep_paths_lead_to_all_values_below() {
        let record = br#"{"a":{"p":1,"b":[{"p":2},{"c":{"p":3}}]},"p":4}"#;
        let document = OwnedDocument::read(record.to_vec()).unwrap();
        for (path, expected) in [
            ("/**/p", "/a/p /a/b/0/p /a/b/1/c/p /p"),
            ("/a/**/p", "/a/p /a/b/0/p /a/b/1/c/p"),
            ("/a/b/**", "/a/b /a/b/0 /a/b/0/p /a/b/1 /a/b/1/c /a/b/1/c/p"),
            ("/**/b/**/p", "/a/b/0/p /a/b/1/c/p"),
            ("/**/0/p", "/a/b/0/p"),
            ("/a/p/**", "/a/p"),
            ("/**/**/c", "/a/b/1/c"),
        ] {
            let mut found = Vec::new();
            let path = KeyPath::parse(path).unwrap();
            let root = document.root();
            path.visit(root, &mut |node, _| {
                found.push(
                    root.pointer_to(node)
                        .as_str()
                        .to_owned(),
                );
            });
            assert_eq!(found.join(" "), expected, "{path:?}");
        }
    }

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
            items: vec![SelectorValue::Number(text.into())],
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
            let root = document.root();
            let has = wanted.have(root.raw(), root.text().as_deref());
            assert_eq!(has, expected, "{json}");
        }
        let none_of = Wanted::NoneOf(Values {
            items: vec![SelectorValue::Boolean(true)],
        });
        let named = none_of.names(Look::Value("null"), None, 1);
        assert_eq!(named, Named::Yes, "null is there, and equals nothing");
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
            let root = tape
                .read(text.as_bytes())
                .unwrap()
                .root();
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
