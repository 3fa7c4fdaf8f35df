//! A directory whose content changes, part by part -> what discovery finds in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::along::{Along, Listen};
use super::changes::Changes;
use super::fault::Fault;
use super::path::{self, join};
use super::recordless::Recordless;
use super::root::{GivenPaths, Root};
use super::snapshot::Snapshot;
use super::stillness::FileVersion;
use super::tree::{Dir, OnDisk};
use super::walk::{Excludes, FoundEpisode, Link, TreeWalk, WalkFindings, is_among};
use crate::source::{EPISODES, EntryKind};

/// A fault: its path, and its text.
type Met = (PathBuf, String);

/// The findings of discovery below a directory, kept up to date.
pub(crate) struct KnownRuns {
    root: Arc<Root>,
    jobs: NonZeroUsize,
    /// The findings in each directory by itself, sorted by path; their faults are in `faults`.
    undecided: WalkFindings,
    faults: BTreeSet<Met>,
    /// The episodes, as decided from all of these findings.
    episodes: Vec<FoundEpisode>,
    decided: BTreeSet<Met>,
    /// The targets of links, until a link or a directory is gone.
    targets: BTreeMap<PathBuf, PathBuf>,
    snapshot: Mutex<Snapshot>,
}

/// The effect of a change of some directories on what is known.
#[derive(Default)]
pub(crate) struct Renewed {
    /// The episodes that are new or may have changed, sorted.
    pub(crate) episodes: Vec<FoundEpisode>,
    /// The paths of those that are gone.
    pub(crate) gone: Vec<PathBuf>,
    /// The faults that are new.
    pub(crate) faults: Vec<Fault>,
    /// The paths that have fewer faults than before.
    pub(crate) faults_gone: BTreeSet<PathBuf>,
}

impl KnownRuns {
    /// Returns the runs below a directory, of which nothing is known yet.
    pub(crate) fn new(dir: &Path, given: GivenPaths, jobs: NonZeroUsize) -> io::Result<Self> {
        Ok(Self {
            root: Arc::new(Root::new(dir, given)?),
            jobs,
            undecided: WalkFindings::default(),
            faults: BTreeSet::new(),
            episodes: Vec::new(),
            decided: BTreeSet::new(),
            targets: BTreeMap::new(),
            snapshot: Mutex::default(),
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
        self.episodes.len()
    }

    /// Returns the number of directories with nothing but the `state.json` of another program.
    pub(crate) fn foreign(&self) -> usize {
        self.undecided.foreign.len()
    }

    /// Returns a path from the directory on.
    pub(crate) fn below<'p>(&self, path: &'p Path) -> &'p Path {
        below_root(&self.root.typed, path)
    }

    fn typed(&self, below: &Path) -> PathBuf {
        join(&self.root.typed, below)
    }

