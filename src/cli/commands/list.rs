//! `runvet list`: the runs of a run-data directory, newest first.

mod tree;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgMatches, Args};

use super::filters::FilterArgs;
use super::output::{Color, Output, style, width};
use super::period::PeriodEnd;
use super::run_data::RunDataArgs;
use super::settings::GateArgs;
use super::usage::{given, note_idle, refuse_all, refuse_colour};
use super::words::{OutputFormat, format_of};
use super::{Exit, Result};
use crate::cli::progress;
use tree::Branch;

use crate::gate::Gate;
use crate::ground::finding::{Hit, Lifecycle};
use crate::ground::printable::{columns_of, escape, fit, padded};
use crate::ground::spelling::did_you_mean;
use crate::ground::timestamp::Timestamp;
use crate::look::read::{Error, RunData, RunEntry, RunFilter, RunListing, RunReader};
use crate::report::{Style, StyledLine, count, instant, seconds, waiting, write_json_line};
use crate::store::Fault;

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

/// The order of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Order {
    Newest,
    Started,
    Duration,
    Id,
    /// By a metric of the outcomes.
    Metric(String),
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("metric:")) {
            ("newest", _) => Ok(Self::Newest),
            ("started", _) => Ok(Self::Started),
            ("duration", _) => Ok(Self::Duration),
            ("id", _) => Ok(Self::Id),
            (_, Some(name)) if !name.is_empty() => Ok(Self::Metric(name.to_owned())),
            _ => {
                let help = did_you_mean(text, ["newest", "started", "duration", "id"]);
                let help = help.unwrap_or_default();
                let why = format!("expected newest, started, duration, id or metric:NAME; {help}");
                Err(why.trim_end_matches("; ").to_owned())
            }
        }
    }
}

impl Order {
    fn sort(&self, runs: &mut [RunEntry]) {
        let started = |run: &RunEntry| {
            run.started_at
                .as_deref()
                .and_then(Timestamp::parse)
        };

        let duration = |run: &RunEntry| run.duration_sec.unwrap_or(-1.0);
        match self {
            // The runs are shown in the order of the column; a run whose records do not give a
            // start, or a status, has just begun.
            Self::Newest => runs.sort_by_cached_key(|run| {
                let start = started(run).map_or((false, None), |at| (true, Some(Reverse(at))));
                (
                    run.time_unknown().is_some(),
                    start,
                    !is_only_in_progress(run),
                )
            }),
            Self::Started => runs.sort_by_cached_key(|run| Reverse(started(run))),
            Self::Duration => runs.sort_by(|a, b| duration(b).total_cmp(&duration(a))),
            Self::Id => runs.sort_by(|a, b| a.episode_id.cmp(&b.episode_id)),
            Self::Metric(name) => {
                let value = |run: &RunEntry| metric_of(run, name).unwrap_or(f64::NEG_INFINITY);
                runs.sort_by(|a, b| value(b).total_cmp(&value(a)));
            }
        }
    }
}

