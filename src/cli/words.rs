//! The words that an option takes -> a parser that lists them in `--help`.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

use crate::schema::likely_word;

/// A parser of words, each with its description for `--help`.
pub(super) fn one_of<T>(
    all: &[T],
    word: fn(T) -> &'static str,
    describe: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Copy + Send + Sync + 'static,
{
    let described = |value: T| PossibleValue::new(word(value)).help(describe(value));
    PossibleValuesParser::new(all.iter().copied().map(described)).try_map(|word| word.parse::<T>())
}

/// A parser of words that need no description.
pub(super) fn word_of<T>(all: &[T], word: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Copy + Send + Sync + 'static,
{
    let words: Vec<&'static str> = all.iter().copied().map(word).collect();
    let parser = PossibleValuesParser::new(words.iter().copied());
    Suggesting { words, parser }.try_map(|word| word.parse::<T>())
}

/// A parser that suggests the word that is probably meant, as findings do.
#[derive(Clone)]
struct Suggesting {
    words: Vec<&'static str>,
    parser: PossibleValuesParser,
}

impl TypedValueParser for Suggesting {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        let parsed = self.parser.parse_ref(command, arg, value);
        parsed.map_err(|mut error| {
            let word = value.to_str().unwrap_or_default();
            if let Some(meant) = likely_word(word, &self.words) {
                let meant = ContextValue::String(meant.to_owned());
                error.insert(ContextKind::SuggestedValue, meant);
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.parser.possible_values()
    }
}
