//! A text that is not JSON -> what is in its place, as far as that is recognized, and what to do.
//!
//! Each paragraph of `causes.txt` is a cause: what is there (`=`: what the parser says), what to do
//! about it (where it differs, for lines and then for a whole file), and the signs of it. A sign
//! `starts` or `is` holds for a file by its first bytes, and `there` or `line` where the text stops
//! being JSON.

use std::fmt;

use crate::ground::document::{SyntaxError, SyntaxErrorKind};

const CAUSES: &str = include_str!("causes.txt");

/// The number of bytes that are looked at from the beginning of a text, and from a place in it.
const MAX_LOOKED_AT: usize = 4 << 10;

/// The reason why a text is not JSON.
#[derive(Debug)]
pub(in crate::judge) struct NotJson {
    pub(in crate::judge) error: SyntaxError,
    pub(in crate::judge) cause: Option<Cause>,
}

/// A known kind of content that is there in place of JSON.
#[derive(Clone, Copy, Debug)]
pub(in crate::judge) struct Cause {
    what: &'static str,
    pub(super) help: &'static str,
    /// `true` if it is known of a whole file, by its first bytes.
    pub(super) is_of_file: bool,
}

impl NotJson {
    pub(super) fn new(error: SyntaxError, bytes: &[u8]) -> Self {
        let cause = Cause::of(bytes, error);
        Self { error, cause }
    }

    /// Returns what to do about it, in a line or in a file that is replaced as a whole.
    pub(in crate::judge) fn help(&self, is_line: bool) -> Option<String> {
        self.cause
            .map_or_else(
                || self.error.kind.advice(is_line),
                |cause| {
                    let chosen = cause
                        .help
                        .split_once(" || ")
                        .map(|(line, file)| if is_line { line } else { file });
                    Some(chosen.unwrap_or(cause.help))
                },
            )
            .map(str::to_owned)
    }
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            Some(Cause { what, .. }) if what != "=" => f.write_str(what),
            _ => self.error.fmt(f),
        }
    }
}

/// Returns a text that is no JSON for the same cause as another, and has nothing of it but the
/// sign; `filler` is what it may have besides, in brackets: hexadecimal digits behind a word.
#[cfg(feature = "commands")]
pub(crate) fn stand_in(bytes: &[u8], error: SyntaxError, filler: &str) -> Vec<u8> {
    let inner = filler.trim_matches(['[', ']']);
    let text = match Cause::found(bytes, error) {
        None => filler.to_owned(),
        Some((_, "starts" | "there", sign)) => {
            return [&unescaped(sign), filler.as_bytes()].concat();
        }
        Some((.., "path")) => format!("{inner}/.json"),
        Some((.., "yaml")) => format!("---{filler}"),
        Some((.., "python")) => format!("{{'{inner}'}}"),
        Some((.., "not-finite")) => format!("[NaN,\"{inner}\"]"),
        Some((.., "equals-signs")) => "=======".to_owned(),
        Some((.., "log-prefix")) => format!("{filler} {{\"\":0}}"),
        Some((.., "another-object")) => format!("{{\"{inner}\":0,{{\"\":0}}"),
        Some(_) => format!("{inner}\":0}}"),
    };

    text.into_bytes()
}

impl Cause {
    /// Returns the first cause of which a text has a sign.
    fn of(bytes: &[u8], error: SyntaxError) -> Option<Self> {
        Self::found(bytes, error).map(|(cause, ..)| cause)
    }

    /// Returns the first cause of which a text has a sign, with where the sign stands and the sign.
    fn found(bytes: &[u8], error: SyntaxError) -> Option<(Self, &'static str, &'static str)> {
        let start = first(bytes.trim_ascii_start());
        let there = first(
            bytes
                .get(error.offset..)
                .unwrap_or_default(),
        );
        let is_sign = |place: &str, sign: &str| match (place, sign) {
            ("starts", _) => begins(start, sign),
            ("there", _) => begins(start, sign) || begins(there, sign),
            (_, "path") => is_path(bytes.trim_ascii()),
            (_, "yaml") => is_yaml(start),
            (_, "python") => matches!(
                error.kind,
                SyntaxErrorKind::SingleQuotes
                    | SyntaxErrorKind::PythonNone
                    | SyntaxErrorKind::PythonBoolean
            ),
            (_, "not-finite") => error.kind == SyntaxErrorKind::NotFinite,
            (_, "equals-signs") => start.trim_ascii_end() == b"=======",
            (_, "log-prefix") => has_prefix(start, bytes),
            (_, "another-object") => is_in_another(bytes, error),
            (_, "rest-of-object") => is_rest(bytes, error),
            _ => false,
        };

        CAUSES.split("\n\n").find_map(|cause| {
            let mut lines = cause.lines();
            let (what, help) = (lines.next()?, lines.next()?);
            let mut signs = lines.filter_map(|sign| sign.split_once(' '));
            let (place, sign) = signs.find(|(place, sign)| is_sign(place, sign))?;
            let is_of_file = matches!(place, "starts" | "is");
            let cause = Self {
                what,
                help,
                is_of_file,
            };

            Some((cause, place, sign))
        })
    }
}

