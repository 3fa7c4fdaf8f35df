//! One event of the timeline, a line of `events.jsonl` (reference, section 6).

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DateTime, StepStatus, any_value, schema_id};

/// One event of a run's timeline. Only the envelope and what rules read of a payload are described;
/// payloads may hold anything besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    title = "Event (a line of events.jsonl)",
    extend("$id" = schema_id("event")),
    transform = describe_payloads
)]
pub struct Event {
    /// The part of the run that the event belongs to; `start`, `plan`, `act`, `direction` and
    /// `runtime` have a meaning of their own.
    #[schemars(extend("examples" = ["start", "plan", "act", "direction", "runtime"]))]
    pub phase: String,
    /// What happened, more closely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["run.state_projection"]))]
    pub event_type: Option<String>,
    /// When it happened.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub timestamp: DateTime,
    /// The run that the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode_id: Option<String>,
    /// Who emitted the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["planner.minimal"]))]
    pub agent_id: Option<String>,
    /// What there is to say about it.
    pub payload: Map<String, Value>,
}

/// The payload of a `plan` event. The latest one defines the plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanPayload {
    /// Where the plan comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["planner.minimal"]))]
    pub source: Option<Value>,
    /// Who planned, where `source` is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub agent_id: Option<Value>,
    /// The steps as records, as in the state's `plan.steps`. They go before `steps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub step_records: Option<Value>,
    /// The steps as labels of the form `<kind>:<description>`, as older runtimes write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = [["detect:Collect context", "act:Answer"]]))]
    pub steps: Option<Value>,
}

/// The payload of an `act` event. Beside these it holds what the action record mirrors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActPayload {
    /// The step that the action belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["step-1"]))]
    pub step_id: Option<String>,
    /// How far that step has come with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_status: Option<StepStatus>,
    /// The identifier of the action record that mirrors the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["act-1"]))]
    pub action_id: Option<Value>,
    /// The same, where `action_id` is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub id: Option<Value>,
}

/// The payload of a `run.state_projection` event: evidence of what a persisted state record says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateProjectionPayload {
    /// The state's `outcomes`: its `status` at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub outcomes: Option<Value>,
    /// The state's `links`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value")]
    pub links: Option<Value>,
}

/// Says which payload belongs to which phase.
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

/// Makes the payloads known to a generator, for `describe_payloads` refers to them by name.
pub(crate) fn payload_schemas(generator: &mut SchemaGenerator) {
    generator.subschema_for::<PlanPayload>();
    generator.subschema_for::<ActPayload>();
    generator.subschema_for::<StateProjectionPayload>();
}
