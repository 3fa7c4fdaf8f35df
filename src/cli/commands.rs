//! The commands, one file each: parsed flags -> output and an exit status.

mod completions;
mod config;
mod diff;
mod example;
mod explain;
mod list;
mod man;
mod plan;
mod rules;
mod schema;
mod serve;
mod show;
mod validate;
mod view;
mod watch;

use clap::{ArgMatches, Subcommand};

use super::output::{self, Output};
use super::{
    Cli, Exit, Failure, clock, path_list, phases, run_data, settings, sinks, usage, words,
};

#[derive(Subcommand)]
pub(super) enum Command {
    #[command(visible_alias = "check")]
    Validate(validate::Validate),
    Watch(watch::Watch),
    Serve(serve::Serve),
    List(list::List),
    View(view::View),
    Plan(plan::Plan),
    Diff(diff::Diff),
    Show(show::Show),
    Explain(explain::Explain),
    Rules(rules::Rules),
    Schema(schema::Schema),
    Example(example::Example),
    Config(config::Config),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Runs the command. The matches distinguish flags from environment variables.
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        match self {
            Self::Validate(command) => command.run(matches, output),
            Self::Config(command) => command.run(matches, output),
            Self::Watch(command) => command.run(matches, output),
            Self::Serve(command) => command.run(matches, output),
            Self::List(command) => command.run(matches, output),
            Self::View(command) => command.run(matches, output),
            Self::Diff(command) => command.run(matches, output),
            Self::Plan(command) => command.run(output),
            Self::Show(command) => command.run(matches, output),
            Self::Explain(command) => command.run(output),
            Self::Rules(command) => command.run(output),
            Self::Schema(command) => command.run(output),
            Self::Example(command) => command.run(output),
            Self::Completions(command) => command.run(output),
            Self::Man(command) => command.run(output),
        }
    }
}
