//! Judging: paths -> findings that count, by the configuration and the baseline.
//!
//! A worker checks each episode at the levels that hold in its directory. The gate moves findings
//! that do not count to the suppressed ones, and sums up the rest.
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
pub(crate) mod config;
mod excludes;
mod exit;
mod ignores;
mod limit;
pub(crate) mod linear;
mod reading;
#[cfg(feature = "commands")]
mod redacted;
mod request;
mod settings;
mod suppressions;
mod tapes;

use std::convert::Infallible;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::gate::config::{Files, Setting};
use crate::ground::digest::Digest;
use crate::ground::finding::{
    Deny, EpisodeReport, REPORT_VERSION, Report, ReportedFault, RuleInfo, SealedFile, Statistics,
    Tool, Totals,
};
use crate::ground::parallel::in_order;
use crate::ground::printable::escape;
use crate::ground::source::{Artifact, EpisodeKey};
use crate::judge::check::{self, Checker, Worker};
use crate::judge::rules::RuleSet;
use crate::store::{
    self, Artifacts, Discovery, EpisodeDir, Fault, GivenPaths, InMemory, LinkPolicy, WalkFindings,
    empty_in, find_config,
};

pub use crate::gate::config::{ConfigError, Profile};
pub(crate) use crate::judge::check::Decided;
pub use crate::judge::check::all_rules;
pub use crate::judge::rules::Error;
pub use baseline::{Baseline, BaselineError};
pub use exit::{Exit, Outcome};
pub(crate) use limit::Limit;
pub(crate) use request::CheckRequest;

use check::DirectoryGlob;
use suppressions::Suppressions;

/// Finds the configuration that the command reads in a directory: the nearest `runvet.toml`, from
/// there up to the root of the repository.
///
/// # Errors
///
/// The only files are inside run data, whose author may have written them, or the nearest is not a
/// regular file.
pub fn nearest_config(here: &Path) -> io::Result<Option<PathBuf>> {
    let search = find_config(here);
    let Some(path) = search.nearest else {
        // The author of run data may also have made run data of the directory of a file that the
        // user relies on, so going on without it would let them choose how they are judged.
        let Some((path, sign)) = search.in_run_data.first() else {
            return Ok(None);
        };
        let (path, sign) = (path.display(), sign.to_string_lossy());
        let sign = escape(&sign);
        let why = format!("{path} is inside run data, because of {sign}, so it is not read");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    };

    store::must_be_file(&here.join(&path)).map_err(|error| {
        let why = format!("can't read the configuration {}: {error}", path.display());
        io::Error::new(error.kind(), why)
    })?;

    Ok(Some(path))
}

/// Returns a sentence for each file that a user may take for the configuration that
/// [`nearest_config`] finds, and that is not: those that the search passes over, and those in and
/// above directories with runs to which it does not lead.
pub fn configs_not_in_force<'d>(
    here: &Path,
    dirs: impl IntoIterator<Item = &'d Path>,
) -> Vec<String> {
    let search = find_config(here);
    let in_run_data = search
        .in_run_data
        .iter()
        .map(|(path, sign)| {
            format!(
                "{} is not in force: it is inside run data, because of {}",
                path.display(),
                sign.display()
            )
        });
    let misnamed = search.misnamed.iter().map(|path| {
        let table = if path.ends_with("pyproject.toml") {
            "the table [tool.runvet] of "
        } else {
            ""
        };

        format!(
            "{table}{} is not in force: the configuration is a file called runvet.toml",
            path.display()
        )
    });
    let beyond = store::configs_beyond(here, dirs)
        .into_iter()
        .map(|path| {
            let path = path.display();
            format!(
                "{path} is not in force: the configuration is searched from the working directory \
             upward; to use it, set --config {path}"
            )
        });

    in_run_data
        .chain(misnamed)
        .chain(beyond)
        .collect()
}

