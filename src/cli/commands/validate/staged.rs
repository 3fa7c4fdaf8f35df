//! The runs that the next commit changes -> a report and an exit status.

use std::path::{Path, PathBuf};

use super::{MAX_LOST, Setup, Validate};
use crate::cli::output::Output;
use crate::cli::{CommandFailure, Exit, Result};
use crate::report::count;
use crate::store::StagedRuns;

impl Validate {
    /// Judges the runs that the next commit changes, by their records in the index of git.
    pub(super) fn run_staged(&self, mut setup: Setup<'_>, output: &mut Output) -> Result {
        let staged = StagedRuns::read(&setup.paths).map_err(CommandFailure::Fault)?;
        let runs = staged
            .runs()
            .map_err(CommandFailure::Fault)?;
        let number = staged.paths().count();
        let outcome = self.judge(&mut setup, number, output, |gate, take| {
            let excluding = gate.clone();
            let is_judged = |dir: &Path| !excluding.excludes(dir);
            gate.each_in_memory(runs.filter(|(key, ..)| is_judged(key.as_path())), take)
        })?;
        if !self.quiet {
            note(&staged, outcome.totals.episodes == 0, output);
        }

        let paths: Vec<PathBuf> = staged.paths().collect();
        let dirs = paths
            .iter()
            .filter_map(|path| path.parent());
        let is_refused = self.refuses_configs(&setup, dirs, output);
        let exit = match outcome.exit(setup.deny) {
            _ if output.is_muted() || is_refused => Exit::Fault,
            Exit::NothingFound if outcome.totals.episodes == 0 => Exit::Success,
            Exit::NothingFound if self.allow_empty => Exit::Success,
            exit => exit,
        };

        self.explain_failure(exit, &outcome.totals, setup.deny, output);
        self.keep(setup, !output.is_muted(), &outcome, output)?;
        Ok(exit)
    }
}

/// Notes what the commit does not contain.
fn note(staged: &StagedRuns, is_empty: bool, output: &Output) {
    if is_empty {
        output.note("nothing to check: the commit changes no record of a run");
    }

    let named = |paths: &[PathBuf], what: &str| {
        for path in paths.iter().take(MAX_LOST) {
            output.note(&format!("{} {what}", path.display()));
        }
        if let more @ 1.. = paths.len().saturating_sub(MAX_LOST) {
            output.note(&format!("and {more} more"));
        }
    };

    named(&staged.deleted, "is a run that the commit deletes");
    named(
        &staged.left_out,
        "is not part of the commit: git does not track it, or ignores it; to add it, use git add \
         --force",
    );

    if staged.unknown_runs > 0 {
        let runs = count(staged.unknown_runs, "run");
        output.note(&format!(
            "not part of the commit: {runs} below `episodes` that git does not track, or ignores"
        ));
    }
}
