//! `runvet validate`: checks run data and prints what it found.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::changed;
use super::output::{Color, Output, style, width};
use super::{Exit, Failure};
use crate::check::{Check, Level};
use crate::finding::Totals;
use crate::report::{self, HumanOptions, Renderer};

/// How long a check goes on before a progress bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes of a list of paths that are read at most.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// Check run data and say what in it can't be trusted
///
/// Finds the episodes below the given paths and checks each record against its schema, the records against each other, and
/// all against the timeline. Ends with one line of totals.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(after_long_help = "\
Exit codes:
  0  nothing of severity error was found (with --deny-warnings: nothing at all)
  1  there are findings
  2  runvet could not do its whole job: a bad argument, a path that does not exist, a
     directory that can't be listed, output that can't be written
  3  no episode was found (0 with --allow-empty)

Examples:
  runvet validate runs/                      all episodes below runs/
  runvet validate runs/episodes/ep_1         one episode
  runvet validate --format json . | jq .totals
  find runs -name state.json -mmin -60 -print0 | runvet validate --files-from - -0")]
pub(super) struct Validate {
    /// Run-data directories, episode directories, or artifact files, which stand for their episodes [default: .]
    paths: Vec<PathBuf>,

    /// How to print what was found
    ///
    /// `human` is drawn for people; `json` is one document and `ndjson` a line for each episode as it is done, both as
    /// `runvet schema report` describes them.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Let warnings fail the gate too
    #[arg(long)]
    deny_warnings: bool,

    /// Set the severity of a rule, or of a group such as `plan/*`, to error, warning or off; repeatable
    ///
    /// Later settings override earlier ones. `runvet rules` lists the rules.
    #[arg(long = "rule", value_name = "NAME=LEVEL", value_parser = parse_level)]
    rules: Vec<(String, Level)>,

    /// Read more paths from a file, one on each line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    /// The paths in that file are separated by NUL bytes
    #[arg(short = '0', long = "null", requires = "files_from")]
    null: bool,

    /// Of the episodes, check only those in which an artifact is not as it was at a git revision
    ///
    /// Runs git in the working directory, whose repository must hold the paths. What is committed, staged, changed, new,
    /// ignored or deleted since counts.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,

    /// Succeed when there is no episode
    #[arg(long)]
    allow_empty: bool,

    /// Read artifacts that are symbolic links
    ///
    /// By default they are reported, for whoever writes run data could have any file read.
    #[arg(long)]
    follow_links: bool,

    /// Check so many episodes at a time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// In the human format, show so many findings of each rule at most; 0 shows all
    ///
    /// What is cut is counted and said. The other formats are always complete.
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_findings: usize,

    /// Print findings, what could not be judged, and nothing else
    #[arg(short, long)]
    quiet: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Drawn for people, grouped by episode
    Human,
    /// One JSON document
    Json,
    /// One line of JSON for each episode, and one for the totals
    Ndjson,
}

pub(super) fn parse_level(setting: &str) -> Result<(String, Level), String> {
    let (name, level) = setting.split_once('=').ok_or("expected NAME=error, NAME=warning or NAME=off")?;
    let level = match level {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "off" => Level::Off,
        other => return Err(format!("`{other}` is no level; use error, warning or off")),
    };
    // Unknown names are refused here, where the command line is read.
    Check::new().level(name, level).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), level))
}

impl Validate {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let check = self.check()?;
        let mut renderer = self.renderer();
        let paths = self.paths().map_err(|error| {
            let list = self.files_from.clone().unwrap_or_default();
            Failure::Fault(format!("can't read the list of paths {}: {error}", list.display()))
        })?;
        let mut discovery = check.discover(&paths);
        let mut faulty = !discovery.faults.is_empty();
        for fault in &discovery.faults {
            output.fault(fault);
        }

        let is_empty = discovery.episodes.is_empty();
        if let Some(revision) = &self.changed_since {
            discovery.episodes = changed::since(revision, discovery.episodes).map_err(Failure::Fault)?;
        }

        let mut progress = Progress::new(self.quiet, discovery.episodes.len());
        let mut totals = Totals::default();
        // On a terminal, and by the reader of a line for each episode, what was found is seen as soon as it is.
        let is_watched = io::stdout().is_terminal() || self.format == Format::Ndjson;
        let mut written = renderer.begin(output.stdout());
        if written.is_ok() {
            check.each(&discovery.episodes, |checked| {
                progress.step();
                match checked {
                    Ok(episode) => {
                        totals.add(&episode);
                        written = progress.beside(|| {
                            renderer.episode(output.stdout(), &episode)?;
                            if is_watched { output.finish() } else { Ok(()) }
                        });
                    }
                    Err(fault) => {
                        faulty = true;
                        progress.beside(|| output.fault(&fault));
                    }
                }
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        progress.finish();
        written?;
        renderer.end(output.stdout(), &totals)?;
        output.finish()?;

        let is_clean = totals.errors == 0 && !(self.deny_warnings && totals.warnings > 0);
        Ok(if faulty {
            Exit::Fault
        } else if is_empty && !self.allow_empty {
            output.fault(
                &"no episode found; an episode is a directory that holds state.json or events.jsonl, \
                  or summary.json below a directory called episodes",
            );
            Exit::NothingFound
        } else if is_clean {
            Exit::Success
        } else {
            Exit::Findings
        })
    }

    fn check(&self) -> Result<Check, crate::check::Error> {
        let mut check = Check::new().follow_links(self.follow_links);
        if let Some(jobs) = self.jobs {
            check = check.jobs(jobs);
        }
        self.rules.iter().try_fold(check, |check, (name, level)| check.level(name, *level))
    }

    fn renderer(&self) -> Box<dyn Renderer> {
        match self.format {
            Format::Json => report::json(),
            Format::Ndjson => report::ndjson(),
            Format::Human => report::human(HumanOptions {
                style: style(self.color),
                width: width(),
                max_findings: self.max_findings,
                quiet: self.quiet,
            }),
        }
    }

    fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let mut paths = self.paths.clone();
        if let Some(list) = &self.files_from {
            let mut bytes = Vec::new();
            let mut reader: Box<dyn Read> =
                if list.as_os_str() == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(list)?) };
            reader.by_ref().take(MAX_LIST_BYTES + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > MAX_LIST_BYTES {
                return Err(io::Error::other(format!("it is longer than {} MiB", MAX_LIST_BYTES >> 20)));
            }
            let separator = if self.null { 0 } else { b'\n' };
            let listed = bytes.split(|byte| *byte == separator).filter(|path| !path.is_empty());
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
        let bar = ProgressBar::with_draw_target(Some(episodes as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} episodes, {eta} left") {
            bar.set_style(style);
        }
        let is_wanted = !quiet && io::stderr().is_terminal();
        Self { bar, done: 0, appears: is_wanted.then(|| Instant::now() + PATIENCE) }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.appears.is_some_and(|time| time <= Instant::now()) {
            self.appears = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        if !self.bar.is_hidden() {
            self.bar.set_position(self.done);
        }
    }

    /// Prints something while the bar is out of the way.
    fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        if self.bar.is_hidden() { print() } else { self.bar.suspend(print) }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
