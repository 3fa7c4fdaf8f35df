//! The arguments of a command -> complaints about those that make no sense.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args};

use super::output::{Color, Output};
use super::{CommandFailure, Result};
use crate::gate::Gate;
use crate::ground::printable::{brief, escape};
use crate::ground::source::Artifact;
use crate::look::read::RunReader;
use crate::reading::schema::likely_word;

/// Returns the option that sets an argument, which has its name from that.
pub(super) fn flag(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

/// Refuses an option that was given on the command line, for a reason. One that a variable sets is
/// meant for other calls.
pub(super) fn refuse(matches: &ArgMatches, id: &str, reason: &str) -> Result<()> {
    if matches.value_source(id) == Some(ValueSource::CommandLine) {
        return Err(CommandFailure::Fault(format!("{} {reason}", flag(id))));
    }
    Ok(())
}

/// Refuses all options of a group, which have no effect here.
pub(super) fn refuse_all<A: Args>(matches: &ArgMatches, why: &str) -> Result<()> {
    A::augment_args(clap::Command::new(""))
        .get_arguments()
        .map(Arg::get_id)
        .try_for_each(|id| refuse(matches, id.as_str(), &format!("has no effect {why}")))
}

/// Returns those options of a group that were given, as they were.
pub(super) fn given<A: Args>(matches: &ArgMatches) -> Vec<String> {
    A::augment_args(clap::Command::new(""))
        .get_arguments()
        .flat_map(|arg| {
            let values = matches
                .get_raw(arg.get_id().as_str())
                .into_iter()
                .flatten();
            let name = arg.get_long().unwrap_or_default();
            values.map(move |value| format!("--{name} {}", brief(&value.to_string_lossy())))
        })
        .collect()
}

/// Refuses to colour the output for programs, which never has colour. Other values of the option
/// ask for what is done anyway.
pub(super) fn refuse_colour(color: Color, matches: &ArgMatches, why: &str) -> Result<()> {
    if color == Color::Always {
        refuse(matches, "color", &format!("always has no effect {why}"))?;
    }
    Ok(())
}

/// Notes that a gate judges nothing: its verdict says nothing about the runs.
pub(super) fn note_idle(gate: &Gate, output: &Output) {
    if gate.judges_nothing() {
        output.note("no rule is on, so nothing was checked");
    }
}

/// Notes that a check leaves out a run that is shown.
#[cfg(feature = "commands")]
pub(super) fn note_excluded(gate: &Gate, run: &RunReader, output: &Output) {
    let dir = run.path();
    if gate.excludes(dir) {
        let dir = dir.display();
        output.note(&format!(
            "the configuration excludes {dir}, so no check looks at it"
        ));
    }
}

/// Returns a complaint as it is printed. It quotes arguments, and the names of run data may be
/// among them, which a shell puts there for a pattern.
pub(super) fn printable(mut error: clap::Error) -> String {
    let escaped = |text: &str| escape(text).into_owned();
    let context = error
        .context()
        .map(|(kind, value)| (kind, value.clone()));
    for (kind, value) in context.collect::<Vec<_>>() {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(escaped(&text)),
            ContextValue::Strings(texts) => ContextValue::Strings(
                texts
                    .iter()
                    .map(|text| escaped(text))
                    .collect(),
            ),
            // Tips, of a line each.
            ContextValue::StyledStrs(texts) => {
                let tips = texts
                    .iter()
                    .map(|text| escaped(&text.to_string()).into());
                ContextValue::StyledStrs(tips.collect())
            }
            other => other,
        };

        error.insert(kind, value);
    }

    // What is left comes from the reasons why a value is refused.
    error
        .render()
        .to_string()
        .lines()
        .map(|line| escaped(line) + "\n")
        .collect()
}

