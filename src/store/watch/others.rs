//! The files of an episode besides its artifacts that a check reads -> whether they changed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::ground::digest::{Digest, Parts};
use crate::ground::source::EntryKind;
use crate::store::find::MAX_LEVELS;
use crate::store::open::{FileVersion, OpenDir};
use crate::store::path;

/// The files besides the artifacts that a check reads.
#[derive(Clone, Debug)]
pub(crate) enum OtherFiles {
    /// The files with these names, in an episode's directory.
    Named(Vec<Arc<str>>),
    /// Any, in it and below.
    All,
}

impl Default for OtherFiles {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

/// Such files when they were last seen.
pub(super) struct SeenFiles {
    /// The digest of their versions.
    pub(super) versions: Digest,
    /// `true` if one was written just then: another write may leave the same version behind.
    pub(super) is_fresh: bool,
}

impl OtherFiles {
    pub(super) fn are_none(&self) -> bool {
        matches!(self, Self::Named(names) if names.is_empty())
    }

    /// Returns `true` if a check may read a file with this name.
    pub(crate) fn may_be(&self, name: &OsStr) -> bool {
        match self {
            Self::Named(names) => names.iter().any(|it| **it == *name),
            Self::All => true,
        }
    }

    /// Looks at all of them in an episode's directory. Calls `listen` with each directory below
    /// before it lists it.
    pub(super) fn look(&self, dir: &Path, listen: impl Fn(&Path)) -> SeenFiles {
        let (now, mut parts, mut is_fresh) = (SystemTime::now(), Parts::default(), false);
        // Adds what is at a path from the directory on; returns `true` if that is a directory.
        let mut add = |below: &Path| {
            let version = FileVersion::at(&dir.join(below));
            parts.add(path::bytes(below));
            parts.add(format!("{version:?}").as_bytes());
            is_fresh |= version.is_some_and(|it| it.is_fresh(now));
            version.is_some_and(|it| it.kind == EntryKind::Directory)
        };

        let mut waiting = match self {
            Self::Named(names) => {
                for name in names {
                    add(Path::new(&**name));
                }
                Vec::new()
            }
            Self::All => vec![(PathBuf::new(), 0)],
        };

        while let Some((below, level)) = waiting.pop() {
            if level > 0 {
                listen(&below);
            }

            let names = OpenDir::open(&dir.join(&below)).and_then(|dir| dir.names(usize::MAX));
            for (name, _) in names.unwrap_or_default() {
                let at = below.join(name);
                if add(&at) && level < MAX_LEVELS {
                    waiting.push((at, level + 1));
                }
            }
        }

        SeenFiles {
            versions: parts.digest(),
            is_fresh,
        }
    }
}
