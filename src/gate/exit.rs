//! The result of judging -> the exit code of a process.

use std::process::ExitCode;

use crate::finding::{Deny, Totals};

/// The exit status of a command that judges runs, as `runvet validate --help` lists it.
///
/// ```
/// assert_eq!(runvet::gate::Exit::Findings.code(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// No finding fails the gate.
    Success,
    /// At least one finding fails the gate.
    Findings,
    /// The command could not finish its work.
    Fault,
    /// No episode was found, or no rule is on for any that was.
    NothingFound,
}

impl Exit {
    /// Returns the exit status of a check by its sums. Faults and open verdicts come before
    /// findings, and those before a check that had nothing to judge.
    ///
    /// ```
    /// use runvet::finding::{Deny, Totals};
    /// use runvet::gate::Exit;
    /// assert_eq!(Exit::of(&Totals::default(), true, Deny::default()), Exit::NothingFound);
    /// ```
    #[must_use]
    pub const fn of(totals: &Totals, is_complete: bool, deny: Deny) -> Self {
        if !is_complete || totals.undecided > 0 {
            Self::Fault
        } else if totals.fails(deny) {
            Self::Findings
        } else if totals.episodes == totals.unchecked {
            Self::NothingFound
        } else {
            Self::Success
        }
    }

    /// Returns the exit code of the process.
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