    /// Returns the episodes at and above a path, from the directory on.
    pub(crate) fn episodes_around<'p>(&self, below: &'p Path) -> impl Iterator<Item = &'p Path> {
        let is_episode = |below: &Path| is_among(&self.episodes, &self.typed(below));
        below.ancestors().filter(move |it| is_episode(it))
    }

    /// Walks through what may have changed, and keeps nothing of it.
    pub(crate) fn listen(&self, changes: &Changes, excludes: Excludes<'_>, listen: Listen<'_>) {
        self.walk_along(changes, excludes, listen);
    }

    fn snapshot(&mut self) -> &mut Snapshot {
        let snapshot = self.snapshot.get_mut();
        snapshot.unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares what is at some paths with what was seen there.
    pub(crate) fn look<'p>(&mut self, paths: impl Iterator<Item = &'p Path>) -> Changes {
        let (root, mut changes) = (Arc::clone(&self.root), Changes::default());
        for below in paths {
            self.snapshot().look(&root.typed, below, &mut changes);
        }
        changes
    }

    /// Compares everything with what was seen, which stays what counts as seen.
    pub(crate) fn look_at_all(&mut self) -> Changes {
        let root = Arc::clone(&self.root);
        self.snapshot().look_at_all(&root.typed)
    }

    /// Takes in what may have changed.
    pub(crate) fn renew(
        &mut self,
        changes: &Changes,
        excludes: Excludes<'_>,
        listen: Listen<'_>,
    ) -> Renewed {
        let mut changes = self.with_parents(changes);
        self.forget_targets(&changes);
        let (mut faults, mut touched) = (BTreeMap::new(), Vec::new());
        let mut is_same = true;
        while !changes.0.is_empty() {
            for (below, _) in changes.0.iter().filter(|(_, is_whole)| **is_whole) {
                self.snapshot().forget(below);
            }
            let mut part = self.walk_along(&changes, excludes, listen);
            let met = mem::take(&mut part.faults).into_iter();
            let met = met.filter(|fault| !fault.has_vanished()).map(with_text);
            let met: BTreeMap<Met, Fault> = met.collect();
            // What is below a directory is searched in another way if it became an episode, or is
            // none any more.
            let is_other = |below: &Path| {
                let path = self.typed(below);
                part.has(&path) != self.undecided.has(&path)
            };
            let other = changes.0.iter();
            let other = other.filter(|(below, is_whole)| !**is_whole && is_other(below));
            let other = Changes(other.map(|(below, _)| (below.clone(), true)).collect());
            touched.extend(part.episodes.iter().chain(&part.candidates).cloned());
            // Whether a candidate is a run depends on what it says.
            is_same &= part.candidates.is_empty();
            if !is_same || !other.0.is_empty() || !self.is_same(&changes, &part, &met) {
                is_same = false;
                self.forget(&changes);
                self.faults.extend(met.keys().cloned());
                faults.extend(met);
                self.undecided.append(part);
                self.undecided.sort();
            }
            changes = other;
        }
        if is_same {
            touched.retain(|it| is_among(&self.episodes, &it.dir.path()));
            return Renewed {
                episodes: touched,
                ..Renewed::default()
            };
        }
        self.decide(&touched, excludes, faults)
    }

    /// Forgets where links lead, unless all that changed are directories that are new.
    fn forget_targets(&mut self, changes: &Changes) {
        let whole = changes.0.iter().filter(|(_, is_whole)| **is_whole);
        let is_new = |below: &Path| {
            let is_dir = rustix::fs::lstat(self.typed(below))
                .is_ok_and(|stat| FileVersion::from(&stat).kind() == EntryKind::Directory);
            let snapshot = self.snapshot.lock();
            let snapshot = snapshot.unwrap_or_else(PoisonError::into_inner);
            is_dir && !snapshot.has(below)
        };
        if !whole.map(|(below, _)| below).all(|below| is_new(below)) {
            self.targets.clear();
        }
    }

    /// Returns `true` if changes show what is known, and no more.
    fn is_same(&self, changes: &Changes, part: &WalkFindings, met: &BTreeMap<Met, Fault>) -> bool {
        if changes.0.get(Path::new("")) == Some(&true) {
            return false;
        }
        let (whole, single) = changes.parts();
        let mut known = BTreeSet::new();
        let paths = whole.iter().map(|below| (&**below, true));
        for (below, is_whole) in paths.chain(single.into_iter().map(|below| (below, false))) {
            let path = self.typed(below);
            let faults = self.faults.range((path.clone(), String::new())..);
            let is_shown = |it: &Path| it == path || is_whole && it.starts_with(&path);
            let faults = faults.take_while(|(it, _)| is_shown(it)).cloned();
            known.extend(faults.map(|(path, text)| ("fault", path, text)));
            self.undecided
                .add_traits(Some((&path, is_whole)), &mut known);
        }
        let mut seen = BTreeSet::new();
        part.add_traits(None, &mut seen);
        let met = met.keys().cloned();
        seen.extend(met.map(|(path, text)| ("fault", path, text)));
        known == seen
    }

    /// Adds directories whose nature depends on what is in them besides artifacts.
    fn with_parents(&self, changes: &Changes) -> Changes {
        let mut all = changes.clone();
        let is_episodes = |path: &Path| path.file_name().is_some_and(|name| name == EPISODES);
        let is_episode = |path: &Path| self.undecided.has(&self.typed(path));
        for below in changes.0.keys() {
            let Some(parent) = below.parent() else {
                continue;
            };
            let mut above = parent.ancestors();
            if is_episodes(below) || is_episodes(parent) && above.any(is_episode) {
                all.0.entry(parent.to_owned()).or_insert(false);
            }
        }
        all
    }

    fn walk_along(
        &self,
        changes: &Changes,
        excludes: Excludes<'_>,
        listen: Listen<'_>,
    ) -> WalkFindings {
        let tree = Along {
            snapshot: &self.snapshot,
            root: &self.root.typed,
            changes,
            episodes: &self.undecided.episodes,
            listen,
        };
        let walk = TreeWalk {
            tree: &tree,
            root: &self.root,
            excludes,
        };
        let mut part = walk.undecided(self.jobs);
        let is_shown = |path: &Path| changes.show(self.below(path));
        part.episodes.retain(|it| changes.show(&it.dir.below()));
        part.candidates.retain(|it| changes.show(&it.dir.below()));
        part.links.retain(|it| changes.show(&it.at.below()));
        part.recordless.retain(|it| changes.show(&it.dir.below()));
        part.foreign.retain(|path| is_shown(path));
        part.faults.retain(|fault| is_shown(fault.path()));
        part.sort();
        part
    }

    /// Forgets all that changes show.
    fn forget(&mut self, changes: &Changes) {
        let (whole, single) = changes.parts();
        let whole: Vec<PathBuf> = whole.iter().map(|below| self.typed(below)).collect();
        let single: Vec<PathBuf> = single.iter().map(|below| self.typed(below)).collect();
        let found = &mut self.undecided;
        cut(&mut found.episodes, |it| &it.dir, &whole, &single);
        cut(&mut found.candidates, |it| &it.dir, &whole, &single);
        cut(&mut found.links, |it| &it.at, &whole, &single);
        cut(&mut found.recordless, |it| &it.dir, &whole, &single);
        let root = &self.root.typed;
        found
            .foreign
            .retain(|path| !changes.show(below_root(root, path)));
        let is_root = |path: &Path| path == root;
        let mut doomed = Vec::new();
        for path in &whole {
            let known = self.faults.range((path.clone(), String::new())..);
            let known = known.take_while(|(it, _)| is_root(path) || it.starts_with(path));
            doomed.extend(known.cloned());
        }
        if whole.iter().any(|path| is_root(path)) {
            doomed = self.faults.iter().cloned().collect();
        }
        for path in &single {
            let known = self.faults.range((path.clone(), String::new())..);
            doomed.extend(known.take_while(|(it, _)| it == path).cloned());
        }
        for met in doomed {
            self.faults.remove(&met);
        }
    }

    /// Decides about all that is known, and returns the differences from the last time.
    fn decide(
        &mut self,
        touched: &[FoundEpisode],
        excludes: Excludes<'_>,
        mut faults: BTreeMap<Met, Fault>,
    ) -> Renewed {
        let mut now = WalkFindings {
            episodes: self.undecided.episodes.clone(),
            candidates: self.undecided.candidates.clone(),
            links: self.undecided.links.clone(),
            recordless: self.undecided.recordless.clone(),
            ..WalkFindings::default()
        };
        now.decide(&OnDisk);
        now.sort();
        let mut targets = mem::take(&mut self.targets);
        now.decide_links(&[Arc::clone(&self.root)], excludes, |link| {
            let at = link.at.path();
            if let Some(target) = targets.get(&at) {
                return Ok(Some(target.clone()));
            }
            let target = link.target()?;
            targets.extend(target.clone().map(|target| (at, target)));
            Ok(target)
        });
        self.targets = targets;
        let decided = mem::take(&mut now.faults).into_iter();
        let decided = decided.filter(|fault| !fault.has_vanished()).map(with_text);
        let decided: BTreeMap<Met, Fault> = decided.collect();
        let met: BTreeSet<Met> = self.faults.iter().chain(decided.keys()).cloned().collect();
        let was = mem::replace(&mut self.decided, met);
        let less = was.difference(&self.decided).map(|(path, _)| path.clone());
        let faults_gone: BTreeSet<PathBuf> = less.collect();
        faults.extend(decided);
        let faults = faults.into_iter().filter(|(met, _)| {
            let is_new = !was.contains(met) || faults_gone.contains(&met.0);
            is_new && self.decided.contains(met)
        });
        let was = mem::replace(&mut self.episodes, now.episodes);
        let mut episodes: Vec<FoundEpisode> = without(&self.episodes, &was).cloned().collect();
        let touched = touched.iter().filter_map(|it| {
            let at = self
                .episodes
                .binary_search_by(|known| known.dir.path_order(&it.dir));
            self.episodes.get(at.ok()?)
        });
        episodes.extend(touched.cloned());
        episodes.sort_by(|a, b| a.dir.path_order(&b.dir));
        episodes.dedup_by(|a, b| a.dir.path_order(&b.dir).is_eq());
        Renewed {
            episodes,
            gone: without(&was, &self.episodes)
                .map(|it| it.dir.path())
                .collect(),
            faults: faults.map(|(_, fault)| fault).collect(),
            faults_gone,
        }
    }
}

