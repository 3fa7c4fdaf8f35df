//! A dashboard -> text for people, made to be read in ten seconds.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::Style;
use super::figures::{Glyphs, instant_with_offset, seconds};
use super::human::paragraph;
use super::wording::count;
use crate::dashboard::{
    ChangeKind, Dashboard, Header, LinkEnd, LinkRow, MetricsSection, Moment, Outline, Overview,
    PlanSection, Rows, Verdict, VerificationSection,
};
use crate::finding::{EpisodeReport, Finding, Lifecycle, Severity, Suppression};
use crate::printable::{columns_of, escape, fit};

/// The maximum number of lines of a section.
const SECTION_LINES: usize = 12;

/// The width of the longest bar in a chart.
const BAR_COLUMNS: usize = 24;

/// Draws dashboards as text.
///
/// ```
/// use runvet::report::{DashboardText, Style};
///
/// let run_data = runvet::read::RunData::open("corpus/demo")?;
/// let (check, mut gate) = (runvet::check::Check::new(), runvet::gate::Gate::new());
/// let dashboard = runvet::view::dashboard(&run_data.get("ep_01")?, &check, &mut gate)?;
/// let mut text = Vec::new();
/// DashboardText::new(Style::Plain, 80).draw(&mut text, &dashboard).unwrap();
/// let text = String::from_utf8(text).unwrap();
/// assert!(text.ends_with("\nRun: succeeded (ok) · Records: consistent\n"));
/// # Ok::<(), runvet::read::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DashboardText {
    style: Style,
    width: usize,
}

impl DashboardText {
    /// Text in a style, in lines of at most `width` columns; only paths are never cut.
    #[must_use]
    pub fn new(style: Style, width: usize) -> Self {
        Self { style, width }
    }

    /// Draws a whole dashboard.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn draw(self, out: &mut dyn Write, dashboard: &Dashboard) -> io::Result<()> {
        self.overview(out, &dashboard.overview)?;
        self.timeline(out, &dashboard.timeline)?;
        self.verdict(out, &dashboard.verdict)
    }

    /// Draws what the records say; this part comes first.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn overview(self, out: &mut dyn Write, overview: &Overview) -> io::Result<()> {
        let mut page = self.page(out);
        page.header(&overview.header)?;
        if let Some(plan) = &overview.plan {
            page.plan(plan)?;
        }
        page.list("Actions", &overview.actions, |action| {
            format!(
                "{:10} {:10} {:20} {:8} {}",
                action.id, action.step_id, action.tool, action.result_status, action.input_excerpt
            )
        })?;
        page.list("Beliefs", &overview.beliefs, |belief| {
            format!("{:>5} {}", belief.confidence, belief.statement)
        })?;
        page.list("Facts", &overview.facts, |fact| {
            format!("{} = {}", fact.key, fact.value)
        })?;
        if let Some(verification) = &overview.verification {
            page.verification(verification)?;
        }
        if let Some(metrics) = &overview.metrics {
            page.metrics(metrics)?;
        }
        if let Some(links) = &overview.links {
            page.title("Links")?;
            page.rows(links, link)?;
        }
        Ok(())
    }

    /// Draws the outline of the timeline.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn timeline(self, out: &mut dyn Write, outline: &Outline) -> io::Result<()> {
        self.page(out).timeline(outline)
    }

    /// Draws the verdict of a check; this part comes last.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn verdict(self, out: &mut dyn Write, verdict: &Verdict) -> io::Result<()> {
        self.page(out).verdict(verdict)
    }

    /// Draws one event: its line, time, phase and agent, and what happened.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn moment(self, out: &mut dyn Write, moment: &Moment) -> io::Result<()> {
        let shown = in_a_line(moment, self.width.saturating_sub(7));
        writeln!(out, "{:>6} {shown}", moment.line)
    }

    fn page(self, out: &mut dyn Write) -> Page<'_> {
        Page {
            out,
            width: self.width,
            glyphs: Glyphs::of(self.style),
            bold: self.style == Style::Colour,
        }
    }
}

