//! One run: its records, an outline of its timeline, and the verdict of a check -> JSON, or a page
//! for a browser.
//!
//! ```
//! use runvet::gate::Gate;
//!
//! let run_data = runvet::read::RunData::open("corpus/demo")?;
//! let bytes = runvet::view::json(&run_data.get("ep_01")?, &mut Gate::default())?;
//! let view: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
//! assert_eq!((&view["valid"], &view["events"]["total"]), (&true.into(), &11.into()));
//! # Ok::<(), runvet::read::Error>(())
//! ```

#[cfg(feature = "html")]
mod actions;
mod moments;
mod page;
mod reason;
#[cfg(feature = "html")]
mod sheet;

use crate::dashboard::{
    AssertionRow, BeliefRow, ChangeKind, Dashboard, DashboardAction, DashboardFigure,
    DashboardStep, FileChange, Latency, LinkEnd, LinkRow, MetricsSection, Outline, Overview,
    PlanSection, Rows, UnreadableRecord, VerificationSection,
};
use crate::document::{Key, Kind, Node, OwnedDocument};
use crate::finding::{EpisodeReport, Lifecycle};
use crate::gate::Gate;
use crate::load::Loaded;
use crate::outline::{Listening, error_text, shown};
use crate::plan::{PlanComparison, PlanStep};
use crate::printable::brief;
use crate::read::{Error, Records, RunEntry, RunReader};
use crate::report::json_bytes;
use crate::source::{Artifact, leads_to};
pub(crate) use moments::moments;
pub(crate) use page::RunPage;
#[cfg(feature = "html")]
pub(crate) use sheet::run_page;

/// Reads and judges a run, and returns the JSON object that `runvet view --json` prints, which
/// [`Schema::View`](crate::Schema::View) describes.
///
/// # Errors
///
/// [`Error::Artifact`] if the directory can't be opened.
pub fn json(run: &RunReader, gate: &mut Gate) -> Result<Vec<u8>, Error> {
    Ok(json_bytes(&RunPage::new(run, gate)?))
}

/// Reads a run that was judged, and returns its page as HTML, for
/// [`Closing::pages`](crate::report::Closing::pages). Ids in it start with `prefix`.
///
/// # Errors
///
/// [`Error::Artifact`] if the directory can't be opened.
#[cfg(feature = "html")]
pub fn html(run: &RunReader, report: EpisodeReport, prefix: &str) -> Result<Vec<u8>, Error> {
    let page = sheet::run_page_with(run, report)?;
    Ok(crate::page::run_text(&page, prefix).into_bytes())
}

/// The records of one run, as far as they can be read. The timeline is not read.
#[derive(Debug)]
pub(crate) struct View {
    /// The run's id, task, status, outcome, start and duration.
    pub(crate) entry: RunEntry,
    /// The state record, or why it can't be shown.
    pub(crate) state: Result<OwnedDocument, Error>,
    /// The summary record, or why it can't be shown.
    pub(crate) summary: Result<OwnedDocument, Error>,
    /// The artifacts that the directory lists.
    pub(crate) artifacts: Vec<Artifact>,
}

/// A run that was opened once: its records, its timeline in outline, and its rebuilt plan.
#[derive(Debug)]
pub(crate) struct OpenedRun {
    pub(crate) view: View,
    pub(crate) timeline: Outline,
    /// The rebuilt plan, and its differences from the persisted one.
    pub(crate) plan: PlanComparison,
}

/// Reads a run, outlines its timeline and judges it.
pub(crate) fn dashboard(run: &RunReader, gate: &mut Gate) -> Result<Dashboard, Error> {
    let (opened, report) = OpenedRun::judged(run, gate)?;
    let mut overview = opened.view.overview();
    opened.contest(&mut overview);
    Ok(opened.dashboard(report, overview).0)
}

