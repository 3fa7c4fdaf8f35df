//! What a team declares of events, and an event -> what it has to be judged by.
//!
//! Paths and selectors that many declarations share are followed once for an event. Most events
//! need no tape, see [`Plan`].
//!
//! [`Plan`]: super::plan::Plan

use std::collections::BTreeSet;

use crate::document::{Meanings, Node};
use crate::schema::DeclaredSchema;
use crate::select::{Indexed, KeyPath, Keys, Selector, Values, place};
use crate::source::Line;

use super::{Judged, Moment, Sight, Team};

/// Which of a team's declarations are on: of schemas, orders and rules each, and the vocabulary.
#[derive(Clone, Debug, Default)]
pub(crate) struct On {
    pub(crate) schemas: Vec<bool>,
    pub(crate) orders: Vec<bool>,
    pub(crate) rules: Vec<bool>,
    pub(crate) vocabulary: bool,
}

/// What a team declares of events, as far as it is on.
#[derive(Debug, Default)]
pub(crate) struct TeamEvents {
    keys: Keys,
    pub(super) selectors: Vec<Indexed>,
    pub(super) schemas: Vec<OfSchema>,
    pub(super) orders: Vec<OfOrder>,
    /// The place of the timestamp among the keys, if an order asks for it.
    pub(super) time: Option<usize>,
    /// The rules that judge events: the place of each among all, and that of its selector.
    pub(super) rules: Vec<(usize, usize)>,
    /// Whether a rule names the numbers of events.
    pub(crate) are_counted: bool,
    /// The keys with closed values, each with its place among these and among all keys.
    pub(super) closed: Vec<(usize, usize)>,
}

/// The place of a schema among all, of its selector, and of its `at` among the keys.
#[derive(Debug)]
pub(super) struct OfSchema {
    pub(super) index: usize,
    pub(super) selector: usize,
    pub(super) at: usize,
}

/// The place of an order among all, of its selectors, and of what it asks for among the keys.
#[derive(Debug)]
pub(super) struct OfOrder {
    pub(super) index: usize,
    pub(super) each: usize,
    pub(super) other: Option<usize>,
    pub(super) same: Option<usize>,
    /// Whether it asks for the timestamp.
    pub(super) is_timed: bool,
}

/// What judged any event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Examined {
    /// The places of schemas among all.
    pub(crate) schemas: BTreeSet<usize>,
    pub(crate) vocabulary: bool,
}

impl Examined {
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.schemas.append(&mut other.schemas);
        self.vocabulary |= other.vocabulary;
    }
}

/// An event as declarations see it.
pub(crate) struct Look<'a> {
    /// The values that the keys lead to.
    values: Vec<Option<Node<'a>>>,
    /// Whether it is named by each selector.
    named: Vec<bool>,
}

impl TeamEvents {
    pub(super) fn new(team: &Team, on: &On) -> Self {
        let mut events = Self::default();
        let schemas = enabled(&team.schemas, &on.schemas);
        for (index, schema) in schemas.filter(|(_, it)| it.record == Judged::Event) {
            let selector = events.selector(&schema.selector);
            let at = events.keys.place(&schema.at);
            events.schemas.push(OfSchema {
                index,
                selector,
                at,
            });
        }
        let time = KeyPath::parse("/timestamp").unwrap_or_default();
        for (index, order) in enabled(&team.orders, &on.orders) {
            let of_order = OfOrder {
                index,
                each: events.selector(&order.each),
                other: order.other.as_ref().map(|other| events.selector(other)),
                same: order.same.as_ref().map(|same| events.keys.place(same)),
                is_timed: order.within.is_some(),
            };
            if of_order.is_timed {
                events.time = Some(events.keys.place(&time));
            }
            events.orders.push(of_order);
        }
        for (index, rule) in enabled(&team.rules, &on.rules) {
            events.are_counted |= rule.counts_events();
            if let Some(each) = &rule.each {
                let selector = events.selector(each);
                events.rules.push((index, selector));
            }
        }
        for (index, closed) in team.vocabulary.iter().enumerate() {
            if on.vocabulary {
                events.closed.push((index, events.keys.place(&closed.key)));
            }
        }
        events
    }

    fn selector(&mut self, selector: &Selector) -> usize {
        place(&mut self.selectors, &self.keys.indexed(selector))
    }

    /// The place of the selector of a schema, by its place among all.
    pub(crate) fn selector_of_schema(&self, index: usize) -> Option<usize> {
        let mut schemas = self.schemas.iter();
        let schema = schemas.find(|schema| schema.index == index)?;
        Some(schema.selector)
    }

    /// The places of the selectors of an order: of its events, and of those that it asks for.
    pub(crate) fn selectors_of_order(&self, index: usize) -> [Option<usize>; 2] {
        let order = self.orders.iter().find(|order| order.index == index);
        [
            order.map(|order| order.each),
            order.and_then(|order| order.other),
        ]
    }

    /// The place of the selector of a rule, if it judges events.
    pub(crate) fn selector_of_rule(&self, index: usize) -> Option<usize> {
        let mut rules = self.rules.iter();
        rules.find(|(rule, _)| *rule == index).map(|(_, it)| *it)
    }

