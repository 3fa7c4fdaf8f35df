//! `state/version`: the state has a version that runvet does not support.

use crate::finding::{Level, RuleInfo};
use crate::load::Trouble;
use crate::printable::quote;
use crate::rule::{Check, Draft, Record, Rule};
use crate::source::Artifact;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "state/version",
        level: Level::Error,
        title: "the state has a version that runvet does not support",
        hint: "Write the current version, or check older records with the runvet release that supports them.",
        page: include_str!("version.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::State],
    needs: &[],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        Trouble::UnsupportedVersion(version) if version.artifact == Artifact::State => {
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
