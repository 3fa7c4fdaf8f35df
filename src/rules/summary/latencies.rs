//! `summary/latencies`: the latencies contradict each other or the duration.

use crate::document::{Number, is_sum_positive};
use crate::draft::{Compared, Draft, Findings};
use crate::facts::SummaryFacts;
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/latencies",
    level: Level::Warning,
    title: "the latencies contradict each other or the duration",
    hint: "Measure all latencies and `duration_sec` with one clock, from the start of the run; latencies are in milliseconds, the duration in seconds.",
    page: include_str!("latencies.md"),
    check: Check::Summary(check),
});

/// What both durations may have in milliseconds without being compared: clocks are read a moment
/// apart.
const SHORT: &str = "100";

fn check(summary: SummaryFacts<'_>, findings: &mut Findings<'_>) -> Compared {
    let latencies = summary.latencies();
    let latency = |name| latencies?.number(&[name]);
    let Some(total) = latency("total_ms") else {
        return Compared::Nothing;
    };
    let duration = summary.number(&["duration_sec"]);
    let mut compared = Compared::when(duration.is_some());
    if let Some(duration) = duration
        && are_far_apart(total, duration)
    {
        let message = format!(
            "`total_ms` is {}, but `duration_sec` is {}",
            brief(total.text()),
            brief(duration.text())
        );
        let draft = Draft::new(Place::summary("/metrics/latencies/total_ms"), message);
        findings.push(draft.related(Place::summary("/duration_sec"), "the duration"));
    }
    for name in ["first_action_ms", "planning_ms", "execution_ms"] {
        let Some(part) = latency(name) else { continue };
        compared = Compared::Something;
        if is_longer(part, total) {
            let message = format!(
                "`{name}` is {}, but `total_ms` is {}",
                brief(part.text()),
                brief(total.text())
            );
            let place = Place::summary(&format!("/metrics/latencies/{name}"));
            findings.push(Draft::new(place, message).related(
                Place::summary("/metrics/latencies/total_ms"),
                "the duration of the whole run",
            ));
        }
    }
    compared
}

/// Whether milliseconds are more than twice or less than half of seconds, and one of them is not
/// short.
fn are_far_apart(milliseconds: Number<'_>, seconds: Number<'_>) -> bool {
    let short = Number::of(SHORT);
    let are_apart = is_sum_positive([(1, milliseconds), (-2_000, seconds)])
        || is_sum_positive([(1_000, seconds), (-2, milliseconds)]);
    are_apart && (milliseconds.exceeds(short) || is_sum_positive([(1_000, seconds), (-1, short)]))
}

/// Whether a part takes longer than the whole, rounding aside.
fn is_longer(part: Number<'_>, whole: Number<'_>) -> bool {
    is_sum_positive([(1, part), (-1, whole), (-1, Number::of("1"))])
}
