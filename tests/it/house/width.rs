//! Comments and prose are at most 100 columns wide; rustfmt limits the code.

use crate::support::markdown::prose;
use crate::support::sources::files;

const MAX_COLUMNS: usize = 100;

/// Whether a line of prose is too wide. A table or a link can't be wrapped.
fn is_too_wide(line: &str) -> bool {
    let text = line.trim_start_matches(['/', '!', ' ']);
    let has_link = text.contains("://") || text.contains("](");
    !text.starts_with('|') && !has_link && line.chars().count() > MAX_COLUMNS
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    let mut wide = Vec::new();
    for (file, text) in files("", "rs") {
        let mut is_code = false;
        for (index, line) in text.lines().enumerate() {
            let comment = line.trim_start();
            is_code ^= comment.starts_with("/// ```") || comment.starts_with("//! ```");
            if comment.starts_with("//") && !is_code && is_too_wide(line) {
                wide.push(format!("{file}:{}: {line}", index + 1));
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

#[test]
fn prose_is_at_most_100_columns_wide() {
    let mut wide = Vec::new();
    for (file, text) in files("", "md") {
        // Titles of rules and descriptions of schemas are lines of these documents.
        if !["docs/rules.md", "docs/record-format.md"].contains(&&*file) {
            let text = prose(&text);
            let found = text
                .lines()
                .filter(|line| is_too_wide(line));
            wide.extend(found.map(|line| format!("{file}: {line}")));
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}
