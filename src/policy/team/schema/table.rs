//! The table of a schema, or of a version of a record -> the schema, and its mistakes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use super::{Expect, Judged, SchemaExample, TeamSchema};
use crate::ground::document::Tape;
use crate::ground::finding::Level;
use crate::ground::printable::quote;
use crate::ground::record::MEANINGS;
use crate::ground::select::{Glob, KeyPath};
use crate::ground::source::Artifact;
use crate::ground::spelling::did_you_mean;
use crate::policy::expression::steps_of_byte;
use crate::policy::team::TeamCheck;
use crate::policy::team::data::{RuleMeta, SelectorTable, StateOrSummary, TomlData, rule_id};
use crate::policy::team::reader::{FileReader, RuleTexts};
use crate::policy::team::selector::TeamSelector;

/// A schema for an open part of a record.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct SchemaTable {
    /// The name of the rule: a group and a subject. Groups of built-in rules are taken.
    #[schemars(schema_with = "rule_id")]
    id: Spanned<String>,
    #[serde(flatten)]
    meta: RuleMeta,
    /// The record that it judges: `event`, `action` (each item of `outcomes.actions` in the state),
    /// `state`, `summary`, `learn` (each line) or `manifest`, or the name of another file of the
    /// episode's directory, which ends with `.json`, or with `.jsonl` to judge each line.
    #[serde(default)]
    #[schemars(schema_with = "record_or_file")]
    record: Option<Spanned<String>>,
    /// The runs in which another file must be there: its absence is a finding [default: optional].
    #[serde(default)]
    #[schemars(with = "Expect")]
    expect: Option<Spanned<Expect>>,
    /// Selects the events or the actions that have all of these values. Absent to select all.
    #[serde(default, rename = "where")]
    #[schemars(with = "SelectorTable")]
    selector: Option<Spanned<TomlData>>,
    /// The JSON Pointer to the part of the record that the schema judges. Absent for the whole
    /// record. If the pointer leads nowhere, nothing is judged.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$", "$comment" = "message: a JSON Pointer starts with `/`", "examples" = ["/payload/input"]))]
    at: Option<Spanned<String>>,
    /// The file of the schema, relative to this file.
    #[serde(default)]
    #[schemars(with = "String", extend("examples" = ["refund.schema.json"]))]
    file: Option<Spanned<String>>,
    /// The schema, where it is not in a file of its own.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    schema: Option<Spanned<TomlData>>,
    /// Values that it allows or refuses, which `runvet rules --test` judges.
    #[serde(default, rename = "example")]
    examples: Vec<SchemaExample>,
}

/// Returns the schema of a record that a schema judges, or of another file.
fn record_or_file(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            {
                "description": "A record that a schema judges.",
                "type": "string",
                "enum": RECORDS,
                MEANINGS: [
                    "An event.",
                    "An item of `outcomes.actions` in the state.",
                    "`state.json`.",
                    "`summary.json`.",
                    "A line of `learn.jsonl`.",
                    "`manifest.json`.",
                ],
            },
            { "type": "string" },
        ],
        "examples": ["event", "scores.json"],
    })
}

/// The records that a schema can judge.
const RECORDS: [&str; 6] = ["event", "action", "state", "summary", "learn", "manifest"];

/// Returns the steps that the patterns in a schema take for each byte of a value, at worst.
fn steps_of_patterns(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| match (&**key, value) {
                ("pattern", Value::String(pattern)) => steps_of_byte(pattern),
                ("patternProperties", Value::Object(patterns)) => {
                    patterns
                        .keys()
                        .map(|pattern| steps_of_byte(pattern))
                        .sum::<usize>()
                        + patterns
                            .values()
                            .map(steps_of_patterns)
                            .sum::<usize>()
                }
                _ => steps_of_patterns(value),
            })
            .sum(),
        Value::Array(items) => items
            .iter()
            .map(steps_of_patterns)
            .sum(),
        _ => 0,
    }
}

