//! `runvet import`: logs of other agents -> runs, one for each conversation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, FromArgMatches as _};

use super::output::Output;
use super::period::PeriodEnd;
use super::record::parse_tag;
use super::validate::Validate;
use super::watching::stop_by_signals;
use super::{CommandFailure, Exit, Result, all, declared};
use crate::cli::progress;
use crate::ground::printable::escape;
use crate::import::{Change, Explained, Import, Imported, ImportedRun, Memory};
use crate::redact::Redaction;
use crate::report::count;

/// Import logs of agents: Claude Code, Codex, Gemini CLI, opencode, traces, chat messages
///
/// Finds the format of each file by its form, and writes a run for each conversation. A log that is
/// imported again changes nothing; one that has grown replaces its run. A conversation that ends
/// within a turn is a run in progress.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(after_long_help = "\
One line for each run goes to standard output: its id, and `new`, `again`,
`unchanged` or `refused: …`. What is left out of a log is counted by its type, in
the run and on standard error.

Exit codes:
  0  all logs were imported
  1  a named file is no log of a known format, a directory holds none, a line
     could not be read, a run was refused, or a log has no conversation
  2  a path does not exist, or something could not be read or written
  With --check, those of `runvet validate` too; 2 goes before 1, 1 before 3.

Examples:
  runvet import ~/.claude/projects --into runs
  runvet import ~/.codex/sessions --into runs --since 7d --check
  runvet import traces.jsonl --into runs --format otlp --tag team=search
  runvet import --explain session.jsonl")]
pub(in crate::cli) struct ImportCommand {
    /// Logs, and directories of logs
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The run-data directory to write to
    #[arg(long, value_name = "RUNS", required_unless_present = "explain")]
    into: Option<PathBuf>,

    /// Write no run: print the format of each log and why, and what of it is taken, left out and
    /// unreadable
    #[arg(long, conflicts_with_all = ["into", "only", "since", "tags", "ended", "anchor", "check", "watch"])]
    explain: bool,

    /// The format of the logs; `auto` finds it by the form of each file
    #[arg(long, default_value = AUTO, value_parser = PossibleValuesParser::new(formats()))]
    format: String,

    /// Import only the conversation of this id; repeatable
    #[arg(long, value_name = "ID")]
    only: Vec<String>,

    /// Import only conversations that began since a time, as for `runvet list --since`
    #[arg(long, value_name = "TIME", value_parser = PeriodEnd::read, allow_hyphen_values = true)]
    since: Option<PeriodEnd>,

    /// A tag of each run, in place of that of the log; repeatable. `cwd=DIR` names the working
    /// directory of logs that do not
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = parse_tag)]
    tags: Vec<(String, String)>,

    /// Nothing follows: what ends within a turn ends as `partial`, not as a run in progress
    #[arg(long)]
    ended: bool,

    /// Write the digest of the timeline before it into each projection event, as `runvet record`
    /// does with this option. A run that was imported so stays so
    #[arg(long)]
    anchor: bool,

    /// Exit with 1 also for files in a directory that are no logs
    #[arg(long)]
    strict: bool,

    /// Redact the runs as `runvet redact` does: no text of a log is in them but what stays by its
    /// nature
    #[arg(long, requires = "key", conflicts_with = "explain")]
    redact: bool,

    /// The key to redact by, as for `runvet redact --key`: a log that is imported again is known by
    /// it
    #[arg(long, value_name = "FILE", requires = "redact")]
    key: Option<PathBuf>,

    /// Check the runs then, with the configuration that `runvet validate` finds
    #[arg(long, conflicts_with = "watch")]
    check: bool,

    /// Go on and import again as the logs grow, until Ctrl-C
    #[arg(long)]
    watch: bool,

    /// Print errors only, besides the lines of runs
    #[arg(short, long)]
    quiet: bool,
}

/// The word for the format that is found by the form of a file.
const AUTO: &str = "auto";

