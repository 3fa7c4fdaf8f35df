//! A path that could not be searched, or below which a run may be hidden -> why, in words.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::path::display;
use super::tree::MAX_LEVELS;
use crate::finding::{FaultSort, ReportedFault};
use crate::source::{Artifact, EPISODES};

/// A path that could not be searched, or below which a run may be hidden.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The path does not exist.
    Missing(PathBuf),
    /// The path is a file that is not an artifact of a run.
    NotAnArtifact(PathBuf),
    /// A directory can't be listed, or a path can't be reached.
    Unlistable {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Artifacts lie in a directory, called `episodes` or below such a one, that is not an episode.
    Stray(PathBuf),
    /// A directory is deeper below a given path than directories are searched.
    TooDeep(PathBuf),
    /// A directory with a timeline lies in an episode, where nothing is searched.
    Hidden(PathBuf),
    /// A directory called `episodes` lies in an episode that is not below such a directory.
    Inside {
        /// The directory called `episodes`.
        path: PathBuf,
        /// The episode.
        episode: PathBuf,
    },
    /// A directory whose only record is the summary of a run holds another run, which is judged in
    /// its place.
    Displaced(PathBuf),
    /// The key of an object is not a path: a part of it is empty, `.` or `..`.
    Key(PathBuf),
    /// A symbolic link below `episodes` leads to a directory that is not searched.
    Link {
        /// The link.
        path: PathBuf,
        /// The directory that it leads to.
        target: PathBuf,
    },
}

impl Fault {
    /// The path that was not searched.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing(path)
            | Self::NotAnArtifact(path)
            | Self::Stray(path)
            | Self::Hidden(path)
            | Self::TooDeep(path)
            | Self::Key(path)
            | Self::Displaced(path)
            | Self::Inside { path, .. }
            | Self::Unlistable { path, .. }
            | Self::Link { path, .. } => path,
        }
    }

    /// Whether a given path is at fault, and not what lies below one.
    pub(crate) fn is_of_given_path(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::NotAnArtifact(_))
    }

    /// What is wrong with the path.
    fn message(&self) -> String {
        match self {
            Self::Missing(path) if path.to_string_lossy().contains("://") => {
                "no such file or directory; `python -m runvet.batch` checks stores of objects"
                    .into()
            }
            Self::Missing(_) => "no such file or directory".into(),
            Self::NotAnArtifact(_) => {
                let names = Artifact::ALL.map(Artifact::file_name).join(", ");
                format!("not a directory and not an artifact of a run ({names})")
            }
            Self::Unlistable { source, .. } => source.to_string(),
            Self::Stray(path) if path.file_name().is_some_and(|name| name != EPISODES) => {
                "the directory holds learn.jsonl or manifest.json and no record of a run, so they \
                 belong to no run; move them, or exclude the directory"
                    .into()
            }
            Self::Stray(_) => {
                "artifacts lie directly in a directory called `episodes`, so they belong to no run"
                    .into()
            }
            Self::TooDeep(_) => format!(
                "the directory is more than {MAX_LEVELS} levels below the given path, so it is not \
                 searched; exclude it, or give a path that is nearer to it"
            ),
            Self::Hidden(_) => "a directory in an episode holds events.jsonl, so a run may be \
                                hidden; move it, or exclude it"
                .into(),
            Self::Inside { episode, .. } => format!(
                "a directory called `episodes` lies in the episode {}, so runs may be hidden; move \
                 it, or exclude it",
                printable(episode)
            ),
            Self::Displaced(_) => "a directory that looks like a run holds another run, so only \
                                   the other one is checked; move one of them, or exclude the \
                                   other one"
                .into(),
            Self::Key(_) => "a part of the key is empty, `.` or `..`, so it is not a path".into(),
            Self::Link { target, .. } => format!(
                "a symbolic link to a directory that is not checked; exclude the link, or give {} \
                 too",
                printable(target)
            ),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", printable(self.path()), self.message())
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unlistable { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<&Fault> for ReportedFault {
    fn from(fault: &Fault) -> Self {
        Self {
            path: display(fault.path()),
            message: fault.message(),
            sort: match fault {
                Fault::Unlistable { .. } => FaultSort::Unlistable,
                _ => FaultSort::Other,
            },
        }
    }
}

pub(super) fn unlistable(path: &Path, source: io::Error) -> Fault {
    Fault::Unlistable {
        path: path.to_owned(),
        source,
    }
}

fn printable(path: &Path) -> String {
    crate::printable::escape(&display(path)).into_owned()
}
