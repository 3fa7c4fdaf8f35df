//! The logs that other agents write -> runs, one for each conversation, made again as logs grow.
//!
//! ```
//! use runvet::import::{Change, Import};
//!
//! let temp = tempfile::tempdir()?;
//! let log = temp.path().join("chat.json");
//! let chat = r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]"#;
//! std::fs::write(&log, chat)?;
//! let imported = Import::new(temp.path().join("runs")).paths([&log])?;
//! assert_eq!(imported.runs[0].change, Change::New);
//! assert_eq!(imported.runs[0].format, "chat");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The way of a log, by the files of this directory:
//
//   paths ── found ──▶ logs ── memory ──▶ those that grew ── convert ──▶ runs
//
// `convert` takes the values of a log one by one (log), makes conversations of them (formats; spans
// for traces, parts where one began others), and of each a run beside the others (write).

mod archive;
mod call;
mod conversation;
mod convert;
mod explain;
mod fields;
mod formats;
mod found;
mod history;
mod log;
mod memory;
mod parts;
mod spans;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use crate::ground::parallel::{cores, in_order};
use crate::ground::printable::count;
use crate::redact::{Redaction, Redactor};
use crate::store::{FileStamp, FilesBelow, display};
pub(crate) use call::plain_id;

pub(crate) use explain::Explained;
use formats::FORMATS;
use found::{Found, Group};
pub(crate) use history::{History, REPEATED};

pub(crate) use memory::Memory;
use write::Target;

/// The number of files that a note or a report names; the rest are counted.
const MAX_NAMED: usize = 20;

/// An import of logs into a run-data directory.
#[derive(Clone, Debug)]
pub struct Import {
    into: PathBuf,
    format: Option<&'static str>,
    only: BTreeSet<String>,
    since: Option<SystemTime>,
    tags: BTreeMap<String, String>,
    is_over: bool,
    anchors: bool,
    is_strict: bool,
    redaction: Option<Redaction>,
}

/// What an import did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Imported {
    /// The runs of the conversations that were found, in the order of the files.
    pub runs: Vec<ImportedRun>,
    /// What was left out: the number of parts of each type.
    pub skipped: BTreeMap<String, u64>,
    /// What could not be imported, and why, for people: one line each.
    pub errors: Vec<String>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What could not be read or written.
    pub faults: Vec<String>,
}

/// A run of an import.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImportedRun {
    /// The id of the run.
    pub id: String,
    /// The directory of the run.
    pub path: PathBuf,
    /// The format of the log.
    pub format: &'static str,
    /// The log.
    pub source: String,
    /// What became of the run.
    pub change: Change,
}

/// What an import did to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It is new.
    New,
    /// Its log has changed, and it was made again.
    Again,
    /// Its log is the same: no byte was written.
    Unchanged,
    /// It was not made, with the reason.
    Refused(String),
}

/// Returns what an import takes from a span in the JSON of OTLP: for the module of Python, which
/// records spans as they begin and end.
#[doc(hidden)]
#[must_use]
pub fn words_of_span(span: &Value) -> Value {
    formats::words_of_span(span)
}

/// What became of the files of one log.
#[derive(Clone, Default)]
struct Converted {
    runs: Vec<MadeRun>,
    skipped: BTreeMap<String, u64>,
    errors: Vec<String>,
    notes: BTreeSet<String>,
    faults: Vec<String>,
    /// `true` if it depends on the files of the log alone.
    is_done_alone: bool,
}

/// A run of a log.
#[derive(Clone)]
struct MadeRun {
    run: ImportedRun,
    /// The directory in which it was made, to be put into its place.
    dir: Option<PathBuf>,
}

impl Converted {
    /// Puts the runs into their places and adds all to a report; then each is one that has not
    /// changed.
    fn put(&mut self, target: &Target<'_>, claimed: &mut BTreeSet<String>, report: &mut Imported) {
        for (kind, number) in &self.skipped {
            *report
                .skipped
                .entry(kind.clone())
                .or_default() += number;
        }

        report
            .errors
            .extend_from_slice(&self.errors);
        report
            .faults
            .extend_from_slice(&self.faults);
        for MadeRun { run, dir } in &mut self.runs {
            if !claimed.insert(run.id.clone()) {
                let why = "another log of this import has the same id";
                run.change = Change::Refused(why.into());
            } else if let Some(Err(why)) = dir
                .take()
                .map(|dir| target.put(&dir, &run.id))
            {
                report
                    .faults
                    .push(format!("{}: {why}", display(&run.path)));
                run.change = Change::Refused(format!("it can't be put into its place: {why}"));
            }

            report.runs.push(run.clone());
            if !matches!(run.change, Change::Refused(_)) {
                run.change = Change::Unchanged;
            }
        }
    }
}

impl Import {
    /// Returns an import into a run-data directory, which is made where it is missing.
    #[must_use]
    pub fn new(into: impl Into<PathBuf>) -> Self {
        Self {
            into: into.into(),
            format: None,
            only: BTreeSet::new(),
            since: None,
            tags: BTreeMap::new(),
            is_over: false,
            anchors: false,
            is_strict: false,
            redaction: None,
        }
    }

