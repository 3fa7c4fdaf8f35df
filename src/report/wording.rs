//! Counts and states -> words that several formats share.

use super::Closing;
use crate::ground::finding::{
    EpisodeReport, FaultSort, NotJudged, ReportedFault, Severity, Totals, Unjudged, Verdict,
};
use crate::ground::printable::count;

/// Returns the origin of settings in words: the configuration file, if there is one, and whether
/// options of the command or of a call change its settings.
#[must_use]
pub fn settings_in_words(file: Option<&str>, are_changed: bool) -> String {
    let from = match file {
        Some(name) => format!("the settings of {name}"),
        None => "default settings".to_owned(),
    };
    let changed = if are_changed {
        ", changed by options"
    } else {
        ""
    };

    from + changed
}

/// Returns the totals in words: "5 episodes: 2 valid, 3 invalid (4 errors, 1 warning)".
pub(crate) fn verdict(closing: &Closing<'_>) -> (String, String) {
    let totals = closing.totals;
    let is_other = |fault: &&ReportedFault| fault.sort != FaultSort::Link;
    let others: Vec<ReportedFault> = closing
        .faults
        .iter()
        .filter(is_other)
        .cloned()
        .collect();
    let lost = faults(&others);
    if totals.episodes == 0 {
        let lost: Vec<String> = not_judged_in_words(totals.not_judged)
            .into_iter()
            .chain(lost)
            .collect();
        let lost = if lost.is_empty() {
            String::new()
        } else {
            format!(": {}", lost.join("; "))
        };

        return ("no episodes".into(), lost);
    }

    let mut verdict = judged_in_words(totals);
    if let Some(lost) = lost {
        verdict = format!("{verdict}; {lost}");
    }

    let known = [
        (totals.ignored, "ignored"),
        (totals.baselined, "in the baseline"),
    ];
    for (number, what) in known
        .into_iter()
        .filter(|(number, _)| *number > 0)
    {
        verdict = format!("{verdict}; {} {what}", count(number, "finding"));
    }

    (count(totals.episodes, "episode"), format!(": {verdict}"))
}

/// Returns how the episodes were judged, in words: "2 valid, 3 invalid (4 errors, 1 warning)".
fn judged_in_words(totals: &Totals) -> String {
    let unjudged = not_judged_in_words(totals.not_judged);
    let counts = counts(totals.errors, totals.warnings);
    let is_one = totals.episodes == 1;
    let in_brackets = match &*counts {
        "" => String::new(),
        counts => format!(" ({counts})"),
    };

    match (totals.invalid, totals.undecided) {
        (0, 0) if totals.not_judged.is_nothing() => {
            let with = if counts.is_empty() { "" } else { ", with " };
            let valid = match totals.ignored + totals.baselined {
                // What is excused may be an error.
                1.. => "no other errors",
                0 if is_one => "valid",
                0 => "all valid",
            };
            format!("{valid}{with}{counts}")
        }
        (1.., 0) if is_one && totals.breaks_rule == 1 && unjudged.is_empty() => {
            format!("{}{in_brackets}", Verdict::BreaksRule.phrase(1))
        }
        (1.., 0) if is_one && unjudged.is_empty() => format!("invalid{in_brackets}"),
        _ => {
            let numbers: Vec<String> = verdicts_in_words(totals)
                .into_iter()
                .chain(unjudged)
                .collect();
            format!("{}{in_brackets}", numbers.join(", "))
        }
    }
}

/// Returns the number of each verdict in words: "2 valid", "1 invalid".
fn verdicts_in_words(totals: &Totals) -> Vec<String> {
    let are_all_valid = totals.valid == totals.episodes;
    let is_named = |(verdict, number): &(Verdict, u64)| match verdict {
        Verdict::Valid => true,
        Verdict::Invalid => *number > 0 || totals.breaks_rule == 0 && !are_all_valid,
        _ => *number > 0,
    };

    totals
        .verdicts()
        .into_iter()
        .filter(is_named)
        .map(|(verdict, number)| match verdict {
            // What is excused may be an error.
            Verdict::Valid if are_all_valid && totals.ignored + totals.baselined > 0 => {
                "no other errors".to_owned()
            }
            _ => format!("{number} {}", verdict.phrase(number)),
        })
        .collect()
}

/// Returns what was not judged in words, each kind of which there is any: "1 not ended".
pub(crate) fn not_judged_in_words(not_judged: NotJudged) -> Vec<String> {
    let NotJudged {
        not_ended,
        skipped,
        links,
        empty,
        rules,
        ..
    } = not_judged;
    let counted = |number, what| count(number, what);
    let words = [
        (not_ended, format!("{not_ended} not ended")),
        (skipped, format!("{skipped} not fully judged")),
        (links, format!("{} not followed", counted(links, "link"))),
        (empty, format!("{} empty", counted(empty, "directory"))),
        (rules, format!("{} not judged", counted(rules, "rule"))),
    ];

    words
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(_, words)| words)
        .collect()
}

/// The number of rules that are named where they could not be judged; more are counted.
pub(super) const MAX_NAMED: usize = 3;

/// Returns the rules that could not be judged, in one line: "not judged: 22 rules, state.json can't
/// be read". Their names follow if they are few, or wanted.
pub(super) fn not_judged(unjudged: &Unjudged<'_>, names_rules: bool) -> String {
    let Unjudged { reason, rules, .. } = unjudged;
    let names = if names_rules || rules.len() <= MAX_NAMED {
        format!(": {}", rules.join(", "))
    } else {
        String::new()
    };

    let rules = count(rules.len() as u64, "rule");
    format!("not judged: {rules}, {reason}{names}")
}

/// Returns the faults in words: "32 directories could not be read".
pub(crate) fn faults(faults: &[ReportedFault]) -> Option<String> {
    let of = |sort| {
        faults
            .iter()
            .filter(|fault| fault.sort == sort)
            .count()
    };

    let parts: Vec<String> = [
        (of(FaultSort::Unlistable), "directory", "read"),
        (of(FaultSort::Link), "link", "followed"),
        (of(FaultSort::Other), "path", "checked"),
    ]
    .into_iter()
    .filter(|(number, ..)| *number > 0)
    .map(|(number, what, done)| {
        let what = count(number as u64, what);
        format!("{what} could not be {done}")
    })
    .collect();

    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns "4 errors, 1 warning"; zeros are left out.
pub(super) fn counts(errors: u64, warnings: u64) -> String {
    [(errors, Severity::Error), (warnings, Severity::Warning)]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, severity)| count(number, severity.word()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the text for an episode without findings that count.
pub(in crate::report) fn nothing_found(episode: &EpisodeReport) -> &'static str {
    match (episode.suppressed.is_empty(), episode.skipped.is_empty()) {
        _ if episode.valid.is_none() => "undecided, because some rules could not be judged",
        (true, true) => "nothing found",
        (false, true) => "no new findings",
        (true, false) => "nothing found, but some rules could not be judged",
        (false, false) => "no new findings, but some rules could not be judged",
    }
}
