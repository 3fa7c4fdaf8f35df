//! Rules that the state and the summary have in common.

use crate::finding::Level;
use crate::load::Trouble;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Draft, Examined, Record, Rule};
use crate::source::{Artifact, Place};

/// Words a trouble that loading met.
type Word = fn(&Trouble) -> Option<Draft>;

pub(super) const fn version(
    names: [&'static str; 3],
    record: &'static [Record],
    examined: Examined,
    word: Word,
) -> Rule {
    let hint = "Write the current version, or check older records with the runvet release that supports them.";
    rule(names, Level::Error, hint, Check::Loading(word, examined)).reads(record)
}

pub(super) const fn newer_version(
    names: [&'static str; 3],
    record: &'static [Record],
    examined: Examined,
    word: Word,
) -> Rule {
    let hint = "Use a runvet release that supports this version.";
    rule(names, Level::Warning, hint, Check::Loading(word, examined)).reads(record)
}

/// The rule with an id, a title and a page.
const fn rule(names: [&'static str; 3], level: Level, hint: &'static str, check: Check) -> Rule {
    let [id, title, page] = names;
    let rule = BuiltIn {
        id,
        level,
        title,
        hint,
        page,
    };
    Rule::new(rule, check)
}

pub(super) fn unsupported(trouble: &Trouble, artifact: Artifact) -> Option<Draft> {
    match trouble {
        Trouble::UnsupportedVersion(version) if version.artifact == artifact => {
            let message = format!(
                "`{}` is {}, but runvet supports {}",
                version.field,
                version.found,
                quote(version.supported)
            );
            Some(Draft::new(version.place(), message))
        }
        _ => None,
    }
}

pub(super) fn newer(trouble: &Trouble, artifact: Artifact) -> Option<Draft> {
    match trouble {
        Trouble::NewerVersion(version) if version.artifact == artifact => {
            let message = format!(
                "`{}` is {}; runvet checks the record against the older {}",
                version.field,
                version.found,
                quote(version.supported)
            );
            Some(Draft::new(version.place(), message))
        }
        _ => None,
    }
}

/// `name` is that of the record, as in "the state".
pub(super) fn violation(trouble: &Trouble, artifact: Artifact, name: &str) -> Option<Draft> {
    if let Trouble::TooManyViolations {
        artifact: of,
        limit,
    } = trouble
        && *of == artifact
    {
        let message = format!("{artifact} violates its schema in at least {limit} places");
        return Some(Draft::new(Place::whole(artifact), message));
    }
    let (place, violation) = trouble.violation(artifact)?;
    let slips = violation.slips(&place);
    let draft = Draft::new(place, violation.message(name));
    Some(draft.help(violation.help()).causes(slips))
}
