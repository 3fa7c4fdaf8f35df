//! `runvet diff`: two runs -> where they differ, side by side.

mod side_by_side;

use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;

use super::output::{Color, Output};
use super::run_data::{RunDataArgs, known_runs};
use super::settings::GateArgs;
use super::usage::note_excluded;
use super::words::JsonArgs;
use super::{Exit, Result};
use crate::look::diff::{compare, opened};
use crate::report::write_json_line;

/// Compare two runs: task, plan, actions, outcomes, metrics, latencies and findings
///
/// Actions are aligned by their tool and input, steps by their kind and description. Ids, times,
/// durations and digests are shown, but do not count as differences. The exit code is 0 if the runs
/// are the same, 1 if they differ, and 2 if they can't be compared. `runvet schema diff` describes
/// the JSON.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet diff ep_01 ep_03 --run-data corpus/demo
  …
  Plan
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  ! ✓ step-2 done: Summarize the tickets │ ○ step-2 pending: Summarize the tic…
  …
  the runs differ in 4 places")]
pub(in crate::cli) struct DiffCommand {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The first run: its id or a part of it, @latest, or a path
    #[arg(value_name = "LEFT", add = ArgValueCandidates::new(known_runs))]
    left: String,

    /// The second run, named in the same way
    #[arg(value_name = "RIGHT", add = ArgValueCandidates::new(known_runs))]
    right: String,

    #[command(flatten)]
    json: JsonArgs,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,

    #[command(flatten)]
    gate: GateArgs,
}

impl DiffCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let is_json = self.json.is_json(self.color, matches)?;
        let [left, right] = self
            .run_data
            .get_both([&self.left, &self.right], output)?;
        let mut gate = self.gate.resolve(matches)?.gate;
        for run in [&left, &right] {
            note_excluded(&gate, run, output);
        }

        let left = opened(&left, &mut gate)?;
        let right = opened(&right, &mut gate)?;
        let diff = compare(&left, &right)?;
        if is_json {
            write_json_line(output.stdout(), &diff)?;
        } else {
            output
                .text(self.color)
                .diff(&left, &right, &diff)?;
        }

        Ok(if diff.same {
            Exit::Success
        } else {
            Exit::Findings
        })
    }
}
