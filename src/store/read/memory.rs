//! Bytes in memory -> the artifacts of an episode.

use std::io;
use std::sync::Arc;

use super::artifacts::{Artifacts, Opened, ReadAt, Unreadable, Version, read_memory_at};
use crate::ground::Own;
use crate::ground::source::{Artifact, Entries};

/// The artifacts of an episode in memory.
///
/// ```
/// use runvet::source::Artifact;
/// use runvet::store::{Artifacts, Content, InMemory};
///
/// let artifacts = InMemory::from_iter([
///     (Artifact::Events, Content::Bytes(b"")),
///     (Artifact::Learn, Content::Listed),
/// ]);
/// assert!(artifacts.entries().has(Artifact::Learn));
/// assert!(artifacts.open(Artifact::Learn).is_err() && artifacts.probe(Artifact::Learn).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct InMemory<'a> {
    contents: [Option<Content<'a>>; Artifact::ALL.len()],
    versions: [Option<Version>; Artifact::ALL.len()],
}

/// The content of an artifact, as far as it is known.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content<'a> {
    /// The content is known.
    Bytes(&'a [u8]),
    /// The content is known, and shared with its other owners.
    Shared(Arc<[u8]>),
    /// Only the existence of the artifact is known.
    Listed,
    /// The artifact exists but can't be read.
    Unreadable(Unreadable),
}

impl<'a> FromIterator<(Artifact, Content<'a>)> for InMemory<'a> {
    /// Returns the artifacts in memory; if one is given twice, the first content counts.
    fn from_iter<I: IntoIterator<Item = (Artifact, Content<'a>)>>(contents: I) -> Self {
        let mut memory = Self::default();
        for (artifact, content) in contents {
            memory
                .contents
                .own_mut(artifact as usize)
                .get_or_insert(content);
        }

        memory
    }
}

impl<'a> InMemory<'a> {
    /// Returns records, each with its bytes.
    pub(crate) fn of_records(records: &[(Artifact, &'a [u8])]) -> Self {
        records
            .iter()
            .map(|(artifact, bytes)| (*artifact, Content::Bytes(bytes)))
            .collect()
    }

    /// Sets the version of an artifact's content, such as an `ETag`.
    /// [`Gate::settled`](crate::gate::Gate::settled) compares it with that of the next fetch.
    #[must_use]
    pub fn with_version(mut self, artifact: Artifact, version: Version) -> Self {
        *self.versions.own_mut(artifact as usize) = Some(version);
        self
    }

    /// Opens an artifact for longer than it is borrowed.
    pub(crate) fn open_shared(&self, artifact: Artifact) -> Result<Opened<'a>, Unreadable> {
        match self.content(artifact)? {
            Content::Bytes(bytes) => Ok(Opened::from_bytes(bytes)),
            Content::Shared(bytes) => Ok(Opened::from_reader(Arc::clone(bytes))),
            Content::Listed => Err(Unreadable::ListedOnly),
            Content::Unreadable(why) => Err(why.clone()),
        }
    }

    fn content(&self, artifact: Artifact) -> Result<&Content<'a>, Unreadable> {
        self.contents
            .own(artifact as usize)
            .as_ref()
            .ok_or(Unreadable::Vanished)
    }
}

impl ReadAt for Arc<[u8]> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_memory_at(self, buffer, offset)
    }
}

impl Artifacts for InMemory<'_> {
    fn entries(&self) -> Entries {
        let is_there = |artifact: &Artifact| {
            self.contents
                .own(*artifact as usize)
                .is_some()
        };

        Artifact::ALL
            .into_iter()
            .filter(is_there)
            .collect()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        match self.content(artifact)? {
            Content::Shared(bytes) => Ok(Opened::from_bytes(bytes)),
            _ => self.open_shared(artifact),
        }
    }

    fn version(&self, artifact: Artifact) -> Option<Version> {
        self.versions
            .own(artifact as usize)
            .clone()
    }
}
