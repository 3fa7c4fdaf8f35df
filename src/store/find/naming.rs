//! The path of a run -> its name in its run data, which a copy elsewhere keeps.

use std::path::{Path, PathBuf};

use super::nature::{names_episodes, run_data};
use crate::ground::printable::in_address;
use crate::store::path::{bytes, directory_of, join, real_dir, sealable, tidy};

/// The given paths that runs are named from.
#[derive(Debug, Default)]
pub(crate) struct RunNames(Vec<GivenDir>);

/// The directory that a given path leads to: as it was typed, and its real path.
#[derive(Debug)]
struct GivenDir {
    typed: PathBuf,
    real: PathBuf,
}

/// Something in run data.
#[derive(Clone, Debug)]
pub(crate) struct InRunData {
    /// The run-data directory: that around the outermost directory called `episodes`, else the
    /// given one.
    pub(crate) root: PathBuf,
    /// The path from there on; empty for the run-data directory itself.
    pub(crate) path: PathBuf,
}

impl InRunData {
    /// Returns the path from the run data on as text, `.` for the run data itself; an error, with
    /// the text percent-encoded, where no file below it can be named in a seal.
    pub(crate) fn name(&self) -> Result<String, String> {
        match sealable(&self.path) {
            Some("") => Ok(".".to_owned()),
            Some(name) => Ok(name.to_owned()),
            None => Err(in_address(bytes(&self.path)).to_string()),
        }
    }
}

impl RunNames {
    pub(crate) fn new(given: &[PathBuf]) -> Self {
        let dirs = given.iter().filter_map(|path| {
            let dir = if path.is_dir() {
                path
            } else {
                directory_of(path)
            };

            Some(GivenDir {
                typed: tidy(dir),
                real: real_dir(dir).ok()?,
            })
        });

        Self(dirs.collect())
    }

    /// Returns where in run data a directory is that was found below the given paths.
    pub(crate) fn of(&self, dir: &Path) -> InRunData {
        let below = |given: &GivenDir| {
            let is_here = given.typed == Path::new(".") && dir.is_relative();
            let below = if is_here {
                tidy(dir)
            } else {
                dir.strip_prefix(&given.typed)
                    .ok()?
                    .to_owned()
            };

            let below = if below == Path::new(".") {
                PathBuf::new()
            } else {
                below
            };

            Some((given.real.clone(), join(&given.real, &below)))
        };

        let (start, real) = self
            .0
            .iter()
            .find_map(below)
            .unwrap_or_else(|| {
                let real = real_dir(dir).unwrap_or_else(|_| dir.to_owned());
                (real.clone(), real)
            });
        let root = if names_episodes(&real) {
            run_data(&real)
        } else {
            start
        };

        let path = real
            .strip_prefix(&root)
            .unwrap_or(&real)
            .to_owned();

        InRunData { root, path }
    }

    /// Returns where in run data the given paths are.
    pub(crate) fn given(&self) -> impl Iterator<Item = InRunData> + '_ {
        self.0
            .iter()
            .map(|given| self.of(&given.typed))
    }
}
