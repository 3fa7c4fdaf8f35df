//! Words, and a JSON text -> whether a reader finds the words in it, and the text around them.

use memchr::memmem::Finder;

use crate::ground::document::{has_escaped_ascii, unquoted};

/// The places of a run that are kept.
pub(crate) const MAX_HITS: usize = 3;

/// The number of characters of a value that are shown before the first word, and from it on.
const AROUND: [usize; 2] = [40, 100];

/// The character between two keys or values.
const BETWEEN: char = '\0';

/// Words that are searched in the texts of runs, in upper or lower case: in keys, texts and numbers
/// as a reader sees them, not as JSON escapes them. One of these has all words, so that a digest or
/// a time of the same event adds nothing to what a text has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextSearch {
    words: Vec<String>,
    /// A part of a word that the bytes of a place have too, in whatever way they escape texts;
    /// empty where there is none.
    pub(super) part: String,
}

/// Buffers for the text of a place: as its bytes are, in lower case, and as a reader sees it.
#[derive(Default)]
pub(super) struct PlaceTexts {
    lower: Vec<u8>,
    seen: String,
}

impl TextSearch {
    /// Returns the search for the words of a text.
    pub(crate) fn new(text: &str) -> Self {
        let words = search_words(text);
        let is_ascii = words.iter().all(|word| word.is_ascii());
        let longest = words
            .iter()
            .flat_map(|word| word.split(['"', '\\', '/']))
            .filter(|_| is_ascii)
            .max_by_key(|part| part.len());

        Self {
            part: longest.unwrap_or_default().to_owned(),
            words,
        }
    }

    /// Returns `true` if no words are searched.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the text around the first word in a value that has all words, if there is one.
    pub(super) fn text_in(
        &self,
        json: &[u8],
        part: &Finder<'_>,
        texts: &mut PlaceTexts,
    ) -> Option<String> {
        if !self.part.is_empty() {
            texts.lower.clear();
            texts
                .lower
                .extend(json.iter().map(u8::to_ascii_lowercase));
            if part.find(&texts.lower).is_none() && !has_escaped_ascii(&texts.lower, 0..=b'7') {
                return None;
            }
        }

        let lower = self.seen(json, texts);
        let at = self.place_in(&lower)?;
        let before = lower
            .get(..at)
            .unwrap_or_default()
            .chars()
            .count();

        Some(around(&texts.seen, before))
    }

    /// Returns the place of the first word in the first value that has all words.
    fn place_in(&self, lower: &str) -> Option<usize> {
        let mut start = 0;
        for value in lower.split(BETWEEN) {
            if self
                .words
                .iter()
                .all(|word| value.contains(&**word))
            {
                return Some(start + value.find(&**self.words.first()?)?);
            }
            start += value.len() + BETWEEN.len_utf8();
        }

        None
    }

    /// Returns the line of a record that has such a value. No value has a line break.
    pub(super) fn first_line(&self, record: &[u8], texts: &mut PlaceTexts) -> u64 {
        let lines = record.split(|byte| *byte == b'\n');
        (1..)
            .zip(lines)
            .find(|(_, line)| {
                self.place_in(&self.seen(line, texts))
                    .is_some()
            })
            .map_or(1, |(number, _)| number)
    }

    /// Makes a text as a reader sees it, and returns it in lower case.
    fn seen(&self, json: &[u8], texts: &mut PlaceTexts) -> String {
        texts.seen.clear();
        push_seen(&String::from_utf8_lossy(json), &mut texts.seen);
        // As where ids and tasks are searched.
        if self
            .words
            .iter()
            .all(|word| word.is_ascii())
        {
            texts.seen.to_ascii_lowercase()
        } else {
            texts.seen.to_lowercase()
        }
    }
}

/// Returns the words of a text that are searched, in lower case.
pub(crate) fn search_words(text: &str) -> Vec<String> {
    text.split_whitespace()
        .map(str::to_lowercase)
        .collect()
}

/// Adds the keys and values of a JSON text as a reader sees them.
fn push_seen(json: &str, seen: &mut String) {
    let mut rest = json;
    while let Some((before, _)) = rest.split_once('"') {
        push_plain(before, seen);
        let string = rest
            .get(before.len()..)
            .unwrap_or_default();
        let Some((end, is_escaped)) = end_of(string) else {
            seen.push_str(string);
            return;
        };

        seen.push_str(&unquoted(string, 0, end, is_escaped));
        seen.push(BETWEEN);
        rest = string.get(end..).unwrap_or_default();
    }

    push_plain(rest, seen);
}

