//! `runvet watch`: runs as they are written -> one line per verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write as _};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args, ValueEnum};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::output::Output;
use super::settings::{Baselines, GateArgs, parse_whole};
use super::validate::kept_changing;
use super::{Exit, Failure};
use crate::check::Check;
use crate::finding::{EpisodeReport, Lifecycle, Severity};
use crate::printable::escape;
use crate::report::{self, Options, stage};
use crate::watch;

/// The number of runs in progress whose last verdict is remembered, to avoid printing it twice in a
/// row.
const MAX_IN_PROGRESS: usize = 10_000;

/// Keep checking runs as they are written, and print a line for each verdict
///
/// Judges every run below the directory. When a run changes, judges it again as soon as it has been
/// unchanged for half a second, or after five seconds of steady change. The verdict on a run in
/// progress is printed again only when it changes or the run ends. The same findings count as for
/// `runvet validate`: `runvet.toml` and the baseline are read once, at the start.
#[derive(Args)]
#[command(after_long_help = "\
On Ctrl-C (or SIGTERM), it judges what was written so far and ends.

Exit codes:
  0  stopped by Ctrl-C or SIGTERM, whether or not runs were invalid
  2  runvet could not do its whole job: a directory that vanished or can't be watched or read,
     a run that kept changing until the end, output that can't be written

Examples:
  runvet watch runs/
  runvet watch --format ndjson runs/ | jq -r 'select(.valid | not) | .dir'")]
pub(in crate::cli) struct Watch {
    /// A run-data directory, or any directory above or below one
    #[arg(default_value = ".")]
    dir: PathBuf,

    /// How to print a verdict
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    gate: GateArgs,

    /// Scan all files at this interval; needed on file systems that do not report changes, such as
    /// network file systems
    #[arg(long, value_name = "SECONDS", value_parser = parse_whole::<NonZeroU64>, allow_negative_numbers = true)]
    poll: Option<NonZeroU64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line: the run, whether it is valid, and the rules with findings
    Human,
    /// The line that `runvet validate --format ndjson` prints for an episode
    Ndjson,
}

impl Watch {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let mut gate = self.gate.resolve(matches, Baselines::Read)?.gate;
        let watch = match self.poll {
            None => watch::Watch::new(self.dir)?,
            Some(seconds) => watch::Watch::polling(self.dir, Duration::from_secs(seconds.get()))?,
        };
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let stop = watch.stop();
        std::thread::Builder::new()
            .spawn(move || signals.forever().for_each(|_| stop.stop()))
            .map_err(|error| Failure::Fault(format!("can't wait for signals: {error}")))?;

        let mut verdicts = Verdicts {
            format: self.format,
            of_runs_in_progress: BTreeMap::new(),
        };
        let mut exit = Exit::Success;
        let mut printed = Ok(());
        watch.run(&Check::new(), &mut gate, |judged| {
            match judged {
                Ok(episode) if episode.kept_changing() => {
                    exit = Exit::Fault;
                    output.fault(&kept_changing(&episode));
                }
                Ok(episode) => printed = verdicts.print(output, &episode),
                Err(fault) => {
                    exit = Exit::Fault;
                    output.fault(&fault);
                }
            }
            if printed.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        printed?;
        Ok(exit)
    }
}

/// Prints new verdicts.
struct Verdicts {
    format: Format,
    /// The hash of the last line printed for each run in progress.
    of_runs_in_progress: BTreeMap<String, u64>,
}

impl Verdicts {
    fn print(&mut self, output: &mut Output, episode: &EpisodeReport) -> io::Result<()> {
        let mut line = Vec::new();
        match self.format {
            Format::Human => writeln!(line, "{}", verdict(episode))?,
            Format::Ndjson => report::Format::Ndjson
                .renderer(&Options::default())
                .episode(&mut line, episode)?,
        }
        if self.is_new(episode, &line) {
            output.stdout().write_all(&line)?;
            output.finish()?;
        }
        Ok(())
    }

    fn is_new(&mut self, episode: &EpisodeReport, line: &[u8]) -> bool {
        if episode.lifecycle == Lifecycle::Terminal {
            self.of_runs_in_progress.remove(&episode.dir);
            return true;
        }
        if self.of_runs_in_progress.len() >= MAX_IN_PROGRESS {
            self.of_runs_in_progress.clear();
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(line);
        let hash = hasher.finish();
        self.of_runs_in_progress.insert(episode.dir.clone(), hash) != Some(hash)
    }
}

/// One line: the run, whether it has ended, and what is wrong.
fn verdict(episode: &EpisodeReport) -> String {
    let rules: BTreeSet<(Severity, &str)> = episode
        .findings
        .iter()
        .map(|finding| (finding.severity, &*finding.rule))
        .collect();
    let rules = rules
        .iter()
        .map(|(severity, rule)| format!("{severity} {rule}"));
    let valid = (episode.valid == Some(true)).then(|| "valid".to_owned());
    let found: Vec<String> = valid.into_iter().chain(rules).collect();
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
        stage(episode.lifecycle),
        found.join(", ")
    )
}
