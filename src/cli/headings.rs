//! The commands -> the list of them in `--help`, under five headings.

use clap::Command;

/// The headings, each with the commands below it.
const HEADINGS: [(&str, &[&str]); 5] = [
    (
        "Check",
        &[
            "validate", "verify", "explain", "coverage", "watch", "serve",
        ],
    ),
    ("Look", &["list", "view", "plan", "show", "table"]),
    ("Compare", &["diff", "compare", "impact"]),
    (
        "Record",
        &[
            "record", "hook", "mcp", "import", "redact", "recover", "abandon",
        ],
    ),
    (
        "Set up",
        &[
            "init",
            "config",
            "rules",
            "schema",
            "example",
            "completions",
            "man",
        ],
    ),
];

/// Has the help of the program list its commands under headings.
pub(super) fn under_headings(command: Command) -> Command {
    let width = HEADINGS
        .iter()
        .flat_map(|(_, names)| *names)
        .map(|name| name.len())
        .max()
        .unwrap_or_default();
    let mut list = String::new();

    for (heading, names) in HEADINGS {
        let known = names
            .iter()
            .filter_map(|name| command.find_subcommand(name));
        let lines = known.map(|it| {
            let about = it
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let aliases = it
                .get_visible_aliases()
                .map(|alias| format!(" [alias: {alias}]"));
            let aliases: String = aliases.collect();
            format!("  {:width$}  {about}{aliases}\n", it.get_name())
        });
        let lines: String = lines.collect();
        if !lines.is_empty() {
            list.push_str(heading);
            list.push_str(":\n");
            list.push_str(&lines);
            list.push('\n');
        }
    }

    let list = list.trim_end();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\n\nOptions:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "serve")]
    fn every_command_stands_under_one_heading() {
        let command = super::super::declared(&super::super::commands::all());
        let mut listed: Vec<&str> = HEADINGS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let mut all: Vec<&str> = command
            .get_subcommands()
            .map(Command::get_name)
            .collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
