//! Tables: runs -> one row for each run, step, action, event or finding, as CSV or
//! NDJSON.
//!
//! ```
//! use runvet::gate::Gate;
//! use runvet::table::{RowFormat, Table, TableWriter};
//!
//! let gate = Gate::default();
//! let found = gate.discover(&["corpus/demo"]);
//! let mut csv = Vec::new();
//! let writer = TableWriter::new(Table::Actions, RowFormat::Csv, &gate);
//! writer.write(&found.episodes, &mut csv, &mut |fault| panic!("{fault}"))?;
//! assert!(csv.starts_with(b"dir,episode_id,valid,errors,warnings,"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod cell;
mod rows;

use std::io::{self, BufWriter, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde_json::Value;

use crate::gate::Gate;
use crate::ground::finding::{EpisodeReport, FaultSort, ReportedFault};
use crate::ground::parallel::{in_order, while_ok};
use crate::ground::source::{Artifact, EpisodeKey};
use crate::ground::words::words;
use crate::look::read::{EventLines, RunFilter, RunReader};
use crate::reading::schema::{CompiledSchema, checked_in};
use crate::report::write_json_line;
use crate::store::{Artifacts, EpisodeDir, display};
pub(super) use rows::Row;
#[cfg(test)]
pub(super) use rows::{ActionRow, EventRow, FindingRow, RunRow, StepRow};
use rows::{JudgedRun, documents};

/// A table, by the meaning of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Table {
    /// A run
    Runs,
    /// A step of the plan in `state.json`
    Steps,
    /// An action in `state.json`
    Actions,
    /// A line of `events.jsonl`
    Events,
    /// A finding of the check
    Findings,
}

words!(pub Table {
    Runs = "runs",
    Steps = "steps",
    Actions = "actions",
    Events = "events",
    Findings = "findings",
});

impl Table {
    /// Returns the schema of a row.
    pub(super) const fn schema(self) -> &'static CompiledSchema {
        match self {
            Self::Runs => checked_in!("table-runs"),
            Self::Steps => checked_in!("table-steps"),
            Self::Actions => checked_in!("table-actions"),
            Self::Events => checked_in!("table-events"),
            Self::Findings => checked_in!("table-findings"),
        }
    }

    /// Returns the names of the columns, in their order.
    ///
    /// ```
    /// assert_eq!(runvet::table::Table::Findings.columns()[7], "rule");
    /// ```
    #[must_use]
    pub fn columns(self) -> Vec<String> {
        let schema: Value = serde_json::from_str(self.schema().text()).unwrap_or_default();
        schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// Returns `true` if its rows come from the records, not from the timeline or the report.
    const fn needs_records(self) -> bool {
        matches!(self, Self::Runs | Self::Steps | Self::Actions)
    }
}

/// The format in which rows are written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RowFormat {
    /// A line with the names of the columns, then one for each row; null is an empty cell.
    Csv,
    /// A JSON object on each line.
    Ndjson,
}

/// The bytes of rows that wait for those of earlier runs, and those of one run. A run whose rows
/// have no room is read again when its turn comes, and its rows are written as they are read.
const MOST_WAITING: usize = 16 << 20;
const MOST_OF_A_RUN: usize = 1 << 20;

/// A writer of the rows of runs.
#[derive(Clone, Debug)]
pub struct TableWriter {
    table: Table,
    format: RowFormat,
    gate: Gate,
    filter: RunFilter,
    /// The verdicts of the runs that have rows; each if there are none.
    verdicts: Vec<Option<bool>>,
    settings: String,
}

/// The rows of a run.
enum WrittenRows {
    Kept(Vec<u8>, Option<ReportedFault>),
    Large(Box<(RunReader, EpisodeReport)>),
}

impl TableWriter {
    /// Returns a writer of the rows of all runs, which judges each with a gate.
    #[must_use]
    pub fn new(table: Table, format: RowFormat, gate: &Gate) -> Self {
        Self {
            table,
            format,
            gate: gate.clone(),
            filter: RunFilter::default(),
            verdicts: Vec::new(),
            settings: gate.settings_digest(),
        }
    }

