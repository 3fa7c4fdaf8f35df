//! `runvet explain`: prints the page of a rule.

use std::io;

use clap::Args;

use super::Exit;
use super::output::Output;
use crate::check::find_rule;

/// Explain a rule: what it means, why it matters, an example, how to fix it
#[derive(Args)]
pub(super) struct Explain {
    /// The rule, as in `lifecycle/links`
    rule: String,
}

impl Explain {
    pub(super) fn run(self, output: &mut Output) -> io::Result<Exit> {
        match find_rule(&self.rule) {
            Ok(rule) => {
                let out = output.stdout();
                writeln!(out, "# {} ({})\n", rule.id, rule.severity.word())?;
                for line in rule.page.trim_end().lines() {
                    // What stands behind a block's language tells tests what to do with it.
                    let fence = line.strip_prefix("```").map(|info| info.split(' ').next().unwrap_or_default());
                    match fence {
                        Some(language) => writeln!(out, "```{language}")?,
                        None => writeln!(out, "{line}")?,
                    }
                }
                Ok(Exit::Success)
            }
            Err(error) => {
                output.fault(&format!("{error} (`runvet rules` lists them all)"));
                Ok(Exit::Fault)
            }
        }
    }
}
