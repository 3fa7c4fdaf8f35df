//! `runvet completions`: a shell -> a script by which it completes runvet's command line.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::output::Output;
use super::{Exit, Result, candidates};

/// Print a completion script for a shell
///
/// The shell then asks runvet what to offer: commands, options and their values, rules, and the
/// runs around the working directory.
#[derive(Args)]
#[command(after_help = "\
Examples:
  runvet completions bash > ~/.local/share/bash-completion/completions/runvet
  runvet completions zsh > ~/.zfunc/_runvet
  runvet completions fish > ~/.config/fish/completions/runvet.fish")]
pub(in crate::cli) struct Completions {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(candidates::shells()))]
    shell: String,
}

impl Completions {
    pub(super) fn run(self, output: &mut Output) -> Result {
        output
            .stdout()
            .write_all(&candidates::script(&self.shell)?)?;
        Ok(Exit::Success)
    }
}
