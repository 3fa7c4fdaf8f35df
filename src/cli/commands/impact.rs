//! `runvet impact`: two reports -> what changed, and whether that is more than it may be.

use std::path::PathBuf;

use clap::Args;

use super::output::Output;
use super::sinks::write_result;
use super::words::{FORMATS, OutputFormat, format_of};
use super::{Exit, Result};
use crate::gate::Limit;
use crate::look::impact::{Impact as Changes, impact, text};

/// Compare two reports: what a change of rules, levels or versions does to the same runs
///
/// Joins two reports of `runvet validate` by the directories of the runs and the fingerprints of
/// the findings. Shows for each rule which findings are new, gone, or of another level, and lists
/// the runs whose verdict changed.
#[derive(Args)]
#[command(after_long_help = "\
Exit codes:
  0  the reports were compared, and nothing is above its limit
  1  more runs are affected than --fail-above allows
  2  the reports, or more of their runs than --max-incomparable allows, can't be
     compared

Examples:
  runvet validate --format ndjson runs > before.ndjson
  runvet validate --format ndjson --rule 'summary/*=error' runs > after.ndjson
  runvet impact before.ndjson after.ndjson --fail-above 1%")]
pub(in crate::cli) struct ImpactCommand {
    /// The report before the change, in the format json or ndjson
    before: PathBuf,

    /// The report after the change
    after: PathBuf,

    #[command(flatten)]
    limits: Limits,

    /// How to print what changed
    #[arg(long, default_value = "human", value_parser = format_of(FORMATS))]
    format: OutputFormat,
}

/// The limits of what may change.
#[derive(Args)]
pub(super) struct Limits {
    /// Exit with 1 if more runs than this are affected: a number, or a share such as 1%
    #[arg(long, value_name = "LIMIT")]
    pub(super) fail_above: Option<Limit>,

    /// Exit with 2 if more runs than this can't be compared [default: 0 with --fail-above]
    #[arg(long, value_name = "LIMIT")]
    max_incomparable: Option<Limit>,
}

impl ImpactCommand {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let changes = impact(&self.before, &self.after)?;
        self.limits
            .decide(changes, self.format, output)
    }
}

impl Limits {
    /// Prints an impact, and decides whether it is more than it may be.
    pub(super) fn decide(
        &self,
        mut changes: Changes,
        format: OutputFormat,
        output: &mut Output,
    ) -> Result {
        let all = Limit::none();
        let otherwise = self
            .fail_above
            .is_some()
            .then_some(&all);
        let incomparable = self
            .max_incomparable
            .as_ref()
            .or(otherwise);
        let exceeded = changes.decide(self.fail_above.as_ref(), incomparable);
        let out = output.stdout();
        write_result(format, &changes, text::human, text::markdown, out)?;
        output.finish()?;

        Ok(match exceeded {
            [_, true] => Exit::Fault,
            [true, false] => Exit::Findings,
            [false, false] => Exit::Success,
        })
    }
}
