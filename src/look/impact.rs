//! Two reports on the same runs -> the effects of a change of rules, levels or versions.
//!
//! ```no_run
//! let impact = runvet::impact::json("before.ndjson".as_ref(), "after.ndjson".as_ref())?;
//! println!("{impact}");
//! # Ok::<(), runvet::impact::Error>(())
//! ```

mod reading;
pub(crate) mod text;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::Limit;
use crate::ground::finding::{ReportedFault, Severity};
use reading::ReportReader;
pub(crate) use reading::ReportedRun;

/// The reason why two reports can't be compared.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// The runs of a list, and the examples of a rule, at most.
const MAX_LISTED: usize = 1_000;
const MAX_EXAMPLES: usize = 5;

/// The changes from one report to another.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet impact --format json",
    extend("$id" = crate::ground::record::schema_id("impact"))
)]
pub(crate) struct Impact {
    /// The number of runs that both reports have.
    runs: u64,
    /// The number of runs with a finding that is new, gone or of another level, or with another
    /// verdict.
    affected: u64,
    /// The changes by the ids of the rules; rules without a change are absent.
    rules: BTreeMap<String, RuleImpact>,
    /// Runs whose verdict is another one, by their directories; at most 1,000.
    flipped: Vec<Flipped>,
    /// The number of such runs that are not listed.
    flipped_more: u64,
    /// The number of runs and paths that can't be compared.
    incomparable: u64,
    /// The first 1,000 of them.
    not_compared: Vec<NotCompared>,
    /// The limits that were set.
    limits: Vec<Limited>,
    /// The number of runs and paths that are not compared at all.
    #[serde(skip)]
    unpaired: u64,
}

/// The changes in the findings of a rule.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct RuleImpact {
    /// The number of findings that only the second report has.
    new: u64,
    /// The number of findings that only the first report has.
    gone: u64,
    /// The number of findings that both have, with different severities.
    changed_level: u64,
    /// The number of runs with such findings.
    runs: u64,
    /// The first five changes.
    examples: Vec<ChangedFinding>,
}

/// A finding that changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Example")]
pub(super) struct ChangedFinding {
    /// The kind of the change.
    change: FindingChange,
    /// The directory of the run.
    dir: String,
    /// The severity in the first report.
    before: Option<Severity>,
    /// The severity in the second report.
    after: Option<Severity>,
    /// The message of the finding.
    message: String,
}

/// The kind of a change in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Change")]
pub(super) enum FindingChange {
    /// Only the second report has it.
    New,
    /// Only the first report has it.
    Gone,
    /// Both have it, with different severities.
    ChangedLevel,
}

/// A run whose verdict is another one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Flipped {
    /// Its directory.
    dir: String,
    /// `true` if it is valid by the second report.
    valid: bool,
}

/// A run, or a path, about which the reports do not say enough.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct NotCompared {
    /// The directory of the run, or the path of the fault.
    dir: String,
    /// The reason.
    why: ComparisonGap,
}

/// The reason why a run is not compared, or not as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
#[schemars(rename = "Why")]
pub(super) enum ComparisonGap {
    /// A report leaves open whether it is valid.
    Undecided,
    /// The second report skips rules that the first one does not skip: they were judged, or off.
    /// The others are compared.
    NewSkips,
    /// Only the second report has it.
    OnlyAfter,
    /// Only the first report has it.
    OnlyBefore,
    /// It could not be read or judged.
    Fault,
}

/// A limit, and whether it is kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Limited {
    /// The number that has the limit: `affected` or `incomparable`.
    what: &'static str,
    /// The limit, as it was given.
    limit: String,
    /// `true` if the number is above it.
    exceeded: bool,
}

/// Compares two reports of `runvet validate`, in the formats json or ndjson, run by run, and
/// returns the output of `runvet impact --format json`. Both are read once, side by side; nothing
/// of
/// a run is kept once it is compared, but for examples.
///
/// # Errors
///
/// An error where a file can't be read, is not a report of this major version, is cut off or not
/// sorted, or has an episode twice.
pub fn json(before: &Path, after: &Path) -> Result<String, Error> {
    let impact = impact(before, after)?;
    Ok(serde_json::to_string(&impact).unwrap_or_default())
}

/// Compares two reports.
pub(crate) fn impact(before: &Path, after: &Path) -> Result<Impact, Error> {
    let mut join = Join::new(before)?;
    let mut after = ReportReader::start(after);
    while let Some(run) = after.next_run()? {
        join.add(run)?;
    }

    join.unordered
        .append(&mut after.unordered);
    join.end(after.faults)
}

/// An earlier report, which is compared with the runs of a later one, one after the other.
pub(crate) struct Join {
    before: ReportReader,
    /// The first run of the earlier report that is not compared yet.
    next: Option<ReportedRun>,
    /// Runs of the later report whose names are not UTF-8.
    unordered: Vec<ReportedRun>,
    impact: Impact,
    /// The directories that are listed as not compared.
    not_compared: BTreeSet<String>,
}

impl Join {
    pub(crate) fn new(before: &Path) -> Result<Self, Error> {
        let mut before = ReportReader::start(before);
        Ok(Self {
            next: before.next_run()?,
            before,
            unordered: Vec::new(),
            impact: Impact::default(),
            not_compared: BTreeSet::new(),
        })
    }

