//! `runvet record`: commands on standard input, or one command to execute -> a recorded run.

mod exec;
mod lines;
mod session;
mod stop;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use serde_json::Number;

pub(super) use exec::shown;
pub(super) use stop::signals;

use super::output::Output;
use super::period::PeriodEnd;
use super::recover::RecordedRun;
use super::run_data::{RunDataArgs, known_runs};
use super::words::word_among;
use super::{CommandFailure, Result};
use crate::cli::settings::ConfigArgs;
use crate::ground::finding::{Finding, PARENT};
use crate::ground::printable::quote;
use crate::ground::source::EPISODES;
use crate::recorder::protocol::number;
use crate::recorder::{Assertion, Durability, Error, MAX_OUTPUT, Recorder, Task};
use crate::redact::{Redaction, Redactor};
use crate::store::OpenDir;

/// Record a run: read one JSON command per line from standard input, and print one answer per line
///
/// Every command is on the disk before its answer is printed. `runvet schema record-command` prints
/// the schema of the commands, `runvet schema record-answer` that of the answers. With --exec, the
/// run is one command line that is executed.
#[derive(Args)]
#[command(after_long_help = "\
The first line of output names the run:
{\"ok\":true,\"id\":\"ep_…\",\"path\":\"…\",\"pending\":[]}. A line that is wrong is
answered with {\"ok\":false,\"error\":…}, and the session goes on. It is over with
`finish`, `pause`, the end of input, or a signal such as SIGINT or SIGTERM. The
answer to `finish` has the number of commands that were refused, and so has
standard error.

Exit codes:
  0  the session is over, and no command was refused; with --keep-going, also if
     some were
  1  the session is over, and commands were refused
  2  runvet could not finish its work: a run that can't begin, a write that
     failed, files of the run that somebody else changed, answers that nobody
     reads
  With --exec, that of the command; 128 and the number of the signal if one
  killed it; 126 or 127 if it can't be executed or does not exist; and 2 where
  the command succeeded and runvet did not.

Examples:
  printf '%s\\n' '{\"act\":{\"tool\":\"lookup\"}}' '{\"finish\":\"ok\"}' |
    runvet record --run-data runs --task 'Summarize the open tickets'
  runvet record --run-data runs --exec -- make test")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(in crate::cli) struct RecordCommand {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The task of the run, in words [default with --exec: the command line]
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["resume", "exec"])]
    task: Option<String>,

    /// Continue a run, instead of starting a new one: its whole id, @latest, or a path
    #[arg(
        long,
        value_name = "EPISODE",
        add = ArgValueCandidates::new(known_runs),
        conflicts_with_all = ["task", "id", "started_at", "kind", "seed", "tags", "using", "verify", "exec", "command"]
    )]
    resume: Option<String>,

    /// The id of the run, instead of a new one
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// When the run began, if it is recorded afterwards: a time as for `runvet list --since`. The
    /// command `at` then sets the time of what follows
    #[arg(
        long,
        value_name = "TIME",
        value_parser = PeriodEnd::read,
        allow_hyphen_values = true,
        conflicts_with = "exec"
    )]
    started_at: Option<PeriodEnd>,

    /// The type of the goal
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,

    /// The seed of the run
    #[arg(long, value_name = "NUMBER", value_parser = number, allow_negative_numbers = true)]
    seed: Option<Number>,

    /// A tag of the run; repeatable
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = parse_tag)]
    tags: Vec<(String, String)>,

    /// The id of the run that this one is a part of: its tag `parent`
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    parent: Option<String>,

    /// The label of the adapter that executes the run
    #[arg(long, value_name = "LABEL")]
    using: Option<String>,

    /// The directory in which the run works: its files before and after the run are compared. With
    /// --resume, the one that the run began with
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,

    /// A file that must be in the workspace when the run ends with `ok`; repeatable
    #[arg(long, value_name = "FILE", requires = "workspace")]
    verify: Vec<String>,

    /// How well the records survive a crash or a power failure
    #[arg(long, value_name = "LEVEL", default_value = "snapshot", value_parser = word_among(LEVELS))]
    durability: Durability,

    /// Write the digest of the timeline before it into each projection event, so that
    /// `strict/prefix` finds a line that is changed later. A run that began so goes on so
    #[arg(long)]
    anchor: bool,

    /// Redact the run as `runvet redact` does: no text of it reaches the disk but what stays by its
    /// nature. Rules judge the texts. With --resume, what was recorded before stays as it is
    #[arg(long, requires = "key", conflicts_with = "workspace")]
    redact: bool,

    /// The key to redact by, as for `runvet redact --key`: with one key, equal texts are equal in
    /// all runs
    #[arg(long, value_name = "FILE", requires = "redact")]
    key: Option<PathBuf>,

    /// What happens to the run if the input ends, or a signal arrives, before the run has ended
    #[arg(long, value_name = "STATUS", default_value = "pending")]
    on_eof: OnEof,

    /// Exit with 0 although commands were refused: for a program that reads the answers
    #[arg(long, conflicts_with = "exec")]
    keep_going: bool,

    /// The number of bytes of JSON beyond which a value of an action, or an output of a step, is
    /// recorded as its SHA-256, its size and an excerpt
    #[arg(long, value_name = "BYTES", default_value_t = MAX_OUTPUT)]
    max_output: usize,

    #[command(flatten)]
    config: ConfigArgs,

    /// Execute the command after `--`, and record it as a run with one step
    ///
    /// Its input and output pass through unchanged. Its arguments and the last 4 KiB of its output
    /// are recorded, secrets in them too unless --redact is given.
    #[arg(long, requires = "command", conflicts_with = "on_eof")]
    exec: bool,

    /// The command to execute, with its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "exec")]
    command: Vec<OsString>,
}