/// Reads the timeline of a run once, and keeps its counts, the events that matter, and those that
/// tell why the run ended as it did. Memory does not grow with the number of events.
#[must_use]
pub(crate) fn outline(run: &RunReader) -> Outline {
    let heard = run.load(Some(Listening::Outline), |loaded| outlined(run, loaded));
    heard.unwrap_or_else(|error| Outline {
        dir: run.path().to_string_lossy().into_owned(),
        fault: Some(reason_of(error)),
        ..Outline::default()
    })
}

/// Returns the outline of a timeline that was loaded.
fn outlined(run: &RunReader, loaded: &Loaded<'_, '_>) -> Outline {
    let mut outline = match &loaded.timeline.outlined {
        Some(Ok(heard)) => {
            let path = run.path().join(Artifact::Events.file_name());
            let broken = heard.broken.iter();
            let broken = broken.map(|why| why.clone().in_file(path.clone()).to_string());
            Outline {
                broken: broken.collect(),
                ..heard.outline.clone()
            }
        }
        Some(Err(reason)) => Outline {
            fault: Some(reason.clone()),
            ..Outline::default()
        },
        None => Outline::default(),
    };
    outline.dir = run.path().to_string_lossy().into_owned();
    outline
}

fn reason_of(error: Error) -> String {
    match error {
        Error::Artifact { reason, .. } => reason,
        error => error.to_string(),
    }
}

impl OpenedRun {
    fn of(run: &RunReader, loaded: &Loaded<'_, '_>) -> Self {
        Self {
            view: View::of(run, run.loaded_records(loaded)),
            timeline: outlined(run, loaded),
            plan: PlanComparison::of(loaded.run),
        }
    }

    /// Reads a run, outlines its timeline, judges it and rebuilds its plan.
    pub(crate) fn judged(run: &RunReader, gate: &mut Gate) -> Result<(Self, EpisodeReport), Error> {
        let also = |loaded: &Loaded<'_, '_>| Self::of(run, loaded);
        let (report, opened) = judged(run, gate, Listening::Outline, also)?;
        Ok((opened, report))
    }

    fn dashboard(self, report: EpisodeReport, overview: Overview) -> (Dashboard, View) {
        let dashboard = Dashboard {
            overview,
            reason: self.view.reason(&self.timeline),
            timeline: self.timeline,
            report,
            plan_differs_from: self.plan.differs_from(),
        };
        (dashboard, self.view)
    }

    /// Marks the steps of the plan about which the timeline says otherwise, and adds those that
    /// only the timeline has.
    fn contest(&self, overview: &mut Overview) {
        let Some(plan) = &mut overview.plan else {
            let has_state = self.view.artifacts.contains(&Artifact::State);
            let rebuilt = self.plan.rebuilt.as_ref().filter(|_| !has_state);
            overview.plan = rebuilt.map(|plan| PlanSection {
                source: plan.source.as_deref().map(brief),
                steps: plan.steps.iter().map(unpersisted).collect(),
            });
            return;
        };
        let ids: Vec<&str> = plan.steps.first.iter().map(|step| &*step.id).collect();
        let is_whole = ids.len() == plan.steps.total;
        let rows = self.plan.rows(&ids);
        let mut persisted = std::mem::take(&mut plan.steps.first).into_iter();
        let rebuilt = self.plan.rebuilt.as_ref().map(|plan| &*plan.steps);
        let steps = rows
            .into_iter()
            .filter_map(|row| match (row.persisted, row.rebuilt) {
                (Some(_), said) => persisted.next().map(|step| DashboardStep {
                    is_contested: row.differs && (is_whole || said.is_some()),
                    ..step
                }),
                (None, Some(index)) if is_whole && row.differs => {
                    let step = rebuilt?.get(index).map(unpersisted)?;
                    Some(DashboardStep {
                        is_contested: true,
                        ..step
                    })
                }
                (None, _) => None,
            });
        let rows: Rows<DashboardStep> = steps.collect();
        plan.steps.total = plan.steps.total.max(rows.total);
        plan.steps.first = rows.first;
    }
}

