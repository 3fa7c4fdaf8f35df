//! The findings of a run that count -> the verdict on the run, as a word and as people read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EpisodeReport, Severity};
use crate::ground::words::words;

/// The verdict on a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub enum Verdict {
    /// There is no error.
    Valid,
    /// The records agree with each other and with their schemas, and break a rule of the team: each
    /// error is of a rule that the configuration or a pack declares.
    BreaksRule,
    /// The records can't be trusted: there is an error of a built-in rule.
    Invalid,
    /// It is open whether there is an error.
    #[default]
    Undecided,
}

words!(pub Verdict {
    Valid = "valid",
    BreaksRule = "breaks_rule",
    Invalid = "invalid",
    Undecided = "undecided",
});

impl Verdict {
    /// Returns the verdict by the findings that count, where these decide.
    pub(super) fn of(report: &EpisodeReport) -> Self {
        let is_error = |finding: &&super::Finding| finding.severity == Severity::Error;
        let mut errors = report.findings.iter().filter(is_error);
        match report.valid {
            None => Self::Undecided,
            Some(true) => Self::Valid,
            Some(false) if errors.all(|error| error.is_of_team) => Self::BreaksRule,
            Some(false) => Self::Invalid,
        }
    }

    /// Returns the verdict on a number of runs as people read it, without the number.
    pub(crate) const fn phrase(self, runs: u64) -> &'static str {
        match self {
            Self::BreaksRule if runs == 1 => "breaks a rule of the team",
            Self::BreaksRule => "break a rule of the team",
            _ => self.word(),
        }
    }
}
