//! Values and goals -> tables, for a terminal, for the documentation and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::measure::{Measured, ratio};

/// What a value must be.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    None,
}

impl Goal {
    fn is_met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(limit) => Some(value <= limit),
            Self::AtLeast(limit) => Some(value >= limit),
            Self::None => None,
        }
    }

    fn shown(self, unit: &str) -> String {
        match self {
            Self::AtMost(limit) => format!("≤ {limit} {unit}"),
            Self::AtLeast(limit) => format!("≥ {limit} {unit}"),
            Self::None => String::new(),
        }
    }
}

/// A row of a table: what was measured, what it is compared with, and the value of the goal.
pub(crate) struct Row {
    work: String,
    runvet: String,
    beside: String,
    value: f64,
    unit: &'static str,
    goal: Goal,
}

impl Row {
    /// A value that is not compared with anything.
    pub(crate) fn plain(work: &str, value: f64, unit: &'static str, goal: Goal) -> Self {
        Self {
            work: work.to_owned(),
            runvet: String::new(),
            beside: String::new(),
            value,
            unit,
            goal,
        }
    }

    pub(crate) fn megabytes(work: &str, bytes: u64, goal: Goal) -> Self {
        Self::plain(work, megabytes(bytes), "MB", goal)
    }

    /// A value of a run that took a time, beside what another took.
    pub(crate) fn timed(mut self, runvet: &Measured, other: &Measured) -> Self {
        self.runvet = duration(runvet.median());
        self.beside = format!("{}, {}", other.name, duration(other.median()));
        self
    }

    /// Rates beside each other, each with its name.
    pub(crate) fn rates(mut self, runvet: f64, name: &str, other: f64) -> Self {
        self.runvet = format!("{}/s", thousands(runvet));
        self.beside = format!("{name}, {}/s", thousands(other));
        self
    }

    /// How the clock times of two contestants compare, as the goal says: how often the other's
    /// time runvet needs, or how often runvet's time the other needs.
    pub(crate) fn clock(work: &str, runvet: &Measured, other: &Measured, goal: Goal) -> Self {
        let value = compared(&runvet.seconds, &other.seconds, goal);
        Self::plain(work, value, "×", goal).timed(runvet, other)
    }

    /// The same of processor times.
    pub(crate) fn processor(runvet: &Measured, other: &Measured, goal: Goal) -> Self {
        let value = compared(&runvet.cpu_seconds, &other.cpu_seconds, goal);
        Self {
            runvet: duration(runvet.cpu_median()),
            beside: format!("{}, {}", other.name, duration(other.cpu_median())),
            ..Self::plain("the same in processor time", value, "×", goal)
        }
    }

    fn cells(&self) -> [String; 6] {
        let met = self.goal.is_met(self.value);
        let met = met.map_or("", |met| if met { "yes" } else { "no" });
        [
            self.work.clone(),
            self.runvet.clone(),
            self.beside.clone(),
            format!("{} {}", figures(self.value), self.unit),
            self.goal.shown(self.unit),
            met.to_owned(),
        ]
    }

    fn json(&self) -> Value {
        json!({"work": self.work, "runvet": self.runvet, "beside": self.beside, "value": self.value,
            "unit": self.unit, "goal": self.goal.shown(self.unit), "met": self.goal.is_met(self.value)})
    }
}

fn compared(runvet: &[f64], other: &[f64], goal: Goal) -> f64 {
    if matches!(goal, Goal::AtMost(_)) {
        ratio(runvet, other)
    } else {
        ratio(other, runvet)
    }
}

/// A table: rows of one subject.
pub(crate) struct Table {
    pub(crate) subject: &'static str,
    pub(crate) rows: Vec<Row>,
}

const HEADS: [&str; 6] = ["work", "runvet", "beside it", "value", "goal", "met"];

/// All tables, for a terminal.
pub(crate) fn text(tables: &[Table]) -> String {
    let heads = HEADS.map(str::to_owned);
    let rows = tables
        .iter()
        .flat_map(|table| &table.rows)
        .map(Row::cells);
    let lines: Vec<[String; 6]> = [heads]
        .into_iter()
        .chain(rows)
        .collect();
    let width = |column: usize| {
        let widths = lines
            .iter()
            .map(|line| line[column].chars().count());
        widths.max().unwrap_or_default()
    };
    let mut text = String::new();
    for line in &lines {
        let mut row = format!("{:width$}", line[0], width = width(0));
        for (column, cell) in line.iter().enumerate().skip(1) {
            let _ = write!(row, "  {cell:>width$}", width = width(column));
        }
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// All tables, each below its heading.
pub(crate) fn markdown(tables: &[Table]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = String::new();
    for table in tables {
        let _ = write!(text, "### {}\n\n", table.subject);
        text += &line(&HEADS.map(str::to_owned));
        text += "|------|-------:|-----------|------:|------|-----|\n";
        for row in &table.rows {
            let mut cells = row.cells();
            if row.goal.is_met(row.value) == Some(false) {
                "**no**".clone_into(&mut cells[5]);
            }
            text += &line(&cells);
        }
        text.push('\n');
    }
    text
}

pub(crate) fn json(tables: &[Table]) -> Vec<Value> {
    let rows = tables
        .iter()
        .flat_map(|table| &table.rows);
    rows.map(Row::json).collect()
}

/// A duration in a unit that leaves one to four digits before the point.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{} µs", figures(seconds * 1e6))
    } else if seconds < 10.0 {
        format!("{} ms", figures(seconds * 1e3))
    } else {
        format!("{} s", figures(seconds))
    }
}

pub(crate) fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1000).expect("less than terabytes")) / 1e3
}

/// A number with three figures, or as many as stand before its point.
fn figures(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.2}")
    } else if value < 100.0 {
        format!("{value:.1}")
    } else {
        thousands(value)
    }
}

/// A whole number with a comma before each three digits.
fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
