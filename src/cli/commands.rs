//! The commands, one file each: parsed flags -> output and an exit status.

#[cfg(feature = "commands")]
mod abandon;
#[cfg(feature = "commands")]
mod compare;
#[cfg(feature = "commands")]
mod completions;
#[cfg(feature = "commands")]
mod config;
#[cfg(feature = "commands")]
mod coverage;
#[cfg(feature = "commands")]
mod diff;
#[cfg(feature = "commands")]
mod example;
mod explain;
#[cfg(feature = "commands")]
mod hook;
mod impact;
#[cfg(feature = "commands")]
mod import;
#[cfg(feature = "commands")]
mod init;
#[cfg(feature = "commands")]
mod list;
#[cfg(feature = "commands")]
mod man;
#[cfg(feature = "commands")]
mod mcp;
#[cfg(feature = "commands")]
mod plan;
#[cfg(feature = "commands")]
mod record;
#[cfg(feature = "commands")]
mod recover;
#[cfg(feature = "commands")]
mod redact;
#[cfg(feature = "commands")]
mod rules;
#[cfg(feature = "commands")]
mod schema;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "commands")]
mod show;
#[cfg(feature = "commands")]
mod table;
mod validate;
#[cfg(feature = "commands")]
mod verify;
#[cfg(feature = "commands")]
mod view;
#[cfg(feature = "commands")]
mod watch;

use clap::{ArgMatches, Parser, Subcommand};

use super::output::{self, Output};
use super::{
    CommandFailure, Exit, Result, candidates, path_list, period, settings, sinks, usage, words,
};
#[cfg(feature = "commands")]
use super::{declared, filters, run_data, watching};

/// Vets agent runs: checks the records that an agent runtime leaves for each episode against their
/// JSON Schemas, against each other, and against the event timeline.
#[derive(Parser)]
#[command(
    name = "runvet",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[cfg_attr(
    not(feature = "commands"),
    command(
        after_help = "This build has the feature `minimal` alone; `cargo build` adds the other commands."
    )
)]
pub(super) enum Command {
    #[command(visible_alias = "check")]
    Validate(validate::Validate),
    Explain(explain::Explain),
    #[cfg(feature = "commands")]
    #[command(flatten)]
    Other(Other),
}

impl Command {
    /// Runs the command, and returns its exit code. The matches distinguish flags from environment
    /// variables.
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<u8> {
        match self {
            Self::Validate(command) => command
                .run(matches, output)
                .map(Exit::code),
            Self::Explain(command) => command.run(output).map(Exit::code),
            #[cfg(feature = "commands")]
            Self::Other(other) => other.run(matches, output),
        }
    }
}

/// The commands that the feature set `minimal` lacks.
#[cfg(feature = "commands")]
#[derive(Subcommand)]
pub(super) enum Other {
    Watch(watch::WatchCommand),
    #[cfg(feature = "serve")]
    Serve(serve::ServeCommand),
    List(list::ListCommand),
    Table(table::TableCommand),
    View(view::ViewCommand),
    Plan(plan::PlanCommand),
    Diff(diff::DiffCommand),
    Compare(compare::Compare),
    Impact(impact::ImpactCommand),
    Coverage(coverage::CoverageCommand),
    Verify(verify::VerifyCommand),
    Show(show::Show),
    Import(import::ImportCommand),
    Redact(redact::RedactCommand),
    Record(record::RecordCommand),
    Hook(hook::HookCommand),
    Mcp(mcp::McpCommand),
    Recover(recover::Recover),
    Abandon(abandon::Abandon),
    Rules(rules::RulesCommand),
    Schema(schema::SchemaCommand),
    Example(example::ExampleCommand),
    Config(config::ConfigCommand),
    Init(init::Init),
    Completions(completions::Completions),
    Man(man::Man),
}

#[cfg(feature = "commands")]
impl Other {
    fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<u8> {
        let exit = match self {
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
            Self::Verify(command) => command.run(matches, output),
            Self::Impact(command) => command.run(output),
            Self::Plan(command) => command.run(matches, output),
            Self::Show(command) => command.run(matches, output),
            // It may have the exit code of another program.
            Self::Record(command) => return command.run(output),
            Self::Hook(command) => return Ok(command.run(output)),
            Self::Mcp(command) => return command.run(output),
            Self::Import(command) => command.run(output),
            Self::Redact(command) => command.run(output),
            Self::Recover(command) => command.run(output),
            Self::Abandon(command) => command.run(output),
            Self::Rules(command) => command.run(output),
            Self::Schema(command) => command.run(output),
            Self::Example(command) => command.run(output),
            Self::Init(command) => command.run(output),
            Self::Completions(command) => command.run(output),
            Self::Man(command) => command.run(output),
        };

        exit.map(Exit::code)
    }
}
