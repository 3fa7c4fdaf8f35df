//! The entries of a directory -> the artifacts of an episode that it lists.

use super::Artifact;

/// The kind of an entry with an artifact's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
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
/// use runvet::source::{Artifact, Entries, EntryKind};
/// let entries = Entries::from_iter([(Artifact::State, EntryKind::File)]);
/// assert!(entries.has(Artifact::State));
/// assert_eq!(entries.kind(Artifact::Events), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entries([Option<EntryKind>; Artifact::ALL.len()]);

impl Entries {
    /// Adds an entry, or replaces the one with the same name.
    pub fn set(&mut self, artifact: Artifact, kind: EntryKind) {
        if let Some(slot) = self.0.get_mut(artifact as usize) {
            *slot = Some(kind);
        }
    }

    /// The kind of the entry with the artifact's name; `None` where there is no such entry.
    #[must_use]
    pub fn kind(self, artifact: Artifact) -> Option<EntryKind> {
        self.0.get(artifact as usize).copied().flatten()
    }

    /// Whether the directory has an entry with the artifact's name, of any kind.
    #[must_use]
    pub fn has(self, artifact: Artifact) -> bool {
        self.kind(artifact).is_some()
    }
}

impl FromIterator<(Artifact, EntryKind)> for Entries {
    fn from_iter<I: IntoIterator<Item = (Artifact, EntryKind)>>(entries: I) -> Self {
        let mut found = Self::default();
        for (artifact, kind) in entries {
            found.set(artifact, kind);
        }
        found
    }
}