fn formats() -> Vec<&'static str> {
    std::iter::once(AUTO)
        .chain(Import::formats())
        .collect()
}

/// The time between two looks at logs that may have grown.
const PAUSE: Duration = Duration::from_secs(2);

impl ImportCommand {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let import = self.import();
        if self.explain {
            return self.print_explained(&import, output);
        }
        if let Some(since) = &self.since {
            since.note("--since", output);
        }

        let mut memory = Memory::default();
        let imported = self.import_once(&import, &mut memory, output)?;
        self.print(&imported, true, output)?;

        let exit = exit_of(&imported);
        if self.watch {
            return self.go_on(&import, memory, exit, output);
        }

        let dirs: BTreeSet<&Path> = (imported.runs.iter())
            .filter(|run| !matches!(run.change, Change::Refused(_)))
            .map(|run| &*run.path)
            .collect();
        if !self.check || dirs.is_empty() {
            return Ok(exit);
        }

        let checked = check(&dirs, output)?;
        Ok(worse(exit, checked))
    }

    fn into(&self) -> &Path {
        self.into
            .as_deref()
            .unwrap_or(Path::new(""))
    }

    fn import(&self) -> Import {
        let mut import = Import::new(self.into());
        if let Some(of_format) = import.clone().format(&self.format) {
            import = of_format;
        }
        for id in &self.only {
            import = import.only(id);
        }
        for (name, value) in &self.tags {
            import = import.tag(name, value);
        }

        if let Some(time) = self
            .since
            .as_ref()
            .and_then(PeriodEnd::system_time)
        {
            import = import.since(time);
        }

        if self.anchor {
            import = import.anchor();
        }
        if self.ended {
            import = import.ended();
        }

        if let Some(key) = self
            .key
            .as_ref()
            .filter(|_| self.redact)
        {
            import = import.redacted(Redaction::new().key(key));
        }

        if self.strict { import.strict() } else { import }
    }

    fn import_once(
        &self,
        import: &Import,
        memory: &mut Memory,
        output: &mut Output,
    ) -> Result<Imported> {
        let mut bar = None;
        let imported = import.each(&self.paths, memory, |all, _| {
            let bar = bar.get_or_insert_with(|| progress::hidden(all, "logs"));
            progress::step(bar, self.quiet);
        });

        if let Some(bar) = bar {
            bar.finish_and_clear();
        }

        output.finish()?;
        imported.map_err(CommandFailure::fault)
    }

    /// Prints a line for each run, and what else there is to say; of runs that did not change only
    /// where all are to be named.
    fn print(&self, imported: &Imported, is_first: bool, output: &mut Output) -> Result<()> {
        for run in &imported.runs {
            if is_first || run.change != Change::Unchanged {
                writeln!(output.stdout(), "{}", escape(&line(run)))?;
            }
        }

        output.finish()?;
        print_errors(imported, output);
        if self.quiet || !is_first {
            return Ok(());
        }

        if !imported.skipped.is_empty() {
            let counts: Vec<String> = imported
                .skipped
                .iter()
                .map(|(kind, number)| format!("{number} {kind}"))
                .collect();
            output.note(&format!("left out: {}", counts.join(", ")));
        }

        for note in &imported.notes {
            output.note(note);
        }

        output.note(&format!(
            "{} in {}",
            count(imported.runs.len() as u64, "run"),
            self.into().display()
        ));

        Ok(())
    }

    /// Prints how each log is read.
    fn print_explained(&self, import: &Import, output: &mut Output) -> Result {
        let explained = import.explain(&self.paths);
        let (explained, report) = explained.map_err(CommandFailure::fault)?;
        let mut exit = exit_of(&report);

        for log in &explained {
            print_log(log, output)?;
            if !log.unreadable.is_empty() || log.runs == 0 {
                exit = worse(exit, Exit::Findings);
            }
        }

        output.finish()?;
        print_errors(&report, output);
        if !self.quiet {
            for note in &report.notes {
                output.note(note);
            }
        }

        Ok(exit)
    }

    /// Imports again and again, until a signal comes.
    fn go_on(
        &self,
        import: &Import,
        mut memory: Memory,
        mut exit: Exit,
        output: &mut Output,
    ) -> Result {
        let asked = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&asked);
        let waiting = thread::current();
        stop_by_signals(move || {
            stop.store(true, Ordering::Relaxed);
            waiting.unpark();
        })?;
        output.note("watching for changes; Ctrl-C ends it");

        // A log that has grown since it was read is read again.
        let mut last = Vec::new();
        loop {
            thread::park_timeout(PAUSE);
            if asked.load(Ordering::Relaxed) {
                return Ok(exit);
            }

            let now = import.versions(&self.paths);
            if now == last {
                continue;
            }

            last = now;
            let imported = self.import_once(import, &mut memory, output)?;
            self.print(&imported, false, output)?;
            exit = worse(exit, exit_of(&imported));
        }
    }
}

