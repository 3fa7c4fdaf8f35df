//! The public API of the library, one item per line, is the text in `docs/api.txt`, so every change
//! of it shows in a diff.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use public_api::{Builder, MINIMUM_NIGHTLY_RUST_VERSION};
use serde_json::Value;

use crate::support::binary::stderr;
use crate::support::bless;
use crate::support::markdown::root;
use crate::support::skip::skip;

/// The format of rustdoc's JSON that `public-api` reads.
const READABLE_FORMAT: u64 = 57;

/// The output of rustdoc for the library, from the toolchain that runs the tests. It writes JSON
/// only if unstable features are allowed, which changes how dependencies are built, so it has its
/// own target directory.
fn rustdoc_json() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("api");
    let mut rustdoc = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    rustdoc.args(["rustdoc", "--locked", "--lib", "--all-features"]);
    rustdoc.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    rustdoc
        .current_dir(root())
        .env("RUSTC_BOOTSTRAP", "1");
    rustdoc
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTDOCFLAGS");
    let output = rustdoc.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    target.join("doc/runvet.json")
}

/// The items of the library, each once, without what says nothing more: the items of traits, as the
/// line with the implementation is enough; the header of an `impl`, whose items stand below it with
/// the name of their type; and `Debug`, which a lint asks of every public type.
fn items(api: &str) -> String {
    let mut with_trait = None;
    let mut kept: Vec<&str> = Vec::new();
    for line in api.lines() {
        let is_impl = line.starts_with("impl");
        if is_impl {
            with_trait = line
                .split_once(" for ")
                .map(|(_, implementor)| implementor);
        }
        let implementor = with_trait.map(|path| path.split(['<', ' ']).next().unwrap());
        let is_of_trait = |path: &str| {
            let rest = line
                .split_once(path)
                .map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.starts_with("::") || rest.starts_with('<'))
        };
        let is_silent = if is_impl {
            let given = ["core::fmt::Debug for ", "::StructuralPartialEq for "];
            with_trait.is_none()
                || given
                    .iter()
                    .any(|given| line.contains(given))
        } else {
            implementor.is_some_and(is_of_trait)
        };
        if !(is_silent || is_impl && kept.contains(&line)) {
            kept.push(line);
        }
    }
    kept.iter()
        .fold(String::new(), |mut text, line| {
            writeln!(text, "{line}").unwrap();
            text
        })
}

#[test]
fn public_api_is_the_one_in_the_documents() {
    let json = rustdoc_json();
    let about: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    if about["format_version"] != READABLE_FORMAT {
        let format = &about["format_version"];
        return skip(&format!(
            "public-api reads format {READABLE_FORMAT} of rustdoc's JSON, and this rustdoc writes \
             {format}; {MINIMUM_NIGHTLY_RUST_VERSION} writes it"
        ));
    }
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .unwrap();
    bless::check("docs/api.txt", &items(&api.to_string()));
}