    /// Writes the rows of these runs only.
    #[must_use]
    pub fn filter(mut self, mut filter: RunFilter) -> Self {
        self.verdicts = std::mem::take(&mut filter.valid);
        self.filter = filter;
        self
    }

    /// Writes the rows of episodes in their order, the same bytes for any number of threads. Faults
    /// are passed to `wrong`.
    ///
    /// # Errors
    ///
    /// The first error of `out`.
    pub fn write(
        &self,
        episodes: &[EpisodeDir],
        out: &mut dyn Write,
        wrong: &mut dyn FnMut(ReportedFault),
    ) -> io::Result<()> {
        self.write_of(episodes, out, wrong)
    }

    /// Writes as [`TableWriter::write`] does, for episodes in the form in which they are at hand.
    pub(crate) fn write_of(
        &self,
        episodes: &[impl Clone + Into<EpisodeDir> + Sync],
        out: &mut dyn Write,
        wrong: &mut dyn FnMut(ReportedFault),
    ) -> io::Result<()> {
        let mut sink = RowSink::new(self.format, &mut *out);
        if let RowSink::Csv(csv) = &mut sink {
            csv.write_record(self.table.columns())
                .map_err(io_error)?;
        }

        sink.finish()?;
        let room = AtomicUsize::new(MOST_WAITING);
        let mut result = Ok(());
        in_order(
            episodes,
            self.gate.parallelism(),
            || (self.gate.clone(), self.filter.clone()),
            |(gate, filter), episode| {
                let dir: EpisodeDir = episode.clone().into();
                let run = RunReader::from(dir).following(gate);
                self.of_run(run, gate, filter, &room)
            },
            |written| {
                result = match written {
                    Ok(Some(written)) => self.take(written, &room, out, wrong),
                    Ok(None) => Ok(()),
                    Err(fault) => {
                        wrong(fault);
                        Ok(())
                    }
                };
                while_ok(&result)
            },
        );

        result
    }

    /// Returns the rows of a run, if it has any and there is room for them.
    fn of_run(
        &self,
        run: RunReader,
        gate: &mut Gate,
        filter: &mut RunFilter,
        room: &AtomicUsize,
    ) -> Result<Option<WrittenRows>, ReportedFault> {
        let mut unread = Vec::new();
        if !filter.is_empty()
            && run
                .matched(filter, &mut unread)
                .is_none()
        {
            return unread
                .first()
                .map(|error| ReportedFault {
                    path: display(run.path()),
                    message: error.to_string(),
                    sort: FaultSort::default(),
                })
                .map_or(Ok(None), Err);
        }

        let judged = gate.judge(|worker| {
            run.check_and(worker, None, |loaded| {
                self.table
                    .needs_records()
                    .then(|| documents(loaded))
            })
        });
        let (report, documents) = judged.map_err(|fault| ReportedFault::from(&fault))?;
        if !self.verdicts.is_empty() && !self.verdicts.contains(&report.valid) {
            return Ok(None);
        }

        let fault = report.fault();
        let mut kept = WaitingRows {
            rows: Vec::new(),
            room,
        };

        let of = JudgedRun::new(&report, documents.as_ref(), &self.settings);
        let written = self.rows(&of, || run.event_texts().ok(), &mut kept);
        Ok(Some(if written.is_ok() {
            WrittenRows::Kept(kept.rows, fault)
        } else {
            room.fetch_add(kept.rows.len(), Ordering::Relaxed);
            WrittenRows::Large(Box::new((run, report)))
        }))
    }

    /// Writes the rows of a run whose turn it is.
    fn take(
        &self,
        written: WrittenRows,
        room: &AtomicUsize,
        out: &mut dyn Write,
        wrong: &mut dyn FnMut(ReportedFault),
    ) -> io::Result<()> {
        let fault = match written {
            WrittenRows::Kept(rows, fault) => {
                out.write_all(&rows)?;
                room.fetch_add(rows.len(), Ordering::Relaxed);
                fault
            }
            WrittenRows::Large(of) => {
                let (run, report) = *of;
                let records = || {
                    let records = run.records();
                    [records.state.ok(), records.summary.ok()]
                };

                let documents = self.table.needs_records().then(records);
                let of = JudgedRun::new(&report, documents.as_ref(), &self.settings);
                self.rows(&of, || run.event_texts().ok(), out)?;
                report.fault()
            }
        };

        fault.into_iter().for_each(wrong);
        Ok(())
    }

