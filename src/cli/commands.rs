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

use clap::{ArgMatches, Args};

use super::output::{self, Output};
use super::{
    CommandFailure, Exit, Result, candidates, path_list, period, settings, sinks, usage, words,
};
#[cfg(feature = "commands")]
use super::{declared, filters, run_data, watching};

/// Runs a command with its arguments, and returns its exit code. The matches distinguish flags from
/// environment variables.
type Run = dyn Fn(&ArgMatches, &mut Output) -> Result<u8>;

/// A command, before its arguments are known.
pub(super) struct Command {
    pub(super) name: &'static str,
    declare: fn(clap::Command) -> clap::Command,
    run: Box<Run>,
}

impl Command {
    fn new<A: Args + 'static>(
        name: &'static str,
        run: fn(A, &ArgMatches, &mut Output) -> Result,
    ) -> Self {
        Self::of(name, move |args, matches, output| {
            run(args, matches, output).map(Exit::code)
        })
    }

    /// Returns a command to which it is all the same where its arguments come from.
    fn plain<A: Args + 'static>(name: &'static str, run: fn(A, &mut Output) -> Result) -> Self {
        Self::of(name, move |args, _, output| {
            run(args, output).map(Exit::code)
        })
    }

    /// Returns a command that may have the exit code of another program.
    #[cfg(feature = "commands")]
    fn with_code<A: Args + 'static>(
        name: &'static str,
        run: fn(A, &mut Output) -> Result<u8>,
    ) -> Self {
        Self::of(name, move |args, _, output| run(args, output))
    }

    fn of<A: Args + 'static>(
        name: &'static str,
        run: impl Fn(A, &ArgMatches, &mut Output) -> Result<u8> + 'static,
    ) -> Self {
        Self {
            name,
            declare: A::augment_args,
            run: Box::new(move |matches, output| {
                run(A::from_arg_matches(matches)?, matches, output)
            }),
        }
    }

    /// Returns the command as the command line has it, with its arguments.
    pub(super) fn declared(&self) -> clap::Command {
        (self.declare)(clap::Command::new(self.name))
    }

    pub(super) fn run(&self, matches: &ArgMatches, output: &mut Output) -> Result<u8> {
        if usage::is_for_programs(self.name, matches) {
            output.keep_bytes();
        }
        (self.run)(matches, output)
    }
}

/// Returns all commands.
pub(super) fn all() -> Vec<Command> {
    let least = [
        Command::new("validate", validate::Validate::run),
        Command::plain("explain", explain::Explain::run),
    ];

    least
        .into_iter()
        .chain(others())
        .collect()
}

/// Returns no other commands.
#[cfg(not(feature = "commands"))]
fn others() -> [Command; 0] {
    []
}

/// Returns the commands that the feature set `minimal` lacks.
#[cfg(feature = "commands")]
fn others() -> Vec<Command> {
    Vec::from([
        Command::new("watch", watch::WatchCommand::run),
        #[cfg(feature = "serve")]
        Command::new("serve", serve::ServeCommand::run),
        Command::new("list", list::ListCommand::run),
        Command::new("table", table::TableCommand::run),
        Command::new("view", view::ViewCommand::run),
        Command::new("plan", plan::PlanCommand::run),
        Command::new("diff", diff::DiffCommand::run),
        Command::new("compare", compare::Compare::run),
        Command::plain("impact", impact::ImpactCommand::run),
        Command::new("coverage", coverage::CoverageCommand::run),
        Command::new("verify", verify::VerifyCommand::run),
        Command::new("show", show::Show::run),
        Command::plain("import", import::ImportCommand::run),
        Command::plain("redact", redact::RedactCommand::run),
        Command::with_code("record", record::RecordCommand::run),
        Command::with_code("hook", |it: hook::HookCommand, output| Ok(it.run(output))),
        Command::with_code("mcp", mcp::McpCommand::run),
        Command::plain("recover", recover::Recover::run),
        Command::plain("abandon", abandon::Abandon::run),
        Command::plain("rules", rules::RulesCommand::run),
        Command::plain("schema", schema::SchemaCommand::run),
        Command::plain("example", example::ExampleCommand::run),
        Command::new("config", config::ConfigCommand::run),
        Command::plain("init", init::Init::run),
        Command::plain("completions", completions::Completions::run),
        Command::plain("man", man::Man::run),
    ])
}
