//! `runvet rules`: prints a list of all rules.

use clap::Args;

use super::output::Output;
use super::{Exit, Failure};
use crate::check::all_rules;

/// List every rule with its default level and the defect it finds
#[derive(Args)]
pub(in crate::cli) struct Rules {}

impl Rules {
    #[expect(clippy::unused_self, reason = "this command has no arguments")]
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let width = all_rules()
            .map(|rule| rule.id.len())
            .max()
            .unwrap_or_default();
        for rule in all_rules() {
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
