//! `runvet watch`: judges runs as they are written, a line for each verdict.

mod touched;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write as _};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Args, ValueEnum};
use notify::event::{EventKind, ModifyKind};
use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::output::Output;
use super::settings::{Baselines, GateArgs, parse_whole};
use super::{Exit, Failure};
use crate::EpisodeDir;
use crate::check::{Check, Discovery, Fault};
use crate::finding::{EpisodeReport, Lifecycle, Severity};
use crate::printable::escape;
use crate::report::ndjson;
use crate::source::Artifact;
use crate::store::join;
use touched::{End, Touched};

/// Runs that go on of which the last verdict is kept, so that it is not printed twice in a row.
const MAX_GOING_ON: usize = 10_000;

/// Keep checking runs as they are written, and print a line for each verdict
///
/// Judges every run below the directory, and judges a run again when nothing in it has changed for
/// half a second, or after five seconds of steady change. A run that goes on is shown as going on,
/// once, until its verdict is another or it ends. What counts is what counts for `runvet validate`:
/// `runvet.toml` and a baseline are read when it starts.
#[derive(Args)]
#[command(after_long_help = "\
It ends on Ctrl-C (or SIGTERM), when what was written until then is judged.

Exit codes:
  0  it was told to end, whatever the runs are worth
  2  runvet could not do its whole job: a directory that is gone or can't be watched, output
     that can't be written

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

    /// Look at all files every so many seconds, where the file system does not tell of changes, as
    /// network ones don't
    #[arg(long, value_name = "SECONDS", value_parser = parse_whole::<NonZeroU64>, allow_negative_numbers = true)]
    poll: Option<NonZeroU64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The run, whether it is valid, and the rules that found something
    Human,
    /// What `runvet validate --format ndjson` prints for an episode
    Ndjson,
}

impl Watch {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let mut gate = self.gate.resolve(matches, Baselines::Read, output)?.gate;
        let check = gate.check(Check::new());
        let fault =
            |error: &dyn Display| Failure::Fault(format!("{}: {error}", self.dir.display()));
        let top = self.dir.canonicalize().map_err(|error| fault(&error))?;
        let touched = Arc::new(Touched::new(self.dir.clone()));
        let _watcher = self
            .watcher(&top, &touched)
            .map_err(|error| fault(&error))?;
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let told = Arc::clone(&touched);
        std::thread::spawn(move || signals.forever().for_each(|_| told.end(End::Told)));

