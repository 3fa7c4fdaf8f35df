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
#[cfg(feature = "html")]
mod conversation;
mod page;
mod reason;
#[cfg(feature = "html")]
mod sheet;

use std::borrow::Cow;

use crate::gate::Gate;
use crate::ground::document::{Key, Kind, Node};
use crate::ground::finding::{EpisodeReport, Lifecycle};
use crate::ground::printable::brief;
use crate::ground::source::{Artifact, leads_to};
use crate::judge::load::Loaded;
use crate::look::plan::{PlanComparison, PlanStep};
use crate::look::read::{Error, Records, RunReader};
use crate::reading::dashboard::{
    AssertionRow, Dashboard, DashboardAction, DashboardStep, EventSummary, MAX_ROWS, Outline,
    Overview, PlanPair, PlanSides, Rows, VerificationSection,
};
use crate::reading::outline::{
    Listening, TimelineClock, error_text, first_words, shown, summary_of,
};
use crate::report::json_bytes;
#[cfg(feature = "html")]
use crate::report::page::Bodies;
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
    Ok(crate::report::page::run_text(&page, prefix, Bodies::InPage).into_bytes())
}

/// A run that was opened once: its records, its timeline in outline, its rebuilt plan, and the
/// report of a check.
#[derive(Debug)]
pub(crate) struct OpenedRun {
    pub(crate) records: Records,
    pub(crate) timeline: Outline,
    /// The rebuilt plan, and its differences from the persisted one.
    pub(crate) plan: PlanComparison,
    pub(crate) report: EpisodeReport,
}

/// Reads a run, outlines its timeline and judges it.
pub(crate) fn dashboard(run: &RunReader, gate: &mut Gate) -> Result<Dashboard, Error> {
    Ok(OpenedRun::judged(run, gate)?
        .dashboard()
        .0)
}

/// Reads the timeline of a run once, and keeps its counts, the events that matter, and those that
/// tell why the run ended as it did. Memory does not grow with the number of events.
pub(crate) fn outline(run: &RunReader) -> Outline {
    run.load(Some(Listening::Outline), |loaded| outlined(run, loaded))
        .unwrap_or_else(|error| Outline {
            dir: run
                .path()
                .to_string_lossy()
                .into_owned(),
            fault: Some(reason_of(error)),
            ..Outline::default()
        })
}

/// Returns the events of a timeline, each as one line of text: those of some phases, or of all if
/// none is given, whose line contains a text. A line that is not an event is an error, and the next
/// line follows.
pub(crate) fn event_summaries(
    run: &RunReader,
    phases: &[String],
    text: Option<&str>,
) -> Result<impl Iterator<Item = Result<EventSummary, Error>>, Error> {
    let (mut events, mut clock) = (run.event_texts()?, TimelineClock::default());
    Ok(std::iter::from_fn(move || {
        loop {
            let (line, event) = match events.next_document()? {
                Ok(read) => read,
                Err(error) => return Some(Err(error)),
            };

            let offset_sec = clock.offset_of(event);
            let has_phase = event
                .get("phase")
                .and_then(Node::text)
                .is_some_and(|it| {
                    phases
                        .iter()
                        .any(|wanted| *wanted == *it)
                });
            if (phases.is_empty() || has_phase) && text.is_none_or(|it| event.raw().contains(it)) {
                return Some(Ok(summary_of(line, event, offset_sec)));
            }
        }
    }))
}

/// Returns the outline of a timeline that was loaded.
fn outlined(run: &RunReader, loaded: &Loaded<'_, '_>) -> Outline {
    let (mut outline, path) = (Outline::default(), Artifact::Events.file_name());
    match &loaded.timeline.outlined {
        Some(Ok(outlined)) => {
            outline = outlined.outline.clone();
            let broken = outlined
                .broken
                .iter()
                .cloned()
                .map(|why| {
                    why.in_file(run.path().join(path))
                        .to_string()
                });
            outline.broken = broken.collect();
        }
        Some(Err(reason)) => outline.fault = Some(reason.clone()),
        None => {}
    }

    outline.dir = run
        .path()
        .to_string_lossy()
        .into_owned();

    outline
}

fn reason_of(error: Error) -> String {
    match error {
        Error::Artifact { reason, .. } => reason,
        error => error.to_string(),
    }
}

/// Returns the parts of a run that was loaded; they make a whole with its report.
fn unjudged(
    run: &RunReader,
    loaded: &Loaded<'_, '_>,
) -> impl FnOnce(EpisodeReport) -> OpenedRun + use<> {
    let (records, timeline) = (run.loaded_records(loaded), outlined(run, loaded));
    let plan = PlanComparison::of(loaded.run);
    move |report| OpenedRun {
        records,
        timeline,
        plan,
        report,
    }
}

