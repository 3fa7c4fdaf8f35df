//! `runvet init`: a directory -> `runvet.toml` there, other files that are asked for, and the runs
//! that are found below it.

mod hook;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use hook::{HookArgs, HookSettings};

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
const TEAM: &str = include_str!("../init/team.toml");
const CODING: &str = include_str!("../init/coding.toml");
const SCHEMA: &str = include_str!("../init/refund.schema.json");
const HOOKS: &str = include_str!("../init/pre-commit.yaml");
const WORKFLOW: &str = include_str!("../init/workflow.yml");

/// Start to use runvet in a repository: write a commented runvet.toml, and say which runs are there
///
/// Nothing is overwritten: of a file that exists, it prints what to add.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  runvet init
  runvet init --pack && runvet rules --test
  runvet init --pack=coding")]
pub(in crate::cli) struct Init {
    /// The directory to write to, which is usually the root of the repository
    #[arg(default_value = ".")]
    dir: PathBuf,

    /// Also write a pack: rules of a team, with their examples
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "team"
    )]
    pack: Option<PackName>,

    /// Also write .pre-commit-config.yaml, with hooks that check the runs of a commit
    #[arg(long)]
    pre_commit: bool,

    /// Also write a workflow for GitHub that checks all runs
    #[arg(long)]
    workflow: bool,

    #[command(flatten)]
    agent: HookArgs,
}

/// A file to write.
struct InitFile {
    name: &'static str,
    text: String,
    /// What to add where it exists.
    addition: Option<Addition>,
}

/// Lines to add to a file that exists.
struct Addition {
    /// The place in it, in words.
    place: &'static str,
    lines: String,
}

impl InitFile {
    /// A file with nothing to add where it exists.
    fn whole(name: &'static str, text: &str) -> Self {
        Self {
            name,
            text: text.to_owned(),
            addition: None,
        }
    }

    /// A file of which the lines after `head` can be added to one that exists.
    fn of_lines(name: &'static str, text: &str, head: &str, place: &'static str) -> Self {
        let addition = text
            .split_once(head)
            .map(|(_, lines)| Addition {
                place,
                lines: lines.to_owned(),
            });

        Self {
            addition,
            ..Self::whole(name, text)
        }
    }

    /// Says that it was kept, and what to add to it.
    fn tell_kept(&self, path: &str, output: &mut Output) -> Result<()> {
        let Some(addition) = &self.addition else {
            writeln!(output.stdout(), "kept {path}, which exists")?;
            return Ok(());
        };

        let place = addition.place;
        writeln!(output.stdout(), "kept {path}, which exists: add {place}")?;
        for line in addition.lines.lines() {
            writeln!(output.stdout(), "  {line}")?;
        }

        Ok(())
    }
}

/// Returns a path as a user would type it.
fn shown(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    escape(&path.to_string_lossy()).into_owned()
}

/// A pack to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PackName {
    /// One schema, one order and one expression, to put in the names of your tools
    Team,
    /// Rules for agents that write code: destructive commands, edits outside of the directory,
    /// tests after edits and before a push, a budget of tokens
    Coding,
}

impl PackName {
    /// Returns the path of the file that is written.
    fn path(self) -> &'static str {
        match self {
            Self::Team => "gate/team.toml",
            Self::Coding => "gate/coding.toml",
        }
    }
}

impl Init {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let dir = self.whole_dir()?;
        let settings = self.agent.settings(&dir)?;
        let files = self.files();
        let (there, missing): (Vec<&InitFile>, Vec<&InitFile>) = files
            .iter()
            .partition(|file| !is_gone(&self.dir.join(file.name)));
        if let [config] = &*there
            && missing.is_empty()
            && settings.is_none()
        {
            return Err(CommandFailure::Fault(format!(
                "{} exists, and nothing is overwritten: no file was written",
                self.dir.join(config.name).display()
            )));
        }

        for file in missing {
            let path = self.dir.join(file.name);
            write_new_file(&path, &file.text).map_err(unwritable(&path))?;
            writeln!(output.stdout(), "wrote {}", shown(&path))?;
        }

        for file in there {
            file.tell_kept(&shown(&self.dir.join(file.name)), output)?;
        }

        if let Some(settings) = settings {
            self.set_hook(&settings, output)?;
        }

