//! `runvet list`: the runs of a run-data directory, newest first.

mod order;
mod table;
mod tree;

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::filters::FilterArgs;
use super::output::{Color, Output, style};
use super::period::PeriodEnd;
use super::run_data::RunDataArgs;
use super::settings::GateArgs;
use super::usage::{given, note_idle, refuse_all, refuse_colour};
use super::words::{OutputFormat, format_of};
use super::{Exit, Result};
use crate::cli::progress;
use crate::gate::Gate;
use crate::ground::finding::Lifecycle;
use crate::ground::printable::{escape, fit};
use crate::look::read::{Error, RunData, RunEntry, RunFilter, RunListing, RunReader};
use crate::report::{count, write_json_line};
use crate::store::Fault;
use order::Order;
use table::table;
use tree::Branch;

/// List runs, newest first
///
/// The newest runs are those with the latest ULID at the end of their directory's name or, without
/// one, whose directory changed last. Those that are shown are sorted by their start. Runs beyond
/// the limit are not opened.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet list --run-data corpus/demo --status pending
  STARTED          ID           STATUS   OUTCOME   TOOK TASK
  2026-03-01 12:00 ep_02_paused paused   -            - Summarize the open ticket…")]
pub(in crate::cli) struct ListCommand {
    /// Run-data directories, directories above or below one, or runs [default: --run-data]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    run_data: RunDataArgs,

    /// Maximum number of runs to show; 0 for all [default: 20; with `--format paths`, all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// The order of the runs: `newest` by the time in the name of the directory or else by its last
    /// change, `started` by the start in the records, `duration` with the longest first, `id`, or
    /// `metric:NAME` with the highest first. Other orders than `newest` open all runs
    #[arg(long, value_name = "ORDER", default_value = "newest")]
    sort: Order,

    /// Show runs below the run that they are a part of, by their tag `parent`, with the sums of
    /// those below; opens all runs
    #[arg(long)]
    tree: bool,

    #[command(flatten)]
    filters: FilterArgs,

    /// Only runs that ended before this time: by the latest time of their events or, where those
    /// have none, by their start and duration. A run that has not ended, or without times, is none
    #[arg(long, value_name = "TIME", value_parser = PeriodEnd::read, allow_hyphen_values = true)]
    ended_before: Option<PeriodEnd>,

    /// Show only runs for which `runvet validate` reports no error
    #[arg(long, conflicts_with = "invalid")]
    valid: bool,

    /// Show only runs for which `runvet validate` reports an error, and the rule of the first
    #[arg(long)]
    invalid: bool,

    /// How to print the list
    #[arg(long, default_value = "human", value_parser = format_of(FORMATS))]
    format: OutputFormat,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,

    #[command(flatten)]
    gate: GateArgs,
}

/// The formats of a list.
const FORMATS: &[OutputFormat] = &[
    OutputFormat::Human,
    OutputFormat::Json,
    OutputFormat::Ids,
    OutputFormat::Paths,
];

/// The number of runs that are shown, unless another one or all are asked for.
const DEFAULT_LIMIT: usize = 20;

/// The number of runs that are kept at least, before those beyond the limit are let go.
const KEPT: usize = 1_000;

/// The runs that match, and what was met on the way.
#[derive(Default)]
struct Found {
    /// Those that may be shown, in order.
    runs: Vec<RunEntry>,
    /// The names of the directories of all runs, of which some are parts of others.
    known: BTreeSet<String>,
    faults: Vec<Fault>,
    /// What could not be read of what the filters ask for.
    unread: Vec<Error>,
    opened: usize,
    /// The number of runs that match.
    number: usize,
}

impl Found {
    fn add(&mut self, opened: OpenedRun) {
        self.opened += 1;
        self.known.extend(opened.name);
        self.unread.extend(opened.unread);
        self.number += usize::from(opened.run.is_some());
        self.runs.extend(opened.run);
    }
}

/// A run that was opened.
struct OpenedRun {
    /// The name of its directory, where trees are shown.
    name: Option<String>,
    /// The run, if it matches.
    run: Option<RunEntry>,
    unread: Vec<Error>,
}

