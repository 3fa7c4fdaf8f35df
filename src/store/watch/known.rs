//! A directory whose content changes, part by part -> what discovery finds in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::others::{OtherFiles, SeenFiles};
use super::snapshot::{SeenTree, Snapshot};
use crate::ground::parallel::locked;
use crate::store::find::{
    Dir, Excludes, Fault, GivenPaths, LinksFound, Root, TreeWalk, WalkFindings,
};
use crate::store::path::join;

/// The findings of discovery below a directory, kept up to date: where a directory differs from
/// what was seen of it, the walk is repeated over what was seen.
pub(crate) struct KnownRuns {
    root: Arc<Root>,
    jobs: NonZeroUsize,
    seen: Mutex<Snapshot>,
    /// The findings of the last walk; its faults are in `faults`, each with its path and its text.
    found: WalkFindings,
    faults: BTreeSet<(PathBuf, String)>,
    /// The files that count besides artifacts, and those of each run as they were last seen.
    other_files: OtherFiles,
    others: BTreeMap<PathBuf, SeenFiles>,
}

/// The effect of a change of some directories on what is known.
#[derive(Default)]
pub(crate) struct Renewed {
    /// The episodes that are new or may have changed, sorted.
    pub(crate) episodes: Vec<Dir>,
    /// The paths of those that are gone.
    pub(crate) gone: Vec<PathBuf>,
    /// The faults that are new.
    pub(crate) faults: Vec<Fault>,
    /// The paths that have fewer faults than before.
    pub(crate) faults_gone: BTreeSet<PathBuf>,
}

impl KnownRuns {
    /// Returns the runs below a directory, of which nothing is known yet.
    pub(crate) fn new(
        dir: &Path,
        given: GivenPaths,
        jobs: NonZeroUsize,
        other_files: OtherFiles,
    ) -> io::Result<Self> {
        Ok(Self {
            root: Arc::new(Root::new(dir, given)?),
            jobs,
            seen: Mutex::default(),
            found: WalkFindings::default(),
            faults: BTreeSet::new(),
            other_files,
            others: BTreeMap::new(),
        })
    }

    /// Returns the directory's real path.
    pub(crate) fn top(&self) -> &Path {
        &self.root.real
    }

    /// Resolves the directory's path anew.
    pub(crate) fn find_top(&mut self) -> io::Result<()> {
        self.root = Arc::new(Root::new(&self.root.typed, self.root.given)?);
        Ok(())
    }

    /// Returns the number of episodes.
    pub(crate) fn count(&self) -> usize {
        self.found.episodes.len()
    }

    /// Returns the number of empty directories in the place of runs.
    pub(crate) fn empty(&self) -> u64 {
        self.found.empty()
    }

    /// Returns the number of directories with nothing but the `state.json` of another program.
    pub(crate) fn foreign(&self) -> usize {
        self.found.foreign.len()
    }

    /// Returns a path from the directory on.
    pub(crate) fn below<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root.typed)
            .unwrap_or(path)
    }

    fn typed(&self, below: &Path) -> PathBuf {
        join(&self.root.typed, below)
    }

    /// Returns the runs at and above a path of which other files may differ.
    fn with_other_files(&self, below: &Path) -> Vec<PathBuf> {
        let differs = |run: &&Path| {
            self.others
                .get(*run)
                .is_some_and(|seen| {
                    seen.is_fresh
                        || self
                            .other_files
                            .look(&self.typed(run), |_| ())
                            .versions
                            != seen.versions
                })
        };

        below
            .ancestors()
            .filter(differs)
            .map(Path::to_owned)
            .collect()
    }

    /// Compares everything with what was seen, which stays what counts as seen; returns the paths
    /// at which something differs.
    pub(crate) fn changes(&self) -> Vec<PathBuf> {
        let mut changes = locked(&self.seen).changes(&self.root.typed);
        let runs = self.others.keys();
        changes.extend(runs.flat_map(|run| self.with_other_files(run)));
        changes
    }

    /// Listens to the directories at and below a path at which one came, and keeps nothing of what
    /// they list.
    pub(crate) fn listen(
        &self,
        below: &Path,
        excludes: Excludes<'_>,
        listen: &(dyn Fn(&Path) + Sync),
    ) {
        let typed = self.typed(below);
        let is_directory = typed
            .symlink_metadata()
            .is_ok_and(|it| it.is_dir());
        if !is_directory || below.ends_with(".git") || excludes.is_some_and(|it| it(&typed)) {
            return;
        }

        let is_episode = |above: &Path| {
            self.found
                .episode_at(&self.typed(above))
                .is_some()
        };

        if below
            .ancestors()
            .skip(1)
            .any(is_episode)
        {
            // What is below an episode's directories is not searched.
            return listen(below);
        }

        let (real, level) = (join(&self.root.real, below), below.components().count());
        let root = Arc::new(Root::at(typed, real, level, GivenPaths::None));
        let listen = |inside: &Path| listen(&join(below, inside));
        let tree = SeenTree {
            seen: &Mutex::default(),
            listen: &listen,
        };

        TreeWalk::new(&tree, &root, excludes).undecided(self.jobs);
    }

    /// Looks at what may have changed: paths, each with `true` if everything at and below it counts
    /// as changed, however it looks.
    pub(crate) fn renew(
        &mut self,
        due: &BTreeMap<PathBuf, bool>,
        excludes: Excludes<'_>,
        listen: &(dyn Fn(&Path) + Sync),
    ) -> Renewed {
        let mut seen = locked(&self.seen);
        for (below, _) in due
            .iter()
            .filter(|(_, is_whole)| **is_whole)
        {
            seen.forget(below);
        }

        seen.look(&self.root.typed, due.keys().map(|it| &**it));
        let others = due
            .keys()
            .flat_map(|it| self.with_other_files(it));
        seen.touched.extend(others);

        let is_stale = mem::take(&mut seen.is_stale);
        drop(seen);
        let mut renewed = if is_stale {
            self.search(excludes, listen)
        } else {
            Renewed::default()
        };

        let touched = mem::take(&mut locked(&self.seen).touched);
        let touched = touched.iter().filter_map(|below| {
            self.found
                .episode_at(&self.typed(below))
                .cloned()
        });
        let episodes = &mut renewed.episodes;
        episodes.extend(touched);
        episodes.sort_by(Dir::path_order);
        episodes.dedup_by(|a, b| a.path_order(b).is_eq());
        for gone in &renewed.gone {
            let below = self.below(gone).to_owned();
            self.others.remove(&below);
        }

        // What is read is not older than what is seen here.
        if !self.other_files.are_none() {
            for episode in &renewed.episodes {
                let at = episode.below();
                let listen = |inside: &Path| listen(&at.join(inside));
                let seen = self
                    .other_files
                    .look(&episode.path(), listen);
                self.others.insert(at, seen);
            }
        }

        renewed
    }

    /// Walks over what was seen, lists what was not, and returns the differences from the last
    /// walk.
    fn search(&mut self, excludes: Excludes<'_>, listen: &(dyn Fn(&Path) + Sync)) -> Renewed {
        let tree = SeenTree {
            seen: &self.seen,
            listen,
        };

        let mut found = TreeWalk::new(&tree, &self.root, excludes).everything(self.jobs);
        found.sort();
        LinksFound::new(excludes, None).decide(&mut found, &[Arc::clone(&self.root)]);
        found.sort();

        let faults: BTreeMap<_, _> = mem::take(&mut found.faults)
            .into_iter()
            .filter(|fault| !fault.has_vanished())
            .map(|it| ((it.path().to_owned(), it.to_string()), it))
            .collect();
        let had = mem::replace(&mut self.faults, faults.keys().cloned().collect());
        let faults_gone: BTreeSet<_> = had
            .difference(&self.faults)
            .map(|(path, _)| path.clone())
            .collect();
        let is_new = |fault: &(PathBuf, String)| {
            let (path, _) = fault;
            !had.contains(fault) || faults_gone.contains(path)
        };

        let faults = faults
            .into_iter()
            .filter(|(it, _)| is_new(it));
        let was = mem::replace(&mut self.found, found).episodes;

        Renewed {
            episodes: without(&self.found.episodes, &was)
                .cloned()
                .collect(),
            gone: without(&was, &self.found.episodes)
                .map(Dir::path)
                .collect(),
            faults: faults.map(|(_, fault)| fault).collect(),
            faults_gone,
        }
    }
}

