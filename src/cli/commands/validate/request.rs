//! The records of one episode on standard input -> a report and an exit status.

use std::io;

use super::notes::no_rule_is_on;
use super::{Setup, Validate};
use crate::cli::output::Output;
use crate::cli::path_list::read_at_most;
use crate::cli::{CommandFailure, Exit, Result};
use crate::gate::CheckRequest;
use crate::store::InMemory;

/// The maximum number of bytes on standard input.
const MAX_BYTES: u64 = 64 << 20;

impl Validate {
    /// Judges the records on standard input.
    pub(super) fn run_request(&self, mut setup: Setup<'_>, output: &mut Output) -> Result {
        let is_part = self.changed_since.is_some() || !self.period.is_all();
        let is_compared = self.write_baseline.is_some() || self.against.is_some();
        if is_part || is_compared || setup.paths.len() > 1 {
            return Err(CommandFailure::Fault(
                "`-` stands for the records of one episode, so it can't be used with other paths \
                 or with --against, --changed-since, --since, --until or --write-baseline; a \
                 directory of that name is `./-`"
                    .into(),
            ));
        }

        let text = read_at_most(io::stdin().lock(), MAX_BYTES)
            .map_err(CommandFailure::of("standard input"))?;
        let request = CheckRequest::parse(&text).map_err(CommandFailure::of("standard input"))?;
        let outcome = self.judge(&mut setup, 1, output, |gate, take| {
            let (id, records) = (&request.episode_id, request.records());
            let records = InMemory::of_records(&records);
            gate.each_in_memory([(id.as_str().into(), Some(id.clone()), records)], take)
        })?;
        let exit = match outcome.exit(setup.deny) {
            _ if output.is_muted() => Exit::Fault,
            Exit::NothingFound if self.allow_empty => Exit::Success,
            exit => exit,
        };

        self.explain_failure(exit, &outcome.totals, setup.deny, output);
        if outcome.totals.unchecked > 0 {
            output.fault(&no_rule_is_on(outcome.totals.unchecked));
        }

        self.keep(setup, !output.is_muted(), &outcome, output)?;
        Ok(exit)
    }
}
