//! One event of the timeline, a line of `events.jsonl` (reference, section 6).

#[cfg(test)]
use schemars::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DateTime, schema_id};
#[cfg(test)]
use super::{StepStatus, any_value};

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
    #[schemars(extend("examples" = ["start", "plan", "act", "direction", "reflect", "runtime", "terminate"]))]
    pub phase: String,
    /// The kind of event, in more detail than `phase`. A projection event has the phase `runtime`
    /// and the event type `run.state_projection`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["run.state_projection"]))]
    pub event_type: Option<String>,
    /// The time of the event.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub timestamp: DateTime,
    /// The id of the run that the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
    /// The id of the agent that emitted the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["planner.minimal"]))]
    pub agent_id: Option<String>,
    /// The details of the event. Their fields depend on the phase.
    pub payload: Map<String, Value>,
}

/// The payload of a `plan` event. The latest `plan` event defines the plan.
#[cfg(test)]
#[expect(dead_code, reason = "a schema is derived from it")]
#[derive(JsonSchema)]
struct PlanPayload {
    /// The origin of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["planner.minimal"]))]
    source: Option<Value>,
    /// The agent that made the plan. Used as the origin of the plan when `source` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    agent_id: Option<Value>,
    /// The steps as records, in the form of the state's `plan.steps`. They take precedence over
    /// `steps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    step_records: Option<Value>,
    /// The steps as labels of the form `<kind>:<description>`, the format of older runtimes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = [["detect:Collect context", "act:Answer"]]))]
    steps: Option<Value>,
}

/// The payload of an `act` event. It also has the fields that the action record mirrors: `kind`,
/// `tool`, `input_excerpt`, `result_status`, and keys that start with `x-`. With `synthetic` = true
/// the runtime filled the event in, and nothing was done.
#[cfg(test)]
#[expect(dead_code, reason = "a schema is derived from it")]
#[derive(JsonSchema)]
struct ActPayload {
    /// The id of the plan step that the action belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["step-1"]))]
    step_id: Option<String>,
    /// The status of that step after the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step_status: Option<StepStatus>,
    /// The id of the action record that mirrors the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["act-1"]))]
    action_id: Option<Value>,
    /// The id of the action record, when `action_id` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    id: Option<Value>,
}

/// The payload of a `run.state_projection` event: a copy of parts of the state record that is
/// persisted with it. `outcomes` and `links` are needed.
#[cfg(test)]
#[expect(dead_code, reason = "a schema is derived from it")]
#[derive(JsonSchema)]
struct StateProjectionPayload {
    /// A copy of the state's `outcomes`. It may have fewer keys, but has `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    outcomes: Option<Value>,
    /// A copy of the state's `links`: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    links: Option<Value>,
    /// The SHA-256 of the bytes of `state.json`, as 64 hexadecimal digits. Readers learn from it
    /// which state the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    state_sha256: Option<Value>,
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
        payloads.into_iter().map(Value::from).collect(),
    );
}

/// Registers the payloads with a generator, because `describe_payloads` refers to them by name.
#[cfg(test)]
pub(crate) fn payload_schemas(generator: &mut SchemaGenerator) {
    generator.subschema_for::<PlanPayload>();
    generator.subschema_for::<ActPayload>();
    generator.subschema_for::<StateProjectionPayload>();
}
