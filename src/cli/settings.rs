//! What is set, by flags, by the environment, by `runvet.toml`, and where each value is from.

use std::fmt;
use std::io;
use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use clap::builder::BoolishValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use toml::Spanned;

use super::Failure;
use super::output::{Color, Output, style, width};
use crate::check::{Check, Level};
use crate::config::{Config, File, Problem};
use crate::gate::{Baseline, Gate};
use crate::report::{self, Format, GroupBy, HumanOptions};
use crate::store::{self, ConfigSearch};
use crate::timestamp::Timestamp;

/// Findings of each rule that the human format shows, unless set otherwise.
const MAX_FINDINGS: usize = 20;

#[derive(Args)]
pub(super) struct SettingsArgs {
    /// How to print what was found [default: human]
    #[arg(
        long,
        value_name = "FORMAT",
        env = "RUNVET_FORMAT",
        hide_env_values = true
    )]
    format: Option<Format>,

    /// Let warnings fail the gate too
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new(),
        env = "RUNVET_DENY_WARNINGS",
        hide_env_values = true,
        hide_possible_values = true
    )]
    deny_warnings: Option<bool>,

    /// In the human format, show so many findings of each rule at most; 0 shows all [default: 20]
    ///
    /// What is cut is counted and said.
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_whole::<usize>,
        allow_negative_numbers = true,
        env = "RUNVET_MAX_FINDINGS",
        hide_env_values = true
    )]
    max_findings: Option<usize>,

    /// Check so many episodes at a time [default: the number of cores]
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = parse_whole::<NonZeroUsize>,
        allow_negative_numbers = true,
        env = "RUNVET_JOBS",
        hide_env_values = true
    )]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    gate: GateArgs,
}

/// What decides which findings count.
#[derive(Args)]
pub(super) struct GateArgs {
    /// Set the severity of a rule, or of a group such as `plan/*`, to error, warning or off;
    /// repeatable
    ///
    /// Later settings override earlier ones, and those of the configuration. `runvet rules` lists
    /// the rules.
    #[arg(
        long = "rule",
        value_name = "NAME=LEVEL",
        value_parser = parse_level,
        value_delimiter = ',',
        env = "RUNVET_RULES",
        hide_env_values = true
    )]
    rules: Vec<(String, Level)>,

    /// Let findings that this file knows pass
    ///
    /// `--write-baseline` makes it.
    #[arg(
        long,
        value_name = "FILE",
        env = "RUNVET_BASELINE",
        hide_env_values = true
    )]
    baseline: Option<PathBuf>,

    /// Use no baseline, whatever else is said
    #[arg(long)]
    no_baseline: bool,

    /// Read the configuration from this file
    ///
    /// Otherwise it is the nearest `runvet.toml` from the working directory upward to the root of
    /// the repository; one that lies in run data is never read.
    #[arg(
        long,
        value_name = "FILE",
        env = "RUNVET_CONFIG",
        hide_env_values = true
    )]
    config: Option<PathBuf>,

    /// Read no configuration, whatever else is said
    #[arg(long)]
    no_config: bool,
}

/// Reads a whole number.
pub(super) fn parse_whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => "this is too large".to_owned(),
            IntErrorKind::Zero => "expected a whole number from 1 on".to_owned(),
            _ => "expected a whole number".to_owned(),
        })
}

/// Reads `NAME=LEVEL`.
fn parse_level(setting: &str) -> Result<(String, Level), String> {
    let (name, level) = setting
        .split_once('=')
        .ok_or("expected NAME=error, NAME=warning or NAME=off")?;
    let level = match level {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "off" => Level::Off,
        other => return Err(format!("`{other}` is no level; use error, warning or off")),
    };
    // Unknown names are refused here, where the command line is read.
    Check::new()
        .level(name, level)
        .map_err(|error| error.to_string())?;
    Ok((name.to_owned(), level))
}

