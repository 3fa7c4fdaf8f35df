//! The library alone stays small: what only a terminal needs is behind features.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Crates besides runvet that the library without features may need.
const MAX_CRATES: usize = 100;

/// Crates that draw, watch, answer over HTTP, or read a command line or expressions.
const BEHIND_FEATURES: [&str; 16] = [
    "axum",
    "cel",
    "clap",
    "clap_complete",
    "clap_mangen",
    "hyper",
    "indicatif",
    "maud",
    "miette",
    "notify",
    "pulldown-cmark",
    "signal-hook",
    "tempfile",
    "textwrap",
    "tokio",
    "unicode-width",
];

/// The names of the crates that runvet needs with some features.
fn crates(features: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal"])
        .args(["--no-default-features", "--features", features])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p}"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // A crate in two versions is compiled twice.
    listed
        .lines()
        .map(str::to_owned)
        .collect()
}

fn has(crates: &BTreeSet<String>, name: &str) -> bool {
    crates
        .iter()
        .any(|line| line.split(' ').next() == Some(name))
}

#[test]
fn library_without_features_needs_no_terminal_crates() {
    let library = crates("");
    let number = library.len() - 1;
    assert!(number <= MAX_CRATES, "{number} crates: {library:#?}");
    for name in BEHIND_FEATURES {
        assert!(!has(&library, name), "{name}");
    }
}

#[test]
fn module_and_command_are_built_of_the_same_crates() {
    let locked = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let lock = std::fs::read_to_string(path).unwrap();
        let packages = lock
            .split("\n\n")
            .filter(|it| it.starts_with("[[package]]"));
        let named = packages.map(|it| {
            it.lines()
                .skip(1)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        });
        named.collect::<BTreeSet<String>>()
    };
    let name = |package: &String| {
        package
            .split("\" ")
            .next()
            .unwrap()
            .to_owned()
    };
    let (command, module) = (locked("Cargo.lock"), locked("python/Cargo.lock"));
    let names: BTreeSet<String> = command.iter().map(name).collect();
    let others = module.difference(&command);
    let differ: Vec<&String> = others
        .filter(|it| names.contains(&name(it)))
        .collect();
    assert!(
        differ.is_empty(),
        "python/Cargo.lock has other versions: {differ:#?}"
    );
}

#[test]
fn each_feature_brings_its_crates() {
    for (feature, brings, lacks) in [
        ("expressions", "cel", "maud"),
        ("html", "maud", "miette"),
        ("human", "miette", "clap"),
        ("minimal", "clap", "maud"),
        ("commands", "notify", "tokio"),
        ("serve", "axum", "cel"),
    ] {
        let crates = crates(feature);
        assert!(has(&crates, brings) && !has(&crates, lacks), "{feature}");
    }
    let all = crates("default");
    assert!(
        BEHIND_FEATURES
            .iter()
            .all(|name| has(&all, name))
    );
}
