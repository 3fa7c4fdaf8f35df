//! Flags, environment variables and `runvet.toml` -> the settings in force, each with its origin.

mod file;
mod sources;

use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::SystemTime;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;
use toml::Spanned;

use super::words::one_of;
use super::{Failure, candidates};
use crate::check::all_rules;
use crate::config::Config;
use crate::finding::{Deny, Level};
use crate::gate::{Baseline, Error, Gate};
use crate::report::{Format, settings_in_words};
use crate::rules::{MANIFEST, RuleSet};
use crate::timestamp::Timestamp;
pub(super) use file::{ConfigArgs, ConfigFile};
use sources::{Names, Sources};
pub(super) use sources::{Origin, Set};

/// The default maximum number of findings of each rule in the human format.
const MAX_FINDINGS: usize = 20;

#[derive(Args)]
pub(super) struct SettingsArgs {
    /// The format of the report [default: human]
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = one_of(Format::about),
        env = "RUNVET_FORMAT"
    )]
    format: Option<Format>,

    /// Fail on warnings too
    #[arg(long, value_name = "BOOL", env = "RUNVET_DENY_WARNINGS")]
    deny_warnings: Option<bool>,

    /// Fail on rules that could not be judged too
    ///
    /// In a run that has ended, every such rule counts. In any other run, a rule counts only if a
    /// record is unreadable, broken, of another version, or beyond a limit. Rules that the baseline
    /// accepts as not judged don't count.
    #[arg(long, value_name = "BOOL", env = "RUNVET_DENY_UNJUDGED")]
    deny_unjudged: Option<bool>,

    /// Maximum number of findings of each rule to show in the human format; 0 for all [default: 20]
    ///
    /// The report gives the number of findings that are not shown.
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_whole::<usize>,
        allow_negative_numbers = true,
        env = "RUNVET_MAX_FINDINGS"
    )]
    max_findings: Option<usize>,

    /// Number of episodes to check in parallel [default: the number of cores]
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = parse_whole::<NonZeroUsize>,
        allow_negative_numbers = true,
        env = "RUNVET_JOBS"
    )]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    gate: GateArgs,
}

/// The options that decide which findings count.
#[derive(Args)]
#[command(next_help_heading = "Rules, baseline and configuration")]
pub(super) struct GateArgs {
    /// Set the severity of a rule, or of a group such as `plan/*`, to error, warning or off;
    /// repeatable
    ///
    /// Later settings override earlier ones, the variable and the configuration. `runvet rules`
    /// lists the rules.
    #[arg(
        long = "rule",
        value_name = "NAME=LEVEL",
        value_parser = parse_level,
        add = ArgValueCandidates::new(candidates::levels),
        value_delimiter = ',',
        env = "RUNVET_RULES"
    )]
    rules: Vec<(String, Level)>,

    /// Check only this rule, or a group such as `plan/*`; repeatable
    ///
    /// A selected rule that is off by default, or in the configuration, is checked as a warning.
    /// `--rule` has precedence.
    #[arg(
        long,
        value_name = "RULE",
        value_parser = parse_rule,
        add = ArgValueCandidates::new(candidates::rules),
        value_delimiter = ',',
        env = "RUNVET_SELECT"
    )]
    select: Vec<String>,

    /// Fail for each run that has ended and in which this rule, or a rule of this group, compared
    /// nothing; repeatable
    ///
    /// `coverage/required` reports a rule that has nothing to compare in such a run, can't be
    /// checked, or is off. The rules that the configuration requires are required as well.
    #[arg(
        long,
        value_name = "RULE",
        value_parser = parse_rule,
        add = ArgValueCandidates::new(candidates::rules),
        value_delimiter = ',',
        env = "RUNVET_REQUIRE"
    )]
    require: Vec<String>,

    /// Check the files in the manifest against their digests and sizes
    ///
    /// Sets the rule `manifest/digest` to error. `--rule` has precedence.
    #[arg(long, value_name = "BOOL", env = "RUNVET_VERIFY_MANIFEST")]
    verify_manifest: Option<bool>,

    /// Accept the findings that this file lists: they do not fail the check
    ///
    /// `runvet validate --write-baseline` creates it.
    #[arg(long, value_name = "FILE", env = "RUNVET_BASELINE")]
    baseline: Option<PathBuf>,

    /// Use no baseline, even if one is set elsewhere
    #[arg(long)]
    no_baseline: bool,

    #[command(flatten)]
    config: ConfigArgs,
}

/// Parses a whole number.
pub(super) fn parse_whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => "the number is too large".to_owned(),
            IntErrorKind::Zero => "expected a whole number, at least 1".to_owned(),
            _ => "expected a whole number".to_owned(),
        })
}

