//! `episode/task`: the state and the summary have different tasks.

use crate::ground::printable::quote;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::{InState, InSummary};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "episode/task",
    level: Level::Error,
    title: "the state and the summary have different tasks",
    hint: "Write the original task to both records.",
    page: include_str!("task.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state()?, ctx.summary()?);
    let (in_state, in_summary) = (state.text(InState::Task)?, summary.text(InSummary::Task)?);
    if in_state != in_summary {
        let (in_state, in_summary) = (quote(&in_state), quote(&in_summary));
        let message =
            format!("the task is {in_state} in the state, but {in_summary} in the summary");
        let draft = Draft::new(Place::state("/goal/task"), message);
        ctx.push(draft.related(Place::summary("/task"), "the task in the summary"));
    }

    Some(Compared)
}
