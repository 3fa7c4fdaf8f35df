//! Lines -> the end of `events.jsonl` or `learn.jsonl`, each whole or not at all.

use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::error::Error;
use crate::ground::digest::FileDigest;
use crate::store::{
    Disk, OpenDir, RecordedFile, append_all, content_of, is_in_place, lock, open_to_append,
};

/// A file of lines that grows at its end, and the digest of what it holds.
pub(super) struct TimelineFile {
    disk: Arc<dyn Disk>,
    file: RecordedFile,
    dir: OpenDir,
    name: &'static str,
    pub(super) held: Held,
    /// The process that opened it.
    owner: u32,
}

/// A write that failed.
pub(super) struct WriteFailed {
    pub(super) error: Error,
    /// `true` if the disk holds what it held before: else that is unknown.
    pub(super) is_as_before: bool,
}

impl TimelineFile {
    /// Opens a file of a directory, or makes one, which must not exist.
    pub(super) fn open(
        disk: &Arc<dyn Disk>,
        dir: &OpenDir,
        name: &'static str,
        is_new: bool,
    ) -> Result<Self, Error> {
        let (file, operation) = if is_new {
            (disk.create(dir, name), "creating")
        } else {
            (open_to_append(dir, name), "opening")
        };

        Ok(Self {
            disk: Arc::clone(disk),
            file: file.map_err(Error::io(operation, &dir.path().join(name)))?,
            dir: dir.clone(),
            name,
            held: Held::default(),
            owner: std::process::id(),
        })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join(self.name)
    }

    /// Returns `true` if the file that is written is still the one of its name, and holds what was
    /// written.
    pub(super) fn is_in_place(&self) -> bool {
        is_in_place(&self.file, &self.dir, self.name, self.held.length)
    }

    /// Refuses a file that does not hold what was written, which takes a look at all of it.
    pub(super) fn must_be_as_written(&self) -> Result<(), Error> {
        let content = FileDigest::of_stream(self.content()?, self.held.length)
            .map_err(Error::io("reading", &self.path()))?;
        let written = FileDigest::finish(self.held.digest.clone());
        if content == Some((self.held.length, written)) {
            return Ok(());
        }

        Err(Error::Lost { path: self.path() })
    }

    /// Returns what the file holds, from its beginning.
    pub(super) fn content(&self) -> Result<RecordedFile, Error> {
        content_of(&self.file).map_err(Error::io("reading", &self.path()))
    }

    /// Takes the lock of the file, until this is dropped; `false` where another writer has it.
    pub(super) fn lock(&mut self) -> Result<bool, Error> {
        lock(&self.file).map_err(Error::io("locking", &self.path()))
    }

    /// Cuts the file to what it is known to hold.
    pub(super) fn cut(&mut self) -> Result<(), Error> {
        self.cut_to(self.held.length)
    }

    fn cut_to(&self, length: u64) -> Result<(), Error> {
        let path = self.path();
        self.disk
            .cut(&path, &self.file, length)
            .map_err(Error::io("cutting", &path))
    }

    fn append_all(&self, bytes: &[u8]) -> Result<(), Error> {
        let path = self.path();
        append_all(self.disk.as_ref(), &path, &self.file, bytes)
            .map_err(Error::io("writing", &path))
    }

    /// Keeps the beginning of the file and rewrites the rest.
    pub(super) fn becomes(&mut self, held: Held, kept: u64, rest: &[u8]) -> Result<(), Error> {
        self.held = held;
        self.cut_to(kept)?;
        self.append_all(rest)
    }

    /// Returns the process that opened it, unless that is this one.
    pub(super) fn forked_from(&self) -> Option<u32> {
        (self.owner != std::process::id()).then_some(self.owner)
    }

    /// Makes it that of another process, as a fork does for the child.
    #[cfg(test)]
    pub(super) fn fork(&mut self) {
        self.owner += 1;
    }

    /// Adds a line, newline included.
    pub(super) fn append(&mut self, line: &[u8]) -> Result<(), WriteFailed> {
        self.append_all(line).map_err(|error| {
            let is_as_before = self.cut_to(self.held.length).is_ok();
            WriteFailed {
                error,
                is_as_before,
            }
        })?;
        self.held.add(line);

        Ok(())
    }

    pub(super) fn sync(&mut self) -> Result<(), Error> {
        let path = self.path();
        self.disk
            .sync(&path, &self.file)
            .map_err(Error::io("syncing", &path))
    }
}

impl Drop for TimelineFile {
    fn drop(&mut self) {
        // A process that was forked has the file open too: the lock would last as long as that.
        if self.forked_from().is_none() {
            let _ = self.file.unlock();
        }
    }
}

/// The length and the digest of the bytes that a file holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) length: u64,
    pub(super) digest: Sha256,
}

impl Held {
    /// Returns those of a file with this content.
    pub(super) fn of(content: &[u8]) -> Self {
        let mut held = Self::default();
        held.add(content);
        held
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.digest.update(bytes);
    }

    /// Returns the digest, 64 hexadecimal digits.
    pub(super) fn sha256(&self) -> String {
        FileDigest::finish(self.digest.clone()).to_string()
    }
}
