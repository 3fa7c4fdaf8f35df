//! Reports -> text: one renderer for each format, all fed episode by episode, none keeping what it
//! has written.

mod concise;
mod dashboard;
mod figures;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod markdown;
mod sarif;

use std::io::{self, Write};

pub use dashboard::DashboardText;
pub(crate) use figures::{Glyphs, instant, seconds};
pub use human::{GroupBy, HumanOptions, Style, draw};
pub(crate) use json::raw_json;
pub use json::{write_json, write_json_pretty, write_json_text};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::dashboard::Dashboard;
use crate::finding::RuleInfo;
use crate::finding::{EpisodeReport, Severity, Statistics, Totals};

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = crate::record::describe_values)]
pub enum Format {
    /// Drawn for people, grouped by episode
    Human,
    /// A line for each finding: `file:line:column: severity rule: message`
    Concise,
    /// One JSON document, see `runvet schema report`
    Json,
    /// One line of JSON for each episode, and one for the totals
    Ndjson,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    #[value(help = "JUnit XML: a case for each episode")]
    /// `JUnit` XML: a case for each episode
    Junit,
    /// Annotations of a GitHub workflow, and the summary of its job
    Github,
    #[value(help = "A code quality report of GitLab")]
    /// A code quality report of `GitLab`
    Gitlab,
    /// A summary to paste or post
    Markdown,
}

/// Writes a report as it comes.
pub trait Renderer {
    /// Writes what stands before the first episode.
    ///
    /// # Errors
    ///
    /// Those of the writer, here and below.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Writes one episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()>;
    /// Writes the dashboard of the episode that was written last. Most formats have no place for it
    /// and write nothing.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn dashboard(&mut self, out: &mut dyn Write, dashboard: &Dashboard) -> io::Result<()> {
        let _ = (out, dashboard);
        Ok(())
    }
    /// Writes what stands behind the last episode.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()>;
}

/// What is known of a check when its last episode is done.
#[derive(Clone, Copy, Debug)]
pub struct Closing<'c> {
    /// The sums over all episodes.
    pub totals: &'c Totals,
    /// The same by rule, mode and adapter, where they were asked for.
    pub statistics: Option<&'c Statistics>,
    /// Whether all that was to be looked at could be.
    pub is_whole: bool,
}

/// A report for people, drawn with snippets.
#[must_use]
pub fn human(options: HumanOptions) -> Box<dyn Renderer> {
    Box::new(human::Human::new(options))
}

/// A line for each finding: `file:line:column: severity rule: message`.
#[must_use]
pub fn concise() -> Box<dyn Renderer> {
    Box::new(concise::Concise)
}

/// The report as one JSON document, see `schemas/report.schema.json`.
#[must_use]
pub fn json() -> Box<dyn Renderer> {
    Box::new(json::Json::default())
}

/// The report as one line of JSON for each episode, and one for the totals.
#[must_use]
pub fn ndjson() -> Box<dyn Renderer> {
    Box::new(json::Ndjson)
}

/// A SARIF 2.1.0 log with these rules and all findings.
#[must_use]
pub fn sarif(rules: impl IntoIterator<Item = &'static RuleInfo>) -> Box<dyn Renderer> {
    Box::new(sarif::Sarif::new(rules.into_iter().collect()))
}

/// `JUnit` XML: a suite for each run-data directory, a case for each episode, which fails where it
/// has an error, or also where it has a warning.
#[must_use]
pub fn junit(deny_warnings: bool) -> Box<dyn Renderer> {
    Box::new(junit::Junit::new(deny_warnings))
}

/// Workflow commands of GitHub, which make annotations.
#[must_use]
pub fn github() -> Box<dyn Renderer> {
    Box::new(github::Github::default())
}

/// A code quality report of `GitLab`.
#[must_use]
pub fn gitlab() -> Box<dyn Renderer> {
    Box::new(gitlab::Gitlab::default())
}

/// A summary in Markdown, short enough to be posted.
#[must_use]
pub fn markdown() -> Box<dyn Renderer> {
    Box::new(markdown::Markdown::default())
}

/// The totals in words: "5 episodes: 2 valid, 3 not (4 errors, 1 warning)".
fn verdict(totals: &Totals, unjudged: u64) -> (String, String) {
    if totals.episodes == 0 {
        return ("no episodes".into(), String::new());
    }
    let mut verdict = match totals.invalid {
        0 if totals.warnings == 0 => "all valid".into(),
        0 => format!("all valid, with {}", count(totals.warnings, "warning")),
        invalid => format!(
            "{} valid, {invalid} not ({})",
            totals.valid,
            counts(totals.errors, totals.warnings)
        ),
    };
    let beside = [
        (unjudged, "not judged in full"),
        (totals.ignored, "ignored"),
        (totals.baselined, "in the baseline"),
    ];
    for (number, what) in beside.into_iter().filter(|(number, _)| *number > 0) {
        verdict = format!("{verdict}; {number} {what}");
    }
    (count(totals.episodes, "episode"), format!(": {verdict}"))
}

/// "4 errors, 1 warning": what there is none of is left out.
fn counts(errors: u64, warnings: u64) -> String {
    let counts = [(errors, Severity::Error), (warnings, Severity::Warning)];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    counts
        .map(|(number, severity)| count(number, severity.word()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What to say of an episode in which nothing that counts was found.
pub(crate) fn nothing_found(episode: &EpisodeReport) -> &'static str {
    match (episode.suppressed.is_empty(), episode.skipped.is_empty()) {
        (true, true) => "nothing found",
        (false, true) => "nothing found that is not known",
        (true, false) => "nothing found, but not all could be judged",
        (false, false) => "nothing found that is not known, but not all could be judged",
    }
}

/// A number of things, in words.
pub(crate) fn count(number: u64, word: &str) -> String {
    if number == 1 {
        format!("1 {word}")
    } else {
        format!("{number} {word}s")
    }
}

/// Writes a text on as many lines as it takes.
pub(crate) fn paragraph(
    out: &mut dyn Write,
    width: usize,
    first: &str,
    next: &str,
    text: &str,
) -> io::Result<()> {
    let options = textwrap::Options::new(width)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .initial_indent(first)
        .subsequent_indent(next);
    textwrap::wrap(text, options).iter().try_for_each(|line| {
        // Where a long word was broken, what comes to stand at the start of a line must make it no
        // command.
        let words = line.trim_start();
        let blanks = line.get(..line.len() - words.len()).unwrap_or_default();
        writeln!(out, "{blanks}{}", crate::printable::escape(words))
    })
}
