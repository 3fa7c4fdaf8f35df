//! `summary/latencies`: the latencies contradict each other or the duration.

use crate::ground::document::{Number, is_sum_positive};
use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::InSummary;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/latencies",
    level: Level::Warning,
    title: "the latencies contradict each other or the duration",
    hint: "Measure all latencies and `duration_sec` with one clock, from the start of the run; latencies are in milliseconds, the duration in seconds.",
    page: include_str!("latencies.md"),
    check,
})
.applies_to(Subject::Summaries);

/// The number of milliseconds up to which both durations are too short to be compared: clocks are
/// read one after the other.
const SHORT: &str = "100";

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let summary = ctx.summary()?;
    let total = summary.number(InSummary::TotalLatency)?;
    let duration = summary.number(InSummary::Duration);
    let mut compared = Compared::when(duration.is_some());
    let place = |name| Place::summary(format!("/metrics/latencies/{name}"));
    let shown = |number: Number<'_>| brief(number.text());
    if let Some(duration) = duration.filter(|duration| are_far_apart(total, *duration)) {
        let (total, duration) = (shown(total), shown(duration));
        let message = format!("`total_ms` is {total}, but `duration_sec` is {duration}");
        let draft = Draft::new(place("total_ms"), message);
        ctx.push(draft.related(Place::summary("/duration_sec"), "the duration"));
    }

    for (name, slot) in [
        ("first_action_ms", InSummary::FirstActionLatency),
        ("planning_ms", InSummary::PlanningLatency),
        ("execution_ms", InSummary::ExecutionLatency),
    ] {
        let part = summary.number(slot);
        compared = compared.or(part.map(|_| Compared));
        if let Some(part) = part.filter(|part| is_longer(*part, total)) {
            let (part, total) = (shown(part), shown(total));
            let message = format!("`{name}` is {part}, but `total_ms` is {total}");
            let draft = Draft::new(place(name), message);
            ctx.push(draft.related(place("total_ms"), "the duration of the whole run"));
        }
    }

    compared
}

/// Returns `true` if milliseconds are more than twice or less than half of seconds, and one of them
/// is not short.
fn are_far_apart(milliseconds: Number<'_>, seconds: Number<'_>) -> bool {
    let short = Number::of(SHORT);
    let are_apart = is_sum_positive([(1, milliseconds), (-2_000, seconds)])
        || is_sum_positive([(1_000, seconds), (-2, milliseconds)]);
    are_apart && (milliseconds.exceeds(short) || is_sum_positive([(1_000, seconds), (-1, short)]))
}

/// Returns `true` if a part takes longer than the whole, rounding aside.
fn is_longer(part: Number<'_>, whole: Number<'_>) -> bool {
    is_sum_positive([(1, part), (-1, whole), (-1, Number::of("1"))])
}
