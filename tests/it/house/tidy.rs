//! The layout keeps its promises: which files import which, how each file starts, what belongs
//! where.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::sources::{code, sources};

/// The wing that a file belongs to: `reading` for `src/reading.rs` and for all below
/// `src/reading/`.
fn wing(file: &str) -> &str {
    file.trim_start_matches("src/")
        .split(['/', '.'])
        .next()
        .unwrap()
}

#[test]
fn rules_never_import_each_other() {
    let rules: BTreeSet<String> = runvet::gate::all_rules()
        .map(|rule| {
            rule.id
                .split('/')
                .nth(1)
                .unwrap()
                .replace('-', "_")
        })
        .collect();
    for (file, text) in sources()
        .into_iter()
        .filter(|(file, _)| file.starts_with("src/judge/rules/"))
    {
        let supers = text
            .split("super::")
            .skip(1)
            .map(|rest| rest.split("::").next().unwrap());
        let others: Vec<&str> = supers
            .filter(|name| rules.contains(*name))
            .collect();
        assert!(others.is_empty(), "{file} imports the rules {others:?}");
    }
}

#[test]
fn source_files_say_first_what_they_are() {
    for (file, text) in sources() {
        assert!(
            text.starts_with("//! "),
            "{file} starts with a line of `//!`"
        );
    }
}

#[test]
fn rule_stands_in_the_file_of_its_name() {
    for rule in runvet::gate::all_rules() {
        let file = format!("src/judge/rules/{}.rs", rule.id.replace('-', "_"));
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file))
            .unwrap_or_default();
        assert!(
            text.contains(&format!("{:?}", rule.id)),
            "{file} holds the rule {}",
            rule.id
        );
        assert!(
            text.contains(&format!("//! `{}`: {}.", rule.id, rule.title)),
            "{file} starts with its rule and title"
        );
    }
}

#[test]
fn rule_ids_titles_and_hints_have_their_form() {
    let mut ids = BTreeSet::new();
    for rule in runvet::gate::all_rules() {
        assert!(ids.insert(&*rule.id), "{} occurs twice", rule.id);
        assert!(
            rule.title
                .starts_with(char::is_lowercase)
                && !rule.title.ends_with('.'),
            "the title of {}",
            rule.id
        );
        assert!(
            rule.hint
                .starts_with(char::is_uppercase)
                && rule.hint.ends_with('.'),
            "the hint of {}",
            rule.id
        );
    }
}

#[test]
fn only_store_touches_files_and_only_cli_prints() {
    for (file, text) in sources() {
        let wing = wing(&file);
        let production = code(
            text.split("#[cfg(test)]")
                .next()
                .unwrap(),
        );
        let is_test = text.contains("#![cfg(test)]");
        if wing != "store" && !file.ends_with("cli/path_list.rs") && !is_test {
            assert!(
                !production.contains("std::fs") && !production.contains("rustix::fs"),
                "{file} touches files"
            );
        }
        if wing != "cli" {
            for word in [
                "println!",
                "eprintln!",
                "std::env::var",
                "io::stdout",
                "io::stderr",
            ] {
                assert!(!production.contains(word), "{file} has {word}");
            }
        }
    }
}