/// Returns a metric of the outcomes of a run.
fn metric_of(run: &RunEntry, name: &str) -> Option<f64> {
    run.metrics
        .iter()
        .find(|(known, _)| **known == *name)
        .map(|(_, value)| *value)
}

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
    fn add(&mut self, (name, run, unread): (Option<String>, Option<RunEntry>, Vec<Error>)) {
        self.opened += 1;
        self.known.extend(name);
        self.unread.extend(unread);
        self.number += usize::from(run.is_some());
        self.runs.extend(run);
    }
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
        let (runs, more) = self.shown(runs, &known, number, unopened);
        let odd = self.odd_paths(&runs);
        self.print(output, runs, [more, opened], &self.shown_filters(matches))?;
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
                let run = self.matching(run, filter, &mut unread, gate.as_mut());
                (name, run, unread)
            },
            |result| {
                progress::step(&bar, !self.filters.take_long());
                match result {
                    Ok(looked_at) => found.add(looked_at),
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
    ) -> (Vec<RunEntry>, usize) {
        let limit = self.limit();
        if self.tree {
            let shown = self.in_trees(runs, known, limit);
            let more = found - shown.len();
            return (shown, more);
        }

        runs.truncate(limit);
        let more = match found {
            found if self.looks_at_all() => found.saturating_sub(limit),
            found if found < limit => 0,
            _ => unopened,
        };

        (runs, more)
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

        let odd = runs
            .iter()
            .filter(|run| !is_line(&run.dir));
        let fault = |run: &RunEntry| {
            let dir = escape(&run.dir);
            format!(
                "{dir}: the path is left out: it is not UTF-8, or has characters that no line can have"
            )
        };

        odd.map(fault).collect()
    }

    /// Returns the filters as they were given.
    fn shown_filters(&self, matches: &ArgMatches) -> String {
        let mut filters = given::<FilterArgs>(matches);
        let ended_before = self.ended_before.as_ref();
        filters.extend(ended_before.map(|it| format!("--ended-before {}", it.text())));
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
        let mut trees = 0;
        let shown = tree::branches(runs, known)
            .into_iter()
            .take_while(|branch| {
                trees += usize::from(branch.depth == 0);
                trees <= limit
            });
        let is_for_people = self.format == OutputFormat::Human;
        shown
            .map(|branch| in_tree(branch, is_for_people))
            .collect()
    }

    /// Returns `true` if every run is opened.
    fn looks_at_all(&self) -> bool {
        self.sort != Order::Newest || self.tree
    }

    /// Prints the runs that are shown; `more` were left out, and `opened` looked at.
    fn print(
        &self,
        output: &mut Output,
        runs: Vec<RunEntry>,
        [more, opened]: [usize; 2],
        filters: &str,
    ) -> io::Result<()> {
        match self.format {
            OutputFormat::Ids => runs
                .iter()
                .try_for_each(|run| writeln!(output.stdout(), "{}", fit(&run.episode_id, LONGEST))),
            OutputFormat::Paths => runs
                .iter()
                .filter(|run| is_line(&run.dir))
                .try_for_each(|run| writeln!(output.stdout(), "{}", run.dir)),
            OutputFormat::Json => write_json_line(output.stdout(), &RunListing { runs, more }),
            _ => {
                let mut metrics = self.filters.metrics();
                if let Order::Metric(name) = &self.sort
                    && !metrics.contains(&&**name)
                {
                    metrics.push(name);
                }

                table(output, &runs, &metrics, style(self.color))?;
                match self.rest([runs.len(), more, opened], filters) {
                    Some(rest) => writeln!(output.stdout(), "{rest}"),
                    None => Ok(()),
                }
            }
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
    fn rest(&self, [shown, more, opened]: [usize; 3], filters: &str) -> Option<String> {
        match (shown, more, filters) {
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

/// Returns what a run that was judged fails the gate by.
fn failure(run: &RunEntry) -> Option<String> {
    let is_judged = run.totals.episodes > 0 && run.valid != Some(true);
    is_judged.then(|| match (run.valid, &run.first_error) {
        (None, _) | (_, None) => "undecided".into(),
        (Some(_), Some(first)) if run.totals.errors == 1 => first.clone(),
        (Some(_), Some(first)) => format!("{first} +{}", run.totals.errors - 1),
    })
}

/// The number of columns after which a text is cut, however wide lines may be.
const LONGEST: usize = 4096;

/// The status of a run that has written only its timeline so far.
const IN_PROGRESS: &str = "in progress";

fn is_only_in_progress(run: &RunEntry) -> bool {
    run.status.is_none() && run.lifecycle == Lifecycle::NonTerminal
}

/// The width of the column of durations.
const TOOK: usize = 6;

/// The columns that a table leaves for tasks where other columns can give way.
const LEAST_TASK: usize = 20;

/// Returns the widths of the columns of a table, but for the last: start, id, status, outcome, and
/// first error, which is 0 where no run was judged.
fn widths(runs: &[RunEntry], total: usize) -> [usize; 5] {
    let widest = |text: &dyn Fn(&RunEntry) -> usize, least: usize, most: usize| {
        runs.iter()
            .map(text)
            .max()
            .unwrap_or(least)
            .clamp(least, most)
    };

    let columns = |text: &str| columns_of(&escape(text));
    let length = |text: &Option<String>| text.as_deref().map_or(1, columns);
    let failures = runs
        .iter()
        .filter_map(failure)
        .map(|it| columns_of(&it));
    let most_of_id = if total < usize::MAX { 29 } else { LONGEST };
    let statuses = if runs.iter().any(is_only_in_progress) {
        IN_PROGRESS.len()
    } else {
        8
    };

    let mut starts = if total < 100 { 16 } else { 19 };
    let mut ids = widest(&|run| columns(&run.episode_id), 2, most_of_id);
    let mut outcomes = widest(&|run| length(&run.outcome), 7, 18);
    let mut errors = failures
        .max()
        .map_or(0, |widest| widest.clamp(11, 40));
    // Tasks get room: ids give way first, then the year, and beside rules also outcomes, and rules
    // last.
    let tasks = widest(&|run| length(&run.task), 4, LEAST_TASK);
    let others = starts + ids + statuses + outcomes + errors + usize::from(errors > 0);
    let mut over = (others + TOOK + 5 + tasks).saturating_sub(total);
    let mut give = |width: &mut usize, least: usize| {
        let given = over.min(width.saturating_sub(least));
        *width -= given;
        over -= given;
    };

    give(&mut ids, 9);
    let mut year = 5;
    give(&mut year, 0);
    if year < 5 {
        starts = 11;
    }

    if errors > 0 {
        give(&mut outcomes, 8);
        give(&mut errors, 11);
    }

    [starts, ids, statuses, outcomes, errors]
}

/// Returns the line of a table with these cells.
fn line([starts, ids, statuses, outcomes, _]: [usize; 5], cells: [&str; 6]) -> StyledLine {
    let [started, id, status, outcome, duration, task] = cells.map(|cell| fit(cell, LONGEST));
    let started = match started.get(5..) {
        Some(day) if starts == 11 && started.len() > starts => fit(day, starts),
        _ => fit(&started, starts),
    };

    let id = tail(&id, ids);
    let (status, outcome) = (fit(&status, statuses), fit(&outcome, outcomes));
    StyledLine::default()
        .text(&format!("{started:starts$} {} ", padded(&id, ids)))
        .word(&padded(&status, statuses))
        .text(" ")
        .word(&padded(&outcome, outcomes))
        .text(&format!(" {duration:>6} {task}"))
}

/// Returns the end of a text that is wider than a number of columns: where runs are named, that of
/// an id tells it from others.
fn tail(text: &str, columns: usize) -> Cow<'_, str> {
    if columns_of(text) <= columns {
        return Cow::Borrowed(text);
    }

    let end = text
        .char_indices()
        .filter_map(|(at, _)| text.get(at..))
        .find(|end| columns_of(end) < columns)
        .unwrap_or_default();

    Cow::Owned(format!("…{end}"))
}

/// The width of the column of a metric, at least.
const METRIC: usize = 8;

/// Returns the title of the column of a metric, with a space after it.
fn column(name: &str) -> String {
    format!("{:>METRIC$} ", escape(name))
}

/// Returns the cell of a metric, with a space after it.
fn metric(run: &RunEntry, name: &str) -> String {
    let shown = metric_of(run, name).map_or_else(|| "-".to_owned(), |value| value.to_string());
    format!("{shown:>width$} ", width = columns_of(&column(name)) - 1)
}

/// Prints the places of a run that have what was asked for, each as an editor opens it.
fn print_hits(output: &mut Output, run: &RunEntry) -> io::Result<()> {
    for Hit { file, line, text } in &run.hits {
        let (dir, text) = (escape(&run.dir), escape(text));
        writeln!(output.stdout(), "  {dir}/{file}:{line}: {text}")?;
    }
    if run.more_hits {
        writeln!(output.stdout(), "  … and more places")?;
    }
    Ok(())
}

/// Prints a table of runs, with columns for the metrics that are asked for.
fn table(output: &mut Output, runs: &[RunEntry], metrics: &[&str], style: Style) -> io::Result<()> {
    let total = width();
    let widths = widths(runs, total);
    let [starts, .., errors] = widths;
    let row = |output: &mut Output, cells: [&str; 6]| {
        let line = line(widths, cells).draw(total, style == Style::Colour);
        writeln!(output.stdout(), "{line}")
    };

    if !runs.is_empty() {
        let names: String = metrics
            .iter()
            .map(|name| column(name))
            .collect();
        let last = match errors {
            0 => format!("{names}TASK"),
            _ => format!("{names}{:errors$} TASK", "FIRST ERROR"),
        };

        row(
            output,
            ["STARTED", "ID", "STATUS", "OUTCOME", "TOOK", &last],
        )?;
    }

    for run in runs {
        let started = run.started_at.as_deref();
        let started = started.map_or_else(
            || run.time_unknown().unwrap_or("-").into(),
            |started| instant(started, starts.max(16)),
        );
        let status = match &run.status {
            _ if run.paused.is_some() => "paused",
            None if is_only_in_progress(run) => IN_PROGRESS,
            status => status.as_deref().unwrap_or("-"),
        };

        let duration = run
            .duration_sec
            .map_or_else(|| "-".into(), seconds);
        let mut last = run
            .task
            .as_deref()
            .unwrap_or("-")
            .to_owned();
        if let Some(failure) = failure(run) {
            last = format!("{} {last}", padded(&failure, errors));
        }

        let values = metrics
            .iter()
            .map(|name| metric(run, name));
        last.insert_str(0, &values.collect::<String>());
        if let Some(waiting) = waiting(run) {
            last = format!("{last} ({waiting})");
        }

        let outcome = run.outcome.as_deref().unwrap_or("-");
        row(
            output,
            [&started, &run.episode_id, status, outcome, &duration, &last],
        )?;
        print_hits(output, run)?;
    }

    Ok(())
}
