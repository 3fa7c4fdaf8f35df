//! The file of a report -> its runs, one after the other.
//!
//! A thread of its own parses the file, for a parser of JSON does not stop in the middle of an
//! object. It waits where its reader is slower.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::Error;
use crate::ground::finding::{EpisodeReport, REPORT_VERSION, ReportedFault, Severity};
use crate::ground::printable::{escape, quote};
use crate::store::open_given;

/// The runs that are parsed ahead of their reader.
const AHEAD: usize = 64;

/// A run as a report describes it, as far as it is compared.
pub(crate) struct ReportedRun {
    pub(super) dir: String,
    pub(super) valid: Option<bool>,
    /// By fingerprint.
    pub(super) findings: BTreeMap<String, ReportedFinding>,
    /// The rules that could not be judged.
    pub(super) skipped: BTreeSet<String>,
}

/// A finding, as far as it is compared.
#[derive(Deserialize)]
pub(super) struct ReportedFinding {
    pub(super) rule: String,
    pub(super) severity: Severity,
    pub(super) message: String,
    fingerprint: String,
}

impl ReportedRun {
    pub(crate) fn of(report: &EpisodeReport) -> Self {
        let found = report
            .findings
            .iter()
            .map(|finding| ReportedFinding {
                rule: finding.rule.clone(),
                severity: finding.severity,
                message: finding.message.clone(),
                fingerprint: finding.fingerprint.clone(),
            });
        let skipped = report
            .skipped
            .iter()
            .map(|skip| skip.rule.clone());

        Self {
            dir: report.dir.clone(),
            valid: report.valid,
            findings: found.map(by_fingerprint).collect(),
            skipped: skipped.collect(),
        }
    }

    /// Returns `true` if its directory, as a report shows it, tells its place among others.
    pub(super) fn is_ordered(&self) -> bool {
        !self
            .dir
            .contains(char::REPLACEMENT_CHARACTER)
    }
}

fn by_fingerprint(finding: ReportedFinding) -> (String, ReportedFinding) {
    (finding.fingerprint.clone(), finding)
}

/// A report that is being read.
pub(super) struct ReportReader {
    path: PathBuf,
    runs: Receiver<ReportedRun>,
    /// The thread that reads, which returns the faults of the report.
    reading: Option<JoinHandle<Result<Vec<ReportedFault>, Error>>>,
    last: Option<String>,
    /// Runs whose names are not UTF-8: how a report shows these does not tell their order.
    pub(super) unordered: Vec<ReportedRun>,
    /// The faults of the report, once it is read.
    pub(super) faults: Vec<ReportedFault>,
}

impl ReportReader {
    pub(super) fn start(path: &Path) -> Self {
        let (send, runs) = sync_channel(AHEAD);
        let of = path.to_owned();
        Self {
            path: path.to_owned(),
            runs,
            reading: Some(std::thread::spawn(move || read(&of, &send))),
            last: None,
            unordered: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Returns the next run whose name tells its order, if there is one.
    pub(super) fn next_run(&mut self) -> Result<Option<ReportedRun>, Error> {
        let run = loop {
            match self.runs.recv() {
                Ok(run) if !run.is_ordered() => self.unordered.push(run),
                Ok(run) => break run,
                Err(_) => {
                    let read = self
                        .reading
                        .take()
                        .map(JoinHandle::join)
                        .transpose()
                        .unwrap_or_else(|panic| resume_unwind(panic));
                    self.faults
                        .extend(read.transpose()?.unwrap_or_default());
                    return Ok(None);
                }
            }
        };

        let (path, dir) = (self.path.display(), escape(&run.dir));
        match self.last.take() {
            Some(last) if last == run.dir => {
                let message = format!("{path} has two episodes with the directory {dir}");
                return Err(Error(message));
            }
            Some(after) if after > run.dir => {
                return Err(Error(format!(
                    "{path} is not sorted by directory: {dir} comes after {}",
                    escape(&after)
                )));
            }
            _ => self.last = Some(run.dir.clone()),
        }

        Ok(Some(run))
    }
}

/// Reads a report, which is one JSON document or lines of them, and sends its runs.
fn read(path: &Path, send: &SyncSender<ReportedRun>) -> Result<Vec<ReportedFault>, Error> {
    let shown = path.display();
    let unreadable = |source: io::Error| Error(format!("can't read {shown}: {source}"));
    let cut_off = || {
        let message = "is cut off: a report ends with its totals; write it again";
        Error(format!("{shown} {message}"))
    };

    let file = open_given(path).map_err(unreadable)?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(file));
    let mut report = Sending {
        send,
        faults: Vec::new(),
        has_ended: false,
    };

    loop {
        match json.end() {
            Ok(()) => break,
            Err(error) if error.is_io() => return Err(unreadable(error.into())),
            // There is more.
            Err(_) => {}
        }
        if let Err(error) = report.deserialize(&mut json) {
            return Err(match error.classify() {
                Category::Eof => cut_off(),
                Category::Io => unreadable(error.into()),
                Category::Syntax | Category::Data => Error(format!(
                    "{shown} is not a report that can be compared: {error}"
                )),
            });
        }
    }

    if report.has_ended {
        Ok(report.faults)
    } else {
        Err(cut_off())
    }
}

/// A visitor of an object: a report, an episode, or the totals.
struct Sending<'s> {
    send: &'s SyncSender<ReportedRun>,
    faults: Vec<ReportedFault>,
    has_ended: bool,
}

impl<'de> DeserializeSeed<'de> for &mut Sending<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Sending<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a report, or an episode of one")
    }

    /// Reads the items of `episodes`.
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items
            .next_element_seed(&mut *self)?
            .is_some()
        {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let (mut dir, mut valid) = (None, None);
        let (mut findings, mut skipped): (Vec<ReportedFinding>, Vec<Skipped>) = Default::default();
        let mut is_known = false;
        while let Some(key) = members.next_key::<String>()? {
            is_known |= ["dir", "episodes", "totals"].contains(&&*key);
            match &*key {
                "schema_version" => check_version(&members.next_value::<String>()?)?,
                "episodes" => members.next_value_seed(&mut *self)?,
                "dir" => dir = Some(members.next_value()?),
                "valid" => valid = members.next_value()?,
                "findings" => findings = members.next_value()?,
                "skipped" => skipped = members.next_value()?,
                "faults" => self.faults = members.next_value()?,
                key => {
                    self.has_ended |= key == "totals";
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }

        if !is_known {
            return Err(de::Error::custom("it is not a report of runvet"));
        }

        if let Some(dir) = dir {
            let run = ReportedRun {
                dir,
                valid,
                findings: findings
                    .into_iter()
                    .map(by_fingerprint)
                    .collect(),
                skipped: skipped
                    .into_iter()
                    .map(|skip| skip.rule)
                    .collect(),
            };

            self.send
                .send(run)
                .map_err(|_| de::Error::custom("nobody reads it any more"))?;
        }

        Ok(())
    }
}

/// A rule that could not be judged.
#[derive(Deserialize)]
struct Skipped {
    rule: String,
}

/// Refuses a report of another major version.
fn check_version<E: de::Error>(version: &str) -> Result<(), E> {
    let major = |version: &str| {
        version
            .split('.')
            .next()
            .map(str::to_owned)
    };

    if major(version) == major(REPORT_VERSION) {
        return Ok(());
    }

    Err(E::custom(format!(
        "its format has the version {}, but this runvet reads {REPORT_VERSION}",
        quote(version)
    )))
}
