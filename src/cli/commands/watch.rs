//! `runvet watch`: runs as they are written -> one line per verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::output::Output;
use super::period::Period;
use super::settings::{GateArgs, Settings};
use super::usage::note_idle;
use super::validate::notes::passed_over;
use super::watching::{WatchArgs, start_watch, stop_by_signals};
use super::words::{OutputFormat, format_of};
use super::{Exit, Result};
use crate::ground::finding::{EpisodeReport, Severity, Verdict};
use crate::ground::parallel::while_ok;
use crate::ground::printable::escape;
use crate::ground::timestamp::Timestamp;
use crate::look::watch::News;
use crate::report::{count, write_json_line};
use crate::store;

/// Keep checking runs as they are written, and print a line for each verdict
///
/// Judges every run below the directory. When a run changes, judges it again as soon as it has been
/// unchanged for half a second, or after five seconds of steady change. A verdict is printed again
/// only when it changes; a line says when a run is gone. The same findings count as for
/// `runvet validate`: `runvet.toml` and the baseline are read once, at the start.
#[derive(Args)]
#[command(after_long_help = "\
On Ctrl-C (or SIGTERM), it judges what was written so far and ends.

Exit codes:
  0  stopped by Ctrl-C or SIGTERM, whether or not runs were invalid
  2  runvet could not finish its work: a directory that vanished or can't be
     watched or read, a run that kept changing until the end, output that can't
     be written

Examples:
  runvet watch runs/
  runvet watch --format ndjson runs/ | jq -r 'select(.valid | not) | .dir'")]
pub(in crate::cli) struct WatchCommand {
    /// A run-data directory, or any directory above or below one
    #[arg(default_value = ".")]
    dir: PathBuf,

    /// The run-data directory, in place of a path
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    run_data: Option<PathBuf>,

    /// How to print a verdict
    ///
    /// `human`: the time in UTC, the run, whether it is valid, and the rules with findings on one
    /// line; the first findings below it. `ndjson`: the line that `runvet validate --format ndjson`
    /// prints for an episode, with the time in `time`.
    #[arg(long, default_value = "human", value_parser = format_of(FORMATS))]
    format: OutputFormat,

    /// Print only invalid runs, and when one becomes valid or is gone
    #[arg(long)]
    only_invalid: bool,

    #[command(flatten)]
    period: Period,

    #[command(flatten)]
    watched: WatchArgs,

    #[command(flatten)]
    gate: GateArgs,
}

/// The formats of a verdict.
const FORMATS: &[OutputFormat] = &[OutputFormat::Human, OutputFormat::Ndjson];

impl WatchCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let Settings { file, mut gate, .. } = self.gate.resolve(matches)?;
        let (dir, id) = match self.run_data {
            Some(dir) => (dir, "run_data"),
            None => (self.dir, "dir"),
        };

        file.note_others([&*dir], output);
        self.period.note(output);
        let poll = self.watched.interval(&dir, output);

        if !self.period.is_all() {
            // A card says when the run started.
            gate = gate.keep_cards(true);
        }

        let shown = dir.display();
        let watching = match poll {
            None => format!("watching the runs below {shown}"),
            Some(seconds) => format!("watching the runs below {shown}, every {seconds} s"),
        };

        let watch = start_watch(dir, id, matches, poll)?;
        let stop = watch.stop();
        stop_by_signals(move || stop())?;
        output.note(&watching);
        note_idle(&gate, output);

        let mut verdicts = VerdictPrinter {
            format: self.format,
            only_invalid: self.only_invalid,
            is_of_period: !self.period.is_all(),
            of_runs: BTreeMap::new(),
        };

        let mut exit = Exit::Success;
        let mut printed = Ok(());
        watch.run(&mut gate, |news| {
            match news {
                News::Judged(episode)
                    if !self
                        .period
                        .may_have(&[started(&episode)]) => {}
                News::Judged(episode) => {
                    if let Some(fault) = episode.fault() {
                        exit = Exit::Fault;
                        output.fault(&fault);
                    }
                    printed = verdicts.print(output, &episode);
                }
                News::Fault(fault) => {
                    exit = Exit::Fault;
                    output.fault(&fault);
                }
                News::FaultGone(_) | News::Found(_) => {}
                News::Gone(dir) => printed = verdicts.forget(output, &store::display(&dir)),
                News::PassedOver(foreign) => output.note(&passed_over(foreign)),
                News::AllSeen => output.note(&format!("first check: {}", verdicts.summary())),
            }
            while_ok(&printed)
        })?;
        printed?;
        output.note(&format!("at the end: {}", verdicts.summary()));

        Ok(exit)
    }
}

/// Prints new verdicts.
struct VerdictPrinter {
    format: OutputFormat,
    only_invalid: bool,
    /// `true` if only runs of a period have a verdict.
    is_of_period: bool,
    of_runs: BTreeMap<String, LastVerdict>,
}