/// Checks episodes and decides which findings count. Its buffers are kept from one episode to the
/// next, which saves about a quarter of the time of a small one.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    settings: check::CheckSettings,
    /// The worker of the calling thread, made when it is first needed.
    worker: Option<Box<Worker>>,
    excluded: Vec<DirectoryGlob>,
    suppressions: Suppressions,
    has_statistics: bool,
    deny: Deny,
    profile: Option<Setting<Profile>>,
    baseline_path: Option<PathBuf>,
    /// The packs and schema files of the configuration.
    files: Files,
    /// The file of the configuration.
    source: Option<SealedFile>,
    /// The digest of the texts of the configuration and of the files that it names; `None` if the
    /// configuration is empty.
    config: Option<Digest>,
    /// `true` if the next check looks at whole run-data directories.
    are_whole: bool,
}

impl Gate {
    /// Returns the rules that can be on: the built-in ones, then those of the team whose
    /// configuration the gate follows.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// assert!(Gate::default().rules().any(|rule| rule.id == "plan/projection"));
    /// ```
    pub fn rules(&self) -> impl Iterator<Item = &RuleInfo> {
        self.settings
            .rules
            .iter()
            .map(|rule| &rule.info)
    }

    /// Returns the rules that are on in some directory.
    pub(crate) fn active_rules(&self) -> impl Iterator<Item = &RuleInfo> {
        let levels = self.settings.levels_anywhere();
        self.rules()
            .zip(levels)
            .filter_map(|(rule, level)| {
                (level != crate::ground::finding::Level::Off).then_some(rule)
            })
    }

