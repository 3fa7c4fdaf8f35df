//! The files and the contents of a run that were redacted -> what refers to them in the copy.

use std::collections::BTreeMap;

use crate::ground::digest::{FileDigest, RunningDigest};
use crate::ground::source::resolve;

/// A content, before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    pub(super) was: Content,
    pub(super) is: Content,
}

/// The digest and the size of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) sha256: FileDigest,
    pub(super) bytes: u64,
}

/// A file of the run, by the path of its copy.
#[derive(Clone, Debug)]
pub(super) struct KnownFile {
    pub(super) path: String,
    pub(super) is_renamed: bool,
    pub(super) changed: Changed,
}

/// What is known of a run while its records are copied.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// The files by their paths.
    pub(super) files: BTreeMap<String, KnownFile>,
    /// The contents by their digests.
    pub(super) contents: BTreeMap<FileDigest, Changed>,
    /// That of the state.
    pub(super) state: Option<Changed>,
}

/// A content on its way.
#[derive(Default)]
pub(super) struct RunningContent {
    digest: RunningDigest,
    bytes: u64,
}

impl RunningContent {
    pub(super) fn add(&mut self, part: &[u8]) {
        self.digest.add(part);
        self.bytes += part.len() as u64;
    }

    pub(super) fn so_far(&self) -> Content {
        Content {
            sha256: self.digest.so_far(),
            bytes: self.bytes,
        }
    }
}

impl Content {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            sha256: FileDigest::of(bytes),
            bytes: bytes.len() as u64,
        }
    }
}

impl Changed {
    /// Returns the text of a size in the copy: one that was right is right, and one that was wrong
    /// stays wrong.
    pub(super) fn size(self, is_was: bool, is_is: bool) -> Option<String> {
        match (is_was, is_is) {
            (true, _) => Some(self.is.bytes.to_string()),
            (false, true) => Some((self.is.bytes + 1).to_string()),
            (false, false) => None,
        }
    }
}

impl Known {
    pub(super) fn add(&mut self, path: String, file: KnownFile) {
        self.contents
            .insert(file.changed.was.sha256, file.changed);
        self.files.insert(path, file);
    }

    /// Adds a file that is the same in the copy.
    pub(super) fn keep(&mut self, name: &str, content: Content) {
        let changed = Changed {
            was: content,
            is: content,
        };
        let file = KnownFile {
            path: name.to_owned(),
            is_renamed: false,
            changed,
        };

        self.add(name.to_owned(), file);
    }

    /// Returns the file that a path in a record leads to.
    pub(super) fn file(&self, path: &str) -> Option<&KnownFile> {
        self.files.get(&resolve(path)?)
    }

    /// Returns what became of the content with a digest.
    pub(super) fn content(&self, digits: &str) -> Option<Changed> {
        let digest = FileDigest::parse(digits)?;
        self.contents.get(&digest).copied()
    }
}
