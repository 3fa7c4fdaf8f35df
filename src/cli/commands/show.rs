//! `runvet show`: a record of a run -> its JSON, indented or as stored.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};

use super::output::Output;
use super::run_data::RunArgs;
use super::{Exit, Failure};
use crate::report::{write_json_pretty, write_json_text};
use crate::source::Artifact;

/// Print a record of a run, indented; unknown fields, the digits of numbers and the order of keys
/// are kept
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_long_help = "\
Example:
  $ runvet show ep_01 summary --run-data corpus/demo
  {
    \"adapter_result\": \"success\",
    \"duration_sec\": 0.15,
  …"
)]
pub(in crate::cli) struct Show {
    #[command(flatten)]
    run: RunArgs,

    /// The record
    record: RecordName,

    /// Print the stored bytes unchanged
    #[arg(long)]
    raw: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RecordName {
    /// state.json
    State,
    /// summary.json
    Summary,
}

impl Show {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let run = self.run.open(output)?;
        let out = output.stdout();
        if self.raw {
            let bytes = run.bytes(match self.record {
                RecordName::State => Artifact::State,
                RecordName::Summary => Artifact::Summary,
            })?;
            // A terminal would interpret control characters.
            if io::stdout().is_terminal() {
                write_json_text(out, &String::from_utf8_lossy(&bytes))?;
            } else {
                out.write_all(&bytes)?;
            }
            return Ok(Exit::Success);
        }
        let document = match self.record {
            RecordName::State => run.state()?.into_document(),
            RecordName::Summary => run.summary()?.into_document(),
        };
        write_json_pretty(out, document.root())?;
        writeln!(out)?;
        Ok(Exit::Success)
    }
}
