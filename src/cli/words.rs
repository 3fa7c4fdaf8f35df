//! The words that an option takes -> a parser that lists them in `--help`.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

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
    PossibleValuesParser::new(all.iter().copied().map(word)).try_map(|word| word.parse::<T>())
}
