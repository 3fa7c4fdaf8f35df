//! The checked-in schemas of the records, each compiled once: a document -> the places where it
//! violates its schema.
//!
//! The files in `schemas/` alone decide what is valid. A fast validator ([`shape`]) recognizes most
//! valid records. All others go to the `jsonschema` validator, which alone says what is wrong with
//! them.

mod advice;
mod bound;
mod branching;
mod declared;
mod exact;
mod infer;
mod instance;
mod reader;
mod shape;
mod violation;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use jsonschema::{PatternOptions, Retrieve, ValidationError, ValidationOptions, Validator};

use crate::ground::document::{Document, Layout, Node, Span, Tape};
use crate::ground::record::format::VERSION_FIELDS;
use crate::ground::source::Pointer;
use crate::ground::timestamp::Timestamp;
pub(crate) use advice::likely_word;
use bound::NumberKeyword;
pub(crate) use declared::DeclaredSchema;
pub(crate) use exact::parse_exactly;
pub(crate) use infer::Inferred;
use instance::{Instance, TapeJson};
pub(crate) use reader::SlotReader;
pub(crate) use shape::Misspelling;
use shape::Shapes;
pub(crate) use violation::Violation;

/// The number of violations of one record that are reported one by one. A file with more is
/// probably not such a record, and a list of millions would help nobody and could exhaust the
/// memory.
pub(crate) const MAX_VIOLATIONS: usize = 10_000;

/// A document has more violations than [`MAX_VIOLATIONS`].
#[derive(Debug)]
pub(crate) struct TooManyViolations;

/// The schema with a name in `schemas/`.
macro_rules! checked_in {
    ($name:literal) => {{
        static SCHEMA: $crate::reading::schema::CompiledSchema =
            $crate::reading::schema::CompiledSchema::new(include_str!(concat!(
                "../../schemas/",
                $name,
                ".schema.json"
            )));
        &SCHEMA
    }};
}
pub(crate) use checked_in;

/// The schema of `state.json`.
pub(crate) static STATE: CompiledSchema =
    CompiledSchema::new(include_str!("../../schemas/state.schema.json"));

/// The schema of `summary.json`.
pub(crate) static SUMMARY: CompiledSchema =
    CompiledSchema::new(include_str!("../../schemas/summary.schema.json"));

/// The schema of a line of `events.jsonl`.
pub(crate) static EVENT: CompiledSchema =
    CompiledSchema::new(include_str!("../../schemas/event.schema.json"));

/// The schema of a command to the recorder.
pub(crate) static RECORD_COMMAND: CompiledSchema =
    CompiledSchema::new(include_str!("../../schemas/record-command.schema.json"));

/// Returns `true` if a document satisfies a schema as far as the fast validator knows: where the
/// schema has a keyword beyond it, it says no.
pub(crate) fn certainly_satisfies(document: Document<'_>, schema: &str) -> bool {
    let root = document.root();
    Tape::default()
        .read(schema.as_bytes())
        .is_ok_and(|schema| {
            Shapes::compile_where(schema.root(), |key| root.get(key).is_some()).is_valid(root)
        })
}

/// Returns the violations of a schema of this project in a document, each error as a function reads
/// it.
pub(crate) fn errors<T>(
    document: Document<'_>,
    schema: &serde_json::Value,
    of: impl Fn(ValidationError<'_>) -> T,
) -> Vec<T> {
    validator_of(schema)
        .iter_errors(Instance::Node(document.root()))
        .map(of)
        .collect()
}

/// Returns the options to compile any schema: its formats are judged, and its patterns take linear
/// time.
fn options() -> ValidationOptions<'static, Arc<dyn Retrieve>, TapeJson> {
    let options = jsonschema::options_for::<TapeJson>()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        .with_format("date-time", Timestamp::is_valid)
        .with_format("regex", is_pattern)
        .with_pattern_options(PatternOptions::regex());

    NumberKeyword::ALL
        .into_iter()
        .fold(options, |options, it| {
            options.with_keyword(it.name(), move |schema, value, _| it.compile(schema, value))
        })
}

/// The bytes of a text that may be a pattern: a compiled one takes many times its length.
const MAX_PATTERN_BYTES: usize = 64 << 10;

/// Returns `true` if a text is a pattern, and no longer than one may be.
fn is_pattern(text: &str) -> bool {
    static PATTERN: LazyLock<Option<Validator>> = LazyLock::new(|| {
        jsonschema::options()
            .should_validate_formats(true)
            .build(&serde_json::json!({"format": "regex"}))
            .ok()
    });

    let is_pattern = |validator: &Validator| validator.is_valid(&text.into());
    text.len() <= MAX_PATTERN_BYTES && PATTERN.as_ref().is_some_and(is_pattern)
}

