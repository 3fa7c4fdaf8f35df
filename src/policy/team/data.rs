//! The parts that the tables of all declarations share, as TOML has them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::ground::finding::Level;
use crate::ground::record::MEANINGS;
use crate::ground::source::Artifact;

/// The keys by which the author of a rule describes it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(in crate::policy) struct RuleMeta {
    /// The level of the rule, unless set otherwise [default: error].
    #[serde(default)]
    #[schemars(with = "Level")]
    pub(super) level: Option<Level>,
    /// The defect, in one line.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) title: Option<String>,
    /// The reason why the defect matters.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) why: Option<String>,
    /// The remedy for a finding.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) help: Option<String>,
    /// The address of a page about the rule.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) url: Option<String>,
    /// Words that classify the rule.
    #[serde(default)]
    pub(super) tags: Vec<String>,
}

/// Values that messages, numbers and expressions name.
pub(crate) type Params = BTreeMap<Spanned<String>, Spanned<TomlData>>;

/// A record that a run has once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::ground::record::describe_values)]
pub(in crate::policy) enum StateOrSummary {
    /// `state.json`.
    State,
    /// `summary.json`.
    Summary,
}

impl StateOrSummary {
    pub(in crate::policy) fn artifact(self) -> Artifact {
        match self {
            Self::State => Artifact::State,
            Self::Summary => Artifact::Summary,
        }
    }
}

/// Returns the schema of the id of a rule that a team declares.
pub(super) fn rule_id(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$",
        "$comment": "message: an id is a group and a subject, each in lower case with `-` between words",
        "examples": ["acme/refund-input"],
    })
}

/// Returns the schema of a JSON Pointer, or a list of them.
pub(super) fn pointers(_: &mut SchemaGenerator) -> Schema {
    let pointer = json_schema!({
        "type": "string",
        "pattern": "^(/([^~]|~[01])*)?$",
        "$comment": "message: a JSON Pointer starts with `/`",
        "examples": ["/payload/input/order_id"],
    });

    json_schema!({
        "$comment": "message: expected a JSON Pointer, which starts with `/`, or a list of them that is not empty",
        "anyOf": [pointer, { "type": "array", "items": pointer, "minItems": 1 }],
    })
}

/// Returns the schema of pointers into the events that a rule is about and into the others: the
/// same, or a table of both.
pub(super) fn sides(generator: &mut SchemaGenerator) -> Schema {
    let pointers = pointers(generator);
    json_schema!({
        "$comment": "message: expected a JSON Pointer, which starts with `/`, a list of them that is not empty, or `{ each = …, other = … }`",
        "anyOf": [pointers, {
            "description": "Pointers into the events that the rule is about, and as many into the other events.",
            "type": "object",
            "properties": { "each": pointers, "other": pointers },
            "additionalProperties": false,
            "required": ["each", "other"],
        }],
    })
}

/// Returns the schema of what a rule looks at besides one run.
pub(super) fn over(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["runs"], MEANINGS: ["All runs together."] })
}

/// Returns the schema of a length of time.
pub(super) fn length(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "pattern": r"^\d+(\.\d+)?(ms|s|m|h|d)$",
        "$comment": "message: expected a length of time such as `30s`, `1.5m` or `200ms`",
        "examples": ["30s"],
    })
}

/// A selector, or the name of one, as a schema. Its keys are `phase`, `event_type`, `agent_id`,
/// `tool` (`/payload/tool`), `kind` (`/payload/kind`), and JSON Pointers into the event.
pub(super) struct SelectorTable;

impl JsonSchema for SelectorTable {
    fn schema_name() -> Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A selector, or the name of one.",
            "$comment": "message: expected a table of keys and values, or the name of a selector",
            "anyOf": [{ "type": "string" }, entries()],
        })
    }
}

/// Returns the schema of selectors, by their names.
pub(crate) fn selectors(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": entries() })
}

/// Returns the schema of the values of keys, by these.
pub(crate) fn vocabulary(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": closed_set() })
}

/// Returns the schema of values that messages, numbers and expressions name.
pub(crate) fn params(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": param(PARAM_LEVELS) })
}

