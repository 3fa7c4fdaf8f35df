//! Findings that rest on the timeline -> the misspelled keys and phases that they may follow from.

use crate::ground::draft::Drafted;
use crate::ground::printable::{brief, quote};
use crate::ground::record::phases::PROJECTION;
use crate::ground::source::{Line, Place, Pointer, Target};
use crate::judge::rule::PlacedRule;
use crate::judge::rules::RuleSet;
use crate::reading::facts::{Typo, TypoLines, Typos};

/// The number of misspelled keys that come first since a violation of a schema names them.
const MAX_FIRST: usize = 100;

/// The number of causes that one finding names.
const MAX_CAUSES: usize = 2;

/// The number of findings of one rule that name their causes: the first show where to look.
const MAX_CAUSED: usize = 1_000;

/// Adds to each draft the typos that it may follow from, and returns the places of all of them;
/// where there is room, also phases of a runtime's own that are like those that the rule looks for.
pub(super) fn add(rules: &RuleSet, drafts: &mut [Drafted], typos: &Typos) -> Vec<Place> {
    let mut in_order: Vec<_> = typos.iter().collect();
    in_order.sort_by_key(|(_, lines)| lines.first);
    let mut places: Vec<Place> = Vec::new();
    let may_follow = |of: &PlacedRule<'_>| !of.rule.follows_from.is_empty();
    for PlacedRule { rule, index } in rules.placed().filter(may_follow) {
        let mut findings = drafts
            .iter_mut()
            .filter(|it| it.rule_index == index)
            .take(MAX_CAUSED)
            .peekable();
        if findings.peek().is_none() {
            continue;
        }

        let words = rule.follows_from;
        let mut causes: Vec<_> = in_order
            .iter()
            .filter(|(typo, _)| words.contains(&typo.meant))
            .map(|(typo, lines)| (typo.place(lines), cause(typo, lines)))
            .take(MAX_CAUSES)
            .collect();
        places.extend(
            causes
                .iter()
                .map(|(place, _)| place.clone()),
        );

        let begun = typos
            .begun
            .iter()
            .filter(|(phase, _)| words.contains(phase));
        causes.extend(
            begun
                .take(MAX_CAUSES - causes.len())
                .map(|(phase, (line, written))| {
                    let cause = not_counted("phase", *line, written, phase);
                    (Place::event(*line, "/phase"), cause)
                }),
        );

        let instead = rule
            .misses
            .and_then(|phase| instead_of(phase, typos, &in_order));
        for Drafted { draft, .. } in findings {
            draft.causes.clone_from(&causes);
            if let Some(instead) = &instead
                && draft.place.target == Target::Whole
            {
                let help = draft
                    .help
                    .as_deref()
                    .unwrap_or(&rule.info.hint);
                draft.help = Some(format!("{instead} {help}"));
            }

            draft
                .causes
                .extend(of_value(typos, words, &draft.place));
        }
    }
    places
}

/// Returns the places of keys that violations of the schemas name, since a required field is
/// absent.
pub(super) fn of_violations(drafts: &[Drafted]) -> Vec<Place> {
    drafts
        .iter()
        .flat_map(|drafted| &drafted.draft.causes)
        .map(|(place, _)| place.clone())
        .take(MAX_FIRST)
        .collect()
}

/// Returns the value of an event that a rule does not count, and that may be the cause.
fn of_value(typos: &Typos, words: &[&str], place: &Place) -> Option<(Place, String)> {
    if let Some((line, written)) = &typos.projection_type
        && words.contains(&"event_type")
    {
        let cause = not_counted("event type", *line, written, PROJECTION);
        return Some((Place::event(*line, "/event_type"), cause));
    }

    let line = typos
        .bare_status
        .filter(|_| words.contains(&"step_status"))?;
    place
        .pointer()
        .filter(|_| matches!(place.target, Target::Value(_)))
        .filter(|it| it.as_str().ends_with("/status"))?;

    let number = line.number;
    let cause = format!("the `act` event on line {number} has `status`, but no `step_status`");
    let place = Place {
        target: Target::Key(Pointer::new("/payload/status")),
        ..Place::event(line, "")
    };

    Some((place, cause))
}

/// Returns the probable misspelling of a phase that is missed, as a question.
fn instead_of(phase: &str, typos: &Typos, in_order: &[(&Typo, &TypoLines)]) -> Option<String> {
    let (what, (line, written), meant) = match &typos.projection_type {
        Some((line, written)) if phase == "runtime" => ("event type", (line, written), PROJECTION),
        _ => {
            let typo = in_order
                .iter()
                .filter(|(typo, _)| typo.within.is_none())
                .find(|(typo, _)| typo.meant == phase)
                .map(|(typo, lines)| (&lines.first, &typo.written));
            let begun = typos
                .begun
                .get(phase)
                .map(|(line, written)| (line, written));
            ("phase", typo.or(begun)?, phase)
        }
    };

    let (line, written) = (line.number, quote(written));
    Some(format!(
        "Line {line} has the {what} {written}: did you mean `{meant}`?"
    ))
}

/// Returns a clause: a value of an event does not count as the one that it is similar to.
fn not_counted(what: &str, line: Line, written: &str, meant: &str) -> String {
    let (written, line) = (quote(written), line.number);
    format!("the {what} {written} on line {line} does not count as `{meant}`")
}

fn cause(typo: &Typo, lines: &TypoLines) -> String {
    let (line, meant) = (lines.first.number, typo.meant);
    let what = match typo.within {
        None => format!("the phase {}", quote(&typo.written)),
        Some(_) => format!("`{}`", brief(&typo.written)),
    };

    format!("this may follow from {what} on line {line}, if `{meant}` is meant")
}
