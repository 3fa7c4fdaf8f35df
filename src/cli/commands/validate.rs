//! `runvet validate`: checks run data and prints what it found.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgMatches, Args};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::changed::{self, Changed};
use super::output::{Color, Output, style, width};
use super::settings::{Baselines, GateSettings, Settings, SettingsArgs};
use super::sinks::{Rendering, Sinks, parse_output, unwritable, whole_file};
use super::{Exit, Failure};
use crate::EpisodeDir;
use crate::check::Check;
use crate::finding::{STILL_CHANGING, Statistics, Totals};
use crate::gate::Baseline;
use crate::report::{Closing, Format, GroupBy, HumanOptions, count};
use crate::store::{WholeFile, is_gone};

/// How long a check goes on before a progress bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs that are gone since a revision which are named; the rest is counted.
const MAX_LOST: usize = 10;

/// Bytes of a list of paths that are read at most.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// Check run data and say what in it can't be trusted
///
/// Finds the episodes below the given paths and checks each record against its schema, the records
/// against each other, and all against the timeline. Ends with the totals.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(after_long_help = "\
Exit codes:
  0  nothing of severity error was found (with --deny-warnings: nothing at all)
  1  there are findings
  2  runvet could not do its whole job: a bad argument, a path that does not exist, a
     directory that can't be listed, an episode that kept changing, output that can't be
     written
  3  no episode was found (0 with --allow-empty)

Examples:
  runvet validate runs/                      all episodes below runs/
  runvet validate runs/episodes/ep_1         one episode
  runvet validate --format json . | jq .totals
  find runs -name state.json -mmin -60 -print0 | runvet validate --files-from - -0")]
pub(in crate::cli) struct Validate {
    /// Run-data directories, episode directories, or artifact files, which stand for their episodes
    /// [default: .]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    settings: SettingsArgs,

    /// Write all findings to a file, as known ones: with it as `--baseline`, they pass
    ///
    /// Check all run data when you write it: it holds what this check finds, and nothing else. A
    /// baseline is not read then.
    #[arg(long, value_name = "FILE", conflicts_with = "changed_since")]
    write_baseline: Option<PathBuf>,

    /// Write the report to a file too, in any format; repeatable
    ///
    /// The file is written whole, when the check is done and has done its job (exit code 0 or 1).
    /// Otherwise what was there stays as it was.
    #[arg(long = "output", value_name = "FORMAT=PATH", value_parser = OsStringValueParser::new().try_map(parse_output))]
    outputs: Vec<(Format, PathBuf)>,

    /// Count by rule, by mode of the runtime and by adapter too
    ///
    /// In the formats human, markdown, json and ndjson.
    #[arg(long)]
    statistics: bool,

    /// In the human format, what findings stand under
    #[arg(long, value_name = "WHAT", default_value = "episode")]
    group_by: GroupBy,

    /// Read more paths from a file, one on each line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    /// The paths in that file are separated by NUL bytes
    #[arg(short = '0', long = "null", requires = "files_from")]
    null: bool,

    /// Of the episodes, check only those in which an artifact is not as it was at a git revision
    ///
    /// Runs git in the working directory, whose repository must hold the paths. What is committed,
    /// staged, changed, new, ignored or deleted since counts.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,

    /// Succeed when there is no episode
    #[arg(long)]
    allow_empty: bool,

    /// Read artifacts that are symbolic links to files within their episode's directory
    ///
    /// By default they are reported. Links that lead out of the directory always are, for whoever
    /// writes run data could have any file read.
    #[arg(long)]
    follow_links: bool,

