//! `episode/tags`: the state and the summary have different tags.

use crate::document::{Key, Node};
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{StateFacts, SummaryFacts, show};
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "episode/tags",
    level: Level::Warning,
    title: "the state and the summary have different tags",
    hint: "Copy `episode.tags` from the state to `tags` in the summary.",
    page: include_str!("tags.md"),
    check: Check::Records(check),
});

fn check(
    state: StateFacts<'_>,
    summary: SummaryFacts<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let (Some(in_state), Some(in_summary)) =
        (state.fact(&["episode", "tags"]), summary.fact(&["tags"]))
    else {
        return Compared::Nothing;
    };
    let (in_state, in_summary) = (in_state.node(), in_summary.node());
    if in_state.equals(in_summary) {
        return Compared::Something;
    }
    let draft = Draft::new(Place::state("/episode/tags"), message(in_state, in_summary));
    findings.push(draft.related(Place::summary("/tags"), "the tags in the summary"));
    Compared::Something
}

/// Names the first tag that differs, in the order of the alphabet.
fn message(in_state: Node<'_>, in_summary: Node<'_>) -> String {
    let (of_state, of_summary) = (in_state.by_name(), in_summary.by_name());
    let names = in_state
        .members()
        .chain(in_summary.members())
        .map(Key::name);
    let differing = names.filter_map(|name| {
        let pair = (of_state.get(&name).copied(), of_summary.get(&name).copied());
        match pair {
            (Some(in_state), Some(in_summary)) if in_state.equals(in_summary) => None,
            _ => Some((name, pair)),
        }
    });
    let Some((name, (in_state, in_summary))) = differing.min_by(|(a, _), (b, _)| a.cmp(b)) else {
        return "the tags differ".to_owned();
    };
    let side = |value: Option<Node<'_>>| value.map_or_else(|| "absent".to_owned(), show);
    format!(
        "the tag `{}` is {} in the state, but {} in the summary",
        brief(&name),
        side(in_state),
        side(in_summary)
    )
}
