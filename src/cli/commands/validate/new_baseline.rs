//! All findings of a check -> a baseline.

use std::ops::ControlFlow;
use std::path::Path;

use super::{Setup, Validate};
use crate::cli::output::Output;
use crate::cli::progress;
use crate::cli::settings::Settings;
use crate::cli::sinks::unwritable;
use crate::cli::{CommandFailure, Result};
use crate::gate::config::Origin;
use crate::gate::{Baseline, Outcome};
use crate::ground::finding::{EpisodeReport, Skip, SkipKind};
use crate::report::{count, faults};
use crate::store::{WalkFindings, WholeFile};

impl Validate {
    /// Makes the check accept what a new baseline is to list, if one is to be written.
    pub(super) fn accept_all(&self, setup: &mut Setup<'_>, found: &WalkFindings) {
        let Some((path, _)) = &setup.new_baseline else {
            return;
        };
        match self.record(setup, found, path) {
            Ok(baseline) => {
                setup.gate = setup
                    .gate
                    .clone()
                    .with_baseline(baseline);
            }
            Err(why) => setup.unrecorded = why,
        }
    }

    /// Returns what a new baseline is to list, if everything can be read and judged; else why not,
    /// where the faults of the check do not say so.
    ///
    /// A report is written while episodes are judged, and must know whether their findings are in
    /// the baseline. An episode that can't be judged may be the last, so this judges all of them
    /// before the first is reported.
    fn record(
        &self,
        setup: &Setup<'_>,
        found: &WalkFindings,
        path: &Path,
    ) -> Result<Baseline, Option<String>> {
        if !found.faults.is_empty() {
            return Err(None);
        }

        let mut unjudged = None;
        let mut gate = setup.gate.clone().record_baseline(path);
        let bar = progress::hidden(found.episodes.len(), "episodes");
        let outcome = gate.each_of(Vec::new(), &found.episodes, |judged| {
            progress::step(&bar, self.quiet);
            // It would cover what lies beyond the limit too.
            unjudged = judged
                .as_ref()
                .ok()
                .and_then(beyond_limit);
            match judged {
                Ok(episode) if episode.fault().is_none() && unjudged.is_none() => {
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Break(()),
            }
        });
        bar.finish_and_clear();

        outcome
            .is_complete
            .then(|| gate.baseline().cloned())
            .flatten()
            .ok_or(unjudged)
    }

    /// Moves what was written to its place.
    pub(super) fn keep(
        &self,
        setup: Setup<'_>,
        has_report: bool,
        outcome: &Outcome,
        output: &Output,
    ) -> Result<()> {
        if has_report {
            setup.sinks.keep()?;
        }

        let Some((path, file)) = setup.new_baseline else {
            return Ok(());
        };

        match setup.gate.baseline() {
            Some(baseline) if has_report => self.keep_baseline(path, file, baseline, output),
            Some(_) => Ok(()),
            None => {
                // It would lack the findings of what was not checked.
                let lost = setup
                    .unrecorded
                    .or_else(|| faults(&outcome.faults));
                output.fault(&format!(
                    "the baseline {} is not written, because the check is not complete: {}",
                    path.display(),
                    lost.as_deref()
                        .unwrap_or("an episode kept changing")
                ));
                Ok(())
            }
        }
    }

    /// Moves the baseline to its path.
    fn keep_baseline(
        &self,
        path: &Path,
        mut file: WholeFile,
        baseline: &Baseline,
        output: &Output,
    ) -> Result<()> {
        baseline
            .write(&mut file)
            .and_then(|()| file.keep())
            .map_err(unwritable(path))?;
        if !self.quiet {
            let (findings, skips, episodes) = baseline.size();
            let skips = match skips {
                0 => String::new(),
                skips => format!(" and {} not judged", count(skips as u64, "rule")),
            };

            output.note(&format!(
                "{} lists {}{skips} in {}",
                path.display(),
                count(findings as u64, "finding"),
                count(episodes as u64, "episode")
            ));
        }

        Ok(())
    }

    /// Refuses to write a baseline of rules that are selected for this check alone: all other
    /// findings would be missing from it.
    pub(super) fn refuse_part(&self, settings: &Settings) -> Result<()> {
        match settings
            .select
            .as_ref()
            .map(|select| &select.origin)
        {
            Some(Origin::Given(select)) if self.write_baseline.is_some() => {
                Err(CommandFailure::Fault(format!(
                    "--write-baseline can't be used with {select}: the baseline would lack the \
                     findings of all other rules"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Returns which rule met a limit in an episode, in words.
fn beyond_limit(episode: &EpisodeReport) -> Option<String> {
    // What a new baseline lists is suppressed already.
    let mut skips = episode
        .skipped
        .iter()
        .chain(&episode.suppressed_skips);
    let Skip { rule, reason, .. } = skips.find(|skip| skip.kind() == SkipKind::Limit.word())?;
    let dir = &episode.dir;

    Some(format!("{rule} could not be judged in {dir}: {reason}"))
}
