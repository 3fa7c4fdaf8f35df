//! The reports of episodes -> their sums, and the exit code of a process that follows from them.

use std::process::ExitCode;

use crate::ground::finding::{Deny, EpisodeReport, ReportedFault, Statistics, Totals};
use crate::report::Closing;
use crate::store::Fault;

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

/// The result of judging episodes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The sums over all episodes.
    pub totals: Totals,
    /// The sums by rule, mode and adapter, with
    /// [`Gate::with_statistics`](super::Gate::with_statistics).
    pub(in crate::gate) statistics: Option<Statistics>,
    /// The paths that could not be read or judged, with the reasons, sorted by path.
    pub faults: Vec<ReportedFault>,
    /// `true` if everything was read and judged: there are no faults, and the check was not stopped
    /// early.
    pub is_complete: bool,
}

impl Outcome {
    /// Returns the exit status of a command that judges.
    #[must_use]
    pub const fn exit(&self, deny: Deny) -> Exit {
        Exit::of(&self.totals, self.is_complete, deny)
    }

    /// Returns the result, in the form that renderers expect.
    pub(crate) fn closing(&self) -> Closing<'_> {
        Closing {
            statistics: self.statistics.as_ref(),
            faults: &self.faults,
            is_complete: self.is_complete,
            ..Closing::new(&self.totals)
        }
    }

    /// Adds the number of empty directories in the place of runs.
    pub(crate) fn with_empty(mut self, empty: u64) -> Self {
        self.totals.not_judged.empty = empty;
        self
    }

    pub(super) fn add(&mut self, judged: &Result<EpisodeReport, Fault>) {
        match judged {
            Err(fault) => {
                self.totals.not_judged.links += u64::from(fault.is_of_link());
                self.faults.push(fault.into());
            }
            Ok(episode) => {
                self.totals.add(episode);
                self.faults.extend(episode.fault());
                self.statistics
                    .iter_mut()
                    .for_each(|it| it.add(episode));
            }
        }
    }
}
