//! `runvet init`: a directory -> `runvet.toml` there, other files that are asked for, and the runs
//! that are found below it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::output::Output;
use super::sinks::unwritable;
use super::{CommandFailure, Exit, Result};
use crate::gate::Gate;
use crate::ground::printable::escape;
use crate::ground::source::run_data_of;
use crate::report::count;
use crate::store::{GivenPaths, is_gone, sign_of_run_data, write_new_file};

/// The number of run-data directories that are named.
const MAX_NAMED: usize = 5;

const CONFIG: &str = include_str!("../init/runvet.toml");
const PACK: &str = include_str!("../init/team.toml");
const SCHEMA: &str = include_str!("../init/refund.schema.json");
const HOOKS: &str = include_str!("../init/pre-commit.yaml");
const WORKFLOW: &str = include_str!("../init/workflow.yml");

/// Start to use runvet in a repository: write a commented runvet.toml, and say which runs are there
///
/// Nothing is overwritten: if one of the files exists, none is written.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  runvet init
  runvet init --pack && runvet rules --test")]
pub(in crate::cli) struct Init {
    /// The directory to write to, which is usually the root of the repository
    #[arg(default_value = ".")]
    dir: PathBuf,

    /// Also write a pack: rules of a team, with one schema, one order, one expression and their
    /// examples
    #[arg(long)]
    pack: bool,

    /// Also write .pre-commit-config.yaml, with hooks that check the runs of a commit
    #[arg(long)]
    pre_commit: bool,

    /// Also write a workflow for GitHub that checks all runs
    #[arg(long)]
    workflow: bool,
}

impl Init {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let shown = self.dir.display();
        let dir = self.dir.canonicalize();
        let dir = dir.map_err(CommandFailure::of(format!("can't use {shown}")))?;
        if let Some(sign) = sign_of_run_data(&dir) {
            let sign = sign.display();
            return Err(CommandFailure::Fault(format!(
                "{shown} holds run data, because of {sign}: no configuration is read there; name a \
                 directory above it, such as the root of the repository"
            )));
        }
        let files = self.files();
        let at = |name: &str| self.dir.join(name);
        if let Some((name, _)) = files.iter().find(|(name, _)| !is_gone(&at(name))) {
            return Err(CommandFailure::Fault(format!(
                "{} exists, and nothing is overwritten: no file was written",
                at(name).display()
            )));
        }
        for (name, text) in &files {
            let path = at(name);
            write_new_file(&path, text).map_err(unwritable(&path))?;
            let path = path.strip_prefix(".").unwrap_or(&path);
            writeln!(output.stdout(), "wrote {}", escape(&path.to_string_lossy()))?;
        }
        self.tell(output)?;
        let is_root = |dir: &&Path| dir.join(".git").exists();
        if let Some(root) = dir.ancestors().find(is_root).filter(|root| *root != dir)
            && (self.pre_commit || self.workflow)
        {
            let root = root.display();
            output.note(&format!(
                "hooks and workflows are read only in the root of the repository, which is {root}"
            ));
        }
        Ok(Exit::Success)
    }

    /// Returns the files to write: their names and their texts.
    fn files(&self) -> Vec<(&'static str, String)> {
        let packs = if self.pack { "packs =" } else { "# packs =" };
        let files = [
            (true, "runvet.toml", CONFIG.replace("# packs =", packs)),
            (self.pack, "gate/team.toml", PACK.into()),
            (self.pack, "gate/refund.schema.json", SCHEMA.into()),
            (self.pre_commit, ".pre-commit-config.yaml", HOOKS.into()),
            (
                self.workflow,
                ".github/workflows/runvet.yml",
                WORKFLOW.into(),
            ),
        ];
        let asked = files.into_iter().filter(|(is_asked, ..)| *is_asked);
        asked.map(|(_, name, text)| (name, text)).collect()
    }

    /// Says which runs are below the directory, and what to do next.
    fn tell(&self, output: &mut Output) -> Result<()> {
        let found = Gate::default().search(&[&self.dir], GivenPaths::None);
        let mut numbers: BTreeMap<PathBuf, u64> = BTreeMap::new();
        for episode in &found.episodes {
            let run_data = run_data_of(&episode.path()).to_owned();
            *numbers.entry(run_data).or_default() += 1;
        }
        let out = output.stdout();
        let runs = count(found.episodes.len() as u64, "run");
        writeln!(
            out,
            "found {runs} below {}",
            escape(&self.dir.to_string_lossy())
        )?;
        for (dir, number) in numbers.iter().take(MAX_NAMED) {
            let dir = escape(&dir.to_string_lossy()).into_owned();
            writeln!(out, "  {dir}: {}", count(*number, "run"))?;
        }
        if let more @ 1.. = numbers.len().saturating_sub(MAX_NAMED) {
            writeln!(out, "  and {more} more")?;
        }
        let next = match (numbers.is_empty(), self.pack) {
            (false, false) => "runvet validate",
            (false, true) => "runvet rules --test && runvet validate",
            (true, false) => "runvet record --help",
            (true, true) => "runvet rules --test, and runvet record --help",
        };
        writeln!(out, "next: {next}")?;
        output.finish()?;
        for fault in &found.faults {
            output.note(&fault.to_string());
        }
        Ok(())
    }
}
