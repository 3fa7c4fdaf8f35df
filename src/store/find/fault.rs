//! A path that could not be searched, or below which a run may be hidden -> why, in words.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::tree::MAX_LEVELS;
use crate::ground::finding::{FaultSort, ReportedFault};
use crate::ground::source::{Artifact, EPISODES};
use crate::store::path::display;

/// A path that could not be searched, or below which a run may be hidden.
#[derive(Debug)]
pub struct Fault {
    path: PathBuf,
    kind: FaultKind,
}

/// The kind of a fault.
#[derive(Debug)]
pub(crate) enum FaultKind {
    /// Nothing is there, or can be.
    Missing(io::Error),
    /// It is a file that is not an artifact of a run.
    NotAnArtifact,
    /// It is a directory that can't be listed, or it can't be reached.
    Unlistable(io::Error),
    /// Artifacts lie in a directory, called `episodes` or below such a one, that is not an episode.
    Stray,
    /// A directory is deeper below a given path than directories are searched.
    TooDeep,
    /// A directory with a timeline lies in an episode, where nothing is searched.
    Hidden,
    /// A directory called `episodes` lies in this episode, which is not below such a directory.
    Inside(PathBuf),
    /// A directory whose only record is the summary of a run holds another run, which is judged in
    /// its place.
    Displaced,
    /// The key of an object is not a path: a part of it is empty, `.` or `..`.
    Key,
    /// A directory below `episodes` holds these files and no record.
    NoRecord(String),
    /// The directory of a run holds these files besides its records, which may be records.
    Beside(String),
    /// A file beside runs that a compressor or an archiver wrote has the name of a run.
    Packed,
    /// No run is at or below a given path, and there are some below others.
    NothingBelow,
    /// A symbolic link leads to this directory, which may hold runs and is not searched.
    Link(PathBuf),
    /// A symbolic link in the place of a run, or of all runs, leads nowhere.
    DanglingLink,
    /// A directory in the place of a run is empty.
    Empty,
}

impl Fault {
    pub(super) fn new(path: impl Into<PathBuf>, kind: FaultKind) -> Self {
        let path = path.into();
        Self { path, kind }
    }

    /// Returns the path that was not searched.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what is wrong with it.
    pub(crate) fn kind(&self) -> &FaultKind {
        &self.kind
    }

    /// Returns `true` if it is an empty directory in the place of a run.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.kind, FaultKind::Empty)
    }

    /// Returns `true` if it is a link that is not followed.
    pub(crate) fn is_of_link(&self) -> bool {
        matches!(self.kind, FaultKind::Link(_) | FaultKind::DanglingLink)
    }

    /// Returns `true` if the path vanished after it was found.
    pub(crate) fn has_vanished(&self) -> bool {
        matches!(&self.kind, FaultKind::Unlistable(source) if source.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the fault; an error where it is that this very path can't be listed.
    pub(super) fn unless_at(self, path: &Path) -> io::Result<Self> {
        match self.kind {
            FaultKind::Unlistable(source) if self.path == path => Err(source),
            _ => Ok(self),
        }
    }

    /// Returns `true` if a given path is at fault, and not what lies below one.
    #[must_use]
    pub fn is_of_given_path(&self) -> bool {
        matches!(self.kind, FaultKind::Missing(_) | FaultKind::NotAnArtifact)
    }

    /// Returns what is wrong with a path at which nothing is.
    fn missing(&self, why: &io::Error) -> String {
        match why.kind() {
            _ if self
                .path
                .to_string_lossy()
                .contains("://") =>
            {
                "no such file or directory; `python -m runvet.batch` checks stores of objects"
                    .into()
            }
            io::ErrorKind::NotFound => "no such file or directory".into(),
            _ => why.to_string(),
        }
    }

    /// Returns what is wrong with artifacts that belong to no run.
    fn stray(&self) -> &'static str {
        match self.path.file_name() {
            Some(name) if name != EPISODES => {
                "the directory holds learn.jsonl or manifest.json and no record of a run, so they \
                 belong to no run; move them, or exclude the directory"
            }
            _ => {
                "artifacts lie directly in a directory called `episodes`, so they belong to no run"
            }
        }
    }

    /// Returns what is wrong with the path.
    fn message(&self) -> String {
        match &self.kind {
            FaultKind::Missing(why) => self.missing(why),
            FaultKind::NotAnArtifact => {
                let names = Artifact::ALL
                    .map(Artifact::file_name)
                    .join(", ");
                format!("not a directory and not an artifact of a run ({names})")
            }
            FaultKind::Unlistable(source) => source.to_string(),
            FaultKind::Stray => self.stray().into(),
            FaultKind::TooDeep => format!(
                "the directory is more than {MAX_LEVELS} levels below the given path, so it is not \
                 searched; exclude it, or give a path that is nearer to it"
            ),
            FaultKind::Hidden => "a directory in an episode holds events.jsonl, so a run may be \
                                hidden; move it, or exclude it"
                .into(),
            FaultKind::Inside(episode) => format!(
                "a directory called `episodes` lies in the episode {}, so runs may be hidden; move \
                 it, or exclude it",
                printable(episode)
            ),
            FaultKind::Displaced => "this directory looks like a run and holds another run, so \
                                   only the inner run is checked; move one of them, or exclude \
                                   the inner one"
                .into(),
            FaultKind::NoRecord(files) => format!(
                "the directory holds {files}, but no record of a run (state.json, events.jsonl), \
                 so nothing in it is checked; unpack or rename what is a record, or exclude the \
                 directory"
            ),
            FaultKind::Beside(files) => format!(
                "the directory of this run holds {files}, which is not read: only {} are; unpack, \
                 join or rename what is a record",
                Artifact::ALL
                    .map(Artifact::file_name)
                    .join(", ")
            ),
            FaultKind::Packed => {
                "this file beside runs is packed and may be one of them, which is \
                                not checked; unpack it, or move it out of the directory"
                    .into()
            }
            FaultKind::NothingBelow => {
                "no episode was found here, though there are some below other paths".into()
            }
            FaultKind::Key => "a part of the key is empty, `.` or `..`, so it is not a path".into(),
            FaultKind::Link(target) => not_followed(target),
            FaultKind::DanglingLink => {
                "a symbolic link that leads nowhere, where a run should be; \
                                        mount or fetch what it leads to, or exclude the link"
                    .into()
            }
            FaultKind::Empty => "the directory is empty, so no run is checked there".into(),
        }
    }
}

/// Returns what is wrong with a link to a directory.
fn not_followed(target: &Path) -> String {
    format!(
        "a symbolic link to a directory that is not checked; exclude the link, give {0} too, or \
         follow it with --follow-links={0}",
        printable(target)
    )
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", printable(self.path()), self.message())
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            FaultKind::Unlistable(source) => Some(source),
            _ => None,
        }
    }
}

impl From<&Fault> for ReportedFault {
    fn from(fault: &Fault) -> Self {
        Self {
            path: display(fault.path()),
            message: fault.message(),
            sort: match fault.kind {
                FaultKind::Unlistable(_) => FaultSort::Unlistable,
                _ if fault.is_of_link() => FaultSort::Link,
                _ => FaultSort::Other,
            },
        }
    }
}

pub(crate) fn unlistable(path: &Path, source: io::Error) -> Fault {
    Fault::new(path, FaultKind::Unlistable(source))
}

fn printable(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return "\"\"".into();
    }
    crate::ground::printable::escape(&display(path)).into_owned()
}
