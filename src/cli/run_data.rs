//! The option `--run-data`, and what a user calls a run -> the run data and the run.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::Failure;
use super::output::Output;
use crate::read::{Error, RunData, RunReader};
use crate::store::is_gone;

/// The location of the runs.
#[derive(Args)]
pub(super) struct RunDataArgs {
    /// The run-data directory, which contains `episodes` [default: the nearest one upward, else the
    /// only one below]
    #[arg(
        long,
        value_name = "DIR",
        env = "RUNVET_RUN_DATA",
        hide_env_values = true
    )]
    run_data: Option<PathBuf>,
}

/// One run.
#[derive(Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The run: its id or a part of it, @latest, or a path [default: the run around the working
    /// directory, else @latest]
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

impl RunArgs {
    pub(super) fn open(&self, output: &Output) -> Result<RunReader, Failure> {
        match &self.run {
            Some(name) => self.run_data.get(name, output),
            None => self.run_data.nearest(output),
        }
    }
}

impl RunDataArgs {
    pub(super) fn open(&self) -> Result<RunData, Failure> {
        self.open_by(RunData::find_only)
    }

    fn open_by(
        &self,
        find: impl Fn(PathBuf) -> Result<RunData, Error>,
    ) -> Result<RunData, Failure> {
        if let Some(path) = &self.run_data {
            return Ok(RunData::open(path)?);
        }
        let here = std::env::current_dir().unwrap_or_default();
        let above = here
            .ancestors()
            .enumerate()
            .find(|(_, dir)| dir.join("episodes").is_dir());
        // The path in the form that a user would type.
        let path = match above {
            Some((0, _)) | None => PathBuf::from("."),
            Some((levels, _)) => std::iter::repeat_n("..", levels).collect(),
        };
        find(path).map_err(|error| match error {
            Error::NoRunData { path } if path == Path::new(".") => Failure::Fault(
                "there is no run data here: no directory called `episodes` is in the working \
                 directory, above it or a few levels below it; name its parent with --run-data"
                    .into(),
            ),
            error => error.into(),
        })
    }

    /// The runs that paths lead to, if any are given.
    pub(super) fn open_at(
        &self,
        paths: &[PathBuf],
        matches: &ArgMatches,
    ) -> Result<RunData, Failure> {
        if paths.is_empty() {
            return self.open_by(|path| RunData::find(&[path]));
        }
        if matches.value_source("run_data") == Some(ValueSource::CommandLine) {
            let message = "--run-data has no effect beside paths; leave one of them out";
            return Err(Failure::Fault(message.into()));
        }
        Ok(RunData::find(paths)?)
    }

    /// The run that a user names, see [`RunData::get`].
    pub(super) fn get(&self, name: &str, output: &Output) -> Result<RunReader, Failure> {
        match self.open() {
            Ok(run_data) => {
                note_faults(&run_data, output);
                Ok(run_data.get(name)?)
            }
            // A path needs no run data around it.
            Err(error) => {
                let is_path = name.contains('/') || !is_gone(Path::new(name));
                RunReader::open(name)
                    .map_err(|of_path| if is_path { of_path.into() } else { error })
            }
        }
    }

    /// The run around the working directory, unless run data is named; else the newest run.
    fn nearest(&self, output: &Output) -> Result<RunReader, Failure> {
        if self.run_data.is_none()
            && let Some(run) = RunReader::around(".")
        {
            return Ok(run);
        }
        let run_data = self.open()?;
        note_faults(&run_data, output);
        Ok(run_data.get("@latest")?)
    }
}

/// Notes where other runs may be that can't be found.
fn note_faults(run_data: &RunData, output: &Output) {
    for fault in run_data.faults() {
        output.note(&fault.to_string());
    }
}
