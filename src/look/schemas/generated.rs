//! The Rust types -> the texts of the schemas, which `make bless` writes.

#![cfg(test)]

#[expect(
    clippy::disallowed_methods,
    reason = "files of the repository are not run data"
)]
#[path = "../../../tests/it/support/bless.rs"]
pub(crate) mod bless;

use schemars::generate::SchemaSettings;
use schemars::{
    JsonSchema, Schema as GeneratedSchema, SchemaGenerator, transform::RecursiveTransform,
};

use serde_json::{Map, Value};

use super::Schema;
use crate::gate::Gate;
use crate::gate::config::Config;
use crate::ground::finding::Report;
use crate::ground::record::{self, Event, LISTED, State, StepStatus, Summary, any_value};
use crate::judge::check::RuleList;
use crate::look::compare::{Comparison, GroupComparison};
use crate::look::coverage::RunsCoverage;
use crate::look::diff::{Diff, compare, opened};
use crate::look::impact::Impact;
use crate::look::plan::PlanPage;
use crate::look::read::{RunListing, RunReader};
use crate::look::table::{ActionRow, EventRow, FindingRow, Row, RunRow, StepRow};
use crate::look::view::RunPage;
use crate::policy::team::Pack;
use crate::proof::Statement;
use crate::recorder::protocol::{Answer, RecorderCommand};

/// Returns the text of a schema as it is generated from the Rust types, and as `make bless` writes
/// it.
fn generate(schema: Schema) -> String {
    let settings = match schema {
        // What is read, too.
        Schema::State
        | Schema::Summary
        | Schema::Event
        | Schema::Report
        | Schema::Seal
        | Schema::RecordCommand
        | Schema::Config
        | Schema::Pack => {
            SchemaSettings::draft2020_12().with_transform(RecursiveTransform(absent_is_not_null))
        }
        _ => SchemaSettings::draft2020_12()
            .for_serialize()
            .with_transform(RecursiveTransform(written_may_be_null)),
    };
    let mut generator = settings
        .with_transform(RecursiveTransform(tidy))
        .into_generator();
    let generated = match schema {
        Schema::State => generator.into_root_schema_for::<State>(),
        Schema::Summary => generator.into_root_schema_for::<Summary>(),
        Schema::Event => {
            payload_schemas(&mut generator);
            generator.into_root_schema_for::<Event>()
        }
        Schema::Report => generator.into_root_schema_for::<Report>(),
        Schema::View => generator.into_root_schema_for::<RunPage>(),
        Schema::List => generator.into_root_schema_for::<RunListing>(),
        Schema::Plan => generator.into_root_schema_for::<PlanPage>(),
        Schema::Diff => generator.into_root_schema_for::<Diff>(),
        Schema::Compare => generator.into_root_schema_for::<Comparison>(),
        Schema::Groups => generator.into_root_schema_for::<GroupComparison>(),
        Schema::Coverage => generator.into_root_schema_for::<RunsCoverage>(),
        Schema::Impact => generator.into_root_schema_for::<Impact>(),
        Schema::Rules => generator.into_root_schema_for::<RuleList>(),
        Schema::Seal => generator.into_root_schema_for::<Statement>(),
        Schema::RecordCommand => generator.into_root_schema_for::<RecorderCommand>(),
        Schema::RecordAnswer => generator.into_root_schema_for::<Answer>(),
        Schema::Config => generator.into_root_schema_for::<Config>(),
        Schema::Pack => generator.into_root_schema_for::<Pack>(),
        Schema::TableRuns => row_of::<RunRow<'_>>(generator, schema),
        Schema::TableSteps => row_of::<StepRow<'_>>(generator, schema),
        Schema::TableActions => row_of::<ActionRow<'_>>(generator, schema),
        Schema::TableEvents => row_of::<EventRow<'_>>(generator, schema),
        Schema::TableFindings => row_of::<FindingRow<'_>>(generator, schema),
    };
    let mut text = serde_json::to_string_pretty(&generated).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the schema of a row of a table; the order of `required` is that of the columns.
fn row_of<T: JsonSchema>(generator: SchemaGenerator, schema: Schema) -> GeneratedSchema {
    let mut generated = generator.into_root_schema_for::<Row<'_, T>>();
    let table = schema
        .word()
        .trim_start_matches("table-");
    let title = format!("Row of runvet table {table}");
    generated.insert("title".to_owned(), title.into());
    let about = SchemaGenerator::default().into_root_schema_for::<T>();
    if let Some(about) = about.get("description") {
        generated.insert("description".to_owned(), about.clone());
    }
    let id = record::schema_id(schema.word());
    generated.insert("$id".to_owned(), id.into());
    generated
}

/// The keyword by which a type says that a redacted copy keeps a text, and why. It is no part of
/// the schemas.
const STAYS: &str = "x-stays";

/// Removes the parts that are specific to Rust: formats such as `uint64`, which JSON Schema does
/// not define, and the line breaks of documentation comments.
pub(crate) fn tidy(schema: &mut GeneratedSchema) {
    schema.remove(STAYS);
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    list_meanings(schema);
    // An option that the configuration leaves out is absent, not null.
    if schema
        .get("default")
        .is_some_and(Value::is_null)
        && (schema
            .get("type")
            .is_some_and(Value::is_string)
            || schema.get("$ref").is_some())
    {
        schema.remove("default");
    }
    if schema
        .get("format")
        .is_some_and(|format| format != "date-time")
    {
        schema.remove("format");
    }
}

/// The payload of a `plan` event. The latest `plan` event defines the plan.
#[expect(dead_code, reason = "a schema is derived from it")]
#[derive(JsonSchema)]
struct PlanPayload {
    /// The origin of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "record::nullable::<String>", extend("examples" = ["planner.minimal"], "x-stays" = "id"))]
    source: Option<String>,
    /// The agent that made the plan. Used as the origin of the plan when `source` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "record::nullable::<String>", extend("x-stays" = "id"))]
    agent_id: Option<String>,
    /// The steps as records, in the form of the state's `plan.steps`. They take precedence over
    /// `steps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "record::nullable::<Vec<Map<String, Value>>>")]
    step_records: Option<Vec<Map<String, Value>>>,
    /// The steps as labels of the form `<kind>:<description>`, the format of older runtimes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "record::nullable::<Vec<String>>", extend("examples" = [["detect:Collect context", "act:Answer"]], "x-stays" = "label"))]
    steps: Option<Vec<String>>,
}

/// The payload of an `act` event. It also has the fields that the action record mirrors: `kind`,
/// `tool`, `input_excerpt`, `result_status`, and keys that start with `x-`. With `synthetic` = true
/// the runtime filled the event in, and nothing was done.
#[expect(dead_code, reason = "a schema is derived from it")]
#[derive(JsonSchema)]
struct ActPayload {
    /// The id of the plan step that the action belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["step-1"], "x-stays" = "id"))]
    step_id: Option<String>,
    /// The status of that step after the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step_status: Option<StepStatus>,
    /// The id of the action record that mirrors the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("examples" = ["act-1"], "x-stays" = "id"))]
    action_id: Option<Value>,
    /// The id of the action record, when `action_id` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_value", extend("x-stays" = "id"))]
    id: Option<Value>,
}

/// The payload of a `run.state_projection` event: a copy of parts of the state record that is
/// persisted with it. `outcomes` and `links` are needed.
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
    #[schemars(schema_with = "any_value", extend("x-stays" = "digest"))]
    state_sha256: Option<Value>,
}

