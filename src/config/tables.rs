//! The tables in which a team declares what it expects of its runs, as TOML has them.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::finding::Level;
use crate::source::Artifact;
use crate::team::Expect;
pub(crate) use order::{OrderTable, Params};
pub(crate) use rule::{RuleTable, RunExampleTable};

/// Declares the table of a rule: the keys that all of them have, and its own.
macro_rules! rule_table {
    ($(#[$about:meta])* $name:ident { $($own:tt)* }) => {
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        $(#[$about])*
        pub(crate) struct $name {
            /// The name of the rule: a group and a subject. Groups of built-in rules are taken.
            #[schemars(with = "RuleId")]
            pub(crate) id: Spanned<String>,
            /// The level of the rule, unless set otherwise [default: error].
            #[serde(default)]
            #[schemars(with = "Level")]
            pub(crate) level: Option<Level>,
            /// The defect, in one line.
            #[serde(default)]
            #[schemars(with = "String")]
            pub(crate) title: Option<String>,
            /// Why it matters.
            #[serde(default)]
            #[schemars(with = "String")]
            pub(crate) why: Option<String>,
            /// What to do about a finding.
            #[serde(default)]
            #[schemars(with = "String")]
            pub(crate) help: Option<String>,
            /// The address of a page about the rule.
            #[serde(default)]
            #[schemars(with = "String")]
            pub(crate) url: Option<String>,
            /// Words that classify the rule.
            #[serde(default)]
            pub(crate) tags: Vec<String>,
            $($own)*
        }

        impl $name {
            /// What its author says of the rule.
            pub(crate) fn said(&self) -> Said<'_> {
                Said {
                    level: self.level,
                    title: self.title.as_deref(),
                    why: self.why.as_deref(),
                    help: self.help.as_deref(),
                    url: self.url.as_deref(),
                    tags: &self.tags,
                }
            }
        }
    };
}

/// What the author of a rule says of it.
pub(crate) struct Said<'t> {
    pub(crate) level: Option<Level>,
    pub(crate) title: Option<&'t str>,
    pub(crate) why: Option<&'t str>,
    pub(crate) help: Option<&'t str>,
    pub(crate) url: Option<&'t str>,
    pub(crate) tags: &'t [String],
}

// They need the macro.
mod order;
mod rule;

/// A pack: what a team declares in a file of its own, which `packs` in `runvet.toml` names. Every
/// table is optional.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "runvet pack", extend("$id" = crate::record::schema_id("pack")))]
pub(crate) struct Pack {
    /// Schemas for open parts of records. Each is a rule.
    #[serde(rename = "schema")]
    pub(crate) schemas: Vec<SchemaTable>,
    /// Schemas for versions of the state and the summary for which runvet has no schema.
    #[serde(rename = "version")]
    pub(crate) versions: Vec<VersionTable>,
    /// Orders of events. Each is a rule.
    #[serde(rename = "order")]
    pub(crate) orders: Vec<OrderTable>,
    /// Rules in the expression language CEL.
    #[serde(rename = "rule")]
    pub(crate) rules: Vec<RuleTable>,
    /// Values that messages, numbers and expressions name as `params.NAME`.
    #[schemars(with = "BTreeMap<String, Scalar>")]
    pub(crate) params: Params,
    /// The allowed values of keys of events. Any other value is a finding of `team/vocabulary`.
    #[schemars(with = "BTreeMap<SelectorKey, ClosedSet>")]
    pub(crate) vocabulary: BTreeMap<Spanned<String>, Spanned<Data>>,
    /// Named selectors. In this file, a name stands for its selector.
    #[schemars(with = "BTreeMap<String, Entries>")]
    pub(crate) selector: BTreeMap<Spanned<String>, Spanned<Data>>,
}

rule_table! {
    /// A schema for an open part of a record.
    SchemaTable {
        /// What it judges: `event`, `action` (each item of `outcomes.actions` in the state),
        /// `state`, `summary`, `learn` (each line) or `manifest`, or the name of another file of
        /// the episode's directory, which ends with `.json`, or with `.jsonl` to judge each line.
        #[serde(default)]
        #[schemars(with = "RecordOrFile")]
        pub(crate) record: Option<Spanned<String>>,
        /// When another file must be there: its absence is a finding [default: optional].
        #[serde(default)]
        #[schemars(with = "Expect")]
        pub(crate) expect: Option<Spanned<Expect>>,
        /// Selects the events or the actions that have all of these values. Absent to select all.
        #[serde(default, rename = "where")]
        #[schemars(with = "SelectorTable")]
        pub(crate) selector: Option<Spanned<Data>>,
        /// The JSON Pointer to the part of the record that the schema judges. Absent for the whole
        /// record. If the pointer leads nowhere, nothing is judged.
        #[serde(default)]
        #[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$", "patternErrorMessage" = "a JSON Pointer starts with `/`", "examples" = ["/payload/input"]))]
        pub(crate) at: Option<Spanned<String>>,
        /// The file of the schema, relative to this file.
        #[serde(default)]
        #[schemars(with = "String", extend("examples" = ["refund.schema.json"]))]
        pub(crate) file: Option<Spanned<String>>,
        /// The schema, where it is not in a file of its own.
        #[serde(default)]
        #[schemars(with = "BTreeMap<String, serde_json::Value>")]
        pub(crate) schema: Option<Spanned<Data>>,
        /// Values that it allows or refuses, which `runvet rules --test` judges.
        #[serde(default, rename = "example")]
        pub(crate) examples: Vec<ExampleTable>,
    }
}

