//! `runvet man`: writes the manual pages.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command};

use super::output::Output;
use super::{CommandFailure, Exit, Result, all, declared};
use crate::store::WholeFile;

/// The meaning of the exit codes of a command whose help says nothing about them.
const EXIT_STATUS: &str = "  0  the command did its work\n  2  the command failed: a bad argument, or a fault that its message names";

/// Write the manual pages into a directory
#[derive(Args)]
#[command(after_help = "\
Example:
  runvet man ~/.local/share/man/man1 && man runvet-validate")]
pub(in crate::cli) struct Man {
    /// The directory, which must exist; runvet.1 and a page for each command are written into it
    dir: PathBuf,
}

impl Man {
    pub(super) fn run(self, _: &mut Output) -> Result {
        let mut command = declared(&all()).disable_help_subcommand(true);
        command.build();
        let what = format!("can't write manual pages into {}", self.dir.display());
        write_pages(command, &self.dir).map_err(CommandFailure::of(what))?;
        Ok(Exit::Success)
    }
}

/// Writes the page of a command, and those of its commands.
fn write_pages(command: Command, dir: &Path) -> io::Result<()> {
    for command in command
        .get_subcommands()
        .filter(|it| !it.is_hide_set())
    {
        write_pages(command.clone(), dir)?;
    }

    let name = clap_mangen::Man::new(command.clone()).get_filename();
    let mut page = Vec::new();
    render(command, &mut page)?;

    let mut file = WholeFile::create(&dir.join(name), &[])?;
    file.write_all(&page)?;

    file.keep()
}

/// Renders a page. Its synopsis is the usage that the help shows, and arguments without a name have
/// a section of their own, which the library would put behind the options.
fn render(mut command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let usage = command
        .render_usage()
        .to_string()
        .trim_start_matches("Usage: ")
        .replace('-', "\\-");
    let has_positionals = command
        .get_positionals()
        .next()
        .is_some();
    let only = |is_positional: bool| {
        let hidden = |arg: Arg| {
            let is_other = arg.is_positional() != is_positional;
            let is_hidden = arg.is_hide_set() || is_other;
            arg.hide(is_hidden)
        };
        clap_mangen::Man::new(command.clone().mut_args(hidden))
    };

    let man = only(false);
    man.render_title(page)?;
    man.render_name_section(page)?;
    writeln!(page, ".SH SYNOPSIS\n{usage}")?;
    man.render_description_section(page)?;
    if has_positionals {
        let mut arguments = Vec::new();
        only(true).render_options_section(&mut arguments)?;
        let arguments =
            String::from_utf8_lossy(&arguments).replacen(".SH OPTIONS", ".SH ARGUMENTS", 1);
        page.write_all(arguments.as_bytes())?;
    }

    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }

    let after = command
        .get_after_long_help()
        .or(command.get_after_help())
        .map(ToString::to_string)
        .unwrap_or_default();
    page.extend(notes(&command, &after).into_bytes());

    man.render_version_section(page)
}

/// Returns the sections behind the options: the text after the help, in lines as they are, the
/// variables and the files.
fn notes(command: &Command, after: &str) -> String {
    let mut notes = String::new();
    let mut section = |name: &str, lines: &str| {
        // A line that begins with a point or a quote would be a request.
        let lines = lines
            .replace('\\', "\\e")
            .replace('-', "\\-")
            .replace("\n.", "\n\\&.")
            .replace("\n'", "\n\\&'");
        for part in [".SH ", name, "\n.nf\n", &lines, "\n.fi\n"] {
            notes.push_str(part);
        }
    };

    let (codes, examples) = match after.find("Example") {
        Some(at) => after.split_at(at),
        None => (after, ""),
    };

    let codes = codes
        .trim_end()
        .strip_prefix("Exit codes:\n");
    section("EXIT STATUS", codes.unwrap_or(EXIT_STATUS));

    let variable = |arg: &Arg| {
        let name = arg.get_env()?.to_str()?;
        Some(format!("  {name:<24}as --{}\n", arg.get_long()?))
    };

    let variables: String = command
        .get_arguments()
        .filter_map(variable)
        .collect();
    if !variables.is_empty() {
        section("ENVIRONMENT", variables.trim_end());
    }

    if command
        .get_arguments()
        .any(|arg| arg.get_long() == Some("config"))
    {
        section(
            "FILES",
            "  runvet.toml  the configuration; runvet config shows it",
        );
    }

    if let Some((_, examples)) = examples.split_once(":\n") {
        section("EXAMPLES", examples);
    }

    notes
}
