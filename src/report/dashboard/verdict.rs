//! The reason why a run did not succeed, and the verdict of a check -> text: the end of the run,
//! and whether its records can be trusted.

use std::collections::BTreeSet;
use std::io;

use super::{DashboardText, SECTION_LINES};
use crate::ground::finding::{EpisodeReport, Finding, Lifecycle, Severity, Totals, Verdict};
use crate::ground::printable::{count, escape};
use crate::reading::dashboard::{Dashboard, Reason, ReasonKind};
use crate::report::figures::offset;
use crate::report::paint::{Paint, StyledLine};

impl DashboardText<'_> {
    /// Draws why the run did not succeed.
    pub(crate) fn reason(&mut self, reason: &Reason) -> io::Result<()> {
        let what = reason.kind.sentence_start();
        let paint = match reason.kind {
            ReasonKind::Failed | ReasonKind::GoalNotAchieved => Paint::Bad,
            ReasonKind::Vetoed | ReasonKind::Aborted | ReasonKind::Unverified => Paint::Caution,
        };

        let named = |word: &str, name: &Option<String>| {
            name.as_ref()
                .map(|name| format!(" {word} {name}"))
                .unwrap_or_default()
        };

        let line = reason
            .line
            .map(|line| format!(":{line}"));
        let offset = reason.offset_sec.map(offset);
        let places: Vec<String> = [
            reason.action_id.clone(),
            line.map(|line| format!("{}{line}", reason.file)),
            offset,
        ]
        .into_iter()
        .flatten()
        .collect();
        let places = match &*places {
            [] => String::new(),
            places => format!(" ({})", places.join(", ")),
        };

        let text = reason
            .text
            .as_deref()
            .unwrap_or("the records do not say why");
        let (step, by) = (named("at", &reason.step_id), named("by", &reason.by));
        let sentence = format!("{what}{step}{by}{places}: {text}");
        self.painted("", &sentence, &[(what, paint)])?;

        reason
            .stderr
            .iter()
            .try_for_each(|line| self.line(&format!("  stderr: {line}")))
    }

    /// Draws how the run ended and, separately, whether its records can be trusted.
    pub(crate) fn verdict(&mut self, dashboard: &Dashboard) -> io::Result<()> {
        let report = &dashboard.report;
        writeln!(self.out)?;
        let (went, paint) = how_it_went(dashboard);
        let run = StyledLine::default()
            .painted("Run: ", Paint::Bold)
            .painted(&went, paint);
        let reason = dashboard.reason.as_ref();
        let reason = reason.and_then(|reason| Some(format!(": {}", reason.text.as_ref()?)));
        self.draw(&run.text(&reason.unwrap_or_default()))?;

        let records = StyledLine::default().painted("Records: ", Paint::Bold);
        self.draw(&records.painted(&consistency(report), colour_of(report)))?;
        let lines = dashboard
            .plan
            .differences
            .iter()
            .map(|(_, line)| line);
        if let Some(line) = lines.min() {
            let what = format!("  the plan differs from the timeline from line {line} on:");
            self.hint(&what, &["plan", &report.dir])?;
        }

        let totals = Totals::of(report);
        for (number, what) in [
            (totals.ignored, "ignored"),
            (totals.baselined, "in the baseline"),
        ] {
            if number > 0 {
                self.line(&format!("  {what}: {}", count(number, "finding")))?;
            }
        }

        let findings = report.by_weight();
        for finding in findings.iter().take(SECTION_LINES) {
            self.finding(finding)?;
        }

        let more = findings
            .len()
            .saturating_sub(SECTION_LINES);
        if more > 0 {
            self.hint(&format!("  … and {more} more:"), &["validate", &report.dir])?;
        }

        let unjudged: BTreeSet<&str> = report
            .skipped
            .iter()
            .map(|skip| &*skip.rule)
            .collect();
        if unjudged.is_empty() {
            return Ok(());
        }

        let unjudged = count(unjudged.len() as u64, "rule");
        let what = format!("  {unjudged} not judged; for the reasons:");
        self.hint(&what, &["validate", &report.dir])
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let (rule, file) = (&finding.rule, finding.location.name());
        let line = finding
            .location
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        let (severity, message) = (finding.severity.word(), escape(&finding.message));
        let text = format!("{severity} {rule} ({file}{line}): {message}");
        let painted = Paint::of(severity).map(|paint| (severity, paint));
        self.painted("  ", &text, painted.as_slice())
    }
}

