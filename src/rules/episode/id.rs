//! `episode/id`: a record belongs to another episode.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{IdSource, Run, StateFacts, SummaryFacts};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "episode/id",
    level: Level::Error,
    title: "a record belongs to another episode",
    hint: "Move the record to the directory of its own episode, or write the id of this episode.",
    page: include_str!("id.md"),
    check: Check::Run(check),
})
.reads(&[Record::State, Record::Summary, Record::Timeline]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some((expected, says)) = &run.stage.id else {
        return Compared::Nothing;
    };
    let source = match says {
        IdSource::DirectoryName => "the directory is called",
        IdSource::State => "state.json says",
        IdSource::Summary => "summary.json says",
    };
    let known = || format!("{source} {}", quote(expected));
    let in_state = run
        .state
        .read()
        .and_then(StateFacts::id)
        .map(|id| (id, "/episode/id", Place::state as fn(&str) -> Place));
    let in_summary = run
        .summary
        .read()
        .and_then(SummaryFacts::id)
        .map(|id| (id, "/episode_id", Place::summary as fn(&str) -> Place));
    let events = run.timeline.read().map_or(0, |it| it.tally.events);
    let compared = Compared::when(in_state.is_some() || in_summary.is_some() || events > 0);
    for (id, pointer, place) in in_state.into_iter().chain(in_summary) {
        if id != *expected {
            let draft = Draft::new(
                place(pointer),
                format!(
                    "the record belongs to the episode {}, but {}",
                    quote(&id),
                    known()
                ),
            );
            findings.push(other_side(draft, *says));
        }
    }
    if let Some(foreign) = run
        .timeline
        .read()
        .and_then(|timeline| timeline.foreign.as_ref())
    {
        let (id, known) = (&foreign.id, known());
        let message = match foreign.lines {
            1 => format!("the event belongs to the episode {id}, but {known}"),
            lines => format!(
                "{lines} events belong to other episodes, the first of them to {id}, but {known}"
            ),
        };
        let draft = Draft::new(Place::event(foreign.first, "/episode_id"), message);
        findings.push(other_side(draft.besides(&foreign.lines), *says));
    }
    compared
}

/// Relates the record that names the episode, unless the directory names it.
fn other_side(draft: Draft, says: IdSource) -> Draft {
    match says {
        IdSource::DirectoryName => draft,
        IdSource::State => draft.related(Place::state("/episode/id"), "the episode's id"),
        IdSource::Summary => draft.related(Place::summary("/episode_id"), "the episode's id"),
    }
}
