//! Findings that rest on the timeline -> the misspelled keys and phases that they may follow from.

use crate::draft::Drafted;
use crate::facts::{Slip, SlipLines, Slips};
use crate::printable::{brief, quote};
use crate::record::phases::PROJECTION;
use crate::rule::Placed;
use crate::rules::RuleSet;
use crate::source::{Artifact, Line, Place, Pointer, Target};

/// The number of misspelled keys that come first since a violation of a schema names them.
const MAX_FIRST: usize = 100;

/// The number of causes that one finding names.
const MAX_CAUSES: usize = 2;

/// The number of findings of one rule that name their causes: the first show where to look.
const MAX_CAUSED: usize = 1_000;

/// Adds to each draft the slips that it may follow from, and returns the places of all of them;
/// where there is room, also phases of a runtime's own that are like those that the rule looks for.
pub(super) fn add(rules: &RuleSet, drafts: &mut [Drafted], slips: &Slips) -> Vec<Place> {
    let mut in_order: Vec<_> = slips.iter().collect();
    in_order.sort_by_key(|(_, lines)| lines.first);
    let mut places: Vec<Place> = Vec::new();
    let may_follow = |of: &Placed<'_>| !of.rule.follows_from.is_empty();
    for Placed { rule, index } in rules.placed().filter(may_follow) {
        let words = rule.follows_from;
        let mut causes = in_order
            .iter()
            .filter(|(slip, _)| words.contains(&slip.meant))
            .map(|(slip, lines)| (slip.place(lines), cause(slip, lines)))
            .take(MAX_CAUSES)
            .collect::<Vec<_>>();
        let slips_alone = causes.len();
        let begun = slips.begun.iter();
        let begun = begun.filter(|(phase, _)| words.contains(phase));
        let begun = begun.take(MAX_CAUSES - slips_alone);
        causes.extend(begun.map(|(phase, (line, written))| {
            let (written, number) = (quote(written), line.number);
            let message =
                format!("the phase {written} on line {number} does not count as `{phase}`");
            (Place::event(*line, "/phase"), message)
        }));
        let instead = rule
            .misses
            .and_then(|phase| instead_of(phase, slips, &in_order));
        let findings = drafts
            .iter_mut()
            .filter(|drafted| drafted.rule_index == index)
            .take(MAX_CAUSED);
        let mut any = false;
        for Drafted { draft, .. } in findings {
            draft.causes.clone_from(&causes);
            if let Some(instead) = &instead
                && draft.place.target == Target::Whole
            {
                let help = draft.help.as_deref().unwrap_or(&rule.info.hint);
                draft.help = Some(format!("{instead} {help}"));
            }
            draft.causes.extend(of_value(slips, words, &draft.place));
            any = true;
        }
        if any {
            places.extend(causes.drain(..slips_alone).map(|(place, _)| place));
        }
    }
    places
}

/// The places of keys that violations of the schemas name, since a required field is absent.
pub(super) fn of_violations(drafts: &[Drafted]) -> Vec<Place> {
    drafts
        .iter()
        .flat_map(|drafted| &drafted.draft.causes)
        .map(|(place, _)| place.clone())
        .take(MAX_FIRST)
        .collect()
}

/// The value of an event that a rule does not count, and that may be the cause.
fn of_value(slips: &Slips, words: &[&str], place: &Place) -> Option<(Place, String)> {
    if let Some((line, written)) = &slips.projection_type
        && words.contains(&"event_type")
    {
        return Some(other_type(*line, written));
    }
    let line = slips.bare_status?;
    (words.contains(&"step_status") && is_status(place)).then(|| bare_status(line))
}

/// What an event has instead of a phase that is missed, as a question.
fn instead_of(phase: &str, slips: &Slips, in_order: &[(&Slip, &SlipLines)]) -> Option<String> {
    if let (Some((line, written)), "runtime") = (&slips.projection_type, phase) {
        let (line, written) = (line.number, quote(written));
        return Some(format!(
            "Line {line} has the event type {written}: did you mean `{PROJECTION}`?"
        ));
    }
    let is_slip = |(slip, _): &&(&Slip, &SlipLines)| slip.within.is_none() && slip.meant == phase;
    let slip = in_order
        .iter()
        .find(is_slip)
        .map(|(slip, lines)| (lines.first, &slip.written));
    let begun = || {
        let (line, written) = slips.begun.get(phase)?;
        Some((*line, written))
    };
    let (line, written) = slip.or_else(begun)?;
    let (line, written) = (line.number, quote(written));
    Some(format!(
        "Line {line} has the phase {written}: did you mean `{phase}`?"
    ))
}

fn is_status(place: &Place) -> bool {
    matches!(&place.target, Target::Value(pointer) if pointer.as_str().ends_with("/status"))
}

/// An event with a type that is like that of a projection event.
fn other_type(line: Line, written: &str) -> (Place, String) {
    let message = format!(
        "the event type {} on line {} does not count as `{PROJECTION}`",
        quote(written),
        line.number
    );
    (Place::event(line, "/event_type"), message)
}

/// An act event that has the status of a step under another key.
fn bare_status(line: Line) -> (Place, String) {
    let place = Place {
        artifact: Artifact::Events,
        line: Some(line),
        target: Target::Key(Pointer::new("/payload/status")),
        elsewhere: None,
    };
    let message = format!(
        "the `act` event on line {} has `status`, but no `step_status`",
        line.number
    );
    (place, message)
}

fn cause(slip: &Slip, lines: &SlipLines) -> String {
    let line = lines.first.number;
    match slip.within {
        None => format!(
            "this may follow from the phase {} on line {line}, if `{}` is meant",
            quote(&slip.written),
            slip.meant
        ),
        Some(_) => format!(
            "this may follow from `{}` on line {line}, if `{}` is meant",
            brief(&slip.written),
            slip.meant
        ),
    }
}
