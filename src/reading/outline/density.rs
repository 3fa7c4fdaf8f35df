//! The times of all events of a timeline -> their number, by phase and in equal spans of time.

use std::collections::BTreeMap;

/// The maximum number of spans.
const MAX_BINS: usize = 256;

/// The maximum number of phases that are counted one by one; the others are counted together.
const MAX_PHASES: usize = 11;

/// The length of a span at first, in seconds.
const FIRST_WIDTH: f64 = 1e-3;

/// The number of events over time. Its memory does not grow with the number of events: where there
/// is no room for one more span, all spans become twice as long.
#[derive(Clone, Debug, Default)]
pub(crate) struct Density {
    /// The length of a span, in seconds since the first event.
    pub(crate) width_sec: f64,
    /// The events of each phase, by the number of their span.
    pub(crate) phases: BTreeMap<String, BTreeMap<usize, PhaseBin>>,
}

/// The events of a phase in a span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PhaseBin {
    pub(crate) events: u64,
    pub(crate) first_line: u64,
}

impl Density {
    /// Returns the start of a span, in seconds since the first event.
    pub(crate) fn start_of(&self, span: usize) -> f64 {
        u32::try_from(span).map_or(0.0, f64::from) * self.width_sec
    }

    /// Counts an event; `at` are the seconds since the first one.
    pub(super) fn add(&mut self, phase: &str, line: u64, at: f64) {
        let at = at.clamp(0.0, 1e12);
        self.width_sec = self.width_sec.max(FIRST_WIDTH);
        while span(at, self.width_sec) >= MAX_BINS {
            self.width_sec *= 2.0;
            for bins in self.phases.values_mut() {
                for (at, bin) in std::mem::take(bins) {
                    count(bins, at / 2, bin);
                }
            }
        }

        let is_known = self.phases.len() < MAX_PHASES || self.phases.contains_key(phase);
        let phase = if is_known { phase } else { "(others)" };
        if !self.phases.contains_key(phase) {
            self.phases
                .insert(phase.to_owned(), BTreeMap::new());
        }

        if let Some(bins) = self.phases.get_mut(phase) {
            let bin = PhaseBin {
                events: 1,
                first_line: line,
            };
            count(bins, span(at, self.width_sec), bin);
        }
    }
}

fn count(bins: &mut BTreeMap<usize, PhaseBin>, at: usize, more: PhaseBin) {
    bins.entry(at)
        .and_modify(|bin| bin.events += more.events)
        .or_insert(more);
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time is not negative, and the cast ends at the largest number"
)]
fn span(at: f64, width_sec: f64) -> usize {
    (at / width_sec) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_counted_however_long_the_timeline_is() {
        let mut density = Density::default();
        for line in 0..20_000_u32 {
            let phase = if line % 4 == 0 { "act" } else { "observe" };
            density.add(phase, line.into(), f64::from(line) * 0.05);
        }
        assert!(density.width_sec > 1_000.0 / 256.0 && density.width_sec < 1_000.0 / 64.0);
        let sums: Vec<u64> = density
            .phases
            .values()
            .map(|bins| {
                bins.values()
                    .map(|bin| bin.events)
                    .sum()
            })
            .collect();
        assert_eq!(sums, [5_000, 15_000]);
        let acts = density.phases["act"]
            .values()
            .map(|bin| bin.first_line);
        assert!(acts.clone().is_sorted() && acts.clone().next() == Some(0));
    }
}
