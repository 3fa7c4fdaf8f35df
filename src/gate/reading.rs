//! Names and globs of the configuration -> those that there are, and mistakes in the others.

use std::ops::Range;

use toml::Spanned;

use super::globs::Glob;
use crate::check::{Checker, Error};
use crate::config::{ConfigError, ConfigSource};

/// Reads the text of a configuration, and notes its mistakes.
pub(super) struct ConfigReader<'f> {
    pub(super) file: ConfigSource<'f>,
    pub(super) check: Checker,
    pub(super) mistakes: Vec<ConfigError>,
}

impl ConfigReader<'_> {
    fn mistake(&mut self, at: &Spanned<String>, message: String, help: Option<String>) {
        self.mistakes
            .push(self.file.error(at.span(), message, help));
    }

    /// The file and the line of a place.
    pub(super) fn at(&self, span: &Range<usize>) -> (String, u64) {
        (self.file.name.to_owned(), self.file.line(span))
    }

    /// A glob, if it is valid.
    pub(super) fn glob(&mut self, glob: &Spanned<String>) -> Option<Glob> {
        let place = self.file.place(&glob.span());
        let read = Glob::new(glob.get_ref(), &place);
        read.map_err(|reason| self.mistake(glob, format!("invalid glob: {reason}"), None))
            .ok()
    }

    /// Refuses a name that no rule and no group has.
    pub(super) fn know_rule(&mut self, rule: &Spanned<String>) {
        let (message, help) = match self.check.must_know(rule.get_ref()) {
            Ok(()) => return,
            Err(Error::UnknownRule { name, nearest }) => {
                let help = nearest.map_or_else(
                    || "`runvet rules` lists the rules".to_owned(),
                    |nearest| format!("did you mean `{nearest}`?"),
                );
                (format!("there is no rule called `{name}`"), Some(help))
            }
            Err(other) => (other.to_string(), None),
        };
        self.mistake(rule, message, help);
    }
}
