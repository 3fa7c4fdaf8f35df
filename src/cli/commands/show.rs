//! `runvet show`: a record, pretty-printed or as it was stored.

use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};

use super::output::Output;
use super::run_data::RunDataArgs;
use super::{Exit, Failure};
use crate::document::{Kind, Node};
use crate::report::write_json_text;
use crate::source::Artifact;

/// Print a record of a run, with nothing lost: unknown fields, the texts of numbers, the order of
/// keys
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet show ep_01 summary --run-data corpus/demo
  {
    \"adapter_result\": \"success\",
    \"duration_sec\": 0.15,
  …")]
pub(in crate::cli) struct Show {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The run: its id, the beginning of it, @latest, or a path
    episode: String,

    /// Which record
    record: Record,

    /// Print the bytes as they were stored
    #[arg(long)]
    raw: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Record {
    /// state.json
    State,
    /// summary.json
    Summary,
}

impl Show {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let episode = self.run_data.episode(&self.episode)?;
        let out = output.stdout();
        if self.raw {
            let bytes = episode.bytes(match self.record {
                Record::State => Artifact::State,
                Record::Summary => Artifact::Summary,
            })?;
            // A terminal would act on what a file or a pipe only keeps.
            if io::stdout().is_terminal() {
                write_json_text(out, &String::from_utf8_lossy(&bytes))?;
            } else {
                out.write_all(&bytes)?;
            }
            return Ok(Exit::Success);
        }
        let document = match self.record {
            Record::State => episode.state()?.into_document(),
            Record::Summary => episode.summary()?.into_document(),
        };
        pretty(out, document.root(), 0)?;
        writeln!(out)?;
        Ok(Exit::Success)
    }
}

/// Writes a value with one member or item on each line.
fn pretty(out: &mut dyn Write, node: Node<'_>, depth: usize) -> io::Result<()> {
    let line = |out: &mut dyn Write, first: bool, depth: usize| {
        write!(
            out,
            "{}\n{:indent$}",
            if first { "" } else { "," },
            "",
            indent = depth * 2
        )
    };
    let is_empty = node.members().next().is_none() && node.items().next().is_none();
    match node.kind() {
        Kind::Object if !is_empty => {
            out.write_all(b"{")?;
            for (index, key) in node.all_members().enumerate() {
                line(out, index == 0, depth + 1)?;
                write_json_text(out, key.raw())?;
                out.write_all(b": ")?;
                pretty(out, key.value(), depth + 1)?;
            }
            write!(out, "\n{:indent$}}}", "", indent = depth * 2)
        }
        Kind::Array if !is_empty => {
            out.write_all(b"[")?;
            for (index, item) in node.items().enumerate() {
                line(out, index == 0, depth + 1)?;
                pretty(out, item, depth + 1)?;
            }
            write!(out, "\n{:indent$}]", "", indent = depth * 2)
        }
        Kind::Object => out.write_all(b"{}"),
        Kind::Array => out.write_all(b"[]"),
        _ => write_json_text(out, node.raw()),
    }
}
