//! The Rust types -> the texts of the schemas, which `make bless` writes.

#[expect(
    clippy::disallowed_methods,
    reason = "files of the repository are not run data"
)]
#[path = "../../tests/it/support/bless.rs"]
pub(crate) mod bless;

use schemars::generate::SchemaSettings;
use schemars::{
    JsonSchema, Schema as GeneratedSchema, SchemaGenerator, transform::RecursiveTransform,
};

use super::Schema;
use crate::check::RuleList;
use crate::compare::Comparison;
use crate::config::Config;
use crate::coverage::RunsCoverage;
use crate::diff::{Diff, compare, opened};
use crate::finding::Report;
use crate::gate::Gate;
use crate::impact::Impact;
use crate::plan::PlanPage;
use crate::read::{RunListing, RunReader};
use crate::record::{self, Event, State, Summary};
use crate::recorder::protocol::{Answer, RecorderCommand};
use crate::table::{ActionRow, EventRow, FindingRow, Row, RunRow, StepRow};
use crate::team::Pack;
use crate::view::RunPage;

/// Returns the text of a schema as it is generated from the Rust types, and as `make bless` writes
/// it.
fn generate(schema: Schema) -> String {
    let settings = match schema {
        // What is read, too.
        Schema::State
        | Schema::Summary
        | Schema::Event
        | Schema::Report
        | Schema::RecordCommand
        | Schema::Config
        | Schema::Pack => SchemaSettings::draft2020_12()
            .with_transform(RecursiveTransform(record::absent_is_not_null)),
        _ => SchemaSettings::draft2020_12()
            .for_serialize()
            .with_transform(RecursiveTransform(record::written_may_be_null)),
    };
    let mut generator = settings
        .with_transform(RecursiveTransform(tidy))
        .into_generator();
    let generated = match schema {
        Schema::State => generator.into_root_schema_for::<State>(),
        Schema::Summary => generator.into_root_schema_for::<Summary>(),
        Schema::Event => {
            record::payload_schemas(&mut generator);
            generator.into_root_schema_for::<Event>()
        }
        Schema::Report => generator.into_root_schema_for::<Report>(),
        Schema::View => generator.into_root_schema_for::<RunPage>(),
        Schema::List => generator.into_root_schema_for::<RunListing>(),
        Schema::Plan => generator.into_root_schema_for::<PlanPage>(),
        Schema::Diff => generator.into_root_schema_for::<Diff>(),
        Schema::Compare => generator.into_root_schema_for::<Comparison>(),
        Schema::Coverage => generator.into_root_schema_for::<RunsCoverage>(),
        Schema::Impact => generator.into_root_schema_for::<Impact>(),
        Schema::Rules => generator.into_root_schema_for::<RuleList>(),
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
    let table = schema.word().trim_start_matches("table-");
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

/// Removes the parts that are specific to Rust: formats such as `uint64`, which JSON Schema does
/// not define, and the line breaks of documentation comments.
pub(crate) fn tidy(schema: &mut GeneratedSchema) {
    if let Some(serde_json::Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    record::list_meanings(schema);
    // An option that the configuration leaves out is absent, not null.
    if schema
        .get("default")
        .is_some_and(serde_json::Value::is_null)
        && (schema.get("type").is_some_and(serde_json::Value::is_string)
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
    let runs = gate.discover(&["corpus"]).episodes.into_iter();
    let runs: Vec<RunReader> = runs.map(RunReader::from).collect();
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
            let found = serde_json::to_value(compare(&good, &subject)).unwrap();
            assert!(diff.is_valid(&found), "{}: {found}", run.path().display());
            differences += 1;
        }
    }
    assert!(
        plans.min(differences) > 100,
        "{plans} plans, {differences} differences"
    );
}