/// A feature that is known of a path: its sort, and what else tells it from others.
type Trait = (&'static str, PathBuf, String);

impl WalkFindings {
    /// Adds what is known; of a path, and of what is below it if it is whole, if one is given.
    fn add_traits(&self, at: Option<(&Path, bool)>, all: &mut BTreeSet<Trait>) {
        let none = |_: &FoundEpisode| String::new();
        add_shown(all, "episode", at, &self.episodes, |it| &it.dir, none);
        add_shown(all, "candidate", at, &self.candidates, |it| &it.dir, none);
        let in_episode = |it: &Link| it.is_in_episode.to_string();
        add_shown(all, "link", at, &self.links, |it| &it.at, in_episode);
        let files = |it: &Recordless| format!("{:?}", it.files);
        add_shown(all, "recordless", at, &self.recordless, |it| &it.dir, files);
        let is_shown = |it: &&PathBuf| {
            at.is_none_or(|(path, is_whole)| *it == path || is_whole && it.starts_with(path))
        };
        let foreign = self.foreign.iter().filter(is_shown).cloned();
        all.extend(foreign.map(|path| ("foreign", path, String::new())));
    }
}

fn add_shown<T>(
    all: &mut BTreeSet<Trait>,
    sort: &'static str,
    at: Option<(&Path, bool)>,
    sorted: &[T],
    dir: fn(&T) -> &Dir,
    tell: impl Fn(&T) -> String,
) {
    let parts = match at {
        None => [0..sorted.len(), 0..0],
        Some((path, true)) => parts_of(sorted, dir, path),
        Some((path, false)) => [parts_of(sorted, dir, path)[0].clone(), 0..0],
    };
    let items = parts.into_iter().filter_map(|part| sorted.get(part));
    all.extend(items.flatten().map(|it| (sort, dir(it).path(), tell(it))));
}

fn with_text(fault: Fault) -> (Met, Fault) {
    ((fault.path().to_owned(), fault.to_string()), fault)
}

/// Returns a path from a root on, which is typed as the path is.
fn below_root<'p>(root: &Path, path: &'p Path) -> &'p Path {
    if path == root {
        Path::new("")
    } else {
        path.strip_prefix(root).unwrap_or(path)
    }
}

