//! The name that a user gives for a run or run data -> the run, or the run data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Error, MAX_MATCHES, RunData, RunReader, ambiguous, several_below};
use crate::ground::Own;
use crate::ground::printable::{are_alike, quote};
use crate::ground::source::{Artifact, EPISODES};
use crate::store::{self, EpisodeDir, GivenPaths, ListedRun, display, unlistable};

/// The name of the newest run.
const LATEST: &str = "@latest";

/// The number of ids that are suggested in place of an unknown one.
const MAX_SUGGESTED: usize = 3;

impl RunData {
    /// Returns the runs that paths lead to, each once. A path is a run-data directory, a directory
    /// above or below one, a run's directory, or an artifact in it. Below a path, a few levels are
    /// searched.
    ///
    /// ```
    /// # use runvet::read::RunData;
    /// let one = RunData::find(&["corpus/demo/episodes/ep_02_paused"])?;
    /// assert_eq!(one.list(9).len(), 1);
    /// # Ok::<(), runvet::read::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoRunData`] where a path leads to no run data and no run.
    pub fn find<P: AsRef<Path>>(paths: &[P]) -> Result<Self, Error> {
        let parts = paths
            .iter()
            .map(|path| find(path.as_ref(), GivenPaths::Each, false));
        Ok(Self::joined(parts.collect::<Result<_, _>>()?))
    }

    /// Returns the runs around the working directory, which nobody gave; if `only`, of a directory
    /// that has only one run-data directory below it.
    pub(crate) fn find_here(path: &Path, only: bool) -> Result<Self, Error> {
        find(path, GivenPaths::None, only)
    }

    /// Finds as [`RunData::find`] does below one path, where only one run-data directory may be.
    ///
    /// # Errors
    ///
    /// The errors of [`RunData::find`], and [`Error::Ambiguous`].
    pub fn find_only(path: impl AsRef<Path>) -> Result<Self, Error> {
        find(path.as_ref(), GivenPaths::Each, true)
    }

    /// Returns the run with an id, `@latest` for the newest, or the one run whose id starts with a
    /// text or has it as any other part.
    ///
    /// A whole id goes before the start of an id, and that before another part. Of each kind, an id
    /// in the same case of letters goes before one in another case.
    ///
    /// ```
    /// let runs = runvet::read::RunData::open("corpus/demo")?;
    /// assert_eq!(runs.get("ep_01")?.id(), "ep_01_answer");
    /// assert!(runs.get("corpus/demo/episodes/ep_01_answer").is_err());
    /// # Ok::<(), runvet::read::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRun`] and [`Error::Ambiguous`].
    pub fn get(&self, name: &str) -> Result<RunReader, Error> {
        self.by_id(name)
            .or_else(|| self.by_part(name))
            .unwrap_or_else(|| Err(self.unknown(name)))
    }

    /// Returns the run that a user names: as [`RunData::get`] finds it, or by a path, which comes
    /// after a whole id and before a part of one.
    pub(crate) fn get_or_open(&self, name: &str) -> Result<RunReader, Error> {
        if let Some(found) = self.by_id(name) {
            return found;
        }
        if name.contains('/') || name.starts_with('.') {
            return RunReader::open(name);
        }

        // A name in the working directory, such as `state.json`, is a path as well.
        let at_path = (!store::is_gone(Path::new(name))).then(|| RunReader::open(name));
        if let Some(Ok(run)) = at_path {
            return Ok(run);
        }

        self.by_part(name)
            .or(at_path)
            .unwrap_or_else(|| Err(self.unknown(name)))
    }

    /// Returns the newest run, or that of a whole id.
    fn by_id(&self, name: &str) -> Option<Result<RunReader, Error>> {
        if name == LATEST {
            return Some(
                self.iter()
                    .next()
                    .ok_or_else(|| Error::UnknownRun {
                        id: name.into(),
                        nearest: Vec::new(),
                    }),
            );
        }

        let places = self
            .by_id
            .get_or_init(|| {
                let mut by_id: BTreeMap<String, Vec<usize>> = BTreeMap::new();
                for (at, run) in self.runs.iter().enumerate() {
                    by_id
                        .entry(run.name().into_owned())
                        .or_default()
                        .push(at);
                }
                by_id
            })
            .get(name)?
            .iter();

        one_of(name, places.map(|at| self.runs.own(*at)))
    }

    /// Returns the run with an id in another case of letters, or with a part of an id.
    fn by_part(&self, name: &str) -> Option<Result<RunReader, Error>> {
        if name.is_empty() {
            return None;
        }

        let folded = name.to_lowercase();
        self.only(name, |id| are_alike(id, name))
            .or_else(|| self.only(name, |id| id.to_lowercase() == folded))
            .or_else(|| self.only(name, |id| id.starts_with(name)))
            .or_else(|| self.only(name, |id| id.to_lowercase().starts_with(&folded)))
            .or_else(|| self.only(name, |id| id.contains(name)))
            .or_else(|| self.only(name, |id| id.to_lowercase().contains(&folded)))
    }

