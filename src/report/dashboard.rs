//! A dashboard -> text for people, made to be read in ten seconds.

mod paragraph;
mod sides;
mod timeline;
mod verdict;

use std::io::{self, Write};

use super::Style;
use super::figures::{Glyphs, instant_with_offset, milliseconds, seconds, waiting};
use super::paint::{Paint, StyledLine};
use crate::ground::printable::{count, escape, fit, padded, shortened};
use crate::reading::dashboard::{
    Dashboard, DashboardAction, EventSummary, Overview, PlanPair, PlanSides, Rows,
    VerificationSection,
};
use paragraph::paragraph;
pub(crate) use sides::SideRow;

/// The number of characters of a task that a header shows.
const MAX_TASK_CHARS: usize = 400;

/// The maximum number of lines of a section.
pub(crate) const SECTION_LINES: usize = 12;

/// The maximum number of figures of a paragraph.
const MAX_FIGURES: usize = 60;

/// The width of the longest bar in a chart.
const BAR_COLUMNS: usize = 24;

/// A dashboard drawn as text, part by part: header, reason, records, timeline and verdict.
pub(crate) struct DashboardText<'o> {
    pub(crate) out: &'o mut dyn Write,
    width: usize,
    glyphs: &'static Glyphs,
    is_coloured: bool,
}

impl<'o> DashboardText<'o> {
    /// Creates a text in a style, in lines of at most `width` columns; only paths are never cut.
    /// With `usize::MAX` nothing is cut or wrapped, for text that programs search.
    pub(crate) fn new(out: &'o mut dyn Write, style: Style, width: usize) -> Self {
        Self {
            out,
            width,
            glyphs: Glyphs::of(style),
            is_coloured: style == Style::Colour,
        }
    }

    /// Draws the contents of the records.
    pub(crate) fn records(&mut self, dashboard: &Dashboard) -> io::Result<()> {
        let Dashboard { overview, plan, .. } = dashboard;
        let is_said = plan.unjudged.is_some() || !plan.differences.is_empty();
        let has_plan = plan.rows.total > 0 || is_said;
        if has_plan && (plan.is_persisted || plan.stands_alone) {
            self.plan(plan)?;
        }

        self.list("Actions", &most_telling(&overview.actions), |action| {
            let (id, step, tool) = (&action.id, &action.step, &action.tool);
            row(&format!("{id:10} {step:10} {tool:20} "))
                .word(&format!("{:8}", action.status))
                .text(&format!(" {}", action.input))
        })?;
        self.list("Beliefs", &overview.beliefs, |(confidence, statement)| {
            row(&format!("{confidence:>5} {statement}"))
        })?;
        self.list("Facts", &overview.facts, |(key, value)| {
            row(&format!("{key} = {value}"))
        })?;
        if let Some(verification) = &overview.verification {
            self.verification(verification)?;
        }
        if let Some(metrics) = &overview.metrics {
            self.metrics(metrics, &overview.latencies)?;
        }

        if overview.outcome_metrics.total > 0 {
            self.title("Outcome metrics")?;
            self.figures(&overview.outcome_metrics)?;
        }

        if let Some(links) = &overview.links {
            self.title("Links")?;
            self.rows(links, link)?;
        }

        Ok(())
    }

    /// Draws one event: its line, time, phase and agent, and its summary.
    pub(crate) fn event(&mut self, event: &EventSummary) -> io::Result<()> {
        let number = StyledLine::default().text(&format!("{:>6} ", event.line));
        self.draw(&self.in_a_line(number, event))
    }

    /// Returns the width of a column, if lines have a limit at all.
    fn column(&self, columns: usize) -> usize {
        if self.width == usize::MAX {
            usize::MAX
        } else {
            columns
        }
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", fit(text.trim_end(), self.width))
    }

    fn draw(&mut self, line: &StyledLine) -> io::Result<()> {
        writeln!(self.out, "{}", line.draw(self.width, self.is_coloured))
    }

    /// Writes a text, wrapped; the first line and the others each have an indent.
    pub(crate) fn paragraph(&mut self, indents: [&str; 2], text: &str) -> io::Result<()> {
        paragraph(self.out, self.width, indents, text)
    }

