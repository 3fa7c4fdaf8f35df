//! A record and its troubles -> findings of the rules that the state and the summary have in
//! common.

use crate::ground::printable::quote;
use crate::judge::load::{Trouble, VersionField};
use crate::judge::rule::{Artifact, Compared, Context, Draft, Place};
use crate::reading::facts::{InState, InSummary};
use crate::reading::schema::MAX_VIOLATIONS;

/// The advice on a version that is not supported.
pub(super) const CONVERT: &str = "Convert the record to the current version, or give runvet the schema of the version it has: `[[version]]` in `runvet.toml`.";

/// The advice on a version that is newer.
pub(super) const UPGRADE: &str = "Use a runvet release that supports this version.";

/// Judges the version of a record: whether it is supported, or whether it is newer than the one
/// that is.
pub(super) fn version(
    ctx: &mut Context<'_>,
    artifact: Artifact,
    is_newer: bool,
) -> Option<Compared> {
    ctx.troubles(|trouble| {
        let (version, clause) = match trouble {
            Trouble::UnsupportedVersion(version) if !is_newer => (version, ", but runvet supports"),
            Trouble::NewerVersion(version) if is_newer => {
                (version, "; runvet checks the record against the older")
            }
            _ => return None,
        };

        let VersionField { field, found, .. } = version;
        let supported = quote(version.supported);
        let message = format!("`{field}` is {found}{clause} {supported}");
        let help = version
            .differs
            .as_deref()
            .filter(|_| !is_newer)
            .map(|fields| differing(fields, version.supported));
        let draft = Draft::new(version.place(), message).help(help);
        (version.artifact == artifact).then_some(draft)
    });

    // Records the skip where the record has no facts.
    let _ = match artifact {
        Artifact::Summary => ctx.summary().is_some(),
        _ => ctx.state().is_some(),
    };

    let record = ctx.record(artifact);
    Compared::when(match (artifact, is_newer) {
        (Artifact::Summary, _) => record.has(InSummary::SchemaVersion),
        (_, true) => record.has(InState::SchemaVersion),
        (_, false) => record.has(InState::Version) || record.has(InState::SchemaVersion),
    })
}

/// Judges the fields of a record by its schema. `name` is that of the record, as in "the state".
pub(super) fn schema(ctx: &mut Context<'_>, artifact: Artifact, name: &str) -> Option<Compared> {
    ctx.troubles(|trouble| violation(trouble, artifact, name));
    shape(ctx, artifact)
}

/// Returns the answer of a rule about the fields of a record, by its schema.
pub(super) fn shape(ctx: &mut Context<'_>, artifact: Artifact) -> Option<Compared> {
    let record = ctx.record(artifact);
    ctx.usable(&record.shape)?;
    Compared::when(record.is_read())
}

/// The number of fields that are named, of those in which a record differs from its schema.
const MAX_FIELDS: usize = 8;

/// Returns the advice on the fields in which a record differs from the current version.
fn differing(fields: &[String], version: &str) -> String {
    let convert = "Convert the record before you change its version, or give runvet the schema of its version with `[[version]]` in `runvet.toml`.";
    let mut named: Vec<String> = fields
        .iter()
        .map(|field| format!("`{field}`"))
        .collect();
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

/// Returns a finding for a violation of a schema. `name` is that of the record, or "the event".
pub(super) fn violation(trouble: &Trouble, artifact: Artifact, name: &str) -> Option<Draft> {
    if let Trouble::TooManyViolations(of) = trouble
        && *of == artifact
    {
        let message = format!("{artifact} violates its schema in at least {MAX_VIOLATIONS} places");
        return Some(Draft::new(Place::whole(artifact), message));
    }

    let (place, violation) = trouble.violation(artifact)?;
    let typos = violation.typos(&place);
    let draft = Draft::new(place, violation.message(name));

    Some(
        draft
            .help(violation.help())
            .causes(typos),
    )
}