/// Parses the name of a rule or a group. Names in a built-in group are known while the command line
/// is parsed; those of a team, once the configuration is read.
pub(super) fn parse_rule(name: &str) -> Result<String, String> {
    let group = name.split_once('/').map(|(group, _)| group);
    let is_built_in = |group| all_rules().any(|rule| rule.id.split('/').next() == Some(group));
    if group.is_none_or(is_built_in) {
        let known = RuleSet::default().must_have(name).map_err(Error::from);
        known.map_err(|error| error.to_string())?;
    }
    Ok(name.to_owned())
}

/// Parses `NAME=LEVEL`.
fn parse_level(setting: &str) -> Result<(String, Level), String> {
    let (name, level) = setting
        .split_once('=')
        .ok_or("expected NAME=error, NAME=warning or NAME=off")?;
    let level: Level = level.parse().map_err(|error| format!("{error}"))?;
    Ok((parse_rule(name)?, level))
}

/// Whether the baseline is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Baselines {
    Read,
    Unread,
}

/// The settings in force.
pub(super) struct Settings {
    pub(super) format: Set<Format>,
    pub(super) deny_warnings: Set<bool>,
    pub(super) deny_unjudged: Set<bool>,
    pub(super) max_findings: Set<usize>,
    pub(super) jobs: Set<Option<NonZeroUsize>>,
    pub(super) gate: GateSettings,
}

/// The settings in force that decide which findings count.
pub(super) struct GateSettings {
    pub(super) baseline: Set<Option<PathBuf>>,
    /// The rules and groups that are checked; all if there are none.
    pub(super) select: Set<Vec<String>>,
    pub(super) verify_manifest: Set<bool>,
    /// The rules and groups that flags or the environment require.
    pub(super) require: Set<Vec<String>>,
    /// Levels set by flags or the environment.
    pub(super) rules: Vec<Set<(String, Level)>>,
    pub(super) file: ConfigFile,
    pub(super) gate: Gate,
}

impl GateSettings {
    /// Where the settings come from, in a few words.
    pub(super) fn said(&self) -> String {
        let is_given = |origin: &Origin| !matches!(origin, Origin::Default | Origin::File(..));
        let given = is_given(&self.select.origin)
            || is_given(&self.baseline.origin)
            || is_given(&self.verify_manifest.origin)
            || is_given(&self.require.origin)
            || !self.rules.is_empty();
        let file = Some(&*self.file.name).filter(|name| !name.is_empty());
        settings_in_words(file, given)
    }
}

impl Settings {
    /// What fails a check besides errors.
    pub(super) fn deny(&self) -> Deny {
        Deny {
            warnings: self.deny_warnings.value,
            unjudged: self.deny_unjudged.value,
        }
    }
}

impl SettingsArgs {
    /// Combines all sources; an error in a file is drawn with its place.
    pub(super) fn resolve(
        &self,
        matches: &ArgMatches,
        baselines: Baselines,
    ) -> Result<Settings, Failure> {
        let gate = self.gate.resolve(matches, baselines)?;
        let (from, config) = (Sources::new(matches, &gate.file), &gate.file.config);
        Ok(Settings {
            format: from.first(&FORMAT, self.format, config.format.as_ref(), Format::Human),
            deny_warnings: from.first(
                &DENY_WARNINGS,
                self.deny_warnings,
                config.deny_warnings.as_ref(),
                false,
            ),
            deny_unjudged: from.first(
                &DENY_UNJUDGED,
                self.deny_unjudged,
                config.deny_unjudged.as_ref(),
                false,
            ),
            max_findings: from.first(
                &FINDINGS_SHOWN,
                self.max_findings,
                config.max_findings.as_ref(),
                MAX_FINDINGS,
            ),
            jobs: from.any(&JOBS, self.jobs, config.jobs.as_ref()),
            gate,
        })
    }
}

impl GateArgs {
    /// Combines all sources; an error in a file is drawn with its place.
    pub(super) fn resolve(
        &self,
        matches: &ArgMatches,
        baselines: Baselines,
    ) -> Result<GateSettings, Failure> {
        let mut file = self.config.read()?;
        let from = Sources::new(matches, &file);
        let baseline = self.baseline(&from, &file);
        let select = self.select(&from, &file.config);
        let verify_manifest = from.first(
            &VERIFY_MANIFEST,
            self.verify_manifest,
            file.config.verify_manifest.as_ref(),
            false,
        );
        let given = (!self.require.is_empty()).then(|| self.require.clone());
        let require = from.first(&REQUIRE, given, None, Vec::new());
        let rules = self.rules(matches)?;
        if !matches!(verify_manifest.origin, Origin::File(..)) {
            file.config.verify_manifest = None;
        }
        let mut gate = file.gate()?;
        if !matches!(select.origin, Origin::File(..)) {
            gate = gate.select(&select.value)?;
        }
        for rule in &require.value {
            gate = gate.require(rule)?;
        }
        if verify_manifest.sets_level() {
            gate = gate.level(&MANIFEST.info.id, Level::Error)?;
        }
        for Set {
            value: (rule, level),
            ..
        } in &rules
        {
            gate = gate.level(rule, *level)?;
        }
        if let (Baselines::Read, Some(path)) = (baselines, &baseline.value) {
            let read = Baseline::read(path).map_err(|error| {
                let origin = &baseline.origin;
                Failure::Fault(format!(
                    "{error} (set by {origin}; `runvet validate --write-baseline` creates it, --no-baseline checks without it)"
                ))
            })?;
            gate = gate.with_baseline(read);
        }
        Ok(GateSettings {
            baseline,
            select,
            verify_manifest,
            require,
            rules,
            file,
            gate,
        })
    }

