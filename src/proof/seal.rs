//! Reports with the digests of files -> a seal, written without a run in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SealError;
use super::statement::{
    Decisive, Particulars, Resource, RuleInForce, SEAL_VERSION, STATEMENT, SealedRun, Statement,
    TEST_RESULT, TestOutcome, TestResult,
};
use crate::gate::{Exit, Gate, Outcome};
use crate::ground::digest::{Digest, FileDigest};
use crate::ground::finding::{Deny, EpisodeReport, RuleInfo, SealedFiles, Tool, Uncovered};
use crate::ground::finding::{Level, UncoveredKind};
use crate::ground::parallel::while_ok;
use crate::ground::timestamp::Timestamp;
use crate::report::{faults, json_bytes, write_json};
use crate::store::{
    Dir, GivenPaths, LinkPolicy, RunNames, Spool, WalkFindings, WholeFile, episode_around, path,
};

/// Judges the runs below paths, as [`Gate::run`] does, and writes their seal to a file that is
/// replaced as a whole. Where the reports of an earlier check are given, there is no seal unless
/// this one finds the same.
///
/// # Errors
///
/// The reason why there is no seal: something could not be read or judged, no run has ended, the
/// check finds something else than before, or the file would be one of a run.
pub fn seal(
    gate: &Gate,
    deny: Deny,
    paths: &[PathBuf],
    to: &Path,
    before: Option<&[Arc<EpisodeReport>]>,
) -> Result<(), SealError> {
    let mut gate = gate.clone().keep_seals(true);
    let found = gate.search(paths, GivenPaths::Each);
    let runs: Vec<PathBuf> = found
        .episodes
        .iter()
        .map(Dir::path)
        .collect();
    let is_part = found.excluded > 0 || has_single_runs(paths, &runs);

    if let Some(run) = inside_of_run(to, &runs) {
        let (to, run) = (to.display(), run.display());
        return Err(SealError(format!(
            "the seal {to} would be a file of the run {run}"
        )));
    }

    let mut file = WholeFile::create(to, &[]).map_err(SealError::of)?;
    let mut writer = SealWriter::new(paths, &gate).map_err(SealError::of)?;
    let outcome = judge(&mut gate, found, &mut writer, deny, before)?;
    let terms = SealTerms {
        gate: &gate,
        deny,
        is_part,
        since: None,
        until: None,
    };

    writer
        .finish(&terms, &outcome, &mut file)
        .and_then(|()| file.keep())
        .map_err(SealError::of)
}

/// Judges runs, and adds them to a seal, as long as an earlier check found the same.
fn judge(
    gate: &mut Gate,
    found: WalkFindings,
    writer: &mut SealWriter,
    deny: Deny,
    before: Option<&[Arc<EpisodeReport>]>,
) -> Result<Outcome, SealError> {
    let mut written = Ok(());
    let mut before = before.map(|it| it.iter());
    let other = || io::Error::other("the check finds something else than before");
    let outcome = gate.each(found.into(), |judged| {
        if let Ok(report) = judged {
            let is_known = before.as_mut().is_none_or(|before| {
                before
                    .next()
                    .is_some_and(|it| json_bytes(&**it) == json_bytes(&report))
            });
            written = if is_known {
                writer.add(&report)
            } else {
                Err(other())
            };
        }
        while_ok(&written)
    });
    written.map_err(SealError::of)?;
    if let Some(faults) = faults(&outcome.faults) {
        return Err(SealError(format!("the check is not complete: {faults}")));
    }

    match outcome.exit(deny) {
        Exit::Fault => return Err(SealError("the check is not complete".into())),
        Exit::NothingFound => return Err(SealError("no run was judged".into())),
        Exit::Success | Exit::Findings => {}
    }

    if before.is_some_and(|mut rest| rest.next().is_some()) {
        return Err(SealError::of(other()));
    }

    Ok(outcome)
}

/// Returns `true` if a path that is given leads to a single run.
pub(crate) fn has_single_runs(paths: &[PathBuf], runs: &[PathBuf]) -> bool {
    let given: BTreeSet<PathBuf> = paths
        .iter()
        .map(|it| path::tidy(it))
        .collect();

    given.iter().any(|path| !path.is_dir())
        || runs
            .iter()
            .any(|run| given.contains(run))
}

/// Returns the run of which a file at a path would be one: one of these, or any below a directory
/// called `episodes`.
pub(crate) fn inside_of_run(file: &Path, runs: &[PathBuf]) -> Option<PathBuf> {
    let place = std::path::absolute(file).ok()?;
    let is_around = |run: &&PathBuf| {
        let run = std::path::absolute(run);
        run.is_ok_and(|run| place.starts_with(run))
    };

    let around = || place.parent().and_then(episode_around);
    runs.iter()
        .find(is_around)
        .cloned()
        .or_else(around)
}

/// A seal that is being written.
pub(crate) struct SealWriter {
    names: RunNames,
    /// The digests of the names of the runs so far.
    seen: BTreeSet<Digest>,
    runs: Spool,
    files: Spool,
    are_files: bool,
}

/// What decides the result of a check, and what it looks at.
pub(crate) struct SealTerms<'t> {
    pub(crate) gate: &'t Gate,
    pub(crate) deny: Deny,
    pub(crate) is_part: bool,
    pub(crate) since: Option<&'t Timestamp>,
    pub(crate) until: Option<&'t Timestamp>,
}

