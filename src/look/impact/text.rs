//! An impact -> text for people, and Markdown for a pull request.

use std::io::{self, Write};

use super::{
    ChangedFinding, ComparisonGap, FindingChange, Impact, Limited, NotCompared, RuleImpact,
};
use crate::ground::finding::Severity;
use crate::ground::printable::{brief, escape, markdown_cell as cell};
use crate::report::{Grid, count};

/// The runs of a list.
const MAX_SHOWN: usize = 20;

impl Impact {
    fn summary(&self) -> String {
        format!(
            "{} of {} affected; verdicts changed: {}; not compared: {}",
            self.affected,
            count(self.runs, "run"),
            self.flips(),
            self.incomparable
        )
    }

    fn flips(&self) -> u64 {
        self.flipped.len() as u64 + self.flipped_more
    }
}

impl Limited {
    fn sentence(&self) -> String {
        let Self { what, limit, .. } = self;
        if self.exceeded {
            format!("more {what} than the limit of {limit}")
        } else {
            format!("within the limit of {limit} {what}")
        }
    }
}

impl ChangedFinding {
    fn change(&self) -> String {
        let word = |severity: Option<Severity>| severity.map_or("", Severity::word);
        match self.change {
            FindingChange::New => format!("new {}", word(self.after)),
            FindingChange::Gone => format!("gone {}", word(self.before)),
            FindingChange::ChangedLevel => format!("{} -> {}", word(self.before), word(self.after)),
        }
    }
}

impl NotCompared {
    fn reason(&self) -> &'static str {
        match self.why {
            ComparisonGap::Undecided => "undecided",
            ComparisonGap::NewSkips => {
                "rules are skipped that were not before: they were judged, or off"
            }
            ComparisonGap::OnlyAfter => "only the second report has it",
            ComparisonGap::OnlyBefore => "only the first report has it",
            ComparisonGap::Fault => "could not be looked at",
        }
    }
}

const fn verdict(valid: bool) -> &'static str {
    if valid {
        "invalid -> valid"
    } else {
        "valid -> invalid"
    }
}

/// Writes an impact for a terminal.
pub(crate) fn human(of: &Impact, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", of.summary())?;
    for (rule, it) in &of.rules {
        let (new, gone, changed) = (it.new, it.gone, it.changed_level);
        let runs = count(it.runs, "run");
        writeln!(
            out,
            "\n{}: {new} new, {gone} gone, {changed} of another level, in {runs}",
            escape(rule)
        )?;
        for example in &it.examples {
            let (dir, message) = (escape(&example.dir), brief(&example.message));
            writeln!(out, "  {}: {dir}: {message}", example.change())?;
        }
    }

    if !(of.flipped.is_empty() && of.not_compared.is_empty()) {
        writeln!(out)?;
    }
    for it in of.flipped.iter().take(MAX_SHOWN) {
        writeln!(out, "{}: {}", verdict(it.valid), escape(&it.dir))?;
    }

    more(out, of.flips())?;
    for it in of.not_compared.iter().take(MAX_SHOWN) {
        writeln!(out, "not compared: {}: {}", escape(&it.dir), it.reason())?;
    }

    more(out, of.incomparable)?;
    for limit in &of.limits {
        writeln!(out, "{}", limit.sentence())?;
    }

    Ok(())
}

fn more(out: &mut dyn Write, all: u64) -> io::Result<()> {
    match all.saturating_sub(MAX_SHOWN as u64) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

/// Writes an impact as Markdown.
pub(crate) fn markdown(of: &Impact, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", of.summary())?;
    for limit in &of.limits {
        writeln!(out, "- {}", cell(&limit.sentence()))?;
    }

    if !of.rules.is_empty() {
        writeln!(out)?;
        let heads = ["rule", "new", "gone", "other level", "runs", "for example"];
        Grid::new(heads, 1..5, of.rules.iter().map(row)).markdown(out)?;
    }

    let flipped = of
        .flipped
        .iter()
        .take(MAX_SHOWN)
        .map(|it| [cell(&it.dir), cell(verdict(it.valid))]);
    let others = of
        .not_compared
        .iter()
        .take(MAX_SHOWN)
        .map(|it| {
            let reason = format!("not compared: {}", cell(it.reason()));
            [cell(&it.dir), reason]
        });
    let rows: Vec<_> = flipped.chain(others).collect();
    if rows.is_empty() {
        return Ok(());
    }

    writeln!(out)?;
    Grid::new(["run", ""], 0..0, rows).markdown(out)
}

/// Returns the row of a rule.
fn row((rule, it): (&String, &RuleImpact)) -> [String; 6] {
    let example = it
        .examples
        .first()
        .map_or(String::new(), |it| {
            format!("{}: {}: {}", it.change(), it.dir, it.message)
        });
    let [new, gone, changed, runs] =
        [it.new, it.gone, it.changed_level, it.runs].map(|number| number.to_string());

    [cell(rule), new, gone, changed, runs, cell(&example)]
}
