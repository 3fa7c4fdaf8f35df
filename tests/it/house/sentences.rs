//! Nearly every sentence of `src/` stands where somebody would see it change.

use std::collections::BTreeSet;

use crate::support::markdown::read;
use crate::support::sources::{files, sources};

/// The sentences that no test can reach, each below the reason, and what is no sentence.
const UNREACHED: &str = "tests/unreached.txt";

/// The heading of the literals that do not count.
const NO_SENTENCES: &str = "# No sentences";

/// The share of sentences that may stand in no test: one of so many.
const ONE_OF: usize = 20;

/// The words of a literal that is a sentence, at least.
const WORDS_OF_SENTENCE: usize = 5;

/// The words of a part between values that tells a sentence from others, at least.
const WORDS_OF_PART: usize = 3;

/// A literal with words for people.
struct Sentence {
    file: String,
    text: String,
    /// What stands between the values that are filled in.
    parts: Vec<String>,
}

impl Sentence {
    fn of(file: &str, literal: &str) -> Option<Self> {
        let text = spaced(literal);
        let parts = parts(&normalized(&text));
        let is_sentence = text.split(' ').count() >= WORDS_OF_SENTENCE && !parts.is_empty();
        is_sentence.then(|| Self {
            file: file.to_owned(),
            text,
            parts,
        })
    }
}

/// The words of a text, with one space between them.
fn spaced(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The parts of the text of `format!` that have enough words, without what is filled in.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '{' | '}' if chars.peek() == Some(&char) => {
                chars.next();
                parts.last_mut().unwrap().push(char);
            }
            '{' => {
                while chars
                    .next()
                    .is_some_and(|inner| inner != '}')
                {}
                parts.push(String::new());
            }
            _ => parts.last_mut().unwrap().push(char),
        }
    }
    parts
        .into_iter()
        .map(|part| part.trim().to_owned())
        .filter(|part| part.split(' ').count() >= WORDS_OF_PART)
        .collect()
}

/// The text of a file, and that of its tests.
fn split(file: &str, text: &str) -> [String; 2] {
    let is_test = text.contains("#![cfg(test)]") || file.ends_with("/tests.rs");
    let at = if is_test {
        0
    } else {
        text.find("#[cfg(test)]\nmod")
            .unwrap_or(text.len())
    };
    [text[..at].to_owned(), text[at..].to_owned()]
}

/// The literals of Rust code, without those that only programmers read: reasons in attributes.
fn literals(code: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        if let Some(comment) = from.strip_prefix("//") {
            rest = comment
                .split_once('\n')
                .map_or("", |(_, next)| next);
        } else if let Some(literal) = from.strip_prefix('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let is_raw = before
                .trim_end_matches('#')
                .ends_with('r');
            let length = if is_raw {
                let end = format!("\"{}", "#".repeat(hashes));
                literal
                    .find(&end)
                    .unwrap_or(literal.len())
            } else {
                length_of_literal(literal)
            };
            let is_reason = ["reason = ", "must_use = "]
                .iter()
                .any(|name| before.ends_with(name));
            if !is_reason {
                literals.push(if is_raw {
                    literal[..length].to_owned()
                } else {
                    unescaped(&literal[..length])
                });
            }
            rest = literal
                .get(length + 1..)
                .unwrap_or_default();
        } else if let Some(quoted) = from.strip_prefix('\'') {
            let is_escaped = quoted.starts_with('\\');
            let skipped = if is_escaped { 2 } else { 0 };
            let end = quoted
                .get(skipped..)
                .and_then(|after| after.find('\''));
            // A lifetime has no second quote so near.
            let is_char = end.is_some_and(|end| is_escaped || quoted[..end].chars().count() == 1);
            rest = match end.filter(|_| is_char) {
                Some(end) => &quoted[skipped + end + 1..],
                None => quoted,
            };
        } else {
            rest = &from[1..];
        }
    }
    literals
}

/// The number of bytes up to the quote that ends a literal.
fn length_of_literal(literal: &str) -> usize {
    let mut is_escaped = false;
    literal
        .find(|char| {
            let ends = char == '"' && !is_escaped;
            is_escaped = char == '\\' && !is_escaped;
            ends
        })
        .unwrap_or(literal.len())
}

/// What a literal stands for.
fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut chars = literal.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('\n')) => {
                while chars
                    .next_if(|next| next.is_whitespace())
                    .is_some()
                {}
            }
            ('\\', Some('n' | 't' | 'r')) => {
                chars.next();
                text.push(' ');
            }
            ('\\', Some(_)) => text.extend(chars.next()),
            _ => text.push(char),
        }
    }
    text
}

/// All that tests, cases, pages and documents show, with one space between words.
fn shown() -> String {
    let mut shown = read("README.md");
    for (below, extensions) in [
        (
            "tests",
            &["rs", "t", "txt", "sh", "py", "ndjson", "json", "md", "js"][..],
        ),
        ("docs", &["md"]),
        ("examples", &["md", "rs", "py", "sh"]),
        ("python/tests", &["py"]),
        ("schemas", &["json"]),
        ("src", &["md"]),
    ] {
        for extension in extensions {
            for (file, text) in files(below, extension) {
                if file != UNREACHED {
                    shown += &text;
                }
            }
        }
    }
    for (file, text) in sources() {
        let [_, tests] = split(&file, &text);
        shown += &tests;
    }
    normalized(&shown)
}

/// A text without the escapes that it has in JSON or in Rust.
fn normalized(text: &str) -> String {
    let text = text
        .replace("\\\n", "")
        .replace("\\n", " ")
        .replace('\\', "");
    spaced(&text)
}

#[test]
fn sentences_stand_in_tests_cases_pages_or_documents() {
    let shown = shown();
    let text = read(UNREACHED);
    let unreached: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .collect();

    let no_sentences: BTreeSet<&str> = text
        .split("\n\n")
        .filter(|part| part.starts_with(NO_SENTENCES))
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("  "))
        .collect();

    let mut all = 0;
    let mut missing = Vec::new();
    let mut met = BTreeSet::new();
    for (file, text) in sources() {
        let [code, _] = split(&file, &text);
        let literals = literals(&code);
        for sentence in literals
            .iter()
            .filter_map(|literal| Sentence::of(&file, literal))
        {
            all += 1;
            if sentence
                .parts
                .iter()
                .all(|part| shown.contains(&**part))
            {
                continue;
            }
            match unreached.get(&*sentence.text) {
                Some(known) => {
                    met.insert(*known);
                    all -= usize::from(no_sentences.contains(known));
                }
                None => missing.push(format!("{}: {}", sentence.file, sentence.text)),
            }
        }
    }
    let needless: Vec<_> = unreached.difference(&met).collect();
    assert!(
        needless.is_empty(),
        "{UNREACHED} lists sentences that are gone, or stand in a test: {needless:#?}"
    );
    let unseen = missing.len() + met.difference(&no_sentences).count();
    assert!(
        unseen * ONE_OF <= all,
        "of {all} sentences, {unseen} stand in no test; write a case that prints them, or say in \
         {UNREACHED} why none can:\n{}",
        missing.join("\n")
    );
}
