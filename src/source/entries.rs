//! What a directory lists under the names of an episode's artifacts.

use super::Artifact;

/// What kind of entry a directory lists under an artifact's name.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries([Option<EntryKind>; Artifact::ALL.len()]);

impl Entries {
    /// Adds an entry, or replaces the one of the same name.
    pub fn set(&mut self, artifact: Artifact, kind: EntryKind) {
        if let Some(slot) = self.0.get_mut(artifact as usize) {
            *slot = Some(kind);
        }
    }

    /// What the directory lists under the artifact's name; `None` where it lists nothing.
    #[must_use]
    pub fn kind(self, artifact: Artifact) -> Option<EntryKind> {
        self.0.get(artifact as usize).copied().flatten()
    }

    /// Whether the directory lists an entry of the artifact's name, of any kind.
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