    /// Writes the rows of a run that a function fetches, see [`Gate::settled`], whether or not the
    /// filter admits it, and without the names of the columns. Returns why it could not be judged.
    ///
    /// # Errors
    ///
    /// The first one of `fetch` or `out`.
    pub fn write_fetched<A: Artifacts, E: From<io::Error>>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        mut fetch: impl FnMut(usize) -> Result<A, E>,
        out: &mut dyn Write,
    ) -> Result<Option<ReportedFault>, E> {
        let mut last: Option<Rc<A>> = None;
        let fetch = |number| -> Result<_, E> {
            let fetched = Rc::new(fetch(number)?);
            last = Some(Rc::clone(&fetched));
            Ok(fetched)
        };

        let table = self.table;
        let (report, documents) = self.gate.judge(|worker| {
            worker.settle(
                key,
                id,
                fetch,
                |fetched| &**fetched,
                None,
                |loaded| {
                    table
                        .needs_records()
                        .then(|| documents(loaded))
                },
            )
        })?;
        let lines = || {
            let stream = last
                .as_deref()?
                .open(Artifact::Events)
                .ok()?;
            Some(EventLines::new(stream, key.as_path().to_owned()))
        };

        let of = JudgedRun::new(&report, documents.as_ref(), &self.settings);
        self.rows(&of, lines, out)?;
        Ok(report.fault())
    }

    fn rows<'l>(
        &self,
        of: &JudgedRun<'_>,
        lines: impl FnOnce() -> Option<EventLines<'l>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut sink = RowSink::new(self.format, out);
        match self.table {
            Table::Runs => sink.row(&of.run())?,
            Table::Steps => of
                .steps()
                .try_for_each(|row| sink.row(&row))?,
            Table::Actions => of
                .actions()
                .try_for_each(|row| sink.row(&row))?,
            Table::Findings => of
                .findings()
                .try_for_each(|row| sink.row(&row))?,
            // That a timeline is missing or can't be opened is a finding.
            Table::Events => {
                if let Some(lines) = lines() {
                    of.events(lines, |row| sink.row(&row))?;
                }
            }
        }

        sink.finish()
    }
}

/// Takes rows, and writes each.
enum RowSink<'o> {
    Csv(Box<csv::Writer<&'o mut dyn Write>>),
    Ndjson(BufWriter<&'o mut dyn Write>),
}

impl<'o> RowSink<'o> {
    fn new(format: RowFormat, out: &'o mut dyn Write) -> Self {
        match format {
            RowFormat::Csv => {
                let mut builder = csv::WriterBuilder::new();
                Self::Csv(Box::new(
                    builder
                        .has_headers(false)
                        .from_writer(out),
                ))
            }
            RowFormat::Ndjson => Self::Ndjson(BufWriter::new(out)),
        }
    }

    fn row<T: Serialize>(&mut self, row: &Row<'_, T>) -> io::Result<()> {
        match self {
            // Columns of both parts stand side by side.
            Self::Csv(csv) => csv
                .serialize((row.head, &row.own))
                .map_err(io_error),
            Self::Ndjson(out) => {
                // Texts are those of the records, and may be printed to a terminal.
                write_json_line(out, row)
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Csv(mut csv) => csv.flush(),
            Self::Ndjson(mut out) => out.flush(),
        }
    }
}

fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The rows of a run, as far as there is room for them.
struct WaitingRows<'r> {
    rows: Vec<u8>,
    room: &'r AtomicUsize,
}

impl Write for WaitingRows<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_long = self.rows.len() + bytes.len() > MOST_OF_A_RUN;
        let take = |room: usize| {
            room.checked_sub(bytes.len())
                .filter(|_| !is_long)
        };

        let taken = self
            .room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if taken.is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }

        self.rows.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
