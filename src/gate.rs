//! The door to judging: paths -> findings that count, by the configuration and the baseline.
//!
//! A check judges every rule that counts in some directory. The gate applies the levels of each
//! episode's directory, moves findings that do not count to the suppressed ones, and sums up the
//! rest.
//!
//! ```
//! use std::path::Path;
//! use runvet::gate::Gate;
//!
//! let config = r#"
//!     [[ignore]]
//!     rule = "projection/outcomes"
//!     episode = "ep_03_edited"
//!     reason = "the score was corrected by hand"
//! "#;
//! let mut gate = Gate::default().with_config(Path::new("runvet.toml"), config, None)?;
//! let report = gate.run(["corpus/demo"])?;
//! assert_eq!(report.episodes[2].suppressed.len(), 1);
//! assert_eq!((report.totals.errors, report.totals.ignored), (5, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod baseline;
mod exit;
mod globs;
mod ignores;
mod levels;
mod outcome;
#[cfg(feature = "cli")]
mod request;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use toml::Spanned;

use crate::check::{self, Check, CheckSession, Judges};
use crate::config::{ConfigSource, Files, Reading, read_team};
use crate::digest::{Digest, Parts};
use crate::finding::{
    Deny, EpisodeReport, Finding, Level, Report, ReportedFault, RuleInfo, Skip, Statistics,
    Suppressed, Suppression, Totals,
};
use crate::printable::escape;
use crate::report::count;
use crate::source::{Artifact, EPISODES, EpisodeKey};
use crate::store::{
    Artifacts, AsEpisodeDir, Discovery, EpisodeDir, Excludes, Fault, Found, Given, is_gone,
};
use crate::timestamp::Timestamp;

pub use crate::check::{Error, all_rules, find_rule};
pub use crate::config::ConfigError;
pub use baseline::{Baseline, BaselineError};
pub use exit::Exit;
pub use outcome::Outcome;
#[cfg(feature = "cli")]
pub(crate) use request::CheckRequest;

use baseline::{Known, KnownSkips};
use globs::{Glob, relative};
use ignores::Ignored;
pub(crate) use levels::Decided;
use levels::Levels;

/// Vanished findings that are listed by name; the rest are counted.
const MAX_NAMED: usize = 10;

/// Checks episodes and decides which findings count. Its buffers are kept from one episode to the
/// next, which saves about a quarter of the time of a small one.
#[derive(Clone, Debug)]
pub struct Gate {
    check: Check,
    session: Lazy,
    /// The working directory, which relative paths of episodes start from.
    here: PathBuf,
    /// The directory that globs start from.
    root: PathBuf,
    levels: Levels,
    excluded: Vec<Glob>,
    ignored: Vec<Ignored>,
    baseline: Option<Baseline>,
    /// Whether findings are added to the baseline instead of being searched in it.
    records: bool,
    /// Directories in the baseline that were not judged, with their numbers of findings.
    unjudged: BTreeMap<PathBuf, usize>,
    vanished: Vanished,
    has_statistics: bool,
    deny: Deny,
    baseline_path: Option<PathBuf>,
    /// The packs and schema files of the configuration.
    files: Files,
    /// What identifies the texts of the configuration and of the files that it names; an empty one
    /// is none.
    config: Option<Digest>,
}

/// A session of the check with the levels of the gate, made when it is first needed.
#[derive(Default)]
struct Lazy(Option<Box<CheckSession>>);

impl Clone for Lazy {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}

/// Findings in the baseline that no longer exist: the first are named, the rest counted.
#[derive(Clone, Debug, Default)]
struct Vanished {
    named: Vec<String>,
    unnamed: usize,
}

impl Vanished {
    fn add(&mut self, what: String, findings: usize) {
        if self.named.len() < MAX_NAMED {
            self.named.push(what);
        } else {
            self.unnamed += findings;
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new(Check::new())
    }
}

impl Gate {
    /// A gate in which every finding of a check counts.
    pub(crate) fn new(check: Check) -> Self {
        Self {
            check,
            session: Lazy::default(),
            here: std::env::current_dir().unwrap_or_default(),
            root: PathBuf::new(),
            levels: Levels::default(),
            excluded: Vec::new(),
            ignored: Vec::new(),
            baseline: None,
            records: false,
            unjudged: BTreeMap::new(),
            vanished: Vanished::default(),
            has_statistics: false,
            deny: Deny::default(),
            baseline_path: None,
            files: Files::default(),
            config: None,
        }
    }

