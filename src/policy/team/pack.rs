//! `runvet.toml`, the packs that it names and their schema files -> what the team declares, and all
//! mistakes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use super::Team;
use super::data::{Params, TomlData, params, selectors, vocabulary};
use super::order::OrderTable;
use super::reader::FileReader;
use super::rule::RuleTable;
use super::schema::{Judged, SchemaTable, VersionTable};
use crate::ground::document::OwnedDocument;
use crate::ground::printable::quote;
use crate::ground::spelling::did_you_mean;
use crate::policy::config_file::{ConfigError, ConfigSource, Files};

/// A pack: what a team declares in a file of its own, which `packs` in `runvet.toml` names. Every
/// table is optional.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "runvet pack", extend("$id" = crate::ground::record::schema_id("pack")))]
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
    #[schemars(schema_with = "params")]
    pub(crate) params: Params,
    /// The allowed values of keys of events. Any other value is a finding of `team/vocabulary`.
    #[schemars(schema_with = "vocabulary")]
    pub(crate) vocabulary: BTreeMap<Spanned<String>, Spanned<TomlData>>,
    /// Named selectors. In this file, a name stands for its selector.
    #[schemars(schema_with = "selectors")]
    pub(crate) selector: BTreeMap<Spanned<String>, Spanned<TomlData>>,
}

const SCHEMA: &str = include_str!("../../../schemas/pack.schema.json");

/// Reads what a configuration declares of a team, and what its packs declare. The parameters of
/// the configuration take precedence.
pub(crate) fn read(
    file: ConfigSource<'_>,
    tables: &Pack,
    packs: &[Spanned<PathBuf>],
    files: &Files,
    is_built_in: &dyn Fn(&str) -> bool,
    mistakes: &mut Vec<ConfigError>,
) -> Team {
    let (mut team, mut taken) = (Team::default(), BTreeMap::new());
    let set = values(&tables.params);
    let mut read = |file: ConfigSource<'_>, tables: &Pack, mistakes: &mut Vec<ConfigError>| {
        let mut params = values(&tables.params);
        params.extend(set.clone());
        let bound = OwnedDocument::read(serde_json::to_vec(&params).unwrap_or_default());
        // TOML nests less deeply than a document may.
        let Ok(bound_params) = bound.map(Arc::new) else {
            return;
        };
        let mut reader = FileReader {
            file,
            files,
            mistakes,
            team: &mut team,
            taken: &mut taken,
            is_built_in,
            params,
            bound_params,
            named: BTreeMap::new(),
        };

        tables.read(&mut reader);
    };

    read(file, tables, mistakes);
    let (mut texts, mut known) = (Vec::new(), Vec::new());
    for pack in packs {
        let path = file.dir.join(pack.get_ref());
        let text = match files.text(&path) {
            Ok(text) => text,
            Err(why) => {
                let name = quote(&pack.get_ref().to_string_lossy());
                let message = format!("the pack {name} can't be read: {why}");
                mistakes.push(file.error(pack.span(), message, None));
                continue;
            }
        };

        let source = ConfigSource {
            name: &path.to_string_lossy(),
            dir: path.parent().unwrap_or(Path::new("")),
            text: &text,
        };

        let (tables, mut found) = source.read_as::<Pack>(SCHEMA);
        mistakes.append(&mut found);
        read(source, &tables, mistakes);
        known.extend(values(&tables.params).into_keys());
        texts.push(text);
    }

    // A pack that can't be read may name any.
    let are_read = !packs.is_empty() && texts.len() == packs.len();
    for name in tables
        .params
        .keys()
        .filter(|_| are_read)
    {
        let (span, name) = (name.span(), name.get_ref());
        if !texts
            .iter()
            .any(|text| text.contains(name))
            && file.text.matches(name).count() < 2
        {
            let message = format!("no rule and no pack names the parameter {}", quote(name));
            let help = did_you_mean(name, known.iter().map(String::as_str));
            mistakes.push(file.error(span, message, help));
        }
    }

    team
}

/// Returns the values of parameters.
fn values(params: &Params) -> BTreeMap<String, Value> {
    params
        .iter()
        .map(|(name, value)| (name.get_ref().clone(), value.get_ref().to_json()))
        .collect()
}

impl Pack {
    /// Adds what the tables declare to the team.
    fn read(&self, reader: &mut FileReader<'_>) {
        for (name, entries) in &self.selector {
            reader.name_selector(name.get_ref(), entries.get_ref());
        }

        for (key, values) in &self.vocabulary {
            let path = reader.key(key, Judged::Event);
            let path = path.filter(|path| reader.must_lead_to_one(path, key.span()));
            if let Some((key, values)) = path.zip(reader.values(values)) {
                let vocabulary = Arc::make_mut(&mut reader.team.vocabulary);
                match vocabulary
                    .iter_mut()
                    .find(|(known, _)| *known == key)
                {
                    Some((_, known)) => known.0.extend(values.0),
                    None => vocabulary.push((key, values)),
                }
            }
        }

        self.versions
            .iter()
            .for_each(|table| table.read(reader));
        self.schemas
            .iter()
            .for_each(|table| table.read(reader));
        self.orders
            .iter()
            .for_each(|table| table.read(reader));
        self.rules
            .iter()
            .for_each(|table| table.read(reader));
    }
}
