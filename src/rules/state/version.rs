//! `state/version`: the state has a version that runvet does not support.

use crate::record::format;
use crate::rule::{Record, Rule};
use crate::rules::examined;
use crate::rules::twins;
use crate::source::Artifact;

pub(crate) static RULE: Rule = twins::version(
    [
        "state/version",
        "the state has a version that runvet does not support",
        include_str!("version.md"),
    ],
    &[Record::State],
    |loaded| {
        examined::version(
            loaded.state,
            &[
                format::STATE_VERSION_FIELD,
                format::STATE_SCHEMA_VERSION_FIELD,
            ],
        )
    },
    |trouble| twins::unsupported(trouble, Artifact::State),
);