/// A value, and whether its schema allows it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExampleTable {
    /// The value as JSON: it is judged in place of what `at` leads to.
    #[schemars(with = "String", extend("examples" = ["{\"amount\": 20}"]))]
    pub(crate) value: Spanned<String>,
    /// Whether the schema allows it.
    pub(crate) valid: bool,
}

/// The schema of a version of a record: it judges records of that version in place of the built-in
/// schema.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionTable {
    /// The record.
    #[schemars(with = "StateOrSummary")]
    pub(crate) record: Spanned<StateOrSummary>,
    /// The version to match: `schema_version` of a summary, or `state_schema_version` of a state.
    /// `*` stands for any characters. The built-in schema still judges versions that it supports.
    #[schemars(with = "String", extend("examples" = ["1.2.*"]))]
    pub(crate) is: Spanned<String>,
    /// The file of the schema, relative to this file.
    #[serde(default)]
    #[schemars(with = "String", extend("examples" = ["summary-1.2.schema.json"]))]
    pub(crate) file: Option<Spanned<String>>,
    /// The schema, where it is not in a file of its own.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub(crate) schema: Option<Spanned<Data>>,
}

/// A record that a run has once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::record::describe_values)]
pub(crate) enum StateOrSummary {
    /// `state.json`.
    State,
    /// `summary.json`.
    Summary,
}

impl StateOrSummary {
    pub(crate) fn artifact(self) -> Artifact {
        match self {
            Self::State => Artifact::State,
            Self::Summary => Artifact::Summary,
        }
    }
}

/// The id of a rule that a team declares.
#[derive(JsonSchema)]
#[schemars(inline, extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$", "patternErrorMessage" = "an id is a group and a subject, each in lower case with `-` between words", "examples" = ["acme/refund-input"]))]
#[expect(dead_code, reason = "a description for the schema")]
struct RuleId(String);

/// A key of a selector: `phase`, `event_type`, `agent_id`, `tool` (`/payload/tool`), `kind`
/// (`/payload/kind`), or a JSON Pointer into the event.
#[derive(JsonSchema)]
#[schemars(inline, extend("examples" = ["tool", "/payload/x-team"]))]
#[expect(dead_code, reason = "a description for the schema")]
pub(super) struct SelectorKey(String);

/// What a schema judges.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::record::describe_values)]
#[expect(dead_code, reason = "a description for the schema")]
enum RecordName {
    /// An event.
    Event,
    /// An item of `outcomes.actions` in the state.
    Action,
    /// `state.json`.
    State,
    /// `summary.json`.
    Summary,
    /// A line of `learn.jsonl`.
    Learn,
    /// `manifest.json`.
    Manifest,
}

/// A record, or another file.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline, extend("examples" = ["event", "scores.json"]))]
#[expect(dead_code, reason = "a description for the schema")]
enum RecordOrFile {
    Record(RecordName),
    File(String),
}

/// A selector, or the name of one.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Selector", extend("patternErrorMessage" = "expected a table of keys and values, or the name of a selector"))]
#[expect(dead_code, reason = "a description for the schema")]
enum SelectorTable {
    Named(String),
    Entries(Entries),
}

/// Keys with their values; all of them must match.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "a description for the schema")]
pub(super) struct Entries(BTreeMap<SelectorKey, ValueOf>);

/// A value, a list of alternative values, or `{ not = … }`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline, extend("patternErrorMessage" = "expected a text, a number, a boolean, a list of them that is not empty, or `{ not = … }`"))]
#[expect(dead_code, reason = "a description for the schema")]
enum ValueOf {
    Values(ClosedSet),
    Not(Not),
}

/// The key is present, and its value is not one of these.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
#[expect(dead_code, reason = "a description for the schema")]
struct Not {
    not: ClosedSet,
}

/// A value, or a list of values. `*` in a text stands for any characters, `\*` for an asterisk.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline, extend("patternErrorMessage" = "expected a text, a number, a boolean, or a list of them that is not empty"))]
#[expect(dead_code, reason = "a description for the schema")]
pub(super) enum ClosedSet {
    One(Scalar),
    AnyOf(#[schemars(length(min = 1))] Vec<Scalar>),
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline, extend("patternErrorMessage" = "expected a text, a number or a boolean"))]
#[expect(dead_code, reason = "a description for the schema")]
pub(super) enum Scalar {
    Text(String),
    Number(f64),
    Boolean(bool),
}

/// A value of any form, each part with its place.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Text(String),
    /// A number or a boolean.
    Scalar(serde_json::Value),
    List(Vec<Spanned<Data>>),
    Table(Vec<(Spanned<String>, Spanned<Data>)>),
}

impl Data {
    /// The JSON value.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Scalar(value) => value.clone(),
            Self::List(items) => items.iter().map(|item| item.get_ref().to_json()).collect(),
            Self::Table(members) => {
                let members = members.iter();
                members
                    .map(|(key, value)| (key.get_ref().clone(), value.get_ref().to_json()))
                    .collect()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfAnyForm)
    }
}

struct OfAnyForm;

impl<'de> Visitor<'de> for OfAnyForm {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Data::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Data, A::Error> {
        let mut table = Vec::new();
        while let Some(member) = members.next_entry()? {
            table.push(member);
        }
        Ok(Data::Table(table))
    }
}
