//! `runvet rules`: prints a list of all rules.

use clap::{Args, ValueEnum};

use super::output::Output;
use super::settings::ConfigArgs;
use super::{Exit, Failure};
use crate::check::{Check, RuleList, all_rules};
use crate::printable::escape;
use crate::report::{count, write_json};

/// List every rule with its default level and the defect it finds
///
/// Those that the configuration declares come last.
#[derive(Args)]
pub(in crate::cli) struct Rules {
    /// How to print the list
    #[arg(long, default_value = "human")]
    format: Format,

    /// Judge the examples of the rules that the configuration declares
    ///
    /// Exit code 1 where an example is not as it says, or where a rule has no example in which it
    /// finds something. Built-in rules are listed with the number of their cases in the corpus.
    #[arg(long, conflicts_with = "format")]
    test: bool,

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
        if self.test {
            return test(check, output);
        }
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

/// The number of cases that each built-in rule has in the corpus.
const CASES: &str = include_str!("../../rules/cases.txt");

/// Judges the examples of all rules.
fn test(check: &Check, output: &mut Output) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    let cases = CASES.lines().filter_map(|line| line.split_once(' '));
    for (rule, cases) in cases {
        writeln!(output.stdout(), "{rule}: {cases} in the corpus")?;
    }
    let schemas = &check.rule_set().team().schemas;
    for (schema, rule) in schemas.iter().zip(check.rules().skip(all_rules().count())) {
        let wrong = schema.failures();
        if wrong.is_empty() {
            let examples = count(schema.examples.len() as u64, "example");
            writeln!(output.stdout(), "{}: {examples}, all as they say", rule.id)?;
            continue;
        }
        exit = Exit::Findings;
        for line in wrong {
            writeln!(output.stdout(), "{}: {}", rule.id, escape(&line))?;
        }
    }
    Ok(exit)
}
