//! `episode/tags`: the state and the summary have different tags.

use crate::ground::document::{Key, Node};
use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule, Subject};
use crate::reading::facts::{InState, InSummary, show};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "episode/tags",
    level: Level::Warning,
    title: "the state and the summary have different tags",
    hint: "Copy `episode.tags` from the state to `tags` in the summary.",
    page: include_str!("tags.md"),
    check,
})
.applies_to(Subject::Summaries);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state()?, ctx.summary()?);
    let (in_state, in_summary) = (state.fact(InState::Tags)?, summary.fact(InSummary::Tags)?);
    if !in_state.is_written_as(in_summary)
        && let (in_state, in_summary) = (in_state.node()?, in_summary.node()?)
        && !in_state.equals(in_summary)
    {
        let draft = Draft::new(Place::state("/episode/tags"), message(in_state, in_summary));
        ctx.push(draft.related(Place::summary("/tags"), "the tags in the summary"));
    }

    Some(Compared)
}

/// Names the first tag that differs, in the order of the alphabet.
fn message(in_state: Node<'_>, in_summary: Node<'_>) -> String {
    let (of_state, of_summary) = (in_state.by_name(), in_summary.by_name());
    let differing = in_state
        .members()
        .chain(in_summary.members())
        .map(Key::name)
        .filter_map(|name| {
            let pair = (of_state.get(&name).copied(), of_summary.get(&name).copied());
            match pair {
                (Some(in_state), Some(in_summary)) if in_state.equals(in_summary) => None,
                _ => Some((name, pair)),
            }
        });
    let Some((name, (in_state, in_summary))) = differing.min_by(|(a, _), (b, _)| a.cmp(b)) else {
        return "the tags differ".to_owned();
    };
    let [in_state, in_summary] = [in_state, in_summary]
        .map(|value| value.map_or_else(|| "absent".to_owned(), |value| show(value.raw())));
    let name = brief(&name);

    format!("the tag `{name}` is {in_state} in the state, but {in_summary} in the summary")
}
