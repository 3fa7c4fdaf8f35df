//! `runvet config`: prints the settings in force and their origins.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;

use super::output::Output;
use super::run_data::RunDataArgs;
use super::settings::{Settings, SettingsArgs, now, parse_rule};
use super::{Exit, Result, candidates};
use crate::gate::{Decided, Gate};
use crate::ground::printable::escape;
use crate::ground::timestamp::Timestamp;
use crate::judge::rules::names;
use crate::report::Grid;
use crate::store::is_gone;

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
  verify-manifest  false  default
  require-ended    false  default
  profile          -      default")]
pub(in crate::cli) struct ConfigCommand {
    /// Show the level of this rule, or of the rules of a group such as `plan/*`, and what sets it
    #[arg(value_name = "RULE", value_parser = parse_rule, add = ArgValueCandidates::new(candidates::rules))]
    name: Option<String>,

    /// Show the level in the directory of this episode: a path, or the id of a run or a part of it
    /// [default: a directory without overrides]
    episode: Option<PathBuf>,

    #[command(flatten)]
    settings: SettingsArgs,
}

/// The name of a setting, its value and its origin.
type Row = [String; 3];

impl ConfigCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let settings = self.settings.resolve(matches, false)?;
        let rows = match &self.name {
            Some(name) => levels(&settings.gate, name, self.directory(output)?.as_deref())?,
            None => rows(&settings, &now()?),
        };

        let rows = rows.iter().map(|row| {
            row.each_ref()
                .map(|text| escape(text).into_owned())
        });
        Grid::new([""; 3], 0..0, rows).text(output.stdout(), "  ", [0, 0])?;
        if settings.file.name().is_none() && !matches.get_flag("no_config") {
            output.note("no runvet.toml was found");
        }

        settings.file.note_others([], output);
        Ok(Exit::Success)
    }

    /// Returns the directory of the episode: where nothing is at its path, that of the run with
    /// this name.
    fn directory(&self, output: &Output) -> Result<Option<PathBuf>> {
        match &self.episode {
            Some(name) if is_gone(name) => {
                let run = RunDataArgs::of_environment().get(&name.to_string_lossy(), output)?;
                Ok(Some(run.path().to_owned()))
            }
            given => Ok(given.clone()),
        }
    }
}

/// Returns the level of each rule of a name, and what decides it.
fn levels(gate: &Gate, name: &str, episode: Option<&Path>) -> Result<Vec<Row>> {
    let rows: Vec<Row> = gate
        .decided(episode)
        .filter(|(rule, ..)| names(name, rule))
        .map(|(rule, level, why)| {
            let why = match why {
                Decided::Default => "default".to_owned(),
                Decided::Set(set, origin) if set == rule => origin.to_owned(),
                Decided::Set(set, origin) => format!("{origin} ({set})"),
                Decided::NotSelected => "not selected".to_owned(),
            };
            [rule.to_owned(), level.to_string(), why]
        })
        .collect();
    if rows.is_empty() {
        gate.find_rule(name)?;
    }

    Ok(rows)
}

/// Returns all settings.
fn rows(settings: &Settings, now: &Timestamp) -> Vec<Row> {
    let (config, file) = (&settings.config, settings.file.source());
    let mut rows = settings.shown.clone();
    let mut add = |name: String, value: &str, span: Range<usize>| {
        rows.push([name, value.to_owned(), file.place(&span)]);
    };

    for (name, list) in [("exclude", &config.exclude), ("require", &config.require)] {
        for item in list {
            add(name.to_owned(), item.get_ref(), item.span());
        }
    }

    for (rule, level) in &config.rules {
        add(rule.get_ref().clone(), level.get_ref().word(), rule.span());
    }

    for within in &config.overrides {
        let globs: Vec<&str> = within
            .paths
            .iter()
            .map(|glob| &**glob.get_ref())
            .collect();
        for (rule, level) in &within.rules {
            let name = format!("{} in {}", rule.get_ref(), globs.join(" "));
            add(name, level.get_ref().word(), rule.span());
        }
    }

    for ignore in &config.ignores {
        let mut name = format!("{} in {}", ignore.rule.get_ref(), ignore.episode.get_ref());
        for part in [&ignore.file, &ignore.pointer]
            .into_iter()
            .flatten()
        {
            name = format!("{name} {part}");
        }

        let effect = match &ignore.expires {
            None => "ignored".to_owned(),
            Some(day) if *now >= day.start => format!("expired on {}", day.text),
            Some(day) => format!("ignored until {}", day.text),
        };

        add(name, &effect, ignore.rule.span());
    }

    for (rule, level, origin) in &settings.rules {
        rows.push([rule.clone(), level.to_string(), (*origin).to_owned()]);
    }

    rows
}
