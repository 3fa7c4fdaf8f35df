//! Files that are derived from the code, compared or rewritten.

use std::path::PathBuf;

/// Compares a file of the repository with what it should hold, or writes it when `BLESS=1`.
pub(crate) fn check(file: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(&path, expected).unwrap_or_else(|error| panic!("{file}: {error}"));
        return;
    }
    let actual = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(
        actual == expected,
        "{file} is not what the code says; run `make bless` and look at the difference"
    );
}
