//! Flags, environment variables and `runvet.toml` -> the settings in force, each with its origin.

mod file;
mod flags;

use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;

use super::words::one_of;
use super::{CommandFailure, Result, candidates};
use crate::gate::config::{Config, Origin, Setting};
use crate::gate::{Baseline, Gate, Profile};
use crate::ground::finding::Level;
use crate::ground::timestamp::Timestamp;
use crate::judge::check::all_rules;
use crate::judge::rules::{MANIFEST, RuleSet, UNENDED};
use crate::report::{Format, settings_in_words};
use crate::store::must_be_trusted;
pub(super) use file::{ConfigArgs, ConfigFile};
use flags::FlagSettings;

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
///
/// A command has them last: its options after these would have the same heading.
#[derive(Args)]
#[command(next_help_heading = "Rules, baseline and configuration")]
pub(super) struct GateArgs {
    /// Set the severity of a rule, or of a group such as `plan/*`, to error, warning or off;
    /// repeatable
    ///
    /// Later settings override earlier ones, the variable and the configuration. `runvet rules`
    /// lists the rules.
    #[arg(
        long,
        value_name = "NAME=LEVEL",
        value_parser = parse_level,
        add = ArgValueCandidates::new(candidates::levels),
        value_delimiter = ',',
        env = RULES
    )]
    rule: Vec<(String, Level)>,

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
    select: Option<Vec<String>>,

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
    require: Option<Vec<String>>,

    /// Check the files in the manifest against their digests and sizes, and that it lists all files
    ///
    /// Sets the rule `manifest/digest` to error, and `manifest/unlisted` to warning. `--rule` has
    /// precedence.
    #[arg(long, value_name = "BOOL", env = "RUNVET_VERIFY_MANIFEST")]
    verify_manifest: Option<bool>,

    /// Fail for each run that has not ended
    ///
    /// Sets the rule `lifecycle/unended` to error. `--rule` has precedence.
    #[arg(long, value_name = "BOOL", env = "RUNVET_REQUIRE_ENDED")]
    require_ended: Option<bool>,

    /// Set what belongs together: `strict` lets nothing pass that was not judged
    ///
    /// It stands for `--deny-warnings`, `--deny-unjudged`, `--require-ended`, `--strict-config` and
    /// `--verify-manifest`, as far as the command has these options, and sets the group `strict` to
    /// error. Options and levels that are set besides have precedence.
    #[arg(long, value_name = "NAME", value_parser = one_of(about_profile), env = "RUNVET_PROFILE")]
    profile: Option<Profile>,

    /// Read artifacts that are symbolic links to files within their episode's directory, or beneath
    /// DIR
    ///
    /// DIR is a store into which tools make links, such as `.git/annex`, `.dvc/cache` or
    /// `/nix/store`. By default links are errors. Those that lead elsewhere are always errors,
    /// because they could make runvet read any file.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "the form of a flag with an optional value"
    )]
    follow_links: Option<Option<PathBuf>>,

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

fn about_profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Strict => "Nothing passes that was not judged",
    }
}

/// The arguments that change which findings count, besides those that set levels.
const DECISIVE: [&str; 7] = [
    "no_baseline",
    "baseline",
    "select",
    "require",
    "verify_manifest",
    "require_ended",
    "profile",
];

/// Parses a whole number.
pub(super) fn parse_whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse::<T>()
        .map_err(|error| match error.kind() {
            IntErrorKind::PosOverflow => "the number is too large",
            IntErrorKind::Zero => "expected a whole number, at least 1",
            _ => "expected a whole number",
        })
        .map_err(str::to_owned)
}

/// Parses the name of a rule or a group. Names in a built-in group are known while the command line
/// is parsed; those of a team, once the configuration is read.
pub(super) fn parse_rule(name: &str) -> Result<String, String> {
    let group = name
        .split_once('/')
        .map(|(group, _)| group);
    let is_built_in = |group| all_rules().any(|rule| rule.id.split('/').next() == Some(group));
    if group.is_none_or(is_built_in) {
        RuleSet::default()
            .must_have(name)
            .map_err(|error| error.to_string())?;
    }

    Ok(name.to_owned())
}

/// Parses `NAME=LEVEL`.
pub(super) fn parse_level(setting: &str) -> Result<(String, Level), String> {
    let (name, level) = setting
        .split_once('=')
        .ok_or("expected NAME=error, NAME=warning or NAME=off")?;
    let level: Level = level
        .parse()
        .map_err(|error| format!("{error}"))?;

    Ok((parse_rule(name)?, level))
}

