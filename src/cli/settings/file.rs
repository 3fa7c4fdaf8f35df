//! `--config`, `--no-config` and the working directory -> the configuration that is read.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::now;
use crate::cli::Failure;
use crate::cli::output::{Color, style};
use crate::config::{Config, ConfigSource, Reading};
use crate::gate::{ConfigError, Gate};
use crate::report::{Options, draw};
use crate::store::{self, ConfigSearch, find_config};

/// The options that decide which configuration is read.
#[derive(Args)]
pub(in crate::cli) struct ConfigArgs {
    /// Read the configuration from this file
    ///
    /// By default, runvet reads the nearest `runvet.toml`, searching from the working directory up
    /// to the root of the repository. One inside run data is an error.
    #[arg(long, value_name = "FILE", env = "RUNVET_CONFIG")]
    config: Option<PathBuf>,

    /// Read no configuration, even if one is set elsewhere
    #[arg(long)]
    no_config: bool,
}

/// A configuration; without a file, an empty one.
#[derive(Default)]
pub(in crate::cli) struct ConfigFile {
    pub(super) name: String,
    pub(super) dir: PathBuf,
    text: String,
    pub(in crate::cli) config: Config,
    mistakes: Vec<ConfigError>,
}

impl ConfigFile {
    pub(in crate::cli) fn is_none(&self) -> bool {
        self.name.is_empty()
    }

    fn reading(&self) -> Reading {
        Reading {
            config: self.config.clone(),
            mistakes: self.mistakes.clone(),
        }
    }

    pub(super) fn gate(&self) -> Result<Gate, Failure> {
        Gate::default()
            .configured(self.file(), self.reading(), Some(&now()?))
            .map_err(|error| drawn(&error))
    }

    pub(in crate::cli) fn file(&self) -> ConfigSource<'_> {
        ConfigSource {
            name: &self.name,
            dir: &self.dir,
            text: &self.text,
        }
    }
}

impl ConfigArgs {
    /// A gate that follows the configuration alone.
    pub(in crate::cli) fn gate(&self) -> Result<Gate, Failure> {
        self.read()?.gate()
    }

    /// The same, if there is a configuration.
    pub(in crate::cli) fn gate_if_any(&self) -> Result<Option<Gate>, Failure> {
        let file = self.read()?;
        (!file.is_none()).then(|| file.gate()).transpose()
    }

    pub(super) fn read(&self) -> Result<ConfigFile, Failure> {
        let path = self.path()?;
        let file = path.map(|path| read_config(&path)).transpose()?;
        Ok(file.unwrap_or_default())
    }

    /// The path of the configuration, if one is used.
    fn path(&self) -> Result<Option<PathBuf>, Failure> {
        if self.no_config || self.config.is_some() {
            return Ok(self.config.clone().filter(|_| !self.no_config));
        }
        let here = std::env::current_dir().unwrap_or_default();
        let ConfigSearch { found, passed_over } = find_config(&here);
        // The author of run data may have written it, or may have made run data of the directory
        // of a file that the user relies on.
        if let Some(path) = passed_over.first() {
            return Err(Failure::Fault(format!(
                "{} is inside run data, so it is not read; name it with --config, or set \
                 --no-config",
                path.display()
            )));
        }
        if let Some(path) = &found {
            store::must_be_file(path).map_err(|error| unreadable_config(path, &error))?;
        }
        Ok(found)
    }
}

fn read_config(path: &Path) -> Result<ConfigFile, Failure> {
    let name = path.display().to_string();
    let text = store::read_text(path).map_err(|error| unreadable_config(path, &error))?;
    let mut file = ConfigFile {
        name,
        dir: path.parent().unwrap_or(Path::new("")).to_owned(),
        text,
        ..ConfigFile::default()
    };
    Reading {
        config: file.config,
        mistakes: file.mistakes,
    } = file.file().read();
    Ok(file)
}

fn unreadable_config(path: &Path, error: &io::Error) -> Failure {
    Failure::Fault(format!(
        "can't read the configuration {}: {error}",
        path.display()
    ))
}

/// Mistakes in a configuration, each drawn with its place.
fn drawn(error: &ConfigError) -> Failure {
    let options = Options::default().style(style(Color::Auto));
    let draw = |error: &ConfigError| {
        let help = error.help.as_deref();
        draw(&options, &error.message, &error.location, help)
    };
    Failure::Drawn(error.each().map(draw).collect::<Vec<_>>().join("\n"))
}
