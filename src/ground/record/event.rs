//! One event of the timeline, a line of `events.jsonl` (reference, section 6).

use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DateTime, schema_id};

/// One event of a run's timeline. The schema describes the envelope and the payload fields that
/// rules read; a payload may have any other fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    title = "Event (a line of events.jsonl)",
    extend("$id" = schema_id("event")),
    transform = describe_payloads
)]
#[non_exhaustive]
pub struct Event {
    /// The phase of the run that the event belongs to. Rules use `start`, `plan`, `act`,
    /// `direction`, `reflect`, `runtime` and `terminate`; other values are allowed.
    #[schemars(extend("examples" = ["start", "plan", "act", "direction", "reflect", "runtime", "terminate"], "x-stays" = "phase"))]
    pub phase: String,
    /// The kind of event, in more detail than `phase`. A projection event has the phase `runtime`
    /// and the event type `run.state_projection`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["run.state_projection"], "x-stays" = "phase"))]
    pub event_type: Option<String>,
    /// The time of the event.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub timestamp: DateTime,
    /// The id of the run that the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-stays" = "id"))]
    pub episode_id: Option<String>,
    /// The id of the agent that emitted the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["planner.minimal"], "x-stays" = "id"))]
    pub agent_id: Option<String>,
    /// The details of the event. Their fields depend on the phase.
    pub payload: Map<String, Value>,
}

/// Adds to the schema which payload belongs to which phase.
fn describe_payloads(schema: &mut Schema) {
    fn when(phase: &str, payload: &str) -> Schema {
        json_schema!({
            "if": { "properties": { "phase": { "const": phase } }, "required": ["phase"] },
            "then": { "properties": { "payload": { "$ref": format!("#/$defs/{payload}") } } }
        })
    }

    let payloads = [
        when("plan", "PlanPayload"),
        when("act", "ActPayload"),
        when("runtime", "StateProjectionPayload"),
    ];
    schema.insert(
        "allOf".into(),
        payloads
            .into_iter()
            .map(Value::from)
            .collect(),
    );
}
