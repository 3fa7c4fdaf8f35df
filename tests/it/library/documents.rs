//! The document reader follows RFC 8259 on every text, and returns the values in the text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use runvet::document::{MAX_DEPTH, Node, OwnedDocument};
use serde_json::Value;

use crate::support::random::{config, damage};
use crate::support::second_look::same;

/// A generated JSON text: scalars and keys as they are written, containers with the whitespace
/// between their tokens.
#[derive(Clone, Debug)]
enum Tree {
    Scalar(String),
    Array(&'static str, Vec<Tree>),
    Object(&'static str, Vec<(String, Tree)>),
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(text) => f.write_str(text),
            Self::Array(blank, items) => {
                let items: Vec<_> = items
                    .iter()
                    .map(|item| format!("{blank}{item}{blank}"))
                    .collect();
                write!(f, "[{blank}{}]", items.join(","))
            }
            Self::Object(blank, members) => {
                let member =
                    |(key, value): &_| format!("{blank}{key}{blank}:{blank}{value}{blank}");
                let members: Vec<_> = members.iter().map(member).collect();
                write!(f, "{{{blank}{}}}", members.join(","))
            }
        }
    }
}

impl Tree {
    /// Whether an object has the same key twice, in any spelling.
    fn repeats_keys(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::Array(_, items) => items.iter().any(Self::repeats_keys),
            Self::Object(_, members) => {
                let names: BTreeSet<String> = members
                    .iter()
                    .map(|(key, _)| unquoted(key))
                    .collect();
                names.len() < members.len()
                    || members
                        .iter()
                        .any(|(_, value)| value.repeats_keys())
            }
        }
    }
}

fn unquoted(text: &str) -> String {
    serde_json::from_str(text).unwrap()
}

/// A character of a string, written in one of the possible ways.
fn written(c: char, way: u8) -> String {
    let short = match c {
        '"' | '\\' | '/' => Some(c),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    };
    let units = |unit: fn(&u16) -> String| {
        c.encode_utf16(&mut [0; 2])
            .iter()
            .map(unit)
            .collect()
    };
    match (way, short) {
        (0 | 1, _) if c >= ' ' && c != '"' && c != '\\' => c.into(),
        (0..=2, Some(short)) => format!("\\{short}"),
        (0..=3, _) => units(|unit| format!("\\u{unit:04x}")),
        _ => units(|unit| format!("\\u{unit:04X}")),
    }
}

