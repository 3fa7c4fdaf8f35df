//! `runvet list`: the runs of a run-data directory, newest first.

use std::io;
use std::path::PathBuf;

use clap::{ArgMatches, Args, ValueEnum};
use serde::Serialize;

use super::output::{Output, width};
use super::run_data::RunDataArgs;
use super::settings::{Baselines, GateArgs};
use super::{Exit, Failure};
use crate::check::Check;
use crate::finding::Lifecycle;
use crate::gate::Gate;
use crate::printable::fit;
use crate::read::{RunEntry, RunReader};
use crate::report::{instant, seconds, write_json};
use crate::timestamp::Timestamp;

/// List runs, newest first
///
/// Runs are sorted by the ULID at the end of their directory's name or, without one, by the time
/// when the directory last changed. Runs beyond the limit are not opened.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet list --run-data corpus/demo --status pending
  STARTED          ID           STATUS   OUTCOME     TOOK TASK
  2026-03-01 12:00 ep_02_paused pending  -              - Summarize the open tick…")]
pub(in crate::cli) struct List {
    /// Run-data directories, directories above or below one, or runs [default: --run-data]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    run_data: RunDataArgs,

    /// Maximum number of runs to show; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// Show only runs with this status, such as ok or pending
    #[arg(long)]
    status: Option<String>,

    /// Show only runs with this outcome, such as success
    #[arg(long)]
    outcome: Option<String>,

    /// Show only runs for which `runvet validate` reports an error
    #[arg(long)]
    invalid: bool,

    #[command(flatten)]
    gate: GateArgs,

    /// Show only runs that started at this time or later: a date such as 2026-03-01 (UTC) or an
    /// RFC 3339 date-time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<Timestamp>,

    /// How to print the list
    #[arg(long, default_value = "human")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Human,
    /// One JSON object
    Json,
    /// The ids, one per line
    Ids,
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    let time = Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")));
    time.ok_or_else(|| {
        "expected a date such as 2026-03-01, or an RFC 3339 date-time with an offset".into()
    })
}

#[derive(Serialize)]
struct Listed {
    runs: Vec<RunEntry>,
    /// Directories beyond the limit, which were not opened.
    more: usize,
}

impl List {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let run_data = self.run_data.open_at(&self.paths, matches)?;
        let limit = if self.limit == 0 {
            usize::MAX
        } else {
            self.limit
        };
        let gate = self
            .invalid
            .then(|| self.gate.resolve(matches, Baselines::Read))
            .transpose()?;
        let mut gate = gate.map(|settings| settings.gate);
        let mut opened = 0;
        let matching = run_data
            .iter()
            .inspect(|_| opened += 1)
            .filter_map(|run| self.matching(&run, gate.as_mut()));
        let runs: Vec<RunEntry> = matching.take(limit).collect();
        let more = if runs.len() < limit {
            0
        } else {
            run_data.len().saturating_sub(opened)
        };
        match self.format {
            Format::Ids => {
                runs.iter().try_for_each(|run| {
                    writeln!(output.stdout(), "{}", fit(&run.episode_id, 4096))
                })?;
            }
            Format::Json => {
                write_json(output.stdout(), &Listed { runs, more })?;
                writeln!(output.stdout())?;
            }
            Format::Human => table(output, &runs, more)?,
        }
        for fault in run_data.faults() {
            output.fault(fault);
        }
        Ok(if run_data.faults().is_empty() {
            Exit::Success
        } else {
            Exit::Fault
        })
    }

    /// The entry of a run, if it matches the filters; with a gate, only if it fails the gate.
    fn matching(&self, run: &RunReader, gate: Option<&mut Gate>) -> Option<RunEntry> {
        let entry = run.entry();
        let is =
            |wanted: &Option<String>, given: &Option<String>| wanted.is_none() || wanted == given;
        let started = || entry.started_at.as_deref().and_then(Timestamp::parse);
        let matches = is(&self.status, &entry.status)
            && is(&self.outcome, &entry.outcome)
            && self
                .since
                .as_ref()
                .is_none_or(|since| started().is_some_and(|started| started >= *since))
            && gate.is_none_or(|gate| is_invalid(run, gate));
        matches.then_some(entry)
    }
}

/// Whether a run fails the gate; a run that the configuration excludes does not.
fn is_invalid(run: &RunReader, gate: &mut Gate) -> bool {
    !gate.excludes(run.path())
        && gate
            .episode(&Check::new(), run.dir())
            .is_ok_and(|report| report.valid != Some(true))
}

/// The status of a run that has written only its timeline so far.
const IN_PROGRESS: &str = "in progress";

fn is_only_in_progress(run: &RunEntry) -> bool {
    run.status.is_none() && run.lifecycle == Lifecycle::NonTerminal
}

fn table(output: &mut Output, runs: &[RunEntry], more: usize) -> io::Result<()> {
    let total = width();
    let (starts, outcomes) = if total < 100 { (16, 9) } else { (19, 18) };
    let ids = runs
        .iter()
        .map(|run| run.episode_id.chars().count())
        .max()
        .unwrap_or(2)
        .clamp(2, 29);
    let statuses = if runs.iter().any(is_only_in_progress) {
        IN_PROGRESS.len()
    } else {
        8
    };
    let mut row = |cells: [&str; 6]| {
        let [started, id, status, outcome, duration, task] = cells.map(|cell| fit(cell, 200));
        let (started, id, status, outcome) = (
            fit(&started, starts),
            fit(&id, ids),
            fit(&status, statuses),
            fit(&outcome, outcomes),
        );
        let line = format!(
            "{started:starts$} {id:ids$} {status:statuses$} {outcome:outcomes$} {duration:>6} \
             {task}"
        );
        writeln!(output.stdout(), "{}", fit(line.trim_end(), total))
    };
    if !runs.is_empty() {
        row(["STARTED", "ID", "STATUS", "OUTCOME", "TOOK", "TASK"])?;
    }
    for run in runs {
        let text = |text: &'_ Option<String>| text.clone().unwrap_or_else(|| "-".into());
        let duration = run.duration_sec.map_or_else(|| "-".into(), seconds);
        let started = run
            .started_at
            .as_deref()
            .map_or_else(|| "-".into(), |started| instant(started, starts));
        let status = if is_only_in_progress(run) {
            IN_PROGRESS.into()
        } else {
            text(&run.status)
        };
        row([
            &started,
            &run.episode_id,
            &status,
            &text(&run.outcome),
            &duration,
            &text(&run.task),
        ])?;
    }
    match (runs.len(), more) {
        (0, _) => writeln!(output.stdout(), "no runs"),
        (_, 0) => Ok(()),
        (_, more) => writeln!(
            output.stdout(),
            "… and {more} more runs (--limit 0 shows all)"
        ),
    }
}