    /// Returns the run whose id is as wanted, if there is any.
    fn only(
        &self,
        name: &str,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Option<Result<RunReader, Error>> {
        one_of(
            name,
            self.runs
                .iter()
                .filter(|run| is_wanted(&run.name())),
        )
    }

    /// Returns the error for an id that no run has, with ids of which the whole, a part or the end
    /// differs from it in a few letters.
    fn unknown(&self, id: &str) -> Error {
        let wanted: String = id
            .chars()
            .take(64)
            .collect::<String>()
            .to_lowercase();
        let length = wanted.chars().count();
        let most = (length / 4).clamp(1, 3);
        let is_near = |known: &str| {
            let known = known.to_lowercase();
            let parts = known.split(is_separator);
            let ends = known
                .match_indices(is_separator)
                .filter_map(|(at, separator)| known.get(at + separator.len()..));
            // A text of another length differs in more letters, so few are compared.
            parts
                .chain(ends)
                .chain([&*known])
                .filter(|text| text.chars().count().abs_diff(length) <= most)
                .map(|text| strsim::osa_distance(&wanted, text))
                .min()
                .filter(|distance| *distance <= most)
        };

        let mut ranked: Vec<_> = self
            .runs
            .iter()
            .map(|run| (run.name(), run))
            .filter(|(name, _)| name.len() <= 128)
            .filter_map(|(name, run)| Some((is_near(&name)?, name, run)))
            .collect();
        ranked.sort_by(|(far, name, _), (further, other, _)| (far, name).cmp(&(further, other)));
        ranked.dedup_by(|(_, name, _), (_, other, _)| name == other);

        let ids = ranked
            .into_iter()
            .filter_map(|(.., run)| run.episode());
        let latest = (is_near(LATEST).is_some() && !self.runs.is_empty()).then(|| LATEST.into());

        Error::UnknownRun {
            id: id.into(),
            nearest: latest
                .into_iter()
                .chain(ids.map(|run| run.name))
                .take(MAX_SUGGESTED)
                .collect(),
        }
    }
}

impl RunReader {
    /// Returns the run around a directory, such as the working directory: the one that it holds, or
    /// is below. `None` where there is none; of a directory that nobody gave, also where there is
    /// only the `state.json` of another program.
    pub(crate) fn around(dir: &Path, given: GivenPaths) -> Option<Self> {
        let is_in_run_data = store::is_below_episodes(dir);
        let levels = if is_in_run_data { usize::MAX } else { 1 };
        let real = dir.canonicalize().ok()?;
        let mut typed = dir.to_owned();

        for above in real.ancestors().take(levels) {
            let mut artifacts = Artifact::ALL
                .map(|it| typed.join(it.file_name()))
                .into_iter();
            if let Some(artifact) = artifacts.find(|artifact| !store::is_gone(artifact)) {
                return Self::open_given(&artifact, given).ok();
            }

            if above
                .file_name()
                .is_some_and(|name| name == EPISODES)
            {
                return None;
            }

            typed.push("..");
        }

        None
    }
}

/// Returns the run that matches a name, if there is any. Several are an error, which names them so
/// that they differ.
fn one_of<'r>(
    name: &str,
    runs: impl Iterator<Item = &'r ListedRun>,
) -> Option<Result<RunReader, Error>> {
    let mut matches: Vec<EpisodeDir> = runs
        .filter_map(ListedRun::episode)
        .take(MAX_MATCHES + 1)
        .collect();
    if matches.len() <= 1 {
        return matches.pop().map(|dir| Ok(dir.into()));
    }

    let more = matches.len() > MAX_MATCHES;
    matches.truncate(MAX_MATCHES);
    matches.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    if let [first, .., last] = &*matches
        && first.name == last.name
    {
        let paths = matches
            .iter()
            .map(|run| display(&run.path))
            .collect();
        let what = format!(
            "several runs have the id {}; name one by its path",
            quote(&first.name)
        );
        return Some(Err(ambiguous(&what, &first.name, paths, more)));
    }

    matches.dedup_by(|a, b| a.name == b.name);
    let ids = matches
        .into_iter()
        .map(|run| run.name)
        .collect();
    let what = format!("several runs match {}", quote(name));

    Some(Err(ambiguous(&what, name, ids, more)))
}

/// Returns `true` if a character separates the parts of an id.
fn is_separator(character: char) -> bool {
    !character.is_alphanumeric()
}

/// Returns the runs that a path leads to. If only one run-data directory may be below it, several
/// are refused.
fn find(path: &Path, given: GivenPaths, only: bool) -> Result<RunData, Error> {
    if let Ok(found) = RunData::open(path) {
        return Ok(found);
    }

    let one = || RunData::new(path.to_owned(), store::runs_at(path, given));
    if leads_to_runs(path) {
        return Ok(one());
    }

    let below = store::run_data_below(path);
    if below.is_empty() {
        return match RunReader::around(path, given) {
            Some(_) => Ok(one()),
            None => Err(Error::NoRunData {
                path: path.to_owned(),
            }),
        };
    }

    let unlistable =
        |dir: &Path, source| (Vec::new(), vec![unlistable(&dir.join(EPISODES), source)]);
    let of = |dir: &PathBuf| {
        let found = store::runs(dir).unwrap_or_else(|source| unlistable(dir, source));
        RunData::new(dir.clone(), found)
    };

    let several = below.len() > 1;
    if several && only {
        let advice = " contain one called `episodes`; name one of them";
        return Err(several_below(
            ["several directories below", advice],
            path,
            below,
        ));
    }

    let mut found = RunData::joined(below.iter().map(of).collect());
    if several {
        path.clone_into(&mut found.root);
    }

    Ok(found)
}

/// Returns `true` if a path is in run data, or is not a directory, so that nothing is searched
/// below it.
fn leads_to_runs(path: &Path) -> bool {
    path.join(EPISODES).is_dir() || store::is_below_episodes(path) || !path.is_dir()
}
