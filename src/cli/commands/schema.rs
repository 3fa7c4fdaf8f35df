//! `runvet schema`: prints a JSON Schema.

use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};

use super::output::Output;
use super::{Exit, Failure};
use crate::schema;

/// Print a JSON Schema: byte for byte the file in schemas/
#[derive(Args)]
pub(in crate::cli) struct Schema {
    /// Which one
    #[arg(value_name = "NAME", value_parser = parser())]
    schema: schema::Schema,
}

fn parser() -> impl TypedValueParser<Value = schema::Schema> {
    PossibleValuesParser::new(schema::Schema::ALL.map(schema::Schema::name)).try_map(|name| {
        schema::Schema::ALL
            .into_iter()
            .find(|schema| schema.name() == name)
            .ok_or("no such schema")
    })
}

impl Schema {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        output.stdout().write_all(self.schema.text().as_bytes())?;
        Ok(Exit::Success)
    }
}