/// Judges a run, and lets `also` use all that was loaded for it.
fn judged<R>(
    run: &RunReader,
    gate: &mut Gate,
    listening: Listening<'_>,
    also: impl Fn(&Loaded<'_, '_>) -> R,
) -> Result<(EpisodeReport, R), Error> {
    let judged = gate.judge(|worker| run.check_and(worker, Some(listening), also));
    judged.map_err(|fault| Error::at(run.path(), &fault))
}

impl View {
    /// Reads the records of a run. If the run is in progress, half-written or broken, the result
    /// has the parts that can be shown, and the reasons why the rest can't.
    #[must_use]
    pub(crate) fn new(run: &RunReader) -> Self {
        Self::of(run, run.records())
    }

    fn of(run: &RunReader, records: Records) -> Self {
        Self {
            entry: records.entry(run),
            state: records.state,
            summary: records.summary,
            artifacts: Artifact::ALL
                .into_iter()
                .filter(|artifact| run.artifact(*artifact).is_some())
                .collect(),
        }
    }

    /// Returns the records as a part of a dashboard.
    #[must_use]
    pub(crate) fn overview(&self) -> Overview {
        let state = self.state.as_ref().ok().map(OwnedDocument::root);
        let summary = self.summary.as_ref().ok().map(OwnedDocument::root);
        Overview {
            entry: self.entry.clone(),
            unreadable: self.unreadable(),
            plan: state.and_then(|state| state.get("plan")).map(plan),
            actions: rows(state, &["outcomes", "actions"], |action| DashboardAction {
                id: text(action, "id"),
                step_id: text(action, "step_id"),
                tool: text(action, "tool"),
                result_status: text(action, "result_status"),
                input_excerpt: text(action, "input_excerpt"),
            }),
            beliefs: rows(state, &["beliefs"], |belief| BeliefRow {
                confidence: text(belief, "confidence"),
                statement: text(belief, "statement"),
            }),
            facts: rows(state, &["memory", "facts"], |fact| DashboardFigure {
                name: text(fact, "key"),
                value: text(fact, "value"),
            }),
            verification: summary
                .and_then(|summary| summary.get("verification"))
                .map(verification),
            metrics: summary
                .and_then(|summary| summary.get("metrics"))
                .map(metrics),
            outcome_metrics: state
                .and_then(|state| state.at(&["outcomes", "metrics"]))
                .map(|metrics| metrics.members().map(figure).collect())
                .unwrap_or_default(),
            links: state
                .and_then(|state| state.get("links"))
                .map(|links| links.members().map(|key| self.link(key)).collect()),
        }
    }

    /// Returns the records that should exist but can't be shown.
    fn unreadable(&self) -> Vec<UnreadableRecord> {
        let is_summary_due = self.entry.lifecycle != Lifecycle::NonTerminal;
        let summary = is_summary_due.then_some((Artifact::Summary, &self.summary));
        let records = std::iter::once((Artifact::State, &self.state)).chain(summary);
        let unreadable = records.filter_map(|(artifact, record)| match record {
            Err(Error::Artifact { reason, .. }) => Some(UnreadableRecord {
                file: artifact.file_name(),
                reason: reason.clone(),
            }),
            _ => None,
        });
        unreadable.collect()
    }

    fn link(&self, key: Key<'_>) -> LinkRow {
        let artifact = Artifact::ALL
            .into_iter()
            .find(|artifact| artifact.link_key() == Some(&*key.name()));
        let target = key.value().text();
        let end = artifact.map(|artifact| {
            let leads_to = |target| leads_to(target, artifact.file_name());
            if !target.as_deref().is_some_and(leads_to) {
                LinkEnd::Elsewhere
            } else if self.artifacts.contains(&artifact) {
                LinkEnd::There
            } else {
                LinkEnd::Missing
            }
        });
        LinkRow {
            name: brief(&key.name()),
            target: shown(key.value()),
            end,
        }
    }
}

