//! Reports -> a summary in Markdown: the verdict, the rules with findings, and the first findings.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::concise::{faults, findings, notes};
use super::{Closing, Renderer, verdict};
use crate::finding::{EpisodeReport, Statistics, Tally};
use crate::printable::escape;

/// The maximum number of bytes of listed findings: a comment on GitHub may have 64 KiB, a job
/// summary 1 MiB.
const MAX_LISTED_BYTES: usize = 48 << 10;

#[derive(Default)]
pub(super) struct Markdown {
    verbose: bool,
    statistics: Statistics,
    unjudged: u64,
    findings: List,
    /// What could not be judged; listed after all findings as far as there is room.
    notes: List,
}

impl Markdown {
    pub(super) fn new(verbose: bool) -> Self {
        Self {
            verbose,
            ..Self::default()
        }
    }
}

/// Lines, up to a limit.
#[derive(Default)]
struct List {
    text: String,
    /// The number of lines that did not fit.
    unlisted: u64,
}

impl List {
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
        other.text.lines().for_each(|line| self.add(line));
        self.unlisted += other.unlisted;
    }
}

impl Renderer for Markdown {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.statistics.add(episode);
        self.unjudged += u64::from(!episode.skipped.is_empty());
        findings(episode).for_each(|line| self.findings.add(&line));
        notes(episode, self.verbose).for_each(|line| self.notes.add(&line));
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        let (episodes, verdict) = verdict(closing, self.unjudged);
        writeln!(out, "### runvet: {episodes}{verdict}")?;
        table(out, "rule", &self.statistics.rules)?;
        if let Some(statistics) = closing.statistics {
            table(out, "mode", &statistics.modes)?;
            table(out, "adapter", &statistics.adapters)?;
        }
        let mut list = List::default();
        faults(closing).for_each(|line| list.add(&line));
        list.append(&self.findings);
        list.append(&self.notes);
        let List {
            text: listed,
            unlisted,
        } = &list;
        if !listed.is_empty() {
            // The content can't close a fence that is longer than any run of backticks in it.
            let runs = listed.split(|c| c != '`').map(str::len);
            let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
            write!(out, "\n{fence}text\n{listed}{fence}\n")?;
        }
        match unlisted {
            0 => Ok(()),
            unlisted => writeln!(out, "\nNot listed here: {unlisted} more."),
        }
    }
}

fn table(out: &mut dyn Write, of: &str, tallies: &BTreeMap<String, Tally>) -> io::Result<()> {
    if tallies.is_empty() {
        return Ok(());
    }
    write!(
        out,
        "\n| {of} | episodes | errors | warnings |\n|---|--:|--:|--:|\n"
    )?;
    for (
        name,
        Tally {
            episodes,
            errors,
            warnings,
        },
    ) in tallies
    {
        writeln!(
            out,
            "| {} | {episodes} | {errors} | {warnings} |",
            code(name)
        )?;
    }
    Ok(())
}

/// A text in backticks for a table cell, escaped so that it can't end either.
fn code(text: &str) -> String {
    format!(
        "`{}`",
        escape(text).replace('`', "\\u{60}").replace('|', "\\u{7c}")
    )
}
