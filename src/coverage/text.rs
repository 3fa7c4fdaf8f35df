//! A coverage -> text for people, and Markdown.

use std::io::{self, Write};

use super::{RuleCoverage, RunsCoverage};
use crate::printable::{escape, markdown_cell as cell};
use crate::report::count;

impl RunsCoverage {
    /// Returns the rules that compared nothing, and those that did.
    fn rules(&self) -> [Vec<(&str, RuleCoverage)>; 2] {
        let rules = self.rules.iter().map(|(rule, it)| (&**rule, *it));
        let (vacuous, others) = rules.partition(|(_, it)| it.is_vacuous());
        [vacuous, others]
    }

    fn summary(&self) -> String {
        let [vacuous, others] = self.rules().map(|rules| rules.len() as u64);
        format!(
            "{}: {} compared something, {vacuous} compared nothing",
            count(self.runs, "run"),
            count(others, "rule")
        )
    }

    /// Returns the fields that no record has, each with the name of the record. A field within
    /// another one that no record has is left out.
    fn unseen(&self) -> Vec<String> {
        let mut unseen = Vec::new();
        for (record, fields) in &self.fields {
            let is_within = |pointer: &str| {
                let above = pointer.rsplit_once('/').and_then(|(it, _)| fields.get(it));
                above.is_some_and(|above| above.seen == 0)
            };
            let fields = fields.iter();
            let fields = fields.filter(|(pointer, it)| it.seen == 0 && !is_within(pointer));
            unseen.extend(fields.map(|(pointer, _)| format!("{record} {pointer}")));
        }
        unseen
    }

    /// Returns the words of closed sets that no value is, with the place of the value.
    fn unsaid(&self) -> Vec<String> {
        let mut unsaid = Vec::new();
        for (record, fields) in &self.fields {
            for (pointer, field) in fields.iter().filter(|(_, field)| field.seen > 0) {
                let words = field.words.iter().filter(|(_, number)| **number == 0);
                let words: Vec<&str> = words.map(|(word, _)| &**word).collect();
                if !words.is_empty() {
                    unsaid.push(format!("{record} {pointer}: {}", words.join(", ")));
                }
            }
        }
        unsaid
    }
}

/// Writes a coverage for a terminal: rules that compared nothing come first.
pub(crate) fn human(of: &RunsCoverage, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", of.summary())?;
    let [vacuous, others] = of.rules();
    for (title, rules) in [("Rules that compared nothing", vacuous), ("Rules", others)] {
        if rules.is_empty() {
            continue;
        }
        let width = rules.iter().map(|(rule, _)| rule.len()).max().unwrap_or(0);
        writeln!(
            out,
            "\n{title:width$}  {:>7} {:>7} {:>7} {:>7}",
            "found",
            "sound",
            "nothing",
            "skipped",
            width = width.max(title.len())
        )?;
        for (rule, it) in rules {
            writeln!(
                out,
                "{:width$}  {:>7} {:>7} {:>7} {:>7}",
                escape(rule),
                it.found,
                it.sound,
                it.nothing,
                it.skipped,
                width = width.max(title.len())
            )?;
        }
    }
    for (title, lines) in [
        ("Fields that no record has", of.unseen()),
        ("Words that no record has", of.unsaid()),
    ] {
        if !lines.is_empty() {
            writeln!(out, "\n{title}")?;
            lines
                .iter()
                .try_for_each(|line| writeln!(out, "  {line}"))?;
        }
    }
    if !of.selectors.is_empty() {
        writeln!(out, "\nEvents that selectors name")?;
    }
    for it in &of.selectors {
        let (rule, selector) = (escape(&it.rule), it.selector);
        writeln!(out, "  {rule} {selector}: {}", it.events)?;
    }
    Ok(())
}

/// Writes a coverage as Markdown.
pub(crate) fn markdown(of: &RunsCoverage, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", of.summary())?;
    writeln!(out, "| rule | found | sound | nothing | skipped |")?;
    writeln!(out, "|---|--:|--:|--:|--:|")?;
    for (rule, it) in of.rules().into_iter().flatten() {
        let (found, sound, nothing, skipped) = (it.found, it.sound, it.nothing, it.skipped);
        let rule = cell(rule);
        writeln!(
            out,
            "| {rule} | {found} | {sound} | {nothing} | {skipped} |"
        )?;
    }
    for (title, lines) in [
        ("Fields that no record has", of.unseen()),
        ("Words that no record has", of.unsaid()),
    ] {
        if !lines.is_empty() {
            writeln!(out, "\n{title}:\n")?;
            lines
                .iter()
                .try_for_each(|line| writeln!(out, "- {}", cell(line)))?;
        }
    }
    if !of.selectors.is_empty() {
        writeln!(out, "\n| rule | selector | events |\n|---|---|--:|")?;
    }
    for it in &of.selectors {
        let (rule, selector, events) = (cell(&it.rule), it.selector, it.events);
        writeln!(out, "| {rule} | {selector} | {events} |")?;
    }
    Ok(())
}