/// Where a value is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Default,
    /// A line of the configuration.
    File(String, u64),
    Environment(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(name, line) => write!(f, "{name}:{line}"),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value, and where it is from.
pub(super) struct Set<T> {
    pub(super) value: T,
    pub(super) origin: Origin,
}

/// Whether the baseline is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Baselines {
    Read,
    Unread,
}

/// What is in force.
pub(super) struct Settings {
    pub(super) format: Set<Format>,
    pub(super) deny_warnings: Set<bool>,
    pub(super) max_findings: Set<usize>,
    pub(super) jobs: Set<Option<NonZeroUsize>>,
    pub(super) gate: GateSettings,
}

/// What is in force of that which decides which findings count.
pub(super) struct GateSettings {
    pub(super) baseline: Set<Option<PathBuf>>,
    /// Levels by flag or by the environment.
    pub(super) rules: Set<Vec<(String, Level)>>,
    pub(super) file: ConfigFile,
    pub(super) gate: Gate,
}

/// A configuration; where there is none, nothing is set in it.
#[derive(Default)]
pub(super) struct ConfigFile {
    name: String,
    text: String,
    pub(super) config: Config,
}

impl ConfigFile {
    pub(super) fn file(&self) -> File<'_> {
        File {
            name: &self.name,
            text: &self.text,
        }
    }
}

impl SettingsArgs {
    /// Brings together what is set; a file that can't be understood is shown.
    pub(super) fn resolve(
        &self,
        matches: &ArgMatches,
        baselines: Baselines,
        output: &Output,
    ) -> Result<Settings, Failure> {
        let gate = self.gate.resolve(matches, baselines, output)?;
        let (from, config) = (
            Sources {
                matches,
                file: gate.file.file(),
            },
            &gate.file.config,
        );
        let jobs = from.flag("jobs", "--jobs", "RUNVET_JOBS", self.jobs.map(Some));
        Ok(Settings {
            format: from
                .flag("format", "--format", "RUNVET_FORMAT", self.format)
                .or_else(|| from.file(config.format.as_ref(), |format| *format))
                .unwrap_or(Set {
                    value: Format::Human,
                    origin: Origin::Default,
                }),
            deny_warnings: from
                .flag(
                    "deny_warnings",
                    "--deny-warnings",
                    "RUNVET_DENY_WARNINGS",
                    self.deny_warnings,
                )
                .or_else(|| from.file(config.deny_warnings.as_ref(), |deny| *deny))
                .unwrap_or(Set {
                    value: false,
                    origin: Origin::Default,
                }),
            max_findings: from
                .flag(
                    "max_findings",
                    "--max-findings",
                    "RUNVET_MAX_FINDINGS",
                    self.max_findings,
                )
                .or_else(|| from.file(config.max_findings.as_ref(), |max| *max))
                .unwrap_or(Set {
                    value: MAX_FINDINGS,
                    origin: Origin::Default,
                }),
            jobs: jobs
                .or_else(|| from.file(config.jobs.as_ref(), |jobs| Some(*jobs)))
                .unwrap_or(Set {
                    value: None,
                    origin: Origin::Default,
                }),
            gate,
        })
    }
}

