//! `state/version`: the state has a version that runvet does not support.

use crate::rule::{Record, Rule};
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::version(
    [
        "state/version",
        "the state has a version that runvet does not support",
        include_str!("version.md"),
    ],
    &[Record::State],
    |trouble| twins::unsupported(trouble, Artifact::State),
);
