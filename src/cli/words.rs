//! The words that an option takes -> a parser that lists them in `--help`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, ValueEnum};

use super::output::Color;
use super::usage::refuse_colour;
use crate::ground::printable::quote;
use crate::ground::words::Words;

/// The format of an output that is no report of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// Text for people
    Human,
    /// One JSON object; `runvet schema` has the schema of the command's name
    Json,
    /// One JSON object per line
    Ndjson,
    /// Markdown, for a pull request
    Markdown,
    /// A page for a browser
    Html,
    /// A line with the names of the columns, then one for each row
    Csv,
    /// Not written by the command: use the Python module
    Parquet,
    /// The ids, one per line
    Ids,
    /// The paths of the directories, one per line
    Paths,
}

/// The formats of a result that people read in a terminal or in a pull request.
pub(super) const FORMATS: &[OutputFormat] = &[
    OutputFormat::Human,
    OutputFormat::Json,
    OutputFormat::Markdown,
];

/// Returns the format with a name, if it is one of those that are known.
pub(super) fn named_format(known: &[OutputFormat], name: &str) -> Result<OutputFormat, String> {
    let words: Vec<String> = known
        .iter()
        .filter_map(ValueEnum::to_possible_value)
        .map(|word| word.get_name().to_owned())
        .collect();
    let at = words
        .iter()
        .position(|word| word == name);
    let format = at.and_then(|at| known.get(at)).copied();
    format.ok_or_else(|| format!("{} is not one of {}", quote(name), words.join(", ")))
}

/// Returns a parser of some formats.
pub(super) fn format_of(
    known: &'static [OutputFormat],
) -> impl TypedValueParser<Value = OutputFormat> {
    let words = known
        .iter()
        .filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(words).try_map(|name| named_format(known, &name))
}

/// The choice between text and JSON.
#[cfg(feature = "commands")]
#[derive(clap::Args)]
pub(super) struct JsonArgs {
    /// Print one JSON object, as `--format json` does
    #[arg(long)]
    json: bool,

    /// How to print the result
    #[arg(long, default_value = "human", value_parser = format_of(&FORMATS[..2]))]
    format: OutputFormat,
}

#[cfg(feature = "commands")]
impl JsonArgs {
    /// Returns `true` if JSON is asked for, which never has colour.
    pub(super) fn is_json(&self, color: Color, matches: &ArgMatches) -> super::Result<bool> {
        let is_json = self.is_set();
        if is_json {
            refuse_colour(color, matches, "with --json")?;
        }
        Ok(is_json)
    }

    pub(super) fn is_set(&self) -> bool {
        self.json || self.format == OutputFormat::Json
    }
}

/// Returns a parser of some words: each stands for a value, and has a description for `--help`.
#[cfg(feature = "commands")]
pub(super) fn word_among<T: Clone + Send + Sync>(
    known: &'static [(&str, T, &str)],
) -> impl TypedValueParser<Value = T> {
    let described = known
        .iter()
        .map(|(word, _, about)| PossibleValue::new(*word).help(*about));
    PossibleValuesParser::new(described).try_map(|word| {
        known
            .iter()
            .find(|(known, ..)| *known == word)
            .map(|(_, value, _)| value.clone())
            .ok_or("an unknown word")
    })
}

/// Returns a parser of words, each with its description for `--help`.
pub(super) fn one_of<T: Words + Send + Sync>(
    describe: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let described = |value: &T| PossibleValue::new(value.word()).help(describe(*value));
    PossibleValuesParser::new(T::ALL.iter().map(described)).try_map(|word| value_of(&word))
}

/// Returns a parser of words that need no description.
pub(super) fn word_of<T: Words + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let words = T::ALL.iter().map(|value| value.word());
    PossibleValuesParser::new(words).try_map(|word| value_of(&word))
}

fn value_of<T: Words>(word: &str) -> Result<T, &'static str> {
    T::of_word(word).ok_or("an unknown word")
}
