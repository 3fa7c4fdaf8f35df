//! The words that an option takes -> a parser that lists them in `--help`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

use crate::schema::likely_word;
use crate::words::Words;

/// Returns a parser of words, each with its description for `--help`.
pub(super) fn one_of<T: Words + Send + Sync>(
    describe: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let described = |value: &T| PossibleValue::new(value.word()).help(describe(*value));
    PossibleValuesParser::new(T::ALL.iter().map(described)).try_map(|word| value_of(&word))
}

/// Returns a parser of words that need no description.
pub(super) fn word_of<T: Words + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let words: Vec<&'static str> = T::ALL.iter().map(|value| value.word()).collect();
    let parser = PossibleValuesParser::new(words.iter().copied());
    Suggesting { words, parser }.try_map(|word| value_of(&word))
}

fn value_of<T: Words>(word: &str) -> Result<T, &'static str> {
    T::of_word(word).ok_or("an unknown word")
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
