//! One event of the timeline -> its fields, facts or not.

use std::borrow::Cow;

use super::value::{Stamp, Value};
use crate::document::{Kind, Node};
use crate::source::Line;

/// What one event says: its fields, facts or not.
pub(crate) struct EventFacts<'a> {
    pub(crate) line: Line,
    pub(super) root: Node<'a>,
    pub(super) phase: Option<Value<'a>>,
    pub(super) event_type: Option<Value<'a>>,
    pub(super) episode_id: Option<Value<'a>>,
    agent_id: Option<Value<'a>>,
    pub(super) timestamp: Option<Value<'a>>,
    payload: Option<Value<'a>>,
}

impl<'a> EventFacts<'a> {
    /// The fields of an event, found in one pass over its members.
    pub(crate) fn new(line: Line, event: Value<'a>) -> Self {
        let mut facts = Self {
            line,
            root: event.node(),
            phase: None,
            event_type: None,
            episode_id: None,
            agent_id: None,
            timestamp: None,
            payload: None,
        };
        for (name, value) in event.members() {
            match &*name {
                "phase" => facts.phase = Some(value),
                "event_type" => facts.event_type = Some(value),
                "episode_id" => facts.episode_id = Some(value),
                "agent_id" => facts.agent_id = Some(value),
                "timestamp" => facts.timestamp = Some(value),
                "payload" => facts.payload = Some(value),
                _ => {}
            }
        }
        facts
    }

    /// The payload, if it is an object.
    pub(crate) fn payload(&self) -> Option<Value<'a>> {
        self.payload
            .filter(|payload| payload.node().kind() == Kind::Object)
    }

    pub(crate) fn timestamp(&self) -> Option<Stamp<'a>> {
        Stamp::of(text(self.timestamp)?)
    }

    pub(crate) fn agent_id(&self) -> Option<Cow<'a, str>> {
        text(self.agent_id)
    }
}

/// The text of a field, if the field is a fact and a string.
pub(super) fn text(field: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    field.filter(|value| value.is_fact())?.node().text()
}

/// The text of an event that is needed again after all events are read.
#[derive(Debug)]
pub(crate) struct KeptEvent {
    pub(crate) line: Line,
    pub(crate) text: Vec<u8>,
}
