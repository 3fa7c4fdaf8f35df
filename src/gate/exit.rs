//! How judging ended -> the number that a process exits with.

use std::process::ExitCode;

/// How a command that judges runs ends, as `runvet validate --help` lists it.
///
/// ```
/// assert_eq!(runvet::gate::Exit::Findings.code(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// Nothing that fails the gate was found.
    Success,
    /// There are findings that fail the gate.
    Findings,
    /// The command could not do its whole job.
    Fault,
    /// There was no episode to judge.
    NothingFound,
}

impl Exit {
    /// The number that the process exits with.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Fault => 2,
            Self::NothingFound => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
