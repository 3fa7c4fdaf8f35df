//! What a team's schemas, vocabulary, orders and rules find in an episode.

mod orders;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::Digest;
use crate::document::{Document, Meanings, Node};
use crate::finding::{MAX_FINDINGS_PER_RULE, SkipReason};
use crate::printable::brief;
use crate::schema::Violation;
use crate::select::Wanted;
use crate::source::{Artifact, Line, Place, Pointer};
use crate::spelling::nearest;
use crate::team::{
    Closed, CountedEvents, Examined, Found, FoundByRule, InForce, Judged, Look, Moment, RunValues,
    Sight, Team, TeamOrder, TeamSchema,
};
pub(crate) use orders::FoundByOrder;

/// The maximum number of values outside of a vocabulary that are counted apart.
const MAX_VALUES_TOLD: usize = 100_000;

/// What is found, by the places of the schemas.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) by_schema: Vec<FoundBySchema>,
    pub(crate) examined: Examined,
    pub(crate) by_order: Vec<FoundByOrder>,
    /// Those of the values by which orders group events.
    meanings: Meanings,
    pub(crate) by_rule: Vec<FoundByRule>,
    counts: CountedEvents,
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
    /// Why its file is not judged, if it is none of the artifacts.
    pub(crate) unjudged: Option<SkipReason>,
}

/// What a schema meets at a place.
pub(crate) struct Met {
    pub(crate) place: Place,
    pub(crate) what: What,
}

#[derive(Clone)]
pub(crate) enum What {
    Violation(Violation),
    /// There are more than are looked for one by one.
    TooMany,
    /// It can't be judged: why, as a clause.
    Unusable(String),
    /// There is no such file.
    Absent,
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

/// The text that an event stands in.
fn text_of(event: Node<'_>) -> &[u8] {
    event.document().text().as_bytes()
}

impl Declared {
    pub(crate) fn new(team: &InForce) -> Self {
        let schemas = team.on.schemas.iter().map(|_| FoundBySchema::default());
        Self {
            by_schema: schemas.collect(),
            by_rule: (team.team.rules.iter())
                .map(|_| FoundByRule::default())
                .collect(),
            by_order: team.team.orders.iter().map(FoundByOrder::new).collect(),
            has_vocabulary: team.events.closes(),
            ..Self::default()
        }
    }

    /// Judges an event, and notes it for those that follow.
    pub(super) fn event(
        &mut self,
        in_force: &InForce,
        line: Line,
        event: Node<'_>,
        values: &RunValues<'_>,
    ) {
        let (events, team) = (&*in_force.events, &*in_force.team);
        let look = events.look(event);
        self.by_itself(in_force, line, &look);
        let moment = events.moment(&look, line);
        let sights = events.sights(&look, &mut self.meanings);
        self.seen(in_force, text_of(event), &moment, &sights);
        self.by_rules(team, events.rules(&look), line, event, values);
        if events.are_counted {
            self.counts.add(event);
        }
    }

    /// What the next event would add, if it were this one.
    pub(crate) fn of_next(
        &self,
        in_force: &InForce,
        line: Line,
        event: Node<'_>,
        values: RunValues<'_>,
    ) -> Self {
        let (events, team) = (&*in_force.events, &*in_force.team);
        let look = events.look(event);
        let mut found = Self::new(in_force);
        found.by_itself(in_force, line, &look);
        let moment = events.moment(&look, line);
        for sight in events.sights(&look, &mut Meanings::default()) {
            let at = sight.order;
            if let (Some(order), Some(before)) = (team.orders.get(at), self.by_order.get(at))
                && let Some(next) = found.by_order.get_mut(at)
                // Only the end of a run breaks some orders.
                && !order.pattern.is_of_the_end()
            {
                *next = before.of_next(order, &moment, &sight, text_of(event));
            }
        }
        let rules: Vec<usize> = events.rules(&look).collect();
        found.by_rules_of_next(&self.counts, team, &rules, line, event, values);
        found
    }

    /// Notes the next event for those that follow, as far as [`Declared::of_next`] asks.
    pub(crate) fn follow(&mut self, in_force: &InForce, line: Line, event: Node<'_>) {
        let (events, team) = (&*in_force.events, &*in_force.team);
        let look = events.look(event);
        let moment = events.moment(&look, line);
        for sight in events.sights(&look, &mut self.meanings) {
            if let Some((order, found)) = self.of_order(team, &sight) {
                found.follow(order, &moment, &sight);
            }
        }
        if events.are_counted {
            self.counts.add(event);
        }
    }

    /// Judges an event as far as nothing else counts.
    fn by_itself(&mut self, in_force: &InForce, line: Line, look: &Look<'_>) {
        let (events, team) = (&*in_force.events, &*in_force.team);
        self.examined.vocabulary |= events.has_closed(look);
        for (index, value) in events.schemas(look) {
            if let Some(schema) = team.schemas.get(index) {
                let found = schema.judge_part(value, &Pointer::default());
                self.add(index, &Place::event(line, ""), found);
            }
        }
        for (index, value) in events.outside(team, look) {
            if let Some(closed) = team.vocabulary.get(index) {
                self.add_outside(index, closed, line, value);
            }
        }
    }

