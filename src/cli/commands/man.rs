//! `runvet man`: writes the manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command, CommandFactory};

use super::output::Output;
use super::{Cli, Exit, Failure};

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
    pub(super) fn run(self, _: &mut Output) -> Result<Exit, Failure> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        write_pages(command, &self.dir).map_err(|error| {
            Failure::Fault(format!(
                "can't write manual pages into {}: {error}",
                self.dir.display()
            ))
        })?;
        Ok(Exit::Success)
    }
}

/// Writes the page of a command, and those of its commands.
fn write_pages(command: Command, dir: &Path) -> io::Result<()> {
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        write_pages(command.clone(), dir)?;
    }
    let name = clap_mangen::Man::new(command.clone()).get_filename();
    let mut page = Vec::new();
    render(command, &mut page)?;
    let page = String::from_utf8_lossy(&page);
    fs::write(dir.join(name), keep_lines(&page))
}

/// Renders a page. Its synopsis is the usage that the help shows, and arguments without a name have
/// a section of their own, which the library would put behind the options.
fn render(mut command: Command, page: &mut Vec<u8>) -> io::Result<()> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let has_positionals = command.get_positionals().next().is_some();
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
        let arguments = String::from_utf8_lossy(&arguments);
        let arguments = arguments.replacen(".SH OPTIONS", ".SH ARGUMENTS", 1);
        page.write_all(arguments.as_bytes())?;
    }
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    if command.get_after_help().is_some() || command.get_after_long_help().is_some() {
        man.render_extra_section(page)?;
    }
    man.render_version_section(page)
}

/// A page with the lines of its last part as they are: examples and tables.
fn keep_lines(page: &str) -> String {
    let Some((before, after)) = page.split_once("\n.SH EXTRA\n") else {
        return page.to_owned();
    };
    let (extra, rest) = after.split_once("\n.SH ").unwrap_or((after, ""));
    let rest = match rest {
        "" => String::new(),
        rest => format!(".SH {rest}"),
    };
    format!("{before}\n.SH NOTES\n.nf\n{extra}\n.fi\n{rest}")
}
