//! The layout keeps its promises: who may import whom, what each file says first, what belongs
//! where.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Each stage with the stages that it may import. What is not named here may be imported by nobody.
const MAY_IMPORT: [(&str, &[&str]); 26] = [
    ("printable", &[]),
    ("digest", &[]),
    ("timestamp", &[]),
    ("source", &["printable"]),
    ("document", &["printable", "source"]),
    ("record", &["timestamp"]),
    ("finding", &["digest", "printable", "record", "source"]),
    ("parallel", &[]),
    ("store", &["parallel", "printable", "source"]),
    (
        "config",
        &[
            "finding",
            "timestamp",
            "printable",
            "record",
            "report",
            "source",
        ],
    ),
    (
        "schema",
        &[
            "config",
            "document",
            "finding",
            "timestamp",
            "printable",
            "record",
            "source",
        ],
    ),
    (
        "facts",
        &[
            "document",
            "finding",
            "timestamp",
            "printable",
            "record",
            "schema",
            "source",
            "store",
        ],
    ),
    ("rule", &["facts", "finding", "source"]),
    (
        "load",
        &[
            "document",
            "facts",
            "finding",
            "parallel",
            "printable",
            "rule",
            "schema",
            "source",
            "store",
        ],
    ),
    (
        "rules",
        &[
            "document",
            "facts",
            "finding",
            "printable",
            "rule",
            "source",
        ],
    ),
    (
        "report",
        &["digest", "finding", "printable", "record", "rule", "source"],
    ),
    (
        "check",
        &[
            "digest",
            "document",
            "facts",
            "finding",
            "load",
            "parallel",
            "printable",
            "rule",
            "rules",
            "source",
            "store",
        ],
    ),
    (
        "gate",
        &[
            "check",
            "config",
            "finding",
            "timestamp",
            "printable",
            "report",
            "rule",
        ],
    ),
    ("policy", &["record"]),
    (
        "read",
        &[
            "document",
            "facts",
            "finding",
            "printable",
            "record",
            "schema",
            "source",
            "store",
        ],
    ),
    (
        "plan",
        &[
            "document", "facts", "load", "read", "record", "schema", "source",
        ],
    ),
    (
        "view",
        &[
            "check",
            "document",
            "finding",
            "timestamp",
            "plan",
            "printable",
            "read",
            "source",
        ],
    ),
    (
        "cli",
        &[
            "check",
            "config",
            "document",
            "finding",
            "gate",
            "timestamp",
            "plan",
            "printable",
            "read",
            "report",
            "rule",
            "schema",
            "source",
            "store",
            "view",
        ],
    ),
    (
        "lib",
        &[
            "check",
            "cli",
            "config",
            "digest",
            "document",
            "facts",
            "finding",
            "gate",
            "timestamp",
            "printable",
            "record",
            "report",
            "rule",
            "schema",
            "source",
            "store",
        ],
    ),
    ("main", &["cli"]),
    ("runvet", &[]),
];

fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = WalkDir::new(root.join("src"))
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap);
    files
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "rs")
        })
        .map(|file| {
            let name = file
                .path()
                .strip_prefix(root)
                .unwrap()
                .display()
                .to_string();
            (name, fs::read_to_string(file.path()).unwrap())
        })
        .collect()
}

/// The stage that a file belongs to: `facts` for `src/facts.rs` and for all below `src/facts/`.
fn stage(file: &str) -> &str {
    file.trim_start_matches("src/")
        .split(['/', '.'])
        .next()
        .unwrap()
}

/// A text without its comments, which may speak of anything.
fn code(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |code, line| code + line + "\n")
}

/// The stages that a file names by `crate::…`; what the crate re-exports counts as the stage that
/// it comes from.
fn imports(text: &str) -> BTreeSet<&str> {
    let exported = |name: &str| match name {
        "Digest" => Some("digest"),
        "EpisodeDir" => Some("store"),
        "Timestamp" => Some("timestamp"),
        "Schema" => Some("schema"),
        "RuleInfo" => Some("finding"),
        _ => None,
    };
    let names = text.split("crate::").skip(1).map(|rest| {
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap()
    });
    names
        .filter(|name| !name.is_empty())
        .map(|name| exported(name).unwrap_or(name))
        .collect()
}

#[test]
fn stages_import_only_what_lies_below_them() {
    let table: BTreeMap<&str, &[&str]> = MAY_IMPORT.into_iter().collect();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let stage = stage(&file);
        let allowed = table
            .get(stage)
            .unwrap_or_else(|| panic!("{file}: add the stage to the table"));
        for import in imports(&code(&text)) {
            if import != stage && !allowed.contains(&import) {
                wrong.push(format!("{file} imports {import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_never_import_each_other() {
    let rules: BTreeSet<String> = runvet::check::all_rules()
        .map(|rule| rule.id.split('/').nth(1).unwrap().replace('-', "_"))
        .collect();
    for (file, text) in sources()
        .into_iter()
        .filter(|(file, _)| file.starts_with("src/rules/"))
    {
        let supers = text
            .split("super::")
            .skip(1)
            .map(|rest| rest.split("::").next().unwrap());
        let others: Vec<&str> = supers.filter(|name| rules.contains(*name)).collect();
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
    for rule in runvet::check::all_rules() {
        let file = format!("src/rules/{}.rs", rule.id.replace('-', "_"));
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file))
            .unwrap_or_default();
        assert!(
            text.contains(&format!("id: {:?}", rule.id)),
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
    for rule in runvet::check::all_rules() {
        assert!(ids.insert(rule.id), "{} stands twice", rule.id);
        assert!(
            rule.title.starts_with(char::is_lowercase) && !rule.title.ends_with('.'),
            "the title of {}",
            rule.id
        );
        assert!(
            rule.hint.starts_with(char::is_uppercase) && rule.hint.ends_with('.'),
            "the hint of {}",
            rule.id
        );
    }
}

#[test]
fn only_store_touches_files_and_only_cli_prints() {
    for (file, text) in sources() {
        let stage = stage(&file);
        let production = code(text.split("#[cfg(test)]").next().unwrap());
        if stage != "store" && !file.ends_with("commands/validate.rs") {
            assert!(
                !production.contains("std::fs") && !production.contains("rustix::fs"),
                "{file} touches files"
            );
        }
        if stage != "cli" {
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