/// Returns those of some sorted items whose directory has a path, and those below it.
fn parts_of<T>(sorted: &[T], dir: fn(&T) -> &Dir, path: &Path) -> [Range<usize>; 2] {
    let first = |path: &[u8]| sorted.partition_point(|it| dir(it).order_to(path).is_lt());
    let prefix = path::prefix(path);
    let (at, below) = (first(path::bytes(path)), first(&prefix));
    let has_path = |it: &T| dir(it).order_to(path::bytes(path)).is_eq();
    let is_at = sorted.get(at).is_some_and(has_path);
    let rest = sorted.get(below..).unwrap_or_default();
    let number = rest.partition_point(|it| dir(it).starts_with(&prefix));
    [at..at + usize::from(is_at), below..below + number]
}

/// Removes what is at or below some paths, and what is at others.
fn cut<T>(sorted: &mut Vec<T>, dir: fn(&T) -> &Dir, whole: &[PathBuf], single: &[PathBuf]) {
    let mut doomed = BTreeSet::new();
    for path in whole {
        doomed.extend(parts_of(sorted, dir, path).into_iter().flatten());
    }
    for path in single {
        let [at, _] = parts_of(sorted, dir, path);
        doomed.extend(at);
    }
    if !doomed.is_empty() {
        let mut index = 0..;
        sorted.retain(|_| index.next().is_some_and(|index| !doomed.contains(&index)));
    }
}

/// Returns those of some sorted episodes that are not among others.
fn without<'f>(
    episodes: &'f [FoundEpisode],
    others: &'f [FoundEpisode],
) -> impl Iterator<Item = &'f FoundEpisode> {
    let mut others = others.iter().peekable();
    episodes.iter().filter(move |it| {
        while others
            .next_if(|other| other.dir.path_order(&it.dir).is_lt())
            .is_some()
        {}
        others
            .peek()
            .is_none_or(|other| other.dir.path_order(&it.dir).is_ne())
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
        let note = |below: &Path| listed.lock().unwrap().push(below.to_owned());
        let changes = changes.iter();
        let changes = Changes(changes.map(|(it, is)| (it.into(), *is)).collect());
        let renewed = known.renew(&changes, None, &note);
        let runs = renewed.episodes.iter().map(|it| it.dir.below());
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
            fs::write(temp.path().join(group).join("summary.json"), "{}").unwrap();
        }
        let mut known = KnownRuns::new(temp.path(), GivenPaths::Each, NonZeroUsize::MIN).unwrap();
        let (listed, runs) = renewed(&mut known, &[(String::new(), true)]);
        assert_eq!((listed.len(), runs.len()), (2 + 301 + 500, 600));
        for group in &groups {
            // Neither the runs beside it nor the directories above are looked at.
            let changed: Vec<_> = (0..10).map(|it| (format!("{group}/{it}"), false)).collect();
            let (listed, runs) = renewed(&mut known, &changed);
            assert_eq!((listed.len(), runs.len()), (10, 10));
            write(&format!("{group}/new"));
            let (listed, runs) = renewed(&mut known, &[(format!("{group}/new"), true)]);
            assert_eq!((listed.len(), runs.len()), (1, 1));
            fs::remove_dir_all(temp.path().join(group).join("new")).unwrap();
            let (listed, runs) = renewed(&mut known, &[(format!("{group}/new"), true)]);
            assert_eq!((listed.len(), runs.len()), (0, 0));
        }
    }
}
