//! Paths or records -> judged episodes.

mod stream;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyMapping};
use runvet::compare::{self, PairBy};
use runvet::finding::{Deny, EpisodeReport, Level};
use runvet::gate::{self, Baseline, Gate, Profile, all_rules};
use runvet::proof::Seal;
use runvet::read::RunReader;
use runvet::report::settings_in_words;
use runvet::source::{Artifact, EpisodeKey};
use runvet::store::{Content, InMemory};

use crate::json::{Numbers, loads};
use crate::report::{self, Judged, Terms};
use crate::stream::patiently;
use crate::{Rule, artifact, errors, locked};
pub(crate) use stream::Checking;
use stream::judge_all;

/// Files, with their texts.
type Texts = BTreeMap<PathBuf, String>;

/// The links that are followed.
#[derive(FromPyObject)]
enum FollowLinks {
    /// Links to files of the episode, or none.
    Inside(bool),
    /// Links into a directory as well.
    Into(PathBuf),
}

/// The keywords of `runvet.Check`, by their names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Keywords {
    rules: Vec<(String, String)>,
    select: Vec<String>,
    require: Vec<String>,
    config: Option<PathBuf>,
    baseline: Option<PathBuf>,
    jobs: Option<i64>,
    follow_links: FollowLinks,
    deny_warnings: Option<bool>,
    deny_unjudged: Option<bool>,
    profile: Option<String>,
    allow_empty: bool,
    strict_config: bool,
}

impl Keywords {
    /// Where the settings come from, in a few words.
    fn in_words(&self) -> String {
        let file = self
            .config
            .as_deref()
            .map(Path::to_string_lossy);
        let are_changed = !self.select.is_empty()
            || !self.require.is_empty()
            || !self.rules.is_empty()
            || self.profile.is_some()
            || self.baseline.is_some();
        settings_in_words(file.as_deref(), are_changed)
    }

    /// A gate with the rules that are selected or required and the levels that are set.
    fn applied(&self, py: Python<'_>, mut gate: Gate) -> PyResult<Gate> {
        let unknown = |error: gate::Error| errors::of_check(py, &error);
        if !self.select.is_empty() {
            gate = gate
                .select(&self.select)
                .map_err(unknown)?;
        }
        for rule in &self.require {
            gate = gate.require(rule).map_err(unknown)?;
        }
        for (rule, level) in &self.rules {
            let level: Level = level
                .parse()
                .map_err(errors::unknown_word("level"))?;
            gate = gate
                .level(rule, level)
                .map_err(unknown)?;
        }
        Ok(gate)
    }
}

/// The settings of a check.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Checker {
    pub(crate) gate: Gate,
    terms: Terms,
    /// The configuration, if each of its globs has to match a directory.
    strict: Option<PathBuf>,
    /// The configuration and the baseline, with their texts.
    read: Texts,
    /// A pool of clones of the gate, each with the buffers of its last use.
    idle: Mutex<Vec<Gate>>,
}

#[pymethods]
impl Checker {
    #[new]
    fn new(py: Python<'_>, keywords: Keywords, files: Texts) -> PyResult<Self> {
        let settings = keywords.in_words();
        let mut gate = Gate::default()
            .keep_cards(true)
            .with_files(files.clone());
        gate = match &keywords.follow_links {
            FollowLinks::Inside(follow) => gate.follow_links(*follow),
            FollowLinks::Into(store) => gate.follow_links_into(store)?,
        };
        if let Some(jobs) = keywords.jobs {
            let jobs = usize::try_from(jobs)
                .ok()
                .and_then(NonZeroUsize::new);
            let jobs = jobs.ok_or_else(|| PyValueError::new_err("jobs is at least 1"))?;
            gate = gate.jobs(jobs);
        }
        let mut read = Texts::new();
        if let Some(name) = &keywords.profile {
            let profile: Profile = name
                .parse()
                .map_err(errors::unknown_word("profile"))?;
            gate = gate.with_profile(profile);
        }
        if keywords.config.is_none() && keywords.profile.is_some() {
            gate = configured(py, gate, Path::new(""), "")?;
        }
        if let Some(path) = &keywords.config {
            let text = config_text(py, path, &files)?;
            gate = configured(py, gate, path, &text)?;
            read.insert(path.clone(), text);
        }
        gate = keywords.applied(py, gate)?;
        let baseline = keywords.baseline;
        if let Some(path) = baseline.or_else(|| gate.baseline_path().map(Path::to_owned)) {
            gate = accepting(py, gate, path, &files, &mut read)?;
        }
        let (configured, team) = (gate.deny(), gate.rules().skip(all_rules().count()));
        let terms = Terms {
            deny: Deny {
                warnings: keywords
                    .deny_warnings
                    .unwrap_or(configured.warnings),
                unjudged: keywords
                    .deny_unjudged
                    .unwrap_or(configured.unjudged),
            },
            allow_empty: keywords.allow_empty,
            team: team.cloned().collect(),
            settings,
        };
        let is_strict = keywords.strict_config || gate.profile() == Some(Profile::Strict);
        Ok(Self {
            gate,
            terms,
            strict: keywords.config.filter(|_| is_strict),
            read,
            idle: Mutex::default(),
        })
    }

