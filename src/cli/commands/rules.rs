//! `runvet rules`: prints a list of all rules.

use clap::{Args, ValueEnum};

use super::output::Output;
use super::settings::ConfigArgs;
use super::{Exit, Failure};
use crate::check::RuleList;
use crate::printable::escape;
use crate::report::{count, write_json_line};
use crate::rule::Check;
use crate::rules::RuleSet;

/// List every rule with its default level and the defect it finds
///
/// Rules that the configuration declares come last.
#[derive(Args)]
pub(in crate::cli) struct Rules {
    /// How to print the list
    #[arg(long, default_value = "human")]
    format: Format,

    /// Judge the examples of the rules that the configuration declares
    ///
    /// The exit code is 1 if an example does not give the result that it declares, or if a rule has
    /// no example in which it finds something.
    #[arg(long, conflicts_with = "format")]
    test: bool,

    /// With `--test`, also list built-in rules with the number of their cases in the corpus
    #[arg(long, requires = "test")]
    all: bool,

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
        let rules = gate.rule_set();
        if self.test {
            return test(rules, self.all, output);
        }
        if self.format == Format::Json {
            write_json_line(output.stdout(), &RuleList::of(rules))?;
            return Ok(Exit::Success);
        }
        let width = gate.rules().map(|rule| rule.id.len()).max();
        let width = width.unwrap_or_default();
        for rule in gate.rules() {
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
fn test(rules: &RuleSet, all: bool, output: &mut Output) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    let cases = CASES.lines().filter_map(|line| line.split_once(' '));
    for (rule, cases) in cases.filter(|_| all) {
        writeln!(output.stdout(), "{rule}: {cases} in the corpus")?;
    }
    let team = rules.team();
    for rule in rules.iter() {
        let Check::Team(check) = rule.check else {
            continue;
        };
        let Some((examples, wrong)) = team.test(check) else {
            continue;
        };
        let id = &rule.info.id;
        if wrong.is_empty() {
            let examples = count(examples as u64, "example");
            writeln!(
                output.stdout(),
                "{id}: {examples}, all with the declared result"
            )?;
            continue;
        }
        exit = Exit::Findings;
        for line in wrong {
            writeln!(output.stdout(), "{id}: {}", escape(&line))?;
        }
    }
    Ok(exit)
}
