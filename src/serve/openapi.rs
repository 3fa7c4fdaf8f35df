//! The types of requests and answers -> the `OpenAPI` document of the service.

#![cfg(test)]

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::api::events::{EventList, EventQuery};
use super::api::{DiffQuery, DirQuery, GroupQuery, RecordQuery, RuleList};
use super::index::IndexSums;
use super::metrics::{CLASSIC, OPEN_METRICS};
use super::problem::Problem;
use super::query::{RunList, RunQuery};
use crate::gate::CheckRequest;
use crate::ground::finding::EpisodeReport;
use crate::ground::source::Artifact;
use crate::look::compare::GroupComparison;
use crate::look::diff::Diff;
use crate::look::schemas::generated::{bless, tidy, written_may_be_null};
use crate::look::view;

/// Returns the document as it is generated from the types: what `make bless` writes.
fn generate() -> String {
    let mut generator = generator();
    let _ = generator.subschema_for::<RunList>();
    let _ = generator.subschema_for::<view::RunPage>();
    let _ = generator.subschema_for::<EventList>();
    let _ = generator.subschema_for::<Diff>();
    let _ = generator.subschema_for::<GroupComparison>();
    let _ = generator.subschema_for::<IndexSums>();
    let _ = generator.subschema_for::<RuleList>();
    let _ = generator.subschema_for::<EpisodeReport>();
    let _ = generator.subschema_for::<CheckRequest>();
    let _ = generator.subschema_for::<Problem>();
    let schemas = generator.take_definitions(true);
    let whole = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "runvet serve",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Lists, shows and checks agent runs. All that is posted is checked in \
                memory; nothing is written.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": with_tags(paths()),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {
                "type": "http", "scheme": "bearer",
                "description": "The token of `--token-file`; needed where the service has one.",
            }},
        },
    });
    let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    text.push('\n');
    text
}

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// The paths whose answers are sent piece by piece, and have no tag.
const STREAMED: [&str; 3] = [
    "/api/v1/changes",
    "/api/v1/runs/{id}/records/{name}",
    "/api/v1/record",
];

/// Says of each answer to `GET` that may have a tag that it may be known already.
fn with_tags(mut paths: Value) -> Value {
    let operations = paths
        .as_object_mut()
        .into_iter()
        .flatten();
    for (_, operation) in operations.filter(|(path, _)| !STREAMED.contains(&&***path)) {
        if let Some(get) = operation.get_mut("get") {
            let known = "The answer has at most 1 MiB, and is the one whose `ETag` is in \
                `If-None-Match`";
            get["responses"]["304"] = json!({"description": known});
        }
    }
    paths
}

