//! One thought a line: the code is not packed, functions fit on a screen, and what is read by
//! position has a name.

use std::collections::BTreeMap;

use regex::Regex;

use super::budget::TOKEN;
use crate::support::sources::{code, sources};

/// The lines of code of a function, at most.
const MAX_FUNCTION: usize = 60;

/// The lines of code of a file, at most.
const MAX_FILE: usize = 400;

/// The tokens of ten lines, at most.
const MAX_TOKENS: usize = 82;

/// The blank lines of a thousand lines in functions, at least.
const LEAST_BLANK: usize = 28;

/// The aliases of tuples, at most: what is read by position has no name.
const MAX_ALIASES: usize = 3;

/// The uses of `.0` and `.1`, at most.
const MAX_POSITIONS: usize = 260;

/// The code of the product, by file: no comments and no tests.
fn production() -> BTreeMap<String, String> {
    sources()
        .into_iter()
        .filter(|(file, text)| !file.ends_with("/tests.rs") && !text.contains("#![cfg(test)]"))
        .map(|(file, text)| {
            let code = code(&text);
            (file, code)
        })
        .collect()
}

fn is_code(line: &&str) -> bool {
    !line.trim().is_empty()
}

/// The functions of a file: the name of each, and its lines. One within another is a part of it.
fn functions(code: &str) -> Vec<(String, Vec<&str>)> {
    let head =
        Regex::new(r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)").unwrap();
    let mut found = Vec::new();
    let mut lines = code.lines();
    while let Some(first) = lines.next() {
        let Some(captures) = head.captures(first) else {
            continue;
        };
        let end = format!("{}}}", &captures[1]);
        let mut body = vec![first];
        // A method without a body ends where its head does.
        let is_declared = |line: &str| line.ends_with(';');
        while !body
            .last()
            .is_some_and(|last| last.ends_with(&end) && last.trim() == "}")
        {
            let has_body = body
                .iter()
                .any(|line| line.trim_end().ends_with('{'));
            if !has_body
                && body
                    .last()
                    .is_some_and(|last| is_declared(last) || last.ends_with('}'))
            {
                break;
            }
            let Some(next) = lines.next() else { break };
            body.push(next);
            if next == end {
                break;
            }
        }
        found.push((captures[2].to_owned(), body));
    }
    found
}

#[test]
fn functions_and_files_are_short() {
    let mut wrong = Vec::new();
    for (file, code) in production() {
        let lines = code.lines().filter(is_code).count();
        if lines > MAX_FILE {
            wrong.push(format!(
                "{file} has {lines} lines of code: give each thing it does a file"
            ));
        }
        for (name, body) in functions(&code) {
            let lines = body
                .iter()
                .copied()
                .filter(is_code)
                .count();
            if lines > MAX_FUNCTION {
                wrong.push(format!(
                    "{file} {name} has {lines} lines: split it by thought"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn code_is_not_packed() {
    let token = Regex::new(TOKEN).unwrap();
    let (mut lines, mut tokens, mut blank, mut inside) = (0, 0, 0, 0);
    for code in production().values() {
        lines += code.lines().filter(is_code).count();
        tokens += token.find_iter(code).count();
        for (_, body) in functions(code) {
            inside += body.len();
            blank += body
                .iter()
                .filter(|line| line.trim().is_empty())
                .count();
        }
    }

    let (packed, breaths) = (10 * tokens / lines, 1_000 * blank / inside);
    assert!(
        packed <= MAX_TOKENS,
        "ten lines have {packed} tokens: write one thought a line"
    );
    assert!(
        breaths >= LEAST_BLANK,
        "{breaths} of a thousand lines in functions are blank: leave one where a thought ends"
    );
}

#[test]
fn what_is_read_by_position_is_rare() {
    let alias =
        Regex::new(r"(?m)^\s*(?:pub(?:\([a-z: ]+\))? )?type \w+(?:<.*>)? = (?:&'?\w* ?)?\(\S")
            .unwrap();
    let text = Regex::new(r#""(?:[^"\\]|\\.)*""#).unwrap();
    let position = Regex::new(r"[\w)\]?]\.[01]\b").unwrap();
    let (mut aliases, mut positions) = (0, 0);
    for code in production().values() {
        aliases += alias.find_iter(code).count();
        positions += position
            .find_iter(&text.replace_all(code, ""))
            .count();
    }

    assert!(
        aliases <= MAX_ALIASES,
        "{aliases} aliases of tuples: make structs of them"
    );
    assert!(
        positions <= MAX_POSITIONS,
        "{positions} uses of `.0` and `.1`: give the fields names"
    );
}

#[test]
fn functions_are_found_with_their_bodies() {
    let code = "fn a() {\n    b();\n\n}\ntrait T {\n    fn c(&self);\n    fn d() {\n    }\n}\n";
    let found: Vec<(String, usize)> = functions(code)
        .into_iter()
        .map(|(name, body)| (name, body.len()))
        .collect();
    assert_eq!(found, [("a".into(), 4), ("c".into(), 1), ("d".into(), 2)]);
}
