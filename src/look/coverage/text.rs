//! A coverage -> text for people, and Markdown.

use std::io::{self, Write};

use super::{RuleCoverage, RunsCoverage};
use crate::ground::printable::{escape, markdown_cell as cell};
use crate::report::{Grid, count};

impl RunsCoverage {
    /// Returns the rules that compared nothing, and those that did.
    fn rules(&self) -> [Vec<(&str, RuleCoverage)>; 2] {
        let rules = self
            .rules
            .iter()
            .map(|(rule, it)| (&**rule, *it));
        let (vacuous, others) = rules.partition(|(_, it)| it.found + it.sound == 0);
        [vacuous, others]
    }

    fn summary(&self) -> String {
        let [vacuous, others] = self
            .rules()
            .map(|rules| rules.len() as u64);
        format!(
            "{}: {} compared something, {vacuous} compared nothing",
            count(self.runs, "run"),
            count(others, "rule")
        )
    }

    /// Returns what no record has, each list with its title.
    fn lists(&self) -> [(&'static str, Vec<String>); 2] {
        [
            ("Fields that no record has", self.unseen()),
            ("Words that no record has", self.unsaid()),
        ]
    }

    /// Returns the fields that no record has, each with the name of the record. A field within
    /// another one that no record has is left out.
    fn unseen(&self) -> Vec<String> {
        let mut unseen = Vec::new();
        for (record, fields) in &self.fields {
            let is_within = |pointer: &str| {
                let above = pointer
                    .rsplit_once('/')
                    .and_then(|(it, _)| fields.get(it));
                above.is_some_and(|above| above.seen == 0)
            };

            let fields = fields
                .iter()
                .filter(|(pointer, it)| it.seen == 0 && !is_within(pointer));
            unseen.extend(fields.map(|(pointer, _)| format!("{record} {pointer}")));
        }

        unseen
    }

    /// Returns the words of closed sets that no value is, with the place of the value.
    fn unsaid(&self) -> Vec<String> {
        let mut unsaid = Vec::new();
        for (record, fields) in &self.fields {
            for (pointer, field) in fields
                .iter()
                .filter(|(_, field)| field.seen > 0)
            {
                let words: Vec<&str> = field
                    .words
                    .iter()
                    .filter(|(_, number)| **number == 0)
                    .map(|(word, _)| &**word)
                    .collect();
                if !words.is_empty() {
                    unsaid.push(format!("{record} {pointer}: {}", words.join(", ")));
                }
            }
        }

        unsaid
    }
}

/// Returns the table of some rules, each with its name as it is printed.
fn table<'h>(
    title: &'h str,
    rules: &[(&str, RuleCoverage)],
    name: fn(&str) -> String,
) -> Grid<'h, 5> {
    let rows = rules.iter().map(|(rule, it)| {
        let [found, sound, nothing, skipped] =
            [it.found, it.sound, it.nothing, it.skipped].map(|number| number.to_string());
        [name(rule), found, sound, nothing, skipped]
    });
    let heads = [title, "found", "sound", "nothing", "skipped"];
    Grid::new(heads, 1..5, rows)
}

/// Writes a coverage for a terminal: rules that compared nothing come first.
pub(crate) fn human(of: &RunsCoverage, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", of.summary())?;
    let [vacuous, others] = of.rules();
    for (title, rules) in [
        ("Rules that compared nothing ", vacuous),
        ("Rules ", others),
    ] {
        if !rules.is_empty() {
            let table = table(title, &rules, |rule| format!("{} ", escape(rule)));
            writeln!(out)?;
            table.text(out, " ", [0, 7])?;
        }
    }

    for (title, lines) in of.lists() {
        if !lines.is_empty() {
            writeln!(out, "\n{title}\n  {}", lines.join("\n  "))?;
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
    table("rule", &of.rules().concat(), cell).markdown(out)?;
    for (title, lines) in of.lists() {
        if !lines.is_empty() {
            writeln!(out, "\n{title}:\n")?;
            (lines.iter()).try_for_each(|line| writeln!(out, "- {}", cell(line)))?;
        }
    }

    if of.selectors.is_empty() {
        return Ok(());
    }

    let rows = of
        .selectors
        .iter()
        .map(|it| [cell(&it.rule), it.selector.into(), it.events.to_string()]);
    writeln!(out)?;

    Grid::new(["rule", "selector", "events"], 2..3, rows).markdown(out)
}
