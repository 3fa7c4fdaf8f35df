//! `events/second-start`: the timeline has a second start event.

use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/second-start",
    level: Level::Warning,
    title: "the timeline has a second start event",
    hint: "Emit `start` once for each run, also where a run is continued, and give each run its own timeline.",
    page: include_str!("second_start.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let timeline = ctx.whole_timeline()?;
    let (starts, second) = (timeline.kept.tally.starts, timeline.kept.tally.second_start);
    let (Some(first), Some(second)) = (starts.first, second) else {
        return Compared::when(starts.number > 0);
    };
    let more = match starts.number {
        2 => String::new(),
        number => format!(", and there are {number} in all"),
    };

    let (line, before) = (second.number, first.number);
    let message =
        format!("line {line} has a second `start` event; the first is on line {before}{more}");
    let draft = Draft::new(Place::event(second, "/phase"), message).besides(&starts.number);
    ctx.push(draft.related(Place::event(first, "/phase"), "the first `start` event"));

    Some(Compared)
}
