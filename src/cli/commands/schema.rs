//! `runvet schema`: prints a JSON Schema.

mod infer;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, builder::TypedValueParser};

use super::output::Output;
use super::{Exit, Result};
use crate::look::schemas;
use infer::Infer;

/// Print a JSON Schema, as in the directory schemas/
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(in crate::cli) struct SchemaCommand {
    /// The schema
    #[arg(value_name = "NAME", value_parser = parser(), required = true)]
    schema: Option<schemas::Schema>,

    #[command(subcommand)]
    command: Option<SchemaAction>,
}

#[derive(Subcommand)]
enum SchemaAction {
    Infer(Infer),
}

fn parser() -> impl TypedValueParser<Value = schemas::Schema> {
    PossibleValuesParser::new(
        schemas::Schema::ALL
            .iter()
            .map(|schema| schema.word()),
    )
    .try_map(|word| word.parse())
}

impl SchemaCommand {
    pub(super) fn run(self, output: &mut Output) -> Result {
        if let Some(SchemaAction::Infer(infer)) = self.command {
            return infer.run(output);
        }

        let text = self
            .schema
            .map_or("", schemas::Schema::text);
        output
            .stdout()
            .write_all(text.as_bytes())?;

        Ok(Exit::Success)
    }
}
