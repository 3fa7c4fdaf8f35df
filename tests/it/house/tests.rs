//! The tests keep their own order: each stands under a guarantee, none leans on another, and names
//! stay short.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use crate::support::markdown::root;

/// The longest name of a test.
const MAX_NAME: usize = 60;

/// The Rust files below a directory, with their texts.
fn files(below: &str) -> Vec<(String, String)> {
    let files = WalkDir::new(root().join(below)).sort_by_file_name();
    let files = files.into_iter().map(Result::unwrap);
    files
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "rs")
        })
        .map(|file| {
            let name = file.path().strip_prefix(root()).unwrap();
            (
                name.display().to_string(),
                fs::read_to_string(file.path()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn test_files_import_only_support() {
    for (file, text) in files("tests/it") {
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
    for (file, _) in files("tests/it") {
        let path = Path::new(file.strip_prefix("tests/it/").unwrap());
        let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap()).collect();
        let ["main.rs"] = parts[..] else {
            let [guarantee, name] = parts[..] else {
                panic!("{file} stands under no guarantee")
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
    for (file, text) in ["src", "tests"].into_iter().flat_map(files) {
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
    for (file, text) in ["src", "tests"].into_iter().flat_map(files) {
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
