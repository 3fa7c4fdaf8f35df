//! `runvet validate`: run data -> a report and an exit status.

mod new_baseline;
pub(super) mod notes;
mod paths;
mod request;
mod seal;
mod staged;

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgMatches, Args};

use super::impact::Limits;
use super::output::{Color, Output, style};
use super::period::Period;
use super::settings::{ConfigFile, Settings, SettingsArgs};
use super::sinks::{Sinks, parse_output, whole_file};
use super::usage::{refuse, refuse_all, refuse_colour};
use super::words::{FORMATS, OutputFormat, named_format};
use super::{CommandFailure, Exit, Result};
use crate::cli::progress;
use crate::gate::config::Config;
use crate::gate::{Gate, Outcome, Profile};
use crate::ground::finding::{Deny, EpisodeReport};
use crate::ground::parallel::while_ok;
use crate::look::impact::{Join, ReportedRun};
#[cfg(feature = "html")]
use crate::look::read::RunReader;
#[cfg(feature = "html")]
use crate::report::page::Paged;
use crate::report::{Format, GroupBy, Options, count, verdict};
use crate::store::{Fault, WholeFile};
use notes::skipped;
use paths::project_dirs;
use seal::{FileContent, SealFile};

/// The maximum number of runs lost since a revision that are named; the rest are counted.
const MAX_LOST: usize = 10;

/// Check run data and report what can't be trusted
///
/// Finds the episodes below the given paths and checks each record against its schema, the records
/// against each other, and all of them against the timeline. The report ends with the totals.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(
    visible_alias = "check",
    after_long_help = "\
Exit codes:
  0  no errors were found (with --deny-warnings: no warnings either;
     with --deny-unjudged: no rule that could not be judged)
  1  errors were found (with these options: or what they deny)
  2  runvet could not finish its work: a bad argument, a path that does not
     exist, a directory that can't be listed, a place where a run may be hidden,
     an episode that kept changing or in which a rule of level error met a
     limit, output that can't be written
  3  no episode was found, or no rule is on that applies to any
     (0 with --allow-empty)

Examples:
  runvet validate runs/                      all episodes below runs/
  runvet validate runs/episodes/ep_1         one episode
  runvet validate --format json . | jq .totals
  find runs -name state.json -print0 | runvet validate --files-from - --null"
)]
pub(in crate::cli) struct Validate {
    /// Run-data directories, episode directories, or artifact files, which stand for their episodes
    /// [default: .]; `-` reads the records of one episode from standard input, in the JSON that
    /// `POST /api/v1/check` of `runvet serve` takes. A run can also be called by its id, or the
    /// start of it
    paths: Vec<PathBuf>,

    /// The run-data directory to check, or in which the runs are that are called by their ids
    #[cfg(feature = "commands")]
    #[arg(long, value_name = "DIR")]
    run_data: Option<PathBuf>,

    #[command(flatten)]
    settings: SettingsArgs,

    // The heading of the last settings ends here.
    #[command(flatten, next_help_heading = None::<&'static str>)]
    limits: Limits,

    /// Write all findings to a baseline: with `--baseline FILE`, they no longer fail the check
    ///
    /// The file lists the findings of this check only, so check all run data when you write it.
    /// This check itself uses no baseline, and not `--select`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["changed_since", "since", "until"])]
    write_baseline: Option<PathBuf>,

    /// Also write the report to a file, in any format, or with `in-toto=PATH` a seal; repeatable
    ///
    /// The file is replaced as a whole, also when a part of the run data could not be read: the
    /// report says so. It is not changed when the exit code is 3: there was nothing to check. A
    /// seal is for `runvet verify`: it has the digests of the files of all runs that have ended, as
    /// they were judged, and what judged them. None is written when the exit code is 2 or 3.
    #[arg(long = "output", value_name = "FORMAT=PATH", value_parser = OsStringValueParser::new().try_map(|it| parse_output(it, FileContent::from_str)))]
    outputs: Vec<(FileContent, PathBuf)>,

    /// Add totals for each rule, runtime mode and adapter
    ///
    /// The formats human, markdown, json, ndjson and html show them.
    #[arg(long)]
    statistics: bool,

    /// Add the result of each rule for each run: found, sound, nothing to compare, or skipped
    ///
    /// The formats json and ndjson show it; html lists the rules that compared nothing anywhere.
    #[arg(long)]
    coverage: bool,

