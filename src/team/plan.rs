//! An event with a known skeleton -> what a team's declarations find in its strings and numbers.
//!
//! Events with one skeleton differ in their strings and numbers alone. So what depends on nothing
//! else is decided once for a skeleton: whether a key leads anywhere, which types values have,
//! which fields are there. What depends on the phase, as most selectors do, is decided once for a
//! skeleton and a phase. A plan is what is left to look at in each event.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::events::{EventIndex, EventSelector, EventView};
use super::instant::Instant;
use super::judges::{Examined, TeamJudges};
use super::order::{OrderJudge, OrderKeys, Seen};
use crate::document::{Meanings, Node, Scalars, Skeletons, Tape};
use crate::facts::EventFacts;
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
type Alike = (u32, Option<&'static str>);

/// The strings and numbers that are left to look at in each of them.
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

/// A schema, and the strings and numbers of the events that it judges.
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
    /// The values by which it is grouped; empty where one is absent.
    same: Vec<At>,
    is_timed: bool,
}

/// Makes the plan for events that are like one.
struct Planner<'p> {
    index: &'p EventIndex,
    view: EventView<'p>,
    scalars: &'p Scalars,
    plan: Plan,
}

impl Planner<'_> {
    fn make(mut self, judges: &TeamJudges) -> Plan {
        self.plan.is_always_whole = judges.are_counted;
        for (index, judge) in judges.schemas.iter().enumerate() {
            let Some((selector, at)) = &judge.in_events else {
                continue;
            };
            if selector.condition.is_some() {
                self.needs_whole(selector);
                continue;
            }
            let value = self.view.value(*at);
            let selection = value.and_then(|_| self.selection(selector));
            let (Some(value), Some(selection)) = (value, selection) else {
                continue;
            };
            let apart = judge.judged_apart(value);
            let place = |(node, part)| Some((self.scalars.place(node)?, part));
            match apart.and_then(|apart| apart.into_iter().map(place).collect()) {
                Some(parts) => self.plan.schemas.push(OfSchema {
                    selection,
                    index,
                    parts,
                }),
                None => self.plan.whole.push(selection),
            }
        }
        for (index, order) in judges.orders.iter().enumerate() {
            if let Some(asked) = &order.in_events {
                self.order(index, order, asked);
            }
        }
        for selector in judges.rules.iter().flat_map(|rule| &rule.in_events) {
            self.needs_whole(selector);
        }
        for (key, value) in judges.vocabulary.values(&self.view) {
            self.plan.is_closed = true;
            match self.scalars.place(value) {
                Some(at) => self.plan.closed.push((at, key)),
                None => self.plan.is_always_whole |= !judges.vocabulary.has(key, value),
            }
        }
        self.plan
    }

    /// Notes what is left to look at for an order.
    fn order(&mut self, index: usize, order: &OrderJudge, asked: &OrderKeys) {
        let selectors = asked.other.iter().chain([&asked.each]);
        let conditions = selectors.filter(|selector| selector.condition.is_some());
        conditions.for_each(|selector| self.needs_whole(selector));
        let each = self.selection(&asked.each);
        let other = (asked.other.as_ref()).and_then(|other| self.selection(other));
        if each.is_none() && other.is_none() {
            return;
        }
        let same = asked.same.iter().map(|same| self.view.value(*same));
        let same: Option<Vec<Node<'_>>> = same.collect();
        let same = same.unwrap_or_default();
        let at = same.iter().map(|same| self.scalars.place(*same));
        let Some(at) = at.collect() else {
            self.plan.whole.extend(each.into_iter().chain(other));
            return;
        };
        if order.is_timed() {
            let time = self.view.root.get("timestamp");
            self.plan.time = time.and_then(|time| self.scalars.place(time));
        }
        self.plan.orders.push(Order {
            index,
            each,
            other,
            same: at,
            is_timed: order.is_timed(),
        });
    }

    /// Notes that the events which the keys of a selector name are needed whole.
    fn needs_whole(&mut self, selector: &EventSelector) {
        let selection = self.selection(selector);
        self.plan.whole.extend(selection);
    }

    /// The place of a selector in the plan; `None` where its keys name no event with the skeleton.
    fn selection(&mut self, selector: &EventSelector) -> Option<Selection> {
        let selector = selector.place;
        let plan = &mut self.plan;
        let mut known = plan.selections.iter();
        if let Some(known) = known.position(|(known, _)| *known == selector) {
            return Some(known);
        }
        let mut left = Vec::new();
        for (key, values) in &self.index.selectors.get(selector)?.0 {
            let value = self.view.value(*key)?;
            match self.scalars.place(value) {
                Some(at) if plan.phase != Some(at) => left.push((at, Arc::clone(values))),
                _ if values.have(value) => {}
                _ => return None,
            }
        }
        plan.selections.push((selector, left));
        Some(plan.selections.len() - 1)
    }
}

impl Plan {
    fn parts(&self) -> usize {
        let tests = self.selections.iter().map(|(_, tests)| 1 + tests.len());
        let parts = self.schemas.iter().map(|schema| 1 + schema.parts.len());
        1 + tests.chain(parts).sum::<usize>()
            + self.orders.len()
            + self.closed.len()
            + self.whole.len()
    }
}

