//! The events of an example -> the state and the summary of a sound run that has them.

use serde_json::{Value as Json, json};

use crate::ground::timestamp::Timestamp;

/// The records of a run that every rule accepts.
const STATE: &str = include_str!("../../../cli/example/state.json");
const SUMMARY: &str = include_str!("../../../cli/example/summary.json");

/// Returns a sound state with the start, the latest plan and the actions that events tell of.
pub(super) fn derived_state(events: &[Json], has_ended: bool) -> Json {
    let mut state: Json = serde_json::from_str(STATE).unwrap_or_default();
    let mut steps = Json::Array(Vec::new());
    let mut actions = Vec::new();

    for event in events {
        let payload = &event["payload"];
        if payload["step_records"].is_array() {
            steps = payload["step_records"].clone();
        }

        let of_event = |step: &&mut Json| step["id"] == payload["step_id"];
        let step = steps
            .as_array_mut()
            .and_then(|it| it.iter_mut().find(of_event));
        if let (Some(Json::Object(step)), Json::String(_)) = (step, &payload["step_status"]) {
            step.insert("status".into(), payload["step_status"].clone());
        }

        if let (Some("act"), Json::Object(action)) = (event["phase"].as_str(), payload) {
            let mut action = action.clone();
            action.remove("step_status");
            let id = action
                .remove("action_id")
                .map(|id| ("id".to_owned(), id));
            action.extend(id);
            action.insert("timestamp".into(), event["timestamp"].clone());
            actions.push(Json::Object(action));
        }
    }

    let status = if has_ended { "ok" } else { "pending" };
    let outcomes = json!({"status": status, "actions": actions});
    put(&mut state, "/plan/steps", steps);
    put(&mut state, "/outcomes", outcomes);
    if let Some(first) = events.first() {
        let started_at = first["timestamp"].clone();
        put(&mut state, "/episode/started_at", started_at);
    }

    if !has_ended {
        put(&mut state, "/links", json!({"events": "events.jsonl"}));
    }

    state
}

/// Returns a sound summary with the start, the duration and the numbers of events.
pub(super) fn derived_summary(events: &[Json]) -> Json {
    let mut summary: Json = serde_json::from_str(SUMMARY).unwrap_or_default();
    for phase in ["plan", "act", "reflect"] {
        let count = events
            .iter()
            .filter(|event| event["phase"] == phase);
        let (key, count) = (format!("/metrics/{phase}_count"), count.count());
        put(&mut summary, &key, count.into());
    }

    let [first, last] =
        [events.first(), events.last()].map(|event| event.map(|it| &it["timestamp"]));
    if let Some(first) = first {
        put(&mut summary, "/started_at", first.clone());
    }

    let time = |text: Option<&Json>| Timestamp::parse(text?.as_str()?);
    if let (Some(first), Some(last)) = (time(first), time(last)) {
        let duration = last.seconds_since(&first);
        put(&mut summary, "/duration_sec", duration.into());
    }

    summary
}

/// Puts a value in the place of one.
fn put(record: &mut Json, pointer: &str, value: Json) {
    if let Some(place) = record.pointer_mut(pointer) {
        *place = value;
    }
}
