//! Counts and states -> words that several formats share.

use super::Closing;
use crate::ground::finding::{
    EpisodeReport, FaultSort, ReportedFault, Severity, Unjudged, Verdict,
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
pub(crate) fn verdict(closing: &Closing<'_>, unjudged: u64) -> (String, String) {
    let totals = closing.totals;
    let lost = faults(closing.faults);
    if totals.episodes == 0 {
        let lost = lost.map(|lost| format!(": {lost}"));
        return ("no episodes".into(), lost.unwrap_or_default());
    }
    let counts = counts(totals.errors, totals.warnings);
    let is_one = totals.episodes == 1;
    let in_brackets = match &*counts {
        "" => String::new(),
        counts => format!(" ({counts})"),
    };
    let mut verdict = match (totals.invalid, totals.undecided) {
        (0, 0) => {
            let with = if counts.is_empty() { "" } else { ", with " };
            let valid = match totals.ignored + totals.baselined {
                // What is excused may be an error.
                1.. => "no other errors",
                0 if is_one => "valid",
                0 => "all valid",
            };
            format!("{valid}{with}{counts}")
        }
        (1.., 0) if is_one && totals.breaks_rule == 1 => {
            format!("{}{in_brackets}", Verdict::BreaksRule.phrase(1))
        }
        (1.., 0) if is_one => format!("invalid{in_brackets}"),
        _ => {
            let is_named = |(verdict, number): &(Verdict, u64)| match verdict {
                Verdict::Valid => true,
                Verdict::Invalid => *number > 0 || totals.breaks_rule == 0,
                _ => *number > 0,
            };
            let named = totals.verdicts().into_iter().filter(is_named);
            let numbers: Vec<String> = named
                .map(|(verdict, number)| format!("{number} {}", verdict.phrase(number)))
                .collect();
            format!("{}{in_brackets}", numbers.join(", "))
        }
    };
    if let Some(lost) = lost {
        verdict = format!("{verdict}; {lost}");
    }
    if unjudged > 0 {
        verdict = format!("{verdict}; {unjudged} not fully judged");
    }
    let known = [
        (totals.ignored, "ignored"),
        (totals.baselined, "in the baseline"),
    ];
    for (number, what) in known.into_iter().filter(|(number, _)| *number > 0) {
        verdict = format!("{verdict}; {} {what}", count(number, "finding"));
    }
    (count(totals.episodes, "episode"), format!(": {verdict}"))
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
    let of = |sort| faults.iter().filter(|fault| fault.sort == sort).count();
    let counted = [
        (of(FaultSort::Unlistable), "directory", "read"),
        (of(FaultSort::Other), "path", "checked"),
    ];
    let counted = counted.into_iter().filter(|(number, ..)| *number > 0);
    let parts = counted.map(|(number, what, done)| {
        let what = count(number as u64, what);
        format!("{what} could not be {done}")
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns "4 errors, 1 warning"; zeros are left out.
pub(super) fn counts(errors: u64, warnings: u64) -> String {
    let counts = [(errors, Severity::Error), (warnings, Severity::Warning)];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    counts
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
