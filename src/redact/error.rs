//! What keeps a copy from being made -> the sentence for it.

use std::io;
use std::path::{Path, PathBuf};

use crate::ground::printable::quote;

/// The reason why runs are not copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key can't be used.
    #[error("the key {}: {why}", .path.display())]
    Key {
        /// The file of the key.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A setting is wrong.
    #[error("{what} {}: {why}", quote(.text))]
    Setting {
        /// The setting.
        what: &'static str,
        /// Its text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The copy would lie in the input, or around it.
    #[error(
        "the copy {} would lie in {} or around it: name a directory elsewhere",
        .to.display(),
        .input.display()
    )]
    Nested {
        /// The directory of the copy.
        to: PathBuf,
        /// The path that is copied.
        input: PathBuf,
    },
    /// There is no run.
    #[error("no run was found{}", listed(.0))]
    NoRun(Vec<String>),
    /// Two runs would have one place in the copy.
    #[error("two runs would be {} in the copy: copy them one by one", .0.display())]
    Twice(PathBuf),
    /// A run can't be copied.
    #[error("{} is not copied: {why}", .path.display())]
    Refused {
        /// The directory of the run.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The operating system refused something.
    #[error("{operation} {}: {source}", .path.display())]
    Io {
        /// What was done.
        operation: &'static str,
        /// The path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Error {
    /// Returns the error of a wrong setting.
    pub(super) fn setting(what: &'static str, text: &str, why: &impl ToString) -> Self {
        // A regular expression is drawn over several lines, and what is wrong stands in the last.
        let why = why.to_string();
        Self::Setting {
            what,
            text: text.to_owned(),
            why: why
                .lines()
                .last()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// Returns what makes an error of the answer of the system.
    pub(super) fn io(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            operation,
            path,
            source,
        }
    }
}

/// Returns the reasons, each after a semicolon.
fn listed(reasons: &[String]) -> String {
    let mut text = String::new();
    for reason in reasons {
        text += "; ";
        text += reason;
    }

    text
}
