//! `runvet man`: writes the manual pages.

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use super::output::Output;
use super::{Cli, Exit, Failure};

/// Write the manual pages into a directory
#[derive(Args)]
#[command(after_help = "\
Example:
  runvet man ~/.local/share/man/man1 && man runvet-validate")]
pub(in crate::cli) struct Man {
    /// The directory, which must exist; runvet.1 and a page for each command are written into it
    dir: PathBuf,
}

impl Man {
    pub(super) fn run(self, _: &mut Output) -> Result<Exit, Failure> {
        clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), &self.dir).map_err(
            |error| {
                Failure::Fault(format!(
                    "can't write manual pages into {}: {error}",
                    self.dir.display()
                ))
            },
        )?;
        Ok(Exit::Success)
    }
}