    /// Print what changed since an earlier report, as `runvet impact` does, in place of the report
    ///
    /// The earlier report must be in the format json or ndjson. With `--fail-above`, the exit code
    /// says whether too much changed, whatever the check found. Files of `--output` still contain
    /// the report.
    #[arg(long, value_name = "REPORT", conflicts_with = "write_baseline")]
    against: Option<PathBuf>,

    /// How the human format groups findings [default: episode, or cause where a rule has more than
    /// 20 findings, unless all are to be shown]
    #[arg(long, value_name = "WHAT")]
    group_by: Option<GroupBy>,

    /// The runs that have a page of their own in the format html
    #[cfg(feature = "html")]
    #[arg(long, value_name = "WHICH", default_value = "all")]
    html_runs: Paged,

    /// Read more paths from a file, one per line; `-` is standard input
    ///
    /// A deleted artifact stands for its episode, and is skipped where no other artifact is left in
    /// the directory. A path whose directory is gone too is refused; `--skip-others` skips it.
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    /// Skip given paths that do not exist, and files that are no artifacts of a run
    ///
    /// This is for lists that another program makes, such as git or pre-commit. It is an error if
    /// the list was made in another directory.
    #[arg(long)]
    skip_others: bool,

    /// Separate the paths in that file by NUL bytes, not by newlines
    #[arg(short = '0', long = "null", requires = "files_from")]
    null: bool,

    /// Check only episodes in which an artifact changed since a git revision
    ///
    /// Runs git in the working directory, whose repository must contain the paths. An artifact
    /// counts as changed if it was committed, staged, edited, added or deleted since, if git
    /// ignores it, or if it is a link that `--follow-links` follows. So does another file that a
    /// schema of the configuration judges. With `--verify-manifest`, every episode with a
    /// manifest.json is checked: git is not asked for the files it names.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,

    /// Check what the next commit contains: the runs of which it changes, adds or deletes a record
    ///
    /// Reads the records from the index of git, not from the working tree, and with them those of
    /// the runs of given paths. An artifact that exists and is not in the index is named, and so is
    /// a run that the commit deletes. Other files of a run are not read.
    #[arg(long, conflicts_with_all = ["changed_since", "since", "until", "write_baseline", "files_from", "against"])]
    staged: bool,

    #[command(flatten)]
    period: Period,

    /// Exit with 0, not 3, when no episode is found, or when no rule is on that applies to any
    #[arg(long)]
    allow_empty: bool,

    /// Exit with 2 when a glob of the configuration matches no directory, or a configuration is not
    /// in force
    ///
    /// By default, runvet only prints a note: on a glob only if it checked the whole run-data
    /// directory that the glob is about, and on a configuration if the search from the working
    /// directory upward does not find it, or its name is another one.
    #[arg(long)]
    strict_config: bool,

    /// Print only findings and rules that could not be judged
    #[arg(short, long)]
    quiet: bool,

    /// Name the rules that could not be judged
    ///
    /// The formats human, concise, markdown and junit only count them otherwise. The other formats
    /// always name them.
    #[arg(short, long)]
    verbose: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// The settings, paths and outputs of a check.
struct Setup<'v> {
    format: Format,
    file: ConfigFile,
    deny: Deny,
    /// `true` if a glob that matches nothing is refused.
    strict_config: bool,
    gate: Gate,
    sinks: Sinks,
    seal: Option<SealFile>,
    /// A baseline to write: its path, and the file that is moved there.
    new_baseline: Option<(&'v Path, WholeFile)>,
    /// Why the baseline could not be recorded, where no fault of the check says so.
    unrecorded: Option<String>,
    paths: Vec<PathBuf>,
    /// An earlier report, and how to print what changed since.
    against: Option<(Join, OutputFormat)>,
}

/// Takes each report, or what kept an episode from being judged.
type Take<'t> = dyn FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()> + 't;

impl Validate {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let setup = self.set_up(matches, output)?;
        if !matches!(setup.format, Format::Human | Format::Concise) {
            output.keep_bytes();
        }

        if setup
            .paths
            .iter()
            .any(|path| path.as_os_str() == "-")
        {
            return self.run_request(setup, output);
        }

        if self.staged {
            return self.run_staged(setup, output);
        }

        self.check(setup, matches, output)
    }

