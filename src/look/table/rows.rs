//! A run that was judged -> the rows of each table.

use std::borrow::Cow;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number as Figure;

use super::cell::{Figures, RecordPart};
use crate::ground::document::{Kind, Node, OwnedDocument};
use crate::ground::finding::{EpisodeReport, Finding, Lifecycle, Severity, TIME_UNKNOWN};
use crate::ground::record::IntuitionMode;
use crate::judge::load::Loaded;
use crate::look::read::{Error, EventLines};

/// A row: the columns of each table, then its own.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::look) struct Row<'r, T> {
    #[serde(flatten)]
    pub(in crate::look) head: Head<'r>,
    #[serde(flatten)]
    pub(in crate::look) own: T,
}

/// The columns of every table: the run of a row, and the result of its check.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(in crate::look) struct Head<'r> {
    /// The path of the run's directory, as the user would type it.
    dir: &'r str,
    /// The run's id.
    episode_id: &'r str,
    /// `true` if the run has no finding of severity `error`; null where that is undecided.
    valid: Option<bool>,
    /// The number of findings of severity `error`.
    errors: usize,
    /// The number of findings of severity `warning`.
    warnings: usize,
    /// The version of runvet that wrote the row.
    runvet_version: &'static str,
    /// A digest of the settings of the check, in 16 hexadecimal digits: rows with the same one, and
    /// the same version, were judged in the same way.
    settings: &'r str,
}

/// A run. Values that its records do not give are null.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::look) struct RunRow<'r> {
    /// The lifecycle of the run: in progress, ended, or unknown.
    lifecycle: Lifecycle,
    /// The task, from the state or else from the summary.
    task: Option<Cow<'r, str>>,
    /// The start of the run, as written, from the state or else from the summary.
    started_at: Option<Cow<'r, str>>,
    /// The adapter, from `episode.using` in the state.
    adapter: Option<Cow<'r, str>>,
    /// The mode of the runtime, from `flags.mode` in the summary.
    mode: Option<Cow<'r, str>>,
    /// The seed, from the state or else from the summary.
    seed: Option<Figure>,
    /// The tags as JSON text, from the state or else from the summary.
    tags: Option<&'r str>,
    /// The status, from the state.
    status: Option<Cow<'r, str>>,
    /// `outcomes.error` in the state, as JSON text.
    error: Option<&'r str>,
    /// The outcome, from the summary.
    outcome: Option<Cow<'r, str>>,
    /// The result of the adapter, from the summary.
    adapter_result: Option<Cow<'r, str>>,
    /// `verification.provided` in the summary.
    verification_provided: Option<bool>,
    /// `verification.passed` in the summary.
    verification_passed: Option<bool>,
    /// `verification.error` in the summary.
    verification_error: Option<Cow<'r, str>>,
    /// The duration in seconds, from the summary.
    duration_sec: Option<Figure>,
    /// `metrics.success` in the summary: 1 or 0 where the record is valid.
    success: Option<Figure>,
    /// `metrics.plan_count` in the summary.
    plan_count: Option<Figure>,
    /// `metrics.act_count` in the summary.
    act_count: Option<Figure>,
    /// `metrics.reflect_count` in the summary.
    reflect_count: Option<Figure>,
    /// `metrics.veto_count` in the summary.
    veto_count: Option<Figure>,
    /// `metrics.learn_proposals` in the summary.
    learn_proposals: Option<Figure>,
    /// `metrics.learn_applied` in the summary.
    learn_applied: Option<Figure>,
    /// `metrics.latencies.first_action_ms` in the summary.
    first_action_ms: Option<Figure>,
    /// `metrics.latencies.total_ms` in the summary.
    total_ms: Option<Figure>,
    /// `metrics.latencies.planning_ms` in the summary.
    planning_ms: Option<Figure>,
    /// `metrics.latencies.execution_ms` in the summary.
    execution_ms: Option<Figure>,
    /// `insight.metrics.plan_adherence` in the summary.
    plan_adherence: Option<Figure>,
    /// `insight.metrics.tool_coverage` in the summary.
    tool_coverage: Option<Figure>,
    /// `insight.metrics.branching_factor` in the summary.
    branching_factor: Option<Figure>,
    /// `insight.metrics.plan_revisions` in the summary.
    plan_revisions: Option<Figure>,
    /// The number of items of `plan.steps` in the state.
    steps: Option<usize>,
    /// The number of items of `outcomes.actions` in the state.
    actions: Option<usize>,
    /// The latencies of the summary that have no column, as a JSON object.
    other_latencies: Option<String>,
    /// The metrics of the summary that have no column, as a JSON object.
    other_metrics: Option<String>,
    /// `outcomes.metrics` in the state, as JSON text.
    outcome_metrics: Option<&'r str>,
    /// The numbers that no double holds, as a JSON object of texts by the names of columns. Their
    /// columns are null.
    beyond_double: Option<String>,
    /// The way in which intuition may act on the run, from the state: `advisory` where its
    /// `episode` does not say.
    intuition_mode: Option<Cow<'r, str>>,
}

