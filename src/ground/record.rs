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

/// Holds the meanings of an `enum` until `list_meanings` has run.
pub(crate) const MEANINGS: &str = "x-meanings";

/// Stands before each value that a description lists.
pub(crate) const LISTED: &str = "\n- ";

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

/// Marks a property that may be null until `absent_is_not_null` has run.
pub(crate) const NULLABLE: &str = "x-nullable";