/// Returns those of some sorted episodes that are not among others.
fn without<'d>(episodes: &'d [Dir], others: &'d [Dir]) -> impl Iterator<Item = &'d Dir> {
    let mut others = others.iter().peekable();
    episodes.iter().filter(move |it| {
        let is_before = |other: &&Dir| other.path_order(it).is_lt();
        while others.next_if(is_before).is_some() {}
        others
            .peek()
            .is_none_or(|other| other.path_order(it).is_ne())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;

    use super::*;

    /// Returns the directories that are listed for some changes, and the runs that may have
    /// changed.
    fn renewed(known: &mut KnownRuns, changes: &[(String, bool)]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let listed = Mutex::new(Vec::new());
        let note = |below: &Path| {
            listed
                .lock()
                .unwrap()
                .push(below.to_owned());
        };
        let changes = changes
            .iter()
            .map(|(it, is)| (it.into(), *is))
            .collect();
        let renewed = known.renew(&changes, None, &note);
        let runs = renewed.episodes.iter().map(Dir::below);
        (listed.into_inner().unwrap(), runs.collect())
    }

    #[test]
    fn work_for_a_change_is_that_of_what_changed() {
        let temp = tempfile::tempdir().unwrap();
        let deep = ["d"; 200].join("/");
        let write = |run: &str| {
            let run = temp.path().join(run);
            fs::create_dir_all(&run).unwrap();
            fs::write(run.join("state.json"), "{}").unwrap();
        };
        let groups = ["episodes/group".to_owned(), format!("episodes/{deep}")];
        for group in &groups {
            for index in 0..300 {
                write(&format!("{group}/{index}"));
            }
            fs::write(
                temp.path()
                    .join(group)
                    .join("summary.json"),
                "{}",
            )
            .unwrap();
        }
        let no_files = OtherFiles::default();
        let mut known =
            KnownRuns::new(temp.path(), GivenPaths::Each, NonZeroUsize::MIN, no_files).unwrap();
        let (listed, runs) = renewed(&mut known, &[(String::new(), true)]);
        assert_eq!((listed.len(), runs.len()), (2 + 301 + 500, 600));
        for group in &groups {
            let changed: Vec<_> = (0..10)
                .map(|it| (format!("{group}/{it}"), false))
                .collect();
            for (run, _) in &changed {
                fs::write(temp.path().join(run).join("state.json"), "{} ").unwrap();
            }
            // No directory is walked to but those that are new.
            let (listed, runs) = renewed(&mut known, &changed);
            assert_eq!((listed.len(), runs.len()), (0, 10));
            write(&format!("{group}/new"));
            let (listed, runs) = renewed(&mut known, &[(format!("{group}/new"), true)]);
            assert_eq!((listed.len(), runs.len()), (1, 1));
            fs::remove_dir_all(temp.path().join(group).join("new")).unwrap();
            let (listed, runs) = renewed(&mut known, &[(format!("{group}/new"), true)]);
            assert_eq!((listed.len(), runs.len()), (0, 0));
        }
    }
}
