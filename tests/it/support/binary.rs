//! The binary under test, run as a user runs it, and what it prints.

use std::process::{Command, Output};

use runvet::report::Format;

use crate::support::corpus::corpus;

pub(crate) fn runvet(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .args(args)
        .current_dir(corpus())
        .env_clear();
    command
}

pub(crate) fn run(args: &[&str]) -> Output {
    runvet(args).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Every format there is.
pub(crate) fn formats() -> Vec<&'static str> {
    "".parse::<Format>()
        .unwrap_err()
        .known
        .to_vec()
}