/// Returns how intuition may act on a run, by the `episode` of its state.
fn intuition_mode(episode: Option<Node<'_>>) -> Option<Cow<'_, str>> {
    match episode
        .filter(|it| it.kind() == Kind::Object)?
        .get("intuition_mode")
    {
        None => Some(IntuitionMode::default().word().into()),
        Some(mode) => mode.text(),
    }
}

/// A step of the plan in the state. Values that it does not give are null.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::look) struct StepRow<'r> {
    /// The position in the plan, counted from 0.
    index: usize,
    /// The step's id.
    id: Option<Cow<'r, str>>,
    /// The kind of work.
    kind: Option<Cow<'r, str>>,
    /// Its description.
    description: Option<Cow<'r, str>>,
    /// The status.
    status: Option<Cow<'r, str>>,
    /// The reason why it is in the plan.
    rationale: Option<Cow<'r, str>>,
    /// The inputs as JSON text.
    inputs: Option<&'r str>,
    /// The outputs as JSON text.
    outputs: Option<&'r str>,
    /// The fields that have no column, as a JSON object.
    others: Option<String>,
}

/// An action in the state. Values that it does not give are null.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::look) struct ActionRow<'r> {
    /// The position among the actions, counted from 0.
    index: usize,
    /// The action's id: a text, or another value as JSON text.
    id: Option<Cow<'r, str>>,
    /// The kind, in the same way.
    kind: Option<Cow<'r, str>>,
    /// The tool, in the same way.
    tool: Option<Cow<'r, str>>,
    /// The id of the step, in the same way.
    step_id: Option<Cow<'r, str>>,
    /// The status of the result, in the same way.
    result_status: Option<Cow<'r, str>>,
    /// The time of its execution, as written.
    timestamp: Option<Cow<'r, str>>,
    /// Its duration, in milliseconds.
    duration_ms: Option<Figure>,
    /// The excerpt of the input as JSON text.
    input_excerpt: Option<&'r str>,
    /// The input as JSON text.
    input: Option<&'r str>,
    /// The output as JSON text.
    output: Option<&'r str>,
    /// The provenance as JSON text.
    provenance: Option<&'r str>,
    /// The artifacts of the result as JSON text.
    result_artifacts: Option<&'r str>,
    /// The fields that have no column, as a JSON object.
    others: Option<String>,
    /// The numbers that no double holds, as a JSON object of texts by the names of columns. Their
    /// columns are null.
    beyond_double: Option<String>,
}

