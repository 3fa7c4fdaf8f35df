//! Paths that were searched -> the episodes to judge, and what comes of judging them.

use std::path::PathBuf;

use super::Exit;
use crate::check::{Discovery, Fault};
use crate::finding::{EpisodeReport, ReportedFault, Statistics, Totals};
use crate::report::Closing;
use crate::store::{EpisodeDir, Unopened};

/// The episodes to judge.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// The episodes, sorted by path.
    pub episodes: Vec<EpisodeDir>,
    /// How many directories were not opened because the configuration excludes them.
    pub excluded: usize,
    /// Paths that could not be searched.
    pub faults: Vec<Fault>,
    /// Directories with nothing but the `state.json` of another program: no episodes.
    pub foreign: Vec<PathBuf>,
    /// Directories that most likely are episodes, and are not opened yet.
    unopened: Unopened,
}

impl Selection {
    /// How many episodes there are, most likely.
    #[cfg(feature = "cli")]
    pub(crate) fn len(&self) -> usize {
        self.episodes.len() + self.unopened.len()
    }

    /// The same episodes, to be judged once more.
    #[cfg(feature = "cli")]
    pub(crate) fn again(&self) -> Self {
        Self {
            episodes: self.episodes.clone(),
            unopened: self.unopened.clone(),
            ..Self::default()
        }
    }

    pub(super) fn of(found: Discovery) -> Self {
        Self {
            episodes: found.episodes,
            excluded: found.excluded,
            faults: found.faults,
            foreign: found.foreign,
            unopened: found.unopened,
        }
    }

    pub(super) fn found(self) -> Discovery {
        Discovery {
            episodes: self.episodes,
            faults: self.faults,
            foreign: self.foreign,
            excluded: self.excluded,
            unopened: self.unopened,
        }
    }
}

/// The result of judging a selection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The sums over all episodes.
    pub totals: Totals,
    /// The same sums by rule, mode and adapter, with
    /// [`Gate::with_statistics`](super::Gate::with_statistics).
    pub statistics: Option<Statistics>,
    /// What could not be looked at or judged, sorted by path.
    pub faults: Vec<ReportedFault>,
    /// Whether everything was looked at and judged: there are no faults, and the check was not
    /// stopped early.
    pub is_complete: bool,
    /// How many directories were left out that only judging met.
    pub(crate) excluded: usize,
}

impl Outcome {
    /// The exit status of a command that judges.
    #[must_use]
    pub fn exit(&self, deny_warnings: bool) -> Exit {
        if !self.is_complete {
            Exit::Fault
        } else if self.totals.episodes == 0 {
            Exit::NothingFound
        } else if self.totals.errors > 0 || (deny_warnings && self.totals.warnings > 0) {
            Exit::Findings
        } else {
            Exit::Success
        }
    }

    /// The result, in the form that renderers expect.
    #[must_use]
    pub fn closing(&self) -> Closing<'_> {
        Closing {
            statistics: self.statistics.as_ref(),
            faults: &self.faults,
            is_complete: self.is_complete,
            ..Closing::new(&self.totals)
        }
    }

    pub(super) fn add(&mut self, episode: &EpisodeReport) {
        self.totals.add(episode);
        self.faults.extend(episode.fault());
        if let Some(statistics) = &mut self.statistics {
            statistics.add(episode);
        }
    }
}