impl SealWriter {
    pub(crate) fn new(paths: &[PathBuf], gate: &Gate) -> io::Result<Self> {
        if matches!(gate.links(), LinkPolicy::Beneath(_)) {
            return Err(io::Error::other(
                "runs that links lead to are not sealed: judge them where they are",
            ));
        }

        Ok(Self {
            names: RunNames::new(paths),
            seen: BTreeSet::new(),
            runs: Spool::new()?,
            files: Spool::new()?,
            are_files: false,
        })
    }

    /// Adds a run that was judged.
    pub(crate) fn add(&mut self, report: &EpisodeReport) -> io::Result<()> {
        let named = self
            .names
            .of(report.key.as_path())
            .name();
        let (Ok(name) | Err(name)) = &named;

        if !self
            .seen
            .insert(Digest::of([name.as_bytes()]))
        {
            return Err(io::Error::other(format!(
                "two runs have the name {name}, as their paths from the run-data directory on; \
                 seal each run-data directory by itself"
            )));
        }

        let SealedFiles {
            files,
            mut uncovered,
            judged,
            ..
        } = report
            .sealed
            .as_deref()
            .cloned()
            .unwrap_or_default();

        for mut file in files {
            if named.is_err() {
                let kind = UncoveredKind::Name;
                uncovered.push(Uncovered {
                    kind,
                    name: file.name,
                });
                continue;
            }

            if name != "." {
                file.name = format!("{name}/{}", file.name);
            }

            separate(
                &mut self.files,
                !std::mem::replace(&mut self.are_files, true),
            )?;
            write_json(&mut self.files, &Resource::from(file))?;
        }

        separate(&mut self.runs, self.seen.len() == 1)?;
        let run = SealedRun {
            judged,
            lifecycle: report.lifecycle,
            name: name.clone(),
            uncovered,
            verdict: report.verdict,
        };

        write_json(&mut self.runs, &run)
    }

    /// Writes the seal of a check that is complete.
    pub(crate) fn finish(
        self,
        terms: &SealTerms<'_>,
        outcome: &Outcome,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !self.are_files {
            return Err(io::Error::other(
                "no run has ended, and a seal is about the files of runs that have",
            ));
        }

        // Once it is a value, the keys of all objects are sorted.
        let statement = serde_json::to_value(terms.statement(outcome));
        let head = json_bytes(&statement.map_err(io::Error::other)?);
        // The only empty lists of these names: a text in JSON has no quote that is not escaped.
        let (runs, files) = (&b"\"episodes\":["[..], &b"\"subject\":["[..]);
        let at = |list: &[u8]| {
            let start = memchr::memmem::find(&head, list);
            start.map_or(head.len(), |start| start + list.len())
        };

        let (runs, files) = (at(runs), at(files));
        let part = |range| head.get(range).unwrap_or_default();
        out.write_all(part(0..runs))?;
        self.runs.copy_to(out)?;
        out.write_all(part(runs..files))?;
        self.files.copy_to(out)?;
        out.write_all(part(files..head.len()))?;

        out.write_all(b"\n")
    }
}

/// Starts the next item of a list.
fn separate(list: &mut Spool, is_first: bool) -> io::Result<()> {
    list.write_all(if is_first { b"" } else { b"," })
}

impl SealTerms<'_> {
    /// Returns the seal without runs and files.
    fn statement(&self, outcome: &Outcome) -> Statement {
        let gate = self.gate;
        let result = match outcome.exit(self.deny) {
            Exit::Success if outcome.totals.warnings == 0 => TestOutcome::Passed,
            Exit::Success => TestOutcome::Warned,
            _ => TestOutcome::Failed,
        };

        Statement {
            type_of: STATEMENT.to_owned(),
            predicate: TestResult {
                configuration: gate
                    .sources()
                    .into_iter()
                    .map(Resource::from)
                    .collect(),
                result,
                runvet: Particulars {
                    decided_by: Decisive {
                        deny_unjudged: self.deny.unjudged,
                        deny_warnings: self.deny.warnings,
                        exclude: gate
                            .excluded_globs()
                            .map(str::to_owned)
                            .collect(),
                        part: self.is_part,
                        select: gate.selected().to_vec(),
                        since: self.since.map(|at| at.utc().clone()),
                        until: self.until.map(|at| at.utc().clone()),
                    },
                    episodes: Vec::new(),
                    faults: Vec::new(),
                    not_judged: outcome.totals.not_judged,
                    rules: rules_in_force(gate),
                    schema_version: SEAL_VERSION.to_owned(),
                    version: Tool::this().version,
                },
            },
            predicate_type: TEST_RESULT.to_owned(),
            subject: Vec::new(),
        }
    }
}

/// Returns the rules of a gate that are on.
pub(super) fn rules_in_force(gate: &Gate) -> BTreeMap<String, RuleInForce> {
    let in_force = |(rule, level): (&RuleInfo, Level)| {
        let is_of_team = crate::gate::all_rules().all(|known| known.id != rule.id);
        let sha256 = is_of_team.then(|| FileDigest::of(&json_bytes(rule)));
        (rule.id.to_string(), RuleInForce { level, sha256 })
    };

    gate.rules_in_force()
        .map(in_force)
        .collect()
}
