//! Rows of two sides -> a table, in which a value of one run stands beside that of another.

use std::io;

use super::DashboardText;
use crate::ground::printable::{columns_of, fit, padded};
use crate::reading::dashboard::DashboardStep;
use crate::report::paint::{Paint, StyledLine};

/// A row of a table of two sides.
pub(crate) struct SideRow {
    /// A sign such as `!`, with its colour.
    pub(crate) mark: Option<(&'static str, Paint)>,
    pub(crate) name: String,
    pub(crate) cells: [StyledLine; 2],
}

impl DashboardText<'_> {
    /// Writes a table of two sides below their heads, if these have any.
    pub(crate) fn sides(&mut self, [head, other]: [&str; 2], rows: &[SideRow]) -> io::Result<()> {
        let (width, is_coloured) = (self.width, self.is_coloured);
        let widest = rows
            .iter()
            .map(|row| columns_of(&row.name))
            .max();
        let names = match widest.unwrap_or_default() {
            0 => 0,
            widest if width == usize::MAX => widest + 1,
            _ => width / 5 + 1,
        };

        // Without a limit, the left side is as wide as its widest cell, and nothing is cut.
        let lefts = rows.iter().map(|row| {
            let [left, _] = &row.cells;
            left.columns()
        });
        let (left, most) = match width {
            usize::MAX => (lefts.fold(columns_of(head), usize::max), width),
            _ => [width.saturating_sub(names.max(2) + 5) / 2; 2].into(),
        };

        if !head.is_empty() {
            writeln!(self.out, "  {}   {other}", padded(head, left))?;
        }

        for SideRow { mark, name, cells } in rows {
            let mark = mark.map_or_else(
                || " ".to_owned(),
                |(sign, paint)| {
                    StyledLine::default()
                        .painted(sign, paint)
                        .draw(1, is_coloured)
                },
            );
            let name = padded(&fit(name, names.saturating_sub(1)), names);
            let [one, other] = cells;
            let padding = left.saturating_sub(columns_of(&one.draw(most, false)));
            let [one, other] = [one, other].map(|cell| cell.draw(most, is_coloured));
            let bar = self.glyphs.bar;
            let line = format!("{mark} {name}{one}{:padding$} {bar} {other}", "");
            writeln!(self.out, "{}", line.trim_end())?;
        }

        Ok(())
    }

    /// Returns a step in one line. A step that is only a label has neither an id nor a status.
    pub(crate) fn step(&self, step: &DashboardStep) -> StyledLine {
        if step.id.is_empty() && step.status.is_empty() {
            return StyledLine::default()
                .text("  ")
                .text(&step.description);
        }

        let paint = Paint::of(&step.status);
        StyledLine::default()
            .painted(self.glyphs.status(&step.status), paint)
            .text(&format!(" {} ", step.id))
            .painted(&step.status, paint)
            .text(&format!(": {}", step.description))
    }
}