    /// Gives the gate files that a configuration names, which it then does not read: those of
    /// [`Gate::config_files`] on another machine.
    #[must_use]
    pub fn with_files(self, texts: BTreeMap<PathBuf, String>) -> Self {
        Self {
            files: Files::given(texts),
            ..self
        }
    }

    /// Makes the gate follow a configuration: the text of a `runvet.toml`. Its globs are relative
    /// to the directory of `path`. If `now` is given, expired ignores have no effect.
    ///
    /// The gate reads no other file: [`Gate::baseline_path`] is for [`Baseline::read`], and
    /// [`Gate::deny`] for [`Outcome::exit`]. Settings of the command line alone, such as
    /// `format` and `jobs`, have no effect here.
    ///
    /// # Errors
    ///
    /// Each place that is not TOML, or holds an unknown name, a value of the wrong type or an
    /// invalid glob: the first, with up to 19 others in [`ConfigError::others`]. Where something is
    /// not TOML, nothing else is looked at.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    /// let read = |text| Gate::default().with_config(Path::new("runvet.toml"), text, None);
    /// assert!(read("exclude = ['runs/old']").is_ok());
    /// let error = read("exlude = ['runs/old']").unwrap_err();
    /// assert_eq!(error.help.as_deref(), Some("did you mean `exclude`?"));
    /// ```
    pub fn with_config(
        self,
        path: &Path,
        text: &str,
        now: Option<&Timestamp>,
    ) -> Result<Self, ConfigError> {
        let name = path.to_string_lossy();
        let file = ConfigSource {
            name: &name,
            dir: path.parent().unwrap_or(Path::new("")),
            text,
        };
        self.configured(file, file.read(), now)
    }

