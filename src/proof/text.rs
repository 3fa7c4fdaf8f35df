//! What became of sealed runs -> words for people.

use std::fmt;

use super::Verification;
use super::statement::TestOutcome;
use crate::ground::printable::{brief, escape};
use crate::report::count;

/// The number of differences between rules that are listed; the rest are counted.
const MAX_RULES: usize = 20;

impl fmt::Display for Verification {
    /// Writes what became of the runs in words; the last line is the result.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.changes {
            let (kind, name) = (change.kind.word(), escape(&change.name));
            writeln!(out, "{kind:<8} {name}: {}", change.what)?;
        }

        more(out, self.changed, self.changes.len(), "change")?;
        for run in &self.not_covered {
            writeln!(out, "not covered: {}", escape(run))?;
        }

        let listed = self.not_covered.len();
        more(out, self.unended, listed, "run that is not covered")?;
        if self.uncovered > 0 {
            let entries = count(self.uncovered, "other entry");
            writeln!(
                out,
                "not covered: the content of links and others ({entries})"
            )?;
        }

        rules(self, out)?;
        out.write_str(&last_line(self))
    }
}

/// Writes how many are not listed.
fn more(out: &mut impl fmt::Write, all: u64, listed: usize, what: &str) -> fmt::Result {
    match all.saturating_sub(listed as u64) {
        0 => Ok(()),
        rest => writeln!(out, "and {}", count(rest, &format!("more {what}"))),
    }
}

/// Writes how the rules that were in force differ from those that are.
fn rules(of: &Verification, out: &mut impl fmt::Write) -> fmt::Result {
    let (rules, version) = (count(of.rules, "rule"), brief(&of.version));
    let here = if of.has_config {
        "in the configuration here"
    } else {
        "here, where no configuration was found"
    };

    write!(out, "judged by {rules} of runvet {version}")?;
    if of.other_rules.is_empty() {
        return writeln!(out, ", the same as {here}");
    }

    let others = of.other_rules.len() as u64;
    writeln!(out, "; {} {here}:", count(others, "difference"))?;
    for difference in of.other_rules.iter().take(MAX_RULES) {
        writeln!(out, "  {}", escape(difference))?;
    }

    more(out, others, MAX_RULES, "difference")
}

impl Verification {
    /// Returns what became of the one run that was looked for, in a few words.
    pub(super) fn of_one(&self) -> String {
        let version = brief(&self.version);
        let failed = if self.failed > 0 {
            "; it had failed"
        } else {
            ""
        };

        if let Some(fault) = self.faults.first() {
            return format!("it could not be compared: {}", fault.message);
        }

        match (&*self.changes, self.runs, self.unended) {
            ([], 0, 0) => "it was not sealed".to_owned(),
            ([], 0, _) => "its files were not sealed: it had not ended".to_owned(),
            ([], ..) => format!("unchanged since runvet {version} sealed it{failed}"),
            ([first, ..], ..) => {
                let (changes, kind) = (count(self.changed, "change"), first.kind.word());
                let (name, what) = (escape(&first.name), &first.what);
                format!("not as it was sealed: {changes}, {kind} {name}: {what}{failed}")
            }
        }
    }
}

/// Returns the result in one line.
fn last_line(of: &Verification) -> String {
    let (runs, version) = (count(of.runs, "run"), brief(&of.version));
    let these = match of.runs {
        1 => "this is",
        _ => "these are",
    };

    let sealed = match of.runs {
        1 => format!("the run that runvet {version} sealed"),
        runs => format!("the {runs} runs that runvet {version} sealed"),
    };

    let mut parts = Vec::new();
    if of.changed == 0 && !of.faults.is_empty() {
        parts.push(format!("it is not known whether {these} {sealed}"));
    } else if of.changed == 0 {
        let files = count(of.files, "file");
        parts.push(format!("{these} {sealed}, unchanged ({files})"));
    } else {
        let (changes, unchanged) = (count(of.changed, "change"), of.unchanged);
        parts.push(format!(
            "{these} not {sealed}: {changes}, {unchanged} of {runs} unchanged"
        ));
    }

    let is_of_all = of.not_looked_at == 0;
    if is_of_all && of.failed == 0 && of.result == TestOutcome::Failed.word() {
        parts.push("the check had failed".to_owned());
    }

    if of.failed > 0 {
        let failed = match of.runs {
            1 => "it had failed".to_owned(),
            _ => format!("{} of them had failed", of.failed),
        };
        parts.push(failed);
    }

    if of.new > 0 {
        let (runs, are) = (count(of.new, "run"), if of.new == 1 { "is" } else { "are" });
        parts.push(format!("{runs} here {are} not sealed"));
    }

    if !of.faults.is_empty() {
        let paths = count(of.faults.len() as u64, "path");
        parts.push(format!("{paths} could not be looked at"));
    }

    if of.not_looked_at > 0 {
        parts.push(format!(
            "{} not looked at",
            count(of.not_looked_at, "sealed run")
        ));
    }

    parts.join("; ")
}