impl GateArgs {
    /// Brings together what is set; a file that can't be understood is shown.
    pub(super) fn resolve(
        &self,
        matches: &ArgMatches,
        baselines: Baselines,
        output: &Output,
    ) -> Result<GateSettings, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        let path = match (self.no_config, &self.config) {
            (true, _) => None,
            (false, Some(path)) => Some(path.clone()),
            (false, None) => {
                let ConfigSearch { found, passed_over } = store::find_config(&here);
                for path in passed_over {
                    output.note(&format!(
                        "{} lies in run data and is not read; --config reads it",
                        path.display()
                    ));
                }
                if let Some(path) = &found {
                    store::must_be_file(path).map_err(|error| unreadable_config(path, &error))?;
                }
                found
            }
        };
        let file = path
            .map(|path| read_config(&path))
            .transpose()?
            .unwrap_or_default();
        let (from, config) = (
            Sources {
                matches,
                file: file.file(),
            },
            &file.config,
        );
        let in_config = |path: &PathBuf| {
            Path::new(from.file.name)
                .parent()
                .unwrap_or(Path::new(""))
                .join(path)
        };
        let baseline_flag = from.flag(
            "baseline",
            "--baseline",
            "RUNVET_BASELINE",
            self.baseline.clone(),
        );
        let baseline =
            match baseline_flag.or_else(|| from.file(config.baseline.as_ref(), in_config)) {
                _ if self.no_baseline => Set {
                    value: None,
                    origin: Origin::Flag("--no-baseline"),
                },
                Some(Set { value, origin }) => Set {
                    value: Some(value),
                    origin,
                },
                None => Set {
                    value: None,
                    origin: Origin::Default,
                },
            };
        let rules = from.flag(
            "rules",
            "--rule",
            "RUNVET_RULES",
            (!self.rules.is_empty()).then(|| self.rules.clone()),
        );
        let rules = rules.unwrap_or(Set {
            value: Vec::new(),
            origin: Origin::Default,
        });
        let mut gate = Gate::new(&here, &rules.value)
            .configured(from.file, config, Some(&now()?))
            .map_err(|problem| shown(&problem))?;
        if let Some(path) = baseline
            .value
            .as_ref()
            .filter(|_| baselines == Baselines::Read)
        {
            let fault = |what: String| {
                let (path, origin) = (path.display(), &baseline.origin);
                Failure::Fault(format!(
                    "the baseline {path} ({origin}) {what}; --write-baseline writes it, --no-baseline checks without it"
                ))
            };
            let text =
                store::read_text(path).map_err(|error| fault(format!("can't be read: {error}")))?;
            let baseline =
                Baseline::read(&text).map_err(|reason| fault(format!("is damaged: {reason}")))?;
            gate = gate.knowing(path.parent().unwrap_or(Path::new("")), baseline);
        }
        Ok(GateSettings {
            baseline,
            rules,
            file,
            gate,
        })
    }
}

/// Where values may be from.
struct Sources<'s> {
    matches: &'s ArgMatches,
    file: File<'s>,
}

impl Sources<'_> {
    fn flag<T>(
        &self,
        id: &str,
        flag: &'static str,
        variable: &'static str,
        value: Option<T>,
    ) -> Option<Set<T>> {
        let origin = match self.matches.value_source(id)? {
            ValueSource::EnvVariable => Origin::Environment(variable),
            _ => Origin::Flag(flag),
        };
        Some(Set {
            value: value?,
            origin,
        })
    }

    fn file<T, R>(&self, value: Option<&Spanned<T>>, of: impl Fn(&T) -> R) -> Option<Set<R>> {
        let value = value?;
        let origin = Origin::File(self.file.name.to_owned(), self.file.line(&value.span()));
        Some(Set {
            value: of(value.get_ref()),
            origin,
        })
    }
}

fn read_config(path: &Path) -> Result<ConfigFile, Failure> {
    let name = path.display().to_string();
    let text = store::read_text(path).map_err(|error| unreadable_config(path, &error))?;
    let config = File {
        name: &name,
        text: &text,
    }
    .read()
    .map_err(|problem| shown(&problem))?;
    Ok(ConfigFile { name, text, config })
}

fn unreadable_config(path: &Path, error: &io::Error) -> Failure {
    Failure::Fault(format!(
        "can't read the configuration {}: {error}",
        path.display()
    ))
}

/// A problem, drawn with the place where it is.
fn shown(problem: &Problem) -> Failure {
    let options = HumanOptions {
        style: style(Color::Auto),
        width: width(),
        max_findings: 0,
        quiet: false,
        group_by: GroupBy::Episode,
    };
    Failure::Drawn(report::draw(
        options,
        &problem.message,
        &problem.location,
        problem.help.as_deref(),
    ))
}

/// The time by which suppressions expire: that of `SOURCE_DATE_EPOCH`, by which builds are
/// repeated, else now.
fn now() -> Result<Timestamp, Failure> {
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
        Failure::Fault("SOURCE_DATE_EPOCH is no number of seconds since 1970".into())
    })
}
