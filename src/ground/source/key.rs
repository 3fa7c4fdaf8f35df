//! The location of an episode, on a disk or elsewhere -> the key that identifies it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Artifact;

/// The location of an episode, as a report prints it; the locations of its files start with it.
///
/// ```
/// use runvet::source::{Artifact, EpisodeKey};
/// let object = EpisodeKey::Text("s3://runs/episodes/ep_1".into());
/// assert_eq!(object.file(Artifact::State), "s3://runs/episodes/ep_1/state.json");
/// assert_eq!(object.dir(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpisodeKey {
    /// A directory, as the user would type its path.
    Dir(PathBuf),
    /// A name of another kind, such as the prefix of the objects in a store.
    Text(String),
}

impl EpisodeKey {
    /// Returns the directory of an episode on a disk.
    #[must_use]
    pub fn dir(&self) -> Option<&Path> {
        match self {
            Self::Dir(path) => Some(path),
            Self::Text(_) => None,
        }
    }

    /// Returns the key in the form of a path, whose parts are separated by slashes.
    pub(crate) fn as_path(&self) -> &Path {
        match self {
            Self::Dir(path) => path,
            Self::Text(text) => Path::new(text),
        }
    }

    /// Returns the name of an artifact's file, as reports print it.
    #[must_use]
    pub fn file(&self, artifact: Artifact) -> String {
        self.file_named(artifact.file_name())
    }

    /// Returns the name of a file in the episode's directory, as reports print it.
    pub(crate) fn file_named(&self, name: &str) -> String {
        let dir = self.as_path();
        if dir == Path::new(".") {
            name.into()
        } else {
            dir.join(name)
                .to_string_lossy()
                .into_owned()
        }
    }
}

/// As reports print it; bytes that are not UTF-8 show as `�`.
impl fmt::Display for EpisodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_path().to_string_lossy())
    }
}

impl Default for EpisodeKey {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&Path> for EpisodeKey {
    fn from(path: &Path) -> Self {
        Self::Dir(path.to_owned())
    }
}

impl From<&str> for EpisodeKey {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}
