//! Drafts of findings -> findings at their places, sorted, each with its fingerprint.

use std::collections::BTreeMap;

use crate::ground::digest::Digest;
use crate::ground::draft::Drafted;
use crate::ground::finding::{Finding, Location, Related};
use crate::ground::source::Place;
use crate::judge::rule::{Check, Rule};
use crate::judge::rules::RuleSet;

/// Finds the bytes of all places, sorts the findings, and gives each its fingerprint.
pub(super) fn locate(
    rules: &RuleSet,
    drafts: Vec<Drafted>,
    causes: &[Place],
    id: &str,
    locations: impl FnOnce(&[&Place]) -> Vec<Location>,
) -> Vec<Finding> {
    if drafts.is_empty() {
        return Vec::new();
    }

    let mut places = Vec::new();
    for Drafted { draft, .. } in &drafts {
        places.push(&draft.place);
        let others = draft
            .related
            .iter()
            .chain(&draft.causes);
        places.extend(others.map(|(place, _)| place));
    }
    let mut locations = locations(&places).into_iter();

    let mut findings: Vec<Finding> = drafts
        .into_iter()
        .map(|drafted| {
            let rule = rules.own(drafted.rule_index);
            let is_cause = causes.contains(&drafted.draft.place);
            located(drafted, rule, is_cause, &mut locations, id)
        })
        .collect();
    sort(&mut findings);
    tell_apart(&mut findings);

    findings
}

pub(super) fn sort(findings: &mut [Finding]) {
    fn key(it: &Finding) -> impl Ord {
        let at = &it.location;
        (&at.file, at.offset, &it.rule, at.length, &it.message)
    }
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
}

/// Makes the fingerprints of findings differ that have the same one, and their former ones.
fn tell_apart(findings: &mut [Finding]) {
    let [mut met, mut met_before]: [BTreeMap<String, u64>; 2] = Default::default();
    let apart = |met: &mut BTreeMap<String, u64>, fingerprint: String| {
        let nth = met
            .entry(fingerprint.clone())
            .or_default();
        *nth += 1;
        let parts = [fingerprint.as_bytes(), &(*nth - 1).to_le_bytes()];
        Digest::of(parts).to_string()
    };

    // Without former ones, both are alike.
    let were_alike = findings
        .iter()
        .all(|finding| finding.former.is_none());

    for finding in findings {
        if !were_alike {
            let former = finding
                .former
                .take()
                .unwrap_or_else(|| finding.fingerprint.clone());
            finding.former = Some(apart(&mut met_before, former));
        }

        finding.fingerprint = apart(&mut met, std::mem::take(&mut finding.fingerprint));
        if finding.former.as_ref() == Some(&finding.fingerprint) {
            finding.former = None;
        }
    }
}

/// Returns a finding at its places, the next ones, with the fingerprint of all that are alike.
fn located(
    drafted: Drafted,
    rule: &Rule,
    is_cause: bool,
    locations: &mut impl Iterator<Item = Location>,
    id: &str,
) -> Finding {
    let draft = drafted.draft;
    let location = locations.next().unwrap_or_default();
    let mut related = |places: Vec<(Place, String)>| -> Vec<Related> {
        places
            .into_iter()
            .map(|(_, message)| Related {
                message,
                location: locations.next().unwrap_or_default(),
            })
            .collect()
    };

    let mut finding = Finding {
        rule_index: Some(drafted.rule_index),
        is_cause,
        is_of_team: matches!(rule.check, Check::Team(_)),
        rule: rule.info.id.to_string(),
        severity: drafted.severity,
        message: draft.message,
        help: draft
            .help
            .unwrap_or_else(|| rule.info.hint.to_string()),
        fingerprint: String::new(),
        location,
        related: related(draft.related),
        besides: draft.besides,
        former: None,
        rests_on: draft.rests_on,
    };

    let former = identity(&finding, id);
    finding.fingerprint = former.to_string();
    if let Some(further) = draft.further {
        finding.fingerprint = Digest::of([former.bytes(), further.bytes()]).to_string();
        finding.former = Some(former.to_string());
    }

    finding
        .related
        .extend(related(draft.causes));

    finding
}

/// Returns the identity of a finding, which stays the same when the episode moves, keys change
/// places, or text is added before the place.
fn identity(finding: &Finding, id: &str) -> Digest {
    let place = |at: &Location| {
        // A file besides the artifacts has its name alone.
        let name = at
            .file
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let file = at
            .artifact
            .map_or(name, |artifact| artifact.file_name());
        let pointer = at
            .pointer
            .as_deref()
            .unwrap_or_default();
        let text = at
            .digest
            .as_ref()
            .map(Digest::bytes)
            .unwrap_or_default();
        Digest::of([file.as_bytes(), pointer.as_bytes(), text])
    };

    let others = finding
        .related
        .iter()
        .map(|related| &related.location);
    let places: Vec<Digest> = std::iter::once(&finding.location)
        .chain(others)
        .map(place)
        .collect();
    let names = [id, &finding.rule, &finding.besides].map(str::as_bytes);

    Digest::of(
        names
            .into_iter()
            .chain(places.iter().map(Digest::bytes)),
    )
}
