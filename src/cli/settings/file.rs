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
use crate::gate::{ConfigError, Gate, nearest_config};
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
    /// What the search for it passed over, in sentences; `None` where there was no search, because
    /// the user named the file, or asked for none.
    passed_over: Option<Vec<String>>,
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
        let Some(passed_over) = &self.passed_over else {
            return Vec::new();
        };
        let here = std::env::current_dir().unwrap_or_default();
        let beyond = store::configs_beyond(&here, dirs).into_iter().map(|path| {
            let path = path.display();
            format!(
                "{path} is not in force: the configuration is searched from the working directory \
                 upward; to use it, set --config {path}"
            )
        });
        passed_over.iter().cloned().chain(beyond).collect()
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
        file.name().map(|_| file.gate(&config)).transpose()
    }

    pub(super) fn read(&self) -> Result<(ConfigFile, Config)> {
        let mut file = ConfigFile {
            passed_over: (!self.no_config && self.config.is_none()).then(passed_over),
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
            return Ok(self.config.clone().filter(|_| !self.no_config));
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

/// Returns a sentence for each file that the search for the configuration passes over.
fn passed_over() -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let search = store::find_config(&here);
    let in_run_data = search.in_run_data.iter().map(|(path, sign)| {
        format!(
            "{} is not in force: it is inside run data, because of {}",
            path.display(),
            sign.display()
        )
    });
    let misnamed = search.misnamed.iter().map(|path| {
        let table = if path.ends_with("pyproject.toml") {
            "the table [tool.runvet] of "
        } else {
            ""
        };
        format!(
            "{table}{} is not in force: the configuration is a file called runvet.toml",
            path.display()
        )
    });
    in_run_data.chain(misnamed).collect()
}
