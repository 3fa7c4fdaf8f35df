//! Reports -> one line per finding, for grep, editors and logs.

use std::io::{self, Write};

use super::wording::not_judged;
use super::{Closing, Renderer};
use crate::ground::finding::{EpisodeReport, Finding, Unjudged};
use crate::ground::printable::escape;

pub(super) struct Concise {
    pub(super) verbose: bool,
}

impl Renderer for Concise {
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        lines(episode, self.verbose).try_for_each(|line| writeln!(out, "{line}"))
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        faults(closing).try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// Writes a line for each finding, and for each reason why rules could not be judged.
pub(super) fn lines(episode: &EpisodeReport, verbose: bool) -> impl Iterator<Item = String> {
    let unjudged = episode.unjudged();
    findings(episode).chain(unjudged.map(move |it| note(episode, &it, verbose)))
}

/// Writes a line for each finding.
pub(super) fn findings(episode: &EpisodeReport) -> impl Iterator<Item = String> {
    episode.findings.iter().map(line)
}

/// Returns the line for a reason why rules could not be judged.
pub(super) fn note(episode: &EpisodeReport, unjudged: &Unjudged<'_>, verbose: bool) -> String {
    let text = format!("{}: note: {}", episode.dir, not_judged(unjudged, verbose));
    escape(&text).into_owned()
}

/// Writes a line for each fault.
pub(super) fn faults(closing: &Closing<'_>) -> impl Iterator<Item = String> {
    closing.faults.iter().map(|fault| {
        let text = format!("{}: fault: {}", fault.path, fault.message);
        escape(&text).into_owned()
    })
}

/// Returns `file:line:column: severity rule: message`.
fn line(finding: &Finding) -> String {
    let (place, severity) = (finding.location.place(), finding.severity.word());
    let text = format!("{place}: {severity} {}: {}", finding.rule, finding.message);
    escape(&text).into_owned()
}