    /// Checks the episodes that are found at the paths.
    fn check(&self, mut setup: Setup<'_>, matches: &ArgMatches, output: &mut Output) -> Result {
        if !self.quiet {
            self.period.note(output);
        }

        let mut found = setup
            .gate
            .search(&setup.paths, self.given());
        let mut notes = skipped(&found);
        let (is_empty, excluded) = (found.episodes.is_empty(), found.excluded as u64);
        let exclusion = found.exclusion();
        let is_given_wrongly = found
            .faults
            .iter()
            .any(Fault::is_of_given_path);
        let is_unchanged = self.leave_out(&mut found, &setup, output)?;
        self.accept_all(&mut setup, &found);
        if let Some(seal) = &mut setup.seal {
            seal.looks_at(&found, &setup.paths)?;
        }

        (setup.gate).looks_at_all(!self.is_part(), &setup.paths, &found.episodes);
        let (number, empty) = (found.episodes.len(), found.empty());
        let outcome = self.judge(&mut setup, number, output, |gate, take| {
            gate.each_of(found.faults, &found.episodes, take)
                .with_empty(empty)
        })?;
        if outcome.is_complete {
            if excluded > 0 && !is_empty {
                let directories = count(excluded, "directory");
                notes.push(format!("{directories} excluded by the configuration"));
            }
            notes.extend(setup.gate.stale_entries());
        }

        self.tell(&notes, output);
        let is_refused = self.refuses(&setup, &found.episodes, outcome.is_complete, output);
        // A baseline to write is not known where something can't be read.
        let lacks_baseline = setup.new_baseline.is_some() && setup.gate.baseline().is_none();
        let judged = match outcome.exit(setup.deny) {
            Exit::NothingFound if self.allow_empty || is_unchanged => Exit::Success,
            exit => exit,
        };

        let exit = match self.changes(judged, &mut setup, &outcome, output)? {
            _ if output.is_muted() || lacks_baseline || is_refused => Exit::Fault,
            exit => exit,
        };

        if let Some(seal) = setup.seal.take() {
            self.write_seal(seal, exit, &setup, &outcome, output)?;
        }

        let (totals, deny) = (&outcome.totals, setup.deny);
        self.explain(judged, totals, (is_empty, &exclusion), matches, output);
        self.explain_failure(judged, totals, deny, output);

        let has_report = judged != Exit::NothingFound && !is_given_wrongly && !output.is_muted();
        self.keep(setup, has_report, &outcome, output)?;
        Ok(exit)
    }

    /// Resolves the settings, and opens what is written to.
    fn set_up(&self, matches: &ArgMatches, output: &Output) -> Result<Setup<'_>> {
        let settings = self
            .settings
            .resolve(matches, self.write_baseline.is_none())?;
        self.refuse_idle(matches, &settings)?;
        if self.against.is_none() {
            refuse_all::<Limits>(matches, "without --against")?;
        }

        self.refuse_part(&settings)?;
        let (options, config) = (self.options(&settings), &settings.config);
        let baseline = config
            .baseline
            .iter()
            .map(|it| &it.value);
        let baselines: Vec<&PathBuf> = self
            .write_baseline
            .iter()
            .chain(baseline)
            .collect();
        let format = settings.format();
        let stdout = self.against.is_none().then_some(format);
        let (reports, seals) = FileContent::sorted(&self.outputs);
        let sinks = Sinks::open(stdout, &reports, &baselines, options)?;
        let against = self.earlier_report(format)?;
        let mut gate = self.prepared(settings.gate, config);
        #[cfg(feature = "html")]
        {
            gate = gate.keep_cards(sinks.have(Format::Html));
        }
        let paths = self.paths(output)?;

        let others = reports
            .iter()
            .map(|(_, path)| path)
            .chain(baselines);
        let seal = self.open_seal(&seals, others, &paths, &gate)?;
        gate = gate.keep_seals(seal.is_some());

        let new_baseline = match &self.write_baseline {
            Some(path) => Some((path.as_path(), whole_file(path)?)),
            None => None,
        };

