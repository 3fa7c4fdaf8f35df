//! An event of a run -> one line of `events.jsonl`, in the one form that equal events have.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call::AGENT;
use super::clock::Micros;
use super::error::Error;
use super::text::text;
use crate::ground::record::DateTime;
use crate::ground::record::phases::PROJECTION;
use crate::store::MAX_RECORD_BYTES;

/// An event. Its fields stand in the order of their names, so that its text is canonical: sorted
/// keys, no blanks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunEvent {
    pub(super) agent_id: String,
    pub(super) episode_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) event_type: Option<String>,
    pub(super) id: String,
    pub(super) payload: Map<String, Value>,
    pub(super) phase: String,
    pub(super) timestamp: DateTime,
}

impl RunEvent {
    /// Returns when it happened.
    pub(super) fn at(&self) -> Option<Micros> {
        Micros::parse(&self.timestamp.0)
    }

    pub(super) fn is(&self, phase: &str, event_type: &str) -> bool {
        self.phase == phase && self.event_type.as_deref() == Some(event_type)
    }

    /// Returns `true` if it is the evidence of a state.
    pub(super) fn is_evidence(&self) -> bool {
        self.is("runtime", PROJECTION)
    }

    /// Returns the digest of a state, in its evidence.
    pub(super) fn sealed(&self) -> Option<&str> {
        self.payload
            .get("state_sha256")?
            .as_str()
    }

    /// Returns `true` if a line of `learn.jsonl` repeats it.
    pub(super) fn is_proposal(&self) -> bool {
        self.phase == "learn" && self.payload.contains_key("proposal")
    }

    /// Returns the record of its action, without the parts that say of the step how it stands;
    /// `None` for other events.
    pub(super) fn action(&self) -> Option<Map<String, Value>> {
        if self.phase != "act" || self.payload.contains_key(SYNTHETIC) {
            return None;
        }

        let mut record = self.payload.clone();
        record.remove("step_status");
        record.insert("timestamp".into(), self.timestamp.0.clone().into());

        Some(record)
    }

    /// Returns the line, with its newline.
    pub(super) fn line(&self) -> Result<Vec<u8>, Error> {
        let mut line = serde_json::to_vec(self)
            .map_err(|error| Error::refused("an event", error.to_string()))?;
        if line.len() > MAX_RECORD_BYTES {
            return Err(Error::too_large("an event", MAX_RECORD_BYTES));
        }

        line.push(b'\n');
        Ok(line)
    }
}

/// The key of an act event that no action mirrors.
pub(super) const SYNTHETIC: &str = "synthetic";

/// The key of the number of acts, notes and values that were to be recorded and are not in the run.
pub(super) const REFUSED: &str = "x-refused";

/// The key in the payload of the `start` event of a run that is anchored from the start.
pub(crate) const ANCHORED: &str = "anchored";

/// The key of the digest of the timeline before a projection event.
pub(super) const PREFIX: &str = "prefix_sha256";

/// The key in the payload of an event of which the caller does not know when it happened.
pub(super) const UNKNOWN_TIME: &str = "x-time-unknown";

impl RunEvent {
    /// Returns an event before it is dated and numbered.
    pub(super) fn new(phase: impl Into<String>, payload: Map<String, Value>) -> Self {
        Self {
            agent_id: "system".into(),
            episode_id: String::new(),
            event_type: None,
            id: String::new(),
            payload,
            phase: phase.into(),
            timestamp: DateTime(String::new()),
        }
    }

    /// Returns an act or a note, by the agent that it names.
    pub(super) fn told(phase: impl Into<String>, payload: Map<String, Value>) -> Self {
        let agent = payload
            .get(AGENT)
            .and_then(Value::as_str);
        match agent
            .filter(|agent| !agent.is_empty())
            .map(str::to_owned)
        {
            Some(agent) => Self::new(phase, payload).by(agent),
            None => Self::new(phase, payload),
        }
    }

    /// Returns an event of the runtime itself, such as `run.interrupt`.
    pub(super) fn runtime(event_type: &str, payload: Map<String, Value>) -> Self {
        Self {
            event_type: Some(event_type.into()),
            ..Self::new("runtime", payload)
        }
    }

    /// Returns the event of a run with a number and a time.
    pub(super) fn numbered(self, episode_id: &str, number: u64, at: Micros) -> Self {
        Self {
            episode_id: episode_id.into(),
            id: event_id(number),
            timestamp: at.date_time(),
            ..self
        }
    }

    /// Returns `true` if an act event has more for the state than the status of a step.
    pub(super) fn adds_to_state(&self) -> bool {
        let has = |key| self.payload.contains_key(key);
        !has(SYNTHETIC) || has("outputs")
    }

    pub(super) fn by(mut self, agent_id: impl Into<String>) -> Self {
        self.agent_id = agent_id.into();
        self
    }

    /// Returns what messages call it.
    pub(super) fn name(&self) -> &'static str {
        match &*self.phase {
            "plan" => "the `plan` event",
            "act" => "the `act` event",
            "memory" => "the `memory` event",
            "reflect" => "the `reflect` event",
            "learn" => "the `learn` event",
            "runtime" => "the `runtime` event",
            "terminate" => "the `terminate` event",
            _ => "the event",
        }
    }
}

/// Returns the id of the event with a number, the first being 1.
pub(super) fn event_id(number: u64) -> String {
    format!("evt-{number:06}")
}

/// Returns the members of an object, without those that are null.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns the line of `learn.jsonl` for a `learn` event.
pub(super) fn learn_line(event: &RunEvent) -> Result<Vec<u8>, Error> {
    let field = |name: &str| {
        event
            .payload
            .get(name)
            .cloned()
            .unwrap_or_default()
    };

    text(
        &json!({
            "applied": field("applied"),
            "episode_id": event.episode_id,
            "id": event.id,
            "proposal": field("proposal"),
            "timestamp": event.timestamp,
        }),
        "the proposal",
    )
}
