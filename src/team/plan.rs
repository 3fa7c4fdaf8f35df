//! An event with a known skeleton -> what a team's declarations find in its strings and numbers.
//!
//! Events with one skeleton differ in their strings and numbers alone. So what depends on nothing
//! else is decided once for a skeleton: whether a key leads anywhere, which types values have,
//! which fields are there. What depends on the phase, as most selectors do, is decided once for a
//! skeleton and a phase. A plan is what is left to look at in each event.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::events::{EventIndex, EventView};
use super::instant::Instant;
use super::judges::{Examined, TeamJudges};
use super::order::{OrderJudge, OrderKeys, Seen};
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
    fn of(event: &EventReading<'_>) -> Option<Self> {
        let phase = event.note.phase.as_deref().and_then(phases::known);
        let skeleton = event.skeleton?;
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
    is_timed: bool,
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

    /// Adds what orders see of it, each with its place.
    pub(crate) fn add_seen(
        self,
        line: Line,
        meanings: &mut Meanings,
        all: &mut Vec<(usize, Seen)>,
    ) {
        let is_named = |selection: Option<Selection>| selection.is_some_and(|it| self.is_named(it));
        let time = self
            .plan
            .time
            .and_then(|time| Instant::read(self.get(time)));
        for order in &self.plan.orders {
            let (is_each, is_other) = (is_named(order.each), is_named(order.other));
            if is_each || is_other {
                let same = order.same.and_then(|same| self.get(same));
                let seen = Seen {
                    line,
                    is_each,
                    is_other,
                    same: same.map(|same| meanings.of(same)),
                    written: same.map_or(0..0, Node::span),
                    time: time.clone().filter(|_| order.is_timed),
                };
                all.push((order.index, seen));
            }
        }
    }
}

impl Plan {
    /// The plan for events that are like one.
    fn new(judges: &TeamJudges, alike: Alike, event: Node<'_>, scalars: &Scalars) -> Self {
        let index = &judges.index;
        let view = index.view(Line::BEFORE_ALL, event);
        let phase = alike.phase.and_then(|_| event.get("phase"));
        let mut plan = Self {
            phase: phase.and_then(|phase| scalars.place(phase)),
            is_always_whole: judges.are_counted,
            ..Self::default()
        };
        for (place, judge) in judges.schemas.iter().enumerate() {
            let Some((selector, at)) = judge.in_events else {
                continue;
            };
            let Some(value) = view.value(at) else {
                continue;
            };
            let Some(selection) = plan.selection(index, selector, &view, scalars) else {
                continue;
            };
            let parts = judge.schema.schema.judged_apart(value).and_then(|apart| {
                let parts = apart.into_iter();
                parts
                    .map(|(node, part)| Some((scalars.place(node)?, part)))
                    .collect()
            });
            match parts {
                Some(parts) => plan.schemas.push(OfSchema {
                    selection,
                    index: place,
                    parts,
                }),
                None => plan.whole.push(selection),
            }
        }
        for (place, order) in judges.orders.iter().enumerate() {
            plan.order(index, place, order, &view, scalars);
        }
        for selector in judges.rules.iter().filter_map(|rule| rule.in_events) {
            let selection = plan.selection(index, selector, &view, scalars);
            plan.whole.extend(selection);
        }
        for (key, value) in judges.vocabulary.values(&view) {
            plan.is_closed = true;
            match scalars.place(value) {
                Some(at) => plan.closed.push((at, key)),
                None => plan.is_always_whole |= !judges.vocabulary.has(key, value),
            }
        }
        plan
    }

    /// The place of a selector in the plan; `None` where it names no event with the skeleton.
    fn selection(
        &mut self,
        index: &EventIndex,
        selector: usize,
        view: &EventView<'_>,
        scalars: &Scalars,
    ) -> Option<Selection> {
        let mut known = self.selections.iter();
        if let Some(known) = known.position(|(known, _)| *known == selector) {
            return Some(known);
        }
        let mut left = Vec::new();
        for (key, values) in &index.selectors.get(selector)?.0 {
            let value = view.value(*key)?;
            match scalars.place(value) {
                Some(at) if self.phase != Some(at) => left.push((at, Arc::clone(values))),
                _ if values.have(value) => {}
                _ => return None,
            }
        }
        self.selections.push((selector, left));
        Some(self.selections.len() - 1)
    }

    fn order(
        &mut self,
        index: &EventIndex,
        place: usize,
        order: &OrderJudge,
        view: &EventView<'_>,
        scalars: &Scalars,
    ) {
        let Some(OrderKeys { each, other, same }) = order.in_events else {
            return;
        };
        let mut selection = |selector| self.selection(index, selector, view, scalars);
        let each = selection(each);
        let other = other.and_then(selection);
        if each.is_none() && other.is_none() {
            return;
        }
        let same = same.and_then(|same| view.value(same));
        let same = match same.map(|same| scalars.place(same)) {
            Some(None) => return self.whole.extend(each.into_iter().chain(other)),
            same => same.flatten(),
        };
        if order.is_timed() {
            let time = view.root.get("timestamp");
            self.time = time.and_then(|time| scalars.place(time));
        }
        self.orders.push(Order {
            index: place,
            each,
            other,
            same,
            is_timed: order.is_timed(),
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
        judges: &TeamJudges,
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
            let judge = judges.schemas.get(index).zip(seen.get(*at));
            judge.is_some_and(|(judge, scalar)| judge.schema.schema.is_valid_apart(scalar, *part))
        };
        let are_valid = self.schemas.iter().all(|schema| {
            let mut parts = schema.parts.iter();
            !seen.is_named(schema.selection) || parts.all(|part| is_valid(schema.index, part))
        });
        let is_inside = |(at, index): &(At, usize)| {
            seen.get(*at)
                .is_some_and(|value| judges.vocabulary.has(*index, value))
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
    index: Arc<EventIndex>,
}

impl Plans {
    /// Forgets the plans for other declarations.
    pub(crate) fn prepare(&mut self, index: &Arc<EventIndex>) {
        if !Arc::ptr_eq(&self.index, index) {
            *self = Self {
                index: Arc::clone(index),
                ..Self::default()
            };
        }
    }

    /// Looks at the strings and numbers of an event; `None` where it has to be read whole.
    pub(crate) fn skim<'a>(
        &'a mut self,
        judges: &TeamJudges,
        event: &EventReading<'a>,
        scalars: &'a Scalars,
    ) -> Option<Skimmed<'a>> {
        let plan = self.known.get(&Alike::of(event)?)?;
        plan.skim(judges, event.line(), scalars, &mut self.named)
    }

    /// Makes the plan for events that are like one, unless there is one.
    pub(crate) fn learn(
        &mut self,
        judges: &TeamJudges,
        event: &EventReading<'_>,
        root: Node<'_>,
        scalars: &Scalars,
    ) {
        let Some(alike) = Alike::of(event).filter(|it| !self.known.contains_key(it)) else {
            return;
        };
        if self.parts > MAX_PARTS {
            (self.known, self.parts) = (BTreeMap::new(), 0);
        }
        let plan = Plan::new(judges, alike, root, scalars);
        self.parts += plan.parts();
        self.known.insert(alike, plan);
    }
}
