//! The entries of a directory -> the artifacts of an episode that it lists.

use super::Artifact;

use crate::ground::Own;

/// The kind of an entry with an artifact's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A FIFO, a socket or a device.
    Special,
}

/// The artifacts that an episode's directory lists.
///
/// ```
/// use runvet::source::{Artifact, Entries};
/// let entries = Entries::from_iter([Artifact::State]);
/// assert!(entries.has(Artifact::State) && !entries.has(Artifact::Events));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries([Option<EntryKind>; Artifact::ALL.len()]);

impl Entries {
    /// Adds an entry, or replaces the one with the same name.
    pub(crate) fn set(&mut self, artifact: Artifact, kind: EntryKind) {
        *self.0.own_mut(artifact as usize) = Some(kind);
    }

    /// Returns these entries without one.
    pub(crate) fn without(mut self, artifact: Artifact) -> Self {
        *self.0.own_mut(artifact as usize) = None;
        self
    }

    /// Returns `true` if there is no artifact.
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns the kind of the entry with the artifact's name; `None` where there is no such entry.
    pub(crate) fn kind(self, artifact: Artifact) -> Option<EntryKind> {
        *self.0.own(artifact as usize)
    }

    /// Returns `true` if the directory has an entry with the artifact's name, of any kind.
    #[must_use]
    pub fn has(self, artifact: Artifact) -> bool {
        self.kind(artifact).is_some()
    }
}

impl FromIterator<Artifact> for Entries {
    /// Returns a directory with these artifacts, each a regular file.
    fn from_iter<I: IntoIterator<Item = Artifact>>(artifacts: I) -> Self {
        let mut found = Self::default();
        for artifact in artifacts {
            found.set(artifact, EntryKind::File);
        }
        found
    }
}
