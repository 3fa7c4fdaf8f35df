//! Rules that the state and the summary have in common.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Examined, Record, Rule};
use crate::schema::MAX_VIOLATIONS;
use crate::source::{Artifact, Place};

/// Words a trouble that loading met.
type Word = fn(&Trouble) -> Option<Draft>;

pub(super) const fn version(
    names: [&'static str; 3],
    record: &'static [Record],
    examined: Examined,
    word: Word,
) -> Rule {
    let hint = "Convert the record to the current version, or give runvet the schema of the version it has: `[[version]]` in `runvet.toml`.";
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
    Rule::new(BuiltIn {
        id,
        level,
        title,
        hint,
        page,
        check,
    })
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
            let differs = version.differs.as_deref();
            let help = differs.map(|fields| differing(fields, version.supported));
            Some(Draft::new(version.place(), message).help(help))
        }
        _ => None,
    }
}

/// The number of fields that are named, of those in which a record differs from its schema.
const MAX_FIELDS: usize = 8;

/// What a record lacks to be of the current version.
fn differing(fields: &[String], version: &str) -> String {
    let convert = "Convert the record before you change its version, or give runvet the schema of its version with `[[version]]` in `runvet.toml`.";
    let mut named: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    if named.is_empty() {
        return format!(
            "Only the version differs from {version}, as far as the schema shows. {convert}"
        );
    }
    if let more @ 1.. = named.len().saturating_sub(MAX_FIELDS) {
        named.truncate(MAX_FIELDS);
        named.push(format!("{more} more"));
    }
    let named = named.join(", ");
    format!("The record differs from version {version} in {named}. {convert}")
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
    if let Trouble::TooManyViolations(of) = trouble
        && *of == artifact
    {
        let message = format!("{artifact} violates its schema in at least {MAX_VIOLATIONS} places");
        return Some(Draft::new(Place::whole(artifact), message));
    }
    let (place, violation) = trouble.violation(artifact)?;
    let slips = violation.slips(&place);
    let draft = Draft::new(place, violation.message(name));
    Some(draft.help(violation.help()).causes(slips))
}