fn document_ref(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn content(kind: &str, schema: &Value) -> Value {
    json!({kind: {"schema": schema}})
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .with_transform(RecursiveTransform(written_may_be_null))
        .with_transform(RecursiveTransform(tidy))
        .with_transform(RecursiveTransform(|schema: &mut Schema| {
            // A schema with an id of its own would be the base of the references in it.
            schema.remove("$id");
            schema.remove("$schema");
        }));
    settings.into_generator()
}

/// Returns the paths of the service, each with its one method.
fn paths() -> Value {
    let runs = parameters::<RunQuery>();
    let mut events = parameters::<EventQuery>();
    events.insert(0, id());
    let runs_to_compare = parameters::<DiffQuery>();
    let names = Artifact::ALL.map(Artifact::file_name);
    json!({
        "/api/v1/runs": {"get": leading_to_runs(operation(
            "listRuns", "Lists runs, page by page", &runs, "RunList", &[400]))},
        "/api/v1/runs/{id}": {"get": operation(
            "getRun", "Shows one run, as `runvet view --json` does", &[id()],
            "RunPage", &[404, 409, 503])},
        "/api/v1/runs/{id}/events": {"get": operation(
            "listEvents", "Lists the events of a run, page by page", &events,
            "EventList", &[400, 404, 409, 503])},
        "/api/v1/runs/{id}/records/{name}": {"get": record(
            "getRecord", &[id(), json!({
                "name": "name", "in": "path", "required": true,
                "schema": {"type": "string", "enum": names},
            })])},
        "/api/v1/run": {"get": operation(
            "getRunIn", "Shows the run with a directory, as `runvet view --json` does",
            &parameters::<DirQuery>(), "RunPage", &[400, 404, 409, 503])},
        "/api/v1/events": {"get": operation(
            "listEventsIn", "Lists the events of the run with a directory, page by page",
            &[parameters::<DirQuery>(), parameters::<EventQuery>()].concat(), "EventList", &[400, 404, 409, 503])},
        "/api/v1/attachment": {"get": attachment()},
        "/api/v1/record": {"get": record("getRecordIn", &parameters::<RecordQuery>())},
        "/api/v1/diff": {"get": operation(
            "diffRuns", "Compares two runs, as `runvet diff --json` does", &runs_to_compare,
            "Diff", &[400, 404, 409, 503])},
        "/api/v1/groups": {"get": operation(
            "compareGroups", "Compares runs by the values of a tag, as `runvet compare --by` does",
            &parameters::<GroupQuery>(), "GroupComparison", &[400, 404])},
        "/api/v1/statistics": {"get": operation(
            "getStatistics", "Sums up all runs", &[], "Sums", &[])},
        "/api/v1/rules": {"get": operation(
            "listRules", "Lists the rules", &[], "RuleList", &[])},
        "/api/v1/schemas/{name}": {"get": schema()},
        "/api/v1/check": {"post": check()},
        "/api/v1/changes": {"get": changes()},
        "/api/v1/openapi.json": {"get": json_document(
            "getDescription", "This document", "application/vnd.oai.openapi+json;version=3.1")},
        "/metrics": {"get": numbers()},
        "/healthz": {"get": health()},
        "/readyz": {"get": readiness()},
    })
}

/// Returns the parameters of a query, one for each field of its type.
fn parameters<T: JsonSchema>() -> Vec<Value> {
    // A query is read: what may be absent is not required.
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let required = schema
        .get("required")
        .and_then(Value::as_array);
    let parameters = properties.map(|(name, schema)| {
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
        let mut schema = schema.clone();
        let described = schema
            .as_object_mut()
            .and_then(|schema| schema.remove("description"));
        if let Some(Value::Array(kinds)) = schema.get("type") {
            // What is not wanted is left out, and never null.
            let kind = kinds
                .iter()
                .find(|kind| **kind != "null")
                .cloned();
            schema["type"] = kind.unwrap_or_default();
        }
        for name in ["format", "default"] {
            if let Some(schema) = schema.as_object_mut() {
                schema.remove(name);
            }
        }
        let described = described
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or_default();
        json!({
            "name": name, "in": "query", "required": is_required, "schema": schema,
            "description": described.replace('\n', " "),
        })
    });
    parameters.collect()
}

/// Returns an operation that answers with a value of a type.
fn operation(
    id: &str,
    summary: &str,
    parameters: &[Value],
    answer: &str,
    problems: &[u16],
) -> Value {
    let mut operation = answered(id, summary, "application/json", &document_ref(answer));
    operation["parameters"] = parameters.into();
    for status in problems {
        operation["responses"][status.to_string()] = problem(*status);
    }
    operation
}

fn check() -> Value {
    let mut operation = operation(
        "check",
        "Checks the records of one episode, and answers with its report",
        &[],
        "EpisodeReport",
        &[400, 413, 415, 503],
    );
    operation["requestBody"] = json!({
        "required": true,
        "content": content("application/json", &document_ref("CheckRequest")),
    });
    operation
}

fn problem(status: u16) -> Value {
    let description = match status {
        400 => "The request is wrong",
        404 => "There is no such run or schema",
        409 => "Several runs have this id: `keys` has their directories",
        413 => "The body is too large",
        415 => "The body is not JSON",
        503 => "The service is busy",
        _ => "The service refuses the request",
    };
    let content = content("application/problem+json", &document_ref("Problem"));
    json!({"description": description, "content": content})
}

/// Says of a list that the ids of its items lead to runs.
fn leading_to_runs(mut operation: Value) -> Value {
    let id = |at: usize| json!(format!("$response.body#/items/{at}/id"));
    operation["responses"]["200"]["links"] = json!({
        "run": {"operationId": "getRun", "parameters": {"id": id(0)}},
        "events": {"operationId": "listEvents", "parameters": {"id": id(0)}},
        "record": {"operationId": "getRecord", "parameters": {"id": id(0)}},
        "differences": {"operationId": "diffRuns", "parameters": {"left": id(0), "right": id(1)}},
    });
    operation
}

fn id() -> Value {
    json!({
        "name": "id", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The run's id, or its directory with each `/` written as %2F",
    })
}

fn record(id: &str, parameters: &[Value]) -> Value {
    let summary = "A record of a run, byte for byte as it is stored, whether or not it is JSON";
    let mut operation = plain(id, summary, "application/json");
    let answer = json!({});
    operation["responses"]["200"]["content"] = json!({
        "application/json": answer, "application/jsonl": answer,
    });
    operation["parameters"] = parameters.into();
    for status in [400, 404, 409, 503] {
        operation["responses"][status.to_string()] = problem(status);
    }
    operation
}

fn attachment() -> Value {
    let summary = "A file that was attached to a run, if its content has the digest in its name";
    let mut operation = plain("getAttachment", summary, "application/octet-stream");
    operation["parameters"] = parameters::<RecordQuery>().into();
    let pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    for kind in pictures {
        operation["responses"]["200"]["content"][kind] = json!({});
    }
    for status in [400, 404, 409, 503] {
        operation["responses"][status.to_string()] = problem(status);
    }
    operation
}

fn schema() -> Value {
    let names: Vec<&str> = crate::look::schemas::Schema::ALL
        .iter()
        .map(|schema| schema.word())
        .collect();
    let mut operation = json_document("getSchema", "A JSON Schema", "application/schema+json");
    operation["parameters"] = json!([{
        "name": "name", "in": "path", "required": true,
        "schema": {"type": "string", "enum": names},
    }]);
    operation["responses"]["404"] = problem(404);
    operation
}

fn changes() -> Value {
    let mut operation = plain(
        "listen",
        "Changes as they happen: server-sent events `verdict` (a run's item), `written` (the \
         directory of a run whose files were written, while its item stays as it was), `gone` (a \
         run's directory), `whole` (whether all runs were looked at has changed, or what could \
         not be) and `lost` (the client was too slow: list the runs again)",
        "text/event-stream",
    );
    operation["responses"]["503"] = problem(503);
    operation
}

fn numbers() -> Value {
    let mut operation = plain("getMetrics", "Numbers for monitoring", OPEN_METRICS);
    let content = &mut operation["responses"]["200"]["content"];
    content[CLASSIC] = content[OPEN_METRICS].clone();
    operation
}

fn health() -> Value {
    let mut operation = plain("getHealth", "Whether the service answers", PLAIN_TEXT);
    operation["security"] = json!([]);
    operation
}

fn readiness() -> Value {
    let summary = "Whether all runs that were there at the start were looked at";
    let mut operation = plain("getReadiness", summary, PLAIN_TEXT);
    operation["security"] = json!([]);
    operation["responses"]["503"] = problem(503);
    operation
}

fn plain(id: &str, summary: &str, kind: &str) -> Value {
    answered(id, summary, kind, &json!({"type": "string"}))
}

fn json_document(id: &str, summary: &str, kind: &str) -> Value {
    answered(id, summary, kind, &json!({"type": "object"}))
}

fn answered(id: &str, summary: &str, kind: &str, schema: &Value) -> Value {
    json!({
        "operationId": id, "summary": summary,
        "responses": {
            "200": {"description": summary, "content": content(kind, schema)},
            "default": problem(0),
        },
    })
}

#[test]
fn description_is_derived_from_the_types() {
    bless::check("schemas/openapi.json", &generate());
}
