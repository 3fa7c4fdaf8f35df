//! The names that an episode lists -> which artifacts are there, and as what.

use super::Artifact;

/// What kind of entry is listed under an artifact's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file, or an object of a store.
    File,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A FIFO, a socket or a device.
    Special,
}

/// The artifacts that an episode lists.
///
/// ```
/// use runvet::source::{Artifact, Entries, EntryKind};
/// let entries = Entries::from_iter([(Artifact::State, EntryKind::File)]);
/// assert!(entries.has(Artifact::State) && !entries.has(Artifact::Summary));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries([Option<EntryKind>; Artifact::ALL.len()]);

impl Entries {
    /// Adds an entry.
    pub fn set(&mut self, artifact: Artifact, kind: EntryKind) {
        if let Some(slot) = self.0.get_mut(artifact as usize) {
            *slot = Some(kind);
        }
    }

    /// The kind of the entry that has an artifact's name, if there is one.
    #[must_use]
    pub fn kind(self, artifact: Artifact) -> Option<EntryKind> {
        self.0.get(artifact as usize).copied().flatten()
    }

    /// Whether there is an entry of the artifact's name, of whatever kind.
    #[must_use]
    pub fn has(self, artifact: Artifact) -> bool {
        self.kind(artifact).is_some()
    }
}

impl FromIterator<(Artifact, EntryKind)> for Entries {
    fn from_iter<I: IntoIterator<Item = (Artifact, EntryKind)>>(listed: I) -> Self {
        let mut entries = Self::default();
        for (artifact, kind) in listed {
            entries.set(artifact, kind);
        }
        entries
    }
}
