//! `summary/version`: the summary has a version that runvet does not support.

use crate::finding::{Level, RuleInfo};
use crate::load::Trouble;
use crate::printable::quote;
use crate::rule::{Check, Draft, Record, Rule};
use crate::source::Artifact;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/version",
        level: Level::Error,
        title: "the summary has a version that runvet does not support",
        hint: "Write the current version, or check older records with the runvet release that supports them.",
        page: include_str!("version.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::Summary],
    needs: &[],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        Trouble::UnsupportedVersion(version) if version.artifact == Artifact::Summary => {
            Some(Draft::new(
                version.place(),
                format!(
                    "`{}` is {}, but runvet supports {}",
                    version.field,
                    version.found,
                    quote(version.supported)
                ),
            ))
        }
        _ => None,
    }
}
