//! A seal and run data -> what differs, file by file and run by run.

mod changes;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::SealError;
use super::opened::{RunOfSeal, Seal};
use super::seal::rules_in_force;
use crate::gate::{Exit, Gate};
use crate::ground::finding::{Lifecycle, ReportedFault, Verdict};
use crate::ground::parallel::in_order;
use crate::ground::words::words;
use crate::store::{Fault, GivenPaths, InRunData, RunNames, WalkFindings};

/// The number of changes, of rules, and of runs that are listed; the rest are counted.
const MAX_LISTED: usize = 100;

/// What became of sealed runs.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Verification {
    /// The version of runvet that sealed them.
    pub version: String,
    /// The result of their check: `PASSED`, `WARNED` or `FAILED`.
    pub result: String,
    /// The number of sealed runs that were looked for. Those that had not ended are in no number.
    pub runs: u64,
    /// The number of those that are unchanged.
    pub unchanged: u64,
    /// The number of those that are not valid by the check.
    pub failed: u64,
    /// The number of their files.
    pub files: u64,
    /// The number of runs that are there and not sealed.
    pub new: u64,
    /// The number of sealed runs at other paths than the given ones.
    pub not_looked_at: u64,
    /// The changes: at most 100.
    pub changes: Vec<Change>,
    /// The number of all changes.
    pub changed: u64,
    /// The names of runs that had not ended when they were sealed: at most 100.
    pub not_covered: Vec<String>,
    /// The number of all such runs.
    pub unended: u64,
    /// The number of links and other entries of which the seal has no digest, but only the kind.
    pub uncovered: u64,
    /// `true` if there is a configuration that the rules are compared with.
    pub has_config: bool,
    /// The number of rules that were in force.
    pub rules: u64,
    /// The differences between the rules and files of the configuration that were in force and
    /// those that are now, in sentences.
    pub other_rules: Vec<String>,
    /// The paths that could not be looked at.
    pub faults: Vec<ReportedFault>,
}

/// A file or a run that is not as it was sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// How it changed.
    pub kind: ChangeKind,
    /// The path from the run-data directory on.
    pub name: String,
    /// What it is now, in words.
    pub what: String,
}

/// How a file or a run changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Something else is in its place.
    Altered,
    /// It is gone.
    Missing,
    /// It is there, and was not sealed.
    Added,
}

words!(pub ChangeKind {
    Altered = "altered",
    Missing = "missing",
    Added = "added",
});

/// A sealed run that is looked for.
struct Wanted<'s> {
    name: &'s str,
    sealed: &'s RunOfSeal,
    /// The run-data directories in which it may be.
    roots: Vec<PathBuf>,
}

impl Verification {
    /// Returns the exit status of the command; with `requires_same_rules`, other rules than those
    /// that were in force fail too.
    ///
    /// ```
    /// use runvet::gate::Exit;
    /// use runvet::proof::Verification;
    /// assert_eq!(Verification::default().exit(false), Exit::NothingFound);
    /// ```
    #[must_use]
    pub fn exit(&self, requires_same_rules: bool) -> Exit {
        if !self.faults.is_empty() {
            Exit::Fault
        } else if self.changed > 0 || (requires_same_rules && !self.other_rules.is_empty()) {
            Exit::Findings
        } else if self.runs + self.new + self.unended == 0 {
            Exit::NothingFound
        } else {
            Exit::Success
        }
    }
}

impl Seal {
    /// Returns in a few words what became of the run in a directory.
    pub(crate) fn of_run(&self, dir: &Path, gate: &Gate) -> String {
        match self.verify(&[dir.to_owned()], gate, true) {
            Ok(verification) => verification.of_one(),
            Err(error) => error.to_string(),
        }
    }

    /// Compares the runs below paths with the seal, and the rules of a gate with those that were
    /// in force. Runs that are not sealed are counted; they are no changes if they are allowed.
    ///
    /// # Errors
    ///
    /// Two runs have one name. What can't be looked at is among the faults of the result.
    pub fn verify(
        &self,
        paths: &[PathBuf],
        gate: &Gate,
        allows_new: bool,
    ) -> Result<Verification, SealError> {
        verify(self, paths, gate, allows_new)
    }
}

fn verify(
    seal: &Seal,
    paths: &[PathBuf],
    gate: &Gate,
    allows_new: bool,
) -> Result<Verification, SealError> {
    let names = RunNames::new(paths);
    // What a configuration leaves out now is there all the same.
    let found = Gate::default()
        .jobs(gate.parallelism())
        .search(paths, GivenPaths::Each);
    if let Some(wrong) = found
        .faults
        .iter()
        .find(|fault| fault.is_of_given_path())
    {
        return Err(SealError::of(wrong));
    }

    let there = named(&found, &names)?;
    let mut verification = Verification {
        has_config: gate.has_config(),
        version: seal.says().version.clone(),
        result: seal.check.result.word().to_owned(),
        rules: seal.says().rules.len() as u64,
        other_rules: other_rules(seal, gate),
        ..Verification::default()
    };

    let wanted = verification.wanted(seal, &names, &there);
    let compare = |(): &mut (), wanted: &Wanted<'_>| wanted.compare();
    let mut compared = wanted.iter();
    in_order(
        &wanted,
        gate.parallelism(),
        || (),
        compare,
        |changes| {
            if let Some(wanted) = compared.next() {
                verification.add(wanted, changes);
            }
            ControlFlow::Continue(())
        },
    );

    let allows_new = allows_new || seal.says().decided_by.part;
    verification.add_new(seal, &there, allows_new);
    verification.add_faults(&found, &names, &wanted);

    Ok(verification)
}

