//! `--config`, `--no-config` and the working directory -> the configuration that is read.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::now;
use crate::cli::output::{Color, style};
use crate::cli::{CommandFailure, Result};
use crate::gate::config::{Config, ConfigSource};
use crate::gate::{ConfigError, Gate, nearest_config};
use crate::report::{Options, draw};
use crate::store;

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

/// The file of a configuration; without one, an empty one.
#[derive(Default)]
pub(in crate::cli) struct ConfigFile {
    name: String,
    dir: PathBuf,
    text: String,
    mistakes: Vec<ConfigError>,
}

impl ConfigFile {
    /// Returns its name, if there is a file.
    pub(in crate::cli) fn name(&self) -> Option<&str> {
        Some(&*self.name).filter(|name| !name.is_empty())
    }

    /// Returns its text, which the settings point into.
    pub(in crate::cli) fn source(&self) -> ConfigSource<'_> {
        ConfigSource {
            name: &self.name,
            dir: &self.dir,
            text: &self.text,
        }
    }

    /// Returns a gate that follows what was read of it; mistakes are drawn with their places.
    pub(super) fn gate(&self, config: &Config) -> Result<Gate> {
        let (mistakes, now) = (self.mistakes.clone(), now()?);
        let gate = Gate::default().configured(self.source(), config, mistakes, Some(&now));
        gate.map_err(|error| {
            let options = Options::default().style(style(Color::Auto));
            let drawn = error.each().map(|mistake| {
                let help = mistake.help.as_deref();
                draw(&options, &mistake.message, &mistake.location, help)
            });
            CommandFailure::Drawn(drawn.collect::<Vec<_>>().join("\n"))
        })
    }
}

impl ConfigArgs {
    /// Returns a gate that follows the configuration alone.
    pub(in crate::cli) fn gate(&self) -> Result<Gate> {
        let (file, config) = self.read()?;
        file.gate(&config)
    }

    /// Returns the same, if there is a configuration.
    pub(in crate::cli) fn gate_if_any(&self) -> Result<Option<Gate>> {
        let (file, config) = self.read()?;
        file.name().map(|_| file.gate(&config)).transpose()
    }

    pub(super) fn read(&self) -> Result<(ConfigFile, Config)> {
        let Some(path) = self.path()? else {
            return Ok(Default::default());
        };
        let what = format!("can't read the configuration {}", path.display());
        let mut file = ConfigFile {
            name: path.display().to_string(),
            dir: path.parent().unwrap_or(Path::new("")).to_owned(),
            text: store::read_text(&path).map_err(CommandFailure::of(what))?,
            mistakes: Vec::new(),
        };
        let (config, mistakes) = file.source().read();
        file.mistakes = mistakes;
        Ok((file, config))
    }

    /// Returns the path of the configuration, if one is used.
    pub(in crate::cli) fn path(&self) -> Result<Option<PathBuf>> {
        if self.no_config || self.config.is_some() {
            return Ok(self.config.clone().filter(|_| !self.no_config));
        }
        let here = std::env::current_dir().unwrap_or_default();
        nearest_config(&here).map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::InvalidInput => "; name it with --config, or set --no-config",
                _ => "",
            };
            CommandFailure::Fault(format!("{error}{advice}"))
        })
    }
}