impl ListCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        if self.format != OutputFormat::Human {
            refuse_colour(self.color, matches, "in this format")?;
        }

        self.filters.period.note(output);
        if let Some(ended_before) = &self.ended_before {
            ended_before.note("--ended-before", output);
        }

        let run_data = self
            .run_data
            .open_at(&self.paths, matches)?;
        let gate = self.judging(matches, output)?;
        let Found {
            runs,
            known,
            faults,
            unread,
            opened,
            number,
        } = self.look_at(&run_data, gate.as_ref());
        let unopened = run_data.len().saturating_sub(opened);
        let shown = self.shown(runs, &known, number, unopened);
        let odd = self.odd_paths(&shown.runs);
        self.print(output, &shown, opened, &self.shown_filters(matches))?;
        for fault in &odd {
            output.fault(fault);
        }
        for error in &unread {
            output.fault(error);
        }

        let number = run_data
            .faults()
            .iter()
            .chain(&faults)
            .map(|fault| output.fault(fault))
            .count();

        Ok(match number + odd.len() + unread.len() {
            0 => Exit::Success,
            _ => Exit::Fault,
        })
    }

    /// Looks for the runs that may be shown.
    fn look_at(&self, run_data: &RunData, gate: Option<&Gate>) -> Found {
        let (filter, limit) = (self.filters.filter(), self.limit());
        let mut found = Found::default();
        let bar = progress::hidden(run_data.len(), "runs");
        run_data.each(
            || (filter.clone(), gate.cloned()),
            |(filter, gate), run| {
                let name = run
                    .path()
                    .file_name()
                    .filter(|_| self.tree)
                    .map(|it| it.to_string_lossy().into_owned());
                let mut unread = Vec::new();
                let run = self
                    .matching(run, filter, &mut unread, gate.as_mut())
                    .map(|run| self.kept(run));
                OpenedRun { name, run, unread }
            },
            |result| {
                progress::step(&bar, !self.filters.take_long());
                match result {
                    Ok(opened) => found.add(opened),
                    Err(fault) => found.faults.push(fault),
                }

                if !self.tree && found.runs.len() >= KEPT.max(limit.saturating_mul(2)) {
                    self.sort.sort(&mut found.runs);
                    found.runs.truncate(limit);
                }

                if found.number == limit && !self.looks_at_all() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        bar.finish_and_clear();
        self.sort.sort(&mut found.runs);

        found
    }

    /// Returns the runs that are shown of those that were found, and the number of the others.
    fn shown(
        &self,
        mut runs: Vec<RunEntry>,
        known: &BTreeSet<String>,
        found: usize,
        unopened: usize,
    ) -> RunListing {
        let limit = self.limit();
        if self.tree {
            let runs = self.in_trees(runs, known, limit);
            let more = found - runs.len();
            return RunListing { runs, more };
        }

        runs.truncate(limit);
        let more = match found {
            found if self.looks_at_all() => found.saturating_sub(limit),
            found if found < limit => 0,
            _ => unopened,
        };

        RunListing { runs, more }
    }

    /// Returns the number of runs that are shown, at most.
    fn limit(&self) -> usize {
        match self.limit {
            Some(0) => usize::MAX,
            Some(limit) => limit,
            None if self.format == OutputFormat::Paths => usize::MAX,
            None => DEFAULT_LIMIT,
        }
    }

    /// Returns the gate that the runs have to pass or to fail, if they have.
    fn judging(&self, matches: &ArgMatches, output: &Output) -> Result<Option<Gate>> {
        if !(self.valid || self.invalid) {
            refuse_all::<GateArgs>(matches, "without --valid or --invalid")?;
            return Ok(None);
        }

        let gate = self.gate.resolve(matches)?.gate;
        note_idle(&gate, output);
        Ok(Some(gate))
    }

    /// Returns what is wrong with the paths that are not printed as lines.
    fn odd_paths(&self, runs: &[RunEntry]) -> Vec<String> {
        if self.format != OutputFormat::Paths {
            return Vec::new();
        }

        runs.iter()
            .filter(|run| !is_line(&run.dir))
            .map(|run| {
                format!(
                    "{}: the path is left out: it is not UTF-8, or has characters that no line can have",
                    escape(&run.dir)
                )
            })
            .collect()
    }

    /// Returns the filters as they were given.
    fn shown_filters(&self, matches: &ArgMatches) -> String {
        let mut filters = given::<FilterArgs>(matches);
        filters.extend(
            self.ended_before
                .as_ref()
                .map(|it| format!("--ended-before {}", it.text())),
        );
        filters.extend(self.valid.then(|| "--valid".to_owned()));
        filters.extend(
            self.invalid
                .then(|| "--invalid".to_owned()),
        );

        filters.join(" ")
    }

    /// Returns the runs of the first trees, as many as the limit.
    fn in_trees(
        &self,
        runs: Vec<RunEntry>,
        known: &BTreeSet<String>,
        limit: usize,
    ) -> Vec<RunEntry> {
        let is_for_people = self.format == OutputFormat::Human;
        let mut trees = 0;
        tree::branches(runs, known)
            .into_iter()
            .take_while(|branch| {
                trees += usize::from(branch.depth == 0);
                trees <= limit
            })
            .map(|branch| in_tree(branch, is_for_people))
            .collect()
    }

    /// Returns `true` if every run is opened.
    fn looks_at_all(&self) -> bool {
        self.sort != Order::Newest || self.tree
    }

    /// Prints the runs that are shown, of those that were opened.
    fn print(
        &self,
        output: &mut Output,
        shown: &RunListing,
        opened: usize,
        filters: &str,
    ) -> io::Result<()> {
        let runs = &shown.runs;
        match self.format {
            OutputFormat::Ids => runs
                .iter()
                .try_for_each(|run| writeln!(output.stdout(), "{}", fit(&run.episode_id, LONGEST))),
            OutputFormat::Paths => runs
                .iter()
                .filter(|run| is_line(&run.dir))
                .try_for_each(|run| writeln!(output.stdout(), "{}", run.dir)),
            OutputFormat::Json => write_json_line(output.stdout(), shown),
            _ => {
                table(output, runs, &self.metrics(), style(self.color))?;
                match self.rest(shown, opened, filters) {
                    Some(rest) => writeln!(output.stdout(), "{rest}"),
                    None => Ok(()),
                }
            }
        }
    }

    /// Returns the names of the metrics that have a column.
    fn metrics(&self) -> Vec<&str> {
        let mut metrics = self.filters.metrics();
        if let Order::Metric(name) = &self.sort
            && !metrics.contains(&&**name)
        {
            metrics.push(name);
        }

        metrics
    }

    /// Returns what is printed of a run: there may be many.
    fn kept(&self, run: RunEntry) -> RunEntry {
        match self.format {
            OutputFormat::Json => run,
            _ => run.in_columns(&self.metrics()),
        }
    }

    /// Returns a run if it matches the filters; with a gate, only if it passes or fails that as is
    /// asked for. One that the configuration excludes does neither.
    fn matching(
        &self,
        run: RunReader,
        filter: &RunFilter,
        unread: &mut Vec<Error>,
        gate: Option<&mut Gate>,
    ) -> Option<RunEntry> {
        let run = match &gate {
            Some(gate) => run.following(gate),
            None => run,
        };

        let entry = run.matched(filter, unread)?;
        if let Some(before) = &self.ended_before
            && run
                .ended(&entry)
                .is_none_or(|at| at >= *before.at())
        {
            return None;
        }

        let Some(gate) = gate else {
            return Some(entry);
        };

        if gate.excludes(run.path()) {
            return None;
        }

        let report = gate.episode(run.dir()?).ok()?;
        let is_valid = report.valid == Some(true);
        (is_valid == self.valid).then(|| entry.with_verdict(&report))
    }

    /// Returns the last line of the table: what it does not show, if anything.
    fn rest(&self, shown: &RunListing, opened: usize, filters: &str) -> Option<String> {
        match (shown.runs.len(), shown.more, filters) {
            (0, _, "") => Some("no runs".into()),
            (0, _, filters) => {
                let runs = count(opened as u64, "run");
                let searched = match &*self.filters.searched() {
                    [] => String::new(),
                    searched => format!(" (searched: {})", searched.join("; ")),
                };
                Some(format!(
                    "no runs: none of {runs} matches {filters}{searched}"
                ))
            }
            (_, 0, _) => None,
            (_, more, "") => Some(format!("… and {more} more runs (--limit 0 shows all)")),
            (_, more, _) if self.looks_at_all() => Some(format!(
                "… and {more} more runs that match (--limit 0 shows all)"
            )),
            (_, more, _) => Some(format!(
                "… and {more} more runs, which may match (--limit 0 shows all that do)"
            )),
        }
    }
}

/// Returns the run of a branch; for people, with its place in the tree, and the sums of the runs
/// below it.
fn in_tree(branch: Branch, is_for_people: bool) -> RunEntry {
    let before: Vec<String> = branch
        .sums()
        .into_iter()
        .chain(branch.note.clone())
        .map(|it| format!("({it}) "))
        .collect();
    let mut run = branch.run;
    if is_for_people {
        run.episode_id
            .insert_str(0, &"  ".repeat(branch.depth.min(DEEPEST)));
        let task = run.task.as_deref().unwrap_or("-");
        run.task = Some(format!("{}{task}", before.concat()));
    }

    run
}

/// Returns `true` if a path can be a line of a list: programs get it as it is.
fn is_line(path: &str) -> bool {
    escape(path) == path && !path.contains(char::REPLACEMENT_CHARACTER)
}

/// The depth from which on runs are no longer moved to the right.
const DEEPEST: usize = 8;

/// The number of columns after which a text is cut, however wide lines may be.
const LONGEST: usize = 4096;

/// Returns `true` if a run has written only its timeline so far.
fn is_only_in_progress(run: &RunEntry) -> bool {
    run.status.is_none() && run.lifecycle == Lifecycle::NonTerminal
}
