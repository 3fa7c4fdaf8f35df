//! `runvet explain`: prints the page of a rule.

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::output::Output;
use super::settings::ConfigArgs;
use super::{CommandFailure, Exit, Result, candidates};
use crate::gate::Gate;
use crate::ground::finding::RuleInfo;

/// Explain a rule: what it means, why it matters, an example, and how to fix it
///
/// The site of the documents has the same page at `rules.html#RULE`.
#[derive(Args)]
pub(in crate::cli) struct Explain {
    /// Rules such as `lifecycle/links`, or groups such as `lifecycle` to list their rules
    #[arg(required = true, value_name = "RULE", add = ArgValueCandidates::new(candidates::rules))]
    rules: Vec<String>,

    #[command(flatten)]
    config: ConfigArgs,
}

impl Explain {
    pub(super) fn run(self, output: &mut Output) -> Result {
        // A built-in rule is explained whatever the configuration says.
        let built_in = Gate::default();
        let are_built_in = self
            .rules
            .iter()
            .all(|name| built_in.find_rule(name).is_ok());
        let gate = if are_built_in {
            built_in
        } else {
            self.config.gate()?
        };

        for (index, name) in self.rules.iter().enumerate() {
            if index > 0 {
                writeln!(output.stdout())?;
            }
            explain(&gate, name, output)?;
        }

        Ok(Exit::Success)
    }
}

/// Returns the level of a rule and, of one that a team declares, when it finds something.
pub(super) fn level_of(rule: &RuleInfo) -> String {
    match rule.holds {
        Some(holds) => format!("{}, {}", rule.level, holds.shown()),
        None => rule.level.to_string(),
    }
}

/// Prints the page of a rule, or the rules of a group.
fn explain(gate: &Gate, name: &str, output: &mut Output) -> Result<()> {
    let group = name.trim_end_matches(['*', '/']);
    let of_group = |rule: &&RuleInfo| name == "*" || rule.id.split('/').next() == Some(group);
    if gate.rules().any(|rule| of_group(&rule)) {
        for rule in gate.rules().filter(of_group) {
            writeln!(
                output.stdout(),
                "{} ({}): {}",
                rule.id,
                level_of(rule),
                rule.title
            )?;
        }

        return Ok(());
    }

    let rule = gate.find_rule(name).map_err(|error| {
        let advice = match name.strip_prefix('@') {
            Some(_) => format!("`runvet view {name}` shows that run"),
            None => "`runvet rules` lists all rules".to_owned(),
        };
        CommandFailure::Fault(format!("{error} ({advice})"))
    })?;
    let out = output.stdout();
    writeln!(out, "# {} ({})\n", rule.id, level_of(rule))?;
    for line in rule.page.trim_end().lines() {
        // The words after a block's language are for the tests that execute it.
        let fence = line.strip_prefix("```").map(|info| {
            info.split(' ')
                .next()
                .unwrap_or_default()
        });
        match fence {
            Some(language) => writeln!(out, "```{language}")?,
            None => writeln!(out, "{line}")?,
        }
    }

    // The page of a team's rule has the address that the team declares.
    if rule.url.is_none()
        && let Some(address) = rule.address()
    {
        writeln!(out, "\nMore: <{address}>")?;
    }

    Ok(())
}
