//! The text of `runvet.toml` -> its settings, each with its place, and its mistakes.
//!
//! Names of rules and globs are plain texts here; [`crate::gate`] resolves them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::ground::finding::{Deny, Level};
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;
use crate::ground::words::words;
use crate::judge::rules::{ALL, RuleSet};
pub use crate::policy::config_file::ConfigError;
pub(crate) use crate::policy::config_file::{ConfigSource, Files};
use crate::policy::team::{
    self, OrderTable, Pack, Params, RuleTable, SchemaTable, TomlData, VersionTable,
};
use crate::report::Format;

const SCHEMA: &str = include_str!("../../schemas/config.schema.json");

/// The settings in `runvet.toml`. Every key is optional.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "runvet configuration (runvet.toml)", extend("$id" = crate::ground::record::schema_id("config")))]
pub(crate) struct Config {
    /// The format of the report on standard output.
    #[schemars(with = "Format")]
    pub(crate) format: Option<Setting<Format>>,
    /// Settings that belong together. `strict` turns on `deny-warnings`, `deny-unjudged`,
    /// `require-ended` and `verify-manifest`, sets the rules of the group `strict` to `error`, and
    /// refuses globs that match nothing, as `--strict-config` does. Settings and levels that are
    /// set besides take precedence.
    #[schemars(with = "Profile")]
    pub(crate) profile: Option<Setting<Profile>>,
    /// `true` if warnings fail the gate, as errors do.
    #[schemars(with = "bool")]
    pub(crate) deny_warnings: Option<Setting<bool>>,
    /// `true` if rules that could not be judged fail the gate: in a run that has ended, all of
    /// them; in any other run, those that can't be judged because of what a record contains.
    #[schemars(with = "bool")]
    pub(crate) deny_unjudged: Option<Setting<bool>>,
    /// The maximum number of findings that the human format shows for each rule; 0 shows all.
    #[schemars(with = "usize")]
    pub(crate) max_findings: Option<Setting<usize>>,
    /// The number of episodes to check in parallel, at least 1; the default is the number of cores.
    #[schemars(with = "NonZeroUsize")]
    pub(crate) jobs: Option<Setting<NonZeroUsize>>,
    /// The path of the baseline, a file of known findings that do not fail the gate; relative to
    /// the directory of this file.
    #[schemars(with = "String", extend("examples" = ["runvet-baseline.json"]))]
    pub(crate) baseline: Option<Setting<PathBuf>>,
    /// Directories that are not checked, each as a glob.
    #[schemars(with = "Vec<GlobText>")]
    pub(crate) exclude: Vec<Spanned<String>>,
    /// `true` if the files that `manifest.json` names must have the digests and sizes that it gives
    /// for them, and all files must be listed: sets `manifest/digest` to `error` and
    /// `manifest/unlisted` to `warning`, over which `rules` takes precedence.
    #[schemars(with = "bool")]
    pub(crate) verify_manifest: Option<Setting<bool>>,
    /// `true` if a run that has not ended fails the gate: sets `lifecycle/unended` to `error`, over
    /// which `rules` takes precedence.
    #[schemars(with = "bool")]
    pub(crate) require_ended: Option<Setting<bool>>,
    /// The rules and groups of rules to check, and no others; all if there are none. A selected
    /// rule that is off is checked as a warning.
    #[schemars(with = "Vec<RuleName>")]
    pub(crate) select: Vec<Spanned<String>>,
    /// The rules and groups of rules that must judge each run that has ended. One that has nothing
    /// to compare, can't be checked, or is off, is a finding of `coverage/required`.
    #[schemars(with = "Vec<RuleName>")]
    pub(crate) require: Vec<Spanned<String>>,
    /// The level of each rule or group of rules. A rule takes precedence over its group.
    #[schemars(with = "BTreeMap<RuleName, Level>")]
    pub(crate) rules: Rules,
    /// Levels of rules for some directories. They take precedence over `rules`, and later ones over
    /// earlier ones.
    #[serde(rename = "override")]
    pub(crate) overrides: Vec<Override>,
    /// Findings that do not count, each with a reason.
    #[serde(rename = "ignore")]
    pub(crate) ignores: Vec<Ignore>,
    /// Files in which a team declares schemas, vocabulary and selectors; relative to the directory
    /// of this file.
    #[schemars(with = "Vec<String>", extend("examples" = [["gate/refunds.toml"]]))]
    pub(in crate::gate) packs: Vec<Spanned<PathBuf>>,
    /// Schemas for open parts of records. Each is a rule.
    #[serde(rename = "schema")]
    pub(in crate::gate) schemas: Vec<SchemaTable>,
    /// Schemas for versions of the state and the summary for which runvet has no schema.
    #[serde(rename = "version")]
    pub(in crate::gate) versions: Vec<VersionTable>,
    /// Orders of events. Each is a rule.
    #[serde(rename = "order")]
    pub(in crate::gate) orders: Vec<OrderTable>,
    /// Rules in the expression language CEL.
    #[serde(rename = "rule")]
    pub(in crate::gate) team_rules: Vec<RuleTable>,
    /// Values that messages, numbers and expressions name as `params.NAME`. They take precedence
    /// over those of packs.
    #[schemars(schema_with = "team::params")]
    pub(in crate::gate) params: Params,
    /// The allowed values of keys of events. Any other value is a finding of `team/vocabulary`.
    #[schemars(schema_with = "team::vocabulary")]
    pub(in crate::gate) vocabulary: BTreeMap<Spanned<String>, Spanned<TomlData>>,
    /// Named selectors. In this file, a name stands for its selector.
    #[schemars(schema_with = "team::selectors")]
    pub(in crate::gate) selector: BTreeMap<Spanned<String>, Spanned<TomlData>>,
}