/// The settings in force.
pub(super) struct Settings {
    pub(super) file: ConfigFile,
    /// The settings of the file, and in their place those that flags and variables set.
    pub(super) config: Config,
    /// The rules and groups that are checked, if not all.
    pub(super) select: Option<Setting<Vec<String>>>,
    /// The levels that variables and flags set, each with its origin.
    pub(super) rules: Vec<(String, Level, &'static str)>,
    /// The name, value and origin of each setting that has one value, and of each rule that
    /// variables or flags require.
    pub(super) shown: Vec<[String; 3]>,
    /// `true` if flags or variables change which findings count.
    are_changed: bool,
    pub(super) gate: Gate,
}

impl Settings {
    /// Returns the format of the report on standard output.
    pub(super) fn format(&self) -> Format {
        let set = self.config.format.as_ref();
        set.map_or(Format::Human, |set| set.value)
    }

    /// Returns the maximum number of findings of each rule in the human format; 0 for all.
    pub(super) fn max_findings(&self) -> usize {
        let set = self.config.max_findings.as_ref();
        set.map_or(MAX_FINDINGS, |set| set.value)
    }

    /// Returns the origin of the settings, in a few words.
    pub(super) fn in_words(&self) -> String {
        settings_in_words(self.file.name(), self.are_changed)
    }
}

impl SettingsArgs {
    /// Merges all sources, and reads the baseline or not; an error in a file is drawn with its
    /// place.
    pub(super) fn resolve(&self, matches: &ArgMatches, with_baseline: bool) -> Result<Settings> {
        self.gate
            .resolve_with(matches, with_baseline, |given, config| {
                given.set("format", &mut config.format, "human");
                given.set("deny_warnings", &mut config.deny_warnings, "false");
                given.set("deny_unjudged", &mut config.deny_unjudged, "false");
                let max_findings = &mut config.max_findings;
                given.set("max_findings", max_findings, &MAX_FINDINGS.to_string());
                given.set("jobs", &mut config.jobs, "-");
            })
    }
}

impl GateArgs {
    /// Merges all sources; an error in a file is drawn with its place.
    pub(super) fn resolve(&self, matches: &ArgMatches) -> Result<Settings> {
        self.resolve_with(matches, true, |_, _| {})
    }

