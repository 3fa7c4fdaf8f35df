//! Bytes in memory -> the artifacts of an episode.

use super::{Artifacts, Opened, Unreadable};
use crate::source::{Artifact, Entries, EntryKind};

/// The artifacts of an episode in memory.
///
/// ```
/// use runvet::source::Artifact;
/// use runvet::store::{Artifacts, Content, Memory};
///
/// let artifacts = Memory::from_iter([
///     (Artifact::Events, Content::Bytes(b"")),
///     (Artifact::Learn, Content::Listed),
/// ]);
/// assert!(artifacts.entries().has(Artifact::Learn));
/// assert!(artifacts.open(Artifact::Learn).is_err() && artifacts.probe(Artifact::Learn).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Memory<'a> {
    contents: [Option<Content<'a>>; Artifact::ALL.len()],
}

/// The content of an artifact, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'a> {
    /// The content is known.
    Bytes(&'a [u8]),
    /// Only the existence of the artifact is known.
    Listed,
    /// The artifact exists but can't be read.
    Unreadable(Unreadable),
}

impl<'a> FromIterator<(Artifact, Content<'a>)> for Memory<'a> {
    /// If an artifact is given twice, the first content counts.
    fn from_iter<I: IntoIterator<Item = (Artifact, Content<'a>)>>(contents: I) -> Self {
        let mut memory = Self::default();
        for (artifact, content) in contents {
            if let Some(slot) = memory.contents.get_mut(artifact as usize) {
                slot.get_or_insert(content);
            }
        }
        memory
    }
}

impl Artifacts for Memory<'_> {
    fn entries(&self) -> Entries {
        let is_there = |artifact: &Artifact| {
            let content = self.contents.get(*artifact as usize);
            content.is_some_and(Option::is_some)
        };
        let there = Artifact::ALL.into_iter().filter(is_there);
        there.map(|artifact| (artifact, EntryKind::File)).collect()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        match self
            .contents
            .get(artifact as usize)
            .and_then(Option::as_ref)
        {
            Some(Content::Bytes(bytes)) => Ok(Opened::from_bytes(bytes)),
            Some(Content::Listed) => Err(Unreadable::ListedOnly),
            Some(Content::Unreadable(why)) => Err(why.clone()),
            None => Err(Unreadable::Vanished),
        }
    }
}