/// The last verdict on a run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LastVerdict {
    verdict: Verdict,
    line_hash: u64,
}

impl LastVerdict {
    fn is_valid(self) -> bool {
        self.verdict == Verdict::Valid
    }
}

impl VerdictPrinter {
    fn print(&mut self, output: &mut Output, episode: &EpisodeReport) -> io::Result<()> {
        let mut line = Vec::new();
        match self.format {
            OutputFormat::Ndjson => write_json_line(&mut line, episode)?,
            _ => writeln!(line, "{}", verdict(episode))?,
        }

        if !self.is_news(episode, &line) {
            return Ok(());
        }
        if self.format == OutputFormat::Human {
            findings(&mut line, episode)?;
        }

        self.write(output, &line)
    }

    /// Returns `true` if a verdict is to be printed: it differs from the last one on its run, and
    /// one of both is not valid if only those are wanted.
    fn is_news(&mut self, episode: &EpisodeReport, line: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        hasher.write(line);
        let new = LastVerdict {
            verdict: episode.verdict,
            line_hash: hasher.finish(),
        };
        let last = self
            .of_runs
            .insert(episode.dir.clone(), new);
        let was_valid = last.is_none_or(LastVerdict::is_valid);
        let is_wanted = !(self.only_invalid && new.is_valid() && was_valid);
        is_wanted && last.is_none_or(|last| last.line_hash != new.line_hash)
    }

    /// Says that a run is gone.
    fn forget(&mut self, output: &mut Output, dir: &str) -> io::Result<()> {
        let last = self.of_runs.remove(dir);
        let is_silent = self.only_invalid && last.is_none_or(LastVerdict::is_valid);
        if is_silent || (self.is_of_period && last.is_none()) {
            return Ok(());
        }

        match self.format {
            // Each line of the output is a report.
            OutputFormat::Ndjson => {
                output.note(&format!("{dir}: gone"));
                Ok(())
            }
            _ => self.write(output, format!("{}: gone\n", escape(dir)).as_bytes()),
        }
    }

    fn write(&self, output: &mut Output, line: &[u8]) -> io::Result<()> {
        let now = jiff::Timestamp::now();
        let rest = if self.format == OutputFormat::Ndjson {
            write!(output.stdout(), "{{\"time\":\"{now:.0}\",")?;
            line.strip_prefix(b"{").unwrap_or(line)
        } else {
            write!(output.stdout(), "{now:.0} ")?;
            line
        };

        output.stdout().write_all(rest)?;
        output.finish()
    }

    fn summary(&self) -> String {
        let mut summary = count(self.of_runs.len() as u64, "run");
        for verdict in [Verdict::Invalid, Verdict::BreaksRule, Verdict::Undecided] {
            let with = self
                .of_runs
                .values()
                .filter(|last| last.verdict == verdict);
            let phrase = |number: u64| format!(", {number} {}", verdict.phrase(number));
            summary += &match (with.count() as u64, verdict) {
                (0, Verdict::Invalid) => ", none invalid".to_owned(),
                (0, _) => String::new(),
                (number, _) => phrase(number),
            };
        }

        summary
    }
}

/// The number of findings that are printed below a verdict.
const MAX_FINDINGS: usize = 5;

/// Writes the first findings, those of the greatest weight.
fn findings(out: &mut Vec<u8>, episode: &EpisodeReport) -> io::Result<()> {
    let findings = episode.by_weight();
    for finding in findings.iter().take(MAX_FINDINGS) {
        writeln!(out, "  {finding}")?;
    }

    match findings
        .len()
        .saturating_sub(MAX_FINDINGS)
    {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

/// Returns when a run started, as far as its records say.
fn started(episode: &EpisodeReport) -> Option<Timestamp> {
    Timestamp::parse(
        episode
            .entry
            .as_ref()?
            .started_at
            .as_deref()?,
    )
}

/// Returns one line: the run, whether it has ended, and what is wrong.
fn verdict(episode: &EpisodeReport) -> String {
    let rules: BTreeSet<(Severity, &str)> = episode
        .findings
        .iter()
        .map(|finding| (finding.severity, &*finding.rule))
        .collect();
    let rules = rules
        .iter()
        .map(|(severity, rule)| format!("{severity} {rule}"));
    let without_errors = match episode.verdict {
        verdict @ (Verdict::Valid | Verdict::Undecided) => Some(verdict.to_string()),
        Verdict::Invalid | Verdict::BreaksRule => None,
    };

    let found: Vec<String> = without_errors
        .into_iter()
        .chain(rules)
        .collect();
    let known = match episode.suppressed.len() {
        0 => String::new(),
        suppressed => format!("; suppressed: {suppressed}"),
    };

    let in_part = if episode.skipped.is_empty() {
        ""
    } else {
        "; not fully judged"
    };

    format!(
        "{} ({}): {}{known}{in_part}",
        escape(&episode.dir),
        episode.lifecycle.stage(),
        found.join(", ")
    )
}
