//! An event with a known skeleton -> what a team's declarations find in its strings and numbers.
//!
//! Events with one skeleton differ in their strings and numbers alone. So what depends on nothing
//! else is decided once for a skeleton: whether a key leads anywhere, which types values have,
//! which fields are there. What depends on the phase, as most selectors do, is decided once for a
//! skeleton and a phase. A plan is what is left to look at in each event.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::events::{Examined, Look, OfOrder, TeamEvents};
use super::{InForce, Moment, Sight, Team};
use crate::document::{Meanings, Node, Scalars};
use crate::facts::EventReading;
use crate::record::phases;
use crate::schema::ShapeId;
use crate::select::Values;
use crate::source::Line;

/// The number of parts that the plans of one thread have together, at most: beyond it, they are
/// made anew.
const MAX_PARTS: usize = 1 << 15;

/// The place of a string or number among those of an event.
type At = u32;

/// The place of a selector among those of a plan.
type Selection = usize;

/// The events that have a plan: those with one skeleton, and with one phase if that is a known one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    skeleton: u32,
    phase: Option<&'static str>,
}

impl Alike {
    /// Those that are like one.
    fn of(event: &EventReading<'_, '_>) -> Option<Self> {
        let phase = event.note.phase.as_deref().and_then(phases::known);
        let skeleton = event.template?;
        Some(Self { skeleton, phase })
    }
}

/// What is left to look at in each of them.
#[derive(Default)]
struct Plan {
    /// The phase, if all events have the same one.
    phase: Option<At>,
    /// Selectors that may name the event: by their places among all, what is left of each.
    selections: Vec<(usize, Vec<Test>)>,
    schemas: Vec<OfSchema>,
    orders: Vec<Order>,
    /// The timestamp, if an order asks for it.
    time: Option<At>,
    /// The strings and numbers that may be outside of a vocabulary, by its place among all.
    closed: Vec<(At, usize)>,
    /// The selectors of what needs the whole event.
    whole: Vec<Selection>,
    is_always_whole: bool,
    /// Whether there is a value of which the vocabulary is closed.
    is_closed: bool,
}

/// A string or number, and the values of which it is one where a selector names the event.
type Test = (At, Arc<Values>);

/// What a schema says of strings and numbers of the events that it judges.
struct OfSchema {
    selection: Selection,
    /// Its place among all.
    index: usize,
    parts: Vec<(At, ShapeId)>,
}

/// An order that may see the event.
struct Order {
    index: usize,
    each: Option<Selection>,
    other: Option<Selection>,
    same: Option<At>,
}

/// An event of which the strings and numbers were looked at, and in which nothing is found.
pub(crate) struct Skimmed<'a> {
    plan: &'a Plan,
    text: &'a str,
    scalars: &'a Scalars,
    /// Whether it is named by each selector of the plan.
    named: &'a [bool],
}

impl<'a> Skimmed<'a> {
    fn get(&self, at: At) -> Option<Node<'a>> {
        self.scalars.get(self.text, at)
    }

    fn is_named(&self, selection: Selection) -> bool {
        self.named.get(selection) == Some(&true)
    }

    /// Notes what judges it.
    pub(crate) fn examine(&self, examined: &mut Examined) {
        let named = self.plan.schemas.iter();
        let named = named.filter(|schema| self.is_named(schema.selection));
        examined.schemas.extend(named.map(|schema| schema.index));
        examined.vocabulary |= self.plan.is_closed;
    }

    /// When it happened.
    pub(crate) fn moment(&self, line: Line) -> Moment {
        Moment::new(line, self.plan.time.and_then(|time| self.get(time)))
    }

    /// Adds what orders see of it.
    pub(crate) fn add_sights(self, meanings: &mut Meanings, sights: &mut Vec<Sight>) {
        let is_named = |selection: Option<Selection>| selection.is_some_and(|it| self.is_named(it));
        for order in &self.plan.orders {
            let (is_each, is_other) = (is_named(order.each), is_named(order.other));
            if is_each || is_other {
                let same = order.same.and_then(|same| self.get(same));
                sights.push(Sight::new(order.index, is_each, is_other, same, meanings));
            }
        }
    }
}

impl Plan {
    /// The plan for events that are like one.
    fn new(in_force: &InForce, alike: Alike, event: Node<'_>, scalars: &Scalars) -> Self {
        let (events, team) = (&*in_force.events, &*in_force.team);
        let look = events.look(event);
        let phase = alike.phase.and_then(|_| event.get("phase"));
        let mut plan = Self {
            phase: phase.and_then(|phase| scalars.place(phase)),
            ..Self::default()
        };
        for schema in &events.schemas {
            let (Some(value), Some(of)) = (look.value(schema.at), team.schema(schema.index)) else {
                continue;
            };
            let apart = of.judged_apart(value);
            let Some(selection) = plan.selection(events, schema.selector, &look, scalars) else {
                continue;
            };
            let parts = apart.and_then(|apart| {
                let parts = apart.into_iter();
                parts
                    .map(|(node, part)| Some((scalars.place(node)?, part)))
                    .collect()
            });
            match parts {
                Some(parts) => plan.schemas.push(OfSchema {
                    selection,
                    index: schema.index,
                    parts,
                }),
                None => plan.whole.push(selection),
            }
        }
        for order in &events.orders {
            plan.order(events, order, &look, scalars);
        }
        for (_, selector) in &events.rules {
            let selection = plan.selection(events, *selector, &look, scalars);
            plan.whole.extend(selection);
        }
        plan.is_always_whole = events.are_counted;
        for (index, key) in &events.closed {
            plan.is_closed |= look.value(*key).is_some();
            match look.value(*key).map(|value| (value, scalars.place(value))) {
                None => {}
                Some((_, Some(at))) => plan.closed.push((at, *index)),
                Some((value, None)) => {
                    let values = team.closed(*index);
                    plan.is_always_whole |= values.is_some_and(|values| !values.have(value));
                }
            }
        }
        plan
    }