    /// Returns the names of the formats.
    pub fn formats() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|format| format.name)
    }

    /// Reads logs of one format alone; else each file is of the format whose form it has. `None` if
    /// there is no such format.
    #[must_use]
    pub fn format(mut self, name: &str) -> Option<Self> {
        self.format = Some(Self::formats().find(|format| *format == name)?);
        Some(self)
    }

    /// Imports only the conversation of an id, and others that are named so.
    #[must_use]
    pub fn only(mut self, id: impl Into<String>) -> Self {
        self.only.insert(id.into());
        self
    }

    /// Imports only conversations that began at a time or after it.
    #[must_use]
    pub fn since(mut self, time: SystemTime) -> Self {
        self.since = Some(time);
        self
    }

    /// Adds a tag to each run, in place of that of the log. The tag `cwd` is the working directory.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags
            .insert(name.into(), value.into());
        self
    }

    /// Says that nothing follows: a conversation that ends within a turn ends as `partial`.
    #[must_use]
    pub fn ended(mut self) -> Self {
        self.is_over = true;
        self
    }

    /// Anchors the runs, see [`Recorder::anchor`](crate::recorder::Recorder::anchor). A run that was
    /// imported so is anchored again where its log has grown.
    #[must_use]
    pub fn anchor(mut self) -> Self {
        self.anchors = true;
        self
    }

    /// Makes each file that is no log an error, also one that is found in a directory.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// Redacts the runs. The redaction needs a key, so that a log that is imported again is known.
    #[must_use]
    pub fn redacted(mut self, redaction: Redaction) -> Self {
        self.redaction = Some(redaction);
        self
    }

    /// Imports the logs at or below some paths.
    ///
    /// # Errors
    /// A path does not exist, or can't be opened.
    pub fn paths<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> io::Result<Imported> {
        self.each(paths, &mut Memory::default(), |_, _| ())
    }

    /// Like [`Import::paths`], and calls a function after each log, with the number of all. Logs
    /// that are known by an earlier import with the same memory are not read again.
    pub(crate) fn each<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
        memory: &mut Memory,
        mut done: impl FnMut(usize, &[ImportedRun]),
    ) -> io::Result<Imported> {
        let mut found = Found::default();
        for path in paths {
            let path = path.as_ref();
            self.find(path, memory, &mut found)
                .map_err(|why| explained(path, &why))?;
        }

        let Found {
            groups,
            others,
            report,
        } = found;
        let mut report = self.report(&others, report);
        let redactor = self
            .redaction
            .as_ref()
            .map(Redactor::new)
            .transpose()
            .map_err(io::Error::other)?;
        let target = Target::new(&self.into, self.anchors, redactor);
        let (mut claimed, mut notes) = (BTreeSet::new(), BTreeSet::new());
        let known = &*memory;
        let convert = |(): &mut (), group: &Group| {
            known
                .converted(&group.states)
                .unwrap_or_else(|| self.convert(group, &target))
        };

        let mut all = Vec::new();
        in_order(
            &groups,
            cores(),
            || (),
            convert,
            |mut converted| {
                let first = report.runs.len();
                notes.extend(converted.notes.iter().cloned());
                converted.put(&target, &mut claimed, &mut report);
                all.push(converted);
                done(
                    groups.len(),
                    report
                        .runs
                        .get(first..)
                        .unwrap_or_default(),
                );
                ControlFlow::Continue(())
            },
        );
        for (group, converted) in groups.iter().zip(all) {
            memory.keep_converted(&group.states, converted);
        }

        report.notes.extend(notes);
        Ok(report)
    }

    /// Adds the files that are no logs to a report: their number for each suffix.
    fn report(&self, others: &BTreeMap<String, u64>, mut report: Imported) -> Imported {
        if others.is_empty() {
            return report;
        }

        let number: u64 = others.values().sum();
        let kinds: Vec<String> = others
            .iter()
            .map(|(suffix, number)| format!("{number} {suffix}"))
            .collect();
        let note = format!("no logs: {} ({})", count(number, "file"), kinds.join(", "));
        let to = if self.is_strict {
            &mut report.errors
        } else {
            &mut report.notes
        };

        to.push(note);
        report
    }

    /// Returns the files at or below some paths, each with what changes with its content.
    pub(crate) fn versions(&self, paths: &[PathBuf]) -> Vec<(PathBuf, Option<FileStamp>)> {
        let below = paths
            .iter()
            .filter_map(|path| FilesBelow::of(path, &self.into).ok());
        below
            .flat_map(|below| below.files)
            .map(|file| (file.path(), file.version()))
            .collect()
    }
}

impl Imported {
    /// Returns `true` if something could not be imported.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        let is_refused = |run: &ImportedRun| matches!(run.change, Change::Refused(_));
        !self.errors.is_empty() || self.runs.iter().any(is_refused)
    }
}

fn explained(path: &Path, why: &io::Error) -> io::Error {
    io::Error::new(why.kind(), format!("{}: {why}", display(path)))
}
