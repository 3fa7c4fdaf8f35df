//! Reports -> a summary in Markdown: the verdict, the rules with findings, some findings, and their
//! help.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::choice::Choice;
use super::concise::{faults, findings, note};
use super::grid::tally_table;
use super::{Closing, Options, Renderer, verdict};
use crate::ground::finding::{EpisodeReport, Severity, Statistics, Tally};
use crate::ground::printable::escape;

/// The maximum number of bytes of listed findings: a comment on GitHub may have 64 KiB, a job
/// summary 1 MiB.
const MAX_LISTED_BYTES: usize = 48 << 10;

pub(super) struct Markdown {
    denies_unjudged: bool,
    verbose: bool,
    statistics: Statistics,
    findings: Choice,
    /// The help of the first finding of each rule.
    help: BTreeMap<String, String>,
    /// The rules that could not be judged where that is not an error; listed after all findings as
    /// far as there is room.
    notes: MarkdownList,
}

impl Markdown {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            denies_unjudged: options.deny.unjudged,
            verbose: options.verbose,
            statistics: Statistics::default(),
            findings: Choice::new(MAX_LISTED_BYTES),
            help: BTreeMap::new(),
            notes: MarkdownList::default(),
        }
    }
}

/// Lines, up to a limit.
#[derive(Default)]
struct MarkdownList {
    text: String,
    /// The number of lines that did not fit.
    unlisted: u64,
}

impl MarkdownList {
    fn add(&mut self, line: &str) {
        // After the first line that does not fit, no line is added, so that the list has no gaps.
        if self.unlisted == 0 && self.text.len() + line.len() < MAX_LISTED_BYTES {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.unlisted += 1;
        }
    }

    fn append(&mut self, other: &Self) {
        other
            .text
            .lines()
            .for_each(|line| self.add(line));
        self.unlisted += other.unlisted;
    }
}

impl Renderer for Markdown {
    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.statistics.add(episode);
        for (finding, line) in episode
            .findings
            .iter()
            .zip(findings(episode))
        {
            self.findings
                .add(finding.severity, &finding.rule, line.len() + 1, line);
            self.help
                .entry(finding.rule.clone())
                .or_insert_with(|| finding.help.clone());
        }

        for unjudged in episode.unjudged() {
            let line = note(episode, &unjudged, self.verbose);
            if self.denies_unjudged && unjudged.is_denied {
                let kind = unjudged.kind.word();
                self.findings
                    .add(Severity::Error, kind, line.len() + 1, line);
            } else {
                self.notes.add(&line);
            }
        }

        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        let (episodes, verdict) = verdict(closing);
        writeln!(out, "### runvet: {episodes}{verdict}")?;
        table(out, "rule", &self.statistics.rules)?;
        if let Some(statistics) = closing.statistics {
            table(out, "mode", &statistics.modes)?;
            table(out, "adapter", &statistics.adapters)?;
        }

        let help = self.help.iter();
        let help: Vec<String> = help
            .map(|(rule, help)| escape(&format!("help for {rule}: {help}")).into_owned())
            .collect();
        let reserved: usize = help
            .iter()
            .map(|line| line.len() + 1)
            .sum();
        let mut list = MarkdownList::default();
        faults(closing).for_each(|line| list.add(&line));

        let (findings, unlisted) = self
            .findings
            .listed(reserved + list.text.len());
        for line in findings
            .into_iter()
            .chain(help.iter().map(String::as_str))
        {
            list.add(line);
        }

        list.append(&self.notes);
        let listed = &list.text;
        if !listed.is_empty() {
            // The content can't close a fence that is longer than any run of backticks in it.
            let runs = listed.split(|c| c != '`').map(str::len);
            let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
            write!(out, "\n{fence}text\n{listed}{fence}\n")?;
        }

        match unlisted + list.unlisted {
            0 => Ok(()),
            unlisted => writeln!(out, "\nNot listed here: {unlisted} more."),
        }
    }
}

fn table(out: &mut dyn Write, of: &str, tallies: &BTreeMap<String, Tally>) -> io::Result<()> {
    if tallies.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    tally_table(of, tallies, code).markdown(out)
}

/// Returns a text in backticks for a table cell, escaped so that it can't end either.
fn code(text: &str) -> String {
    format!(
        "`{}`",
        escape(text)
            .replace('`', "\\u{60}")
            .replace('|', "\\u{7c}")
    )
}
