//! `runvet explain`: prints the page of a rule.

use clap::Args;

use super::output::Output;
use super::{Exit, Failure};
use crate::check::{all_rules, find_rule};
use crate::finding::RuleInfo;

/// Explain a rule: what it means, why it matters, an example, and how to fix it
#[derive(Args)]
pub(in crate::cli) struct Explain {
    /// A rule such as `lifecycle/links`, or a group such as `lifecycle` to list its rules
    rule: String,
}

impl Explain {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let group = self.rule.trim_end_matches(['*', '/']);
        let of_group = |rule: &&RuleInfo| rule.id.split('/').next() == Some(group);
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
            return Ok(Exit::Success);
        }
        let rule = find_rule(&self.rule)
            .map_err(|error| Failure::Fault(format!("{error} (`runvet rules` lists all rules)")))?;
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
        Ok(Exit::Success)
    }
}
