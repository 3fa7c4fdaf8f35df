//! Coverage: runs -> the number of them in which each rule compared something, and the fields,
//! words and events that occur.
//!
//! ```
//! use runvet::coverage;
//! use runvet::gate::Gate;
//!
//! let coverage = coverage::json(&["corpus/demo"], &Gate::default());
//! assert!(coverage.contains(r#""runs":5,"#));
//! ```

mod fields;
pub(crate) mod text;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::Gate;
use crate::ground::finding::{Coverage, EpisodeReport, ReportedFault};
use crate::ground::parallel::in_order;
use crate::ground::source::Line;
use crate::judge::check::Checker;
use crate::look::read::RunReader;
use crate::policy::expression::Budget;
use crate::policy::team::{EventSelector, EventText, Truth};
use crate::store::{Dir, Fault, GivenPaths, WalkFindings};
use fields::Fields;

/// The coverage of a check of some runs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet coverage --format json",
    extend("$id" = crate::ground::record::schema_id("coverage"))
)]
pub(crate) struct RunsCoverage {
    /// The number of runs.
    pub(crate) runs: u64,
    /// The coverage of each rule that is on.
    rules: BTreeMap<String, RuleCoverage>,
    /// The fields of the schemas of `state`, `summary` and `event`, by their JSON Pointers; `*`
    /// stands for each item of a list.
    fields: BTreeMap<String, BTreeMap<String, FieldSeen>>,
    /// The selectors of events that a team declares.
    selectors: Vec<SelectorSeen>,
    /// The paths that could not be read or judged, with the reasons.
    pub(crate) faults: Vec<ReportedFault>,
}

/// The numbers of runs by what a rule says of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct RuleCoverage {
    /// The runs in which it has at least one finding.
    found: u64,
    /// The runs in which it compared something and has no finding.
    sound: u64,
    /// The runs that hold nothing for it to compare.
    nothing: u64,
    /// The runs in which it could not be checked.
    skipped: u64,
}

/// The values of a field in all records.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct FieldSeen {
    /// The number of values.
    seen: u64,
    /// The words that its values are taken from, each with the number of values; empty where any
    /// value is allowed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    words: BTreeMap<String, u64>,
}

/// The number of events that a selector names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct SelectorSeen {
    /// The rule that has the selector.
    rule: String,
    /// `where` or `each`, or `other` or `earlier` for the events that an order or a rule asks for.
    selector: &'static str,
    /// The number of events.
    events: u64,
}

/// Judges the runs below paths, adds up their coverage, and returns the output of `runvet coverage
/// --format json`. Each run is judged once, and its timeline is read once more for its events.
#[must_use]
pub fn json<P: AsRef<Path>>(paths: &[P], gate: &Gate) -> String {
    let found = gate.search(paths, GivenPaths::Each);
    serde_json::to_string(&coverage(&found, gate)).unwrap_or_default()
}

/// Judges the runs that were found, and adds up their coverage.
pub(crate) fn coverage(found: &WalkFindings, gate: &Gate) -> RunsCoverage {
    let faults = found
        .faults
        .iter()
        .map(Into::into)
        .collect();

    RunCounter::new(gate).of(&found.episodes, faults)
}

/// A counter over runs.
struct RunCounter {
    gate: Gate,
    checker: Arc<Checker>,
    fields: Fields,
    selectors: Vec<Selector>,
}

/// A selector of a rule.
struct Selector {
    rule: String,
    name: &'static str,
    events: EventSelector,
}

/// The report on a run, and what was counted in it.
struct RunCounts {
    report: EpisodeReport,
    /// How often each field is there.
    fields: Vec<u64>,
    /// The number of events that each selector names.
    selected: Vec<u64>,
}

impl RunCounter {
    fn new(gate: &Gate) -> Self {
        Self {
            gate: gate.clone().keep_coverage(true),
            checker: gate.checker(),
            fields: Fields::new(),
            selectors: gate
                .selectors()
                .into_iter()
                .map(|(rule, name, events, _)| Selector { rule, name, events })
                .collect(),
        }
    }

    fn of(&self, episodes: &[Dir], faults: Vec<ReportedFault>) -> RunsCoverage {
        let mut sums = RunsCoverage {
            faults,
            ..RunsCoverage::default()
        };

        let mut fields = vec![0; self.fields.places];
        let mut selected = vec![0; self.selectors.len()];
        in_order(
            episodes,
            self.gate.parallelism(),
            || self.gate.clone(),
            |gate, episode| self.run(gate, episode),
            |counted| {
                match counted {
                    Ok(counts) => {
                        sums.add(&counts.report);
                        add(&mut fields, &counts.fields);
                        add(&mut selected, &counts.selected);
                    }
                    Err(fault) => sums.faults.push((&fault).into()),
                }
                ControlFlow::Continue(())
            },
        );
        sums.fields = self.fields.described(&fields);

        sums.selectors = self
            .selectors
            .iter()
            .zip(selected)
            .map(|(selector, events)| SelectorSeen {
                rule: selector.rule.clone(),
                selector: selector.name,
                events,
            })
            .collect();
        ReportedFault::tidy(&mut sums.faults);

        sums
    }

    fn run(&self, gate: &mut Gate, episode: &Dir) -> Result<RunCounts, Fault> {
        let run = RunReader::from(episode.episode());
        let (report, mut fields) = gate.judge(|worker| {
            run.check_and(worker, None, |loaded| {
                let mut seen = vec![0; self.fields.places];
                if let Some(state) = loaded.state.written() {
                    self.fields.state.see(state, &mut seen);
                }

                if let Some(summary) = loaded.summary.written() {
                    self.fields
                        .summary
                        .see(summary, &mut seen);
                }

                seen
            })
        })?;
        let mut selected = vec![0; self.selectors.len()];

        // That a timeline, or a line of it, can't be read is a finding.
        if let Ok(mut texts) = run.event_texts() {
            while let Some(next) = texts.next_document() {
                let Ok((_, event)) = next else { continue };
                self.fields
                    .event
                    .see(event, &mut fields);
                if self.selectors.is_empty() {
                    continue;
                }

                let look = self
                    .checker
                    .team()
                    .index
                    .view(Line::BEFORE_ALL, EventText::Parsed(event));
                for (selector, number) in self.selectors.iter().zip(&mut selected) {
                    let answer = selector
                        .events
                        .ask(&look, &mut Budget::of_run());
                    *number += u64::from(answer == Ok(Truth::Yes));
                }
            }
        }

        Ok(RunCounts {
            report,
            fields,
            selected,
        })
    }
}

fn add(sums: &mut [u64], numbers: &[u64]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

impl RunsCoverage {
    fn add(&mut self, report: &EpisodeReport) {
        self.runs += 1;
        self.faults.extend(report.fault());
        for (rule, coverage_of_rule) in report.coverage.iter().flatten() {
            let rule = self
                .rules
                .entry(rule.clone())
                .or_default();
            *match coverage_of_rule {
                Coverage::Found => &mut rule.found,
                Coverage::Sound => &mut rule.sound,
                Coverage::Nothing => &mut rule.nothing,
                Coverage::Skipped => &mut rule.skipped,
            } += 1;
        }
    }
}