/// Returns the rows of an array of a record.
fn rows<T>(record: Option<Node<'_>>, path: &[&str], row: impl Fn(Node<'_>) -> T) -> Rows<T> {
    let array = record.and_then(|record| record.at(path));
    array.into_iter().flat_map(Node::items).map(row).collect()
}

fn plan(plan: Node<'_>) -> PlanSection {
    PlanSection {
        source: plan.get("source").map(shown),
        steps: rows(Some(plan), &["steps"], |step| DashboardStep {
            id: text(step, "id"),
            kind: text(step, "kind"),
            status: text(step, "status"),
            description: text(step, "description"),
            ..DashboardStep::default()
        }),
    }
}

/// Returns a step that only the timeline has.
fn unpersisted(step: &PlanStep) -> DashboardStep {
    DashboardStep {
        is_unpersisted: true,
        ..rebuilt_step(step)
    }
}

fn rebuilt_step(step: &PlanStep) -> DashboardStep {
    let shown = |text: &Option<String>| text.as_deref().map(brief).unwrap_or_default();
    DashboardStep {
        id: shown(&step.id),
        kind: shown(&step.kind),
        status: shown(&step.status),
        description: shown(&step.description),
        line: step.status_line,
        ..DashboardStep::default()
    }
}

fn verification(verification: Node<'_>) -> VerificationSection {
    let text = |key: &str| {
        let value = verification.get(key).filter(|value| !value.is_null());
        value.map(shown)
    };
    let kinds = [
        (ChangeKind::Added, "added"),
        (ChangeKind::Modified, "modified"),
        (ChangeKind::Deleted, "deleted"),
    ];
    let changes = kinds.into_iter().flat_map(|(kind, key)| {
        let files = verification.at(&["workspace_diff", key]);
        let files = files.into_iter().flat_map(Node::items);
        files.map(move |file| FileChange {
            kind,
            path: shown(file),
        })
    });
    let assertions = || {
        let assertions = verification.get("assertions");
        assertions.into_iter().flat_map(Node::items).map(assertion)
    };
    let has_failed = |assertion: &AssertionRow| assertion.passed == Some(false);
    let failed = assertions().filter(has_failed);
    let others = assertions().filter(|it| !has_failed(it));
    VerificationSection {
        passed: text("passed"),
        error: text("error"),
        assertions: failed.chain(others).collect(),
        changes: changes.collect(),
    }
}

fn assertion(item: Node<'_>) -> AssertionRow {
    let text = |key: &str| Some(brief(&item.get(key)?.text()?));
    let mut names = ["name", "id", "description", "message"].into_iter();
    let name = names.find_map(text);
    let target = text("target").map(|target| format!(" {target}"));
    let name = name.map(|name| name + &target.unwrap_or_default());
    let name = name.unwrap_or_else(|| brief(item.raw()));
    let mut said = ["message", "error", "reason", "detail"].into_iter();
    let message = said.find_map(|key| error_text(item.get(key)?));
    AssertionRow {
        passed: item.get("passed").and_then(Node::boolean),
        message: message.filter(|message| *message != name),
        name,
    }
}

fn figure(key: Key<'_>) -> DashboardFigure {
    DashboardFigure {
        name: brief(&key.name()),
        value: shown(key.value()),
    }
}

fn metrics(metrics: Node<'_>) -> MetricsSection {
    let is_single = |key: &Key<'_>| !matches!(key.value().kind(), Kind::Array | Kind::Object);
    let latencies = metrics.get("latencies");
    let latencies = latencies.into_iter().flat_map(Node::members);
    MetricsSection {
        figures: metrics.members().filter(is_single).map(figure).collect(),
        latencies: latencies
            .filter_map(|key| {
                Some(Latency {
                    name: brief(&key.name()),
                    value_ms: key.value().number()?.as_f64(),
                })
            })
            .collect(),
    }
}

/// Returns a member in the form that a dashboard shows; empty if it is missing.
fn text(object: Node<'_>, key: &str) -> String {
    object.get(key).map(shown).unwrap_or_default()
}
