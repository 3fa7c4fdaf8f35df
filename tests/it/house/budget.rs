//! Each wing of `src/` keeps to its budget of tokens, which ARCHITECTURE.md lists.

use std::collections::BTreeMap;
use std::fs;

use regex::Regex;

use crate::support::markdown::root;
use crate::support::sources::{code, sources};

/// A token of Rust: a string, a character, a word, a number, or a sign. Lines reward those who pack
/// them.
pub(super) const TOKEN: &str = r##"(?s)r#*"(?:[^"\\]|\\.)*?"#*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|[A-Za-z_]\w*!?|\d[\w.]*|::|->|=>|==|!=|<=|>=|&&|\|\||\.\.=?|[^\s\w]"##;

/// The tokens of code in each wing: no comments, no tests.
fn wings() -> BTreeMap<String, usize> {
    let token = Regex::new(TOKEN).unwrap();
    let mut wings = BTreeMap::new();
    for (file, text) in sources() {
        if file.ends_with("/tests.rs") || text.contains("#![cfg(test)]") {
            continue;
        }
        let wing = file
            .trim_start_matches("src/")
            .split(['/', '.'])
            .next();
        *wings
            .entry(wing.unwrap().to_owned())
            .or_default() += token.find_iter(&code(&text)).count();
    }
    wings
}

/// The rows of the table of budgets.
fn budgets() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = text
        .split_once("## Budgets")
        .expect("a section on budgets");
    section
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            let (wing, tokens) = (cells.next()?, cells.next()?);
            Some((
                wing.trim_matches('`').to_owned(),
                tokens.replace(',', "").parse().ok()?,
            ))
        })
        .collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "how far a wing is below its budget")]
fn wings_keep_to_their_budgets() {
    let (wings, budgets) = (wings(), budgets());
    let mut wrong = Vec::new();
    for (wing, tokens) in &wings {
        match budgets.get(wing) {
            None => wrong.push(format!("{wing} has {tokens} tokens and no budget")),
            Some(budget) if tokens > budget => wrong.push(format!(
                "{wing} has {tokens} tokens, above its budget of {budget}: make it smaller, or raise the budget and say why in the commit"
            )),
            Some(budget) => println!("{wing} has {tokens} tokens of {budget}"),
        }
    }
    let gone = budgets
        .keys()
        .filter(|wing| !wings.contains_key(*wing));
    wrong.extend(gone.map(|wing| format!("{wing} has a budget and does not exist")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