/// Settings that belong together, under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = crate::ground::record::describe_values)]
#[non_exhaustive]
pub enum Profile {
    /// The gate that is recommended where runs have ended: nothing passes that was not judged.
    Strict,
}

words!(pub Profile { Strict = "strict" });

impl Config {
    /// Sets what the profile sets and nothing else does.
    pub(crate) fn follow_profile(&mut self) {
        let Some(profile) = &self.profile else { return };
        for switch in [
            &mut self.deny_warnings,
            &mut self.deny_unjudged,
            &mut self.verify_manifest,
            &mut self.require_ended,
        ] {
            switch.get_or_insert_with(|| Setting {
                value: true,
                origin: profile.origin.clone(),
            });
        }
    }

    /// Returns the settings for failures of a check besides errors.
    pub(crate) fn deny(&self) -> Deny {
        let is_set = |it: &Option<Setting<bool>>| it.as_ref().is_some_and(|it| it.value);
        Deny {
            warnings: is_set(&self.deny_warnings),
            unjudged: is_set(&self.deny_unjudged),
        }
    }

    /// Returns the declarations of a team in this file itself.
    fn team(&self) -> Pack {
        Pack {
            schemas: self.schemas.clone(),
            versions: self.versions.clone(),
            orders: self.orders.clone(),
            rules: self.team_rules.clone(),
            params: self.params.clone(),
            vocabulary: self.vocabulary.clone(),
            selector: self.selector.clone(),
        }
    }
}

/// A setting that flags, variables and calls can set too.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// The source of a setting.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A place in the configuration.
    File(Range<usize>),
    /// A flag, or a variable of the environment.
    Given(String),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self {
            origin: Origin::File(written.span()),
            value: written.into_inner(),
        })
    }
}

impl ConfigSource<'_> {
    /// Reads the file as `runvet.toml`: the settings that are right, and the mistakes.
    pub(crate) fn read(self) -> (Config, Vec<ConfigError>) {
        self.read_as(SCHEMA)
    }

    /// Returns the source of a setting, as users know it.
    pub(crate) fn origin(self, origin: &Origin) -> String {
        match origin {
            Origin::File(span) => self.place(span),
            Origin::Given(name) => name.clone(),
        }
    }
}