/// The output of a dashboard, and its style.
struct Page<'o> {
    out: &'o mut dyn Write,
    width: usize,
    glyphs: &'static Glyphs,
    bold: bool,
}

impl Page<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", fit(text.trim_end(), self.width))
    }

    /// Writes a text, wrapped.
    fn paragraph(&mut self, indent: &str, text: &str) -> io::Result<()> {
        let next = format!("{indent}  ");
        paragraph(self.out, self.width, indent, &next, text)
    }

    fn title(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out)?;
        self.heading(title)
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        let text = fit(text, self.width);
        if self.bold {
            writeln!(self.out, "\u{1b}[1m{text}\u{1b}[0m")
        } else {
            writeln!(self.out, "{text}")
        }
    }

    /// Draws a section with a list, unless it is empty.
    fn list<T>(
        &mut self,
        title: &str,
        rows: &Rows<T>,
        line: impl Fn(&T) -> String,
    ) -> io::Result<()> {
        if rows.total == 0 {
            return Ok(());
        }
        self.title(&format!("{title}: {}", rows.total))?;
        self.rows(rows, line)
    }

    /// Draws the first rows and the number of remaining ones.
    fn rows<T>(&mut self, rows: &Rows<T>, line: impl Fn(&T) -> String) -> io::Result<()> {
        let shown = rows.first.iter().take(SECTION_LINES);
        let more = rows.total - shown.len();
        for row in shown {
            self.line(&format!("  {}", line(row)))?;
        }
        self.more(more, "")
    }

    fn more(&mut self, more: usize, command: &str) -> io::Result<()> {
        if more > 0 {
            self.line(&format!("  … and {more} more{command}"))?;
        }
        Ok(())
    }

    fn header(&mut self, header: &Header) -> io::Result<()> {
        self.heading(&header.episode_id)?;
        if let Some(task) = &header.task {
            self.line(task)?;
        }
        let named = |name: &str, text: &Option<String>, columns: usize| {
            text.as_ref()
                .map(|text| format!("{name}{}", fit(text, columns)))
        };
        let started = header.started_at.as_deref().map(instant_with_offset);
        let parts = [
            named("status ", &header.status, 20),
            named("outcome ", &header.outcome, 20),
            started.map(|started| format!("started {started}")),
            header
                .duration_sec
                .map(|duration| format!("took {}", seconds(duration))),
            named("mode ", &header.mode, 20),
            named("", &header.adapter, 30),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            self.paragraph("", &parts.join(" · "))?;
        }
        // A path must be complete to be copied, so it is never cut.
        writeln!(self.out, "{}", escape(&header.dir))?;
        for record in &header.unreadable {
            self.line(&format!(
                "{} can't be shown: {}",
                record.file, record.reason
            ))?;
        }
        Ok(())
    }

    fn plan(&mut self, plan: &PlanSection) -> io::Result<()> {
        let source = plan.source.as_ref();
        let source = source.map(|source| format!(" by {source}"));
        self.title(&format!("Plan{}", source.unwrap_or_default()))?;
        let glyphs = self.glyphs;
        self.rows(&plan.steps, |step| {
            format!(
                "{} {:10} {:8} {:8} {}",
                glyphs.status(&step.status),
                step.id,
                step.kind,
                step.status,
                step.description
            )
        })
    }

    fn verification(&mut self, verification: &VerificationSection) -> io::Result<()> {
        let passed = match verification.passed.as_deref() {
            Some("true") => "passed",
            Some("false") => "failed",
            Some(other) => other,
            None => "not verified",
        };
        let error = verification.error.as_ref();
        let error = error.map(|error| format!(", {error}")).unwrap_or_default();
        let assertions = verification.assertions;
        self.title(&format!(
            "Verification: {passed}{error}, assertions: {assertions}"
        ))?;
        self.rows(&verification.changes, |change| {
            let sign = match change.kind {
                ChangeKind::Added => '+',
                ChangeKind::Modified => '~',
                ChangeKind::Deleted => '-',
            };
            format!("{sign} {}", change.path)
        })
    }

    fn metrics(&mut self, metrics: &MetricsSection) -> io::Result<()> {
        self.title("Metrics")?;
        let figures = metrics.figures.first.iter();
        let figures: Vec<String> = figures
            .map(|figure| format!("{} {}", figure.name, figure.value))
            .collect();
        self.paragraph("  ", &figures.join(" · "))?;
        let latencies = &metrics.latencies;
        let longest = latencies.first.iter().map(|latency| latency.value_ms);
        let longest = longest.fold(0.0, f64::max);
        let block = self.glyphs.block;
        self.rows(latencies, |latency| {
            let bar = block.repeat(bar_columns(latency.value_ms, longest));
            format!(
                "{:18} {bar:BAR_COLUMNS$} {} ms",
                latency.name, latency.value_ms
            )
        })
    }

    fn timeline(&mut self, outline: &Outline) -> io::Result<()> {
        if let Some(fault) = &outline.fault {
            writeln!(self.out)?;
            return self.paragraph("", &format!("Timeline: can't be shown: {fault}"));
        }
        self.title(&format!("Timeline, events: {}", outline.events))?;
        let mut phases: Vec<(&String, &u64)> = outline.phases.iter().collect();
        phases.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let phases: Vec<String> = phases
            .into_iter()
            .map(|(phase, count)| format!("{} {count}", fit(phase, 20)))
            .collect();
        if !phases.is_empty() {
            self.paragraph("  ", &phases.join(" · "))?;
        }
        let width = self.width;
        let line = |moment: &Moment| format!("  {}", in_a_line(moment, width));
        for moment in &outline.first {
            self.line(&line(moment))?;
        }
        let shown = (outline.first.len() + outline.last.len()) as u64;
        if outline.events > shown {
            let more = outline.events - shown;
            self.line(&format!("  … {more} more (runvet view --events)"))?;
        }
        for moment in &outline.last {
            self.line(&line(moment))?;
        }
        if outline.broken_lines > 0 {
            self.line(&format!(
                "  lines that are not events: {}",
                outline.broken_lines
            ))?;
        }
        Ok(())
    }

    /// Draws how the run ended and, separately, whether its records can be trusted.
    fn verdict(&mut self, verdict: &Verdict) -> io::Result<()> {
        let report = &verdict.report;
        self.title(&format!(
            "Run: {} · Records: {}",
            how_it_went(verdict.status.as_deref(), report.lifecycle),
            consistency(report)
        ))?;
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
        let text = format!(
            "{} {} ({file}{}): {}",
            finding.severity,
            finding.rule,
            line.unwrap_or_default(),
            escape(&finding.message)
        );
        self.paragraph("  ", &text)
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

/// An event in one line: time, phase, agent, what happened.
fn in_a_line(moment: &Moment, columns: usize) -> String {
    let offset = moment
        .offset_sec
        .map_or_else(|| "?".into(), |offset| format!("{offset:+.3}s"));
    let line = format!(
        "{offset:>9} {:10} {:16} {}",
        fit(&moment.phase, 10),
        fit(&moment.agent, 16),
        moment.summary
    );
    fit(line.trim_end(), columns)
}

fn link(link: &LinkRow) -> String {
    let end = match link.end {
        Some(LinkEnd::There) => "there",
        Some(LinkEnd::Missing) => "missing",
        Some(LinkEnd::Elsewhere) => "leads elsewhere",
        None => "",
    };
    let padding = 10_usize.saturating_sub(columns_of(&link.name));
    format!("{}{:padding$} {:20} {end}", link.name, "", link.target)
}

/// The width of a bar, in proportion to the longest one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a fraction of a small width"
)]
fn bar_columns(value: f64, longest: f64) -> usize {
    let columns = BAR_COLUMNS as f64;
    if longest > 0.0 {
        (value / longest * columns).clamp(0.0, columns).round() as usize
    } else {
        0
    }
}
