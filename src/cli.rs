//! The command line: the only place that prints, reads the environment and sets exit codes.

mod changed;
mod commands;
mod output;
mod run_data;
mod settings;
mod sinks;

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::{Arg, CommandFactory, FromArgMatches, Parser};

use commands::Command;
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
    /// The same, with the place that is to blame, ready to be printed.
    Drawn(String),
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

/// Vets agent runs: checks the records that an agent runtime leaves for each episode against their
/// JSON Schemas, against each other, and against the event timeline.
#[derive(Parser)]
#[command(
    name = "runvet",
    version,
    propagate_version = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The command line. A variable of the environment that is empty, as pipelines leave them, is as
/// good as none.
fn command() -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let without_empty = |arg: Arg| {
        if arg.get_env().is_some_and(is_empty) {
            arg.env(Resettable::Reset)
        } else {
            arg
        }
    };
    Cli::command().mut_subcommands(|command| command.mut_args(without_empty))
}

/// Runs a command line, the program's name first, and says how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut output = Output::new();
    let parsed = command().try_get_matches_from(args);
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let done = match parsed {
        Ok((cli, matches)) => {
            let of_command = matches.subcommand().map(|(_, matches)| matches);
            let of_command = of_command.cloned().unwrap_or_default();
            cli.command.run(&of_command, &mut output)
        }
        Err(error) if error.use_stderr() => {
            // Where the message can't be printed there is nowhere left to say so.
            let _ = error.print();
            Ok(Exit::Fault)
        }
        // Help, and the version, are what was asked for.
        Err(error) => write!(output.stdout(), "{}", error.render())
            .map(|()| Exit::Success)
            .map_err(Failure::from),
    };
    let exit = match done.and_then(|exit| Ok(output.finish().map(|()| exit)?)) {
        Ok(exit) => exit,
        Err(Failure::Fault(message)) => {
            // What was printed before goes before what is told of it.
            let _ = output.finish();
            output.fault(&message);
            Exit::Fault
        }
        Err(Failure::Drawn(text)) => {
            let _ = output.finish();
            output.drawn(&text);
            Exit::Fault
        }
        Err(Failure::Output(error)) => {
            output.fault_of_output(&error);
            Exit::Fault
        }
    };
    exit.into()
}
