//! Lines -> the end of `events.jsonl` or `learn.jsonl`, each whole or not at all.

use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::error::Error;
use crate::digest::FileDigest;
use crate::store::{Appending, append_all};

/// A file of lines that grows at its end, and the digest of what it holds.
pub(super) struct Timeline {
    file: Box<dyn Appending>,
    path: PathBuf,
    held: Held,
}

/// An append failed.
pub(super) struct Failed {
    pub(super) error: Error,
    /// Whether the file ends as before: else its end is unknown.
    pub(super) is_as_before: bool,
}

impl Timeline {
    /// A file that holds some bytes.
    pub(super) fn new(file: Box<dyn Appending>, path: PathBuf, held: &Held) -> Self {
        Self {
            file,
            path,
            held: held.clone(),
        }
    }

    /// Adds a line, newline included.
    pub(super) fn append(&mut self, line: &[u8]) -> Result<(), Failed> {
        match append_all(self.file.as_mut(), line) {
            Ok(()) => {
                self.held.add(line);
                Ok(())
            }
            Err(source) => Err(Failed {
                error: self.error("writing", source),
                is_as_before: self.file.cut(self.held.length).is_ok(),
            }),
        }
    }

    pub(super) fn sync(&mut self) -> Result<(), Error> {
        let synced = self.file.sync();
        synced.map_err(|source| self.error("syncing", source))
    }

    fn error(&self, operation: &'static str, source: io::Error) -> Error {
        Error::Io {
            operation,
            path: self.path.clone(),
            source,
        }
    }

    pub(super) fn length(&self) -> u64 {
        self.held.length
    }

    /// The digest of the file, 64 hexadecimal digits.
    pub(super) fn sha256(&self) -> String {
        FileDigest::finish(self.held.digest.clone()).to_string()
    }
}

/// What a file holds when it is opened.
#[derive(Clone, Default)]
pub(super) struct Held {
    pub(super) length: u64,
    pub(super) digest: Sha256,
}

impl Held {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.digest.update(bytes);
    }
}