    /// A digest of all that decides which findings count.
    fn digest(&self) -> String {
        self.gate.settings_digest()
    }

    /// Returns whether warnings, and whether rules that could not be judged, make a check fail.
    #[getter]
    fn deny(&self) -> (bool, bool) {
        (self.terms.deny.warnings, self.terms.deny.unjudged)
    }

    /// Returns all rules, those that the configuration declares included.
    fn rules(&self) -> Vec<Rule> {
        self.gate
            .rules()
            .map(crate::rule)
            .collect()
    }

    /// The configuration, what it names, and the baseline, with their texts.
    fn files(&self) -> Texts {
        let mut files = self.gate.config_files();
        files.extend(self.read.clone());
        files
    }

    /// A gate for run data at an address of a store.
    fn at(&self, address: &str) -> Self {
        Self {
            gate: self.gate.at(address),
            terms: self.terms.clone(),
            strict: None,
            read: self.read.clone(),
            idle: Mutex::default(),
        }
    }

    /// Returns `true` if the configuration excludes an address.
    fn excludes(&self, uri: &str) -> bool {
        self.gate.excludes(Path::new(uri))
    }

    /// Judges all episodes below paths.
    fn run<'py>(&self, py: Python<'py>, paths: Vec<PathBuf>) -> PyResult<Bound<'py, PyAny>> {
        let check = (self.gate.clone(), self.strict.clone());
        let origin = Some((self.gate.clone(), paths.clone()));
        let (end, episodes) = patiently(py, move |caller| {
            let mut episodes = Vec::new();
            let end = judge_all(check, &paths, |episode| {
                episodes.push(Arc::new(episode));
                caller.waits()
            });
            (end, episodes)
        })?;
        let outcome = end.map_err(|error| error.raised(py))?;
        let judged = Judged {
            episodes,
            totals: outcome.totals,
            faults: outcome.faults,
            terms: self.terms.clone(),
            origin,
        };
        report::report(py, judged)
    }

    /// Compares runs with a seal.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        seal: PathBuf,
        paths: Vec<PathBuf>,
        allow_new: bool,
        require_same_rules: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (gate, path) = (self.gate.clone(), seal.clone());
        let verified = patiently(py, move |_| {
            Seal::read(&path)?.verify(&paths, &gate, allow_new)
        })?;
        let verified = verified.map_err(|error| errors::of_seal(py, &seal, &error))?;
        report::verification(py, &verified, require_same_rules)
    }

    /// Returns what `runvet coverage --format json` prints.
    fn coverage<'py>(&self, py: Python<'py>, paths: Vec<PathBuf>) -> PyResult<Bound<'py, PyAny>> {
        let gate = self.gate.clone();
        let covered = patiently(py, move |_| runvet::coverage::json(&paths, &gate))?;
        loads(py, &covered, Numbers::Python)
    }

    /// Returns what `runvet compare --format json` prints.
    fn compare<'py>(
        &self,
        py: Python<'py>,
        base: PathBuf,
        candidate: PathBuf,
        pair: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let keys: Result<Vec<PairBy>, String> = pair
            .iter()
            .map(|key| key.parse())
            .collect();
        let keys = keys.map_err(PyValueError::new_err)?;
        let gate = self.gate.clone();
        let compared = patiently(py, move |_| compare::json(&base, &candidate, &keys, &gate))?;
        let compared = compared.map_err(|error| PyValueError::new_err(error.to_string()))?;
        loads(py, &compared, Numbers::Python)
    }

    /// Judges all episodes below paths, one after the other.
    fn each(&self, paths: Vec<PathBuf>) -> PyResult<Checking> {
        Checking::new(self, paths)
    }

    /// The directories of the episodes below paths, and what could not be searched.
    #[expect(clippy::type_complexity, reason = "two lists for Python")]
    fn discover(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
    ) -> PyResult<(Vec<(PathBuf, String)>, Vec<(PathBuf, String)>)> {
        let gate = self.gate.clone();
        let found = patiently(py, move |_| gate.discover(&paths))?;
        if let Some(wrong) = found
            .faults
            .iter()
            .find(|fault| fault.is_of_given_path())
        {
            return Err(errors::fault(py, wrong));
        }
        let episodes = found.episodes.into_iter();
        let faults = found.faults.iter();
        Ok((
            episodes
                .map(|dir| (dir.path, dir.name))
                .collect(),
            faults
                .map(|it| (it.path().to_owned(), it.to_string()))
                .collect(),
        ))
    }

    /// Judges records that are in memory.
    fn records<'py>(
        &self,
        py: Python<'py>,
        id: &str,
        records: &Bound<'py, PyMapping>,
        uri: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let records = Records::of(records)?;
        let judged = py.detach(|| self.judging(|gate| judge(gate, id, &records, uri)));
        report::episode(py, Arc::new(judged), self.terms.clone())
    }

    /// Judges episodes that are in memory, without taking the lock of the interpreter in between.
    fn batch<'py>(
        &self,
        py: Python<'py>,
        episodes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut batch = Vec::new();
        for episode in episodes.try_iter()? {
            let (id, records): (String, Bound<'py, PyAny>) = episode?.extract()?;
            batch.push((id, Records::of(records.cast::<PyMapping>()?)?));
        }
        let mut gate = self.gate.clone();
        let reports: Vec<EpisodeReport> = patiently(py, move |caller| {
            let batch = batch
                .iter()
                .take_while(|_| caller.waits());
            let judged = batch.map(|(id, records)| judge(&mut gate, id, records, None));
            judged.collect()
        })?;
        report::episode_columns(py, &reports)
    }
}