/// Returns how a run went, in words and in colour: a run that ended well may still have missed its
/// goal.
fn how_it_went(dashboard: &Dashboard) -> (String, Paint) {
    let run = &dashboard.overview.entry;
    let status = run.status.as_deref();
    let kind = dashboard
        .reason
        .as_ref()
        .map(|reason| reason.kind);
    let lifecycle = dashboard.report.lifecycle;
    let went = match (status, run.outcome.as_deref()) {
        (Some("error"), _) => "failed (error)",
        (Some("vetoed"), _) => "vetoed",
        (Some("aborted"), _) => "aborted",
        (Some("pending"), _) if run.paused.is_some() => "paused (pending)",
        (Some("pending"), _) => "in progress (pending)",
        (Some("partial"), _) if lifecycle == Lifecycle::NonTerminal => "paused (partial)",
        (Some(status @ ("ok" | "partial")), Some("goal_not_achieved")) => {
            return (format!("goal not achieved ({status})"), Paint::Bad);
        }
        (Some(status @ ("ok" | "partial")), Some("error")) => {
            return (format!("failed ({status}, but outcome error)"), Paint::Bad);
        }
        (Some("partial"), _) if kind == Some(ReasonKind::Failed) => "failed in part (partial)",
        (Some("partial"), _) if kind == Some(ReasonKind::Vetoed) => "vetoed in part (partial)",
        (Some("partial"), _) => "succeeded in part (partial)",
        (Some("ok"), Some("success_unverified")) => {
            return ("ended, not verified (ok)".into(), Paint::Caution);
        }
        (Some("ok"), _) => "succeeded (ok)",
        _ if run.paused.is_some() => "paused",
        _ if lifecycle == Lifecycle::NonTerminal => "in progress",
        _ => "unknown",
    };

    let paint = status
        .and_then(Paint::of)
        .unwrap_or(Paint::Bold);

    (went.into(), paint)
}

/// Returns the consistency of the records of a run, in words.
fn consistency(report: &EpisodeReport) -> String {
    let Totals {
        errors, warnings, ..
    } = Totals::of(report);
    let warned = match warnings {
        0 => String::new(),
        warnings => format!(", {}", count(warnings, "warning")),
    };

    if let Some(fault) = report
        .fault()
        .filter(|_| report.valid.is_none())
    {
        let met = match errors {
            0 => String::new(),
            errors => format!(", {}", count(errors, "error")),
        };
        return format!("undecided{met}{warned}: {}", fault.message);
    }

    let is_whole = report.skipped.is_empty();
    let none = if report.suppressed.is_empty() {
        "no error"
    } else {
        "no new error"
    };

    match errors {
        1.. if report.verdict == Verdict::BreaksRule => {
            let breaks = Verdict::BreaksRule.phrase(1);
            format!("{breaks} ({}{warned})", count(errors, "error"))
        }
        1.. => format!("{}{warned}", count(errors, "error")),
        0 if !is_whole => format!("{none}{warned}, not all rules judged"),
        0 if !report.suppressed.is_empty() => format!("{none}{warned}"),
        0 => format!("consistent{warned}"),
    }
}

/// Returns the colour of that.
fn colour_of(report: &EpisodeReport) -> Paint {
    let worst = report
        .findings
        .iter()
        .map(|finding| finding.severity)
        .min();

    match worst {
        Some(Severity::Error) => Paint::Bad,
        None if report.skipped.is_empty() => Paint::Good,
        Some(Severity::Warning) | None => Paint::Caution,
    }
}

#[cfg(test)]
mod tests {
    use super::consistency;
    use crate::gate::Gate;
    use crate::ground::finding::{STILL_CHANGING, Skip};

    #[test]
    fn episode_that_kept_changing_is_undecided() {
        let mut report = Gate::default().records("ep_1", &[]);
        report.findings.clear();
        report.valid = None;
        report.skipped = vec![Skip::new("plan/projection", &STILL_CHANGING)];
        let undecided = "undecided: the episode kept changing while it was read; check it again";
        assert_eq!(consistency(&report), undecided);
    }
}