/// Reads all that a configuration declares of a team, its packs included.
pub(in crate::gate) fn read_team(
    file: ConfigSource<'_>,
    config: &Config,
    files: &Files,
    mistakes: &mut Vec<ConfigError>,
) -> RuleSet {
    let is_built_in = |group: &str| {
        ALL.iter()
            .map(|rule| rule.info.id.split('/').next())
            .any(|known| known == Some(group))
    };

    let team = team::read(
        file,
        &config.team(),
        &config.packs,
        files,
        &is_built_in,
        mistakes,
    );

    RuleSet::of_team(team)
}

/// The levels of rules and groups of rules.
pub(in crate::gate) type Rules = BTreeMap<Spanned<String>, Spanned<Level>>;

/// The id of a rule, or a group of rules such as `plan/*`.
#[derive(JsonSchema)]
#[schemars(inline, extend("examples" = ["record/misspelled-field", "plan/*"]))]
#[expect(dead_code, reason = "a description for the schema")]
struct RuleName(String);

/// A glob for the path of a directory, relative to the directory of this file. It also matches
/// everything inside that directory. A glob without `/` matches directories with that name at any
/// depth.
#[derive(JsonSchema)]
#[schemars(inline, extend("examples" = ["runs/old", "runs/*/episodes/ep_3*", "checkpoints"]))]
#[expect(dead_code, reason = "a description for the schema")]
struct GlobText(String);

/// Levels of rules for some directories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Override {
    /// The directories, each as a glob.
    #[schemars(with = "Vec<GlobText>")]
    pub(crate) paths: Vec<Spanned<String>>,
    /// The level of each rule or group of rules in these directories.
    #[schemars(with = "BTreeMap<RuleName, Level>")]
    pub(crate) rules: Rules,
}

/// Findings that do not count, and why.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ignore {
    /// The rule, or group of rules, whose findings are ignored.
    #[schemars(with = "RuleName")]
    pub(crate) rule: Spanned<String>,
    /// The episodes in which findings are ignored.
    #[schemars(with = "GlobText")]
    pub(crate) episode: Spanned<String>,
    /// The file whose findings are ignored. Absent to ignore findings in any file.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = Artifact::ALL.map(Artifact::file_name)))]
    pub(crate) file: Option<String>,
    /// The JSON Pointer to the value at which findings are ignored, including everything inside it.
    /// A part that is `*` stands for any one name or index. Absent to ignore findings at any place.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = r"^(/(\*|([^~*/\[\]]|~[01])+))+$", "$comment" = "message: a JSON Pointer starts with `/`, and each of its parts is a name, an index or `*` for any one of them, as in `/outcomes/actions/*/tools`; in a name, `~1` stands for `/` and `~0` for `~`", "examples" = ["/plan/steps", "/outcomes/actions/*/tools"]))]
    pub(crate) pointer: Option<String>,
    /// The reason why the findings do not count; must not be empty.
    #[schemars(with = "String", extend("pattern" = r"\S", "$comment" = "message: the reason is empty"))]
    pub(in crate::gate) reason: String,
    /// The first day on which the findings count again, in UTC.
    #[serde(default)]
    #[schemars(with = "String", extend("format" = "date", "pattern" = r"^\d{4}-\d{2}-\d{2}$", "$comment" = "message: expected a date such as 2026-12-31, without a time", "examples" = ["2026-12-31"]))]
    pub(crate) expires: Option<Day>,
}

/// A day, written as `2026-12-31`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Day {
    pub(crate) text: String,
    /// The instant at which it starts, in UTC.
    pub(crate) start: Timestamp,
}

impl TryFrom<String> for Day {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let start =
            Timestamp::parse(&format!("{text}T00:00:00Z")).ok_or("this date does not exist")?;
        Ok(Self { text, start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_days_of_the_calendar() {
        let day = |text: &str| Day::try_from(text.to_owned());
        assert!(day("2026-12-31").unwrap().start < day("2027-01-01").unwrap().start);
        assert_eq!(day("2026-02-30"), Err("this date does not exist"));
    }
}