        Ok(Setup {
            format,
            file: settings.file,
            deny: config.deny(),
            strict_config: self.strict_config || gate.profile() == Some(Profile::Strict),
            gate,
            sinks,
            seal,
            new_baseline,
            unrecorded: None,
            paths,
            against,
        })
    }

    /// Reads the earlier report of `--against`; the changes are printed in a format.
    fn earlier_report(&self, format: Format) -> Result<Option<(Join, OutputFormat)>> {
        let Some(earlier) = &self.against else {
            return Ok(None);
        };
        let format = named_format(FORMATS, format.word()).map_err(|_| {
            let wrong = "--against prints human, json or markdown";
            CommandFailure::Fault(format!("{wrong}, not {format}"))
        })?;
        Ok(Some((Join::new(earlier)?, format)))
    }

    /// Returns the gate with what the report has to say besides findings.
    fn prepared(&self, gate: Gate, config: &Config) -> Gate {
        let mut gate = gate.keep_coverage(self.coverage);
        if let Some(jobs) = &config.jobs {
            gate = gate.jobs(jobs.value);
        }
        if self.statistics {
            gate = gate.with_statistics();
        }
        gate
    }

    /// Judges episodes, and writes the report of each as soon as it is known.
    fn judge(
        &self,
        setup: &mut Setup<'_>,
        episodes: usize,
        output: &mut Output,
        judged: impl FnOnce(&mut Gate, &mut Take<'_>) -> Outcome,
    ) -> Result<Outcome> {
        let format = setup.format;
        let Setup {
            gate,
            sinks,
            seal,
            against,
            ..
        } = setup;
        let bar = progress::hidden(episodes, "episodes");
        // A terminal, or a program that reads NDJSON line by line, should get findings at once.
        let is_watched = format == Format::Ndjson || io::stdout().is_terminal();
        sinks.each(output, |renderer, out| renderer.begin(out))?;

        let mut written: Result<()> = Ok(());
        let outcome = judged(gate, &mut |judged| {
            match judged {
                Ok(episode) => {
                    progress::step(&bar, self.quiet);
                    if let Some(fault) = episode.fault() {
                        bar.suspend(|| output.fault(&fault));
                    }

                    written = bar.suspend(|| {
                        if let Some((join, _)) = against {
                            join.add(ReportedRun::of(&episode))?;
                        }

                        sinks.each(output, |renderer, out| renderer.episode(out, &episode))?;
                        if let Some(seal) = seal {
                            seal.add(&episode)?;
                        }

                        if is_watched {
                            Ok(output.finish()?)
                        } else {
                            Ok(())
                        }
                    });
                }
                Err(fault) => bar.suspend(|| output.fault(&fault)),
            }
            while_ok(&written)
        });
        bar.finish_and_clear();
        written?;

        let closing = outcome.closing();
        #[cfg(feature = "html")]
        let page = |report: &EpisodeReport, prefix: &str| page(&setup.gate, report, prefix);
        #[cfg(feature = "html")]
        let closing = closing.pages(&page);
        sinks.each(output, |renderer, out| renderer.end(out, &closing))?;
        output.finish()?;
        if format == Format::Concise && !self.quiet && outcome.totals.episodes > 0 {
            let (episodes, verdict) = verdict(&outcome.closing());
            output.say(&format!("{episodes}{verdict}"));
        }

        Ok(outcome)
    }

    /// Refuses options of the command line that no format in use can honour.
    fn refuse_idle(&self, matches: &ArgMatches, settings: &Settings) -> Result<()> {
        let format = settings.format();
        let (reports, _) = FileContent::sorted(&self.outputs);
        let formats: Vec<Format> = reports
            .iter()
            .map(|(format, _)| *format)
            .chain([format])
            .collect();
        let is_idle = |option| {
            !formats
                .iter()
                .any(|it| it.honoured().contains(&option))
        };

        let context = format!("in the format {format}");
        if is_idle("color") {
            refuse_colour(self.color, matches, &context)?;
        }

        for id in [
            "statistics",
            "coverage",
            "group_by",
            #[cfg(feature = "html")]
            "html_runs",
            "max_findings",
            "verbose",
        ] {
            // Every format but the human one shows all findings.
            let is_all = id == "max_findings" && settings.max_findings() == 0;
            if !is_all && is_idle(id) {
                refuse(matches, id, &format!("has no effect {context}"))?;
            }
        }

        Ok(())
    }

    fn options(&self, settings: &Settings) -> Options {
        let options = Options {
            deny: settings.config.deny(),
            style: style(self.color),
            verbose: self.verbose,
            max_findings: settings.max_findings(),
            quiet: self.quiet,
            group_by: self.group_by,
            project: project_dirs(),
            #[cfg(feature = "html")]
            settings: settings.in_words(),
            #[cfg(feature = "html")]
            paged: self.html_runs,
            ..Options::default()
        };

        options.rules(settings.gate.rules())
    }
}

/// Returns the page of a run that was judged, with the prefix of its ids.
#[cfg(feature = "html")]
fn page(gate: &Gate, report: &EpisodeReport, prefix: &str) -> Option<Vec<u8>> {
    let run = RunReader::open(report.key.dir()?)
        .ok()?
        .following(gate);
    crate::look::view::html(&run, report.clone(), prefix).ok()
}
