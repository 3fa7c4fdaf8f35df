//! `state/newer-version`: the state has a newer version than runvet supports.

use crate::record::format;
use crate::rule::{Record, Rule};
use crate::rules::examined;
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::newer_version(
    [
        "state/newer-version",
        "the state has a newer version than runvet supports",
        include_str!("newer_version.md"),
    ],
    &[Record::State],
    |loaded| examined::version(loaded.state, &[format::STATE_SCHEMA_VERSION_FIELD]),
    |trouble| twins::newer(trouble, Artifact::State),
);
