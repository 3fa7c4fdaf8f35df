//! `runvet table`: runs -> a table with one row for each run, step, action, event or finding.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::filters::FilterArgs;
use super::output::Output;
use super::settings::{GateArgs, Settings, parse_whole};
use super::sinks::write_whole;
use super::usage::note_idle;
use super::validate::notes::skipped;
use super::words::{OutputFormat, format_of, one_of};
use super::{CommandFailure, Result};
use crate::ground::finding::ReportedFault;
use crate::ground::printable::escape;
use crate::look::table::{RowFormat, Table, TableWriter};
use crate::store::GivenPaths;

/// Write runs as a table: one row for each run, step, action, event or finding
///
/// Each row names its run, says whether the records of that run agree, and gives the version and
/// the settings with which runvet judged the run. The rows are in the order of the directories.
/// `runvet schema table-runs`, and so on, describes the columns.
#[derive(Args)]
#[command(after_long_help = "\
Exit codes:
  0  the table is written, also of runs that are not valid
  2  something could not be read, judged or written; the table has the rest
  3  no episode was found

Examples:
  runvet table runs runs/ --output runs.csv
  runvet table actions runs/ --format ndjson | jq -c 'select(.valid)'")]
pub(in crate::cli) struct TableCommand {
    /// What a row stands for
    #[arg(value_name = "TABLE", value_parser = one_of(describe))]
    rows: Table,

    /// Run-data directories, episode directories, or artifact files, which stand for their episodes
    /// [default: .]
    paths: Vec<PathBuf>,

    /// The run-data directory, in place of a path
    #[arg(long, value_name = "DIR", conflicts_with = "paths")]
    run_data: Option<PathBuf>,

    /// How to write the rows
    #[arg(long, default_value = "csv", value_parser = format_of(FORMATS))]
    format: OutputFormat,

    /// Write the table to a file, which is replaced as a whole
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only runs for which `runvet validate` reports an error, or can't decide
    #[arg(long)]
    invalid: bool,

    /// Number of runs to read in parallel [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_whole::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    gate: GateArgs,
}

fn describe(table: Table) -> &'static str {
    match table {
        Table::Runs => "A row for each run: what its state and summary say",
        Table::Steps => "A row for each step of the plans in the states",
        Table::Actions => "A row for each action in the states",
        Table::Events => "A row for each line of the timelines",
        Table::Findings => "A row for each finding that counts",
    }
}

/// The formats of a table.
const FORMATS: &[OutputFormat] = &[
    OutputFormat::Csv,
    OutputFormat::Ndjson,
    OutputFormat::Parquet,
];

impl TableCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let format = match self.format {
            OutputFormat::Csv => RowFormat::Csv,
            OutputFormat::Ndjson => RowFormat::Ndjson,
            _ => {
                return Err(CommandFailure::fault(
                    "the command writes no Parquet; in Python, \
                     `runvet.open(DIR).table(TABLE).write_parquet(FILE)` does",
                ));
            }
        };

        self.filters.period.note(output);
        let Settings { file, mut gate, .. } = self.gate.resolve(matches)?;
        if let Some(jobs) = self.jobs {
            gate = gate.jobs(jobs);
        }

        note_idle(&gate, output);
        let paths = [&*self.paths, self.run_data.as_slice()].concat();
        file.note_others(paths.iter().map(PathBuf::as_path), output);

        let found = match &*paths {
            [] => gate.search(&["."], GivenPaths::None),
            paths => gate.search(paths, GivenPaths::Each),
        };

        for note in skipped(&found) {
            output.note(&note);
        }

        let mut faults: Vec<ReportedFault> = found
            .faults
            .iter()
            .map(Into::into)
            .collect();
        let mut filter = self.filters.filter();
        if self.invalid {
            filter.valid = vec![Some(false), None];
        }

        let writer = TableWriter::new(self.rows, format, &gate).filter(filter);
        let mut wrong = |fault| faults.push(fault);
        if found.episodes.is_empty() {
        } else if let Some(path) = &self.output {
            write_whole(path, |file| {
                writer.write_of(&found.episodes, file, &mut wrong)
            })?;
        } else if io::stdout().is_terminal() && matches!(format, RowFormat::Csv) {
            let mut safe = Safe(output.stdout());
            writer.write_of(&found.episodes, &mut safe, &mut wrong)?;
        } else {
            writer.write_of(&found.episodes, output.stdout(), &mut wrong)?;
        }

        Ok(output.end(&faults, Some(&found))?)
    }
}

/// Escapes what controls a terminal: texts of a table are those of the records.
struct Safe<'o>(&'o mut dyn Write);

impl Write for Safe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
            let text = line.trim_end_matches('\n');
            let end = line
                .strip_prefix(text)
                .unwrap_or_default();
            write!(self.0, "{}{end}", escape(text))?;
        }

        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