fn print_errors(imported: &Imported, output: &mut Output) {
    for error in &imported.errors {
        output.say(&format!("error: {error}"));
    }
    for fault in &imported.faults {
        output.fault(fault);
    }
}

/// Prints how a log is read: a line that names its format, and tables of its parts.
fn print_log(log: &Explained, output: &mut Output) -> Result<()> {
    let out = output.stdout();
    let files = log.files.join(", ");
    let files = escape(&files);
    writeln!(out, "{files}: {}, because {}", log.format, log.form)?;
    writeln!(out, "  {}", count(log.runs, "run"))?;

    let taken = log
        .taken
        .iter()
        .map(|(part, number)| (format!("{} -> {}", part.name, part.becomes), number));
    print_counts("values by type", log.values.iter(), output)?;
    print_counts("taken", taken, output)?;
    print_counts("left out", log.left_out.iter(), output)?;
    for why in &log.unreadable {
        writeln!(output.stdout(), "  unreadable: {}", escape(why))?;
    }

    Ok(())
}

fn print_counts<'c>(
    title: &str,
    counts: impl ExactSizeIterator<Item = (impl AsRef<str>, &'c u64)>,
    output: &mut Output,
) -> Result<()> {
    let out = output.stdout();
    if counts.len() > 0 {
        writeln!(out, "  {title}")?;
    }
    for (name, number) in counts {
        writeln!(out, "  {number:>8} {}", escape(name.as_ref()))?;
    }

    Ok(())
}

fn line(run: &ImportedRun) -> String {
    let change = match &run.change {
        Change::New => "new".to_owned(),
        Change::Again => "again".to_owned(),
        Change::Unchanged => "unchanged".to_owned(),
        Change::Refused(why) => format!("refused: {why} ({})", run.source),
    };

    format!("{}: {change}", run.id)
}

fn exit_of(imported: &Imported) -> Exit {
    if !imported.faults.is_empty() {
        Exit::Fault
    } else if imported.has_errors() {
        Exit::Findings
    } else {
        Exit::Success
    }
}

/// Returns the exit code that goes before the other: 2 before 1 before 3.
fn worse(one: Exit, other: Exit) -> Exit {
    [Exit::Fault, Exit::Findings, Exit::NothingFound]
        .into_iter()
        .find(|exit| *exit == one || *exit == other)
        .unwrap_or(Exit::Success)
}

/// Checks runs as `runvet validate` does that is given their directories.
fn check(dirs: &BTreeSet<&Path>, output: &mut Output) -> Result {
    let command = declared(&all())
        .find_subcommand("validate")
        .cloned()
        .unwrap_or_default();
    let words = dirs.iter().map(|dir| dir.as_os_str());
    let matches = command
        .no_binary_name(true)
        .try_get_matches_from(std::iter::once("--".as_ref()).chain(words))
        .map_err(CommandFailure::fault)?;

    Validate::from_arg_matches(&matches)
        .map_err(CommandFailure::fault)?
        .run(&matches, output)
}
