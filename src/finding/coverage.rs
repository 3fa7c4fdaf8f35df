//! A rule and a run -> its result, whether or not it finds anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a rule for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::record::describe_values)]
pub(crate) enum Coverage {
    /// The rule has at least one finding, which may be suppressed.
    Found,
    /// The rule compared something and has no finding.
    Sound,
    /// The run holds nothing for the rule to compare.
    Nothing,
    /// The rule could not be checked, or only in part.
    Skipped,
}
