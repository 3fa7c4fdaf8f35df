//! `strict/durations`: the timeline does not confirm a duration of the summary.

use crate::document::Number;
use crate::facts::Stamped;
use crate::printable::brief;
use crate::rule::{BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/durations",
    level: Level::Off,
    title: "the timeline does not confirm a duration of the summary",
    hint: "Compute the duration from the timestamps of the events, or from the clock that gives them.",
    page: include_str!("durations.md"),
    check,
})
.reads(&[OnDemand::EveryEvent])
.follows_from(&["start", "act", "terminate", "phase", "timestamp"]);

/// A duration of the summary.
struct Duration {
    path: &'static [&'static str],
    unit: &'static str,
    /// The power of ten of attoseconds that is its unit.
    places: u8,
    /// By how much the events may differ, in attoseconds.
    tolerance: i128,
    until: &'static str,
}

const TOTAL: Duration = Duration {
    path: &["duration_sec"],
    unit: "s",
    places: 18,
    tolerance: 5_000_000_000_000_000,
    until: "the last `terminate` event",
};

const FIRST_ACTION: Duration = Duration {
    path: &["metrics", "latencies", "first_action_ms"],
    unit: "ms",
    places: 15,
    tolerance: 1_000_000_000_000_000,
    until: "the first `act` event",
};

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (summary, events) = (ctx.summary(), ctx.every_event());
    ctx.whole_timeline()?;
    let (summary, events) = (summary?, events?);
    let start = &events.start.as_ref()?.at;
    let last = events.ending.as_ref().map(|ending| &ending.last);
    let mut compared = None;
    for (duration, end) in [(TOTAL, last), (FIRST_ACTION, events.first_act.as_ref())] {
        if let (Some(written), Some(end)) = (summary.number(duration.path), end) {
            compared = duration.compare(written, start, end, ctx).or(compared);
        }
    }
    compared
}

impl Duration {
    fn compare(
        &self,
        written: Number<'_>,
        start: &Stamped,
        end: &Stamped,
        ctx: &mut Context<'_>,
    ) -> Option<Compared> {
        let (from, to) = (start.stamp.as_ref()?, end.stamp.as_ref()?);
        let elapsed = to.instant.attoseconds_since(&from.instant);
        let claimed = written.shifted(self.places);
        if claimed.is_some_and(|claimed| (claimed - elapsed).abs() <= self.tolerance) {
            return Some(Compared);
        }
        let message = format!(
            "`{}` is {} {unit}, but {} on line {} comes {} {unit} after the `start` event on line {}",
            self.path.join("."),
            brief(written.text()),
            self.until,
            end.line.number,
            decimal(elapsed, self.places),
            start.line.number,
            unit = self.unit
        );
        let place = Place::summary(format!("/{}", self.path.join("/")));
        let timestamp = |of: &Stamped| Place::event(of.line, "/timestamp");
        let draft = Draft::new(place, message)
            .related(timestamp(start), "the timestamp of the `start` event")
            .related(timestamp(end), format!("the timestamp of {}", self.until));
        ctx.push(draft);
        Some(Compared)
    }
}

/// A number of attoseconds in a larger unit.
fn decimal(attoseconds: i128, places: u8) -> String {
    let unit = 10_u128.pow(places.into());
    let size = attoseconds.unsigned_abs();
    let fraction = format!("{:0width$}", size % unit, width = places.into());
    let number = format!("{}.{fraction}", size / unit);
    let number = number.trim_end_matches('0').trim_end_matches('.');
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