/// Adds what lies between strings: numbers and words.
fn push_plain(text: &str, seen: &mut String) {
    let is_between = |c: char| c.is_ascii_whitespace() || "{}[]:,".contains(c);
    for value in text
        .split(is_between)
        .filter(|value| !value.is_empty())
    {
        seen.push_str(value);
        seen.push(BETWEEN);
    }
}

/// Returns the place after the string that a text begins with, and whether it has escapes; `None`
/// where it has no end.
fn end_of(string: &str) -> Option<(usize, bool)> {
    let (bytes, mut at, mut is_escaped) = (string.as_bytes(), 1, false);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = memchr::memchr2(b'"', b'\\', rest)?;
        if rest.get(found) == Some(&b'"') {
            return Some((at + found + 1, is_escaped));
        }
        is_escaped = true;
        at += found + 2;
    }
}

/// Returns the part of a value around a character.
fn around(seen: &str, at: usize) -> String {
    let [before, after] = AROUND;
    let from = at.saturating_sub(before);
    let mut text = String::new();

    for (place, c) in seen.chars().enumerate().skip(from) {
        match c {
            BETWEEN if place < at => text.clear(),
            BETWEEN => break,
            _ if place == from && from > 0 => text.push('…'),
            _ if place >= at + after => {
                text.push('…');
                break;
            }
            c => text.push(c),
        }
    }

    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text around the words in a JSON text, found with and without the quick look at
    /// its bytes.
    fn found(words: &str, json: &str) -> Option<String> {
        let quick = TextSearch::new(words);
        let slow = TextSearch {
            part: String::new(),
            ..quick.clone()
        };
        let [quick, slow] = [quick, slow].map(|search| {
            let part = Finder::new(&search.part);
            search.text_in(json.as_bytes(), &part, &mut PlaceTexts::default())
        });
        assert_eq!(quick, slow, "{words} {json}");
        quick
    }

    #[test]
    fn words_are_found_as_a_reader_sees_them() {
        for (words, json, expected) in [
            (
                "http 503",
                r#"{"error":"HTTP 503","n":1}"#,
                Some("HTTP 503"),
            ),
            ("503", r#"{"status":503}"#, Some("503")),
            ("status", r#"{"status":503}"#, Some("status")),
            // One value has all words.
            ("carrier 503", r#"{"tool":"carrier","x":503}"#, None),
            ("b a", r#"["a","a b","b"]"#, Some("a b")),
            ("ab", r#"["a","b"]"#, None),
            ("12", "[1,2]", None),
            ("1,2", "[1,2]", None),
            // As it is written, this has the word.
            ("nerror", r#"{"text":"a\nerror"}"#, None),
            ("error", r#"{"text":"a\nerror"}"#, Some("a\nerror")),
            ("abc", r#"["\u0041b\u0063"]"#, Some("Abc")),
            (r#"a"b"#, r#"["a\"b"]"#, Some(r#"a"b"#)),
            (r"c:\x", r#"["C:\\x"]"#, Some(r"C:\x")),
            ("src/main.rs", r#"["src\/main.rs"]"#, Some("src/main.rs")),
            ("über", r#"["\u00dcber"]"#, Some("Über")),
            ("😀", r#"["\ud83d\ude00"]"#, Some("😀")),
            // No letter of ASCII means one that only looks like it.
            ("k", "[\"\u{212a}\"]", None),
            // A line that is no JSON is searched too.
            ("unended", r#"{"a":"unended"#, Some("\"unended")),
            ("x", r#""\"#, None),
        ] {
            assert_eq!(found(words, json).as_deref(), expected, "{words} {json}");
        }
    }

    #[test]
    fn long_text_is_cut_around_the_word() {
        let json = format!(r#"{{"text":"{}word{}"}}"#, "a".repeat(200), "b".repeat(200));
        let text = found("word", &json).unwrap();
        assert_eq!(text.chars().count(), AROUND.iter().sum::<usize>() + 1);
        assert!(text.starts_with("…aaa") && text.ends_with("bbb…"));
    }
}