/// A line of the timeline that is not blank. Values that it does not give are null.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::look) struct EventRow<'r> {
    /// The line, counted from 1; null where the timeline can't be read on.
    line: Option<u64>,
    /// The phase.
    phase: Option<Cow<'r, str>>,
    /// The type of the event.
    event_type: Option<Cow<'r, str>>,
    /// The time of the event, as written.
    timestamp: Option<Cow<'r, str>>,
    /// The agent.
    agent_id: Option<Cow<'r, str>>,
    /// The id that the event says its run has.
    event_episode_id: Option<Cow<'r, str>>,
    /// `payload.step_id`: a text, or another value as JSON text.
    step_id: Option<Cow<'r, str>>,
    /// The payload as JSON text.
    payload: Option<&'r str>,
    /// The fields that have no column, as a JSON object.
    others: Option<String>,
    /// The reason why the line is not an event; every other own column but `line` is null then.
    fault: Option<&'r str>,
}

/// A finding that counts.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::look) struct FindingRow<'r> {
    /// The id of the rule.
    rule: &'r str,
    /// The severity.
    severity: Severity,
    /// The message of the finding.
    message: &'r str,
    /// The advice on how to fix it.
    help: &'r str,
    /// A stable identifier of the finding, unique within a run.
    fingerprint: &'r str,
    /// The path of the file, as the user would type it.
    file: &'r str,
    /// The JSON Pointer to the value or key; null for a whole file.
    pointer: Option<&'r str>,
    /// The line where the place starts, counted from 1; null for a whole file, as are the next
    /// five.
    line: Option<u64>,
    /// The column where the place starts, in characters, counted from 1.
    column: Option<u64>,
    /// The line where the place ends, counted from 1.
    end_line: Option<u64>,
    /// The column after the last character of the place.
    end_column: Option<u64>,
    /// The offset of the first byte of the place.
    offset: Option<u64>,
    /// The length of the place, in bytes.
    length: Option<u64>,
    /// The other places that the finding is about, as a JSON array.
    related: Option<String>,
}

/// A run, its records and the result of its check.
pub(in crate::look) struct JudgedRun<'r> {
    head: Head<'r>,
    report: &'r EpisodeReport,
    state: RecordPart<'r>,
    summary: RecordPart<'r>,
}

/// The state and the summary, from which rows are made, as far as they can be read.
pub(in crate::look) type Documents = [Option<OwnedDocument>; 2];

/// Returns the records of a run that was loaded.
pub(in crate::look) fn documents(loaded: &Loaded<'_, '_>) -> Documents {
    [loaded.state, loaded.summary].map(|record| {
        record
            .document()
            .ok()
            .map(OwnedDocument::of)
    })
}

impl<'r> JudgedRun<'r> {
    pub(in crate::look) fn new(
        report: &'r EpisodeReport,
        documents: Option<&'r Documents>,
        settings: &'r str,
    ) -> Self {
        let of = |severity| {
            report
                .findings
                .iter()
                .filter(|it| it.severity == severity)
                .count()
        };

        let root = |at: usize| Some(documents?.get(at)?.as_ref()?.root());
        Self {
            head: Head {
                dir: &report.dir,
                episode_id: &report.id,
                valid: report.valid,
                errors: of(Severity::Error),
                warnings: of(Severity::Warning),
                runvet_version: env!("CARGO_PKG_VERSION"),
                settings,
            },
            report,
            state: RecordPart(root(0)),
            summary: RecordPart(root(1)),
        }
    }