/// Has a complaint about a word suggest the one that is probably meant, as findings do.
pub(super) fn suggest_word(error: &mut clap::Error) {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidValue)
        && let Some(ContextValue::Strings(known)) = error.get(ContextKind::ValidValue)
        && let known = known
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
        && let Some(meant) = likely_word(word, &known)
    {
        let meant = ContextValue::String(meant.to_owned());
        error.insert(ContextKind::SuggestedValue, meant);
    }
}

/// Returns `true` if the standard output of a command is for other programs: a record as it is, or
/// a format that is not for people.
pub(super) fn is_for_programs(command: &str, matches: &ArgMatches) -> bool {
    let is_set = |id: &str| {
        let has = matches
            .ids()
            .any(|it| it.as_str() == id);
        has && matches.value_source(id) != Some(ValueSource::DefaultValue)
    };

    let format = matches
        .ids()
        .filter(|id| id.as_str() == "format")
        .find_map(|id| matches.get_raw(id.as_str())?.next());
    let is_for_people = |format: &OsStr| format == "human" || format == "concise";

    matches!(
        command,
        "show" | "schema" | "example" | "completions" | "man" | "record"
    ) || is_set("json")
        || format.is_some_and(|format| !is_for_people(format))
}

/// Options of other programs, and the ones that do the same here.
const OTHER_OPTIONS: [(&str, &str); 3] = [
    ("--port", "--listen"),
    ("--host", "--listen"),
    ("--json", "--format json"),
];

/// Has a complaint about an unknown option not suggest to pass it as a value, which nobody means,
/// and name the option that does the same.
pub(super) fn suggest_option(error: &mut clap::Error) {
    let is_value = |text: &str| text.contains("as a value");
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) {
        let kept = tips
            .iter()
            .filter(|tip| !is_value(&tip.to_string()))
            .cloned()
            .collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
    }

    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::UnknownArgument
        && let Some((_, ours)) = OTHER_OPTIONS
            .iter()
            .find(|(other, _)| other == given)
    {
        let tips = vec![format!("the option is {ours}").into()];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }

    if cfg!(not(feature = "commands")) {
        let tip = "this build has the feature `minimal` alone, with the commands `validate` and \
                   `explain`; `cargo build` adds the others, and all formats";
        let tips = ContextValue::StyledStrs(vec![tip.to_owned().into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

/// Has a complaint that a run is no record say what is missing.
pub(super) fn ask_for_record(error: &mut clap::Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };

    if text(ContextKind::InvalidArg).as_deref() == Some("<RECORD>")
        && text(ContextKind::SuggestedValue).is_none()
        && let Some(run) = text(ContextKind::InvalidValue)
    {
        let is_artifact = |artifact: Artifact| artifact.file_name().starts_with(&run);
        let tip = if Artifact::ALL
            .into_iter()
            .any(is_artifact)
        {
            format!("`runvet show` can't show {run}: open the file in the directory of the run")
        } else {
            format!("name a record after the run: `runvet show {run} state`")
        };

        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

/// Has a complaint about a value name the environment variable that the value comes from.
pub(super) fn name_variable(error: &mut clap::Error, command: &clap::Command, args: &[OsString]) {
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let is_given = |arg: &Arg| {
        args.iter()
            .filter_map(|given| given.to_str())
            .any(|given| {
                let long = given
                    .strip_prefix("--")
                    .and_then(|given| given.split('=').next());
                let short = given
                    .strip_prefix('-')
                    .and_then(|it| it.chars().next());
                (long.is_some() && long == arg.get_long())
                    || (short.is_some() && short == arg.get_short())
            })
    };

    let is_set = |name: &OsStr| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let long = shown
        .strip_prefix("--")
        .and_then(|shown| shown.split([' ', '=', '[']).next());
    let variable = command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .find(|arg| long.is_some() && arg.get_long() == long && !is_given(arg))
        .and_then(Arg::get_env)
        .filter(|name| is_set(name));

    if let Some(name) = variable {
        let name = format!("variable {}", name.to_string_lossy());
        error.insert(ContextKind::InvalidArg, ContextValue::String(name));
    }
}
