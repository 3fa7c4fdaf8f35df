//! `runvet man`: writes the manual pages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, Command, CommandFactory};

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
    let man = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    fs::write(dir.join(man.get_filename()), keep_lines(&page))
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