/// Returns the validator of a schema in `schemas/`.
fn validator_of(schema: &serde_json::Value) -> Validator<TapeJson> {
    options()
        .offline()
        .build(schema)
        .unwrap_or_else(|error| panic!("a checked-in schema is not usable: {error}"))
}

/// Returns the offsets of the values or keys that violate a schema, ascending.
pub(crate) fn offsets(document: Document<'_>, violations: &[Violation]) -> Vec<u32> {
    violations
        .iter()
        .filter_map(|it| document.span_of(it.token))
        .map(|span| Span::from(span).start())
        .collect()
}

/// A checked-in schema, compiled when it is first used.
pub(crate) struct CompiledSchema {
    text: &'static str,
    parsed: OnceLock<serde_json::Value>,
    shapes: OnceLock<Shapes>,
    validator: OnceLock<Validator<TapeJson>>,
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .finish_non_exhaustive()
    }
}

impl CompiledSchema {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            parsed: OnceLock::new(),
            shapes: OnceLock::new(),
            validator: OnceLock::new(),
        }
    }

    /// Returns the schema's text.
    pub(crate) const fn text(&self) -> &'static str {
        self.text
    }

    /// Returns a reader of texts that satisfy the schema, for the values at some places.
    pub(crate) fn slot_reader(&'static self, layout: &'static Layout) -> SlotReader {
        SlotReader::new(self.shapes(), layout)
    }

    /// Returns the places where a document violates the schema, in the order of the text.
    pub(crate) fn violations(
        &self,
        document: Document<'_>,
    ) -> Result<Vec<Violation>, TooManyViolations> {
        let shapes = self.shapes();
        if shapes.is_valid(document.root()) {
            return Ok(Vec::new());
        }
        if shapes.count_failures(document.root(), MAX_VIOLATIONS) >= MAX_VIOLATIONS {
            return Err(TooManyViolations);
        }

        let errors = self
            .validator()
            .iter_errors(Instance::Node(document.root()));
        let place = Pointer::default();

        Ok(violation::explain(document, &place, self.parsed(), errors))
    }

    /// Returns `true` if a document satisfies the schema, by the `jsonschema` validator alone: the
    /// fast one knows no schema with several forms.
    pub(crate) fn accepts(&self, document: Document<'_>) -> bool {
        self.validator()
            .is_valid(Instance::Node(document.root()))
    }

    /// Returns the violation in a document that has none of several forms, by the form that it
    /// probably should have.
    pub(crate) fn likeliest_violation(&self, document: Document<'_>, root: &str) -> Option<String> {
        let mut errors = self
            .validator()
            .iter_errors(Instance::Node(document.root()));
        let errors = violation::likeliest(errors.next()?);
        let place = Pointer::default();
        let violations = violation::explain(document, &place, self.parsed(), errors.into_iter());
        violation::message_of_likeliest(&violations, root)
    }

    /// Returns the first place where a document violates the schema, and how. A version that is not
    /// the current one is ignored, because readers accept newer minor versions.
    pub(crate) fn first_violation(&self, document: Document<'_>) -> Option<(Range<usize>, String)> {
        let Ok(violations) = self.violations(document) else {
            return Some((
                0..0,
                format!("it violates its schema in at least {MAX_VIOLATIONS} places"),
            ));
        };

        let is_version = |violation: &Violation| {
            violation
                .pointer
                .as_str()
                .strip_prefix('/')
                .is_some_and(|field| VERSION_FIELDS.contains(&field))
        };

        let first = violations
            .into_iter()
            .find(|violation| !is_version(violation))?;

        Some((document.span_of(first.token)?, first.message("the record")))
    }

    /// Returns unknown fields with a name similar to that of a known field that is absent.
    pub(crate) fn misspellings<'a>(&'static self, root: Node<'a>) -> Vec<Misspelling<'a>> {
        self.shapes().misspellings(root)
    }

    fn shapes(&self) -> &Shapes {
        self.shapes.get_or_init(|| {
            Tape::default()
                .read(self.text.as_bytes())
                .map_or_else(
                    |_| Shapes::default(),
                    |schema| Shapes::compile(schema.root()),
                )
        })
    }

    fn parsed(&self) -> &serde_json::Value {
        let parse = || serde_json::from_str(self.text).unwrap_or_default();
        self.parsed.get_or_init(parse)
    }

    fn validator(&self) -> &Validator<TapeJson> {
        self.validator
            .get_or_init(|| validator_of(self.parsed()))
    }
}
