//! The files of a run, as they were while it was judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ground::digest::FileDigest;
use crate::ground::words::words;

/// The files of a run, as they were while it was judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SealedFiles {
    /// The regular files of a run that has ended, sorted by name.
    pub(crate) files: Vec<SealedFile>,
    /// The other entries of its directory, and of those below.
    pub(crate) uncovered: Vec<Uncovered>,
    /// The regular files of which no digest was asked for.
    pub(crate) others: Vec<String>,
    /// The names of the files that the check read, sorted.
    pub(crate) judged: Vec<String>,
}

/// A file, and what it contains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SealedFile {
    /// The path in the directory of the run.
    pub(crate) name: String,
    pub(crate) digest: FileDigest,
}

/// An entry of the directory of a run of which a seal has no digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Uncovered {
    /// What it is.
    pub(crate) kind: UncoveredKind,
    /// The path in the directory of the run; of an entry of the kind `name` it is percent-encoded.
    pub(crate) name: String,
}

/// What an entry is of which a seal has no digest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::ground::record::describe_values)]
pub(crate) enum UncoveredKind {
    /// A symbolic link.
    Link,
    /// A FIFO, a socket or a device.
    Special,
    /// A file whose name is no UTF-8, or contains a backslash.
    Name,
}

words!(UncoveredKind {
    Link = "link",
    Special = "special",
    Name = "name",
});

impl UncoveredKind {
    /// Returns what it is, in words for people.
    pub(crate) const fn shown(self) -> &'static str {
        match self {
            Self::Link => "a symbolic link",
            Self::Special => "a FIFO, a socket or a device",
            Self::Name => "a file whose name is no UTF-8 or contains a backslash",
        }
    }
}
