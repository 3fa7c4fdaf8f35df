//! Arguments -> the paths of the runs to validate, all or those that changed.

use std::path::PathBuf;

use super::super::output::Output;
use super::super::path_list::PathList;
#[cfg(feature = "commands")]
use super::super::run_data::run_called;
use super::super::{CommandFailure, Exit, Result, path_list};
use super::{MAX_LOST, Setup, Validate};
use crate::gate::{Gate, Outcome};
use crate::look::read::RunReader;
use crate::report::{ProjectDirs, count};
use crate::store::{Dir, GivenPaths, Reads, WalkFindings, changed_since};

impl Validate {
    /// Leaves out runs that did not start in the period or did not change since the revision;
    /// `true` if none changed.
    pub(super) fn leave_out(
        &self,
        found: &mut WalkFindings,
        setup: &Setup<'_>,
        output: &Output,
    ) -> Result<bool> {
        if !self.period.is_all() {
            let gate = &setup.gate;
            (found.episodes).retain(|episode| self.is_in_period(episode, gate));
        }

        let Some(revision) = &self.changed_since else {
            return Ok(false);
        };
        let in_period = !found.episodes.is_empty();
        let episodes = std::mem::take(&mut found.episodes);
        found.episodes = self.changed(revision, episodes, setup, output)?;

        Ok(in_period && found.episodes.is_empty())
    }

    /// Returns whether it leaves runs below the given paths out.
    pub(super) fn is_part(&self) -> bool {
        !self.period.is_all() || self.changed_since.is_some() || self.files_from.is_some()
    }

    /// Prints what changed since an earlier report, and returns the exit code: runs that are not
    /// compared fail the check, and limits decide instead of the findings.
    pub(super) fn changes(
        &self,
        judged: Exit,
        setup: &mut Setup<'_>,
        outcome: &Outcome,
        output: &mut Output,
    ) -> Result<Exit> {
        let Some((join, format)) = setup.against.take() else {
            return Ok(judged);
        };
        let changes = join.end(outcome.faults.clone())?;
        let by_limits = self
            .limits
            .decide(changes, format, output)?;

        Ok(match judged {
            _ if by_limits == Exit::Fault => Exit::Fault,
            Exit::NothingFound => Exit::NothingFound,
            _ if self.limits.fail_above.is_some() => by_limits,
            _ => judged,
        })
    }

    pub(super) fn given(&self) -> GivenPaths {
        // What another program lists is judged as a search would judge it.
        if self.paths.is_empty() || self.files_from.is_some() || self.skip_others {
            GivenPaths::None
        } else {
            GivenPaths::Each
        }
    }

    /// Returns `true` if an episode started when it is asked for. One of which that is not known
    /// may have.
    fn is_in_period(&self, episode: &Dir, gate: &Gate) -> bool {
        let run = RunReader::open(episode.path());
        run.map_or(true, |run| {
            self.period
                .may_have(&run.following(gate).starts())
        })
    }

    /// Returns the episodes that changed; notes runs that were deleted.
    fn changed(
        &self,
        revision: &str,
        episodes: Vec<Dir>,
        setup: &Setup<'_>,
        output: &Output,
    ) -> Result<Vec<Dir>> {
        let found = episodes.len() as u64;
        let reads = Reads {
            links: setup.gate.follows_links(),
            named_files: setup.gate.reads_named_files(),
            other_files: setup.gate.judged_files(),
        };

        let changed = changed_since(revision, episodes, &setup.paths, &reads);
        let (episodes, lost) = changed.map_err(CommandFailure::Fault)?;
        if !self.quiet {
            if episodes.is_empty() && found > 0 {
                let episodes = count(found, "episode");
                output.note(&format!(
                    "nothing to check: no change since {revision} in {episodes}"
                ));
            }
            for dir in lost.iter().take(MAX_LOST) {
                let dir = dir.display();
                output.note(&format!(
                    "{dir} had state.json or events.jsonl at {revision} and has neither now"
                ));
            }
            if let more @ 1.. = lost.len().saturating_sub(MAX_LOST) {
                output.note(&format!("and {more} more"));
            }
        }

        Ok(episodes)
    }

    /// Replaces names of runs by their paths, and adds the run data that is named alone.
    #[cfg(feature = "commands")]
    fn name_runs(&self, paths: &mut Vec<PathBuf>, output: &Output) -> Result<()> {
        if paths.is_empty() {
            paths.extend(self.run_data.clone());
            return Ok(());
        }

        let mut are_named = false;
        for path in paths {
            let Some(run) = run_called(path, self.run_data.as_deref()) else {
                continue;
            };
            are_named = true;
            if !self.quiet {
                output.note(&format!("{} is the run {}", path.display(), run.display()));
            }
            *path = run;
        }

        if self.run_data.is_some() && !are_named {
            let message = "--run-data has no effect beside paths; leave one of them out";
            return Err(CommandFailure::Fault(message.into()));
        }

        Ok(())
    }

    /// Returns the paths to check.
    pub(super) fn paths(&self, output: &Output) -> Result<Vec<PathBuf>> {
        let mut paths = self.paths.clone();
        #[cfg(feature = "commands")]
        self.name_runs(&mut paths, output)?;
        if let Some(list) = &self.files_from {
            let end = if self.null { 0 } else { b'\n' };
            let what = format!("can't read paths from {}", list.display());
            paths.extend(path_list::read(list, end).map_err(CommandFailure::of(what))?);
        } else if paths.is_empty() && !self.staged {
            paths.push(PathBuf::from("."));
        }

        if self.staged || self.files_from.is_none() && !self.skip_others {
            return Ok(paths);
        }
        if paths.is_empty() && !self.quiet {
            output.note("the list of paths is empty: did the command that makes it fail?");
        }

        let mut listed = PathList::default();
        for path in paths {
            listed.add(path, self.skip_others);
        }

        for note in listed
            .notes()
            .map_err(CommandFailure::Fault)?
        {
            if !self.quiet {
                output.note(&note);
            }
        }

        Ok(listed.paths)
    }
}

/// Returns the working directory, and the root of the project: the directory of GitLab's checkout
/// around it, else itself.
pub(super) fn project_dirs() -> Option<ProjectDirs> {
    let here = std::env::current_dir().ok()?;
    let root = std::env::var_os("CI_PROJECT_DIR").map(PathBuf::from);
    let root = root.and_then(|root| root.canonicalize().ok());
    let root = root.filter(|root| here.starts_with(root));
    Some(ProjectDirs {
        root: root.unwrap_or_else(|| here.clone()),
        here,
    })
}
