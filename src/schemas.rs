//! All schemas that ship with runvet: their texts, and how they are generated from Rust types.

use schemars::generate::SchemaSettings;
use schemars::{Schema as GeneratedSchema, transform::RecursiveTransform};

use crate::check::RuleList;
use crate::config::Config;
use crate::diff::Diff;
use crate::document::Document;
use crate::finding::Report;
use crate::plan::PlanPage;
use crate::read::Listing;
use crate::record::{self, Event, State, Summary};
use crate::recorder::protocol::{Answer, Command};
use crate::schema;
use crate::view::RunPage;
use crate::words::words;

static REPORT: schema::Schema = schema::Schema::new(include_str!("../schemas/report.schema.json"));
static VIEW: schema::Schema = schema::Schema::new(include_str!("../schemas/view.schema.json"));
static LIST: schema::Schema = schema::Schema::new(include_str!("../schemas/list.schema.json"));
static PLAN: schema::Schema = schema::Schema::new(include_str!("../schemas/plan.schema.json"));
static DIFF: schema::Schema = schema::Schema::new(include_str!("../schemas/diff.schema.json"));
static RULES: schema::Schema = schema::Schema::new(include_str!("../schemas/rules.schema.json"));
static RECORD_COMMAND: schema::Schema =
    schema::Schema::new(include_str!("../schemas/record-command.schema.json"));
static RECORD_ANSWER: schema::Schema =
    schema::Schema::new(include_str!("../schemas/record-answer.schema.json"));
static CONFIG: schema::Schema = schema::Schema::new(include_str!("../schemas/config.schema.json"));

/// A schema that ships with runvet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schema {
    /// `state.json`
    State,
    /// `summary.json`
    Summary,
    /// A line of `events.jsonl`
    Event,
    /// What `runvet validate --format json` prints
    Report,
    /// What `runvet view --json` prints
    View,
    /// What `runvet list --format json` prints
    List,
    /// What `runvet plan --json` prints
    Plan,
    /// What `runvet diff --json` prints
    Diff,
    /// What `runvet rules --format json` prints
    Rules,
    /// A line that `runvet record` reads
    RecordCommand,
    /// A line that `runvet record` prints
    RecordAnswer,
    /// `runvet.toml`
    Config,
}

words!(Schema {
    State = "state",
    Summary = "summary",
    Event = "event",
    Report = "report",
    View = "view",
    List = "list",
    Plan = "plan",
    Diff = "diff",
    Rules = "rules",
    RecordCommand = "record-command",
    RecordAnswer = "record-answer",
    Config = "config",
});

impl Schema {
    const fn compiled(self) -> &'static schema::Schema {
        match self {
            Self::State => &schema::STATE,
            Self::Summary => &schema::SUMMARY,
            Self::Event => &schema::EVENT,
            Self::Report => &REPORT,
            Self::View => &VIEW,
            Self::List => &LIST,
            Self::Plan => &PLAN,
            Self::Diff => &DIFF,
            Self::Rules => &RULES,
            Self::RecordCommand => &RECORD_COMMAND,
            Self::RecordAnswer => &RECORD_ANSWER,
            Self::Config => &CONFIG,
        }
    }

    /// The schema's text: byte for byte the file `schemas/<word>.schema.json`.
    ///
    /// ```
    /// let schema: serde_json::Value = serde_json::from_str(runvet::Schema::State.text()).unwrap();
    /// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    /// ```
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.compiled().text()
    }

    /// Whether a document is valid against the schema.
    ///
    /// ```
    /// use runvet::{Schema, document::Tape};
    /// let mut tape = Tape::default();
    /// let event = br#"{"phase": "start", "timestamp": "2026-03-01T12:00:00Z", "payload": {}}"#;
    /// assert!(Schema::Event.is_valid(tape.read(event).unwrap()));
    /// assert!(!Schema::Event.is_valid(tape.read(b"{}").unwrap()));
    /// ```
    #[must_use]
    pub fn is_valid(self, document: Document<'_>) -> bool {
        self.compiled()
            .violations(document)
            .is_ok_and(|violations| violations.is_empty())
    }

    /// The schema's text as it is generated from the Rust types: what `make bless` writes.
    #[doc(hidden)]
    #[must_use]
    pub fn generate(self) -> String {
        let settings = match self {
            Self::View
            | Self::List
            | Self::Plan
            | Self::Diff
            | Self::Rules
            | Self::RecordAnswer => SchemaSettings::draft2020_12()
                .for_serialize()
                .with_transform(RecursiveTransform(record::written_may_be_null)),
            _ => SchemaSettings::draft2020_12()
                .with_transform(RecursiveTransform(record::absent_is_not_null)),
        };
        let mut generator = settings
            .with_transform(RecursiveTransform(tidy))
            .into_generator();
        let schema = match self {
            Self::State => generator.into_root_schema_for::<State>(),
            Self::Summary => generator.into_root_schema_for::<Summary>(),
            Self::Event => {
                record::payload_schemas(&mut generator);
                generator.into_root_schema_for::<Event>()
            }
            Self::Report => generator.into_root_schema_for::<Report>(),
            Self::View => generator.into_root_schema_for::<RunPage>(),
            Self::List => generator.into_root_schema_for::<Listing>(),
            Self::Plan => generator.into_root_schema_for::<PlanPage>(),
            Self::Diff => generator.into_root_schema_for::<Diff>(),
            Self::Rules => generator.into_root_schema_for::<RuleList>(),
            Self::RecordCommand => generator.into_root_schema_for::<Command>(),
            Self::RecordAnswer => generator.into_root_schema_for::<Answer>(),
            Self::Config => generator.into_root_schema_for::<Config>(),
        };
        let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Removes what is specific to Rust: formats such as `uint64`, which JSON Schema does not define,
/// and the line breaks of documentation comments.
pub(crate) fn tidy(schema: &mut GeneratedSchema) {
    if let Some(serde_json::Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    // An option that the configuration leaves out is absent, not null.
    if schema
        .get("default")
        .is_some_and(serde_json::Value::is_null)
        && schema.get("type").is_some_and(serde_json::Value::is_string)
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
