//! Reports -> workflow commands of GitHub: annotations for faults and some findings, and a count of
//! the rest.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::choice::Choice;
use super::{Closing, Renderer, verdict};
use crate::finding::{EpisodeReport, Finding, ReportedFault};
use crate::printable::escape;

/// The maximum number of annotations: GitHub shows no more of one kind per step, and silently drops
/// the rest.
const MAX_ANNOTATIONS: usize = 10;

pub(super) struct Github {
    annotations: Choice,
    unjudged: u64,
}

impl Default for Github {
    fn default() -> Self {
        Self {
            annotations: Choice::new(MAX_ANNOTATIONS),
            unjudged: 0,
        }
    }
}

impl Renderer for Github {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.unjudged += u64::from(!episode.skipped.is_empty());
        for finding in &episode.findings {
            self.annotations.add(finding, |_| 1, annotation(finding));
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        for fault in closing.faults.iter().take(MAX_ANNOTATIONS) {
            writeln!(out, "{}", annotation_of_fault(fault))?;
        }
        let (shown, rest) = self.annotations.listed(closing.faults.len());
        for annotation in &shown {
            writeln!(out, "{annotation}")?;
        }
        let (episodes, verdict) = verdict(closing, self.unjudged);
        write!(out, "runvet: {episodes}{verdict}")?;
        if rest > 0 {
            writeln!(out, "; {} findings annotated, {rest} not", shown.len())
        } else {
            writeln!(out)
        }
    }
}

fn annotation(finding: &Finding) -> String {
    let location = &finding.location;
    let mut command = format!(
        "::{} file={}",
        finding.severity.word(),
        property(&location.file)
    );
    let is_on_one_line = location.line == location.end_line;
    let places = [
        ("line", location.line),
        ("endLine", location.end_line),
        // GitHub rejects columns if a place spans several lines.
        ("col", location.column.filter(|_| is_on_one_line)),
        ("endColumn", location.end_column.filter(|_| is_on_one_line)),
    ];
    for (name, number) in places
        .into_iter()
        .filter_map(|(name, number)| Some((name, number?)))
    {
        let _ = write!(command, ",{name}={number}");
    }
    let title = property(&format!("runvet: {}", finding.rule));
    command
        + &format!(
            ",title={title}::{}%0A{}",
            data(&finding.message),
            data(&finding.help)
        )
}

fn annotation_of_fault(fault: &ReportedFault) -> String {
    let (path, title) = (property(&fault.path), property("runvet: fault"));
    format!(
        "::error file={path},title={title}::{}",
        data(&fault.message)
    )
}

/// Escapes a text for the part after the `::` of a command.
fn data(text: &str) -> String {
    escape(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a text for the properties before the `::`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
