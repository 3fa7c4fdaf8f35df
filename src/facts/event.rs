//! One event of the timeline -> its fields, facts or not.

use std::borrow::Cow;

use super::value::{Stamp, Value};
use crate::digest::FileDigest;
use crate::document::{Kind, Node};
use crate::source::Line;

/// What one event says: its fields, facts or not.
pub(crate) struct EventFacts<'a> {
    pub(crate) line: Line,
    pub(super) value: Value<'a>,
    pub(super) phase: Option<Value<'a>>,
    pub(super) event_type: Option<Value<'a>>,
    agent_id: Option<Value<'a>>,
    pub(super) timestamp: Option<Value<'a>>,
    payload: Option<Value<'a>>,
}

impl<'a> EventFacts<'a> {
    /// The fields of an event, found in one pass over its members.
    pub(crate) fn new(line: Line, event: Value<'a>) -> Self {
        let mut facts = Self {
            line,
            value: event,
            phase: None,
            event_type: None,
            agent_id: None,
            timestamp: None,
            payload: None,
        };
        for (name, value) in event.members() {
            match &*name {
                "phase" => facts.phase = Some(value),
                "event_type" => facts.event_type = Some(value),
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

    /// The digest of the state that was written with the event, if it has one.
    pub(crate) fn state_sha256(&self) -> Option<FileDigest> {
        state_sha256(self.payload()?.node())
    }

    pub(crate) fn agent_id(&self) -> Option<Cow<'a, str>> {
        text(self.agent_id)
    }
}

/// The digest of a state in the payload of a projection event, if it has one.
pub(super) fn state_sha256(payload: Node<'_>) -> Option<FileDigest> {
    FileDigest::parse(&payload.get("state_sha256")?.text()?)
}

/// The text of a field, if the field is a fact and a string.
pub(super) fn text(field: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    field.filter(|value| value.is_fact())?.node().text()
}

/// An event that is needed again after all events are read.
#[derive(Debug)]
pub(crate) struct KeptEvent {
    pub(crate) line: Line,
    pub(super) text: Vec<u8>,
}

impl KeptEvent {
    pub(super) fn new(line: Line, text: &[u8]) -> Self {
        let text = text.to_owned();
        Self { line, text }
    }
}
