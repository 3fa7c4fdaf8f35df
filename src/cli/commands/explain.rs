//! `runvet explain`: prints the page of a rule.

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::output::Output;
use super::{Exit, Failure, candidates};
use crate::check::{all_rules, find_rule};
use crate::finding::RuleInfo;

/// Explain a rule: what it means, why it matters, an example, and how to fix it
#[derive(Args)]
pub(in crate::cli) struct Explain {
    /// Rules such as `lifecycle/links`, or groups such as `lifecycle` to list their rules
    #[arg(required = true, value_name = "RULE", add = ArgValueCandidates::new(candidates::rules))]
    rules: Vec<String>,
}

impl Explain {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        for (index, name) in self.rules.iter().enumerate() {
            if index > 0 {
                writeln!(output.stdout())?;
            }
            explain(name, output)?;
        }
        Ok(Exit::Success)
    }
}

/// Prints the page of a rule, or the rules of a group.
fn explain(name: &str, output: &mut Output) -> Result<(), Failure> {
    let group = name.trim_end_matches(['*', '/']);
    let of_group = |rule: &&RuleInfo| name == "*" || rule.id.split('/').next() == Some(group);
    if all_rules().any(|rule| of_group(&rule)) {
        for rule in all_rules().filter(of_group) {
            writeln!(
                output.stdout(),
                "{} ({}): {}",
                rule.id,
                rule.level,
                rule.title
            )?;
        }
        return Ok(());
    }
    let rule = find_rule(name).map_err(|error| {
        let advice = match name.strip_prefix('@') {
            Some(_) => format!("`runvet view {name}` shows that run"),
            None => "`runvet rules` lists all rules".to_owned(),
        };
        Failure::Fault(format!("{error} ({advice})"))
    })?;
    let out = output.stdout();
    writeln!(out, "# {} ({})\n", rule.id, rule.level)?;
    for line in rule.page.trim_end().lines() {
        // The words after a block's language are for the tests that execute it.
        let fence = line
            .strip_prefix("```")
            .map(|info| info.split(' ').next().unwrap_or_default());
        match fence {
            Some(language) => writeln!(out, "```{language}")?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}
