//! Counts and states -> words that several formats share.

#[cfg(feature = "human")]
use crate::finding::{EpisodeReport, Lifecycle};
use crate::finding::{Severity, Totals};

/// The totals in words: "5 episodes: 2 valid, 3 invalid (4 errors, 1 warning)".
pub(super) fn verdict(totals: &Totals, unjudged: u64) -> (String, String) {
    if totals.episodes == 0 {
        return ("no episodes".into(), String::new());
    }
    let mut verdict = match totals.invalid {
        0 if totals.warnings == 0 => "all valid".into(),
        0 => format!("all valid, with {}", count(totals.warnings, "warning")),
        invalid => format!(
            "{} valid, {invalid} invalid ({})",
            totals.valid,
            counts(totals.errors, totals.warnings)
        ),
    };
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

/// "4 errors, 1 warning"; zeros are left out.
pub(super) fn counts(errors: u64, warnings: u64) -> String {
    let counts = [(errors, Severity::Error), (warnings, Severity::Warning)];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    counts
        .map(|(number, severity)| count(number, severity.word()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The text for an episode without findings that count.
#[cfg(feature = "human")]
pub(crate) fn nothing_found(episode: &EpisodeReport) -> &'static str {
    match (episode.suppressed.is_empty(), episode.skipped.is_empty()) {
        (true, true) => "nothing found",
        (false, true) => "no new findings",
        (true, false) => "nothing found, but some rules could not be judged",
        (false, false) => "no new findings, but some rules could not be judged",
    }
}

/// The lifecycle of a run, in words for people.
#[cfg(feature = "human")]
pub(crate) const fn stage(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Terminal => "ended",
        Lifecycle::NonTerminal => "in progress",
        Lifecycle::Unknown => "unknown whether it ended",
    }
}

/// A number of things: "1 finding", "2 findings".
pub(crate) fn count(number: u64, word: &str) -> String {
    if number == 1 {
        format!("1 {word}")
    } else {
        format!("{number} {word}s")
    }
}