        let mut verdicts = Verdicts {
            format: self.format,
            of_going_on: BTreeMap::new(),
        };
        let mut exit = Exit::Success;
        // What is there already is as if it had just come.
        touched.add_all();
        loop {
            let due = touched.wait();
            let mut found = episodes(&check, &top, &due.dirs);
            found
                .episodes
                .retain(|episode| !gate.excludes(&episode.path));
            let mut faults = found.faults;
            let mut printed = Ok(());
            check.each(&found.episodes, |checked| {
                match checked {
                    // It is told of again, and judged when it stands still.
                    Ok(episode) if episode.kept_changing() => {}
                    Ok(mut episode) => {
                        gate.judge(&mut episode);
                        printed = verdicts.print(output, &episode);
                    }
                    Err(fault) => faults.push(fault),
                }
                if printed.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            printed?;
            for fault in faults.iter().filter(|fault| !is_of_what_is_gone(fault)) {
                exit = Exit::Fault;
                output.fault(fault);
            }
            match due.end {
                None => {}
                Some(End::Told) => return Ok(exit),
                Some(End::Fault(message)) => return Err(fault(&message)),
            }
        }
    }

    /// What tells of changes below the directory, for as long as it is kept.
    fn watcher(&self, top: &Path, touched: &Arc<Touched>) -> notify::Result<Box<dyn Watcher>> {
        let (typed, real, touched) = (self.dir.clone(), top.to_owned(), Arc::clone(touched));
        let tell = move |event: notify::Result<Event>| match event {
            Ok(event) if event.need_rescan() => touched.add_all(),
            Ok(event) => {
                for path in &event.paths {
                    if *path == real && !is_dir(path) {
                        touched.end(End::Fault("it is gone".into()));
                    } else if let Some((dir, is_new)) = place(event.kind, path) {
                        touched.add(join(&typed, dir.strip_prefix(&real).unwrap_or(dir)), is_new);
                    }
                }
            }
            Err(error) => touched.end(End::Fault(error.to_string())),
        };
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher: Box<dyn Watcher> = match self.poll {
            None => Box::new(RecommendedWatcher::new(tell, config)?),
            Some(seconds) => {
                let interval = Duration::from_secs(seconds.get());
                Box::new(PollWatcher::new(tell, config.with_poll_interval(interval))?)
            }
        };
        watcher.watch(top, RecursiveMode::Recursive)?;
        Ok(watcher)
    }
}

/// The directory to look at after an event, and whether all that lies below may be new.
fn place(kind: EventKind, path: &Path) -> Option<(&Path, bool)> {
    // That a file is read, by this very process too, changes nothing.
    if matches!(kind, EventKind::Access(_)) {
        return None;
    }
    let name = path.file_name()?.to_str();
    if name.and_then(Artifact::from_file_name).is_some() {
        return Some((path.parent()?, false));
    }
    let may_be_new = matches!(
        kind,
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
    );
    (may_be_new && is_dir(path)).then_some((path, true))
}

/// Whether there is a directory, and no link to one.
fn is_dir(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
}

/// The episodes in directories in which something happened, each once.
fn episodes(check: &Check, top: &Path, dirs: &[(PathBuf, bool)]) -> Discovery {
    let mut found = Discovery::default();
    // An artifact leads to its episode even from a checkpoint, where copies lie.
    let mut artifacts = Vec::new();
    for (dir, is_new) in dirs {
        // By now it may be gone, or a link that leads out of what is watched.
        if !dir.canonicalize().is_ok_and(|real| real.starts_with(top)) {
            continue;
        }
        artifacts.extend(Artifact::ALL.map(|artifact| dir.join(artifact.file_name())));
        if *is_new {
            let mut below = check.discover(&[dir]);
            found.faults.append(&mut below.faults);
            // All of them are copies, or none is.
            let copy = below.episodes.first().and_then(an_artifact).filter(|path| {
                let meant = check.discover(&[path]).episodes;
                !meant
                    .iter()
                    .any(|episode| path.parent() == Some(&episode.path))
            });
            match copy {
                Some(copy) => artifacts.push(copy),
                None => found.episodes.append(&mut below.episodes),
            }
        }
    }
    artifacts.retain(|artifact| artifact.symlink_metadata().is_ok());
    let mut named = check.discover(&artifacts);
    found.episodes.append(&mut named.episodes);
    found.faults.append(&mut named.faults);
    found.episodes.sort_by(|a, b| a.path.cmp(&b.path));
    found.episodes.dedup_by(|a, b| a.path == b.path);
    found
}

fn an_artifact(episode: &EpisodeDir) -> Option<PathBuf> {
    let mut there = Artifact::ALL
        .into_iter()
        .filter(|artifact| episode.entries.has(*artifact));
    there
        .next()
        .map(|artifact| episode.path.join(artifact.file_name()))
}

/// What goes away between an event and the look at it is not missed.
fn is_of_what_is_gone(fault: &Fault) -> bool {
    match fault {
        Fault::Missing(_) => true,
        Fault::Unlistable { source, .. } => source.kind() == io::ErrorKind::NotFound,
        Fault::NotAnArtifact(_) => false,
    }
}

/// Prints verdicts, those that are news.
struct Verdicts {
    format: Format,
    /// The hashes of what was last printed of runs that go on.
    of_going_on: BTreeMap<String, u64>,
}

impl Verdicts {
    fn print(&mut self, output: &mut Output, episode: &EpisodeReport) -> io::Result<()> {
        let mut line = Vec::new();
        match self.format {
            Format::Human => writeln!(line, "{}", verdict(episode))?,
            Format::Ndjson => ndjson().episode(&mut line, episode)?,
        }
        if self.is_news(episode, &line) {
            output.stdout().write_all(&line)?;
            output.finish()?;
        }
        Ok(())
    }

    fn is_news(&mut self, episode: &EpisodeReport, line: &[u8]) -> bool {
        if episode.lifecycle == Lifecycle::Terminal {
            self.of_going_on.remove(&episode.dir);
            return true;
        }
        if self.of_going_on.len() >= MAX_GOING_ON {
            self.of_going_on.clear();
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(line);
        let hash = hasher.finish();
        self.of_going_on.insert(episode.dir.clone(), hash) != Some(hash)
    }
}

/// One line: the run, where it stands, and what is wrong.
fn verdict(episode: &EpisodeReport) -> String {
    let stage = match episode.lifecycle {
        Lifecycle::Terminal => "ended",
        Lifecycle::NonTerminal => "going on",
        Lifecycle::Unknown => "stage unknown",
    };
    let rules: BTreeSet<(Severity, &str)> = episode
        .findings
        .iter()
        .map(|finding| (finding.severity, &*finding.rule))
        .collect();
    let rules: Vec<String> = rules
        .iter()
        .map(|(severity, rule)| format!("{} {rule}", severity.word()))
        .collect();
    let found = if episode.valid {
        ["valid".into()]
            .into_iter()
            .chain(rules)
            .collect::<Vec<_>>()
    } else {
        rules
    };
    let known = match episode.suppressed.len() {
        0 => String::new(),
        suppressed => format!("; known: {suppressed}"),
    };
    let in_part = if episode.skipped.is_empty() {
        ""
    } else {
        "; not judged in full"
    };
    format!(
        "{} ({stage}): {}{known}{in_part}",
        escape(&episode.dir),
        found.join(", ")
    )
}