    /// Notes what orders see of an event, of which nothing else is to be judged.
    pub(super) fn seen(&mut self, team: &InForce, text: &[u8], moment: &Moment, sights: &[Sight]) {
        for sight in sights {
            if let Some((order, found)) = self.of_order(&team.team, sight) {
                found.event(order, moment, sight, text);
            }
        }
    }

    /// The order that sees an event, and what it has found.
    fn of_order<'t>(
        &mut self,
        team: &'t Team,
        sight: &Sight,
    ) -> Option<(&'t TeamOrder, &mut FoundByOrder)> {
        let order = team.orders.get(sight.order)?;
        Some((order, self.by_order.get_mut(sight.order)?))
    }

    /// Judges a record, or a line of one, by some schemas; the place is that of the whole.
    pub(crate) fn record<'t>(
        &mut self,
        schemas: impl Iterator<Item = (usize, &'t TeamSchema)>,
        whole: &Place,
        record: Document<'_>,
    ) {
        for (index, schema) in schemas {
            for found in schema.judge_record(record.root()) {
                self.add(index, whole, found);
            }
        }
    }

    /// Judges an action that the state is going to have at a place.
    pub(crate) fn action(&mut self, team: &InForce, place: &Pointer, action: Node<'_>) {
        for (index, schema) in team.of(Artifact::State) {
            if schema.record == Judged::Action
                && schema.selector.names(action)
                && let Some(found) = schema.judge(action, &Pointer::default())
            {
                let below = |it: Vec<Violation>| it.into_iter().map(|it| it.below(place)).collect();
                self.add(index, &Place::whole(Artifact::State), found.map(below));
            }
        }
    }

    /// Notes what some schemas meet at a place where they can't judge.
    pub(super) fn note<'t>(
        &mut self,
        schemas: impl Iterator<Item = (usize, &'t TeamSchema)>,
        place: &Place,
        what: &What,
    ) {
        for (index, _) in schemas {
            let (place, what) = (place.clone(), what.clone());
            self.meet(index, Met { place, what });
        }
    }

    /// Notes why another file is not judged.
    pub(super) fn unjudged<'t>(
        &mut self,
        schemas: impl Iterator<Item = (usize, &'t TeamSchema)>,
        why: &SkipReason,
    ) {
        for (index, _) in schemas {
            if let Some(found) = self.by_schema.get_mut(index) {
                found.unjudged = Some(why.clone());
            }
        }
    }

    /// The number of findings so far, by schema.
    pub(super) fn count(&self) -> Vec<usize> {
        self.by_schema.iter().map(|found| found.met.len()).collect()
    }

    /// Gives findings since some counts the text that they are in.
    pub(super) fn show(&mut self, since: &[usize], place: &Place) {
        for (found, since) in self.by_schema.iter_mut().zip(since) {
            for met in found.met.iter_mut().skip(*since) {
                met.place.elsewhere.clone_from(&place.elsewhere);
            }
        }
    }

    fn add(&mut self, index: usize, whole: &Place, found: Found) {
        self.examined.schemas.insert(index);
        let Ok(violations) = found else {
            let (place, what) = (whole.clone(), What::TooMany);
            return self.meet(index, Met { place, what });
        };
        for violation in violations {
            let place = Place {
                elsewhere: whole.elsewhere.clone(),
                ..violation.place(whole.artifact, whole.line)
            };
            let what = What::Violation(violation);
            self.meet(index, Met { place, what });
        }
    }

    fn meet(&mut self, index: usize, met: Met) {
        match self.by_schema.get_mut(index) {
            Some(found) if found.met.len() < MAX_FINDINGS_PER_RULE => found.met.push(met),
            Some(found) => found.more += 1,
            None => {}
        }
    }

    /// Counts a value of an event that is none of those of a vocabulary at a place.
    fn add_outside(&mut self, index: usize, closed: &Closed, line: Line, value: Node<'_>) {
        let id = (index, value.meaning());
        if let Some(known) = self.outside.get_mut(&id) {
            known.events += 1;
        } else if self.outside.len() < MAX_FINDINGS_PER_RULE {
            let text = value.text();
            let wanted = closed.values.any_of.iter();
            let words = wanted.filter_map(|wanted| match wanted {
                Wanted::Text(glob) => glob.word(),
                _ => None,
            });
            let outside = Outside {
                place: Place::event(line, closed.key.pointer().as_str()),
                shown: brief(value.raw()),
                events: 1,
                nearest: text.and_then(|text| nearest(&text, words).map(str::to_owned)),
            };
            self.outside.insert(id, outside);
        } else if self.untold.len() < MAX_VALUES_TOLD {
            self.untold.insert(id);
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
