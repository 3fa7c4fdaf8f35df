//! `runvet schema`: prints a JSON Schema.

use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};

use super::output::Output;
use super::{Exit, Failure};
use crate::schemas;

/// Print a JSON Schema, as in the directory schemas/
#[derive(Args)]
pub(in crate::cli) struct Schema {
    /// The schema
    #[arg(value_name = "NAME", value_parser = parser())]
    schema: schemas::Schema,
}

fn parser() -> impl TypedValueParser<Value = schemas::Schema> {
    PossibleValuesParser::new(schemas::Schema::ALL.iter().map(|schema| schema.word()))
        .try_map(|word| word.parse())
}

impl Schema {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        output.stdout().write_all(self.schema.text().as_bytes())?;
        Ok(Exit::Success)
    }
}
