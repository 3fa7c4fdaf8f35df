//! Recorded runs -> how many of their acts each declaration would have held back.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::events::EventText;
use super::judges::TeamJudges;
use super::rule::RunValues;
use super::{Team, TeamCheck};
use crate::ground::document::Node;
use crate::ground::printable::brief;
use crate::ground::source::Line;

/// The number of different acts that are counted for a declaration.
const MAX_ACTS: usize = 10_000;

/// All declarations, and the acts of runs that they would have held back.
pub(crate) struct Replay {
    judges: TeamJudges,
    /// The judges of the run that is replayed.
    now: TeamJudges,
    replayed: BTreeMap<TeamCheck, Replayed>,
}

/// The acts that a declaration would have held back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) acts: u64,
    /// The numbers of equal acts, as they are shown.
    shown: BTreeMap<String, u64>,
}

impl Replay {
    /// Returns a replay of declarations, each with whether it asks people.
    pub(crate) fn new(team: &Arc<Team>, checks: impl Iterator<Item = (TeamCheck, bool)>) -> Self {
        let checks: BTreeMap<TeamCheck, bool> = checks.collect();
        let judges = TeamJudges::new(team, checks.clone().into_iter());
        Self {
            now: judges.clone(),
            judges,
            replayed: checks
                .into_keys()
                .map(|check| (check, Replayed::default()))
                .collect(),
        }
    }

    /// Begins with another run.
    pub(crate) fn begin(&mut self) {
        self.now = self.judges.clone();
    }

    /// Asks about the act of an event, and notes the event for those that follow.
    pub(crate) fn add(
        &mut self,
        number: u64,
        event: Node<'_>,
        values: impl Fn() -> RunValues<'static>,
    ) {
        for (check, replayed) in &mut self.replayed {
            let why = self
                .now
                .holding(*check, event.raw(), number, values());
            if !why.is_empty() {
                replayed.add(event);
            }
        }

        let line = Line {
            number,
            ..Line::BEFORE_ALL
        };

        let index = Arc::clone(&self.now.index);
        self.now
            .note(&index.view(line, EventText::Parsed(event)));
    }

    /// Returns what a declaration would have held back.
    pub(crate) fn of(&self, check: TeamCheck) -> Replayed {
        self.replayed
            .get(&check)
            .cloned()
            .unwrap_or_default()
    }
}

impl Replayed {
    fn add(&mut self, event: Node<'_>) {
        let payload = event.get("payload");
        let of = |key| {
            payload
                .and_then(|payload| payload.get(key))
                .map(|it| brief(it.raw()))
        };

        let tool = of("tool").unwrap_or("an act without a tool".to_owned());
        let shown = match of("input") {
            Some(input) => format!("{tool} {input}"),
            None => tool,
        };

        self.acts += 1;
        if self.shown.len() < MAX_ACTS || self.shown.contains_key(&shown) {
            *self.shown.entry(shown).or_default() += 1;
        }
    }

    /// Returns the most frequent acts, with their numbers.
    pub(crate) fn most_frequent(&self, most: usize) -> Vec<(&str, u64)> {
        let mut acts: Vec<(&str, u64)> = self
            .shown
            .iter()
            .map(|(act, number)| (&**act, *number))
            .collect();
        acts.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        acts.truncate(most);

        acts
    }
}
