//! The command line: the only place that prints and reads the environment.

mod candidates;
mod commands;
#[cfg(feature = "commands")]
mod filters;
mod headings;
mod output;
mod path_list;
mod period;
mod progress;
#[cfg(feature = "commands")]
mod run_data;
mod settings;
mod sinks;
mod usage;
#[cfg(feature = "commands")]
mod watching;
mod words;

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::slice;

use clap::builder::{BoolishValueParser, Resettable};
use clap::{Arg, ArgAction, ArgMatches};

use crate::gate::Exit;
use commands::Command;
use output::Output;

/// The option to write ASCII alone.
const ASCII: &str = "ascii";

/// What the program does, as its help begins.
const ABOUT: &str = "Vets agent runs: checks the records that an agent runtime leaves for each \
                     episode against their JSON Schemas, against each other, and against the event \
                     timeline";

/// What the help of a build without most commands ends with.
const LACKING: &str =
    "This build has the feature `minimal` alone; `cargo build` adds the other commands.";

/// The exit code of a command that could not finish its work.
const FAULT: u8 = Exit::Fault.code();

/// The reason why a command could not do its job.
#[derive(Debug)]
enum CommandFailure {
    /// Its output could not be written.
    Output(io::Error),
    /// Anything else.
    Fault(String),
    /// A reason that is drawn with its place, ready to be printed.
    Drawn(String),
}

/// The result of a part of a command: by default of a whole one, its exit status.
type Result<T = Exit, E = CommandFailure> = std::result::Result<T, E>;

impl CommandFailure {
    fn fault(error: impl Display) -> Self {
        Self::Fault(error.to_string())
    }

    /// Returns what makes a fault of an error: what could not be done, and why.
    fn of<E: Display>(what: impl Display) -> impl FnOnce(E) -> Self {
        move |why| Self::Fault(format!("{what}: {why}"))
    }

    /// Tells it, after what was printed before.
    fn tell(&self, output: &mut Output) {
        match self {
            Self::Fault(message) => {
                let _ = output.finish();
                output.fault(message);
            }
            Self::Drawn(text) => {
                let _ = output.finish();
                output.drawn(text);
            }
            // Its reader has closed the pipe.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Self::Output(error) => output.fault(&format!("can't write the output: {error}")),
        }
    }
}

/// An error of input or output is one of the output, where nothing else is said.
impl<E: Error + Send + Sync + 'static> From<E> for CommandFailure {
    fn from(error: E) -> Self {
        let error: Box<dyn Error + Send + Sync> = Box::new(error);
        match error.downcast::<io::Error>() {
            Ok(error) => Self::Output(*error),
            Err(error) => Self::fault(error),
        }
    }
}

/// Returns the command line of some commands. An empty environment variable counts as unset,
/// because pipelines often set variables to nothing.
fn command(commands: &[Command]) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let without_empty = |arg: Arg| {
        if arg.get_env().is_some_and(is_empty) {
            arg.env(Resettable::Reset)
        } else {
            arg
        }
    };

    declared(commands).mut_subcommands(|command| command.mut_args(without_empty))
}

/// Returns the command line of some commands as it is declared, with what all options of a kind
/// have in common.
fn declared(commands: &[Command]) -> clap::Command {
    let complete = |arg: Arg| {
        let arg = arg.hide_env_values(true);
        if !matches!(arg.get_value_names(), Some([name]) if name == "BOOL") {
            return arg;
        }

        arg.num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(BoolishValueParser::new())
            .hide_possible_values(true)
    };

    let ascii = Arg::new(ASCII)
        .long(ASCII)
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Write text for people in ASCII alone, as with TERM=dumb");
    let commands = commands
        .iter()
        .map(|it| it.declared().mut_args(complete));
    let program = clap::Command::new("runvet")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands);
    let program = if cfg!(feature = "commands") {
        program
    } else {
        program.after_help(LACKING)
    };

    headings::under_headings(program).arg(ascii)
}

/// Parses arguments by the command that they ask for alone, because to declare all takes longer
/// than a small check. All of them tell what is wrong.
fn parsed(args: &[OsString], commands: &[Command]) -> Result<ArgMatches, clap::Error> {
    let parse = |commands| command(commands).try_get_matches_from(args);
    let asked = commands.iter().find(|it| {
        args.get(1)
            .is_some_and(|name| name == it.name)
    });

    match asked.map(|it| parse(slice::from_ref(it))) {
        Some(Ok(matches)) => Ok(matches),
        _ => parse(commands),
    }
}

/// Runs a command line, which starts with the program's name, and returns its exit code.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut output = Output::default();
    let args: Vec<OsString> = args.into_iter().collect();
    let mut options = args
        .iter()
        .take_while(|arg| *arg != "--");
    output::write_in_ascii(options.any(|arg| *arg == format!("--{ASCII}").as_str()));
    let commands = commands::all();
    match candidates::answered(&args, || command(&commands)) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(_) => return ExitCode::from(FAULT),
    }

    let done = match parsed(&args, &commands) {
        Ok(matches) => matches
            .subcommand()
            .and_then(|(name, of)| {
                Some((
                    commands
                        .iter()
                        .find(|it| it.name == name)?,
                    of,
                ))
            })
            .map_or(Ok(FAULT), |(command, of)| command.run(of, &mut output)),
        Err(mut error) if error.use_stderr() => {
            usage::name_variable(&mut error, &command(&commands), &args);
            usage::ask_for_record(&mut error);
            usage::suggest_word(&mut error);
            usage::suggest_option(&mut error);
            output.drawn(&usage::printable(error));
            Ok(FAULT)
        }
        // A request for the help or the version.
        Err(error) => write!(output.stdout(), "{}", error.render())
            .map(|()| Exit::Success.code())
            .map_err(CommandFailure::from),
    };

    let code = match done.and_then(|code| Ok(output.finish().map(|()| code)?)) {
        Ok(_) if output.is_muted() => FAULT,
        Ok(code) => code,
        Err(failure) => {
            failure.tell(&mut output);
            FAULT
        }
    };

    ExitCode::from(code)
}
