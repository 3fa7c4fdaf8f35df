//! `runvet show`: a record of a run -> its JSON, indented or as stored.

use std::cmp::Ordering;
use std::io::{self, IsTerminal};
use std::num::NonZeroU64;

use clap::{ArgMatches, Args};

use super::output::Output;
use super::run_data::RunArgs;
use super::settings::parse_whole;
use super::usage::refuse;
use super::words::word_among;
use super::{CommandFailure, Exit, Result};
use crate::ground::source::Artifact;
use crate::look::read::{Error, RunReader};
use crate::report::{write_json_pretty, write_json_text};

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
    #[arg(value_parser = word_among(RECORDS))]
    record: Artifact,

    /// Print only the event on this line of the timeline
    #[arg(long, value_name = "N", value_parser = parse_whole::<NonZeroU64>)]
    line: Option<NonZeroU64>,

    /// Print the stored bytes unchanged
    #[arg(long, conflicts_with = "line")]
    raw: bool,
}

/// The records that are shown.
const RECORDS: &[(&str, Artifact, &str)] = &[
    ("state", Artifact::State, "state.json"),
    ("summary", Artifact::Summary, "summary.json"),
    (
        "events",
        Artifact::Events,
        "events.jsonl, one event after the other",
    ),
    ("manifest", Artifact::Manifest, "manifest.json"),
];

impl Show {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        if self.record != Artifact::Events {
            refuse(matches, "line", "works only with `events`")?;
        }

        let run = self.run.open(output)?;
        if self.raw {
            let bytes = run.bytes(self.record)?;
            let out = output.stdout();
            // A terminal would interpret control characters.
            if io::stdout().is_terminal() {
                write_json_text(out, &String::from_utf8_lossy(&bytes))?;
            } else {
                out.write_all(&bytes)?;
            }

            return Ok(Exit::Success);
        }

        if self.record == Artifact::Events {
            return events(&run, self.line, output);
        }

        let document = run.document(self.record)?;
        write_json_pretty(output.stdout(), document.root())?;
        writeln!(output.stdout())?;

        Ok(Exit::Success)
    }
}

/// Prints the events, or the one on a line.
fn events(run: &RunReader, wanted: Option<NonZeroU64>, output: &mut Output) -> Result {
    let wanted = wanted.map(NonZeroU64::get);
    let mut events = run
        .event_texts()?
        .starting_at(wanted.unwrap_or_default());
    let mut exit = Exit::Success;

    while let Some(read) = events.next_document() {
        let line = match &read {
            Ok((line, _)) => Some(*line),
            Err(Error::Artifact { place, .. }) => place.map(|(line, _)| line),
            Err(_) => None,
        };

        if let (Some(wanted), Some(line)) = (wanted, line) {
            match line.cmp(&wanted) {
                Ordering::Less => continue,
                Ordering::Equal => {}
                Ordering::Greater => break,
            }
        }

        match read {
            Ok((_, event)) => {
                write_json_pretty(output.stdout(), event)?;
                writeln!(output.stdout())?;
            }
            Err(error) => {
                output.fault(&error);
                exit = Exit::Fault;
            }
        }

        if wanted.is_some() {
            return Ok(exit);
        }
    }

    match wanted {
        None => Ok(exit),
        Some(line) => Err(CommandFailure::Fault(format!(
            "{} has no event on line {line}",
            Artifact::Events
        ))),
    }
}
