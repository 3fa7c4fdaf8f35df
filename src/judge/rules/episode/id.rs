//! `episode/id`: a record belongs to another episode.

use crate::ground::printable::{apart, quote};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::{IdSource, InState, InSummary};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "episode/id",
    level: Level::Error,
    title: "a record belongs to another episode",
    hint: "Move the record to the directory of its own episode, or write the id of this episode.",
    page: include_str!("id.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary, timeline) = (ctx.state(), ctx.summary(), ctx.timeline());
    let (expected, says) = ctx.id()?;
    let source = match says {
        IdSource::DirectoryName => "the directory is called",
        IdSource::State => "state.json says",
        IdSource::Summary => "summary.json says",
    };

    let apart = |id: String| {
        let [id, known] = apart(id, quote(expected));
        (id, format!("{source} {known}"))
    };

    let other = || place(*says).map(|place| (place, "the episode's id"));
    let in_state = state.and_then(|state| state.text(InState::Id));
    let in_summary = summary.and_then(|summary| summary.text(InSummary::Id));
    let has_event = timeline.is_some_and(|it| it.kept.tally.events > 0);
    let compared = Compared::when(in_state.is_some() || in_summary.is_some() || has_event);

    for (id, record) in [(in_state, IdSource::State), (in_summary, IdSource::Summary)] {
        if let Some(id) = id.filter(|id| id != expected)
            && let Some(place) = place(record)
        {
            let (id, known) = apart(quote(&id));
            let message = format!("the record belongs to the episode {id}, but {known}");
            ctx.push(Draft::new(place, message).related_to(other()));
        }
    }

    if let Some(foreign) = timeline.and_then(|timeline| timeline.kept.foreign.as_ref()) {
        let (id, known) = apart(foreign.id.clone());
        let message = match foreign.lines {
            1 => format!("the event belongs to the episode {id}, but {known}"),
            lines => format!(
                "{lines} events belong to other episodes, the first of them to {id}, but {known}"
            ),
        };

        let draft = Draft::new(Place::event(foreign.first, "/episode_id"), message);
        ctx.push(
            draft
                .besides(&foreign.lines)
                .related_to(other()),
        );
    }

    compared
}

/// Returns the place of the id in a record.
fn place(of: IdSource) -> Option<Place> {
    match of {
        IdSource::DirectoryName => None,
        IdSource::State => Some(Place::state("/episode/id")),
        IdSource::Summary => Some(Place::summary("/episode_id")),
    }
}