        self.tell(output)?;
        self.note_what_remains(&dir, output);
        Ok(Exit::Success)
    }

    /// Returns the whole path of the directory, in which a configuration would be read.
    fn whole_dir(&self) -> Result<PathBuf> {
        let typed = self.dir.display();
        let dir = self
            .dir
            .canonicalize()
            .map_err(CommandFailure::of(format!("can't use {typed}")))?;

        match sign_of_run_data(&dir) {
            None => Ok(dir),
            Some(sign) => Err(CommandFailure::Fault(format!(
                "{typed} holds run data, because of {}: no configuration is read there; name a \
                 directory above it, such as the root of the repository",
                sign.display()
            ))),
        }
    }

    /// Notes what hooks and a workflow need besides their files.
    fn note_what_remains(&self, dir: &Path, output: &Output) {
        let root = dir
            .ancestors()
            .find(|dir| dir.join(".git").exists())
            .filter(|root| *root != dir);
        if let Some(root) = root
            && (self.pre_commit || self.workflow)
        {
            let root = root.display();
            output.note(&format!(
                "hooks and workflows are read only in the root of the repository, which is {root}"
            ));
        }

        if self.workflow {
            output.note(
                "replace `example/runvet` in the workflow by the place where you host runvet, and \
                 the zeros by the commit of a release",
            );
        }
    }

    /// Writes the settings of an agent, or prints them where their file exists, or would be that of
    /// others, too.
    fn set_hook(&self, settings: &HookSettings, output: &mut Output) -> Result<()> {
        let path = self.dir.join(settings.file);
        let name = shown(&path);
        let is_asked = self.agent.shared || !settings.is_shared;
        if is_asked && is_gone(&path) {
            write_new_file(&path, &settings.text).map_err(unwritable(&path))?;
            writeln!(output.stdout(), "wrote {name}")?;
        } else {
            let why = if is_asked {
                "kept, as it exists: add"
            } else {
                "not written, as others share it: to your own settings, or to it, add"
            };

            writeln!(output.stdout(), "{name} is {why}")?;
            for line in settings.text.lines() {
                writeln!(output.stdout(), "  {line}")?;
            }
        }

        if self.agent.shared {
            output.note("whoever has no runvet will now be refused each call of the agent");
        }

        Ok(())
    }

    /// Returns the files that are asked for. The configuration is asked for anyway.
    fn files(&self) -> Vec<InitFile> {
        let mut files = vec![self.config()];
        match self.pack {
            Some(pack @ PackName::Team) => files.extend([
                InitFile::whole(pack.path(), TEAM),
                InitFile::whole("gate/refund.schema.json", SCHEMA),
            ]),
            Some(pack @ PackName::Coding) => files.push(InitFile::whole(pack.path(), CODING)),
            None => {}
        }

        if self.pre_commit {
            let name = ".pre-commit-config.yaml";
            files.push(InitFile::of_lines(name, HOOKS, "repos:\n", "under `repos`"));
        }
        if self.workflow {
            let name = ".github/workflows/runvet.yml";
            let place = "to the steps of a job";
            files.push(InitFile::of_lines(name, WORKFLOW, "steps:\n", place));
        }

        files
    }

    /// Returns the configuration, which names the pack.
    fn config(&self) -> InitFile {
        let name = "runvet.toml";
        let Some(pack) = self.pack else {
            return InitFile::whole(name, CONFIG);
        };

        let packs = format!("packs = [\"{}\"]", pack.path());
        let commented = format!("# packs = [\"{}\"]", PackName::Team.path());
        InitFile {
            addition: Some(Addition {
                place: "at its top",
                lines: packs.clone(),
            }),
            ..InitFile::whole(name, &CONFIG.replace(&commented, &packs))
        }
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

        let next = match (numbers.is_empty(), self.pack.is_some()) {
            (false, false) => "runvet validate",
            (false, true) => "runvet rules --test && runvet validate",
            (true, false) => "runvet record --help",
            (true, true) => "runvet rules --test, and runvet record --help",
        };

        match self.agent.next() {
            Some(of_hook) => writeln!(out, "{of_hook}")?,
            None => writeln!(out, "next: {next}")?,
        }

        output.finish()?;
        for fault in &found.faults {
            output.note(&fault.to_string());
        }

        Ok(())
    }
}