impl OpenedRun {
    /// Reads a run, outlines its timeline, judges it and rebuilds its plan.
    pub(crate) fn judged(run: &RunReader, gate: &mut Gate) -> Result<Self, Error> {
        let also = |loaded: &Loaded<'_, '_>| unjudged(run, loaded);
        let (report, opened) = judged(run, gate, Listening::Outline, also)?;
        Ok(opened(report))
    }

    /// Returns the run at a glance, and its records.
    fn dashboard(self) -> (Dashboard, Records) {
        let dashboard = Dashboard {
            overview: self.records.overview(),
            plan: self.plan_sides(MAX_ROWS),
            reason: self.records.reason(&self.timeline),
            timeline: self.timeline,
            report: self.report,
        };

        (dashboard, self.records)
    }

    /// Returns the persisted plan beside the rebuilt one, with `most` rows at most.
    pub(crate) fn plan_sides(&self, most: usize) -> PlanSides {
        let persisted = self.records.in_state(&["plan"]);
        let steps: Vec<Node<'_>> = items(persisted, &["steps"]).collect();
        let ids: Vec<Cow<'_, str>> = steps
            .iter()
            .map(|step| {
                step.get("id")
                    .and_then(Node::text)
                    .unwrap_or_default()
            })
            .collect();
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        let rebuilt = self.plan.rebuilt.as_ref();
        let rebuilt_steps = rebuilt
            .map(|plan| &*plan.steps)
            .unwrap_or_default();
        let rows = self
            .plan
            .rows(&ids)
            .into_iter()
            .map(|row| PlanPair {
                persisted: row
                    .persisted
                    .and_then(|at| Some(step(*steps.get(at)?))),
                rebuilt: row
                    .rebuilt
                    .and_then(|at| rebuilt_steps.get(at))
                    .map(rebuilt_step),
                differs: row.differs,
                is_unsure: row.is_unsure,
            });
        let differences = self.plan.differences.iter();

        PlanSides {
            rows: Rows::of(rows, most),
            differences: differences
                .map(|it| (it.message.clone(), it.line))
                .collect(),
            more_differences: self.plan.more_differences,
            unjudged: self.plan.unjudged.clone(),
            is_persisted: persisted.is_some(),
            stands_alone: !self
                .records
                .entries
                .has(Artifact::State)
                && rebuilt.is_some(),
            persisted_source: persisted
                .and_then(|plan| plan.get("source"))
                .map(shown),
            rebuilt_source: rebuilt.and_then(|plan| plan.source.as_deref().map(brief)),
        }
    }
}

/// Judges a run, and lets `also` use all that was loaded for it.
fn judged<R>(
    run: &RunReader,
    gate: &mut Gate,
    listening: Listening<'_>,
    also: impl Fn(&Loaded<'_, '_>) -> R,
) -> Result<(EpisodeReport, R), Error> {
    gate.judge(|worker| run.check_and(worker, Some(listening), also))
        .map_err(|fault| Error::at(run.path(), &fault))
}

impl Records {
    /// Returns the records as a part of a dashboard.
    pub(crate) fn overview(&self) -> Overview {
        let (state, summary) = (self.in_state(&[]), self.in_summary(&[]));
        Overview {
            entry: self.entry.clone(),
            unreadable: self.unreadable(),
            actions: items(state, &["outcomes", "actions"])
                .map(action)
                .collect(),
            beliefs: items(state, &["beliefs"])
                .map(|belief| (text(belief, "confidence"), text(belief, "statement")))
                .collect(),
            facts: items(state, &["memory", "facts"])
                .map(|fact| (text(fact, "key"), text(fact, "value")))
                .collect(),
            verification: self
                .in_summary(&["verification"])
                .map(verification),
            metrics: self
                .in_summary(&["metrics"])
                .map(|metrics| {
                    let is_single =
                        |key: &Key<'_>| !matches!(key.value().kind(), Kind::Array | Kind::Object);
                    metrics
                        .members()
                        .filter(is_single)
                        .map(figure)
                        .collect()
                }),
            latencies: members(summary, &["metrics", "latencies"])
                .filter_map(|key| Some((brief(&key.name()), key.value().number()?.as_f64())))
                .collect(),
            outcome_metrics: members(state, &["outcomes", "metrics"])
                .map(figure)
                .collect(),
            links: self.in_state(&["links"]).map(|links| {
                links
                    .members()
                    .map(|key| self.link(key))
                    .collect()
            }),
        }
    }

    /// Returns the records that should exist but can't be shown.
    fn unreadable(&self) -> Vec<(&'static str, String)> {
        let is_in_progress = self.entry.lifecycle == Lifecycle::NonTerminal;
        // A run that has just begun persists nothing.
        let is_state_due = !is_in_progress || self.entries.has(Artifact::State);
        let state = is_state_due.then_some((Artifact::State, &self.state));
        let summary = (!is_in_progress).then_some((Artifact::Summary, &self.summary));

        state
            .into_iter()
            .chain(summary)
            .filter_map(|(artifact, record)| match record {
                Err(Error::Artifact { reason, .. }) => Some((artifact.file_name(), reason.clone())),
                _ => None,
            })
            .collect()
    }

