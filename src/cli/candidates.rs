//! The words of a command line that is being typed -> what a shell offers next.
//!
//! A shell asks runvet itself, so it offers the rules of this version.

use std::ffi::OsString;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};

use super::Result;
use crate::ground::finding::Level;
use crate::judge::check::all_rules;

/// The variable by which the script of a shell asks. Its value is the shell.
const ASKED_BY: &str = "_RUNVET_COMPLETE";

/// Answers a shell, if one asks, and says whether one did.
pub(super) fn answered(
    args: &[OsString],
    command: impl Fn() -> Command,
) -> Result<bool, clap::Error> {
    let by_bash = std::env::var_os(ASKED_BY).is_some_and(|shell| shell == "bash");
    // bash inserts an answer as it is, and a name in run data may hold a command. bash completes
    // and quotes paths itself where there is no answer.
    let without_paths = |arg: Arg| {
        let is_flag = !arg.get_action().takes_values();
        if by_bash && !is_flag {
            arg.value_hint(ValueHint::Other)
        } else {
            arg
        }
    };

    let factory = || command().mut_subcommands(|command| command.mut_args(without_paths));
    let here = std::env::current_dir().ok();
    CompleteEnv::with_factory(factory)
        .var(ASKED_BY)
        .try_complete(args, here.as_deref())
}

/// Returns the names of the shells that have a script.
pub(super) fn shells() -> Vec<&'static str> {
    Shells::builtins().names().collect()
}

/// Returns the script by which a shell asks.
pub(super) fn script(shell: &str) -> Result<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    if let Some(shell) = shells.completer(shell) {
        shell.write_registration(ASKED_BY, "runvet", "runvet", "runvet", &mut script)?;
    }

    Ok(script)
}

/// Returns the rules and their groups.
pub(super) fn rules() -> Vec<CompletionCandidate> {
    let mut groups: Vec<&str> = all_rules()
        .filter_map(|rule| rule.id.split('/').next())
        .collect();
    groups.dedup();

    let groups = groups
        .into_iter()
        .map(|group| format!("{group}/*"));
    let rules = all_rules().map(|rule| (rule.id.to_string(), &*rule.title));
    let candidate =
        |(id, title): (String, &'static str)| CompletionCandidate::new(id).help(Some(title.into()));
    let groups = groups.map(|group| (group, "all rules of the group"));

    rules
        .chain(groups)
        .map(candidate)
        .collect()
}

/// Returns the rules and their groups, each with each level.
pub(super) fn levels() -> Vec<CompletionCandidate> {
    let levels = [Level::Error, Level::Ask, Level::Warning, Level::Off];
    let with = |rule: &CompletionCandidate| {
        let name = rule
            .get_value()
            .to_string_lossy()
            .into_owned();
        levels.map(|level| CompletionCandidate::new(format!("{name}={level}")))
    };

    rules().iter().flat_map(with).collect()
}
