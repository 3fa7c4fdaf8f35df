//! The option `--run-data` -> the run data that commands read.

use std::path::{Path, PathBuf};

use clap::Args;

use super::output::Output;
use crate::read::{Error, RunData, RunReader};
use crate::store::is_gone;

/// The location of the runs.
#[derive(Args)]
pub(super) struct RunDataArgs {
    /// The run-data directory, which contains `episodes` [default: the nearest one upward]
    #[arg(
        long,
        value_name = "DIR",
        env = "RUNVET_RUN_DATA",
        hide_env_values = true
    )]
    run_data: Option<PathBuf>,
}

impl RunDataArgs {
    pub(super) fn open(&self) -> Result<RunData, Error> {
        if let Some(path) = &self.run_data {
            return RunData::open(path);
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
        RunData::open(path)
    }

    /// The run that a user names: an id, a prefix of an id, `@latest`, or a path. Notes where other
    /// runs may be that can't be found.
    pub(super) fn get(&self, name: &str, output: &Output) -> Result<RunReader, Error> {
        match self.open() {
            Ok(run_data) => {
                for fault in run_data.faults() {
                    output.note(&fault.to_string());
                }
                run_data.get(name)
            }
            // A path needs no run data around it.
            Err(error) => {
                let is_path = name.contains('/') || !is_gone(Path::new(name));
                RunReader::open(name).map_err(|of_path| if is_path { of_path } else { error })
            }
        }
    }
}