    /// Whether nothing is declared.
    pub(crate) fn is_empty(&self) -> bool {
        let is_none = self.schemas.is_empty() && self.orders.is_empty() && self.rules.is_empty();
        is_none && self.closed.is_empty() && !self.are_counted
    }

    /// Looks at an event.
    pub(crate) fn look<'a>(&self, event: Node<'a>) -> Look<'a> {
        let values = self.keys.of(event);
        let named = self
            .selectors
            .iter()
            .map(|selector| selector.names(&values));
        let named = named.collect();
        Look { values, named }
    }

    /// The schemas that judge an event, by their places among all, each with the value that it
    /// judges.
    pub(crate) fn schemas<'l>(
        &'l self,
        look: &'l Look<'l>,
    ) -> impl Iterator<Item = (usize, Node<'l>)> {
        let named = self
            .schemas
            .iter()
            .filter(|schema| look.is_named(schema.selector));
        named.filter_map(|schema| Some((schema.index, look.value(schema.at)?)))
    }

    /// When an event happened.
    pub(crate) fn moment(&self, look: &Look<'_>, line: Line) -> Moment {
        Moment::new(line, self.time.and_then(|time| look.value(time)))
    }

    /// What orders see of an event.
    pub(crate) fn sights(&self, look: &Look<'_>, meanings: &mut Meanings) -> Vec<Sight> {
        let sights = self.orders.iter().filter_map(|order| {
            let is_each = look.is_named(order.each);
            let is_other = order.other.is_some_and(|other| look.is_named(other));
            let same = order.same.and_then(|same| look.value(same));
            (is_each || is_other)
                .then(|| Sight::new(order.index, is_each, is_other, same, meanings))
        });
        sights.collect()
    }

    /// The rules that judge an event, by their places among all.
    pub(crate) fn rules<'l>(&'l self, look: &'l Look<'_>) -> impl Iterator<Item = usize> + 'l {
        let named = self.rules.iter();
        let named = named.filter(|(_, selector)| look.is_named(*selector));
        named.map(|(index, _)| *index)
    }

    /// The keys with closed values, by their places, of which an event has another value, and that.
    pub(crate) fn outside<'l>(
        &'l self,
        team: &'l Team,
        look: &'l Look<'l>,
    ) -> impl Iterator<Item = (usize, Node<'l>)> {
        self.closed.iter().filter_map(|(index, key)| {
            let (values, value) = (team.closed(*index)?, look.value(*key)?);
            (!values.have(value)).then_some((*index, value))
        })
    }

    /// Whether an order sees an event.
    fn is_in_order(&self, look: &Look<'_>) -> bool {
        let mut orders = self.orders.iter();
        orders.any(|order| {
            look.is_named(order.each) || order.other.is_some_and(|other| look.is_named(other))
        })
    }

    /// Notes what judges an event.
    pub(crate) fn examine(&self, look: &Look<'_>, examined: &mut Examined) {
        examined.schemas.extend(self.schemas(look).map(|it| it.0));
        examined.vocabulary |= self.has_closed(look);
    }

    /// Whether an event has a value of which the vocabulary is closed.
    pub(crate) fn has_closed(&self, look: &Look<'_>) -> bool {
        let mut closed = self.closed.iter();
        closed.any(|(_, key)| look.value(*key).is_some())
    }

    /// Whether there is nothing to find in an event, and no order sees it.
    pub(crate) fn find_nothing(&self, team: &Team, look: &Look<'_>) -> bool {
        let are_valid = self.schemas(look).all(|(index, value)| {
            let schema = team.schema(index);
            schema.is_none_or(|schema| schema.is_valid(value))
        });
        are_valid
            && !self.are_counted
            && self.rules(look).next().is_none()
            && !self.is_in_order(look)
            && self.outside(team, look).next().is_none()
    }

    /// Whether any values are closed.
    pub(crate) fn closes(&self) -> bool {
        !self.closed.is_empty()
    }
}

/// The declarations that are on, each with its place among all.
pub(super) fn enabled<'t, T>(all: &'t [T], on: &'t [bool]) -> impl Iterator<Item = (usize, &'t T)> {
    let all = all.iter().enumerate().zip(on);
    all.filter(|(_, on)| **on).map(|(one, _)| one)
}

impl<'a> Look<'a> {
    pub(super) fn value(&self, key: usize) -> Option<Node<'a>> {
        self.values.get(key).copied().flatten()
    }

    pub(crate) fn is_named(&self, selector: usize) -> bool {
        self.named.get(selector) == Some(&true)
    }
}

impl Team {
    /// The schema at a place among all.
    pub(super) fn schema(&self, index: usize) -> Option<&DeclaredSchema> {
        self.schemas.get(index).map(|schema| &schema.schema)
    }

    /// The closed values at a place among all.
    pub(super) fn closed(&self, index: usize) -> Option<&Values> {
        self.vocabulary.get(index).map(|closed| &closed.values)
    }
}