    /// Compares the next run of the later report.
    pub(crate) fn add(&mut self, after: ReportedRun) -> Result<(), Error> {
        if !after.is_ordered() {
            self.unordered.push(after);
            return Ok(());
        }

        while let Some(before) = self
            .next
            .take_if(|before| before.dir <= after.dir)
        {
            self.next = self.before.next_run()?;
            if before.dir == after.dir {
                self.pair(&before, &after);
                return Ok(());
            }
            self.leave_out(before.dir, ComparisonGap::OnlyBefore);
        }

        self.leave_out(after.dir, ComparisonGap::OnlyAfter);
        Ok(())
    }

    /// Ends both reports. The faults are those of the later one.
    pub(crate) fn end(mut self, faults: Vec<ReportedFault>) -> Result<Impact, Error> {
        while let Some(before) = self.next.take() {
            self.next = self.before.next_run()?;
            self.leave_out(before.dir, ComparisonGap::OnlyBefore);
        }

        // Runs that a report shows alike stand in one order in both.
        let mut before: BTreeMap<String, VecDeque<ReportedRun>> = BTreeMap::new();
        for run in std::mem::take(&mut self.before.unordered) {
            before
                .entry(run.dir.clone())
                .or_default()
                .push_back(run);
        }

        for after in std::mem::take(&mut self.unordered) {
            match before
                .get_mut(&after.dir)
                .and_then(VecDeque::pop_front)
            {
                Some(before) => self.pair(&before, &after),
                None => self.leave_out(after.dir, ComparisonGap::OnlyAfter),
            }
        }

        for run in before.into_values().flatten() {
            self.leave_out(run.dir, ComparisonGap::OnlyBefore);
        }

        for fault in std::mem::take(&mut self.before.faults)
            .into_iter()
            .chain(faults)
        {
            self.leave_out(fault.path, ComparisonGap::Fault);
        }

        Ok(self.impact)
    }

    fn leave_out(&mut self, dir: String, why: ComparisonGap) {
        if !self.not_compared.insert(dir.clone()) {
            return;
        }

        self.impact.incomparable += 1;
        let is_paired = matches!(why, ComparisonGap::Undecided | ComparisonGap::NewSkips);
        self.impact.unpaired += u64::from(!is_paired);

        if self.impact.not_compared.len() < MAX_LISTED {
            self.impact
                .not_compared
                .push(NotCompared { dir, why });
        }
    }

    /// Compares two reports on one run.
    fn pair(&mut self, before: &ReportedRun, after: &ReportedRun) {
        self.impact.runs += 1;
        let is_affected = self.findings(before, after);
        let is_flipped = match (before.valid, after.valid) {
            (Some(was), Some(valid)) if was != valid => {
                let dir = after.dir.clone();
                if self.impact.flipped.len() < MAX_LISTED {
                    self.impact
                        .flipped
                        .push(Flipped { dir, valid });
                } else {
                    self.impact.flipped_more += 1;
                }

                true
            }
            (Some(_), Some(_)) => false,
            _ => {
                self.leave_out(after.dir.clone(), ComparisonGap::Undecided);
                false
            }
        };

        if !after.skipped.is_subset(&before.skipped) {
            self.leave_out(after.dir.clone(), ComparisonGap::NewSkips);
        }

        self.impact.affected += u64::from(is_affected || is_flipped);
    }

    /// Compares the findings; returns `true` if one changed. A finding is not gone where its rule
    /// is not judged.
    fn findings(&mut self, before: &ReportedRun, after: &ReportedRun) -> bool {
        let keys: BTreeSet<&String> = before
            .findings
            .keys()
            .chain(after.findings.keys())
            .collect();
        let mut changed = BTreeSet::new();

        for key in keys {
            let (was, is) = (before.findings.get(key), after.findings.get(key));
            let change = match (was, is) {
                (None, Some(_)) => FindingChange::New,
                (Some(was), None) if !after.skipped.contains(&was.rule) => FindingChange::Gone,
                (Some(was), Some(is)) if was.severity != is.severity => FindingChange::ChangedLevel,
                _ => continue,
            };

            let Some(finding) = is.or(was) else { continue };
            let rule = self
                .impact
                .rules
                .entry(finding.rule.clone())
                .or_default();
            match change {
                FindingChange::New => rule.new += 1,
                FindingChange::Gone => rule.gone += 1,
                FindingChange::ChangedLevel => rule.changed_level += 1,
            }

            rule.runs += u64::from(changed.insert(&finding.rule));
            if rule.examples.len() < MAX_EXAMPLES {
                rule.examples.push(ChangedFinding {
                    change,
                    dir: after.dir.clone(),
                    before: was.map(|it| it.severity),
                    after: is.map(|it| it.severity),
                    message: finding.message.clone(),
                });
            }
        }

        !changed.is_empty()
    }
}

impl Impact {
    /// Notes limits, and returns whether the number of affected runs, and whether that of runs
    /// which can't be compared, is above its limit.
    pub(crate) fn decide(
        &mut self,
        affected: Option<&Limit>,
        incomparable: Option<&Limit>,
    ) -> [bool; 2] {
        let all = self.runs + self.unpaired;
        [
            ("affected", self.affected, affected),
            ("incomparable", self.incomparable, incomparable),
        ]
        .map(|(what, count, limit)| {
            let exceeded = limit.is_some_and(|limit| limit.is_exceeded(count, all));
            self.limits
                .extend(limit.map(|limit| Limited {
                    what,
                    limit: limit.text.clone(),
                    exceeded,
                }));
            exceeded
        })
    }
}
