//! `runvet rules`: prints a list of all rules.

use clap::{Args, ValueEnum};

use super::output::Output;
use super::settings::ConfigArgs;
use super::{Exit, Failure};
use crate::check::RuleList;
use crate::report::write_json;

/// List every rule with its default level and the defect it finds
///
/// Those that the configuration declares come last.
#[derive(Args)]
pub(in crate::cli) struct Rules {
    /// How to print the list
    #[arg(long, default_value = "human")]
    format: Format,

    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Human,
    /// One JSON object; `runvet schema rules` describes it
    Json,
}

impl Rules {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let gate = self.config.gate()?;
        let check = gate.check();
        if self.format == Format::Json {
            write_json(output.stdout(), &RuleList::of(check))?;
            writeln!(output.stdout())?;
            return Ok(Exit::Success);
        }
        let width = check
            .rules()
            .map(|rule| rule.id.len())
            .max()
            .unwrap_or_default();
        for rule in check.rules() {
            writeln!(
                output.stdout(),
                "{:width$}  {:7}  {}",
                rule.id,
                rule.level,
                rule.title
            )?;
        }
        Ok(Exit::Success)
    }
}
