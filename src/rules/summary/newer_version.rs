//! `summary/newer-version`: the summary has a newer version than runvet supports.

use crate::finding::{Level, RuleInfo};
use crate::load::Trouble;
use crate::printable::quote;
use crate::rule::{Check, Draft, Record, Rule};
use crate::source::Artifact;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "summary/newer-version",
        level: Level::Warning,
        title: "the summary has a newer version than runvet supports",
        hint: "Use a runvet release that supports this version.",
        page: include_str!("newer_version.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::Summary],
    needs: &[],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        Trouble::NewerVersion(version) if version.artifact == Artifact::Summary => {
            Some(Draft::new(
                version.place(),
                format!(
                    "`{}` is {}; runvet checks the record against the older {}",
                    version.field,
                    version.found,
                    quote(version.supported)
                ),
            ))
        }
        _ => None,
    }
}