impl Checker {
    /// Judges one run.
    pub(crate) fn episode<'py>(
        &self,
        py: Python<'py>,
        run: &RunReader,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (mut gate, run) = (self.lend(), run.clone());
        let (judged, gate) = patiently(py, move |_| (run.judge(&mut gate), gate))?;
        self.give_back(gate);
        let judged = judged.map_err(|fault| errors::fault(py, &fault))?;
        report::episode(py, Arc::new(judged), self.terms.clone())
    }

    /// Works with a gate of the pool.
    pub(crate) fn judging<T>(&self, with: impl FnOnce(&mut Gate) -> T) -> T {
        let mut gate = self.lend();
        let done = with(&mut gate);
        self.give_back(gate);
        done
    }

    fn lend(&self) -> Gate {
        let lent = locked(&self.idle).pop();
        lent.unwrap_or_else(|| self.gate.clone())
    }

    fn give_back(&self, gate: Gate) {
        locked(&self.idle).push(gate);
    }
}

fn judge(gate: &mut Gate, id: &str, records: &Records, uri: Option<String>) -> EpisodeReport {
    let contents = records
        .0
        .iter()
        .map(|(artifact, content)| match content {
            Some(bytes) => (*artifact, Content::Bytes(bytes)),
            None => (*artifact, Content::Listed),
        });
    let memory: InMemory<'_> = contents.collect();
    let key = EpisodeKey::Text(uri.unwrap_or_else(|| id.to_owned()));
    gate.artifacts(&key, Some(id), &memory)
}

/// The text of a configuration, from the files that are given or else from the disk.
#[expect(
    clippy::disallowed_methods,
    reason = "a configuration that a program names is not run data"
)]
pub(crate) fn config_text(py: Python<'_>, path: &Path, files: &Texts) -> PyResult<String> {
    if let Some(text) = files.get(path) {
        return Ok(text.clone());
    }
    let text = py
        .detach(|| std::fs::read(path))
        .map_err(|error| {
            let shown = path.to_string_lossy();
            let shown = runvet::printable::escape(&shown);
            let message = format!("can't read the configuration {shown}: {error}");
            errors::fault_at(py, path, &message)
        })?;
    String::from_utf8(text).map_err(|_| {
        let shown = path.to_string_lossy();
        let shown = runvet::printable::escape(&shown);
        errors::wrong_file(py, path, &format!("{shown}: the file is not UTF-8"))
    })
}

/// Makes a gate follow a `runvet.toml`.
pub(crate) fn configured(py: Python<'_>, gate: Gate, path: &Path, text: &str) -> PyResult<Gate> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    });
    let now = runvet::Timestamp::from_unix_seconds(seconds);
    gate.with_config(path, text, Some(&now))
        .map_err(|error| errors::of_config(py, path, &error))
}

/// Makes a gate accept what a baseline lists.
fn accepting(
    py: Python<'_>,
    gate: Gate,
    path: PathBuf,
    files: &Texts,
    read: &mut Texts,
) -> PyResult<Gate> {
    let text = match files.get(&path) {
        Some(text) => Ok(text.clone()),
        None => py.detach(|| Baseline::text(&path)),
    };
    let baseline = text.and_then(|text| Ok((Baseline::from_json(&path, &text)?, text)));
    let (baseline, text) = baseline.map_err(|error| errors::of_baseline(py, &path, &error))?;
    read.insert(path, text);
    Ok(gate.with_baseline(baseline))
}

/// The artifacts of an episode, with their bytes; `None` for one that is only known to exist.
pub(crate) struct Records(Vec<(Artifact, Option<PyBackedBytes>)>);

impl Records {
    pub(crate) fn of(records: &Bound<'_, PyMapping>) -> PyResult<Self> {
        let mut artifacts = Vec::new();
        for item in records.items()?.iter() {
            let (name, content): (String, Bound<'_, PyAny>) = item.extract()?;
            let content: Option<PyBackedBytes> = content.extract().map_err(|_| {
                let given = content.get_type();
                PyTypeError::new_err(format!("{name:?} is a {given}, not bytes or None"))
            })?;
            artifacts.push((artifact(&name)?, content));
        }
        Ok(Self(artifacts))
    }

    /// The artifacts, to be kept.
    pub(crate) fn kept(&self) -> InMemory<'static> {
        let contents = self
            .0
            .iter()
            .map(|(artifact, content)| match content {
                Some(bytes) => (*artifact, Content::Shared(Arc::from(&**bytes))),
                None => (*artifact, Content::Listed),
            });
        contents.collect()
    }
}