    fn row<T>(&self, own: T) -> Row<'r, T> {
        Row {
            head: self.head,
            own,
        }
    }

    /// Returns a text of the state, else that of the summary.
    fn either(&self, in_state: &[&str], in_summary: &[&str]) -> Option<Cow<'r, str>> {
        self.state
            .text(in_state)
            .or_else(|| self.summary.text(in_summary))
    }

    /// Returns `false` for a run whose log has no times.
    fn is_dated(&self) -> bool {
        let (tag, unknown) = TIME_UNKNOWN;
        self.either(&["episode", "tags", tag], &["tags", tag])
            .as_deref()
            != Some(unknown)
    }

    pub(in crate::look) fn run(&self) -> Row<'r, RunRow<'r>> {
        let (state, summary) = (self.state, self.summary);

        let mut figures = Figures::default();
        let seed = state
            .at(&["episode", "seed"])
            .or_else(|| summary.at(&["seed"]));
        let mut of = |path: &[&'static str]| {
            let column = path.last().copied().unwrap_or_default();
            figures.cell(column, summary.at(path))
        };

        let metrics = RecordPart(summary.at(&["metrics"]));
        let is_dated = self.is_dated();
        let mut row = RunRow {
            lifecycle: self.report.lifecycle,
            task: self.either(&["goal", "task"], &["task"]),
            started_at: self
                .either(&["episode", "started_at"], &["started_at"])
                .filter(|_| is_dated),
            adapter: state.text(&["episode", "using"]),
            mode: summary.text(&["flags", "mode"]),
            seed: None,
            tags: state
                .json(&["episode", "tags"])
                .or_else(|| summary.json(&["tags"])),
            status: state.text(&["outcomes", "status"]),
            error: state.json(&["outcomes", "error"]),
            outcome: summary.text(&["outcome"]),
            adapter_result: summary.text(&["adapter_result"]),
            verification_provided: summary.boolean(&["verification", "provided"]),
            verification_passed: summary.boolean(&["verification", "passed"]),
            verification_error: summary.text(&["verification", "error"]),
            duration_sec: of(&["duration_sec"]).filter(|_| is_dated),
            success: of(&["metrics", "success"]),
            plan_count: of(&["metrics", "plan_count"]),
            act_count: of(&["metrics", "act_count"]),
            reflect_count: of(&["metrics", "reflect_count"]),
            veto_count: of(&["metrics", "veto_count"]),
            learn_proposals: of(&["metrics", "learn_proposals"]),
            learn_applied: of(&["metrics", "learn_applied"]),
            first_action_ms: of(&["metrics", "latencies", "first_action_ms"]),
            total_ms: of(&["metrics", "latencies", "total_ms"]),
            planning_ms: of(&["metrics", "latencies", "planning_ms"]),
            execution_ms: of(&["metrics", "latencies", "execution_ms"]),
            plan_adherence: of(&["insight", "metrics", "plan_adherence"]),
            tool_coverage: of(&["insight", "metrics", "tool_coverage"]),
            branching_factor: of(&["insight", "metrics", "branching_factor"]),
            plan_revisions: of(&["insight", "metrics", "plan_revisions"]),
            steps: state.length(&["plan", "steps"]),
            actions: state.length(&["outcomes", "actions"]),
            other_latencies: RecordPart(metrics.at(&["latencies"])).others(LATENCIES),
            other_metrics: metrics.others(METRICS),
            outcome_metrics: state.json(&["outcomes", "metrics"]),
            beyond_double: None,
            intuition_mode: intuition_mode(state.at(&["episode"])),
        };

        row.seed = figures.cell("seed", seed);
        row.beyond_double = figures.beyond();
        self.row(row)
    }

    pub(in crate::look) fn steps(&self) -> impl Iterator<Item = Row<'r, StepRow<'r>>> {
        self.items(&["plan", "steps"])
            .map(|(index, step)| {
                self.row(StepRow {
                    index,
                    id: step.text(&["id"]),
                    kind: step.text(&["kind"]),
                    description: step.text(&["description"]),
                    status: step.text(&["status"]),
                    rationale: step.text(&["rationale"]),
                    inputs: step.json(&["inputs"]),
                    outputs: step.json(&["outputs"]),
                    others: step.others(STEP),
                })
            })
    }

    pub(in crate::look) fn actions(&self) -> impl Iterator<Item = Row<'r, ActionRow<'r>>> {
        self.items(&["outcomes", "actions"])
            .map(|(index, action)| {
                let mut figures = Figures::default();
                self.row(ActionRow {
                    index,
                    id: action.word(&["id"]),
                    kind: action.word(&["kind"]),
                    tool: action.word(&["tool"]),
                    step_id: action.word(&["step_id"]),
                    result_status: action.word(&["result_status"]),
                    timestamp: action.text(&["timestamp"]),
                    duration_ms: figures.cell("duration_ms", action.at(&["duration_ms"])),
                    input_excerpt: action.json(&["input_excerpt"]),
                    input: action.json(&["input"]),
                    output: action.json(&["output"]),
                    provenance: action.json(&["provenance"]),
                    result_artifacts: action.json(&["result_artifacts"]),
                    others: action.others(ACTION),
                    beyond_double: figures.beyond(),
                })
            })
    }

    /// Returns the items of an array of the state, with their positions.
    fn items(&self, path: &[&str]) -> impl Iterator<Item = (usize, RecordPart<'r>)> + use<'r> {
        self.state
            .at(path)
            .into_iter()
            .flat_map(Node::items)
            .map(|item| RecordPart(Some(item)))
            .enumerate()
    }

    pub(in crate::look) fn findings(&self) -> impl Iterator<Item = Row<'r, FindingRow<'r>>> {
        self.report
            .findings
            .iter()
            .map(|finding: &Finding| {
                let place = &finding.location;
                let related = &finding.related;
                self.row(FindingRow {
                    rule: &finding.rule,
                    severity: finding.severity,
                    message: &finding.message,
                    help: &finding.help,
                    fingerprint: &finding.fingerprint,
                    file: &place.file,
                    pointer: place.pointer.as_deref(),
                    line: place.line,
                    column: place.column,
                    end_line: place.end_line,
                    end_column: place.end_column,
                    offset: place.offset,
                    length: place.length,
                    related: (!related.is_empty())
                        .then(|| serde_json::to_string(related).unwrap_or_default()),
                })
            })
    }

    /// Passes on the lines of the timeline, one after the other.
    pub(in crate::look) fn events(
        &self,
        mut lines: EventLines<'_>,
        mut take: impl FnMut(Row<'_, EventRow<'_>>) -> io::Result<()>,
    ) -> io::Result<()> {
        while let Some(next) = lines.next_document() {
            match next {
                Ok((line, event)) => take(self.row(EventRow::of(line, RecordPart(Some(event)))))?,
                Err(Error::Artifact { place, reason, .. }) => {
                    let line = place.map(|(line, _)| line);
                    take(self.row(EventRow::broken(line, &reason)))?;
                }
                Err(other) => take(self.row(EventRow::broken(None, &other.to_string())))?,
            }
        }

        Ok(())
    }
}