    /// The place of a selector in the plan; `None` where it names no event with the skeleton.
    fn selection(
        &mut self,
        events: &TeamEvents,
        selector: usize,
        look: &Look<'_>,
        scalars: &Scalars,
    ) -> Option<Selection> {
        let mut known = self.selections.iter();
        if let Some(known) = known.position(|(known, _)| *known == selector) {
            return Some(known);
        }
        let mut left = Vec::new();
        for (key, values) in &events.selectors.get(selector)?.0 {
            let value = look.value(*key)?;
            match scalars.place(value) {
                Some(at) if self.phase != Some(at) => left.push((at, Arc::clone(values))),
                _ if values.have(value) => {}
                _ => return None,
            }
        }
        self.selections.push((selector, left));
        Some(self.selections.len() - 1)
    }

    fn order(&mut self, events: &TeamEvents, order: &OfOrder, look: &Look<'_>, scalars: &Scalars) {
        let mut selection = |selector| self.selection(events, selector, look, scalars);
        let each = selection(order.each);
        let other = order.other.and_then(selection);
        if each.is_none() && other.is_none() {
            return;
        }
        let at = |key: Option<usize>| look.value(key?).map(|value| scalars.place(value));
        let same = match at(order.same) {
            Some(None) => return self.whole.extend(each.into_iter().chain(other)),
            same => same.flatten(),
        };
        if order.is_timed {
            self.time = at(events.time).flatten();
        }
        self.orders.push(Order {
            index: order.index,
            each,
            other,
            same,
        });
    }

    fn parts(&self) -> usize {
        let tests = self.selections.iter().map(|(_, tests)| 1 + tests.len());
        let parts = self.schemas.iter().map(|schema| 1 + schema.parts.len());
        1 + tests.chain(parts).sum::<usize>()
            + self.orders.len()
            + self.closed.len()
            + self.whole.len()
    }

    /// Looks at the strings and numbers of an event; `None` where something may be found in it,
    /// apart from orders, so that it has to be read whole.
    fn skim<'a>(
        &'a self,
        team: &Team,
        text: &'a str,
        scalars: &'a Scalars,
        named: &'a mut Vec<bool>,
    ) -> Option<Skimmed<'a>> {
        if self.is_always_whole {
            return None;
        }
        let is_named = |(at, values): &Test| {
            let value = scalars.get(text, *at);
            value.is_some_and(|value| values.have(value))
        };
        named.clear();
        let selections = self.selections.iter();
        named.extend(selections.map(|(_, tests)| tests.iter().all(is_named)));
        let seen = Skimmed {
            plan: self,
            text,
            scalars,
            named,
        };
        let is_valid = |index: usize, (at, part): &(At, ShapeId)| {
            let schema = team.schema(index).zip(seen.get(*at));
            schema.is_some_and(|(schema, scalar)| schema.is_valid_apart(scalar, *part))
        };
        let are_valid = self.schemas.iter().all(|schema| {
            let mut parts = schema.parts.iter();
            !seen.is_named(schema.selection) || parts.all(|part| is_valid(schema.index, part))
        });
        let is_inside = |(at, index): &(At, usize)| {
            let closed = team.closed(*index).zip(seen.get(*at));
            closed.is_some_and(|(values, value)| values.have(value))
        };
        let is_sound = are_valid
            && self.closed.iter().all(is_inside)
            && !self.whole.iter().any(|selection| seen.is_named(*selection));
        is_sound.then_some(seen)
    }
}

/// The plans that one thread has made.
#[derive(Default)]
pub(crate) struct Plans {
    known: BTreeMap<Alike, Plan>,
    parts: usize,
    /// The buffer for what is known of the selectors of one event.
    named: Vec<bool>,
    events: Arc<TeamEvents>,
}

impl Plans {
    /// Forgets the plans for other declarations.
    pub(crate) fn prepare(&mut self, events: &Arc<TeamEvents>) {
        if !Arc::ptr_eq(&self.events, events) {
            *self = Self {
                events: Arc::clone(events),
                ..Self::default()
            };
        }
    }

    /// Looks at the strings and numbers of an event; `None` where it has to be read whole.
    pub(crate) fn skim<'a>(
        &'a mut self,
        team: &Team,
        event: &EventReading<'a, 'a>,
    ) -> Option<Skimmed<'a>> {
        let plan = self.known.get(&Alike::of(event)?)?;
        plan.skim(team, event.line(), event.scalars(), &mut self.named)
    }

    /// Makes the plan for events that are like one, unless there is one.
    pub(crate) fn learn(
        &mut self,
        in_force: &InForce,
        event: &EventReading<'_, '_>,
        root: Node<'_>,
    ) {
        let Some(alike) = Alike::of(event).filter(|it| !self.known.contains_key(it)) else {
            return;
        };
        if self.parts > MAX_PARTS {
            (self.known, self.parts) = (BTreeMap::new(), 0);
        }
        let plan = Plan::new(in_force, alike, root, event.scalars());
        self.parts += plan.parts();
        self.known.insert(alike, plan);
    }
}
