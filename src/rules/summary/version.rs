//! `summary/version`: the summary has a version that runvet does not support.

use crate::rule::{Record, Rule};
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::version(
    [
        "summary/version",
        "the summary has a version that runvet does not support",
        include_str!("version.md"),
    ],
    &[Record::Summary],
    |trouble| twins::unsupported(trouble, Artifact::Summary),
);
