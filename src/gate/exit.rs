//! The result of judging -> the exit code of a process.

use std::process::ExitCode;

/// The exit status of a command that judges runs, as `runvet validate --help` lists it.
///
/// ```
/// assert_eq!(runvet::gate::Exit::Findings.code(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// No finding fails the gate.
    Success,
    /// At least one finding fails the gate.
    Findings,
    /// The command could not do its whole job.
    Fault,
    /// No episode was found.
    NothingFound,
}

impl Exit {
    /// The exit code of the process.
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
