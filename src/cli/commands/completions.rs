//! `runvet completions`: a shell -> a script that completes runvet's command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::output::Output;
use super::{Cli, Exit, Failure};

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  runvet completions bash > ~/.local/share/bash-completion/completions/runvet
  runvet completions zsh > ~/.zfunc/_runvet
  runvet completions fish > ~/.config/fish/completions/runvet.fish")]
pub(in crate::cli) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        // The generator panics on a write error, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "runvet", &mut script);
        output.stdout().write_all(&script)?;
        Ok(Exit::Success)
    }
}
