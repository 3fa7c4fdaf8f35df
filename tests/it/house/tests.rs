//! The tests keep their own order: each belongs to a guarantee and imports no other, names stay
//! short, and skipped tests are counted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::binary::stdout;
use crate::support::markdown::root;
use crate::support::sources::files;

/// The longest name of a test.
const MAX_NAME: usize = 60;

/// Where tests are.
const TESTED: [&str; 2] = ["src", "tests"];

#[test]
fn test_files_import_only_support() {
    for (file, text) in files("tests/it", "rs") {
        for import in text.split("crate::").skip(1) {
            let is_prose = !import.starts_with(char::is_alphabetic);
            assert!(
                is_prose || import.starts_with("support::"),
                "{file} imports {import:.40}"
            );
        }
    }
}

#[test]
fn test_files_stand_under_a_guarantee_and_are_listed() {
    let main = fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    for (file, _) in files("tests/it", "rs") {
        let path = Path::new(file.strip_prefix("tests/it/").unwrap());
        let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap()).collect();
        let ["main.rs"] = parts[..] else {
            let [guarantee, name] = parts[..] else {
                panic!("{file} belongs to no guarantee")
            };
            let (_, list) = main
                .split_once(&format!("mod {guarantee} {{"))
                .expect("a guarantee");
            let list = list.split("\n}").next().unwrap();
            let module = format!("mod {};", name.trim_end_matches(".rs"));
            assert!(
                list.contains(&module),
                "{file} is not listed in tests/it/main.rs"
            );
            continue;
        };
    }
}

#[test]
fn tests_are_skipped_only_by_support() {
    for (file, text) in TESTED.into_iter().flat_map(|below| files(below, "rs")) {
        let is_ignored = text
            .lines()
            .any(|line| line.trim_start().starts_with("#[ignore"));
        assert!(
            !is_ignored,
            "{file}: a test that can't run calls `skip`, which counts it"
        );
    }
}

#[test]
fn test_names_are_short() {
    let mut names = 0;
    for (file, text) in TESTED.into_iter().flat_map(|below| files(below, "rs")) {
        for test in text.split("#[test]\n").skip(1) {
            let (_, rest) = test.split_once("fn ").unwrap();
            let name = rest.split('(').next().unwrap();
            assert!(
                name.len() <= MAX_NAME,
                "{file}: {name} is longer than {MAX_NAME}"
            );
            names += 1;
        }
    }
    assert!(names > 200, "{names} tests were seen");
}

/// Runs `tests/run` with a stand-in for cargo, which skips two tests and records its arguments.
fn run_with_stand_in(tests: &str) -> (Option<i32>, String) {
    let temp = tempfile::tempdir().unwrap();
    let cargo = temp.path().join("cargo");
    let script = "#!/bin/sh\necho \"args: $*\"\n\
        echo 'skipped: a.rs:1: no python' >> \"$RUNVET_SKIPPED\"\n\
        echo 'skipped: b.rs:2: no python' >> \"$RUNVET_SKIPPED\"\n\
        echo 'left out: c.rs:3: no mount' >> \"$RUNVET_SKIPPED\"\n\
        echo 'test result: ok. 5 passed; 0 failed; 0 ignored;'\n\
        echo 'test result: FAILED. 20 passed; 3 failed; 0 ignored;'\nexit 101\n";
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = Command::new(root().join("tests/run"));
    run.env("CARGO", cargo).env("RUNVET_TESTS", tests);
    let output = run.output().unwrap();
    (output.status.code(), stdout(&output).to_owned())
}

#[test]
fn closing_line_counts_skipped_tests() {
    let (code, said) = run_with_stand_in("");
    assert_eq!(code, Some(101), "{said}");
    assert_eq!(said.matches("args: test --locked\n").count(), 1, "{said}");
    let closing = "left out: c.rs:3: no mount\nskipped: a.rs:1: no python\n\
        skipped: b.rs:2: no python\ntests: 23 passed, 3 failed, 2 skipped\n";
    assert!(said.ends_with(closing), "{said}");
}

#[test]
fn all_tests_run_once_when_all_must_run() {
    let (_, said) = run_with_stand_in("all");
    let calls: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("args: "))
        .collect();
    let [rest, installed] = calls[..] else {
        panic!("{said}")
    };
    assert!(rest.ends_with("-- --skip cli::installed::"), "{rest}");
    assert!(
        installed.ends_with("--test it -- --test-threads=1 cli::installed::"),
        "{installed}"
    );
}