    fn link(&self, key: Key<'_>) -> (String, String, Option<&'static str>) {
        let artifact = Artifact::ALL
            .into_iter()
            .find(|artifact| artifact.link_key() == Some(&*key.name()));
        let target = key.value().text();
        let end = artifact.map(|artifact| {
            let leads_to = |target| leads_to(target, artifact.file_name());
            if !target.as_deref().is_some_and(leads_to) {
                "leads elsewhere"
            } else if self.entries.has(artifact) {
                "there"
            } else {
                "missing"
            }
        });

        (brief(&key.name()), shown(key.value()), end)
    }
}

/// Returns the items of an array of a record.
fn items<'r>(record: Option<Node<'r>>, path: &[&str]) -> impl Iterator<Item = Node<'r>> + use<'r> {
    record
        .and_then(|record| record.at(path))
        .into_iter()
        .flat_map(Node::items)
}

/// Returns the members of an object of a record.
fn members<'r>(record: Option<Node<'r>>, path: &[&str]) -> impl Iterator<Item = Key<'r>> + use<'r> {
    record
        .and_then(|record| record.at(path))
        .into_iter()
        .flat_map(Node::members)
}

/// Returns a step of the persisted plan.
pub(crate) fn step(step: Node<'_>) -> DashboardStep {
    DashboardStep {
        id: text(step, "id"),
        kind: text(step, "kind"),
        status: text(step, "status"),
        description: text(step, "description"),
        line: None,
    }
}

/// Returns an action of the state.
pub(crate) fn action(action: Node<'_>) -> DashboardAction {
    let paths: Vec<String> = items(Some(action), &["x-paths"])
        .map(shown)
        .collect();
    let given = |key| {
        action
            .get(key)
            .filter(|value| !value.is_null())
            .map(first_words)
    };

    DashboardAction {
        id: text(action, "id"),
        step: text(action, "step_id"),
        tool: text(action, "tool"),
        status: text(action, "result_status"),
        input: given("x-command")
            .or_else(|| (!paths.is_empty()).then(|| paths.join(" ")))
            .or_else(|| given("input_excerpt"))
            .or_else(|| given("input"))
            .unwrap_or_default(),
    }
}

fn rebuilt_step(step: &PlanStep) -> DashboardStep {
    let shown = |text: &Option<String>| {
        text.as_deref()
            .map(brief)
            .unwrap_or_default()
    };

    DashboardStep {
        id: shown(&step.id),
        kind: shown(&step.kind),
        status: shown(&step.status),
        description: shown(&step.description),
        line: step.status_line,
    }
}

fn verification(verification: Node<'_>) -> VerificationSection {
    let text = |key: &str| {
        verification
            .get(key)
            .filter(|value| !value.is_null())
            .map(shown)
    };

    let changes = [('+', "added"), ('~', "modified"), ('-', "deleted")]
        .into_iter()
        .flat_map(|(sign, key)| {
            items(Some(verification), &["workspace_diff", key]).map(move |file| (sign, shown(file)))
        });
    let assertions = || items(Some(verification), &["assertions"]).map(assertion);
    let failed = assertions().filter(|assertion| assertion.result == FAILED);
    let others = assertions().filter(|assertion| assertion.result != FAILED);

    VerificationSection {
        passed: text("passed"),
        error: text("error"),
        assertions: failed.chain(others).collect(),
        changes: changes.collect(),
    }
}

/// The result of an assertion that did not pass.
const FAILED: &str = "failed";

fn assertion(item: Node<'_>) -> AssertionRow {
    let text = |key: &str| Some(brief(&item.get(key)?.text()?));
    let name = ["name", "id", "description", "message"]
        .into_iter()
        .find_map(text);
    let target = text("target").map(|target| format!(" {target}"));
    let name = name.map(|name| name + &target.unwrap_or_default());
    let name = name.unwrap_or_else(|| brief(item.raw()));
    let message = ["message", "error", "reason", "detail"]
        .into_iter()
        .find_map(|key| error_text(item.get(key)?));
    let message = message.filter(|message| *message != name);
    let result = match item
        .get("passed")
        .and_then(Node::boolean)
    {
        Some(true) => "passed",
        Some(false) => FAILED,
        None => "unknown",
    };

    AssertionRow {
        name,
        result,
        message,
    }
}

fn figure(key: Key<'_>) -> (String, String) {
    (brief(&key.name()), shown(key.value()))
}

/// Returns a member in the form that a dashboard shows; empty if it is missing.
fn text(object: Node<'_>, key: &str) -> String {
    object
        .get(key)
        .map(shown)
        .unwrap_or_default()
}