fn first(bytes: &[u8]) -> &[u8] {
    bytes
        .get(..MAX_LOOKED_AT)
        .unwrap_or(bytes)
}

/// Returns `true` if a text begins with a sign, in which `\xNN` stands for a byte, in any case of
/// letters.
fn begins(text: &[u8], sign: &str) -> bool {
    let expected = unescaped(sign);
    let start = text.get(..expected.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(&expected))
}

/// Returns the bytes of a sign.
fn unescaped(sign: &str) -> Vec<u8> {
    let mut parts = sign.split("\\x");
    let mut bytes = parts
        .next()
        .unwrap_or_default()
        .as_bytes()
        .to_vec();

    for part in parts {
        let (byte, rest) = part
            .split_at_checked(2)
            .unwrap_or_default();
        bytes.extend(u8::from_str_radix(byte, 16));
        bytes.extend(rest.as_bytes());
    }

    bytes
}

/// Returns `true` if a text is nothing but a path.
fn is_path(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !b"{}[]\"',<>".contains(byte);
    let has_end = || text.ends_with(b".json") || text.ends_with(b".jsonl");
    text.len() <= MAX_LOOKED_AT && text.iter().all(is_plain) && text.contains(&b'/') && has_end()
}

/// Returns `true` if all of the first lines are of the form `key: value`, or belong to such a line.
fn is_yaml(start: &[u8]) -> bool {
    let is_line = |line: &[u8]| {
        let key = line
            .iter()
            .position(|byte| *byte == b':')
            .and_then(|at| line.get(..at))
            .unwrap_or(b" ");
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        key.iter().all(is_word) || line.starts_with(b"- ") || line.starts_with(b"  ")
    };

    let lines: Vec<&[u8]> = start
        .split(|byte| *byte == b'\n')
        .take(3)
        .collect();

    lines.len() == 3 && lines.into_iter().all(is_line)
}

/// Returns `true` if an object stands at the end of a text, behind something else that ends with a
/// blank.
fn has_prefix(start: &[u8], bytes: &[u8]) -> bool {
    let at = start
        .windows(2)
        .position(|it| it == b"{\"");
    let before = at
        .and_then(|at| start.get(..at))
        .unwrap_or_default();
    let brackets = |of: u8| before.split(|byte| *byte == of).count();
    let is_other = !before.contains(&b'"') && brackets(b'[') == brackets(b']');
    let has_blank = before
        .last()
        .is_some_and(u8::is_ascii_whitespace);

    has_blank && is_other && bytes.trim_ascii_end().ends_with(b"}")
}

/// Returns `true` if an object begins where another one or a string in it stops being JSON.
fn is_in_another(bytes: &[u8], error: SyntaxError) -> bool {
    let (before, there) = bytes
        .split_at_checked(error.offset)
        .unwrap_or_default();
    let is_inside = error.kind != SyntaxErrorKind::MoreText && before.starts_with(b"{");
    is_inside && before.len() > 2 && (there.starts_with(b"{\"") || before.ends_with(b"{\""))
}