    fn resolve_with(
        &self,
        matches: &ArgMatches,
        with_baseline: bool,
        merge: impl FnOnce(&mut FlagSettings<'_>, &mut Config),
    ) -> Result<Settings> {
        let (file, mut config) = self.config.read()?;
        let mut given = FlagSettings {
            matches,
            file: file.source(),
            shown: Vec::new(),
        };

        given.merge("profile", self.profile, &mut config.profile);
        config.follow_profile();
        merge(&mut given, &mut config);

        let rules = self.rules(matches)?;
        let [manifest, ended] = [&mut config.verify_manifest, &mut config.require_ended];
        given.merge("verify_manifest", self.verify_manifest, manifest);
        given.merge("require_ended", self.require_ended, ended);

        let mut gate = file.gate(&config)?;
        self.merge_baseline(&mut given, &mut config);
        let select = self.merge_select(&mut given, &config);
        for (id, switch) in [
            ("verify_manifest", &config.verify_manifest),
            ("require_ended", &config.require_ended),
        ] {
            given.show(id, switch.as_ref(), "false", bool::to_string);
        }

        given.show("profile", config.profile.as_ref(), "-", Profile::to_string);
        let required_by = given
            .origin("require")
            .unwrap_or_default();
        for rule in self.require.iter().flatten() {
            given
                .shown
                .push(["require".to_owned(), rule.clone(), required_by.clone()]);
        }

        gate = self.over(gate, &given, &rules)?;
        if let Some(baseline) = config
            .baseline
            .as_ref()
            .filter(|_| with_baseline)
        {
            let origin = given.file.origin(&baseline.origin);
            gate = gate.with_baseline(read_baseline(&baseline.value, &origin, matches)?);
        }

        let are_changed = !rules.is_empty()
            || DECISIVE
                .iter()
                .any(|id| given.origin(id).is_some());

        Ok(Settings {
            shown: given.shown,
            are_changed,
            file,
            config,
            select,
            rules,
            gate,
        })
    }

    /// Merges the rules that are checked, and shows them.
    fn merge_select(
        &self,
        given: &mut FlagSettings<'_>,
        config: &Config,
    ) -> Option<Setting<Vec<String>>> {
        let configured = &config.select;
        let mut select = configured.first().map(|first| Setting {
            value: configured
                .iter()
                .map(|rule| rule.get_ref().clone())
                .collect(),
            origin: Origin::File(first.span()),
        });
        given.merge("select", self.select.clone(), &mut select);
        given.show("select", select.as_ref(), "-", |rules| rules.join(","));
        select
    }

    /// Merges the path of the baseline, and shows it.
    fn merge_baseline(&self, given: &mut FlagSettings<'_>, config: &mut Config) {
        if let Some(baseline) = &mut config.baseline {
            baseline.value = given.file.dir.join(&baseline.value);
        }

        given.merge("baseline", self.baseline.clone(), &mut config.baseline);
        if self.no_baseline {
            config.baseline = None;
            let row = ["baseline", "-", "--no-baseline"];
            given.shown.push(row.map(str::to_owned));
        } else {
            let baseline = config.baseline.as_ref();
            given.show("baseline", baseline, "-", |path| path.display().to_string());
        }
    }

    /// Returns a gate in which flags and variables override what the configuration says of rules.
    fn over(
        &self,
        mut gate: Gate,
        given: &FlagSettings<'_>,
        rules: &[(String, Level, &str)],
    ) -> Result<Gate> {
        gate = match &self.follow_links {
            None => gate,
            Some(None) => gate.follow_links(true),
            Some(Some(store)) => {
                let what = format!("can't follow links into {}", store.display());
                gate.follow_links_into(store)
                    .map_err(CommandFailure::of(what))?
            }
        };
        if let Some(select) = &self.select {
            gate = gate.select(select)?;
        }
        for rule in self.require.iter().flatten() {
            gate = gate.require(rule)?;
        }

        for (id, switch, rules) in [
            ("verify_manifest", self.verify_manifest, &MANIFEST[..]),
            ("require_ended", self.require_ended, &[UNENDED]),
        ] {
            let origin = given
                .origin(id)
                .filter(|_| switch == Some(true));
            for (origin, (rule, level)) in origin
                .iter()
                .flat_map(|origin| rules.iter().map(move |it| (origin, it)))
            {
                gate = gate.level_by(&rule.info.id, *level, origin)?;
            }
        }

        for (rule, level, origin) in rules {
            gate = gate.level_by(rule, *level, origin)?;
        }

        Ok(gate)
    }

    /// Returns the levels that the environment sets, then those of flags, which override them.
    fn rules(&self, matches: &ArgMatches) -> Result<Vec<(String, Level, &'static str)>> {
        let (of_variable, of_flags) = match matches.value_source("rule") {
            // Flags hide the variable from the parser of arguments.
            Some(ValueSource::CommandLine) => (levels_of_variable()?, self.rule.clone()),
            _ => (self.rule.clone(), Vec::new()),
        };

        let by = |origin| move |(rule, level)| (rule, level, origin);
        Ok(of_variable
            .into_iter()
            .map(by(RULES))
            .chain(of_flags.into_iter().map(by("--rule")))
            .collect())
    }
}

/// Reads a baseline; one inside run data only if the command line names it.
fn read_baseline(path: &Path, origin: &str, matches: &ArgMatches) -> Result<Baseline> {
    let is_named = matches.value_source("baseline") == Some(ValueSource::CommandLine);
    let read = match must_be_trusted(path) {
        Err(why) if !is_named => Err(format!("can't read the baseline {}: {why}", path.display())),
        _ => Baseline::read(path).map_err(|error| error.to_string()),
    };

    read.map_err(|error| {
        CommandFailure::Fault(format!(
            "{error} (set by {origin}; `runvet validate --write-baseline` creates it, --no-baseline checks without it)"
        ))
    })
}

fn levels_of_variable() -> Result<Vec<(String, Level)>> {
    std::env::var_os(RULES)
        .unwrap_or_default()
        .to_str()
        .ok_or("it is not UTF-8".to_owned())
        .and_then(|text| {
            text.split(',')
                .filter(|_| !text.is_empty())
                .map(parse_level)
                .collect()
        })
        .map_err(CommandFailure::of(format!(
            "invalid value of the variable {RULES}"
        )))
}

/// The variable that sets levels.
const RULES: &str = "RUNVET_RULES";

/// Returns the current time, which decides whether ignores have expired: `SOURCE_DATE_EPOCH` if it
/// is set, for reproducible results, else the system's clock.
pub(super) fn now() -> Result<Timestamp> {
    let set = std::env::var_os("SOURCE_DATE_EPOCH").filter(|seconds| !seconds.is_empty());
    let since_1970: Option<u64> = match set {
        Some(seconds) => seconds
            .to_str()
            .and_then(|seconds| seconds.parse().ok()),
        None => SystemTime::UNIX_EPOCH
            .elapsed()
            .ok()
            .map(|it| it.as_secs()),
    };

    since_1970
        .and_then(|seconds| i64::try_from(seconds).ok())
        .map(Timestamp::from_unix_seconds)
        .ok_or_else(|| {
            let wrong = "SOURCE_DATE_EPOCH is not a number of seconds since 1970";
            CommandFailure::Fault(wrong.into())
        })
}
