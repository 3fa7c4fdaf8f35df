//! The table of a version of a record -> the schema of that version.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::data::{StateOrSummary, TomlData};
use super::reader::FileReader;
use crate::select::Glob;

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
    pub(super) fn read(&self, reader: &mut FileReader<'_>) {
        let (file, schema, span) = (self.file.as_ref(), self.schema.as_ref(), self.is.span());
        if let Some(schema) = reader.compiled(file, schema, span) {
            let record = self.record.get_ref().artifact();
            let version = (record, Glob::new(self.is.get_ref()), schema);
            reader.team.versions.push(version);
        }
    }
}
