//! `summary/newer-version`: the summary has a newer version than runvet supports.

use crate::record::format;
use crate::rule::{Record, Rule};
use crate::rules::examined;
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::newer_version(
    [
        "summary/newer-version",
        "the summary has a newer version than runvet supports",
        include_str!("newer_version.md"),
    ],
    &[Record::Summary],
    |loaded| examined::version(loaded.summary, &[format::SUMMARY_SCHEMA_VERSION_FIELD]),
    |trouble| twins::newer(trouble, Artifact::Summary),
);
