//! Reports -> text for people: findings by episode, errors first, each drawn by miette with a window of its line.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io::{self, Write};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};

use super::{Renderer, paragraph};
use crate::finding::{EpisodeReport, Finding, Lifecycle, Location, Severity, Skip, Totals};
use crate::printable::escape;

/// How the text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With colours and line-drawing characters.
    Colour,
    /// With line-drawing characters.
    Plain,
    /// In ASCII alone, but for what records say.
    Ascii,
}

/// How a report for people looks.
#[derive(Clone, Copy, Debug)]
pub struct HumanOptions {
    /// How it is drawn.
    pub style: Style,
    /// The columns of the terminal.
    pub width: usize,
    /// Findings of one rule that are shown at most; the rest is counted. 0 shows all.
    pub max_findings: usize,
    /// Whether to leave out everything but findings.
    pub quiet: bool,
}

pub(super) struct Human {
    options: HumanOptions,
    handler: GraphicalReportHandler,
    /// Findings met so far, by rule.
    met: BTreeMap<String, usize>,
    first_rule: Option<String>,
    /// Episodes in which a rule could not be judged.
    unjudged: u64,
}

impl Human {
    pub(super) fn new(options: HumanOptions) -> Self {
        let theme = match options.style {
            Style::Colour => GraphicalTheme::unicode(),
            Style::Plain => GraphicalTheme::unicode_nocolor(),
            Style::Ascii => GraphicalTheme { characters: ThemeCharacters::ascii(), styles: ThemeStyles::none() },
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(options.width)
            .with_links(false)
            .with_word_separator(textwrap::WordSeparator::AsciiSpace)
            .with_word_splitter(textwrap::WordSplitter::NoHyphenation);
        Self { options, handler, met: BTreeMap::new(), first_rule: None, unjudged: 0 }
    }

    fn bold<'t>(&self, text: &'t str) -> Bold<'t> {
        Bold(text, self.options.style == Style::Colour)
    }

    /// Whether a finding is shown; counts it in.
    fn show(&mut self, finding: &Finding) -> bool {
        let met = self.met.entry(finding.rule.clone()).or_default();
        *met += 1;
        self.options.max_findings == 0 || *met <= self.options.max_findings
    }

    /// Draws a finding, the other side below it, and what to do last.
    fn finding(&self, out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
        let severity = match finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        };
        self.draw(out, &Shown::new(Some(&finding.rule), severity, &finding.message, &finding.location))?;
        for related in &finding.related {
            self.draw(out, &Shown::new(None, miette::Severity::Advice, &related.message, &related.location))?;
        }
        self.paragraph(out, "  help: ", "        ", &escape(&finding.help))
    }

    fn draw(&self, out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
        let mut text = String::new();
        self.handler.render_report(&mut text, shown).map_err(io::Error::other)?;
        // miette starts a report without a rule with an empty line, and pads lines.
        for line in text.lines().skip_while(|line| line.is_empty()) {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn paragraph(&self, out: &mut dyn Write, first: &str, next: &str, text: &str) -> io::Result<()> {
        paragraph(out, self.options.width, first, next, text)
    }

    fn skips(&self, out: &mut dyn Write, skips: &[Skip]) -> io::Result<()> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for skip in skips {
            by_reason.entry(&skip.reason).or_default().push(&skip.rule);
        }
        for (reason, rules) in by_reason {
            let text = format!("not judged: {} ({})", rules.join(", "), escape(reason));
            self.paragraph(out, "  ", "    ", &text)?;
        }
        if !skips.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }
}