    /// The levels that the environment sets, then those of flags, which override them.
    fn rules(&self, matches: &ArgMatches) -> Result<Vec<Set<(String, Level)>>, Failure> {
        let set = |value: &(String, Level), origin| Set {
            value: value.clone(),
            origin,
        };
        let of_environment = |value| set(value, Origin::Environment(RULES));
        if matches.value_source("rules") != Some(ValueSource::CommandLine) {
            return Ok(self.rules.iter().map(of_environment).collect());
        }
        // Flags hide the variable from the parser of arguments.
        let variable = std::env::var_os(RULES).unwrap_or_default();
        let parsed = variable
            .to_str()
            .ok_or("it is not UTF-8".to_owned())
            .and_then(|text| {
                let settings = text.split(',').filter(|_| !text.is_empty());
                settings
                    .map(parse_level)
                    .collect::<Result<Vec<_>, String>>()
            });
        let parsed = parsed.map_err(|wrong| {
            Failure::Fault(format!("invalid value of the variable {RULES}: {wrong}"))
        })?;
        let of_flag = |value| set(value, Origin::Flag("--rule"));
        let flags = self.rules.iter().map(of_flag);
        Ok(parsed.iter().map(of_environment).chain(flags).collect())
    }

    fn select(&self, from: &Sources<'_>, config: &Config) -> Set<Vec<String>> {
        let given = (!self.select.is_empty()).then(|| self.select.clone());
        let configured = config.select.iter().map(|rule| rule.get_ref().clone());
        let configured = config
            .select
            .first()
            .map(|first| Spanned::new(first.span(), configured.collect()));
        from.first(&SELECT, given, configured.as_ref(), Vec::new())
    }

    fn baseline(&self, from: &Sources<'_>, file: &ConfigFile) -> Set<Option<PathBuf>> {
        if self.no_baseline {
            return Set {
                value: None,
                origin: Origin::Flag("--no-baseline"),
            };
        }
        let mut baseline = from.any(
            &BASELINE,
            self.baseline.clone(),
            file.config.baseline.as_ref(),
        );
        if let (Some(path), Origin::File(..)) = (&mut baseline.value, &baseline.origin) {
            *path = file.dir.join(&path);
        }
        baseline
    }
}

const FORMAT: Names = Names("format", "--format", "RUNVET_FORMAT");
const DENY_WARNINGS: Names = Names("deny_warnings", "--deny-warnings", "RUNVET_DENY_WARNINGS");
const DENY_UNJUDGED: Names = Names("deny_unjudged", "--deny-unjudged", "RUNVET_DENY_UNJUDGED");
const FINDINGS_SHOWN: Names = Names("max_findings", "--max-findings", "RUNVET_MAX_FINDINGS");
const JOBS: Names = Names("jobs", "--jobs", "RUNVET_JOBS");
const RULES: &str = "RUNVET_RULES";
const SELECT: Names = Names("select", "--select", "RUNVET_SELECT");
const REQUIRE: Names = Names("require", "--require", "RUNVET_REQUIRE");
const VERIFY_MANIFEST: Names = Names(
    "verify_manifest",
    "--verify-manifest",
    "RUNVET_VERIFY_MANIFEST",
);
const BASELINE: Names = Names("baseline", "--baseline", "RUNVET_BASELINE");

/// The current time, which decides whether ignores have expired: `SOURCE_DATE_EPOCH` if it is set,
/// for reproducible results, else the system's clock.
pub(super) fn now() -> Result<Timestamp, Failure> {
    let set = std::env::var_os("SOURCE_DATE_EPOCH").filter(|seconds| !seconds.is_empty());
    let since_1970 = match set {
        Some(seconds) => seconds.to_str().and_then(|seconds| seconds.parse().ok()),
        None => SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()
            .map(|since| since.as_secs()),
    };
    let instant = since_1970
        .and_then(|seconds| i64::try_from(seconds).ok())
        .map(Timestamp::from_unix_seconds);
    instant.ok_or_else(|| {
        Failure::Fault("SOURCE_DATE_EPOCH is not a number of seconds since 1970".into())
    })
}
