//! `events/repeated-line`: a line of the timeline repeats the line before it.

use crate::ground::source::Line;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/repeated-line",
    level: Level::Warning,
    title: "a line of the timeline repeats the line before it",
    hint: "Append each event once; where a write is tried again, first find out whether it succeeded.",
    page: include_str!("repeated_line.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let timeline = ctx.timeline()?;
    let (repeated, original) = (
        timeline.kept.tally.repeated,
        timeline.kept.tally.first_original,
    );
    let (Some(first), Some(original)) = (repeated.first, original) else {
        return Compared::when(timeline.kept.tally.events > 1);
    };
    let (line, before) = (first.number, original.number);
    let message = match repeated.number {
        1 => format!("line {line} is the same as line {before}"),
        lines => format!(
            "{lines} lines are the same as the line before them; the first of them is line {line}"
        ),
    };

    let whole = |line: Line| Place::line_bytes(line, 0..line.length);
    let draft = Draft::new(whole(first), message).besides(&repeated.number);
    ctx.push(draft.related(whole(original), "the line before it"));

    Some(Compared)
}
