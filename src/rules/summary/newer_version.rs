//! `summary/newer-version`: the summary has a newer version than runvet supports.

use crate::rule::{Record, Rule};
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::newer_version(
    [
        "summary/newer-version",
        "the summary has a newer version than runvet supports",
        include_str!("newer_version.md"),
    ],
    &[Record::Summary],
    |trouble| twins::newer(trouble, Artifact::Summary),
);