impl SchemaTable {
    /// Adds the schema to the team.
    pub(in crate::policy::team) fn read(&self, reader: &mut FileReader<'_>) {
        let is_free = reader.take(&self.id);
        let judged = self.judged(reader);
        let selector = match &self.selector {
            Some(selector) if matches!(judged, Some(Judged::Whole(_) | Judged::Other(_))) => {
                let message = "`where` is allowed only with the records `event` and `action`";
                reader.mistake(selector.span(), message, None);
                None
            }
            Some(selector) => reader.selector(selector, judged.unwrap_or(Judged::Event)),
            None => Some(TeamSelector::default()),
        };

        let at = self
            .at
            .as_ref()
            .map_or("", |at| at.get_ref());
        let schema = reader.compiled(self.file.as_ref(), self.schema.as_ref(), self.id.span());
        let (Some(record), Some(selector), Some(at), Some(schema), true) =
            (judged, selector, KeyPath::parse(at), schema, is_free)
        else {
            return;
        };

        let texts = RuleTexts {
            title: &format!("a value violates the schema of `{}`", self.id.get_ref()),
            cure: "Give the value that the schema allows",
            shown: ["schema", "json"],
            text: &serde_json::to_string_pretty(schema.text()).unwrap_or_default(),
            examples: self
                .examples
                .iter()
                .map(SchemaExample::shown)
                .collect(),
        };

        let at_span = self
            .at
            .as_ref()
            .map_or(self.id.span(), Spanned::span);
        reader.must_lead_to_one(&at, at_span);

        let schema = TeamSchema {
            record,
            selector,
            at,
            steps_of_byte: steps_of_patterns(schema.text()),
            schema,
            examples: self.examples(reader),
            expect: (self.expect.as_ref()).map_or(Expect::Optional, |it| *it.get_ref()),
            has_help: self.meta.help.is_some(),
        };

        let check = TeamCheck::Schema(reader.team.schemas.len());
        if self.meta.level == Some(Level::Ask) {
            let message = "`level = \"ask\"` is only for orders and rules";
            reader.mistake(self.id.span(), message, None);
        }

        reader.declare(&self.id, &self.meta, &texts, (check, schema.holds()));
        reader
            .team
            .schemas
            .push(Arc::new(schema));
    }

    fn examples(&self, reader: &mut FileReader<'_>) -> Vec<SchemaExample> {
        let mut examples = self.examples.clone();
        for example in &mut examples {
            let value = &example.value;
            if let Err(error) = Tape::default().read(value.get_ref().as_bytes()) {
                let message = format!("the value is not JSON: {error}");
                reader.mistake(value.span(), message, None);
            }
            example.place = reader.file.place(&value.span());
        }

        examples
    }

    /// Returns what it judges.
    fn judged(&self, reader: &mut FileReader<'_>) -> Option<Judged> {
        let record = self.record.as_ref();
        let judged = match record.map_or("event", |record| record.get_ref()) {
            "event" => Judged::Event,
            "action" => Judged::Action,
            "state" => Judged::Whole(Artifact::State),
            "summary" => Judged::Whole(Artifact::Summary),
            "learn" => Judged::Whole(Artifact::Learn),
            "manifest" => Judged::Whole(Artifact::Manifest),
            name => return other_file(reader, record?.span(), name).map(Judged::Other),
        };

        if let Some(expect) = &self.expect {
            let message = "`expect` is allowed only with files that are not artifacts";
            reader.mistake(expect.span(), message, None);
        }

        Some(judged)
    }
}

/// The schema of a version of a record: it judges records of that version in place of the built-in
/// schema.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionTable {
    /// The record.
    #[schemars(with = "StateOrSummary")]
    record: Spanned<StateOrSummary>,
    /// The version to match: `schema_version` of a summary, or `state_schema_version` of a state.
    /// `*` stands for any characters. The built-in schema still judges versions that it supports.
    #[schemars(with = "String", extend("examples" = ["1.2.*"]))]
    is: Spanned<String>,
    /// The file of the schema, relative to this file.
    #[serde(default)]
    #[schemars(with = "String", extend("examples" = ["summary-1.2.schema.json"]))]
    file: Option<Spanned<String>>,
    /// The schema, where it is not in a file of its own.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    schema: Option<Spanned<TomlData>>,
}

impl VersionTable {
    /// Adds the version to the team.
    pub(in crate::policy::team) fn read(&self, reader: &mut FileReader<'_>) {
        let (file, schema, span) = (self.file.as_ref(), self.schema.as_ref(), self.is.span());
        if let Some(schema) = reader.compiled(file, schema, span) {
            let record = self.record.get_ref().artifact();
            let version = (record, Glob::new(self.is.get_ref()), schema);
            reader.team.versions.push(version);
        }
    }
}

/// Returns the place of another file among those that are named.
fn other_file(reader: &mut FileReader<'_>, span: Range<usize>, name: &str) -> Option<usize> {
    let own = Artifact::ALL
        .into_iter()
        .find(|it| it.file_name() == name);
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending);
    let has_ending = matches!(ending, Some("json" | "jsonl"));
    if own.is_some() || !has_ending || name.contains(['/', '\\', '\0']) {
        let meant = own.map(|own| match own {
            Artifact::Events => "event",
            other => other.name(),
        });
        let help = did_you_mean(meant.unwrap_or(name), RECORDS).unwrap_or_else(|| {
            let records = RECORDS.join(", ");
            format!(
                "expected one of: {records}, or the name of a file that ends with `.json` or `.jsonl`"
            )
        });
        reader.mistake(span, format!("unknown value {}", quote(name)), Some(help));
        return None;
    }

    let files = &mut reader.team.files;
    let known = files
        .iter()
        .position(|known| **known == *name);

    Some(known.unwrap_or_else(|| {
        files.push(name.into());
        files.len() - 1
    }))
}
