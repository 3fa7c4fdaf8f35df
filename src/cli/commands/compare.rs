//! `runvet compare`: two sets of runs -> what changed, and whether that fails a gate.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{ArgMatches, Args};

use super::output::Output;
use super::settings::{GateArgs, Settings};
use super::sinks::{parse_output, write_result, write_whole};
use super::words::{OutputFormat, format_of, named_format};
use super::{CommandFailure, Exit, Result};
use crate::gate::{Gate, Limit};
use crate::look::compare::{self, Comparison, FailCondition, GroupComparison, PairBy, page, text};
use crate::look::diff::{Difference, opened};
use crate::look::read::RunReader;

/// Compare two sets of runs: successes, durations, counts and metrics of the same tasks
///
/// Pairs the runs of both sets, and shows what changed in each pair and in total. Only runs that
/// have ended and whose records agree are compared; others are listed separately. An exact sign
/// test over tasks says how likely a change is by chance; repeats of one task count as one. An
/// exact Cochran-Mantel-Haenszel test says the same of the runs within these tasks.
#[derive(Args)]
#[command(after_long_help = "\
Exit codes:
  0  the sets were compared, and no condition of --fail-if holds
  1  a condition of --fail-if holds
  2  the sets can't be compared, a condition can't hold with so few tasks, too
     many runs are left out, or something could not be read, judged or written

Examples:
  runvet compare runs/main runs/change --pair task,seed
  runvet compare base new --pair tag:case --fail-if 'success: worse, p < 0.05'
  runvet compare runs --by model")]
pub(in crate::cli) struct Compare {
    /// The runs to compare with: a path as for `runvet validate`
    base: PathBuf,

    /// The runs that may be better or worse
    #[arg(required_unless_present = "by")]
    candidate: Option<PathBuf>,

    /// Compare the runs of one path, or of both, by the values of this tag: the mean of success,
    /// duration and each metric for each value, and the difference to the first one, with their
    /// intervals. Runs of one task are repeats and count as one
    #[arg(long, value_name = "TAG", conflicts_with_all = ["pair", "fail_if", "max_left_out"])]
    by: Option<String>,

    /// The value of the tag with which the others are compared [default: the first one]
    #[arg(long = "base", value_name = "VALUE", requires = "by")]
    base_value: Option<String>,

    /// What pairs runs: task, seed and tag:NAME, separated by commas; the first names the task.
    /// Runs without a seed need `--pair task`
    #[arg(
        long,
        value_name = "KEYS",
        value_delimiter = ',',
        default_value = "task,seed"
    )]
    pair: Vec<PairBy>,

    /// Exit with 1 if this condition holds, such as 'success: worse, p < 0.05': a measure, a
    /// direction (worse, better, lower or higher), and optionally a limit for the p-value over
    /// tasks, or for that within tasks (`cmh_p < 0.05`); repeatable
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<FailCondition>,

    /// Exit with 2 if more runs than this number, or share such as 5%, are left out: not paired,
    /// unfinished or invalid, or without a value of the measure of a condition that fails it. With
    /// such a condition it is 0, unless it is given
    #[arg(long, value_name = "N")]
    max_left_out: Option<Limit>,

    /// How to print the comparison
    ///
    /// The page has the measures, then the flipped tasks, each with its differences.
    #[arg(long, default_value = "human", value_parser = format_of(FORMATS))]
    format: OutputFormat,

    /// Also write the comparison to a file, in any format; repeatable
    #[arg(long = "output", value_name = "FORMAT=PATH", value_parser = OsStringValueParser::new().try_map(parse_own))]
    outputs: Vec<(OutputFormat, PathBuf)>,

    #[command(flatten)]
    gate: GateArgs,
}

/// The formats of a comparison.
const FORMATS: &[OutputFormat] = &[
    OutputFormat::Human,
    OutputFormat::Json,
    OutputFormat::Markdown,
    OutputFormat::Html,
];

/// Parses `FORMAT=PATH`.
fn parse_own(setting: OsString) -> Result<(OutputFormat, PathBuf), String> {
    parse_output(setting, |name| named_format(FORMATS, name))
}

impl Compare {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let Settings { file, mut gate, .. } = self.gate.resolve(matches)?;
        let paths = std::iter::once(&self.base).chain(&self.candidate);
        file.note_others(paths.clone().map(PathBuf::as_path), output);

        let (None, Some(candidate)) = (&self.by, &self.candidate) else {
            let paths: Vec<PathBuf> = paths.cloned().collect();
            return self.by_groups(&paths, &gate, output);
        };

        let mut comparison = compare::compare(&self.base, candidate, &self.pair, &gate)?;
        let fails = comparison
            .decide(&self.fail_if, self.max_left_out.as_ref())
            .map_err(CommandFailure::Fault)?;

        for (format, path) in &self.outputs {
            write_whole(path, |file| write(*format, &comparison, &mut gate, file))?;
        }

        write(self.format, &comparison, &mut gate, output.stdout())?;
        Ok(match output.end(&comparison.faults, None)? {
            Exit::Success if fails => Exit::Findings,
            exit => exit,
        })
    }

    /// Compares the runs below paths by the values of a tag.
    fn by_groups(&self, paths: &[PathBuf], gate: &Gate, output: &mut Output) -> Result {
        let by = self.by.as_deref().unwrap_or_default();
        let groups = GroupComparison::read(paths, by, self.base_value.as_deref(), gate)?;
        let formats = self
            .outputs
            .iter()
            .map(|(format, _)| *format);
        if formats
            .chain([self.format])
            .any(|format| format == OutputFormat::Html)
        {
            return Err(CommandFailure::fault(
                "groups have no page in one file: `runvet serve` shows them",
            ));
        }

        let write = |format, out: &mut dyn Write| {
            write_result(
                format,
                &groups,
                text::groups_human,
                text::groups_markdown,
                out,
            )
        };

        for (format, path) in &self.outputs {
            write_whole(path, |file| write(*format, file))?;
        }

        write(self.format, output.stdout())?;
        Ok(output.end(&groups.faults, None)?)
    }
}

fn write(
    format: OutputFormat,
    comparison: &Comparison,
    gate: &mut Gate,
    out: &mut dyn Write,
) -> io::Result<()> {
    if format != OutputFormat::Html {
        return write_result(format, comparison, text::human, text::markdown, out);
    }

    let diffs: Vec<_> = comparison
        .flipped
        .iter()
        .take(page::MAX_DIFFED)
        .map(|pair| diff(&pair.base, &pair.candidate, gate))
        .collect();

    writeln!(out, "{}", page::page(comparison, &diffs))
}

/// Returns what differs between two runs, or why that is not known.
fn diff(base: &str, candidate: &str, gate: &mut Gate) -> Result<Vec<Difference>, String> {
    let mut subject = |dir: &str| {
        RunReader::open(dir)
            .and_then(|run| opened(&run, gate))
            .map_err(|error| error.to_string())
    };

    let diff = crate::look::diff::compare(&subject(base)?, &subject(candidate)?);
    diff.map(|diff| diff.differences)
        .map_err(|error| error.to_string())
}
