//! The documents of the repository -> their links, and what runvet prints of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::markdown::{prose, root};

/// Held so that no test reads a document while another rewrites it.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static DOCUMENTS: Mutex<()> = Mutex::new(());
    DOCUMENTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The documents: the Markdown files at the top level and in `docs/`, and `llms.txt`.
pub(crate) fn documents() -> Vec<String> {
    let in_dir = |dir: &str| {
        let entries = fs::read_dir(root().join(dir))
            .into_iter()
            .flatten();
        let paths = entries.map(|entry| Path::new(dir).join(entry.unwrap().file_name()));
        let markdown = paths.filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "md")
        });
        markdown
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
    };
    let mut documents = [in_dir(""), in_dir("docs"), vec!["llms.txt".to_owned()]].concat();
    documents.sort();
    documents
}

/// Where the links of a document lead.
pub(crate) fn links(document: &str) -> Vec<String> {
    let prose = prose(document);
    let inline = prose
        .split("](")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    let referenced = prose
        .lines()
        .filter(|line| line.starts_with('['));
    inline
        .chain(referenced.filter_map(|line| {
            Some(
                line.split_once("]: ")?
                    .1
                    .trim()
                    .to_owned(),
            )
        }))
        .collect()
}

/// What a reader sees of `runvet` with these arguments.
pub(crate) fn runvet(args: &str) -> Output {
    assert!(
        !args.contains(['|', '>', '"', '\'', '\\']),
        "a shell can't parse `runvet {args}`"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .args(args.split_whitespace())
        .current_dir(root())
        .env_clear()
        // What a reader sees in a terminal.
        .env("COLUMNS", "80")
        .output()
        .unwrap()
}

/// The help of a command, or that of `runvet` for the empty text.
pub(crate) fn help_of(command: &str) -> String {
    String::from_utf8(runvet(&format!("{command} --help")).stdout).unwrap()
}

/// The commands of the command line, which its help lists under headings.
pub(crate) fn commands() -> Vec<String> {
    let overview = help_of("");
    let listed = overview
        .lines()
        .skip_while(|line| *line != "Check:")
        .take_while(|line| *line != "Options:");
    let commands: Vec<String> = listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .map(str::to_owned)
        .collect();
    assert!(
        commands
            .iter()
            .any(|command| command == "validate"),
        "the commands are {commands:?}"
    );
    commands
}