    /// Print findings, what could not be judged, and nothing else
    #[arg(short, long)]
    quiet: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

impl Validate {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let reading = if self.write_baseline.is_some() {
            Baselines::Unread
        } else {
            Baselines::Read
        };
        let Settings {
            format,
            deny_warnings,
            max_findings,
            jobs,
            gate,
        } = self.settings.resolve(matches, reading, output)?;
        let GateSettings {
            baseline, mut gate, ..
        } = gate;
        let (format, deny_warnings) = (format.value, deny_warnings.value);
        let mut check = gate.check(Check::new().follow_links(self.follow_links));
        if let Some(jobs) = jobs.value {
            check = check.jobs(jobs);
        }
        let rendering = Rendering {
            human: self.human(max_findings.value),
            deny_warnings,
        };
        let baselines: Vec<&PathBuf> = self.write_baseline.iter().chain(&baseline.value).collect();
        let mut sinks = Sinks::open(format, &self.outputs, &baselines, rendering)?;
        let mut baseline_file = None;
        if let Some(path) = &self.write_baseline {
            gate = gate.learning(path.parent().unwrap_or(Path::new("")));
            baseline_file = Some((path, whole_file(path)?));
        }
        let paths = self.paths().map_err(|error| {
            let list = self.files_from.clone().unwrap_or_default();
            Failure::Fault(format!(
                "can't read the list of paths {}: {error}",
                list.display()
            ))
        })?;
        let mut discovery = check.discover(&paths);
        let found = discovery.episodes.len();
        discovery
            .episodes
            .retain(|episode| !gate.excludes(&episode.path));
        let excluded = found - discovery.episodes.len();
        let mut faulty = !discovery.faults.is_empty();
        for fault in &discovery.faults {
            output.fault(fault);
        }

        let is_empty = discovery.episodes.is_empty();
        if let Some(revision) = &self.changed_since {
            discovery.episodes = self.changed(revision, discovery.episodes, &paths, output)?;
        }

