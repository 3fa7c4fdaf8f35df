//! The events of a timeline, one at a time -> at most a screenful of rows, in which events that
//! matter less are folded.

use std::borrow::Cow;

use crate::ground::source::Line;
use crate::reading::dashboard::{EventSummary, OmittedEvents, TimelineRow};

/// The maximum number of rows of a timeline in outline; a timeline with more events is folded.
const MAX_TIMELINE_ROWS: usize = 21;

/// The number of rows at each end of a timeline that stay as they are, however long it becomes.
const ROWS_AT_EACH_END: usize = 7;

/// The maximum number of phases of a fold that are named.
const MAX_FOLDED_PHASES: usize = 4;

/// The importance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// It is folded where the timeline is long.
    Light,
    /// It is kept: it starts or ends the run, plans, acts or directs.
    Kept,
    /// It is kept longest: something failed or was vetoed.
    Marked,
}

/// Rows on their way to an outline. Memory does not grow with the number of events.
#[derive(Default)]
pub(super) struct Folding {
    rows: Vec<(Weight, FoldedRow)>,
    is_long: bool,
}

/// A row on its way: the phase and the line of an event, or events that are folded.
type FoldedRow = TimelineRow<(Cow<'static, str>, Line)>;

impl Folding {
    pub(super) fn add(&mut self, weight: Weight, phase: Cow<'static, str>, line: Line) {
        let row = (weight, FoldedRow::Event((phase, line)));
        if self.is_long {
            self.fold(row);
        } else if self.rows.len() < MAX_TIMELINE_ROWS {
            self.rows.push(row);
        } else {
            self.is_long = true;
            std::mem::take(&mut self.rows)
                .into_iter()
                .chain([row])
                .for_each(|row| self.fold(row));
        }
    }

    /// Returns the rows; `line_of` makes the row of an event.
    pub(super) fn rows(
        self,
        mut line_of: impl FnMut(Cow<'static, str>, Line) -> EventSummary,
    ) -> Vec<TimelineRow> {
        self.rows
            .into_iter()
            .map(|(_, row)| match row {
                TimelineRow::Event((phase, line)) => TimelineRow::Event(line_of(phase, line)),
                TimelineRow::Folded(all) => TimelineRow::Folded(all),
            })
            .collect()
    }

    /// Adds a row, and folds light events that follow each other.
    fn fold(&mut self, (weight, row): (Weight, FoldedRow)) {
        match self.rows.last_mut() {
            Some((Weight::Light, last)) if weight == Weight::Light => return join(last, row),
            _ => self.rows.push((weight, row)),
        }

        if self.rows.len() > MAX_TIMELINE_ROWS {
            self.shrink();
        }
    }

    /// Folds two neighbours between the ends: the first ones that are not marked, if there are any.
    fn shrink(&mut self) {
        let between = ROWS_AT_EACH_END..self.rows.len() - ROWS_AT_EACH_END;
        let rows = self
            .rows
            .get(between)
            .unwrap_or_default();
        let is_unmarked = |pair: &[(Weight, FoldedRow)]| {
            pair.iter()
                .all(|(weight, _)| *weight != Weight::Marked)
        };

        let first = rows
            .windows(2)
            .position(is_unmarked)
            .unwrap_or_default();
        let (_, next) = self
            .rows
            .remove(ROWS_AT_EACH_END + first + 1);

        if let Some((weight, row)) = self
            .rows
            .get_mut(ROWS_AT_EACH_END + first)
        {
            *weight = Weight::Light;
            join(row, next);
        }
    }
}

/// Folds a row into the one before it.
fn join(row: &mut FoldedRow, next: FoldedRow) {
    if !matches!(row, FoldedRow::Folded(_)) {
        let first = std::mem::replace(row, FoldedRow::Folded(OmittedEvents::default()));
        join(row, first);
    }

    let FoldedRow::Folded(all) = row else { return };
    match next {
        FoldedRow::Event((phase, _)) => {
            all.events += 1;
            name(all, phase);
        }
        FoldedRow::Folded(other) => {
            all.events += other.events;
            (other.phases.into_iter()).for_each(|phase| name(all, phase));
        }
    }
}

/// Names a phase of a fold, unless enough others come before it.
fn name(all: &mut OmittedEvents, phase: Cow<'static, str>) {
    if let Err(place) = all.phases.binary_search(&phase)
        && place < MAX_FOLDED_PHASES
    {
        all.phases.insert(place, phase);
        all.phases.truncate(MAX_FOLDED_PHASES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(weights: &str) -> Vec<String> {
        let mut folding = Folding::default();
        for (number, c) in (1..).zip(weights.chars()) {
            let weight = match c {
                'k' => Weight::Kept,
                'm' => Weight::Marked,
                _ => Weight::Light,
            };
            let line = Line {
                number,
                offset: 0,
                length: 0,
            };
            folding.add(weight, c.to_string().into(), line);
        }
        let shown = |row: TimelineRow| match row {
            TimelineRow::Event(event) => format!("{}{}", event.phase, event.line),
            TimelineRow::Folded(folded) => format!("+{}", folded.events),
        };
        let rows = folding.rows(|phase, line| EventSummary {
            line: line.number,
            phase: phase.into_owned(),
            ..EventSummary::default()
        });
        rows.into_iter().map(shown).collect()
    }

    #[test]
    fn short_timeline_is_not_folded() {
        let rows = of(&"l".repeat(MAX_TIMELINE_ROWS));
        assert_eq!(rows.len(), MAX_TIMELINE_ROWS);
        assert!(
            rows.iter()
                .all(|row| row.starts_with('l'))
        );
        assert_eq!(of(&"l".repeat(MAX_TIMELINE_ROWS + 1)), ["+22"]);
    }

    #[test]
    fn events_that_matter_are_kept_among_many() {
        let many = "l".repeat(100);
        let rows = of(&format!("k{many}kl{many}m{many}lk"));
        assert_eq!(rows, ["k1", "+100", "k102", "+101", "m204", "+101", "k306"]);
        assert_eq!(
            of(&format!("klk{many}")),
            ["k1", "l2", "k3", "+100"],
            "one event is not folded"
        );
    }

    #[test]
    fn marked_events_outlast_the_other_ones_that_are_kept() {
        let kept = "k".repeat(50);
        let rows = of(&format!("{kept}m{kept}"));
        let ends = ["k1", "k2", "k3", "k4", "k5", "k6", "k7"];
        assert_eq!(rows[..7], ends);
        assert!(rows.contains(&"m51".to_owned()), "{rows:?}");
        assert_eq!(rows.last().unwrap(), "k101");
        assert!(rows.len() <= MAX_TIMELINE_ROWS, "{rows:?}");
        let all = of(&"ml".repeat(1_000));
        assert!(all.len() <= MAX_TIMELINE_ROWS, "{all:?}");
        assert!(all.contains(&"m1999".to_owned()), "the latest one: {all:?}");
    }
}
