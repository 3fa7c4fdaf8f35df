//! The commands, one file each: parsed flags -> output and an exit status.

mod abandon;
mod compare;
mod completions;
mod config;
mod coverage;
mod diff;
mod example;
mod explain;
mod impact;
mod list;
mod man;
mod plan;
mod record;
mod recover;
mod rules;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod table;
mod validate;
mod view;
mod watch;

use clap::{ArgMatches, Subcommand};

use super::output::{self, Output};
use super::{
    Exit, Failure, candidates, declared, filters, path_list, period, run_data, settings, sinks,
    usage, watching, words,
};

#[derive(Subcommand)]
pub(super) enum Command {
    #[command(visible_alias = "check")]
    Validate(validate::Validate),
    Watch(watch::Watch),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
    List(list::List),
    Table(table::Table),
    View(view::View),
    Plan(plan::Plan),
    Diff(diff::Diff),
    Compare(compare::Compare),
    Impact(impact::Impact),
    Coverage(coverage::Coverage),
    Show(show::Show),
    Record(record::Record),
    Recover(recover::Recover),
    Abandon(abandon::Abandon),
    Explain(explain::Explain),
    Rules(rules::Rules),
    Schema(schema::Schema),
    Example(example::Example),
    Config(config::Config),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Runs the command, and returns its exit code. The matches distinguish flags from environment
    /// variables.
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<u8, Failure> {
        let exit = match self {
            Self::Validate(command) => command.run(matches, output),
            Self::Config(command) => command.run(matches, output),
            Self::Watch(command) => command.run(matches, output),
            #[cfg(feature = "serve")]
            Self::Serve(command) => command.run(matches, output),
            Self::List(command) => command.run(matches, output),
            Self::Table(command) => command.run(matches, output),
            Self::View(command) => command.run(matches, output),
            Self::Diff(command) => command.run(matches, output),
            Self::Compare(command) => command.run(matches, output),
            Self::Coverage(command) => command.run(matches, output),
            Self::Impact(command) => command.run(output),
            Self::Plan(command) => command.run(matches, output),
            Self::Show(command) => command.run(matches, output),
            // It may have the exit code of another program.
            Self::Record(command) => return command.run(output),
            Self::Recover(command) => command.run(output),
            Self::Abandon(command) => command.run(output),
            Self::Explain(command) => command.run(output),
            Self::Rules(command) => command.run(output),
            Self::Schema(command) => command.run(output),
            Self::Example(command) => command.run(output),
            Self::Completions(command) => command.run(output),
            Self::Man(command) => command.run(output),
        };
        exit.map(Exit::code)
    }
}