    pub(crate) fn configured(
        mut self,
        file: ConfigSource<'_>,
        Reading {
            config,
            mut mistakes,
        }: Reading,
        now: Option<&Timestamp>,
    ) -> Result<Self, ConfigError> {
        self.session = Lazy::default();
        file.dir.clone_into(&mut self.root);
        let rules = read_team(file, &config, &self.files, &mut mistakes);
        self.check = self.check.with_rules(rules);
        self.config = (!file.text.is_empty()).then(|| self.digest_of(file.text));
        self.levels.read(&self.check, file, &config, &mut mistakes);
        for rule in &config.require {
            know_rule(&self.check, file, rule, &mut mistakes);
            if let Ok(check) = self.check.clone().require(rule.get_ref()) {
                self.check = check;
            }
        }
        let is_set =
            |denied: &Option<Spanned<bool>>| denied.as_ref().is_some_and(|it| *it.get_ref());
        self.deny = Deny {
            warnings: is_set(&config.deny_warnings),
            unjudged: is_set(&config.deny_unjudged),
        };
        let baseline = config.baseline.as_ref();
        self.baseline_path = baseline.map(|path| self.root.join(path.get_ref()));
        let excluded = read_globs(file, &config.exclude, &mut mistakes);
        self.excluded.extend(excluded);
        for ignore in &config.ignores {
            let ignored = Ignored::new(&self.check, file, ignore, now, &mut mistakes);
            self.ignored.extend(ignored);
        }
        match ConfigError::first_of(mistakes) {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// Sets the level of a rule, or of a group such as `plan/*`, in all directories. It overrides
    /// the configuration and earlier calls.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has the name.
    ///
    /// ```
    /// use runvet::finding::Level;
    /// use runvet::gate::Gate;
    /// let gate = Gate::default().level("plan/*", Level::Off).unwrap();
    /// assert!(gate.level("plan/steps", Level::Off).is_err());
    /// ```
    pub fn level(mut self, name: &str, level: Level) -> Result<Self, Error> {
        self.check.clone().level(name, level)?;
        self.levels.set_last(name, level);
        self.session = Lazy::default();
        Ok(self)
    }

    /// Checks these rules and groups alone. One that is off then runs as a warning; a level that
    /// [`Gate::level`] sets counts for every rule, selected or not.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has one of the names.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// let mut gate = Gate::default().select(["strict/steps"])?;
    /// let report = gate.run(["corpus/demo"])?;
    /// assert_eq!((report.totals.errors, report.totals.warnings), (0, 1));
    /// assert!(Gate::default().select(["strict/step"]).is_err());
    /// # Ok::<(), runvet::gate::Error>(())
    /// ```
    pub fn select(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let check = self.check.clone();
        names
            .iter()
            .try_fold(check, |check, name| check.level(name, Level::Off))?;
        self.levels.select(names);
        self.session = Lazy::default();
        Ok(self)
    }

    /// Requires a rule, or a group such as `plan/*`, to judge each run that has ended. Where a rule
    /// has nothing to compare, can't be checked, or is off, `coverage/required` has a finding.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has the name.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// let mut gate = Gate::default().require("manifest/digest").unwrap();
    /// let report = gate.run(["corpus/good/terminal"]).unwrap();
    /// assert_eq!(report.episodes[0].findings[0].rule, "coverage/required");
    /// ```
    pub fn require(self, name: &str) -> Result<Self, Error> {
        Ok(Self {
            check: self.check.clone().require(name)?,
            session: Lazy::default(),
            ..self
        })
    }

    /// Changes how episodes are checked.
    fn checking(self, change: impl FnOnce(Check) -> Check) -> Self {
        Self {
            check: change(self.check),
            session: Lazy::default(),
            ..self
        }
    }

    /// Sets how many episodes are checked in parallel; the report does not depend on it.
    #[must_use]
    pub fn jobs(self, jobs: NonZeroUsize) -> Self {
        self.checking(|check| check.jobs(jobs))
    }

    /// Sets whether an artifact may be a symbolic link to a file inside its episode's directory.
    /// Links that lead out of it are never followed, because they could make runvet read any file.
    #[must_use]
    pub fn follow_links(self, follow: bool) -> Self {
        self.checking(|check| check.follow_links(follow))
    }

    /// Sets whether each report also keeps what a list of runs shows of its run, as
    /// [`Format::Html`](crate::report::Format::Html) does: task, status, outcome, start, duration,
    /// tags and latencies.
    #[must_use]
    pub fn keep_cards(self, keep: bool) -> Self {
        self.checking(|check| check.keep_cards(keep))
    }

    /// Sets whether each report also says of each rule that is on whether it found something,
    /// compared something, had nothing to compare, or was skipped.
    pub(crate) fn keep_coverage(self, keep: bool) -> Self {
        self.checking(|check| check.keep_coverage(keep))
    }

    /// The rules that can be on: the built-in ones, then those of the team whose configuration the
    /// gate follows.
    ///
    /// ```
    /// use runvet::gate::{Gate, all_rules};
    /// assert_eq!(Gate::default().rules().count(), all_rules().count());
    /// ```
    pub fn rules(&self) -> impl Iterator<Item = &RuleInfo> {
        self.check.rules()
    }

    /// The rule with an id.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`], with the most similar name.
    ///
    /// ```
    /// let gate = runvet::gate::Gate::default();
    /// assert_eq!(gate.find_rule("plan/projection").unwrap().id, "plan/projection");
    /// assert!(gate.find_rule("plan/projektion").is_err());
    /// ```
    pub fn find_rule(&self, name: &str) -> Result<&RuleInfo, Error> {
        self.check.find_rule(name)
    }

    /// How episodes are checked.
    pub(crate) fn check(&self) -> &Check {
        &self.check
    }

    /// Adds a baseline, whose findings do not count.
    #[must_use]
    pub fn with_baseline(mut self, baseline: Baseline) -> Self {
        self.unjudged = baseline.dirs().collect();
        self.baseline = Some(baseline);
        self
    }

    /// A gate for run data at an address that is not a path, such as that of a store: globs
    /// are relative to the address, and the baseline knows an episode by its path below `episodes`.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    ///
    /// let exclude = "exclude = ['episodes/old']";
    /// let gate = Gate::default().with_config(Path::new("runvet.toml"), exclude, None)?;
    /// let old = Path::new("s3://bucket/runs/episodes/old/ep_1");
    /// assert!(gate.at("s3://bucket/runs").excludes(old) && !gate.excludes(old));
    /// # Ok::<(), runvet::gate::ConfigError>(())
    /// ```
    #[must_use]
    pub fn at(&self, address: &str) -> Self {
        Self {
            root: address.into(),
            baseline: self.baseline.as_ref().map(Baseline::in_copy),
            unjudged: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// A gate without the baseline, for records that come from nowhere on the disk, and for a run
    /// that is being written, of which no baseline can know.
    pub(crate) fn without_baseline(&self) -> Self {
        Self {
            baseline: None,
            unjudged: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// Makes the gate accept every finding and add it to a new baseline, which is to be written to
    /// a path.
    #[must_use]
    pub fn record_baseline(self, path: &Path) -> Self {
        Self {
            records: true,
            ..self.with_baseline(Baseline::new(path))
        }
    }

    /// Makes the gate also sum up by rule, mode and adapter.
    #[must_use]
    pub(crate) fn with_statistics(self) -> Self {
        Self {
            has_statistics: true,
            ..self
        }
    }

    /// The packs and schema files of the configuration, by their paths: what decides about
    /// findings besides the text of the configuration.
    #[must_use]
    pub fn config_files(&self) -> BTreeMap<PathBuf, String> {
        self.files.texts()
    }

    /// What fails the gate besides errors, as the configuration says.
    #[must_use]
    pub fn deny(&self) -> Deny {
        self.deny
    }

    /// The path of the baseline that the configuration names.
    #[must_use]
    pub fn baseline_path(&self) -> Option<&Path> {
        self.baseline_path.as_deref()
    }

    /// The baseline, if there is one.
    #[must_use]
    pub fn baseline(&self) -> Option<&Baseline> {
        self.baseline.as_ref()
    }

    /// Judges all episodes below paths and returns the report as data. What could not be looked at
    /// is among its faults.
    ///
    /// # Errors
    ///
    /// The first given path that does not exist, or is neither a directory nor an artifact.
    pub fn run<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Report, Error> {
        let paths: Vec<P> = paths.into_iter().collect();
        let mut found = self.search(&paths, Given::Each);
        check::given_path(&mut found.faults)?;
        let mut episodes = Vec::new();
        let outcome = self.each_of(found.faults, &found.episodes, |judged| {
            episodes.extend(judged);
            ControlFlow::Continue(())
        });
        let Outcome {
            totals,
            faults,
            statistics,
            ..
        } = outcome;
        Ok(Report::new(episodes, totals, faults, statistics))
    }

    /// Finds the episodes below paths. A path is a directory anywhere above episodes, an episode's
    /// directory, or an artifact, which stands for its episode.
    ///
    /// The walk enters hidden directories except `.git`, follows no symbolic links except the given
    /// paths, and opens no directory that the configuration excludes.
    ///
    /// ```
    /// let found = runvet::gate::Gate::default().discover(&["corpus/demo", "nowhere"]);
    /// assert_eq!((found.episodes.len(), found.faults.len()), (5, 1));
    /// ```
    #[must_use]
    pub fn discover<P: AsRef<Path>>(&self, paths: &[P]) -> Discovery {
        self.search(paths, Given::Each).into()
    }

    /// What [`Gate::discover`] finds, in the least memory.
    pub(crate) fn search<P: AsRef<Path>>(&self, paths: &[P], given: Given) -> Found {
        self.with_excludes(|excludes| self.check.search(paths, excludes, given))
    }

    /// A digest of all that decides which findings count, in 16 hexadecimal digits. It does not
    /// depend on the directory in which the project is.
    pub(crate) fn settings_digest(&self) -> String {
        let expired: Vec<bool> = self.ignored.iter().map(Ignored::has_expired).collect();
        let required: Vec<&str> = self.check.required().collect();
        let decisive = serde_json::to_vec(&(
            self.check.follows_links(),
            required,
            self.config.map(|digest| digest.to_string()),
            self.levels.asked(),
            expired,
            self.baseline.as_ref().map(Baseline::entries),
        ));
        let digest = Digest::of([&*decisive.unwrap_or_default()]).to_string();
        digest.chars().take(16).collect()
    }

    /// A digest of the text of the configuration and of the files that it names.
    fn digest_of(&self, config: &str) -> Digest {
        let mut parts = Parts::default();
        parts.add(config.as_bytes());
        for (path, text) in self.files.texts() {
            let name = relative(&path, &self.root, &self.here);
            parts.add(name.as_os_str().as_encoded_bytes());
            parts.add(text.as_bytes());
        }
        parts.digest()
    }

    /// The number of threads of a check.
    pub(crate) fn parallelism(&self) -> NonZeroUsize {
        self.check.parallelism()
    }

    /// Searches without what the configuration excludes.
    pub(crate) fn with_excludes<T>(&self, search: impl FnOnce(Excludes<'_>) -> T) -> T {
        let excludes = |dir: &Path| self.excludes(dir);
        search((!self.excluded.is_empty()).then_some(&excludes))
    }

    /// Judges episodes in parallel, and passes each report to `take` in the order of the episodes,
    /// as soon as all before it are done. It stops early when `take` says so. Paths that could not
    /// be searched are faults and come first. An episode whose directory can't be opened is a fault
    /// too.
    pub fn each(
        &mut self,
        found: Discovery,
        take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> Outcome {
        self.each_of(found.faults, &found.episodes, take)
    }

    /// Judges episodes in the form in which they are at hand, as [`Gate::each`] does.
    pub(crate) fn each_of<E: AsEpisodeDir>(
        &mut self,
        faults: Vec<Fault>,
        episodes: &[E],
        mut take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> Outcome {
        let mut outcome = self.begin();
        for fault in faults {
            outcome.faults.push((&fault).into());
            if take(Err(fault)).is_break() {
                return outcome;
            }
        }
        let mut is_over = true;
        self.prepared().each_of(episodes, |checked| {
            let flow = match checked {
                Ok(mut episode) => {
                    self.decide(&mut episode);
                    outcome.add(&episode);
                    take(Ok(episode))
                }
                Err(fault) => {
                    outcome.faults.push((&fault).into());
                    take(Err(fault))
                }
            };
            is_over = flow.is_continue();
            flow
        });
        ReportedFault::tidy(&mut outcome.faults);
        outcome.is_complete = outcome.faults.is_empty() && is_over;
        outcome
    }

    /// Judges the records of one episode that are not on a disk, and passes the report on, as
    /// [`Gate::each`] does.
    #[cfg(feature = "cli")]
    pub(crate) fn each_of_records(
        &mut self,
        id: &str,
        records: &[(Artifact, &[u8])],
        take: impl FnOnce(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> Outcome {
        let mut outcome = self.begin();
        let report = self.records(id, records);
        outcome.add(&report);
        let is_over = take(Ok(report)).is_continue();
        outcome.is_complete = outcome.faults.is_empty() && is_over;
        outcome
    }

    /// The outcome of a check in which nothing was judged yet.
    fn begin(&mut self) -> Outcome {
        self.vanished = Vanished::default();
        Outcome {
            totals: Totals::default(),
            statistics: self.has_statistics.then(Statistics::default),
            faults: Vec::new(),
            is_complete: false,
        }
    }

    /// Judges one episode, also one that the configuration excludes.
    ///
    /// # Errors
    ///
    /// Where its directory can't be opened.
    pub fn episode(&mut self, episode: &EpisodeDir) -> Result<EpisodeReport, Fault> {
        let judged = self.judge(|session| session.episode_and(episode, None, |_| ()));
        judged.map(|(report, ())| report)
    }

    /// Judges records that are not on a disk: the artifacts of one episode, each with its content.
    ///
    /// ```
    /// use runvet::finding::Level;
    /// use runvet::gate::Gate;
    /// use runvet::source::Artifact;
    /// let mut gate = Gate::default().level("started-at/*", Level::Off)?;
    /// let report = gate.records("ep_1", &[(Artifact::Events, b"")]);
    /// assert_eq!(report.findings[0].rule, "state/not-yet");
    /// # Ok::<(), runvet::gate::Error>(())
    /// ```
    #[must_use]
    pub fn records(&mut self, id: &str, records: &[(Artifact, &[u8])]) -> EpisodeReport {
        let judged = self.judge(|session| Ok::<_, Infallible>((session.records(id, records), ())));
        let Ok((report, ())) = judged;
        report
    }

    /// Judges an episode whose artifacts come from anywhere: from memory, from a directory, or from
    /// another implementation of [`Artifacts`], such as one that reads a store of objects.
    ///
    /// The key is the location of the episode, as the report prints it, and what globs and a
    /// baseline take for its path; the id is the one that its records must have. Without an id, the
    /// records only need to agree with each other.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// use runvet::source::{Artifact, Entries, EpisodeKey};
    /// use runvet::store::{Artifacts, Opened, Unreadable};
    ///
    /// /// Objects, each with its content, or with the answer of its store.
    /// struct Bucket(Vec<(Artifact, Result<&'static str, Unreadable>)>);
    ///
    /// impl Artifacts for Bucket {
    ///     fn entries(&self) -> Entries {
    ///         self.0.iter().map(|(artifact, _)| *artifact).collect()
    ///     }
    ///     fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
    ///         let found = self.0.iter().find(|(name, _)| *name == artifact);
    ///         match found {
    ///             Some((_, Ok(text))) => Ok(Opened::from_bytes(text.as_bytes())),
    ///             Some((_, Err(why))) => Err(why.clone()),
    ///             None => Err(Unreadable::Vanished),
    ///         }
    ///     }
    /// }
    ///
    /// let event = r#"{"phase":"start","timestamp":"2026-03-01T12:00:00Z","payload":{}}"#;
    /// let bucket = Bucket(vec![
    ///     (Artifact::Events, Ok(event)),
    ///     // It exists, but its content was not fetched: a check does not need it.
    ///     (Artifact::Learn, Err(Unreadable::ListedOnly)),
    ///     (Artifact::State, Err(Unreadable::Other("its store answers 503".into()))),
    /// ]);
    /// let key = EpisodeKey::Text("s3://runs/episodes/ep_1".into());
    /// let report = Gate::default().artifacts(&key, Some("ep_1"), &bucket);
    /// assert_eq!(report.dir, "s3://runs/episodes/ep_1");
    /// let found = report.findings.iter().find(|finding| finding.rule == "record/unreadable");
    /// let found = found.unwrap();
    /// assert_eq!(found.location.file, "s3://runs/episodes/ep_1/state.json");
    /// assert_eq!(found.message, "state.json can't be read: its store answers 503");
    /// assert_eq!(report.findings.iter().filter(|finding| finding.rule == found.rule).count(), 1);
    /// ```
    #[must_use]
    pub fn artifacts(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        artifacts: &dyn Artifacts,
    ) -> EpisodeReport {
        let judged = self.judge(|session| {
            Ok::<_, Infallible>(session.artifacts_and(key, id, artifacts, None, |_| ()))
        });
        let Ok((report, ())) = judged;
        report
    }

    /// Judges an episode whose artifacts are fetched, and may be written meanwhile.
    ///
    /// Findings count only if the next fetch brings the same versions of all artifacts; else what
    /// it brings is checked. After five checks, findings that depend on what changes are held back,
    /// and the report is undecided, as that of an episode on a disk that keeps changing. `fetch` is
    /// given the number of the fetch, counted from 1, and may wait before it answers. There is no
    /// second one where the first brings no findings.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// use runvet::source::Artifact;
    /// use runvet::store::{Content, InMemory, Unreadable, Version};
    ///
    /// let mut gate = Gate::default();
    /// let mut settled = |last: usize| {
    ///     gate.settled(&"s3://runs/ep_1".into(), Some("ep_1"), |fetch| {
    ///         let events = InMemory::from_iter([(Artifact::Events, Content::Bytes(b""))]);
    ///         let tag = fetch.min(last).to_string();
    ///         Ok::<_, Unreadable>(events.with_version(Artifact::Events, Version::new(tag)))
    ///     })
    /// };
    /// assert!(settled(2)?.valid.is_some()); // The third fetch brings the same as the second.
    /// assert_eq!(settled(usize::MAX)?.valid, None);
    /// # Ok::<(), Unreadable>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first one of `fetch`.
    pub fn settled<A: Artifacts, E>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        fetch: impl FnMut(usize) -> Result<A, E>,
    ) -> Result<EpisodeReport, E> {
        let judged = self.judge(|session| Ok((session.settled(key, id, fetch)?, ())));
        judged.map(|(report, ())| report)
    }

    /// Decides which findings count in a report that a session of this gate makes.
    pub(crate) fn judge<R, E>(
        &mut self,
        checked: impl FnOnce(&mut CheckSession) -> Result<(EpisodeReport, R), E>,
    ) -> Result<(EpisodeReport, R), E> {
        let session = self.session.0.take();
        let mut session = session.unwrap_or_else(|| Box::new(self.prepared().session()));
        let checked = checked(&mut session);
        self.session = Lazy(Some(session));
        let (mut report, other) = checked?;
        self.decide(&mut report);
        Ok((report, other))
    }

    /// The rules of the team that judge a run while it is written.
    pub(crate) fn judges(&self, key: EpisodeKey, id: &str) -> Judges {
        Judges::new(self.prepared(), key, id)
    }

    /// Those findings of [`Gate::judges`] that count, with their levels.
    pub(crate) fn counting(&self, key: &EpisodeKey, findings: Vec<Finding>) -> Vec<Finding> {
        if findings.is_empty() {
            return findings;
        }
        let mut report = EpisodeReport::of_findings(key, findings);
        self.without_baseline().decide(&mut report);
        report.findings
    }

    /// Whether the configuration excludes a directory.
    #[must_use]
    pub fn excludes(&self, dir: &Path) -> bool {
        !self.excluded.is_empty() && {
            let dir = relative(dir, &self.root, &self.here);
            // Each is asked, so that it is known which match nothing.
            let matching = self.excluded.iter().filter(|glob| glob.matches(&dir));
            matching.count() > 0
        }
    }

    /// One sentence for each glob of the configuration that no directory matches, as far as it is
    /// about directories below some given path of which everything was searched and judged: no
    /// artifact, no episode, and nothing below a directory called `episodes`.
    pub fn unmet_globs(
        &self,
        given: &[PathBuf],
        is_episode: impl Fn(&Path) -> bool,
    ) -> Vec<String> {
        let is_artifact = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            Artifact::from_file_name(&name.to_string_lossy()).is_some()
        };
        let is_within = |path: &Path| {
            let mut above = path.ancestors().skip(1);
            above.any(|dir| dir.file_name().is_some_and(|name| name == EPISODES))
        };
        let is_whole =
            |path: &&PathBuf| !(is_artifact(path) || is_within(path) || is_episode(path));
        let tops: Vec<PathBuf> = given
            .iter()
            .filter(is_whole)
            .map(|dir| relative(dir, &self.root, &self.here))
            .collect();
        let ignored = self.ignored.iter().map(Ignored::glob);
        let globs = self
            .excluded
            .iter()
            .chain(self.levels.globs())
            .chain(ignored);
        let unmet: BTreeSet<&str> = globs.filter_map(|glob| glob.unmet(&tops)).collect();
        unmet
            .into_iter()
            .map(|it| escape(it).into_owned())
            .collect()
    }

    /// Whether every rule is off in every directory, so that nothing is judged.
    #[cfg(feature = "cli")]
    pub(crate) fn judges_nothing(&self) -> bool {
        let levels = self.levels.anywhere(&self.check);
        levels.iter().all(|level| *level == Level::Off)
    }

    /// Whether the files that a manifest names are read, in some directory.
    #[cfg(feature = "cli")]
    pub(crate) fn reads_named_files(&self) -> bool {
        self.prepared().reads_named_files()
    }

    /// The level of each rule and what decides it, in the directory of an episode or, without one,
    /// where no override holds.
    #[cfg(feature = "cli")]
    pub(crate) fn decided(
        &self,
        dir: Option<&Path>,
    ) -> impl Iterator<Item = (&str, Level, Decided<'_>)> {
        let dir = dir.map(|dir| relative(dir, &self.root, &self.here));
        let decided = self.levels.decided(&self.check, dir.as_deref());
        let rules = self.check.rule_set().iter();
        let named = rules.zip(decided);
        named.map(|(rule, (level, why))| (&*rule.info.id, level, why))
    }

    /// The check that judges every rule that counts in some directory.
    fn prepared(&self) -> Check {
        self.check.with_levels(self.levels.anywhere(&self.check))
    }

    /// Moves the findings of a report that do not count to the suppressed ones. The report is one
    /// of the prepared check.
    fn decide(&mut self, episode: &mut EpisodeReport) {
        let may_be_stale = !self.ignored.is_empty() || self.baseline.is_some();
        let is_clean = episode.findings.is_empty() && episode.skipped.is_empty();
        if is_clean && !may_be_stale && !self.levels.depend_on_dir() {
            return;
        }
        let dir = relative(episode.key.as_path(), &self.root, &self.here);
        let rules = self.check.rule_set().clone();
        let levels = self.levels.of(&self.check, &dir);
        let level = |finding: &Finding| {
            let level = finding.rule_index.and_then(|index| levels.get(index));
            level.copied().unwrap_or(Level::Error)
        };
        episode.is_unchecked = levels.iter().all(|level| *level == Level::Off);
        // A lack of memory is reported even where its rule is off.
        episode
            .skipped
            .retain(|skip| skip.is_lacking || rules.level_of(&levels, &skip.rule) != Level::Off);
        episode.findings.retain_mut(|finding| {
            let severity = level(finding).severity();
            finding.severity = severity.unwrap_or(finding.severity);
            severity.is_some()
        });
        check::fit_coverage(&self.check, &levels, episode);
        self.ignore(&dir, episode, &levels);
        self.look_up(episode, |rule| rules.level_of(&levels, rule) == Level::Off);
        episode.decide(|rule| rules.level_of(&levels, rule));
    }

    fn ignore(&mut self, dir: &Path, episode: &mut EpisodeReport, levels: &[Level]) {
        let rules = self.check.rule_set();
        let mut ignored: Vec<&mut Ignored> = self
            .ignored
            .iter_mut()
            .filter_map(|ignored| ignored.covers(dir, rules, levels).then_some(ignored))
            .collect();
        suppress(episode, |finding| {
            let reason = ignored
                .iter_mut()
                .find_map(|ignored| ignored.apply(finding))?;
            Some((Suppression::Ignore, Some(reason)))
        });
    }

    /// Suppresses the findings and skips that the baseline lists, and records those listed that
    /// have vanished.
    fn look_up(&mut self, episode: &mut EpisodeReport, is_off: impl Fn(&str) -> bool) {
        let Some(baseline) = &mut self.baseline else {
            return;
        };
        let dir = relative(episode.key.as_path(), baseline.dir(), &self.here);
        self.unjudged.remove(&dir);
        if self.records {
            baseline.add(&dir, episode);
        }
        let mut known: BTreeMap<&str, &Known> = baseline
            .of(&dir)
            .map(|known| (&*known.fingerprint, known))
            .collect();
        suppress(episode, |finding| {
            known
                .remove(&*finding.fingerprint)
                .map(|_| (Suppression::Baseline, None))
        });
        // A finding has not vanished if it is ignored, was not judged, or its rule is off.
        for suppressed in &episode.suppressed {
            known.remove(&*suppressed.finding.fingerprint);
        }
        let unjudged: BTreeSet<&str> = episode.skipped.iter().map(|skip| &*skip.rule).collect();
        known.retain(|_, known| !is_off(&known.rule) && !unjudged.contains(&*known.rule));
        for known in known.into_values().collect::<BTreeSet<_>>() {
            self.vanished.add(format!("{}: {known}", episode.dir), 1);
        }
        for known in baseline.skips_of(&dir) {
            let judged = |rule: &&String| !is_off(rule) && !unjudged.contains(&***rule);
            if let judged @ 1.. = known.rules.iter().filter(judged).count() {
                let (dir, rules) = (&episode.dir, count(judged as u64, "rule"));
                let what = format!("{dir}: not judged: {rules} ({})", known.reason);
                self.vanished.add(what, 1);
            }
        }
        let known: Vec<&KnownSkips> = baseline.skips_of(&dir).collect();
        let is_known = |skip: &Skip| known.iter().any(|known| known.covers(skip));
        let skipped = std::mem::take(&mut episode.skipped).into_iter();
        (episode.suppressed_skips, episode.skipped) = skipped.partition(is_known);
    }

    /// One sentence for each entry of the configuration or the baseline that is no longer needed,
    /// judged by the episodes seen so far and by directories that no longer exist.
    pub(crate) fn stale_entries(&self) -> Vec<String> {
        let mut stale: Vec<String> = self.ignored.iter().filter_map(Ignored::stale).collect();
        let mut vanished = self.vanished.clone();
        let from = self.baseline.as_ref().map_or(Path::new(""), Baseline::dir);
        for (dir, findings) in &self.unjudged {
            let dir = relative(&from.join(dir), Path::new(""), &self.here);
            if is_gone(&self.here.join(&dir)) {
                let findings_in_it = count(*findings as u64, "finding");
                let what = format!(
                    "{}: the episode no longer exists ({findings_in_it})",
                    dir.display()
                );
                vanished.add(what, (*findings).max(1));
            }
        }
        let unnamed = (vanished.unnamed > 0).then(|| format!("{} more", vanished.unnamed));
        let named = vanished.named.into_iter().chain(unnamed);
        stale.extend(
            named.map(|what| {
                format!("no longer found, and can be removed from the baseline: {what}")
            }),
        );
        stale
            .iter()
            .map(|entry| escape(entry).into_owned())
            .collect()
    }
}

/// Moves the findings for which `reason_for` gives a reason to the suppressed ones.
fn suppress(
    episode: &mut EpisodeReport,
    mut reason_for: impl FnMut(&Finding) -> Option<(Suppression, Option<String>)>,
) {
    for finding in std::mem::take(&mut episode.findings) {
        match reason_for(&finding) {
            Some((by, reason)) => episode.suppressed.push(Suppressed {
                by,
                reason,
                finding,
            }),
            None => episode.findings.push(finding),
        }
    }
}

/// Reads globs, as far as they are valid.
fn read_globs(
    file: ConfigSource<'_>,
    globs: &[Spanned<String>],
    mistakes: &mut Vec<ConfigError>,
) -> Vec<Glob> {
    let read = |glob: &Spanned<String>| {
        let place = format!("{}:{}", file.name, file.line(&glob.span()));
        Glob::new(glob.get_ref(), &place)
            .map_err(|reason| {
                mistakes.push(file.error(glob.span(), format!("invalid glob: {reason}"), None));
            })
            .ok()
    };
    globs.iter().filter_map(read).collect()
}

/// Refuses a name that no rule and no group has.
fn know_rule(
    check: &Check,
    file: ConfigSource<'_>,
    rule: &Spanned<String>,
    mistakes: &mut Vec<ConfigError>,
) {
    let (message, help) = match check.clone().level(rule.get_ref(), Level::Off) {
        Ok(_) => return,
        Err(Error::UnknownRule { name, nearest }) => {
            let help = nearest.map_or_else(
                || "`runvet rules` lists the rules".to_owned(),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            (format!("there is no rule called `{name}`"), Some(help))
        }
        Err(other) => (other.to_string(), None),
    };
    mistakes.push(file.error(rule.span(), message, help));
}
