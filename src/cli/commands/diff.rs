//! `runvet diff`: two runs -> where they differ, side by side.

mod side_by_side;

use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;

use super::output::{Color, Output, style, width};
use super::run_data::{RunDataArgs, known_runs};
use super::settings::{Baselines, GateArgs};
use super::usage::refuse_colour;
use super::words::JsonArgs;
use super::{Exit, Result};
use crate::diff::{compare, opened};
use crate::report::write_json_line;
use side_by_side::SideBySide;
pub(super) use side_by_side::step_cell;

/// Compare two runs: task, plan, actions, outcomes, metrics, latencies and findings
///
/// Steps and actions are compared by their position. Ids, times, durations and digests are shown,
/// but do not count as differences. The exit code is 0 if the runs are the same, 1 if they differ,
/// and 2 if they can't be compared. `runvet schema diff` describes the JSON.
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
        if self.json.is_json() {
            refuse_colour(self.color, matches, "with --json")?;
        }
        let names = self.run_data.names();
        let left = names.get(&self.left, output)?;
        let right = names.get(&self.right, output)?;
        let mut gate = self.gate.resolve(matches, Baselines::Read)?.gate;
        let left = opened(&left, &mut gate)?;
        let right = opened(&right, &mut gate)?;
        let diff = compare(&left, &right);
        if self.json.is_json() {
            write_json_line(output.stdout(), &diff)?;
        } else {
            let mut table = SideBySide::new(output.stdout(), style(self.color), width());
            table.draw(&left, &right, &diff)?;
        }
        Ok(if diff.same {
            Exit::Success
        } else {
            Exit::Findings
        })
    }
}
