//! What a team's schemas, vocabulary and orders find in an episode.

mod orders;

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::Digest;
use crate::document::{Document, Node};
use crate::finding::MAX_FINDINGS_PER_RULE;
use crate::printable::brief;
use crate::schema::Violation;
use crate::source::{Artifact, Line, Place, Pointer, Target};
use crate::spelling::nearest;
use crate::team::{Found, InForce};
pub(crate) use orders::FoundByOrder;

/// The number of values outside of a vocabulary that are told apart, at most.
const MAX_VALUES_TOLD: usize = 100_000;

/// What is found, by the places of the schemas.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) by_schema: Vec<FoundBySchema>,
    pub(crate) by_order: Vec<FoundByOrder>,
    /// Whether any values are closed.
    pub(crate) has_vocabulary: bool,
    outside: BTreeMap<(usize, Digest), Outside>,
    /// Further values that are outside.
    untold: BTreeSet<(usize, Digest)>,
}

/// What one schema finds: what is reported, and the number of the rest.
#[derive(Default)]
pub(crate) struct FoundBySchema {
    pub(crate) met: Vec<Met>,
    pub(crate) more: usize,
    /// Whether it judged anything.
    pub(crate) examined: bool,
}

/// What a schema meets at a place.
pub(crate) struct Met {
    pub(crate) place: Place,
    pub(crate) what: What,
}

pub(crate) enum What {
    Violation(Violation),
    /// There are more than are looked for one by one.
    TooMany,
    /// It can't be judged: why, as a clause.
    Unusable(String),
}

/// A value that a vocabulary lacks.
pub(crate) struct Outside {
    /// The place of the value in its first event.
    pub(crate) place: Place,
    /// As messages show it.
    pub(crate) shown: String,
    /// The number of its events.
    pub(crate) events: u64,
    pub(crate) nearest: Option<String>,
}

impl Declared {
    pub(super) fn new(team: &InForce) -> Self {
        let schemas = team.on.iter().map(|_| FoundBySchema::default());
        Self {
            by_schema: schemas.collect(),
            by_order: team.team.orders.iter().map(FoundByOrder::new).collect(),
            has_vocabulary: team.events.closes(),
            ..Self::default()
        }
    }

    /// Judges an event.
    pub(super) fn event(&mut self, team: &InForce, line: Line, event: Node<'_>) {
        for index in team.events.schemas() {
            if let Some(schema) = team.team.schemas.get(index)
                && schema.selector.names(event)
                && let Some(found) = schema.judge(event, &Pointer::default())
            {
                self.add(index, Artifact::Events, Some(line), found);
            }
        }
        orders::event(&mut self.by_order, team, line, event);
        if team.events.closes() {
            self.vocabulary(team, line, event);
        }
    }

    /// Judges a record, or a line of one.
    pub(super) fn record(
        &mut self,
        team: &InForce,
        artifact: Artifact,
        line: Option<Line>,
        record: Document<'_>,
    ) {
        for (index, schema) in team.of(artifact) {
            for found in schema.judge_record(record.root()) {
                self.add(index, artifact, line, found);
            }
        }
    }

    /// Notes that a record, or a line of one, can't be judged.
    pub(super) fn unusable(
        &mut self,
        team: &InForce,
        artifact: Artifact,
        line: Option<Line>,
        why: &str,
    ) {
        let place = Place {
            artifact,
            line,
            target: line.map_or(Target::Whole, |line| Target::Bytes(0..line.length)),
        };
        for (index, _) in team.of(artifact) {
            let what = What::Unusable(why.to_owned());
            self.meet(
                index,
                Met {
                    place: place.clone(),
                    what,
                },
            );
        }
    }

    fn add(&mut self, index: usize, artifact: Artifact, line: Option<Line>, found: Found) {
        if let Some(of_schema) = self.by_schema.get_mut(index) {
            of_schema.examined = true;
        }
        let Ok(violations) = found else {
            let target = line.map_or(Target::Whole, |_| Target::Value(Pointer::default()));
            let place = Place {
                artifact,
                line,
                target,
            };
            return self.meet(
                index,
                Met {
                    place,
                    what: What::TooMany,
                },
            );
        };
        for violation in violations {
            let met = Met {
                place: violation.place(artifact, line),
                what: What::Violation(violation),
            };
            self.meet(index, met);
        }
    }

    fn meet(&mut self, index: usize, met: Met) {
        match self.by_schema.get_mut(index) {
            Some(found) if found.met.len() < MAX_FINDINGS_PER_RULE => found.met.push(met),
            Some(found) => found.more += 1,
            None => {}
        }
    }

    fn vocabulary(&mut self, team: &InForce, line: Line, event: Node<'_>) {
        for (key, closed) in team.team.vocabulary.iter().enumerate() {
            let Some(value) = closed.key.of(event).filter(|it| !closed.values.have(*it)) else {
                continue;
            };
            let id = (key, value.meaning());
            if let Some(known) = self.outside.get_mut(&id) {
                known.events += 1;
            } else if self.outside.len() < MAX_FINDINGS_PER_RULE {
                let text = value.text();
                let words = closed
                    .values
                    .any_of
                    .iter()
                    .filter_map(|wanted| match wanted {
                        crate::select::Wanted::Text(glob) => glob.word(),
                        _ => None,
                    });
                let place = Place::event(line, closed.key.pointer().as_str());
                let outside = Outside {
                    place,
                    shown: brief(value.raw()),
                    events: 1,
                    nearest: text.and_then(|text| nearest(&text, words).map(str::to_owned)),
                };
                self.outside.insert(id, outside);
            } else if self.untold.len() < MAX_VALUES_TOLD {
                self.untold.insert(id);
            }
        }
    }

    /// The values that vocabularies lack, in the order of their first events.
    pub(crate) fn outside(&self) -> (Vec<&Outside>, usize) {
        let mut outside: Vec<&Outside> = self.outside.values().collect();
        outside.sort_by(|a, b| {
            let order = |it: &Outside| (it.place.line, it.place.pointer().cloned());
            order(a).cmp(&order(b))
        });
        (outside, self.untold.len())
    }
}
