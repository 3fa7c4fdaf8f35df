//! `summary/version`: the summary has a version that runvet does not support.

use crate::record::format;
use crate::rule::{Record, Rule};
use crate::rules::examined;
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::version(
    [
        "summary/version",
        "the summary has a version that runvet does not support",
        include_str!("version.md"),
    ],
    &[Record::Summary],
    |loaded| examined::version(loaded.summary, &[format::SUMMARY_SCHEMA_VERSION_FIELD]),
    |trouble| twins::unsupported(trouble, Artifact::Summary),
);
