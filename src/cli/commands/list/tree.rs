//! Runs -> each below the run that it is a part of, with sums.

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::Own;
use crate::ground::finding::RunEntry;
use crate::ground::printable::brief;
use crate::report::{count, seconds};

/// A run in a tree.
pub(super) struct Branch {
    pub(super) run: RunEntry,
    /// The number of runs above it.
    pub(super) depth: usize,
    /// What there is to say of the run that it names as the one that it is a part of.
    pub(super) note: Option<String>,
    below: Sums,
}

/// The sums of the runs below a run.
#[derive(Clone, Copy, Default)]
struct Sums {
    runs: u64,
    /// Those that ended, and without success.
    failed: u64,
    seconds: f64,
}

impl Branch {
    /// Returns the sums of the runs below it, in words, where there are any.
    pub(super) fn sums(&self) -> Option<String> {
        let Sums { runs, failed, .. } = self.below;
        let failed = (failed > 0).then(|| format!(", {failed} without success"));
        let took = seconds(self.below.seconds);
        let took = took.trim();

        (runs > 0).then(|| {
            let runs = count(runs, "run");
            format!("{runs} below, {took}{}", failed.unwrap_or_default())
        })
    }
}

/// Returns the runs in the order of their trees; those that are parts of the same run, or of none,
/// keep their order. `known` has the ids of all runs that were looked at.
pub(super) fn branches(runs: Vec<RunEntry>, known: &BTreeSet<String>) -> Vec<Branch> {
    let above = places_above(&runs);
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, parent) in above.iter().enumerate() {
        if let Some(parent) = parent {
            parts
                .entry(*parent)
                .or_default()
                .push(at);
        }
    }

    let roots = above
        .iter()
        .enumerate()
        .filter_map(|(at, parent)| parent.is_none().then_some(at));
    let mut forest = Forest {
        left: runs.into_iter().map(Some).collect(),
        parts,
        known,
        branches: Vec::new(),
    };
    // Those that are parts of each other hang below no other run.
    for root in roots.chain(0..above.len()) {
        forest.add_tree(root);
    }

    forest.branches
}

/// Returns the place of the run above each run, where it is there.
fn places_above(runs: &[RunEntry]) -> Vec<Option<usize>> {
    let places: BTreeMap<&str, usize> = runs
        .iter()
        .enumerate()
        .rev()
        .map(|(at, run)| (&*run.episode_id, at))
        .collect();
    runs.iter()
        .enumerate()
        .map(|(at, run)| {
            places
                .get(run.parent.as_deref()?)
                .copied()
                .filter(|parent| *parent != at)
        })
        .collect()
}

/// The trees of some runs, which are made one by one.
struct Forest<'k> {
    /// The runs by their places, until they are in a tree.
    left: Vec<Option<RunEntry>>,
    /// The places of the parts of each run, until they are in a tree.
    parts: BTreeMap<usize, Vec<usize>>,
    known: &'k BTreeSet<String>,
    branches: Vec<Branch>,
}

impl Forest<'_> {
    /// Adds a run and all that is left of the runs below it.
    fn add_tree(&mut self, root: usize) {
        let first = self.branches.len();
        // Each with the number of the runs above it.
        let mut waiting = vec![(root, 0)];
        while let Some((at, depth)) = waiting.pop() {
            let Some(run) = self.left.own_mut(at).take() else {
                continue;
            };

            let note = run
                .parent
                .as_deref()
                .filter(|_| depth == 0)
                .map(|parent| lost(parent, self.known));
            self.branches.push(Branch {
                run,
                depth,
                note,
                below: Sums::default(),
            });

            let parts = self
                .parts
                .remove(&at)
                .unwrap_or_default();
            waiting.extend(
                parts
                    .into_iter()
                    .rev()
                    .map(|part| (part, depth + 1)),
            );
        }

        add_up(
            self.branches
                .get_mut(first..)
                .unwrap_or_default(),
        );
    }
}

/// Returns what is wrong with the name of a run that is not above.
fn lost(parent: &str, known: &BTreeSet<String>) -> String {
    let what = if known.contains(parent) {
        "not above"
    } else {
        "not there"
    };

    format!("a part of {}, which is {what}", brief(parent))
}

/// Adds up the runs below each run of a tree, which comes first.
fn add_up(tree: &mut [Branch]) {
    let mut open: Vec<Sums> = Vec::new();
    for branch in tree.iter_mut().rev() {
        // The sums of the runs deeper than this one belong to it.
        let below = open
            .split_off(open.len().min(branch.depth + 1))
            .into_iter()
            .fold(Sums::default(), Sums::add);
        branch.below = below;

        let own = Sums {
            runs: 1,
            failed: u64::from(
                branch
                    .run
                    .outcome
                    .as_ref()
                    .is_some_and(|it| !it.starts_with("success")),
            ),
            seconds: branch
                .run
                .duration_sec
                .unwrap_or_default(),
        };

        open.resize(branch.depth + 1, Sums::default());
        if let Some(level) = open.last_mut() {
            *level = level.add(own).add(below);
        }
    }
}

impl Sums {
    fn add(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            failed: self.failed + other.failed,
            seconds: self.seconds + other.seconds,
        }
    }
}