        let mut progress = Progress::new(self.quiet, discovery.episodes.len());
        let mut totals = Totals::default();
        let mut statistics = self.statistics.then(Statistics::default);
        // On a terminal, and by the reader of a line for each episode, what was found is seen as
        // soon as it is.
        let is_watched = io::stdout().is_terminal() || format == Format::Ndjson;
        let mut written = sinks.begin(output);
        if written.is_ok() {
            check.each(&discovery.episodes, |checked| {
                progress.step();
                match checked {
                    Ok(mut episode) => {
                        gate.judge(&mut episode);
                        totals.add(&episode);
                        if episode.kept_changing() {
                            faulty = true;
                            let message =
                                format!("{}: {STILL_CHANGING}; check it again", episode.dir);
                            progress.beside(|| output.fault(&message));
                        }
                        if let Some(statistics) = &mut statistics {
                            statistics.add(&episode);
                        }
                        written = progress.beside(|| {
                            sinks.episode(output, &episode)?;
                            if is_watched {
                                Ok(output.finish()?)
                            } else {
                                Ok(())
                            }
                        });
                    }
                    Err(fault) => {
                        faulty = true;
                        progress.beside(|| output.fault(&fault));
                    }
                }
                if written.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        }
        progress.finish();
        written?;
        let closing = Closing {
            totals: &totals,
            statistics: statistics.as_ref(),
            is_whole: !faulty,
        };
        sinks.end(output, &closing)?;
        output.finish()?;
        if !self.quiet && !faulty {
            if excluded > 0 && !is_empty {
                output.note(&format!(
                    "{} left out, as the configuration says",
                    count(excluded as u64, "episode")
                ));
            }
            gate.leftovers(is_gone)
                .iter()
                .for_each(|leftover| output.note(leftover));
        }

        let is_clean = totals.errors == 0 && !(deny_warnings && totals.warnings > 0);
        let exit = if faulty {
            Exit::Fault
        } else if is_empty && !self.allow_empty {
            output.fault(&match excluded {
                0 => "no episode found; an episode is a directory that holds state.json or events.jsonl, \
                      or summary.json below a directory called episodes"
                    .to_owned(),
                excluded => format!("no episode is left to check; excluded: {excluded}"),
            });
            Exit::NothingFound
        } else if is_clean {
            Exit::Success
        } else {
            Exit::Findings
        };
        if matches!(exit, Exit::Success | Exit::Findings) {
            if let (Some((path, file)), Some(baseline)) = (baseline_file, gate.baseline()) {
                self.keep_baseline(path, file, baseline, output)?;
            }
            sinks.keep()?;
        }
        Ok(exit)
    }

    /// The episodes that changed; tells of what is not among them and may be missed.
    fn changed(
        &self,
        revision: &str,
        episodes: Vec<EpisodeDir>,
        paths: &[PathBuf],
        output: &Output,
    ) -> Result<Vec<EpisodeDir>, Failure> {
        let found = episodes.len() as u64;
        let Changed { episodes, lost } =
            changed::since(revision, episodes, paths).map_err(Failure::Fault)?;
        if !self.quiet {
            if episodes.is_empty() && found > 0 {
                output.note(&format!(
                    "nothing has changed since {revision} in {}",
                    count(found, "episode")
                ));
            }
            for dir in lost.iter().take(MAX_LOST) {
                output.note(&format!(
                    "the run that {revision} has in {} is gone",
                    dir.display()
                ));
            }
            if let more @ 1.. = lost.len().saturating_sub(MAX_LOST) {
                output.note(&format!(
                    "so {} more",
                    if more == 1 {
                        "is 1".into()
                    } else {
                        format!("are {more}")
                    }
                ));
            }
        }
        Ok(episodes)
    }

    /// Puts the baseline in its place, and tells what it knows.
    fn keep_baseline(
        &self,
        path: &Path,
        mut file: WholeFile,
        baseline: &Baseline,
        output: &Output,
    ) -> Result<(), Failure> {
        let written = baseline.write(&mut file).and_then(|()| file.keep());
        written.map_err(|error| unwritable(path, &error))?;
        if !self.quiet {
            let (findings, episodes) = baseline.size();
            let (findings, episodes) = (
                count(findings as u64, "finding"),
                count(episodes as u64, "episode"),
            );
            output.note(&format!(
                "{} knows {findings} in {episodes}",
                path.display()
            ));
        }
        Ok(())
    }

    fn human(&self, max_findings: usize) -> HumanOptions {
        HumanOptions {
            style: style(self.color),
            width: width(),
            max_findings,
            quiet: self.quiet,
            group_by: self.group_by,
        }
    }

    fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let mut paths = self.paths.clone();
        if let Some(list) = &self.files_from {
            let mut bytes = Vec::new();
            let mut reader: Box<dyn Read> = if list.as_os_str() == "-" {
                Box::new(io::stdin().lock())
            } else {
                Box::new(File::open(list)?)
            };
            reader
                .by_ref()
                .take(MAX_LIST_BYTES + 1)
                .read_to_end(&mut bytes)?;
            if bytes.len() as u64 > MAX_LIST_BYTES {
                return Err(io::Error::other(format!(
                    "it is longer than {} MiB",
                    MAX_LIST_BYTES >> 20
                )));
            }
            let separator = if self.null { 0 } else { b'\n' };
            let listed = bytes
                .split(|byte| *byte == separator)
                .filter(|path| !path.is_empty());
            paths.extend(listed.map(|path| PathBuf::from(OsString::from_vec(path.to_vec()))));
        } else if paths.is_empty() {
            paths.push(PathBuf::from("."));
        }
        Ok(paths)
    }
}

/// A bar on standard error, shown when that is a terminal and the work takes long.
struct Progress {
    bar: ProgressBar,
    done: u64,
    /// When the bar is to appear, if it has not.
    appears: Option<Instant>,
}

impl Progress {
    fn new(quiet: bool, episodes: usize) -> Self {
        let bar =
            ProgressBar::with_draw_target(Some(episodes as u64), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} episodes, {eta} left")
        {
            bar.set_style(style);
        }
        let is_wanted = !quiet && io::stderr().is_terminal();
        Self {
            bar,
            done: 0,
            appears: is_wanted.then(|| Instant::now() + PATIENCE),
        }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.appears.is_some_and(|time| time <= Instant::now()) {
            self.appears = None;
            self.bar
                .set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        if !self.bar.is_hidden() {
            self.bar.set_position(self.done);
        }
    }

    /// Prints something while the bar is out of the way.
    fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        if self.bar.is_hidden() {
            print()
        } else {
            self.bar.suspend(print)
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
