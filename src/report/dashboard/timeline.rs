//! An outline of a timeline -> text: a line for each event, and one for those that are left out.

use std::cmp::Reverse;
use std::io;

use super::DashboardText;
use crate::ground::printable::{fit, padded};
use crate::reading::dashboard::{EventSummary, Mark, OmittedEvents, Outline, TimelineRow};
use crate::report::figures::offset;
use crate::report::paint::{Paint, StyledLine};

/// The maximum number of phases that the line for events that are left out names.
const FOLDED_PHASES: usize = 3;

impl DashboardText<'_> {
    /// Draws the outline of the timeline.
    pub(crate) fn timeline(&mut self, outline: &Outline) -> io::Result<()> {
        if let Some(fault) = &outline.fault {
            writeln!(self.out)?;
            return self.paragraph(["", "  "], &format!("Timeline: can't be shown: {fault}"));
        }

        let is_folded = |row: &TimelineRow| matches!(row, TimelineRow::Folded(_));
        self.title(&format!("Timeline, events: {}", outline.events))?;
        if let Some(format) = &outline.imported {
            let origin = format!("imported from a log of {format}: it proves what the log says");
            self.paragraph(["  ", "    "], &origin)?;
        }

        if let Some(anchored) = outline.anchored() {
            self.paragraph(["  ", "    "], &anchored)?;
        }

        let mut phases: Vec<(&String, &u64)> = outline.phases.iter().collect();
        phases.sort_by_key(|(phase, count)| (Reverse(*count), *phase));
        let phases: Vec<String> = phases
            .into_iter()
            .map(|(phase, count)| format!("{} {count}", fit(named(phase), self.column(20))))
            .collect();
        if !phases.is_empty() {
            self.paragraph(["  ", "    "], &phases.join(" · "))?;
        }

        for row in &outline.rows {
            match row {
                TimelineRow::Event(event) => {
                    let glyph = match event.mark {
                        Some(Mark::Failed) => self.glyphs.status("failed"),
                        Some(Mark::Vetoed) => self.glyphs.status("vetoed"),
                        None => " ",
                    };
                    let line = StyledLine::default().painted(glyph, event.mark.map(paint));
                    self.draw(&self.in_a_line(line.text(" "), event))?;
                }
                TimelineRow::Folded(folded) => self.line(&self.left_out(folded))?,
            }
        }

        if outline.broken_lines > 0 {
            self.line(&format!(
                "  lines that are not events: {}",
                outline.broken_lines
            ))?;
        }

        if outline.rows.iter().any(is_folded) {
            self.hint("  for all:", &["view", &outline.dir, "--events"])?;
        }

        Ok(())
    }

    /// Returns the events that are left out, in one line.
    fn left_out(&self, folded: &OmittedEvents) -> String {
        let mut phases: Vec<String> = folded
            .phases
            .iter()
            .take(FOLDED_PHASES)
            .map(|phase| fit(named(phase), self.column(20)))
            .collect();
        if folded.phases.len() > FOLDED_PHASES {
            phases.push("…".into());
        }

        format!("  … {} {}", folded.events, phases.join(", "))
    }

    /// Returns an event in one line: time, phase, agent, summary.
    pub(super) fn in_a_line(&self, line: StyledLine, event: &EventSummary) -> StyledLine {
        let offset = event
            .offset_sec
            .map_or_else(|| "?".into(), offset);
        let [phase, agent] = [(named(&event.phase), 10), (&*event.agent, 16)]
            .map(|(text, columns)| padded(&fit(text, self.column(columns)), columns));
        let mark = event.mark.map(paint);
        line.text(&format!("{offset:>9} "))
            .painted(&phase, mark)
            .text(&format!(" {agent} "))
            .painted(&event.summary, mark)
    }
}

/// Returns a phase, in words where there is none.
fn named(phase: &str) -> &str {
    if phase.is_empty() {
        "(no phase)"
    } else {
        phase
    }
}

fn paint(mark: Mark) -> Paint {
    match mark {
        Mark::Failed => Paint::Bad,
        Mark::Vetoed => Paint::Caution,
    }
}