/// The choice which failures the records survive.
const LEVELS: &[(&str, Durability, &str)] = &[
    (
        "process",
        Durability::Process,
        "A crash of the process loses nothing; a power failure may lose events",
    ),
    (
        "snapshot",
        Durability::Snapshot,
        "A power failure loses at most what came after the last `persist`, `pause` or `finish`",
    ),
    (
        "event",
        Durability::Event,
        "A power failure loses nothing that was answered",
    ),
];

/// The choice what becomes of a run that nobody ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnEof {
    /// It stays in progress, with its state written; `--resume` goes on with it
    Pending,
    /// It ends as `aborted`
    Aborted,
}

impl RecordCommand {
    /// Returns the exit code.
    pub(super) fn run(self, output: &mut Output) -> Result<u8> {
        // Whether a signal asked to stop.
        let asked = Arc::default();
        let resumed = match &self.resume {
            Some(name) => Some(RecordedRun::find(&self.run_data, name, true, output)?),
            None => None,
        };

        self.must_have_each_tag_once()?;
        let mut recorder = match &resumed {
            Some(run) => run.recorder.clone(),
            None => Recorder::new(self.new_run_data()?),
        }
        .stopped_by(Arc::clone(&asked))
        .durability(self.durability)
        .anchor(self.anchor);
        let gate = self.config.gate_if_any()?;

        if let Some(key) = &self.key {
            let redaction = Redaction::new().key(key);
            let redaction = match &gate {
                Some(gate) => gate.redaction(redaction),
                None => Ok(redaction),
            };
            let redactor = redaction.and_then(|it| Redactor::new(&it));
            recorder = recorder.redacted(Some(redactor.map_err(CommandFailure::fault)?));
        }

        if let Some(gate) = gate {
            recorder = recorder.gate(gate);
        }

        let is_odd = |id: &&String| id.contains(':') || id.ends_with('.');
        if let Some(id) = self.id.as_ref().filter(is_odd) {
            output.note(&format!(
                "on Windows and exFAT, no directory can be called {id}"
            ));
        }

        if self.exec {
            self.must_have_workspace()?;
            let task = self.task(shown(&self.command));
            return exec::record(&recorder, task, &self.command, &asked, output);
        }

        let recorder = match &self.workspace {
            Some(dir) => recorder.with_workspace(dir),
            None => recorder,
        };

        if let Some(moment) = &self.started_at {
            moment.note("--started-at", output);
        }

        let begin = || {
            if let Some(run) = &resumed {
                return recorder.resume(&run.id);
            }
            self.must_have_workspace()?;
            recorder.begin(self.task(""))
        };

        session::record(begin, &self, &asked, output).map(crate::gate::Exit::code)
    }

    /// Refuses to begin where the workspace is not there: the run could never end well.
    fn must_have_workspace(&self) -> Result<(), Error> {
        let Some(path) = &self.workspace else {
            return Ok(());
        };
        OpenDir::open(path)
            .map(drop)
            .map_err(|source| Error::Io {
                operation: "opening the workspace",
                path: path.clone(),
                source,
            })
    }

    /// Returns the task, with a text for where the command line has none.
    /// Returns the run-data directory of a new run.
    fn new_run_data(&self) -> Result<PathBuf> {
        let dir = self.run_data.dir()?;
        if dir
            .file_name()
            .is_some_and(|name| name == EPISODES)
        {
            return Err(CommandFailure::Fault(format!(
                "{} is called `{EPISODES}`, like the directory of the runs in a run-data directory: name the directory above it",
                dir.display()
            )));
        }

        Ok(dir)
    }

    fn must_have_each_tag_once(&self) -> Result<()> {
        let mut names = BTreeSet::new();
        let names_parent = self.parent.as_ref().map(|_| PARENT);
        let given = self
            .tags
            .iter()
            .map(|(name, _)| name.as_str());

        match given
            .chain(names_parent)
            .find(|name| !names.insert(*name))
        {
            Some(name) => Err(CommandFailure::Fault(format!(
                "the tag {} is given twice",
                quote(name)
            ))),
            None => Ok(()),
        }
    }

    fn task(&self, text: impl Into<String>) -> Task {
        let tags = self
            .tags
            .iter()
            .map(|(name, value)| (name.clone(), value.clone().into()));
        let parent = self.parent.clone();
        let tags = tags.chain(parent.map(|id| (PARENT.to_owned(), id.into())));

        Task {
            text: self
                .task
                .clone()
                .unwrap_or_else(|| text.into()),
            id: self.id.clone(),
            started_at: self
                .started_at
                .as_ref()
                .and_then(PeriodEnd::system_time),
            kind: self.kind.clone(),
            seed: self.seed.clone(),
            tags: tags.collect(),
            using: self.using.clone(),
            workspace: self.workspace.clone(),
            assertions: self
                .verify
                .iter()
                .map(Assertion::file_exists)
                .collect(),
        }
    }
}

/// Prints what was found where no answer can have it.
pub(super) fn note_findings(findings: &[Finding], output: &mut Output) {
    for finding in findings {
        output.note(&finding.to_string());
    }
}

pub(super) fn parse_tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("a tag has the form NAME=VALUE".into()),
    }
}
