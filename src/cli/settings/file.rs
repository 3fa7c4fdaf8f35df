//! `--config`, `--no-config` and the working directory -> the configuration that is read.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::now;
#[cfg(feature = "commands")]
use crate::cli::output::Output;
use crate::cli::output::{Color, style};
use crate::cli::{CommandFailure, Result};
use crate::gate::config::{Config, ConfigSource};
use crate::gate::{ConfigError, Gate, configs_not_in_force, nearest_config};
use crate::report::{Options, draw};
use crate::store;

/// The options that decide which configuration is read.
#[derive(Args)]
pub(in crate::cli) struct ConfigArgs {
    /// Read the configuration from this file
    ///
    /// By default, runvet reads the nearest `runvet.toml`, searching from the working directory up
    /// to the root of the repository. One inside run data is not used.
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
    /// `true` if it was searched for: the user named no file, and did not ask for none.
    is_searched: bool,
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

    /// Returns a sentence for each file that a user may take for the configuration in force, and
    /// that is not: those that the search passed over, and those in and above directories to which
    /// it does not lead.
    pub(in crate::cli) fn not_in_force<'d>(
        &self,
        dirs: impl IntoIterator<Item = &'d Path>,
    ) -> Vec<String> {
        if !self.is_searched {
            return Vec::new();
        }
        let here = std::env::current_dir().unwrap_or_default();
        configs_not_in_force(&here, dirs)
    }

    /// Notes the files that are not in force, as [`ConfigFile::not_in_force`] words them.
    #[cfg(feature = "commands")]
    pub(in crate::cli) fn note_others<'d>(
        &self,
        dirs: impl IntoIterator<Item = &'d Path>,
        output: &Output,
    ) {
        for note in self.not_in_force(dirs) {
            output.note(&note);
        }
    }

    /// Returns a gate that follows what was read of it; mistakes are drawn with their places.
    pub(super) fn gate(&self, config: &Config) -> Result<Gate> {
        let (mistakes, now) = (self.mistakes.clone(), now()?);
        Gate::default()
            .configured(self.source(), config, mistakes, Some(&now))
            .map_err(|error| {
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
    /// Returns the options that name a file.
    #[cfg(feature = "commands")]
    pub(in crate::cli) fn of(config: PathBuf) -> Self {
        Self {
            config: Some(config),
            no_config: false,
        }
    }

    /// Returns a gate that follows the configuration alone.
    pub(in crate::cli) fn gate(&self) -> Result<Gate> {
        let (file, config) = self.read()?;
        file.gate(&config)
    }

    /// Returns the same, if there is a configuration.
    pub(in crate::cli) fn gate_if_any(&self) -> Result<Option<Gate>> {
        let (file, config) = self.read()?;
        file.name()
            .map(|_| file.gate(&config))
            .transpose()
    }

    pub(super) fn read(&self) -> Result<(ConfigFile, Config)> {
        let mut file = ConfigFile {
            is_searched: !self.no_config && self.config.is_none(),
            ..ConfigFile::default()
        };

        let Some(path) = self.path()? else {
            return Ok((file, Config::default()));
        };
        let what = format!("can't read the configuration {}", path.display());
        file.name = path.display().to_string();
        path.parent()
            .unwrap_or(Path::new(""))
            .clone_into(&mut file.dir);
        file.text = store::read_text(&path).map_err(CommandFailure::of(what))?;

        let (config, mistakes) = file.source().read();
        file.mistakes = mistakes;
        Ok((file, config))
    }

    /// Returns the path of the configuration, if one is used.
    pub(in crate::cli) fn path(&self) -> Result<Option<PathBuf>> {
        if self.no_config || self.config.is_some() {
            return Ok(self
                .config
                .clone()
                .filter(|_| !self.no_config));
        }

        let here = std::env::current_dir().unwrap_or_default();
        nearest_config(&here).map_err(|error| {
            let in_run_data = store::find_config(&here).in_run_data;
            let advice = match in_run_data.first() {
                Some((path, _)) if error.kind() == io::ErrorKind::InvalidInput => {
                    let is_here = path.components().count() == 1;
                    let path = Path::new(if is_here { "." } else { "" }).join(path);
                    format!(
                        "; name it with --config {}, or set --no-config",
                        path.display()
                    )
                }
                _ => String::new(),
            };

            CommandFailure::Fault(format!("{error}{advice}"))
        })
    }
}
