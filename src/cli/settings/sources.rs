//! A flag, an environment variable, `runvet.toml` or the default -> a value and its origin.

use std::fmt;

use clap::ArgMatches;
use clap::parser::ValueSource;
use toml::Spanned;

use super::file::ConfigFile;
use crate::config::ConfigSource;

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Origin {
    Default,
    /// The configuration: its file and the line in it.
    File(String, u64),
    Environment(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(name, line) => write!(f, "{name}:{line}"),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and its origin.
pub(in crate::cli) struct Set<T> {
    pub(in crate::cli) value: T,
    pub(in crate::cli) origin: Origin,
}

impl Set<bool> {
    /// Whether a flag or the environment asks for what sets the level of a rule.
    pub(in crate::cli) fn sets_level(&self) -> bool {
        self.value && !matches!(self.origin, Origin::File(..))
    }
}

/// The names of a setting: the id of its argument, its flag, its environment variable.
pub(super) struct Names(
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
);

/// The sources of values, except the defaults.
pub(super) struct Sources<'s> {
    matches: &'s ArgMatches,
    file: ConfigSource<'s>,
}

impl<'s> Sources<'s> {
    pub(super) fn new(matches: &'s ArgMatches, file: &'s ConfigFile) -> Self {
        Self {
            matches,
            file: file.file(),
        }
    }

    /// The value set by a flag or the environment, else by the configuration, else the default.
    pub(super) fn first<T: Clone>(
        &self,
        names: &Names,
        given: Option<T>,
        configured: Option<&Spanned<T>>,
        default: T,
    ) -> Set<T> {
        let Set { value, origin } = self.any(names, given, configured);
        Set {
            value: value.unwrap_or(default),
            origin,
        }
    }

    /// The first source that has the value, without a default.
    pub(super) fn any<T: Clone>(
        &self,
        &Names(id, flag, variable): &Names,
        given: Option<T>,
        configured: Option<&Spanned<T>>,
    ) -> Set<Option<T>> {
        if given.is_some() {
            let origin = match self.matches.value_source(id) {
                Some(ValueSource::EnvVariable) => Origin::Environment(variable),
                _ => Origin::Flag(flag),
            };
            return Set {
                value: given,
                origin,
            };
        }
        let origin = configured.map_or(Origin::Default, |value| {
            Origin::File(self.file.name.to_owned(), self.file.line(&value.span()))
        });
        Set {
            value: configured.map(|value| value.get_ref().clone()),
            origin,
        }
    }
}
