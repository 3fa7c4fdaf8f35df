//! `strict/durations`: the timeline does not confirm a duration of the summary.

use crate::ground::printable::brief;
use crate::judge::rule::{
    BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Pointer, Rule, Subject,
};
use crate::reading::facts::{InSummary, Stamped, SummaryFacts};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/durations",
    level: Level::Off,
    title: "the timeline does not confirm a duration of the summary",
    hint: "Compute the duration from the timestamps of the events, or from the clock that gives them.",
    page: include_str!("durations.md"),
    check,
})
.reads(&[OnDemand::EveryEvent])
.follows_from(&["start", "act", "terminate", "phase", "timestamp"])
.applies_to(Subject::Summaries);

/// A duration of the summary, and the event that ends it.
struct Duration<'a> {
    slot: InSummary,
    pointer: &'static str,
    /// Its unit, and the power of ten of attoseconds that this is.
    unit: (&'static str, u8),
    /// By how many milliseconds the events may differ.
    tolerance: i128,
    until: &'static str,
    end: Option<&'a Stamped>,
}

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, events) = (ctx.summary(), ctx.every_event());
    ctx.whole_timeline()?;
    let (summary, events) = (summary?, events?);
    let start = &events.start.as_ref()?.at;
    let total = Duration {
        slot: InSummary::Duration,
        pointer: "/duration_sec",
        unit: ("s", 18),
        tolerance: 5,
        until: "the last `terminate` event",
        end: events
            .ending
            .as_ref()
            .map(|ending| &ending.last),
    };

    let first_action = Duration {
        slot: InSummary::FirstActionLatency,
        pointer: "/metrics/latencies/first_action_ms",
        unit: ("ms", 15),
        tolerance: 1,
        until: "the first `act` event",
        end: events.first_act.as_ref(),
    };

    let total = total.compare(summary, start, ctx);
    first_action
        .compare(summary, start, ctx)
        .or(total)
}

impl Duration<'_> {
    fn compare(
        &self,
        summary: SummaryFacts<'_>,
        start: &Stamped,
        ctx: &mut Context<'_>,
    ) -> Option<Compared> {
        let (written, end) = (summary.number(self.slot)?, self.end?);
        let (from, to) = (start.stamp.as_ref()?, end.stamp.as_ref()?);
        let elapsed = to.instant.attoseconds() - from.instant.attoseconds();
        let (unit, places) = self.unit;
        let tolerance = self.tolerance * 10_i128.pow(15);
        let claimed = written.shifted(places);
        if claimed.is_some_and(|claimed| (claimed - elapsed).abs() <= tolerance) {
            return Some(Compared);
        }

        let (name, stated, until) = (
            Pointer::new(self.pointer).dotted(),
            brief(written.text()),
            self.until,
        );
        let (line, first, elapsed) = (end.line.number, start.line.number, decimal(elapsed, places));
        let message = format!(
            "`{name}` is {stated} {unit}, but {until} on line {line} comes {elapsed} {unit} after the `start` event on line {first}"
        );
        let place = Place::summary(self.pointer);
        let timestamp = |of: &Stamped| Place::event(of.line, "/timestamp");
        let draft = Draft::new(place, message)
            .related(timestamp(start), "the timestamp of the `start` event")
            .related(timestamp(end), format!("the timestamp of {until}"));
        ctx.push(draft);

        Some(Compared)
    }
}

/// Returns a number of attoseconds in a larger unit.
fn decimal(attoseconds: i128, places: u8) -> String {
    let unit = 10_u128.pow(places.into());
    let size = attoseconds.unsigned_abs();
    let fraction = format!("{:0width$}", size % unit, width = places.into());
    let number = format!("{}.{fraction}", size / unit);
    let number = number
        .trim_end_matches('0')
        .trim_end_matches('.');
    let sign = if attoseconds < 0 { "-" } else { "" };

    format!("{sign}{number}")
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn attoseconds_are_shown_in_their_unit() {
        assert_eq!(decimal(150_000_000_000_000_000, 18), "0.15");
        assert_eq!(decimal(-40_000_000_000_000_000, 15), "-40");
        assert_eq!(decimal(0, 18), "0");
        assert_eq!(decimal(1, 18), "0.000000000000000001");
    }
}