/// Returns the runs that are there, by their names.
fn named(found: &WalkFindings, names: &RunNames) -> Result<BTreeMap<String, InRunData>, SealError> {
    let mut there = BTreeMap::new();
    for dir in &found.episodes {
        let place = names.of(&dir.path());
        let (Ok(name) | Err(name)) = place.name();
        if there
            .insert(name.clone(), place)
            .is_some()
        {
            return Err(SealError(format!(
                "two runs have the name {name}, as their paths from the run-data directory on; \
                 verify each run-data directory by itself"
            )));
        }
    }

    Ok(there)
}

/// Returns that a run is not covered, and why.
fn not_covered(name: &str, sealed: &RunOfSeal) -> String {
    match sealed.said.lifecycle {
        Lifecycle::Unknown => format!("{name}: its records did not show whether it had ended"),
        _ => format!("{name}: it had not ended"),
    }
}

impl Verification {
    /// Returns the sealed runs that are looked for, and counts the others.
    fn wanted<'s>(
        &mut self,
        seal: &'s Seal,
        names: &RunNames,
        there: &BTreeMap<String, InRunData>,
    ) -> Vec<Wanted<'s>> {
        let given: Vec<InRunData> = names.given().collect();
        let roots: BTreeSet<&PathBuf> = given
            .iter()
            .chain(there.values())
            .map(|it| &it.root)
            .collect();
        let mut wanted = Vec::new();

        for (name, sealed) in &seal.runs {
            let is_meant = given
                .iter()
                .any(|it| Path::new(name).starts_with(&it.path));
            if sealed.is_covered() && is_meant {
                let roots = match there.get(name) {
                    Some(place) => vec![place.root.clone()],
                    None => roots.iter().copied().cloned().collect(),
                };
                wanted.push(Wanted {
                    name,
                    sealed,
                    roots,
                });
            } else if sealed.is_covered() {
                self.not_looked_at += 1;
            } else if is_meant {
                self.unended += 1;
                if self.not_covered.len() < MAX_LISTED {
                    self.not_covered
                        .push(not_covered(name, sealed));
                }
            }
        }

        wanted
    }

    /// Adds what became of a sealed run.
    fn add(&mut self, wanted: &Wanted<'_>, changes: Result<Vec<Change>, Fault>) {
        let said = &wanted.sealed.said;
        self.runs += 1;
        self.files += wanted.sealed.files.len() as u64;
        self.failed += u64::from(said.verdict != Verdict::Valid);
        self.uncovered += said.uncovered.len() as u64;

        match changes {
            Ok(changes) => {
                self.unchanged += u64::from(changes.is_empty());
                for change in changes {
                    self.change(change.kind, &change.name, &change.what);
                }
            }
            Err(fault) => self.faults.push((&fault).into()),
        }
    }

    /// Adds the runs that were not sealed.
    fn add_new(&mut self, seal: &Seal, there: &BTreeMap<String, InRunData>, allows_new: bool) {
        for name in there
            .keys()
            .filter(|name| !seal.runs.contains_key(*name))
        {
            self.new += 1;
            if !allows_new {
                self.change(ChangeKind::Added, name, "a run that was not sealed");
            }
        }
    }

    /// Adds what could not be looked at, but for runs that were compared.
    fn add_faults(&mut self, found: &WalkFindings, names: &RunNames, compared: &[Wanted<'_>]) {
        let is_compared = |fault: &Fault| {
            let place = names.of(fault.path());
            compared
                .iter()
                .any(|it| place.path.starts_with(it.name))
        };

        let faults = found
            .faults
            .iter()
            .filter(|fault| !is_compared(fault));
        self.faults
            .extend(faults.map(ReportedFault::from));
        ReportedFault::tidy(&mut self.faults);
    }

    fn change(&mut self, kind: ChangeKind, name: &str, what: &str) {
        self.changed += 1;
        if self.changes.len() < MAX_LISTED {
            let (name, what) = (name.to_owned(), what.to_owned());
            self.changes
                .push(Change { kind, name, what });
        }
    }
}

/// Returns how the rules and the files of the configuration differ from those in force now.
fn other_rules(seal: &Seal, gate: &Gate) -> Vec<String> {
    let (were, are) = (&seal.says().rules, rules_in_force(gate));
    let mut others = Vec::new();
    for (id, was) in were {
        match are.get(id) {
            None => others.push(format!("{id} was on ({}), and is not", was.level.word())),
            Some(is) if is.level != was.level => {
                let (was, is) = (was.level.word(), is.level.word());
                others.push(format!("{id} had the level {was}, and has {is}"));
            }
            Some(is) if is != was => others.push(format!("{id} is declared otherwise")),
            Some(_) => {}
        }
    }

    let new = are
        .iter()
        .filter(|(id, _)| !were.contains_key(*id));
    others.extend(new.map(|(id, is)| format!("{id} was not on, and is ({})", is.level.word())));

    let mut now: BTreeMap<String, _> = gate
        .sources()
        .into_iter()
        .map(|it| (it.name, it.digest))
        .collect();
    for was in &seal.check.configuration {
        match now.remove(&was.name) {
            Some(is) if is == was.digest.sha256 => {}
            Some(_) => others.push(format!("{} has other bytes", was.name)),
            None => others.push(format!("{} is not read", was.name)),
        }
    }

    others.extend(
        now.keys()
            .map(|name| format!("{name} was not read, and is")),
    );

    others
}
