//! `events/unfinished-line`: the last line of the timeline is not finished.

use crate::judge::load::Trouble;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/unfinished-line",
    level: Level::Warning,
    title: "the last line of the timeline is not finished",
    hint: "Check again after the run has written the rest of the line.",
    page: include_str!("unfinished_line.md"),
    check,
})
.applies_to(Subject::RunsInProgress);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    super::tail(ctx, true)
}

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::UnfinishedLine { line, error } = trouble else {
        return None;
    };
    let message = format!(
        "the last line ends without a newline and is not JSON: {error}; the run may still write the rest"
    );
    let place = Place::line_bytes(*line, 0..line.length);
    Some(Draft::new(place, message))
}