fn string() -> impl Strategy<Value = String> {
    let hostile = "\"\\/\0\u{8}\u{c}\n\r\t\u{1b}\u{1f}\u{7f}\u{9b}\u{d7ff}\u{e000}\u{202e}\u{feff}\u{ffff}😀\u{10ffff}é";
    let c = prop_oneof![2 => prop::char::range(' ', '~'), 1 => any::<char>(), 1 => select(hostile.chars().collect::<Vec<_>>())];
    let text = prop::collection::vec((c, 0..5_u8).prop_map(|(c, way)| written(c, way)), 0..30);
    text.prop_map(|text| format!("\"{}\"", text.concat()))
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = prop_oneof![
        2 => select(["null", "true", "false"].as_slice()).prop_map(str::to_owned),
        4 => "-?(0|[1-9][0-9]{0,25})([.][0-9]{1,25})?([eE][+-]?0?[0-9]{1,2})?",
        1 => "-?[1-9][0-9]{0,3}[eE][+-]?[0-9]{3}",
        4 => string(),
    ];
    let blank = || select(["", "", " ", "\n", "\r\n\t "].as_slice());
    let key = prop_oneof![
        3 => select([r#""a""#, r#""\u0061""#, r#""b""#, r#""""#].as_slice()).prop_map(str::to_owned),
        1 => string(),
    ];
    scalar
        .prop_map(Tree::Scalar)
        .prop_recursive(8, 64, 8, move |tree| {
            prop_oneof![
                (blank(), prop::collection::vec(tree.clone(), 0..8))
                    .prop_map(|(blank, items)| Tree::Array(blank, items)),
                (blank(), prop::collection::vec((key.clone(), tree), 0..8))
                    .prop_map(|(blank, members)| Tree::Object(blank, members)),
            ]
        })
}

/// The result of `serde_json` for a text; `None` for a number beyond the range of a double, which
/// it can't represent.
fn second_opinion(bytes: &[u8]) -> Option<Result<Value, serde_json::Error>> {
    let opinion = serde_json::from_slice(bytes);
    let is_at_a_loss = |error: &serde_json::Error| {
        error
            .to_string()
            .starts_with("number out of range")
    };
    if opinion
        .as_ref()
        .err()
        .is_some_and(is_at_a_loss)
    {
        None
    } else {
        Some(opinion)
    }
}

/// Every value and key, cut from the text by its span and read alone, is the same value or key.
fn spans_are_right(text: &str, node: Node<'_>) {
    let cut = &text[node.span()];
    let read = OwnedDocument::read(cut.as_bytes().to_vec())
        .unwrap_or_else(|error| panic!("{cut}: {error}"));
    assert_eq!(
        read.root().span(),
        0..cut.len(),
        "a span has no blanks around its value"
    );
    assert!(read.root().equals(node), "{cut}");
    node.items()
        .for_each(|item| spans_are_right(text, item));
    for key in node.members() {
        assert_eq!(unquoted(&text[key.span()]), key.name());
        spans_are_right(text, key.value());
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn tape_holds_what_serde_json_reads(tree in tree()) {
        let text = tree.to_string();
        let document = OwnedDocument::read(text.as_bytes().to_vec()).unwrap();
        prop_assert_eq!(!document.duplicates().is_empty(), tree.repeats_keys());
        if let Some(value) = second_opinion(text.as_bytes()) {
            prop_assert!(same(document.root(), &value.unwrap()));
        }
    }

    #[test]
    fn span_cut_from_the_text_is_the_value(tree in tree()) {
        let text = format!("\n {tree}\t");
        spans_are_right(&text, OwnedDocument::read(text.clone().into()).unwrap().root());
    }
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn text_is_refused_when_serde_json_refuses_it(
        tree in tree(),
        damages in prop::collection::vec((any::<Index>(), damage()), 0..3),
    ) {
        let mut bytes = tree.to_string().into_bytes();
        for (at, damage) in damages {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                damage.to(&mut bytes, at);
            }
        }
        let read = OwnedDocument::read(bytes.clone());
        match (second_opinion(&bytes), read) {
            (None, _) => {}
            (Some(Ok(value)), Ok(document)) => prop_assert!(same(document.root(), &value)),
            (Some(Err(_)), Err(error)) => prop_assert!(error.offset <= bytes.len()),
            (Some(expected), found) => {
                prop_assert!(false, "{}: {found:?}, but serde_json says {expected:?}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn last_of_repeated_keys_counts(
        members in prop::collection::vec((0..300_usize, any::<bool>()), 0..200),
    ) {
        let spelling = |(number, escaped): &(usize, bool)| format!(r#""{}{number}""#, if *escaped { r"\u006b" } else { "k" });
        let texts = members.iter().enumerate().map(|(value, key)| format!("{}:{value}", spelling(key)));
        let text = format!("{{{}}}", texts.collect::<Vec<_>>().join(","));
        let last: BTreeMap<usize, usize> = members.iter().enumerate().map(|(value, (number, _))| (*number, value)).collect();
        let document = OwnedDocument::read(text.as_bytes().to_vec()).unwrap();
        prop_assert_eq!(!document.duplicates().is_empty(), last.len() < members.len());
        prop_assert_eq!(document.root().members().count(), last.len());
        for (number, value) in last {
            let node = document.root().get(&format!("k{number}")).unwrap();
            prop_assert_eq!(node.raw(), value.to_string());
        }
    }
}

/// Texts that RFC 8259 allows.
const JSON: &[&[u8]] = &[
    // Section 2: any value is a text; whitespace is space, tab, line feed and carriage return.
    b"null",
    b"true",
    b"false",
    b"0",
    b"\"\"",
    b"[]",
    b"{}",
    b" null",
    b"null ",
    b"\t\n\r null \r\n\t",
    b"[ ]",
    b"{ }",
    b"[\n]",
    b"{\t}",
    b" [ 1 , 2 ] ",
    b"{ \"a\" : 1 , \"b\" : 2 }",
    b"[\r\n1\r\n]",
    // Section 4: objects. Repeated names are tested elsewhere.
    b"{\"\":0}",
    b"{\"a\":null}",
    b"{\"a\":1,\"b\":2}",
    b"{\"a\":{\"a\":{}}}",
    b"{\"a\":1,\"a\":2}",
    b"{\"\\u0061\":1,\"a\":1}",
    b"{\"a\\\"b\":1}",
    b"{\"\xc3\xa9\":1}",
    // Section 5: arrays, of values of any kinds.
    b"[null]",
    b"[1,\"a\",null,true,[],{}]",
    b"[[]]",
    b"[[],[]]",
    b"[{}]",
    b"[[[[[[[[]]]]]]]]",
    // Section 6: numbers, of any size.
    b"-0",
    b"1",
    b"-1",
    b"10",
    b"1234567890",
    b"0.0",
    b"-0.0",
    b"0.5",
    b"1.50",
    b"1e1",
    b"1E1",
    b"1e+1",
    b"1e-1",
    b"1E+01",
    b"0e0",
    b"0e1",
    b"-0e-1",
    b"1.5e10",
    b"1e400",
    b"-1E400",
    b"1e-400",
    b"1e99999999999999999999",
    b"123456789012345678901234567890",
    b"0.000000000000000000000000000000000000001",
    // Section 7: strings.
    b"\"a\"",
    b"\"\\\"\"",
    b"\"\\\\\"",
    b"\"\\/\"",
    b"\"/\"",
    b"\"\\b\\f\\n\\r\\t\"",
    b"\"\\u0000\"",
    b"\"\\u001f\"",
    b"\"\\uABCD\\uabcd\\uAbCd\"",
    b"\"\\uD83D\\uDE00\"",
    b"\"\\ud800\\udc00\\udbff\\udfff\"",
    b"\"\\uFFFF\\uFDD0\"",
    b"\"\\\\u0000\"",
    b"\"\\\\\\\"\"",
    b"\"\x7f\"",
    b"\"'\"",
    b"\"// no comment\"",
    b"\"1234567\\\"\"",
    b"\"12345678\\\"\"",
    // Section 8.1: UTF-8, the ends of each length and of the surrogates' gap.
    b"\"\xc2\x80\"",
    b"\"\xdf\xbf\"",
    b"\"\xe0\xa0\x80\"",
    b"\"\xed\x9f\xbf\"",
    b"\"\xee\x80\x80\"",
    b"\"\xef\xbf\xbf\"",
    b"\"\xf0\x90\x80\x80\"",
    b"\"\xf4\x8f\xbf\xbf\"",
    b"\"\xef\xbb\xbf\"",
    b"\"\xe2\x80\xa8\xe2\x80\xa9\"",
];

/// Texts that RFC 8259 does not allow.
const NOT_JSON: &[&[u8]] = &[
    // Section 2: one value, and four kinds of whitespace around it.
    b"",
    b" ",
    b"\n",
    b"null null",
    b"1 2",
    b"[] []",
    b"{}{}",
    b"[]]",
    b"{}}",
    b"null,",
    b",null",
    b"\x0bnull",
    b"\x0cnull",
    b"null\0",
    b"\0",
    b"\xc2\xa0null",
    b"[\xe2\x80\xa81]",
    b"\xe3\x80\x80[]",
    b"// comment\n1",
    b"/* comment */1",
    b"# comment\n1",
    // Section 3: three literal names in lower case.
    b"True",
    b"TRUE",
    b"False",
    b"Null",
    b"nul",
    b"nulls",
    b"tru",
    b"truee",
    b"truefalse",
    b"fals",
    b"n",
    b"undefined",
    b"NaN",
    b"-NaN",
    b"Infinity",
    b"-Infinity",
    b"yes",
    // Section 4: objects.
    b"{",
    b"}",
    b"{\"a\"",
    b"{\"a\":",
    b"{\"a\":1",
    b"{\"a\":1,",
    b"{\"a\":1,}",
    b"{\"a\":}",
    b"{\"a\"}",
    b"{\"a\" 1}",
    b"{\"a\"::1}",
    b"{\"a\":1 \"b\":2}",
    b"{\"a\":1;\"b\":2}",
    b"{\"a\":1,,\"b\":2}",
    b"{,}",
    b"{,\"a\":1}",
    b"{a:1}",
    b"{'a':1}",
    b"{1:1}",
    b"{null:1}",
    b"{[]:1}",
    b"{:1}",
    b"{\"a\":1]",
    b"{\"a\",\"b\"}",
    b"{\"a\":1:2}",
    b"{\"a\"=1}",
    // Section 5: arrays.
    b"[",
    b"]",
    b"[1",
    b"[1,",
    b"[1,]",
    b"[,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1;2]",
    b"[1:2]",
    b"[\"a\":1]",
    b"[1}",
    b"[[]",
    b"[{]}",
    b"(1)",
    // Section 6: numbers.
    b"-",
    b"+1",
    b"--1",
    b"- 1",
    b"00",
    b"01",
    b"-01",
    b"-00",
    b"1.",
    b"-1.",
    b".5",
    b"-.5",
    b"1.e1",
    b"1..5",
    b"1.5.5",
    b"1e",
    b"1E+",
    b"1e-",
    b"1e+-1",
    b"1e1.5",
    b"1e1e1",
    b"0x10",
    b"0b1",
    b"1_000",
    b"1,000",
    b"1 000",
    b"1a",
    b"1f",
    b"0e",
    b"\xd9\xa1",
    b"\xef\xbc\x91",
    // Section 7: strings.
    b"\"",
    b"\"a",
    b"a\"",
    b"'a'",
    b"`a`",
    b"\"a\"b",
    b"\"a\"\"b\"",
    b"\"\\\"",
    b"\"\\",
    b"\"\\a\"",
    b"\"\\0\"",
    b"\"\\x41\"",
    b"\"\\'\"",
    b"\"\\U0041\"",
    b"\"\\v\"",
    b"\"\\\n\"",
    b"\"\\u\"",
    b"\"\\u1\"",
    b"\"\\u123\"",
    b"\"\\u12 4\"",
    b"\"\\u12g4\"",
    b"\"\\u+123\"",
    b"\"\\u-123\"",
    b"\"\\u{41}\"",
    b"\"\\u004",
    b"\"\n\"",
    b"\"\t\"",
    b"\"\r\"",
    b"\"\0\"",
    b"\"\x1f\"",
    b"\"12345678\n\"",
    b"\"1234567\x01\"",
    b"\xe2\x80\x9ca\xe2\x80\x9d",
    // Surrogates come in pairs, the high one first.
    b"\"\\ud800\"",
    b"\"\\udbff\"",
    b"\"\\udc00\"",
    b"\"\\udfff\"",
    b"\"\\udc00\\ud800\"",
    b"\"\\ud800\\ud800\"",
    b"\"\\ud800\\ud800\\udc00\"",
    b"\"\\ud800a\"",
    b"\"\\ud800\\n\"",
    b"\"\\ud800\\\\udc00\"",
    b"\"\\ud800\\u0041\"",
    b"\"\\ud800\\u\"",
    b"\"\\ud800\\udc0\"",
    b"{\"\\ud800\":1}",
    // Section 8.1: UTF-8 without a byte order mark.
    b"\xef\xbb\xbfnull",
    b"\xef\xbb\xbf",
    b"\xef\xbb",
    b"null\xef\xbb\xbf",
    b"[\xef\xbb\xbf]",
    b"\xff\xfe1\0",
    b"\xfe\xff\x001",
    b"1\0",
    b"\x001",
    b"\"\x80\"",
    b"\"\xbf\"",
    b"\"\xff\"",
    b"\"\xfe\"",
    b"\"\xe9\"",
    b"\"\xc3\"",
    b"\"\xc3",
    b"\"\xe2\x82\"",
    b"\"\xf0\x9f\x98\"",
    // Overlong: a slash, a quote and a NUL in more bytes than they need.
    b"\"\xc0\xaf\"",
    b"\"\xc1\xbf\"",
    b"\"\xe0\x80\xaf\"",
    b"\"\xe0\x9f\xbf\"",
    b"\"\xf0\x80\x80\xaf\"",
    b"\"\xf0\x8f\xbf\xbf\"",
    b"\"\xc0\x80\"",
    b"\xc0\xa2a\"",
    // Surrogates are not characters, nor is anything beyond U+10FFFF.
    b"\"\xed\xa0\x80\"",
    b"\"\xed\xbf\xbf\"",
    b"\"\xed\xa0\xbd\xed\xb8\x80\"",
    b"\"\xf4\x90\x80\x80\"",
    b"\"\xf5\x80\x80\x80\"",
    b"\"\xf8\x88\x80\x80\x80\"",
];

#[test]
fn grammar_of_rfc_8259_is_accepted_and_nothing_else() {
    for (allowed, text) in JSON
        .iter()
        .map(|text| (true, text))
        .chain(
            NOT_JSON
                .iter()
                .map(|text| (false, text)),
        )
    {
        let shown = text.escape_ascii();
        let is_read = |text: &[u8]| OwnedDocument::read(text.to_vec()).is_ok();
        assert_eq!(is_read(text), allowed, "{shown}");
        // The table itself is compared with another reader.
        assert!(
            second_opinion(text).is_none_or(|opinion| opinion.is_ok() == allowed),
            "serde_json on {shown}"
        );
        // The same text between brackets gives the same result.
        let item = [b"[0,", *text, b"]"].concat();
        assert_eq!(is_read(&item), allowed, "{}", item.escape_ascii());
    }
}

#[test]
fn nesting_is_read_up_to_its_limit() {
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{}1{}", open.repeat(depth), close.repeat(depth))
    };
    for depth in [0, 1, 2, 126, 127, 128, 129, 130, 100_000] {
        for (open, close) in [
            ("[", "]"),
            ("{\"a\":", "}"),
            (" [ ", " ] "),
            ("[0,", "]"),
            ("{\"a\":0,\"b\":", "}"),
        ] {
            let text = nested(depth, open, close);
            let read = OwnedDocument::read(text.as_bytes().to_vec());
            assert_eq!(read.is_ok(), depth <= MAX_DEPTH, "{depth} times {open}");
            if let Err(error) = read {
                let bracket = open.find(['[', '{']).unwrap();
                assert_eq!(
                    error.offset,
                    MAX_DEPTH * open.len() + bracket,
                    "the one bracket too many"
                );
            }
            // The only difference: `serde_json` allows one level less.
            let accepted = serde_json::from_str::<Value>(&text).is_ok();
            assert_eq!(
                accepted,
                depth < MAX_DEPTH,
                "serde_json on {depth} times {open}"
            );
        }
    }
    assert!(OwnedDocument::read(b"[".repeat(1_000_000)).is_err());
}
