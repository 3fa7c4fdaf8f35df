//! The reports of episodes -> their sums, and the exit code that follows from them.

use super::Exit;
use crate::finding::{Deny, EpisodeReport, ReportedFault, Statistics, Totals};
use crate::report::Closing;
use crate::store::Fault;

/// The result of judging episodes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The sums over all episodes.
    pub totals: Totals,
    /// The sums by rule, mode and adapter, with
    /// [`Gate::with_statistics`](super::Gate::with_statistics).
    pub(crate) statistics: Option<Statistics>,
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

    pub(super) fn add(&mut self, judged: &Result<EpisodeReport, Fault>) {
        match judged {
            Err(fault) => self.faults.push(fault.into()),
            Ok(episode) => {
                self.totals.add(episode);
                self.faults.extend(episode.fault());
                self.statistics.iter_mut().for_each(|it| it.add(episode));
            }
        }
    }
}