    /// Writes a text, wrapped, in which some phrases have a colour if they stay on one line.
    fn painted(&mut self, indent: &str, text: &str, phrases: &[(&str, Paint)]) -> io::Result<()> {
        let mut lines = Vec::new();
        paragraph(
            &mut lines,
            self.width,
            [indent, &format!("{indent}  ")],
            text,
        )?;

        let lines = String::from_utf8(lines).unwrap_or_default();
        let mut rest = &*lines;
        for (phrase, paint) in phrases
            .iter()
            .filter(|_| self.is_coloured)
        {
            if let Some((before, after)) = rest.split_once(phrase) {
                write!(self.out, "{before}{}{phrase}\u{1b}[0m", paint.code())?;
                rest = after;
            }
        }

        write!(self.out, "{rest}")
    }

    pub(crate) fn title(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out)?;
        self.heading(title)
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        self.draw(&StyledLine::default().painted(text, Paint::Bold))
    }

    /// Draws a section with a list, unless it is empty.
    fn list<T>(
        &mut self,
        title: &str,
        rows: &Rows<T>,
        line: impl Fn(&T) -> StyledLine,
    ) -> io::Result<()> {
        if rows.total == 0 {
            return Ok(());
        }
        self.title(&format!("{title}: {}", rows.total))?;
        self.rows(rows, line)
    }

    /// Draws the first rows and the number of remaining ones.
    fn rows<T>(&mut self, rows: &Rows<T>, line: impl Fn(&T) -> StyledLine) -> io::Result<()> {
        let shown = rows.first.iter().take(SECTION_LINES);
        let more = rows.total - shown.len();
        for row in shown {
            self.draw(&line(row))?;
        }

        self.more(more)
    }

    pub(crate) fn more(&mut self, more: usize) -> io::Result<()> {
        if more > 0 {
            self.line(&format!("  … and {more} more"))?;
        }
        Ok(())
    }

    /// Names a command of runvet to copy, so it is never cut.
    fn hint(&mut self, what: &str, words: &[&str]) -> io::Result<()> {
        let words: Vec<_> = words
            .iter()
            .map(|word| escape(word))
            .collect();
        writeln!(self.out, "{what} runvet {}", words.join(" "))
    }

    /// Draws which run it is, and how it went.
    pub(crate) fn header(&mut self, overview: &Overview) -> io::Result<()> {
        let run = &overview.entry;
        self.heading(&run.episode_id)?;
        if let Some(task) = &run.task {
            self.paragraph(["", "  "], &shortened(task, MAX_TASK_CHARS))?;
        }

        let named = |name: &str, text: Option<&str>, columns: usize| {
            let text = text?;
            Some(format!("{name}{}", fit(text, self.column(columns))))
        };

        let started = run
            .started_at
            .as_deref()
            .map(instant_with_offset);
        let started = started.map(|started| format!("started {started}"));
        let took = run
            .duration_sec
            .map(|took| format!("took {}", seconds(took)));
        let parts: Vec<String> = [
            named("status ", run.status.as_deref(), 20),
            named("outcome ", run.outcome.as_deref(), 20),
            started.or_else(|| run.time_unknown().map(Into::into)),
            took,
            named("mode ", run.mode.as_deref(), 20),
            named("", run.adapter.as_deref(), 30),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !parts.is_empty() {
            let painted: Vec<(&str, Paint)> = [&run.status, &run.outcome]
                .into_iter()
                .flatten()
                .filter_map(|word| Some((&**word, Paint::of(word)?)))
                .collect();
            self.painted("", &parts.join(" · "), &painted)?;
        }

        if let Some(waiting) = waiting(run) {
            self.painted("", &waiting, &[("paused", Paint::Caution)])?;
        }

        // A path must be complete to be copied, so it is never cut.
        writeln!(self.out, "{}", escape(&run.dir))?;
        for (file, reason) in &overview.unreadable {
            self.line(&format!("{file} can't be shown: {reason}"))?;
        }

        Ok(())
    }

    fn plan(&mut self, plan: &PlanSides) -> io::Result<()> {
        let source = if plan.is_persisted {
            &plan.persisted_source
        } else {
            &plan.rebuilt_source
        };

        let source = source
            .as_ref()
            .map(|source| format!(" by {source}"));
        self.title(&format!("Plan{}", source.unwrap_or_default()))?;

        let glyphs = self.glyphs;
        let is_shown =
            |pair: &&PlanPair| plan.stands_alone || pair.differs || pair.persisted.is_some();
        let hidden = plan.rows.first.len()
            - plan
                .rows
                .first
                .iter()
                .filter(is_shown)
                .count();
        let rows = Rows {
            first: plan
                .rows
                .first
                .iter()
                .filter(is_shown)
                .collect(),
            total: plan.rows.total - hidden,
        };

        self.rows(&rows, |pair| {
            let mark = if pair.differs { "! " } else { "  " };
            let (step, only) = match (&pair.persisted, &pair.rebuilt) {
                (None, Some(step)) => (step.clone(), " (only in the timeline)"),
                (step, _) => (step.clone().unwrap_or_default(), ""),
            };

            let status = Paint::of(&step.status);
            StyledLine::default()
                .painted(mark, Paint::Bad)
                .painted(glyphs.status(&step.status), status)
                .text(&format!(" {:10} {:8} ", step.id, step.kind))
                .painted(&format!("{:8}", step.status), status)
                .text(&format!("{only} {}", step.description))
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
        let error = error
            .map(|error| format!(" ({error})"))
            .unwrap_or_default();
        let assertions = match verification.assertions.total {
            0 => "no assertions".into(),
            number => count(number as u64, "assertion"),
        };

        writeln!(self.out)?;
        let paint = Paint::of(passed).unwrap_or(Paint::Bold);
        let line = StyledLine::default()
            .painted("Verification: ", Paint::Bold)
            .painted(passed, paint);
        let rest = format!("{error}, {assertions}");
        self.draw(&line.painted(&rest, Paint::Bold))?;
        self.rows(&verification.assertions, |assertion| {
            let message = assertion
                .message
                .as_ref()
                .map(|message| format!(": {message}"));
            let rest = format!(" {}{}", assertion.name, message.unwrap_or_default());
            row("")
                .word(assertion.result)
                .text(&rest)
        })?;

        self.rows(&verification.changes, |(sign, path)| {
            row(&format!("{sign} {path}"))
        })
    }

    fn figures(&mut self, figures: &Rows<(String, String)>) -> io::Result<()> {
        let shown = figures.first.iter().take(MAX_FIGURES);
        let more = figures.total - shown.len();
        let shown: Vec<String> = shown
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        self.paragraph(["  ", "    "], &shown.join(" · "))?;

        self.more(more)
    }

    fn metrics(
        &mut self,
        metrics: &Rows<(String, String)>,
        latencies: &Rows<(String, f64)>,
    ) -> io::Result<()> {
        self.title("Metrics")?;
        self.figures(metrics)?;
        let longest = latencies
            .first
            .iter()
            .map(|(_, ms)| *ms)
            .fold(0.0, f64::max);
        let block = self.glyphs.block;

        self.rows(latencies, |(name, ms)| {
            let bar = block.repeat(bar_columns(*ms, longest));
            let value = milliseconds(*ms);
            row(&format!(
                "{} {bar:BAR_COLUMNS$} {value} ms",
                padded(name, 18)
            ))
        })
    }
}

/// Returns the actions for which a section has room, in their order: those whose result is not `ok`
/// before all others.
fn most_telling(actions: &Rows<DashboardAction>) -> Rows<&DashboardAction> {
    let is_usual = |action: &&DashboardAction| action.status == "ok";
    let mut unusual = SECTION_LINES;
    let mut usual = SECTION_LINES
        - actions
            .first
            .iter()
            .filter(|action| !is_usual(action))
            .take(SECTION_LINES)
            .count();
    let first = actions
        .first
        .iter()
        .filter(|action| {
            let left = if is_usual(action) {
                &mut usual
            } else {
                &mut unusual
            };
            let has_room = *left > 0;
            *left = left.saturating_sub(1);
            has_room
        })
        .collect();

    Rows {
        first,
        total: actions.total,
    }
}

/// Returns a row of a list, with its indent.
fn row(text: &str) -> StyledLine {
    StyledLine::default()
        .text("  ")
        .text(text)
}

fn link((name, target, end): &(String, String, Option<&str>)) -> StyledLine {
    let end = end.unwrap_or_default();
    let (name, target) = (padded(name, 10), padded(target, 20));
    let named = format!("{name} {target} ");
    match end {
        "leads elsewhere" => row(&named).painted(end, Paint::Bad),
        _ => row(&named).word(end),
    }
}

/// Returns the width of a bar, in proportion to the longest one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a fraction of a small width"
)]
fn bar_columns(value: f64, longest: f64) -> usize {
    let columns = BAR_COLUMNS as f64;
    if longest > 0.0 {
        (value / longest * columns)
            .clamp(0.0, columns)
            .round() as usize
    } else {
        0
    }
}
