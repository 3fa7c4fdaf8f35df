//! The option `--run-data`, and what a user calls a run -> the run data and the run.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use super::output::Output;
use super::{CommandFailure, Result};
use crate::ground::source::EPISODES;
use crate::look::read::{Error, RunData, RunReader};
use crate::store::{GivenPaths, is_gone};

/// The location of the runs.
#[derive(Args)]
pub(super) struct RunDataArgs {
    /// The run-data directory, which contains `episodes` [default: the nearest one upward, else the
    /// only one below]
    #[arg(long, value_name = "DIR", env = "RUNVET_RUN_DATA")]
    run_data: Option<PathBuf>,
}

/// One run.
#[derive(Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The run: its id or a part of it, @latest, or a path [default: the run around the working
    /// directory, else @latest]
    #[arg(value_name = "RUN", add = ArgValueCandidates::new(known_runs))]
    run: Option<String>,
}

impl RunArgs {
    pub(super) fn open(&self, output: &Output) -> Result<RunReader> {
        match &self.run {
            Some(name) => self.run_data.get(name, output),
            None => self.run_data.nearest(output),
        }
    }
}

impl RunDataArgs {
    /// Returns the arguments of a command line without options.
    pub(super) fn of_environment() -> Self {
        let run_data = std::env::var_os("RUNVET_RUN_DATA").filter(|path| !path.is_empty());
        Self {
            run_data: run_data.map(PathBuf::from),
        }
    }

    pub(super) fn open(&self) -> Result<RunData> {
        self.open_here(true)
    }

    /// Returns the run-data directory to write to, which need not exist when it is named.
    pub(super) fn dir(&self) -> Result<PathBuf> {
        match &self.run_data {
            Some(path) => Ok(path.clone()),
            None => match self.open() {
                Ok(run_data) => Ok(run_data.path().to_owned()),
                Err(CommandFailure::Fault(message)) => Err(CommandFailure::Fault(format!(
                    "{message}; a new run can also go into a new directory, which --run-data names"
                ))),
                Err(failure) => Err(failure),
            },
        }
    }

    /// Returns a run-data directory in the form of [`RunDataArgs::dir`], if it is that one; `None`
    /// where another one is named.
    pub(super) fn typed(&self, typed: Option<PathBuf>, dir: &Path) -> Option<PathBuf> {
        let real = |path: &Path| path.canonicalize().ok();
        let is_it = |typed: &PathBuf| real(typed).is_some_and(|it| real(dir) == Some(it));
        let other = || {
            self.run_data
                .is_none()
                .then(|| dir.to_owned())
        };

        typed.filter(is_it).or_else(other)
    }

    fn open_here(&self, only: bool) -> Result<RunData> {
        if let Some(path) = &self.run_data {
            return Ok(RunData::open(path)?);
        }

        let here = std::env::current_dir().unwrap_or_default();
        let above = here
            .ancestors()
            .enumerate()
            .find(|(_, dir)| dir.join(EPISODES).is_dir());
        // The path in the form that a user would type.
        let path = match above {
            Some((0, _)) | None => PathBuf::from("."),
            Some((levels, _)) => std::iter::repeat_n("..", levels).collect(),
        };

        RunData::find_here(&path, only).map_err(|error| match error {
            Error::NoRunData { path } if path == Path::new(".") => CommandFailure::Fault(
                "there is no run data here: no directory called `episodes` is in the working \
                 directory, above it or a few levels below it; name its parent with --run-data"
                    .into(),
            ),
            error => error.into(),
        })
    }

    /// Returns the runs that paths lead to, if any are given.
    pub(super) fn open_at(&self, paths: &[PathBuf], matches: &ArgMatches) -> Result<RunData> {
        if paths.is_empty() {
            return self.open_here(false);
        }

        if matches.value_source("run_data") == Some(ValueSource::CommandLine) {
            let message = "--run-data has no effect beside paths; leave one of them out";
            return Err(CommandFailure::Fault(message.into()));
        }

        Ok(RunData::find(paths)?)
    }

