//! `runvet coverage`: runs -> what a check of them looks at.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::Result;
use super::output::Output;
use super::settings::{GateArgs, Settings, parse_whole};
use super::sinks::write_result;
use super::validate::notes::skipped;
use super::words::{FORMATS, OutputFormat, format_of};
use crate::look::coverage::{coverage, text};
use crate::store::GivenPaths;

/// Show what a check of runs looks at: rules, fields, words and events
///
/// A rule without findings may have had nothing to compare. For each rule, this command counts the
/// runs in which the rule found something, compared something, had nothing to compare, or could not
/// be checked. For each field of the schemas and each word of their vocabularies, it counts the
/// values. For each selector of a team, it counts the events that the selector matches.
#[derive(Args)]
#[command(after_long_help = "\
Exit codes:
  0  the coverage is shown, also of runs that are not valid
  2  a path could not be looked at, or a run not judged; the rest is counted
  3  no episode was found

Examples:
  runvet coverage runs/
  runvet coverage runs/ --format json | jq '.rules | map_values(select(.sound + .found == 0))'")]
pub(in crate::cli) struct CoverageCommand {
    /// Run-data directories, episode directories, or artifact files, which stand for their episodes
    /// [default: .]
    paths: Vec<PathBuf>,

    /// The run-data directory, in place of a path
    #[arg(long, value_name = "DIR", conflicts_with = "paths")]
    run_data: Option<PathBuf>,

    /// How to print the coverage
    #[arg(long, default_value = "human", value_parser = format_of(FORMATS))]
    format: OutputFormat,

    /// Number of runs to read in parallel [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_whole::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    gate: GateArgs,
}

impl CoverageCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let Settings { file, mut gate, .. } = self.gate.resolve(matches)?;
        if let Some(jobs) = self.jobs {
            gate = gate.jobs(jobs);
        }

        let paths = [&*self.paths, self.run_data.as_slice()].concat();
        file.note_others(paths.iter().map(PathBuf::as_path), output);
        let found = match &*paths {
            [] => gate.search(&["."], GivenPaths::Each),
            paths => gate.search(paths, GivenPaths::Each),
        };

        for note in skipped(&found) {
            output.note(&note);
        }

        let covered = coverage(&found, &gate);
        if covered.runs > 0 {
            let out = output.stdout();
            write_result(self.format, &covered, text::human, text::markdown, out)?;
        }

        Ok(output.end(&covered.faults, Some(&found))?)
    }
}