/// The levels of lists and maps that a parameter may have.
const PARAM_LEVELS: usize = 4;

/// Returns the schema of a parameter with lists and maps of some levels.
fn param(levels: usize) -> Schema {
    if levels == 0 {
        return scalar();
    }

    let below = param(levels - 1);
    json_schema!({
        "$comment": "message: expected a text, a number, a boolean, or a list or a table of them",
        "anyOf": [
            { "type": "string" }, { "type": "number" }, { "type": "boolean" },
            { "type": "array", "items": below },
            { "type": "object", "additionalProperties": below },
        ],
    })
}

fn entries() -> Schema {
    json_schema!({
        "description": "Keys with their values, and a condition; all of them must match.",
        "type": "object",
        "properties": {
            "if": {
                "description": "A CEL expression over `event` (`action` for a schema with `record = \"action\"`) and `params`, which is judged only where all other keys match.",
                "type": "string",
                "examples": ["event.payload.input.amount > params.limit"],
            },
        },
        "additionalProperties": {
            "description": "A value, a list of alternative values, `{ not = … }`, `{ not = …, absent = true }`, `{ absent = true }` or `{ present = true }`.",
            "$comment": "message: expected a text, a number, a boolean, a list of them that is not empty, `{ not = … }`, `{ not = …, absent = true }`, `{ absent = true }` or `{ present = true }`",
            "anyOf": [closed_set(), {
                "description": "The value is not one of these. Without `absent`, it must be there.",
                "type": "object",
                "properties": {
                    "not": closed_set(),
                    "absent": { "description": "Events without the key match, too.", "const": true },
                },
                "additionalProperties": false,
                "required": ["not"],
            }, {
                "description": "There is no such key.",
                "type": "object",
                "properties": { "absent": { "const": true } },
                "additionalProperties": false,
                "required": ["absent"],
            }, {
                "description": "The key is there, with any value.",
                "type": "object",
                "properties": { "present": { "const": true } },
                "additionalProperties": false,
                "required": ["present"],
            }],
        },
    })
}

fn closed_set() -> Schema {
    json_schema!({
        "description": "A value, or a list of values. `*` in a text stands for any characters, `\\*` for an asterisk; `params.NAME` is a parameter.",
        "$comment": "message: expected a text, a number, a boolean, or a list of them that is not empty",
        "anyOf": [scalar(), { "type": "array", "items": scalar(), "minItems": 1 }],
    })
}

fn scalar() -> Schema {
    json_schema!({
        "$comment": "message: expected a text, a number or a boolean",
        "anyOf": [{ "type": "string" }, { "type": "number" }, { "type": "boolean" }],
    })
}

/// A value of any form, each part with its place.
#[derive(Clone, Debug)]
pub(crate) enum TomlData {
    Text(String),
    /// A number or a boolean.
    Scalar(serde_json::Value),
    List(Vec<Spanned<TomlData>>),
    Table(Vec<(Spanned<String>, Spanned<TomlData>)>),
}

impl TomlData {
    /// Returns the JSON value.
    pub(in crate::policy) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Scalar(value) => value.clone(),
            Self::List(items) => items
                .iter()
                .map(|item| item.get_ref().to_json())
                .collect(),
            Self::Table(members) => members
                .iter()
                .map(|(key, value)| (key.get_ref().clone(), value.get_ref().to_json()))
                .collect(),
        }
    }
}

impl<'de> Deserialize<'de> for TomlData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfAnyForm)
    }
}

struct OfAnyForm;

impl<'de> Visitor<'de> for OfAnyForm {
    type Value = TomlData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<TomlData, E> {
        Ok(TomlData::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<TomlData, E> {
        Ok(TomlData::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<TomlData, E> {
        Ok(TomlData::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<TomlData, E> {
        Ok(TomlData::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<TomlData, E> {
        Ok(TomlData::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<TomlData, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(TomlData::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<TomlData, A::Error> {
        let mut table = Vec::new();
        while let Some(member) = members.next_entry()? {
            table.push(member);
        }
        Ok(TomlData::Table(table))
    }
}