    /// Returns the run that a user names, see [`RunData::get`].
    pub(super) fn get(&self, name: &str, output: &Output) -> Result<RunReader> {
        self.named(self.open().ok().as_ref(), name, &mut false, output)
    }

    /// Returns two runs that a user names.
    pub(super) fn get_both(
        &self,
        [one, other]: [&str; 2],
        output: &Output,
    ) -> Result<[RunReader; 2]> {
        let (run_data, mut are_noted) = (self.open().ok(), false);
        let mut get = |name| self.named(run_data.as_ref(), name, &mut are_noted, output);
        Ok([get(one)?, get(other)?])
    }

    /// Returns the run around the working directory, unless run data is named; else the newest run.
    fn nearest(&self, output: &Output) -> Result<RunReader> {
        if self.run_data.is_none()
            && let Some(run) = RunReader::around(Path::new("."), GivenPaths::None)
        {
            return Ok(run);
        }

        let run_data = self.open()?;
        note_faults(&run_data, output);
        Ok(run_data.get("@latest")?)
    }

    /// Returns the run that a user names in run data, if there is any; notes its faults once.
    fn named(
        &self,
        run_data: Option<&RunData>,
        name: &str,
        are_faults_noted: &mut bool,
        output: &Output,
    ) -> Result<RunReader> {
        let Some(run_data) = run_data else {
            return self.get_by_path(name);
        };
        let found = run_data.get_or_open(name);
        // Another run with the same id may be where nobody can look; a path leads to one run.
        if found.is_ok() && name.contains('/') {
            return Ok(found?);
        }

        let mut faults = run_data.faults().iter();
        if let Some(fault) = faults.find(|fault| fault.path().ends_with(name)) {
            return Err(CommandFailure::Fault(fault.to_string()));
        }
        if !std::mem::replace(are_faults_noted, true) {
            note_faults(run_data, output);
        }

        found.map_err(|error| match &error {
            Error::UnknownRun { nearest, .. } if nearest.is_empty() => {
                let path = run_data.path().display();
                CommandFailure::Fault(format!("{error} in {path}; `runvet list` shows the runs"))
            }
            _ => error.into(),
        })
    }

    /// Returns the run at a path, which needs no run data around it; else the one of this name.
    fn get_by_path(&self, name: &str) -> Result<RunReader> {
        RunReader::open(name).or_else(|of_path| {
            let is_path = name.contains('/') || !is_gone(Path::new(name));
            if is_path {
                return Err(of_path.into());
            }
            Ok(self.open()?.get_or_open(name)?)
        })
    }
}

/// Returns the path of the run that a user calls by its id, or the start of it, where nothing is at
/// that path.
pub(super) fn run_called(name: &Path, run_data: Option<&Path>) -> Option<PathBuf> {
    let is_name = !name.as_os_str().is_empty() && name.components().count() == 1 && is_gone(name);
    let name = name.to_str().filter(|_| is_name)?;
    let named = run_data.map(Path::to_owned);
    let args = RunDataArgs {
        run_data: named.or(RunDataArgs::of_environment().run_data),
    };
    let run = args.open().ok()?.get(name).ok()?;
    let id = run.path().file_name()?.to_str()?;
    (name == "@latest" || id.starts_with(name)).then(|| run.path().to_owned())
}

/// Notes where other runs may be that can't be found.
fn note_faults(run_data: &RunData, output: &Output) {
    for fault in run_data.faults() {
        output.note(&fault.to_string());
    }
}

/// The number of runs that are offered: the newest.
const MAX_RUNS: usize = 200;

/// Returns the newest runs around the working directory whose ids a shell can take as they are.
pub(super) fn known_runs() -> Vec<CompletionCandidate> {
    let Ok(run_data) = RunDataArgs::of_environment().open() else {
        return Vec::new();
    };
    let ids = run_data
        .list(MAX_RUNS)
        .into_iter()
        .map(|run| run.episode_id);
    let is_plain = |id: &String| {
        id.chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };

    std::iter::once("@latest".to_owned())
        .chain(ids.filter(is_plain))
        .map(CompletionCandidate::new)
        .collect()
}
