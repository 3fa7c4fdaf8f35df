//! `runvet config`: prints the settings in force and their origins.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;

use super::output::Output;
use super::settings::{
    Baselines, ConfigFile, GateSettings, Set, Settings, SettingsArgs, now, parse_rule,
};
use super::{Exit, Failure, candidates};
use crate::config::{Ignore, Rules};
use crate::finding::Level;
use crate::gate::Decided;
use crate::printable::{columns_of, escape};
use crate::rules::names;
use crate::timestamp::Timestamp;

/// Show the settings for `runvet validate` and the origin of each
///
/// Flags override the environment, which overrides the configuration, which overrides the defaults.
/// With a rule, show its level, and what sets it.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet config --no-config --max-findings 5
  format           human  default
  deny-warnings    false  default
  max-findings     5      --max-findings
  jobs             -      default
  baseline         -      default
  select           -      default
  verify-manifest  false  default")]
pub(in crate::cli) struct Config {
    #[command(flatten)]
    settings: SettingsArgs,

    /// Show the level of this rule, or of the rules of a group such as `plan/*`, and what sets it
    #[arg(value_parser = parse_rule, add = ArgValueCandidates::new(candidates::rules))]
    rule: Option<String>,

    /// Show the level in the directory of this episode [default: a directory without overrides]
    episode: Option<PathBuf>,
}

impl Config {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let settings = self.settings.resolve(matches, Baselines::Unread)?;
        let rows = match &self.rule {
            Some(rule) => levels(&settings, rule, self.episode.as_deref()),
            None => rows(&settings, &now()?),
        };
        let width = |of: fn(&Row) -> &String| rows.iter().map(|row| columns_of(of(row))).max();
        let names = width(|row| &row.name).unwrap_or_default();
        let values = width(|row| &row.value).unwrap_or_default();
        for Row {
            name,
            value,
            origin,
        } in &rows
        {
            writeln!(output.stdout(), "{name:names$}  {value:values$}  {origin}")?;
        }
        if settings.gate.file.is_none() && !matches.get_flag("no_config") {
            output.note("no runvet.toml was found");
        }
        Ok(Exit::Success)
    }
}

/// A setting, safe to print.
struct Row {
    name: String,
    value: String,
    origin: String,
}

impl Row {
    fn new(name: &str, value: &str, origin: &str) -> Self {
        let [name, value, origin] = [name, value, origin].map(|text| escape(text).into_owned());
        Self {
            name,
            value,
            origin,
        }
    }

    fn of<T>(name: &str, set: &Set<T>, display: impl Fn(&T) -> String) -> Self {
        Self::new(name, &display(&set.value), &set.origin.to_string())
    }
}

/// All settings.
fn rows(settings: &Settings, now: &Timestamp) -> Vec<Row> {
    let gate = &settings.gate;
    let mut rows = vec![
        Row::of("format", &settings.format, ToString::to_string),
        Row::of("deny-warnings", &settings.deny_warnings, bool::to_string),
        Row::of("deny-unjudged", &settings.deny_unjudged, bool::to_string),
        Row::of("max-findings", &settings.max_findings, usize::to_string),
        Row::of("jobs", &settings.jobs, |jobs| or_dash(jobs.as_ref())),
        Row::of("baseline", &gate.baseline, |path| {
            or_dash(path.as_ref().map(|path| path.display()))
        }),
        Row::of("select", &gate.select, |rules| {
            or_dash((!rules.is_empty()).then(|| rules.join(",")))
        }),
        Row::of("verify-manifest", &gate.verify_manifest, bool::to_string),
    ];
    let require = &gate.require;
    let required = require.value.iter();
    rows.extend(required.map(|rule| Row::new("require", rule, &require.origin.to_string())));
    rows.extend(configured(&gate.file, now));
    rows.extend(gate.rules.iter().map(|set| {
        let (rule, level) = &set.value;
        Row::new(rule, level.word(), &set.origin.to_string())
    }));
    rows
}

/// The level of each rule of a name, and what decides it.
fn levels(settings: &Settings, name: &str, episode: Option<&Path>) -> Vec<Row> {
    let GateSettings {
        gate,
        rules,
        verify_manifest,
        ..
    } = &settings.gate;
    let decided = gate.decided(episode);
    let named = decided.filter(|(rule, ..)| names(name, rule));
    let row = |(rule, level, why): (&str, Level, Decided<'_>)| {
        let why = match why {
            Decided::Default => "default".to_owned(),
            Decided::Configured(set, (file, line)) if set == rule => format!("{file}:{line}"),
            Decided::Configured(set, (file, line)) => format!("{file}:{line} ({set})"),
            Decided::NotSelected => "not selected".to_owned(),
            // A flag that asks for the manifest comes before the others.
            Decided::Last(index) => {
                let before = usize::from(verify_manifest.sets_level());
                let set = index.checked_sub(before).and_then(|index| rules.get(index));
                let origin = set.map_or(&verify_manifest.origin, |set| &set.origin);
                match set.map(|set| &*set.value.0) {
                    Some(set) if set != rule => format!("{origin} ({set})"),
                    _ => origin.to_string(),
                }
            }
        };
        Row::new(rule, level.word(), &why)
    };
    named.map(row).collect()
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".into(), |value| value.to_string())
}

/// The settings in the configuration that decide which findings count.
fn configured(file: &ConfigFile, now: &Timestamp) -> Vec<Row> {
    let config = &file.config;
    let at = |span: Range<usize>| format!("{}:{}", file.file().name, file.file().line(&span));
    let mut rows: Vec<Row> = config
        .exclude
        .iter()
        .map(|glob| Row::new("exclude", glob.get_ref(), &at(glob.span())))
        .collect();
    let required = config.require.iter();
    rows.extend(required.map(|rule| Row::new("require", rule.get_ref(), &at(rule.span()))));
    let mut levels = |rules: &Rules, within: &str| {
        rows.extend(rules.iter().map(|(rule, level)| {
            let name = format!("{}{within}", rule.get_ref());
            Row::new(&name, level.get_ref().word(), &at(rule.span()))
        }));
    };
    levels(&config.rules, "");
    for within in &config.overrides {
        let globs: Vec<&str> = within.paths.iter().map(|glob| &**glob.get_ref()).collect();
        levels(&within.rules, &format!(" in {}", globs.join(" ")));
    }
    let ignores = config.ignores.iter();
    rows.extend(ignores.map(|ignore| ignored(ignore, now, &at)));
    rows
}

fn ignored(ignore: &Ignore, now: &Timestamp, at: &impl Fn(Range<usize>) -> String) -> Row {
    let place: String = [&ignore.file, &ignore.pointer]
        .into_iter()
        .flatten()
        .flat_map(|part| [" ", part.get_ref().as_str()])
        .collect();
    let (rule, episode) = (ignore.rule.get_ref(), ignore.episode.get_ref());
    let effect = match &ignore.expires {
        None => "ignored".to_owned(),
        Some(day) if now >= day.start() => format!("expired on {day}"),
        Some(day) => format!("ignored until {day}"),
    };
    Row::new(
        &format!("{rule} in {episode}{place}"),
        &effect,
        &at(ignore.rule.span()),
    )
}
