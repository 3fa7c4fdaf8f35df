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
    let mut reader = TeamReader {
        files,
        is_built_in,
        params: values(&tables.params),
        team: Team::default(),
        taken: BTreeMap::new(),
    };
    reader.add(file, tables, mistakes);

    let mut named = NamedParams::default();
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
        reader.add(source, &tables, mistakes);
        named
            .known
            .extend(values(&tables.params).into_keys());
        named.texts.push(text);
    }

    // A pack that can't be read may name any.
    if !packs.is_empty() && named.texts.len() == packs.len() {
        named.unused(file, &tables.params, mistakes);
    }

    reader.team
}

/// A reader of a configuration and its packs.
struct TeamReader<'r> {
    files: &'r Files,
    is_built_in: &'r dyn Fn(&str) -> bool,
    /// The parameters of the configuration.
    params: BTreeMap<String, Value>,
    team: Team,
    /// The ids that are taken, each with its place.
    taken: BTreeMap<String, String>,
}

impl TeamReader<'_> {
    /// Adds what a file declares.
    fn add(&mut self, file: ConfigSource<'_>, tables: &Pack, mistakes: &mut Vec<ConfigError>) {
        let mut params = values(&tables.params);
        params.extend(self.params.clone());
        let bound = OwnedDocument::read(serde_json::to_vec(&params).unwrap_or_default());
        // TOML nests less deeply than a document may.
        let Ok(bound_params) = bound.map(Arc::new) else {
            return;
        };

        tables.read(&mut FileReader {
            file,
            files: self.files,
            mistakes,
            team: &mut self.team,
            taken: &mut self.taken,
            is_built_in: self.is_built_in,
            params,
            bound_params,
            named: BTreeMap::new(),
        });
    }
}

/// What packs name.
#[derive(Default)]
struct NamedParams {
    /// The texts of the packs.
    texts: Vec<String>,
    /// The parameters that they set.
    known: Vec<String>,
}

impl NamedParams {
    /// Reports the parameters of a configuration that neither it nor a pack names.
    fn unused(&self, file: ConfigSource<'_>, params: &Params, mistakes: &mut Vec<ConfigError>) {
        for name in params.keys() {
            let (span, name) = (name.span(), name.get_ref());
            let is_in_pack = self
                .texts
                .iter()
                .any(|text| text.contains(name));
            if !is_in_pack && file.text.matches(name).count() < 2 {
                let message = format!("no rule and no pack names the parameter {}", quote(name));
                let help = did_you_mean(name, self.known.iter().map(String::as_str));
                mistakes.push(file.error(span, message, help));
            }
        }
    }
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
            let path = reader
                .key(key, Judged::Event)
                .filter(|path| reader.must_lead_to_one(path, key.span()));
            if let Some((key, values)) = path.zip(reader.values(values)) {
                let vocabulary = Arc::make_mut(&mut reader.team.vocabulary);
                match vocabulary
                    .iter_mut()
                    .find(|(known, _)| *known == key)
                {
                    Some((_, known)) => known.items.extend(values.items),
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
