//! `runvet config`: what is in force, and where each value is from.

use clap::{ArgMatches, Args};
use toml::Spanned;
use unicode_width::UnicodeWidthStr;

use super::output::Output;
use super::settings::{Baselines, GateSettings, Origin, Settings, SettingsArgs};
use super::{Exit, Failure};
use crate::config::Rules;
use crate::printable::escape;

/// Show what is set for `runvet validate`, and where each value is from
///
/// Flags go before the environment, that before the configuration, and that before the defaults.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet config --no-config --max-findings 5
  format         human  default
  deny-warnings  false  default
  max-findings   5      --max-findings
  jobs           -      default
  baseline       -      default")]
pub(in crate::cli) struct Config {
    #[command(flatten)]
    settings: SettingsArgs,
}

impl Config {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let settings = self.settings.resolve(matches, Baselines::Unread, output)?;
        let rows: Vec<[String; 3]> = rows(&settings)
            .into_iter()
            .map(|(a, b, c)| [a, b, c].map(|text| escape(&text).into_owned()))
            .collect();
        let width = |of: fn(&[String; 3]) -> &String| {
            rows.iter()
                .map(|row| of(row).width())
                .max()
                .unwrap_or_default()
        };
        let (names, values) = (width(|[name, ..]| name), width(|[_, value, _]| value));
        for [name, value, origin] in &rows {
            writeln!(output.stdout(), "{name:names$}  {value:values$}  {origin}")?;
        }
        Ok(Exit::Success)
    }
}

/// Everything that is set: its name, its value, and where that is from.
fn rows(settings: &Settings) -> Vec<(String, String, String)> {
    let Settings {
        format,
        deny_warnings,
        max_findings,
        jobs,
        gate,
    } = settings;
    let GateSettings {
        baseline,
        rules,
        file,
        gate: _,
    } = gate;
    let row =
        |name: &str, value: String, origin: &Origin| (name.to_owned(), value, origin.to_string());
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    let mut rows = vec![
        row(
            "format",
            format!("{:?}", format.value).to_lowercase(),
            &format.origin,
        ),
        row(
            "deny-warnings",
            deny_warnings.value.to_string(),
            &deny_warnings.origin,
        ),
        row(
            "max-findings",
            max_findings.value.to_string(),
            &max_findings.origin,
        ),
        row(
            "jobs",
            or_dash(jobs.value.map(|jobs| jobs.to_string())),
            &jobs.origin,
        ),
        row(
            "baseline",
            or_dash(
                baseline
                    .value
                    .as_ref()
                    .map(|path| path.display().to_string()),
            ),
            &baseline.origin,
        ),
    ];
    let (file, config) = (file.file(), &file.config);
    let at = |span: std::ops::Range<usize>| format!("{}:{}", file.name, file.line(&span));
    let globs = |globs: &[Spanned<String>]| {
        globs
            .iter()
            .map(|glob| glob.get_ref().clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for glob in &config.exclude {
        rows.push(("exclude".into(), glob.get_ref().clone(), at(glob.span())));
    }
    let levels = |rules: &Rules, within: &str| {
        let level = |(rule, level): (&Spanned<String>, &Spanned<_>)| {
            let level: &crate::check::Level = level.get_ref();
            (
                format!("{}{within}", rule.get_ref()),
                level.word().to_owned(),
                at(rule.span()),
            )
        };
        rules.iter().map(level).collect::<Vec<_>>()
    };
    rows.extend(levels(&config.rules, ""));
    for within in &config.overrides {
        rows.extend(levels(
            &within.rules,
            &format!(" in {}", globs(&within.paths)),
        ));
    }
    for ignore in &config.ignores {
        let pointer = ignore
            .pointer
            .as_ref()
            .map(|pointer| &**pointer.get_ref())
            .unwrap_or_default();
        let name = format!(
            "{} in {} {pointer}",
            ignore.rule.get_ref(),
            ignore.episode.get_ref()
        );
        let until = ignore
            .expires
            .as_ref()
            .map(|day| format!(" until {day}"))
            .unwrap_or_default();
        rows.push((
            name.trim_end().to_owned(),
            format!("ignored{until}"),
            at(ignore.rule.span()),
        ));
    }
    rows.extend(
        rules
            .value
            .iter()
            .map(|(rule, level)| row(rule, level.word().into(), &rules.origin)),
    );
    rows
}
