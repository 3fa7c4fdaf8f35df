//! Flags and variables -> settings that take the place of those of the configuration.

use std::fmt::Display;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::super::usage::flag;
use super::SettingsArgs;
use crate::gate::config::{ConfigSource, Origin, Setting};

/// Flags and variables, which override the configuration.
pub(super) struct FlagSettings<'m> {
    pub(super) matches: &'m ArgMatches,
    pub(super) file: ConfigSource<'m>,
    pub(super) shown: Vec<[String; 3]>,
}

impl FlagSettings<'_> {
    /// Returns the flag or variable that sets an argument, if one does.
    pub(super) fn origin(&self, id: &str) -> Option<String> {
        match self.matches.value_source(id)? {
            ValueSource::CommandLine => Some(flag(id)),
            ValueSource::EnvVariable => {
                let arguments = SettingsArgs::augment_args(clap::Command::new(""));
                let mut arguments = arguments.get_arguments();
                let variable = arguments
                    .find(|it| it.get_id() == id)?
                    .get_env()?;
                Some(variable.to_string_lossy().into_owned())
            }
            _ => None,
        }
    }

    /// Overrides a setting with the value of its argument, if that has one.
    pub(super) fn merge<T>(&self, id: &str, value: Option<T>, setting: &mut Option<Setting<T>>) {
        if let Some((value, origin)) = value.zip(self.origin(id).map(Origin::Given)) {
            *setting = Some(Setting { value, origin });
        }
    }

    /// Overrides a setting, and shows it.
    pub(super) fn set<T: Clone + Display + Send + Sync + 'static>(
        &mut self,
        id: &str,
        setting: &mut Option<Setting<T>>,
        default: &str,
    ) {
        self.merge(id, self.matches.get_one(id).cloned(), setting);
        self.show(id, setting.as_ref(), default, T::to_string);
    }

    /// Shows a setting with its origin.
    pub(super) fn show<T>(
        &mut self,
        id: &str,
        setting: Option<&Setting<T>>,
        default: &str,
        text: impl Fn(&T) -> String,
    ) {
        let (value, origin) = match setting {
            Some(set) => (text(&set.value), self.file.origin(&set.origin)),
            None => (default.to_owned(), "default".to_owned()),
        };

        self.shown
            .push([id.replace('_', "-"), value, origin]);
    }
}
