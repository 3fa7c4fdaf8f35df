//! The command line: the only place that prints, reads the environment and sets exit codes.

mod changed;
mod completions;
mod explain;
mod list;
mod man;
mod output;
mod plan;
mod rules;
mod run_data;
mod schema;
mod show;
mod validate;
mod view;
mod watch;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::Output;

/// How a command ended; see `runvet validate --help` for what the numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Success,
    Findings,
    Fault,
    NothingFound,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Findings => 1,
            Exit::Fault => 2,
            Exit::NothingFound => 3,
        })
    }
}

/// Why a command came to no end of its own.
enum Failure {
    /// What it had to print could not be printed.
    Output(io::Error),
    /// It could not do its job.
    Fault(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<crate::read::Error> for Failure {
    fn from(error: crate::read::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<crate::check::Error> for Failure {
    fn from(error: crate::check::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

/// Vets agent runs: checks the records that an agent runtime leaves for each episode against their JSON Schemas, against
/// each other, and against the event timeline.
#[derive(Parser)]
#[command(name = "runvet", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Validate(validate::Validate),
    Watch(watch::Watch),
    List(list::List),
    View(view::View),
    Plan(plan::Plan),
    Show(show::Show),
    Explain(explain::Explain),
    Rules(rules::Rules),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs a command line, the program's name first, and says how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Fault } else { Exit::Success };
            // Where the message can't be printed there is nowhere left to say so.
            return if error.print().is_ok() { exit } else { Exit::Fault }.into();
        }
    };
    let mut output = Output::new();
    let done = match cli.command {
        Command::Validate(command) => command.run(&mut output),
        Command::Watch(command) => command.run(&mut output),
        Command::List(command) => command.run(&mut output),
        Command::View(command) => command.run(&mut output),
        Command::Plan(command) => command.run(&mut output),
        Command::Show(command) => command.run(&mut output),
        Command::Explain(command) => command.run(&mut output),
        Command::Rules(command) => command.run(&mut output),
        Command::Schema(command) => command.run(&mut output),
        Command::Completions(command) => command.run(&mut output),
        Command::Man(command) => command.run(&mut output),
    };
    let exit = match done.and_then(|exit| Ok(output.finish().map(|()| exit)?)) {
        Ok(exit) => exit,
        Err(Failure::Fault(message)) => {
            // What was printed before goes before what is told of it.
            let _ = output.finish();
            output.fault(&message);
            Exit::Fault
        }
        Err(Failure::Output(error)) => {
            output.fault_of_output(&error);
            Exit::Fault
        }
    };
    exit.into()
}
