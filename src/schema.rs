//! The checked-in schemas, each compiled once: a document -> the places where it violates its
//! schema.
//!
//! The files in `schemas/` are derived from the types in [`crate::record`] and
//! [`crate::finding`] and embedded here. What a file says is what is asserted. A record that is right is recognised by a fast reading of its schema ([`shape`]);
//! all others go to the `jsonschema` validator, which alone says what is wrong with them.

mod instance;
mod shape;
mod violation;

use std::ops::Range;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use schemars::generate::SchemaSettings;
use schemars::{Schema as GeneratedSchema, transform::RecursiveTransform};

use crate::config::Config;
use crate::document::{Document, Node};
use crate::finding::Report;
use crate::record::{self, Event, State, Summary};
use crate::timestamp::Timestamp;
use instance::Tape;
use shape::{Glance, Shapes};
pub(crate) use violation::Violation;

/// Violations of one record up to which each is told. A record with more is none at all: what wrote
/// it meant something else, and a list of millions would help nobody and could exhaust the memory.
pub(crate) const MAX_VIOLATIONS: usize = 100_000;

/// A schema that ships with runvet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// `state.json`
    State,
    /// `summary.json`
    Summary,
    /// A line of `events.jsonl`
    Event,
    /// What `runvet validate --format json` prints
    Report,
    /// `runvet.toml`
    Config,
}

/// A document has more violations than [`MAX_VIOLATIONS`].
#[derive(Debug)]
pub(crate) struct TooManyViolations;

/// A schema, ready to judge.
struct Compiled {
    shapes: Shapes,
    validator: OnceLock<Validator<Tape>>,
}

impl Schema {
    /// All schemas, in the order in which they are declared.
    pub const ALL: [Self; 5] = [
        Self::State,
        Self::Summary,
        Self::Event,
        Self::Report,
        Self::Config,
    ];

    /// The name by which `runvet schema` knows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Summary => "summary",
            Self::Event => "event",
            Self::Report => "report",
            Self::Config => "config",
        }
    }

    /// The schema's text: byte for byte the file `schemas/<name>.schema.json`.
    ///
    /// ```
    /// let schema: serde_json::Value = serde_json::from_str(runvet::Schema::State.text()).unwrap();
    /// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    /// ```
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::State => include_str!("../schemas/state.schema.json"),
            Self::Summary => include_str!("../schemas/summary.schema.json"),
            Self::Event => include_str!("../schemas/event.schema.json"),
            Self::Report => include_str!("../schemas/report.schema.json"),
            Self::Config => include_str!("../schemas/config.schema.json"),
        }
    }

    /// The schema's text as the Rust types say it should be: what `make bless` writes.
    ///
    /// # Panics
    ///
    /// Never: a generated schema is made of JSON values.
    #[must_use]
    pub fn generate(self) -> String {
        let settings = SchemaSettings::draft2020_12()
            .with_transform(RecursiveTransform(record::absent_is_not_null));
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
            Self::Config => generator.into_root_schema_for::<Config>(),
        };
        let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Whether a document is what the schema describes.
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
        self.violations(document)
            .is_ok_and(|violations| violations.is_empty())
    }

    /// Looks over a document; what a [`Glance`] does not settle is for [`Schema::violations`] and
    /// [`Schema::misspellings`] to tell.
    pub(crate) fn glance(self, document: Document<'_>) -> Glance {
        self.compiled().shapes.glance(document.root())
    }

    /// The places where a document violates the schema, in the order of the text.
    pub(crate) fn violations(
        self,
        document: Document<'_>,
    ) -> Result<Vec<Violation>, TooManyViolations> {
        self.violations_after(self.glance(document), document)
    }

    /// The same, after a look over the document.
    pub(crate) fn violations_after(
        self,
        glance: Glance,
        document: Document<'_>,
    ) -> Result<Vec<Violation>, TooManyViolations> {
        if glance.is_valid {
            return Ok(Vec::new());
        }
        if self
            .compiled()
            .shapes
            .count_failures(document.root(), MAX_VIOLATIONS)
            >= MAX_VIOLATIONS
        {
            return Err(TooManyViolations);
        }
        Ok(self.violations_by_validator(document))
    }

    /// The violations as the general validator tells them.
    pub(crate) fn violations_by_validator(self, document: Document<'_>) -> Vec<Violation> {
        violation::explain(
            document,
            self.validator()
                .iter_errors(instance::Instance::Node(document.root())),
        )
    }

    /// The first place where a document can't be read as what the schema describes, and why. A
    /// version that is not the current one does not count: readers read newer minor versions.
    pub(crate) fn misfit(self, document: Document<'_>) -> Option<(Range<usize>, String)> {
        let Ok(violations) = self.violations(document) else {
            return Some((
                0..0,
                format!("it violates its schema in {MAX_VIOLATIONS} places or more"),
            ));
        };
        let is_version = |violation: &Violation| {
            matches!(
                violation.pointer.as_str(),
                "/version" | "/state_schema_version" | "/schema_version"
            )
        };
        let first = violations
            .into_iter()
            .find(|violation| !is_version(violation))?;
        Some((document.span_of(first.token)?, first.message))
    }

    /// Fields that the schema does not know, where one that it knows and that is absent is spelled
    /// almost alike.
    pub(crate) fn misspellings(self, root: Node<'_>) -> Vec<shape::Misspelling<'_>> {
        self.compiled().shapes.misspellings(root)
    }

    fn compiled(self) -> &'static Compiled {
        static COMPILED: [OnceLock<Compiled>; 5] = [const { OnceLock::new() }; 5];
        let [state, summary, event, report, config] = &COMPILED;
        let slot = match self {
            Self::State => state,
            Self::Summary => summary,
            Self::Event => event,
            Self::Report => report,
            Self::Config => config,
        };
        slot.get_or_init(|| Compiled {
            shapes: Shapes::compile(&self.parsed()),
            validator: OnceLock::new(),
        })
    }

    fn parsed(self) -> serde_json::Value {
        serde_json::from_str(self.text()).unwrap_or_default()
    }

    fn validator(self) -> &'static Validator<Tape> {
        self.compiled().validator.get_or_init(|| {
            jsonschema::options_for::<Tape>()
                .with_draft(jsonschema::Draft::Draft202012)
                .should_validate_formats(true)
                .should_ignore_unknown_formats(false)
                .with_format("date-time", Timestamp::is_valid)
                .with_pattern_options(PatternOptions::regex())
                .offline()
                .build(&self.parsed())
                .unwrap_or_else(|error| panic!("{} is not a usable schema: {error}", self.name()))
        })
    }
}

/// Takes away what comes from Rust alone: formats such as `uint64`, which JSON Schema does not
/// know, and the line breaks of documentation comments.
fn tidy(schema: &mut GeneratedSchema) {
    if let Some(serde_json::Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    // An option that the configuration leaves out is absent, and not null.
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
