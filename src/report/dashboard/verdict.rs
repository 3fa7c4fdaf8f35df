//! The verdict of a check -> text: how the run ended, and whether its records can be trusted.

use std::collections::BTreeSet;
use std::io;

use super::{Page, SECTION_LINES};
use crate::dashboard::Verdict;
use crate::finding::{EpisodeReport, Finding, Lifecycle, Severity, Suppression};
use crate::printable::escape;
use crate::report::paint::{Line, Paint};
use crate::report::wording::count;

impl Page<'_> {
    /// Draws how the run ended and, separately, whether its records can be trusted.
    pub(super) fn verdict(&mut self, verdict: &Verdict) -> io::Result<()> {
        let report = &verdict.report;
        writeln!(self.out)?;
        let status = verdict.status.as_deref();
        let went = how_it_went(status, report.lifecycle);
        let paint = status.and_then(Paint::of).unwrap_or(Paint::Bold);
        let run = Line::default()
            .painted("Run: ", Paint::Bold)
            .painted(went, paint);
        let reason = verdict.reason.as_ref();
        let reason = reason.map(|reason| format!(": {reason}"));
        self.draw(&run.text(&reason.unwrap_or_default()))?;
        let records = Line::default().painted("Records: ", Paint::Bold);
        self.draw(&records.painted(&consistency(report), colour_of(report)))?;
        if let Some(line) = verdict.plan_differs_from {
            self.line(&format!(
                "  the plan differs from the timeline from line {line} on (runvet plan)"
            ))?;
        }
        for (suppression, what) in [
            (Suppression::Ignore, "ignored"),
            (Suppression::Baseline, "in the baseline"),
        ] {
            let suppressed = report.suppressed.iter();
            let number = suppressed.filter(|known| known.by == suppression).count();
            if number > 0 {
                self.line(&format!("  {what}: {}", count(number as u64, "finding")))?;
            }
        }
        let findings = report.by_weight();
        for finding in findings.iter().take(SECTION_LINES) {
            self.finding(finding)?;
        }
        let more = findings.len().saturating_sub(SECTION_LINES);
        self.more(more, " (runvet validate)")?;
        let unjudged: BTreeSet<&str> = report.skipped.iter().map(|skip| &*skip.rule).collect();
        if unjudged.is_empty() {
            return Ok(());
        }
        let unjudged = count(unjudged.len() as u64, "rule");
        let dir = escape(&report.dir);
        self.paragraph(
            "  ",
            &format!("{unjudged} not judged; for the reasons: runvet validate {dir}"),
        )
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let location = &finding.location;
        let file = match location.artifact {
            Some(artifact) => artifact.file_name(),
            None => &*location.file,
        };
        let line = location.line.map(|line| format!(":{line}"));
        let severity = finding.severity.word();
        let text = format!(
            "{severity} {} ({file}{}): {}",
            finding.rule,
            line.unwrap_or_default(),
            escape(&finding.message)
        );
        let painted = Paint::of(severity).map(|paint| (severity, paint));
        self.painted("  ", &text, painted.as_slice())
    }
}

/// The outcome of a run in words, by its status.
fn how_it_went(status: Option<&str>, lifecycle: Lifecycle) -> &'static str {
    match (status, lifecycle) {
        (Some("ok"), _) => "succeeded (ok)",
        (Some("error"), _) => "failed (error)",
        (Some("partial"), Lifecycle::NonTerminal) => "paused (partial)",
        (Some("partial"), _) => "succeeded in part (partial)",
        (Some("vetoed"), _) => "vetoed",
        (Some("aborted"), _) => "aborted",
        (Some("pending"), _) => "in progress (pending)",
        (_, Lifecycle::NonTerminal) => "in progress",
        _ => "unknown",
    }
}

/// Whether the records of a run can be trusted.
fn consistency(report: &EpisodeReport) -> String {
    let of = |severity| {
        let findings = report.findings.iter();
        findings.filter(|found| found.severity == severity).count() as u64
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let warned = match warnings {
        0 => String::new(),
        warnings => format!(", {}", count(warnings, "warning")),
    };
    if report.valid.is_none() {
        let met = match errors {
            0 => String::new(),
            errors => format!(", {}", count(errors, "error")),
        };
        return format!("undecided, because the episode kept changing{met}{warned}");
    }
    let is_whole = report.skipped.is_empty();
    let none = if report.suppressed.is_empty() {
        "no error"
    } else {
        "no new error"
    };
    match errors {
        1.. => format!("{}{warned}", count(errors, "error")),
        0 if !is_whole => format!("{none}{warned}, not all rules judged"),
        0 if !report.suppressed.is_empty() => format!("{none}{warned}"),
        0 => format!("consistent{warned}"),
    }
}

/// The colour of that.
fn colour_of(report: &EpisodeReport) -> Paint {
    let worst = report.findings.iter().map(|finding| finding.severity).min();
    match worst {
        Some(Severity::Error) => Paint::Bad,
        None if report.skipped.is_empty() => Paint::Good,
        Some(Severity::Warning) | None => Paint::Caution,
    }
}

#[cfg(test)]
mod tests {
    use super::consistency;
    use crate::finding::{EpisodeReport, Lifecycle, STILL_CHANGING, Skip};
    use crate::source::EpisodeKey;

    #[test]
    fn episode_that_kept_changing_is_undecided() {
        let report = EpisodeReport {
            id: "ep_1".into(),
            dir: "ep_1".into(),
            key: EpisodeKey::Dir("ep_1".into()),
            lifecycle: Lifecycle::NonTerminal,
            mode: None,
            adapter: None,
            valid: None,
            findings: Vec::new(),
            skipped: vec![Skip::new("plan/projection", &STILL_CHANGING)],
            suppressed: Vec::new(),
            suppressed_skips: Vec::new(),
        };
        let undecided = "undecided, because the episode kept changing";
        assert_eq!(consistency(&report), undecided);
    }
}