/// Returns `true` if a text is the end of an object that begins elsewhere.
fn is_rest(bytes: &[u8], error: SyntaxError) -> bool {
    let text = bytes.trim_ascii();
    let is_start = |byte: &u8| !byte.is_ascii() || b"{[<,".contains(byte);
    let follows = error.kind == SyntaxErrorKind::MoreText || error.offset == 0;
    let has_key = first(text)
        .windows(2)
        .any(|it| it == b"\":");

    follows && has_key && !text.first().is_none_or(is_start) && text.ends_with(b"}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::Tape;

    #[test]
    fn every_sign_is_understood() {
        for cause in CAUSES.split("\n\n") {
            let lines: Vec<&str> = cause.trim_end().lines().collect();
            assert!(lines.len() > 2, "{cause}");
            assert!(lines[1].ends_with('.'), "{cause}");
            for sign in &lines[2..] {
                let (place, sign) = sign.split_once(' ').unwrap();
                assert!(["starts", "there", "is", "line"].contains(&place), "{sign}");
                assert!(!sign.is_empty(), "{cause}");
            }
        }
    }

    #[test]
    #[cfg(feature = "commands")]
    fn text_that_stands_in_has_the_same_cause() {
        let filler = "[redacted-0123456789abcdef0123456789abcdef]";
        let why = |text: &[u8]| {
            let error = Tape::default()
                .read(text)
                .map(drop)
                .unwrap_err();
            let cause = Cause::found(text, error).map(|(cause, ..)| (cause.help, cause.is_of_file));
            (cause, error)
        };
        let mut texts: Vec<Vec<u8>> = [
            "{'a': 1}",
            "[nan]",
            "=======",
            "../store/state.json",
            "x {\"a\": 1}",
            "{\"a\":\"b\",{\"c\":1}",
            "\"step\":\"x\"}",
            "{\"a\"",
            "{}{}",
            "x",
        ]
        .map(|text| text.as_bytes().to_vec())
        .into();
        let signs = CAUSES
            .lines()
            .filter_map(|line| line.split_once(' '));
        let signs = signs.filter(|(place, _)| matches!(*place, "starts" | "there"));
        texts.extend(signs.map(|(_, sign)| [&unescaped(sign), &b"\x01"[..]].concat()));
        assert!(texts.len() > 60, "{}", texts.len());
        for text in texts {
            let (cause, error) = why(&text);
            let other = stand_in(&text, error, filler);
            assert_eq!(why(&other).0, cause, "{}", String::from_utf8_lossy(&other));
        }
    }

    #[test]
    fn what_is_in_place_of_a_record_is_recognized() {
        let table: [(&[u8], &str); 32] = [
            (b"{'a': 1}", "double quotes"),
            (b"{\"a\": None}", "`null`, not `None`"),
            (b"{\"a\": NaN}", "NaN and Infinity"),
            (
                b"version https://git-lfs.github.com/spec/v1\noid sha256:0",
                "Git LFS",
            ),
            (b"/annex/objects/SHA256E-s3--00.json\n", "git-annex"),
            (
                b"../../.git/annex/objects/a/b/SHA256E-s3--00.json",
                "git-annex",
            ),
            (b"outs:\n- md5: 00\n  path: state.json\n", "DVC"),
            (b"{\"a\": 1,\n<<<<<<< HEAD\n\"b\": 2\n=======\n", "conflict"),
            (b"\x1f\x8b\x08\0\0", "compressed"),
            (b"\x28\xb5\x2f\xfd\0", "compressed"),
            (b"PK\x03\x04\0", "compressed"),
            (b"\xff\xfe\0\0{\0\0\0", "UTF-32"),
            (b"{\0\0\0}\0\0\0", "UTF-32"),
            (b"\xff\xfe{\0}\0", "UTF-16"),
            (b"\0{\0}", "UTF-16"),
            (b"\n<!DOCTYPE html>\n<html>", "HTML"),
            (b"<?xml version=\"1.0\"?><Error/>", "XML"),
            (b"$ANSIBLE_VAULT;1.1;AES256\n00", "encrypted"),
            (b"eyJ2ZXJzaW9uIjoiMS4wIn0=", "base64"),
            (b"b0VIM 9.0\0", "swap file"),
            (b"bplist00\xd1", "placeholder"),
            (b"\x80\x04\x95\0", "pickle"),
            (b"../store/ab/state.json", "symbolic link"),
            (b"Traceback (most recent call last):\n", "error message"),
            (b"\x1b[32m{\"a\": 1}\x1b[0m", "colours"),
            (b"version: '1.0'\ngoal:\n  task: x\n", "YAML"),
            (b"2026-03-01T12:00:00Z {\"a\": 1}", "before it"),
            (b"Mar 01 12:00:00 host agent[7]: {\"a\": 1}\n", "before it"),
            (b"{\"a\":\"b\",{\"c\":1}", "another object"),
            (b"{\"a\":\"Summar{\"c\":\"d\"}", "another object"),
            (b"\"step\":\"x\"}", "another object"),
            (b"ize\",\"step\":\"x\"}", "another object"),
        ];
        for (text, expected) in table {
            let Err(error) = Tape::default().read(text) else {
                panic!("{}", String::from_utf8_lossy(text));
            };
            let why = NotJson::new(error, text).to_string();
            assert!(
                why.contains(expected),
                "{}: {why}",
                String::from_utf8_lossy(text)
            );
        }
    }

    #[test]
    fn other_texts_keep_what_is_wrong_there() {
        for text in ["{\"a\": 1,}", "{\"a\": [1 2]}", "{\"a\"", "", "x", "{}{}"] {
            let Err(error) = Tape::default().read(text.as_bytes()) else {
                panic!("{text}");
            };
            assert!(
                NotJson::new(error, text.as_bytes())
                    .cause
                    .is_none(),
                "{text}"
            );
        }
    }
}