/// Registers the payloads with a generator, because `describe_payloads` refers to them by name.
fn payload_schemas(generator: &mut SchemaGenerator) {
    generator.subschema_for::<PlanPayload>();
    generator.subschema_for::<ActPayload>();
    generator.subschema_for::<StateProjectionPayload>();
}

/// Lists the values of an `enum` with their meanings in the description: a keyword of their own
/// would not be one of JSON Schema, and strict validators refuse those.
fn list_meanings(schema: &mut GeneratedSchema) {
    let Some(Value::Array(meanings)) = schema.remove(record::MEANINGS) else {
        return;
    };
    let values = schema
        .get("enum")
        .and_then(Value::as_array);
    let listed = values
        .into_iter()
        .flatten()
        .zip(&meanings)
        .map(|(value, meaning)| {
            let meaning = text(meaning).replace('\n', " ");
            format!("{LISTED}`{}`: {meaning}", text(value))
        });
    let about = schema
        .get("description")
        .map_or("", text)
        .to_owned();
    let described: String = std::iter::once(about)
        .chain(listed)
        .collect();
    schema.insert("description".into(), described.into());
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Removes `null` from fields that may be absent, and keeps it for fields that are always there:
/// for records that runvet writes.
pub(crate) fn written_may_be_null(schema: &mut GeneratedSchema) {
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned();
    let is_required = |name: &str| {
        required
            .iter()
            .flatten()
            .any(|required| required == name)
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let mut kept = Map::new();
    for (name, property) in properties
        .iter_mut()
        .filter(|(name, _)| is_required(name))
    {
        if let Some(property) = property.as_object_mut() {
            property.remove(record::NULLABLE);
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
fn absent_is_not_null(schema: &mut GeneratedSchema) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties
            .values_mut()
            .filter_map(Value::as_object_mut)
        {
            if property
                .remove(record::NULLABLE)
                .is_some()
            {
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

/// Returns what a redacted copy does with each text of the records: a line for each place.
fn natures() -> String {
    fn root<T: JsonSchema>() -> Value {
        SchemaSettings::draft2020_12()
            .into_generator()
            .into_root_schema_for::<T>()
            .into()
    }
    let roots = [
        ("state", "", root::<State>()),
        ("summary", "", root::<Summary>()),
        ("event", "", root::<Event>()),
        ("plan", "/payload", root::<PlanPayload>()),
        ("act", "/payload", root::<ActPayload>()),
        ("runtime", "/payload", root::<StateProjectionPayload>()),
    ];
    let mut lines = String::new();
    for (record, pointer, root) in &roots {
        natures_of(root, root, (record, pointer), None, &mut lines);
    }
    lines
}

/// Returns the nature of a text by its schema.
fn nature_of(schema: &Value) -> String {
    let words = schema
        .get("enum")
        .and_then(Value::as_array)
        .filter(|words| words.iter().all(Value::is_string));
    let is_time = schema
        .get("format")
        .is_some_and(|it| it == "date-time");

    match words {
        Some(words) => {
            let words: Vec<&str> = words.iter().map(text).collect();
            format!("word {}", words.join(" "))
        }
        None if is_time => "time".to_owned(),
        None => "goes".to_owned(),
    }
}

/// Adds the natures of the texts of a schema.
fn natures_of(
    root: &Value,
    schema: &Value,
    (record, pointer): (&str, &str),
    around: Option<&str>,
    lines: &mut String,
) {
    let own = schema.get(STAYS).map(text).or(around);
    if let Some(Value::String(reference)) = schema.get("$ref") {
        let target = root
            .pointer(reference.trim_start_matches('#'))
            .unwrap();
        return natures_of(root, target, (record, pointer), own, lines);
    }
    if let Some(Value::Array(options)) = schema.get("anyOf") {
        for option in options {
            natures_of(root, option, (record, pointer), own, lines);
        }
        return;
    }
    let mut is_container = false;
    let properties = schema
        .get("properties")
        .and_then(Value::as_object);
    for (name, below) in properties.into_iter().flatten() {
        is_container = true;
        let pointer = format!("{pointer}/{name}");
        natures_of(root, below, (record, &pointer), None, lines);
    }
    let others = schema.get("additionalProperties");
    for below in others
        .into_iter()
        .chain(schema.get("items"))
    {
        if below.is_object() || below == true {
            is_container = true;
            let pointer = format!("{pointer}/*");
            natures_of(root, below, (record, &pointer), own, lines);
        }
    }
    let is_text = match schema.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.contains(&"string".into()),
        _ => true,
    };
    if is_container || !is_text {
        return;
    }
    let nature = own.map_or_else(|| nature_of(schema), str::to_owned);
    lines.extend([record, " ", pointer, " ", &nature, "\n"]);
}

#[test]
fn natures_are_derived_from_the_types() {
    bless::check("src/redact/natures.txt", &natures());
}

#[test]
fn schema_files_are_derived_from_the_types() {
    for schema in Schema::ALL.iter().copied() {
        let file = format!("schemas/{schema}.schema.json");
        bless::check(&file, &generate(schema));
    }
}

#[test]
fn plans_and_differences_are_what_their_schemas_say() {
    let [plan, diff] = [Schema::Plan, Schema::Diff].map(|schema| {
        let schema = serde_json::from_str(schema.text()).unwrap();
        let options = jsonschema::options().should_validate_formats(true);
        options.build(&schema).unwrap()
    });
    let mut gate = Gate::default();
    let runs: Vec<RunReader> = gate
        .discover(&["corpus"])
        .episodes
        .into_iter()
        .map(RunReader::from)
        .collect();
    let good = RunReader::open("corpus/good/terminal/episodes/ep_answer").unwrap();
    let good = opened(&good, &mut gate).unwrap();
    let (mut plans, mut differences) = (0, 0);
    for run in &runs {
        // A record that is not JSON has no plan, and can't be compared.
        if let Ok(page) = PlanPage::new(run) {
            let page = serde_json::to_value(page).unwrap();
            assert!(plan.is_valid(&page), "{}: {page}", run.path().display());
            plans += 1;
        }
        if let Ok(subject) = opened(run, &mut gate) {
            let found = serde_json::to_value(compare(&good, &subject).unwrap()).unwrap();
            assert!(diff.is_valid(&found), "{}: {found}", run.path().display());
            differences += 1;
        }
    }
    assert!(
        plans.min(differences) > 100,
        "{plans} plans, {differences} differences"
    );
}
