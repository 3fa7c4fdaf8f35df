//! A call of the recorder that fails -> the reason, in words and as a kind.

use std::io;
use std::path::{Path, PathBuf};

use crate::ground::finding::{EpisodeReport, Finding};
use crate::ground::printable::{count, escape};

/// The reason why a call of the recorder failed. Unless it says otherwise, nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An episode of this id exists already.
    #[error("a run with the id {id} already exists", id = escape(id))]
    Exists {
        /// The id.
        id: String,
    },
    /// No episode of this id exists.
    #[error("there is no run {id}", id = escape(id))]
    Absent {
        /// The id.
        id: String,
    },
    /// Another recorder writes this episode.
    #[error("another process is recording the run {id}", id = escape(id))]
    Busy {
        /// The id.
        id: String,
    },
    /// The run has ended, so nothing can be added to it.
    #[error("the run {id} has ended with the status `{status}`", id = escape(id))]
    Ended {
        /// The id.
        id: String,
        /// Its status.
        status: String,
    },
    /// The records of the episode are not those of a run that this recorder can go on with.
    #[error("the recorder can't go on with the run {id}: {reason}", id = escape(id))]
    Untrusted {
        /// The id.
        id: String,
        /// The first reason.
        reason: String,
        /// The report of the check; `None` where the timeline could not be folded.
        report: Option<Box<EpisodeReport>>,
    },
    /// The process was forked, and the run belongs to its parent.
    #[error("the run belongs to the process {owner}, from which this one was forked")]
    Forked {
        /// The process that began the run.
        owner: u32,
    },
    /// The call asks for what a sound run does not have.
    #[error("{what} is refused: {why}")]
    Refused {
        /// The part of the call that is refused, such as `the phase`.
        what: &'static str,
        /// The reason why it can't be recorded.
        why: String,
    },
    /// The call would violate a rule of the team, see [`Recorder::gate`](super::Recorder::gate).
    /// [`Run::may_act`](super::Run::may_act) has written the event of a veto.
    #[error("{what} is refused: {}", sentence(.findings))]
    Violates {
        /// The part of the call that is refused, such as `the phase`.
        what: &'static str,
        /// The findings of the rules in it.
        findings: Vec<Finding>,
    },
    /// The call exceeds a limit of the reader.
    #[error("{what} is larger than the limit: {limit}")]
    TooLarge {
        /// The value that is too large, such as `the state`.
        what: &'static str,
        /// The limit, in words.
        limit: String,
    },
    /// A system call failed.
    #[error("{operation} {path} failed: {source}", path = escape(&path.display().to_string()))]
    Io {
        /// The operation, such as `reading`.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The record was replaced, but may not survive a power failure: its directory could not be
    /// synced.
    #[error("{path} was written, but may be lost when power fails: {source}", path = escape(&path.display().to_string()))]
    NotDurable {
        /// The record.
        path: PathBuf,
        /// The reason why the directory could not be synced.
        source: io::Error,
    },
    /// The records are no longer in their place: somebody removed, replaced or changed a file or
    /// the directory of the episode meanwhile.
    #[error("{path} was removed, replaced or changed by another process: the run is not recorded", path = escape(&path.display().to_string()))]
    Lost {
        /// The file or directory.
        path: PathBuf,
    },
    /// An earlier call failed in a way that leaves unknown what the disk holds.
    /// [`Recorder::recover`](super::Recorder::recover) finds out.
    #[error("an earlier write failed, so nothing more is recorded; `runvet recover {id}` repairs the run", id = escape(id))]
    Poisoned {
        /// The id.
        id: String,
    },
}

/// Returns the sentence of the first finding, in which text of the records is escaped, and its
/// rule.
fn sentence(findings: &[Finding]) -> String {
    let first = findings
        .first()
        .map(|it| format!("{} ({})", it.message, it.rule))
        .unwrap_or_default();

    match findings.len() {
        0 | 1 => first,
        number => format!("{first}, and {}", count(number as u64 - 1, "more finding")),
    }
}

impl Error {
    /// Returns the refusal of what is longer than a number of bytes.
    pub(super) fn too_large(what: &'static str, limit: usize) -> Self {
        Self::TooLarge {
            what,
            limit: format!("{} MiB", limit >> 20),
        }
    }

    pub(super) fn refused(what: &'static str, why: impl Into<String>) -> Self {
        Self::Refused {
            what,
            why: why.into(),
        }
    }

    /// Returns the error of a system call that failed.
    pub(super) fn io<'p>(
        operation: &'static str,
        path: &'p Path,
    ) -> impl FnOnce(io::Error) -> Self + use<'p> {
        move |source| Self::Io {
            operation,
            path: path.to_owned(),
            source,
        }
    }

    /// Returns a name of the sort of error, for programs: `exists`, `busy`, `refused`, ….
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "exists",
            Self::Absent { .. } => "absent",
            Self::Busy { .. } => "busy",
            Self::Ended { .. } => "ended",
            Self::Untrusted { .. } => "untrusted",
            Self::Forked { .. } => "forked",
            Self::Refused { .. } | Self::Violates { .. } => "refused",
            Self::TooLarge { .. } => "too_large",
            Self::Io { .. } => "io",
            Self::NotDurable { .. } => "not_durable",
            Self::Lost { .. } => "lost",
            Self::Poisoned { .. } => "poisoned",
        }
    }
}
