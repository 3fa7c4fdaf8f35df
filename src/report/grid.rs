//! Rows of texts -> a table, as text or as Markdown.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use crate::ground::finding::Tally;
use crate::ground::printable::{columns_of, padded};

/// A table for people. Its texts are safe to print.
pub(crate) struct Grid<'h, const N: usize> {
    /// The heads of the columns; empty where there are none.
    pub(crate) heads: [&'h str; N],
    /// The columns of numbers, which end at one place.
    pub(crate) numbers: Range<usize>,
    pub(crate) rows: Vec<[String; N]>,
}

impl<'h, const N: usize> Grid<'h, N> {
    pub(crate) fn new(
        heads: [&'h str; N],
        numbers: Range<usize>,
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> Self {
        let rows = rows.into_iter().collect();
        Self {
            heads,
            numbers,
            rows,
        }
    }

    /// Returns the lines of the table as text, with `gap` between two columns. Names are at least
    /// as wide as the first number, columns of numbers as the second one.
    pub(in crate::report) fn lines(&self, gap: &str, [names, numbers]: [usize; 2]) -> Vec<String> {
        let heads = self.heads.map(str::to_owned);
        let heads = Some(heads).filter(|heads| !heads.concat().is_empty());
        let rows = || heads.iter().chain(&self.rows);
        let is_number = |at: usize| self.numbers.contains(&at);
        let widths: [usize; N] = std::array::from_fn(|at| {
            let widths = rows().filter_map(|row| row.get(at).map(|text| columns_of(text)));
            let least = if is_number(at) { numbers } else { names };
            widths.fold(least, usize::max)
        });
        let line = |row: &[String; N]| {
            row.iter()
                .zip(widths)
                .enumerate()
                .map(|(at, (text, width))| {
                    if is_number(at) {
                        format!("{text:>width$}")
                    } else if at + 1 < N {
                        padded(text, width)
                    } else {
                        text.clone()
                    }
                })
                .collect::<Vec<_>>()
                .join(gap)
        };

        rows().map(line).collect()
    }

    /// Writes the table as text.
    pub(crate) fn text(&self, out: &mut dyn Write, gap: &str, least: [usize; 2]) -> io::Result<()> {
        self.lines(gap, least)
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Writes the table as Markdown.
    pub(crate) fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "| {} |", self.heads.join(" | ").trim_end())?;
        let sides = (0..N).map(|at| {
            if self.numbers.contains(&at) {
                "--:|"
            } else {
                "---|"
            }
        });
        writeln!(out, "|{}", sides.collect::<String>())?;

        self.rows
            .iter()
            .try_for_each(|row| writeln!(out, "| {} |", row.join(" | ")))
    }
}

/// Returns the table of sums by name; `name` makes a name safe to print.
pub(super) fn tally_table<'h>(
    of: &'h str,
    tallies: &BTreeMap<String, Tally>,
    name: impl Fn(&str) -> String,
) -> Grid<'h, 4> {
    let rows = tallies.iter().map(|(of, tally)| {
        let numbers = [tally.episodes, tally.errors, tally.warnings];
        let [episodes, errors, warnings] = numbers.map(|number| number.to_string());
        [name(of), episodes, errors, warnings]
    });

    Grid::new([of, "episodes", "errors", "warnings"], 1..4, rows)
}
