//! The records of a run as Rust types, the single source from which the schemas in `schemas/` are
//! derived.
//!
//! The documentation comments of these types and fields become the descriptions in the schemas. The
//! types define what a record *must* be, but a check validates against the schema, never by
//! deserializing into these types.

mod event;
pub(crate) mod format;
pub(crate) mod phases;
mod scalar;
mod state;
mod summary;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

pub use event::Event;
#[cfg(test)]
pub(crate) use event::payload_schemas;
pub use scalar::{Count, DateTime};
pub(crate) use state::STATE_FIELDS;
pub use state::{
    Action, Belief, Episode, Fact, Goal, IntuitionMode, Links, Memory, Outcomes, Plan, RunStatus,
    State, Step, StepKind, StepStatus,
};
pub use summary::{
    AdapterResult, Direction, Flags, Insight, InsightMetrics, Latencies, Metrics, RuntimeMode,
    Snapshots, Summary, SummaryOutcome, Verification, VerificationPolicy, WorkspaceDiff,
};

/// Returns the `$id` of a schema: a name, not an address, so no program ever fetches it.
pub(crate) fn schema_id(name: &str) -> String {
    format!("urn:runvet:schema:{name}")
}

/// Turns the `oneOf` that schemars derives from documented variants into an `enum`: validators then
/// name the allowed values in one error.
pub(crate) fn describe_values(schema: &mut Schema) {
    let Some(Value::Array(variants)) = schema.remove("oneOf") else {
        return;
    };
    let of_each = |key: &str| {
        variants
            .iter()
            .filter_map(|variant| variant.get(key).cloned())
            .collect::<Vec<_>>()
    };
    schema.insert("type".into(), "string".into());
    schema.insert("enum".into(), of_each("const").into());
    schema.insert(MEANINGS.into(), of_each("description").into());
}

/// Holds the meanings of an `enum` until [`list_meanings`] has run.
const MEANINGS: &str = "x-meanings";

/// Stands before each value that a description lists.
pub(crate) const LISTED: &str = "\n- ";

/// Lists the values of an `enum` with their meanings in the description: a keyword of their own
/// would not be one of JSON Schema, and strict validators refuse those.
#[cfg(test)]
pub(crate) fn list_meanings(schema: &mut Schema) {
    let Some(Value::Array(meanings)) = schema.remove(MEANINGS) else {
        return;
    };
    let values = schema.get("enum").and_then(Value::as_array);
    let listed = values.into_iter().flatten().zip(&meanings);
    let listed = listed.map(|(value, meaning)| {
        let meaning = text(meaning).replace('\n', " ");
        format!("{LISTED}`{}`: {meaning}", text(value))
    });
    let about = schema.get("description").map_or("", text).to_owned();
    let described: String = std::iter::once(about).chain(listed).collect();
    schema.insert("description".into(), described.into());
}

#[cfg(test)]
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the schema of a value that may also be null, as one object instead of an `anyOf`.
pub(crate) fn nullable<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    if let Some(kind) = schema.remove("type") {
        schema.insert("type".into(), Value::Array(vec![kind, "null".into()]));
    }
    schema.insert(NULLABLE.into(), true.into());
    schema
}

/// Returns the schema that every value satisfies.
pub(crate) fn any_value(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}

/// Marks a property that may be null until [`absent_is_not_null`] has run.
const NULLABLE: &str = "x-nullable";

/// Removes `null` from fields that may be absent, and keeps it for fields that are always there:
/// for records that runvet writes.
#[cfg(test)]
pub(crate) fn written_may_be_null(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let is_required = |name: &str| {
        let mut names = required.iter().flatten();
        names.any(|required| required == name)
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let mut kept = serde_json::Map::new();
    for (name, property) in properties.iter_mut().filter(|(name, _)| is_required(name)) {
        if let Some(property) = property.as_object_mut() {
            property.remove(NULLABLE);
        }
        kept.insert(name.clone(), property.clone());
    }
    absent_is_not_null(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.extend(kept);
    }
}

/// Removes the `null` that schemars adds for an `Option` from every property of the schema: an
/// optional field may be absent, but null is allowed only where the type says so.
#[cfg(test)]
pub(crate) fn absent_is_not_null(schema: &mut Schema) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            if property.remove(NULLABLE).is_some() {
                continue;
            }
            if let Some(Value::Array(kinds)) = property.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                if let [only] = kinds.as_slice() {
                    let only = only.clone();
                    property.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(mut options)) = property.remove("anyOf") {
                options.retain(|option| option.get("type") != Some(&"null".into()));
                if let [Value::Object(only)] = options.as_slice() {
                    property.extend(only.clone());
                } else {
                    property.insert("anyOf".into(), options.into());
                }
            }
        }
    }
}