/// A fast judge of events by their strings and numbers, for one thread: the plans that it has made,
/// and buffers for the latest event.
#[derive(Default)]
pub(crate) struct Skimmer {
    plans: BTreeMap<Alike, Plan>,
    parts: usize,
    /// Whether each selector of the plan names the event.
    named: Vec<bool>,
    /// What orders see of it, each with the place of the order.
    seen: Vec<(usize, Seen)>,
    /// The digests of the values by which orders group events.
    meanings: Meanings,
    index: Arc<EventIndex>,
    /// The skeletons of events that were judged, each with its number.
    skeletons: Skeletons<u32>,
    /// How many were added, those included that are no longer known.
    learned: u32,
    /// The strings and numbers of the latest event, and the number of its skeleton if it is known.
    scalars: Scalars,
    template: Option<u32>,
}

impl Skimmer {
    /// Forgets the plans for other declarations.
    pub(crate) fn prepare(&mut self, judges: &TeamJudges) {
        if !Arc::ptr_eq(&self.index, &judges.index) {
            *self = Self {
                index: Arc::clone(&judges.index),
                ..Self::default()
            };
        }
    }

    /// Returns what orders see of an event that was scanned, if that is enough to know that nothing
    /// else is found in it, and notes what judged it.
    pub(crate) fn skim(
        &mut self,
        judges: &TeamJudges,
        event: EventFacts<'_>,
        examined: &mut Examined,
    ) -> Option<&mut Vec<(usize, Seen)>> {
        self.scan(event);
        let plan = self.plans.get(&self.alike(event)?)?;
        if plan.is_always_whole {
            return None;
        }
        let get = |at: At| self.scalars.get(event.written(), at);
        let passes = |(at, values): &Test| get(*at).is_some_and(|value| values.have(value));
        let selections = plan.selections.iter();
        self.named.clear();
        (self.named).extend(selections.map(|(_, tests)| tests.iter().all(passes)));
        let selectors = plan.selections.iter().map(|(selector, _)| *selector);
        (self.index).note(selectors.zip(self.named.iter().copied()));
        let is_named = |selection: Selection| self.named.get(selection) == Some(&true);
        let named = || (plan.schemas.iter()).filter(|schema| is_named(schema.selection));
        let is_valid = |schema: &OfSchema| {
            let judge = judges.schemas.get(schema.index);
            schema.parts.iter().all(|(at, part)| {
                let judge = judge.zip(get(*at));
                judge.is_some_and(|(judge, scalar)| {
                    judge.schema.schema.is_valid_apart(scalar, *part)
                })
            })
        };
        let is_inside = |(at, key): &(At, usize)| {
            get(*at).is_some_and(|value| judges.vocabulary.has(*key, value))
        };
        let is_sound = named().all(is_valid)
            && plan.closed.iter().all(is_inside)
            && !plan.whole.iter().any(|selection| is_named(*selection));
        if !is_sound {
            return None;
        }
        (examined.schemas).extend(named().map(|schema| schema.index));
        examined.vocabulary |= plan.is_closed;
        let time = plan.time.and_then(|time| Instant::read(get(time)));
        self.seen.clear();
        for order in &plan.orders {
            let roles = [order.each, order.other].map(|it| it.is_some_and(is_named));
            if roles != [false; 2] {
                let time = time.clone().filter(|_| order.is_timed);
                let same = order.same.iter().map(|at| get(*at));
                if let Some(judge) = judges.orders.get(order.index) {
                    let seen = judge.seen_as(event.line, roles, time, same, &mut self.meanings);
                    self.seen.push((order.index, seen));
                }
            }
        }
        Some(&mut self.seen)
    }

    /// Reads an event that was scanned and is to be judged whole, and makes the plan for those that
    /// are like it, unless there is one.
    pub(crate) fn whole<'t>(
        &mut self,
        judges: &TeamJudges,
        event: EventFacts<'t>,
        tape: &'t mut Tape,
    ) -> Option<Node<'t>> {
        tape.release();
        let root = tape.read_record(event.written().as_bytes()).ok()?.root();
        if self.template.is_none() {
            self.learn(event);
        }
        let alike = self
            .alike(event)
            .filter(|alike| !self.plans.contains_key(alike));
        if let Some(alike) = alike {
            if self.parts > MAX_PARTS {
                (self.plans, self.parts) = (BTreeMap::new(), 0);
            }
            let phase = alike.1.and_then(|_| root.get("phase"));
            let planner = Planner {
                index: &judges.index,
                view: judges.index.view(Line::BEFORE_ALL, root),
                scalars: &self.scalars,
                plan: Plan {
                    phase: phase.and_then(|phase| self.scalars.place(phase)),
                    ..Plan::default()
                },
            };
            let plan = planner.make(judges);
            self.parts += plan.parts();
            self.plans.insert(alike, plan);
        }
        Some(root)
    }

    /// Looks for the skeleton of an event.
    fn scan(&mut self, event: EventFacts<'_>) {
        let scalars = &mut self.scalars;
        scalars.clear();
        let known = self.skeletons.read(event.written().as_bytes(), |scalar| {
            scalars.add(scalar.kind, scalar.span, scalar.escaped);
        });
        self.template = known;
    }

    /// Learns the skeleton of an event.
    fn learn(&mut self, event: EventFacts<'_>) {
        let bytes = event.written().as_bytes();
        if bytes.len() <= MAX_LEARNED_BYTES {
            self.skeletons.learn(bytes, self.learned);
            self.learned = self.learned.wrapping_add(1);
        }
    }

    /// The events that are like one.
    fn alike(&self, event: EventFacts<'_>) -> Option<Alike> {
        let phase = event.phase();
        let phase = phase.as_deref().and_then(phases::known);
        Some((self.template?, phase))
    }
}

/// The length of the longest event whose skeleton is kept: long events rarely share a skeleton.
const MAX_LEARNED_BYTES: usize = 4 << 10;