    /// Returns the rule with an id.
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
        self.settings.rules.find(name)
    }

    /// Returns the rules that can be on, with how each is checked.
    pub(crate) fn rule_set(&self) -> &RuleSet {
        &self.settings.rules
    }

    /// Returns the settings with their consequences.
    pub(crate) fn checker(&self) -> Arc<Checker> {
        match &self.worker {
            Some(worker) => Arc::clone(worker.checker()),
            None => Arc::new(Checker::new(self.settings.clone())),
        }
    }

    /// Judges all episodes below paths and returns the report as data. Paths that could not be read
    /// are among its faults.
    ///
    /// # Errors
    ///
    /// The first given path that does not exist, or is neither a directory nor an artifact.
    pub fn run<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Report, Error> {
        let paths: Vec<P> = paths.into_iter().collect();
        let mut found = self.search(&paths, GivenPaths::Each);
        let empty = found.empty();

        if let Some(wrong) = found
            .faults
            .iter()
            .position(Fault::is_of_given_path)
        {
            return Err(found.faults.swap_remove(wrong).into());
        }

        let mut episodes = Vec::new();
        let given: Vec<PathBuf> = paths
            .iter()
            .map(|path| path.as_ref().into())
            .collect();
        self.are_whole = self.are_whole(&given, &found.episodes);

        let outcome = self
            .each_of(found.faults, &found.episodes, |judged| {
                episodes.extend(judged);
                ControlFlow::Continue(())
            })
            .with_empty(empty);

        Ok(Report {
            schema_version: REPORT_VERSION.into(),
            tool: Tool::this(),
            episodes,
            totals: outcome.totals,
            complete: outcome.faults.is_empty(),
            faults: outcome.faults,
            statistics: outcome.statistics,
        })
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
        let found = self.search(paths, GivenPaths::Each);
        let given: Vec<PathBuf> = paths
            .iter()
            .map(|path| path.as_ref().into())
            .collect();

        Discovery {
            are_whole: self.are_whole(&given, &found.episodes),
            ..found.into()
        }
    }

    /// Returns the same findings as [`Gate::discover`], in the least memory.
    pub(crate) fn search<P: AsRef<Path>>(&self, paths: &[P], given: GivenPaths) -> WalkFindings {
        let store = match self.links() {
            LinkPolicy::Beneath(store) => Some(&**store),
            LinkPolicy::Refused | LinkPolicy::Inside => None,
        };

        self.with_excludes(|excludes| {
            store::discover(paths, self.parallelism(), excludes, given, store)
        })
    }

    /// Returns the number of threads of a check.
    pub(crate) fn parallelism(&self) -> NonZeroUsize {
        self.settings.parallelism()
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
        self.are_whole = found.are_whole;
        let empty = empty_in(&found.passed);
        self.each_of(found.faults, &found.episodes, take)
            .with_empty(empty)
    }

    /// Judges episodes in the form in which they are at hand, as [`Gate::each`] does.
    pub(crate) fn each_of<E: Clone + Into<EpisodeDir> + Sync>(
        &mut self,
        faults: Vec<Fault>,
        episodes: &[E],
        mut take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> Outcome {
        let mut outcome = self.begin();
        for fault in faults.into_iter().map(Err) {
            outcome.add(&fault);
            if take(fault).is_break() {
                return outcome;
            }
        }

        let mut is_whole = true;
        let (checker, jobs) = (self.checker(), self.parallelism());
        let are_whole = std::mem::take(&mut self.are_whole);

        if checker.looks_across() {
            let runs: Vec<EpisodeDir> = episodes
                .iter()
                .cloned()
                .map(Into::into)
                .collect();
            checker.look_across(are_whole.then_some(&*runs), jobs);
        }

        let worker = || Worker::new(Arc::clone(&checker));
        let check = |worker: &mut Worker, episode: &E| {
            worker
                .directory(&episode.clone().into(), None, |_| ())
                .map(|(report, ())| report)
        };

        in_order(episodes, jobs, worker, check, |checked| {
            let judged = checked.map(|mut episode| {
                self.suppressions
                    .apply(&mut episode, &checker);
                episode
            });
            outcome.add(&judged);
            let flow = take(judged);
            is_whole = flow.is_continue();
            flow
        });
        // What the checker has seen of events is known to who asks later.
        self.worker
            .get_or_insert_with(|| Box::new(Worker::new(checker)));
        ReportedFault::tidy(&mut outcome.faults);
        outcome.is_complete = outcome.faults.is_empty() && is_whole;

        outcome
    }

    /// Judges episodes whose artifacts are in memory, each with its key and its id, and passes each
    /// report on, as [`Gate::each`] does.
    pub(crate) fn each_in_memory<'a>(
        &mut self,
        episodes: impl IntoIterator<Item = (EpisodeKey, Option<String>, InMemory<'a>)>,
        mut take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> Outcome {
        let mut outcome = self.begin();
        let mut is_whole = true;
        for (key, id, artifacts) in episodes {
            let report = Ok(self.artifacts(&key, id.as_deref(), &artifacts));
            outcome.add(&report);
            is_whole = take(report).is_continue();
            if !is_whole {
                break;
            }
        }

        ReportedFault::tidy(&mut outcome.faults);
        outcome.is_complete = outcome.faults.is_empty() && is_whole;
        outcome
    }

    /// Returns the outcome of a check in which nothing was judged yet.
    fn begin(&mut self) -> Outcome {
        self.suppressions.begin();
        Outcome {
            totals: Totals::default(),
            statistics: self
                .has_statistics
                .then(Statistics::default),
            faults: Vec::new(),
            is_complete: false,
        }
    }

    /// Judges one episode, also one that the configuration excludes.
    ///
    /// # Errors
    ///
    /// A fault if its directory can't be opened.
    pub fn episode(&mut self, episode: &EpisodeDir) -> Result<EpisodeReport, Fault> {
        self.judge(|worker| worker.directory(episode, None, |_| ()))
            .map(|(report, ())| report)
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
        self.artifacts(&id.into(), Some(id), &InMemory::of_records(records))
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
        let judged = self.judge(|worker| {
            Ok::<_, Infallible>(worker.artifacts(key, id, artifacts, None, |_| ()))
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
        self.judge(|worker| worker.settle(key, id, fetch, |it| it, None, |_| ()))
            .map(|(report, ())| report)
    }

    /// Decides which findings count in a report that the worker of this gate makes.
    pub(crate) fn judge<R, E>(
        &mut self,
        check: impl FnOnce(&mut Worker) -> Result<(EpisodeReport, R), E>,
    ) -> Result<(EpisodeReport, R), E> {
        let settings = &self.settings;
        let worker = self.worker.get_or_insert_with(|| {
            let checker = Arc::new(Checker::new(settings.clone()));
            Box::new(Worker::new(checker))
        });
        let (mut report, other) = check(worker)?;
        self.suppressions
            .apply(&mut report, worker.checker());

        Ok((report, other))
    }
}
