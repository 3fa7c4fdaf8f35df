//! Reports -> workflow commands of GitHub: annotations for faults, some findings and what could not
//! be judged where that fails the gate, and a count of the rest.

use std::io::{self, Write};

use super::choice::Choice;
use super::wording::not_judged;
use super::{Closing, Options, Renderer, verdict};
use crate::ground::finding::{EpisodeReport, Finding, Severity, Unjudged};
use crate::ground::printable::escape;

/// The maximum number of annotations: GitHub shows no more of one kind per step, and silently drops
/// the rest.
const MAX_ANNOTATIONS: usize = 10;

pub(super) struct Github {
    denies_unjudged: bool,
    verbose: bool,
    annotations: Choice,
}

impl Github {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            denies_unjudged: options.deny.unjudged,
            verbose: options.verbose,
            annotations: Choice::new(MAX_ANNOTATIONS),
        }
    }
}

impl Renderer for Github {
    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        for finding in &episode.findings {
            let Finding { severity, rule, .. } = finding;
            self.annotations
                .add(*severity, rule, 1, annotation(finding));
        }

        let denied = |unjudged: &Unjudged<'_>| self.denies_unjudged && unjudged.is_denied;
        for unjudged in episode.unjudged().filter(denied) {
            let message = not_judged(&unjudged, self.verbose);
            let error = error_at(&episode.dir, "not judged", &message);
            let kind = unjudged.kind.word();
            self.annotations
                .add(Severity::Error, kind, 1, error);
        }

        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        let faults = closing
            .faults
            .len()
            .min(MAX_ANNOTATIONS);
        for fault in closing.faults.iter().take(faults) {
            writeln!(out, "{}", error_at(&fault.path, "fault", &fault.message))?;
        }

        let (others, rest) = self.annotations.listed(faults);
        for annotation in &others {
            writeln!(out, "{annotation}")?;
        }

        let (episodes, verdict) = verdict(closing);
        write!(out, "runvet: {episodes}{verdict}")?;
        let rest = rest + (closing.faults.len() - faults) as u64;

        if rest > 0 {
            let shown = faults + others.len();
            writeln!(out, "; {shown} annotations shown, {rest} not")
        } else {
            writeln!(out)
        }
    }
}

fn annotation(finding: &Finding) -> String {
    let location = &finding.location;
    let is_on_one_line = location.line == location.end_line;
    let places = [
        ("line", location.line),
        ("endLine", location.end_line),
        // GitHub rejects columns if a place spans several lines.
        (
            "col",
            location
                .column
                .filter(|_| is_on_one_line),
        ),
        (
            "endColumn",
            location
                .end_column
                .filter(|_| is_on_one_line),
        ),
    ];
    let places: String = places
        .into_iter()
        .filter_map(|(name, number)| Some(format!(",{name}={}", number?)))
        .collect();
    let (severity, file) = (finding.severity.word(), property(&location.file));
    let title = property(&format!("runvet: {}", finding.rule));
    let (message, help) = (data(&finding.message), data(&finding.help));

    format!("::{severity} file={file}{places},title={title}::{message}%0A{help}")
}

/// Returns the annotation of a fault, or of rules that were not judged: each fails the gate.
fn error_at(path: &str, title: &str, message: &str) -> String {
    let (path, title) = (property(path), property(&format!("runvet: {title}")));
    format!("::error file={path},title={title}::{}", data(message))
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
    data(text)
        .replace(':', "%3A")
        .replace(',', "%2C")
}