impl<'r> EventRow<'r> {
    fn of(line: u64, event: RecordPart<'r>) -> Self {
        Self {
            line: Some(line),
            phase: event.text(&["phase"]),
            event_type: event.text(&["event_type"]),
            timestamp: event.text(&["timestamp"]),
            agent_id: event.text(&["agent_id"]),
            event_episode_id: event.text(&["episode_id"]),
            step_id: event.word(&["payload", "step_id"]),
            payload: event.json(&["payload"]),
            others: event.others(EVENT),
            fault: None,
        }
    }

    fn broken(line: Option<u64>, reason: &'r str) -> Self {
        Self {
            line,
            fault: Some(reason),
            ..Self::of(0, RecordPart(None))
        }
    }
}

/// The latencies of a summary that have columns.
const LATENCIES: &str = "first_action_ms total_ms planning_ms execution_ms";

/// The metrics of a summary that have columns.
const METRICS: &str =
    "success plan_count act_count reflect_count veto_count learn_proposals learn_applied latencies";

/// The fields of a step that have columns.
const STEP: &str = "id kind description status rationale inputs outputs";

/// The fields of an action that have columns.
const ACTION: &str = "id kind tool step_id result_status timestamp duration_ms input_excerpt input \
                      output provenance result_artifacts";

/// The fields of an event that have columns.
const EVENT: &str = "phase event_type timestamp agent_id episode_id payload";
