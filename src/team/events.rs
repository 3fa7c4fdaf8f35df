//! The selectors and vocabularies that are about events -> which events a tape is made of.

use std::sync::Arc;

use super::{Judged, Team};
use crate::document::Node;
use crate::facts::{Asked, EventReading};
use crate::select::{Indexed, Keys, Selector};

/// What a team declares of events, as far as it is on.
#[derive(Debug, Default)]
pub(crate) struct TeamEvents {
    pub(crate) asked: Arc<Asked>,
    /// The schemas by their places among all.
    schemas: Vec<(usize, Indexed)>,
    /// The keys with closed values: what names an event in which one is outside.
    closed: Vec<Indexed>,
}

impl TeamEvents {
    pub(super) fn new(team: &Team, on: &[bool], with_vocabulary: bool) -> Self {
        let mut keys = Keys::default();
        let schemas = team.schemas.iter().enumerate().zip(on);
        let schemas = schemas.filter(|((_, it), on)| **on && it.record == Judged::Event);
        let schemas: Vec<(usize, Indexed)> = schemas
            .map(|((index, schema), _)| (index, keys.indexed(&schema.selector)))
            .collect();
        let closed = team.vocabulary.iter().filter(|_| with_vocabulary);
        let closed = closed.map(|closed| {
            let mut outside = closed.values.clone();
            outside.negated = true;
            keys.indexed(&Selector(vec![(closed.key.clone(), outside)]))
        });
        Self {
            schemas,
            closed: closed.collect(),
            asked: Arc::new(Asked::new(&keys)),
        }
    }

    /// Whether there is nothing to judge in an event, as far as one look shows.
    #[inline]
    pub(crate) fn pass_over(&self, reading: &EventReading<'_>) -> bool {
        let glimpse = |key: usize| reading.glimpse(&self.asked, key);
        let schemas = self.schemas.iter().map(|(_, selector)| selector);
        let mut selectors = schemas.chain(&self.closed);
        !selectors.any(|selector| selector.may_name(&glimpse))
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
        self.schemas.iter().all(|(index, _)| is_sound(*index))
            && (self.closed.is_empty() || team.vocabulary.iter().all(is_inside))
    }

    /// The places of the schemas among all.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = usize> {
        self.schemas.iter().map(|(index, _)| *index)
    }

    /// Whether any values are closed.
    pub(crate) fn closes(&self) -> bool {
        !self.closed.is_empty()
    }
}
