//! The selectors and vocabularies that are about events -> which events a tape is made of.

use std::sync::Arc;

use super::{Judged, Team};
use crate::document::Node;
use crate::facts::{Asked, EventReading};
use crate::select::{Indexed, Keys, Selector};

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
    pub(crate) asked: Arc<Asked>,
    /// The schemas by their places among all.
    schemas: Vec<(usize, Indexed)>,
    /// The orders by their places among all, each with the selectors of the events that it sees.
    orders: Vec<(usize, Vec<Indexed>)>,
    /// The rules that judge events, by their places among all.
    rules: Vec<(usize, Indexed)>,
    /// Whether a rule names the numbers of events.
    pub(crate) are_counted: bool,
    /// The keys with closed values: what names an event in which one is outside.
    closed: Vec<Indexed>,
}

impl TeamEvents {
    pub(super) fn new(team: &Team, on: &On) -> Self {
        let mut keys = Keys::default();
        let schemas = team.schemas.iter().enumerate().zip(&on.schemas);
        let schemas = schemas.filter(|((_, it), on)| **on && it.record == Judged::Event);
        let schemas: Vec<(usize, Indexed)> = schemas
            .map(|((index, schema), _)| (index, keys.indexed(&schema.selector)))
            .collect();
        let orders = team.orders.iter().enumerate().zip(&on.orders);
        let orders = orders.filter(|(_, on)| **on).map(|((index, order), _)| {
            let selectors = order.selectors().map(|selector| keys.indexed(selector));
            (index, selectors.collect())
        });
        let orders = orders.collect();
        let on_rules = || {
            let rules = team.rules.iter().enumerate().zip(&on.rules);
            rules.filter(|(_, on)| **on).map(|(rule, _)| rule)
        };
        let rules = on_rules().filter_map(|(index, rule)| {
            let each = rule.each.as_ref()?;
            Some((index, keys.indexed(each)))
        });
        let rules = rules.collect();
        let closed = team.vocabulary.iter().filter(|_| on.vocabulary);
        let closed = closed.map(|closed| {
            let mut outside = closed.values.clone();
            outside.negated = true;
            keys.indexed(&Selector(vec![(closed.key.clone(), outside)]))
        });
        Self {
            schemas,
            orders,
            rules,
            are_counted: on_rules().any(|(_, rule)| rule.counts_events()),
            closed: closed.collect(),
            asked: Arc::new(Asked::new(&keys)),
        }
    }

    /// Whether there is nothing to judge in an event, as far as one look shows.
    #[inline]
    pub(crate) fn pass_over(&self, reading: &EventReading<'_>) -> bool {
        let glimpse = |key: usize| reading.glimpse(&self.asked, key);
        let schemas = self.schemas.iter().map(|(_, selector)| selector);
        let orders = self.orders.iter().flat_map(|(_, selectors)| selectors);
        let rules = self.rules.iter().map(|(_, selector)| selector);
        let mut selectors = schemas.chain(orders).chain(rules).chain(&self.closed);
        !self.are_counted && !selectors.any(|selector| selector.may_name(&glimpse))
    }

    /// Whether an event has nothing that a finding is about.
    pub(crate) fn find_nothing(&self, team: &Team, event: Node<'_>) -> bool {
        let is_sound = |index: usize| {
            let schema = team.schemas.get(index);
            schema.is_none_or(|schema| {
                let value = schema.at.of(event);
                !schema.selector.names(event)
                    || value.is_none_or(|value| schema.schema.is_valid(value))
            })
        };
        let is_inside = |closed: &super::Closed| {
            let value = closed.key.of(event);
            value.is_none_or(|value| closed.values.have(value))
        };
        let is_unseen = |index: usize| {
            let order = team.orders.get(index);
            let mut selectors = order.into_iter().flat_map(super::TeamOrder::selectors);
            !selectors.any(|selector| selector.names(event))
        };
        let is_judged = |index: usize| {
            let each = team.rules.get(index).and_then(|rule| rule.each.as_ref());
            each.is_some_and(|each| each.names(event))
        };
        !self.are_counted
            && !self.rules.iter().any(|(index, _)| is_judged(*index))
            && self.schemas.iter().all(|(index, _)| is_sound(*index))
            && self.orders.iter().all(|(index, _)| is_unseen(*index))
            && (self.closed.is_empty() || team.vocabulary.iter().all(is_inside))
    }

    /// The places of the schemas among all.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = usize> {
        self.schemas.iter().map(|(index, _)| *index)
    }

    /// The places of the orders among all.
    pub(crate) fn orders(&self) -> impl Iterator<Item = usize> {
        self.orders.iter().map(|(index, _)| *index)
    }

    /// The places of the rules that judge events among all.
    pub(crate) fn rules(&self) -> impl Iterator<Item = usize> {
        self.rules.iter().map(|(index, _)| *index)
    }

    /// Whether any values are closed.
    pub(crate) fn closes(&self) -> bool {
        !self.closed.is_empty()
    }
}