impl Renderer for Human {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        let mut shown: Vec<&Finding> = episode.findings.iter().filter(|finding| self.show(finding)).collect();
        // What can't be read explains the rest, and errors weigh more than warnings.
        shown.sort_by_key(|finding| (finding.severity, !finding.rule.starts_with("record/")));
        self.unjudged += u64::from(!episode.skipped.is_empty());
        if episode.findings.is_empty() && episode.skipped.is_empty() {
            return Ok(());
        }
        let lifecycle = match episode.lifecycle {
            Lifecycle::Terminal => "ended",
            Lifecycle::NonTerminal => "not ended yet",
            Lifecycle::Unknown => "stage unknown",
        };
        let counts = counts_of(&episode.findings);
        writeln!(out, "{} ({lifecycle}): {counts}\n", self.bold(&escape(&episode.dir)))?;
        for finding in shown {
            if self.first_rule.is_none() {
                self.first_rule = Some(finding.rule.clone());
            }
            self.finding(out, finding)?;
            writeln!(out)?;
        }
        self.skips(out, &episode.skipped)
    }

    fn end(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        if self.options.max_findings > 0 {
            for (rule, met) in &self.met {
                if let Some(cut @ 1..) = met.checked_sub(self.options.max_findings) {
                    writeln!(
                        out,
                        "{rule}: {} not shown (--max-findings {})",
                        count(cut as u64, "more finding"),
                        self.options.max_findings
                    )?;
                }
            }
        }
        if self.options.quiet {
            return Ok(());
        }
        if totals.episodes == 0 {
            return writeln!(out, "no episodes");
        }
        let mut verdict = match totals.invalid {
            0 if totals.warnings == 0 => "all valid".into(),
            0 => format!("all valid, with {}", count(totals.warnings, "warning")),
            invalid => {
                let findings = [(totals.errors, "error"), (totals.warnings, "warning")];
                let findings =
                    findings.into_iter().filter(|(number, _)| *number > 0).map(|(number, word)| count(number, word));
                format!("{} valid, {invalid} not ({})", totals.valid, findings.collect::<Vec<_>>().join(", "))
            }
        };
        if self.unjudged > 0 {
            verdict = format!("{verdict}; {} not judged in full", self.unjudged);
        }
        writeln!(out, "{}: {verdict}", self.bold(&count(totals.episodes, "episode")))?;
        if let Some(rule) = &self.first_rule {
            writeln!(out, "To learn more about a rule: runvet explain {rule}")?;
        }
        Ok(())
    }
}

fn counts_of(findings: &[Finding]) -> String {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => "nothing found, but not all could be judged".into(),
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}

fn count(number: u64, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

struct Bold<'t>(&'t str, bool);

impl Display for Bold<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1 { write!(f, "\u{1b}[1m{}\u{1b}[0m", self.0) } else { f.write_str(self.0) }
    }
}

/// A finding, or its other side, as miette sees it.
#[derive(Debug)]
struct Shown<'f> {
    rule: Option<&'f str>,
    severity: miette::Severity,
    message: String,
    window: Option<Window>,
}

impl<'f> Shown<'f> {
    fn new(rule: Option<&'f str>, severity: miette::Severity, message: &str, location: &Location) -> Self {
        Self { rule, severity, message: escape(message).into_owned(), window: Window::of(location) }
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.rule?))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.window.as_ref()?)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = &self.window.as_ref()?.span;
        Some(Box::new(std::iter::once(LabeledSpan::new(None, span.offset(), span.len()))))
    }
}

/// A window of a line as a source of its own: miette prints whole lines, and can't count columns past 65,535.
#[derive(Debug)]
struct Window {
    name: String,
    text: String,
    span: SourceSpan,
    line: usize,
    column: usize,
}

impl Window {
    fn of(location: &Location) -> Option<Self> {
        let excerpt = location.excerpt.as_ref()?;
        let zero_based =
            |number: Option<u64>| usize::try_from(number.unwrap_or(1).saturating_sub(1)).unwrap_or_default();
        Some(Self {
            name: escape(&location.file).into_owned(),
            text: excerpt.text.clone(),
            span: (excerpt.span.start, excerpt.span.len()).into(),
            line: zero_based(location.line),
            column: zero_based(location.column),
        })
    }
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        lines_before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // miette asks without context for the place to name in the header, and with it for the text to draw.
        let column = if lines_before == 0 { self.column } else { 0 };
        let whole = (0, self.text.len()).into();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            whole,
            self.line,
            column,
            1,
        )))
    }
}
