//! The end of a run -> its last events, its summary, its manifest, and the one rename that ends it.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::error::Error;
use super::event::{Draft, Event, object};
use super::fold::{Fold, Mode};
use super::run::text;
use super::{Durability, Run};
use crate::digest::FileDigest;
use crate::record::{
    AdapterResult, Count, Direction, Flags, Insight, InsightMetrics, Latencies, Metrics,
    NonNegative, RunStatus, RuntimeMode, State, StepStatus, SuccessFlag, Summary, SummaryOutcome,
    UnitInterval, Verification, format,
};
use crate::store::digest_of;

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct End {
    status: RunStatus,
    reason: Option<String>,
    error: Value,
    artifacts: Vec<String>,
    metrics: Map<String, Value>,
}

impl End {
    fn of(status: RunStatus, reason: Option<String>) -> Self {
        Self {
            status,
            reason,
            error: Value::Null,
            artifacts: Vec::new(),
            metrics: Map::new(),
        }
    }

    /// The run did what it should: no step is pending, running or failed.
    pub fn ok() -> Self {
        Self::of(RunStatus::Ok, None)
    }

    /// The run did some of what it should.
    pub fn partial(reason: impl Into<String>) -> Self {
        Self::of(RunStatus::Partial, Some(reason.into()))
    }

    /// The run was blocked.
    pub fn vetoed(reason: impl Into<String>) -> Self {
        Self::of(RunStatus::Vetoed, Some(reason.into()))
    }

    /// Somebody stopped the run.
    pub fn aborted(reason: impl Into<String>) -> Self {
        Self::of(RunStatus::Aborted, Some(reason.into()))
    }

    /// The run failed, with an error in any form; null becomes `"unknown"`.
    pub fn error(error: impl Into<Value>) -> Self {
        let error = error.into();
        Self {
            error: if error.is_null() {
                "unknown".into()
            } else {
                error
            },
            ..Self::of(RunStatus::Error, None)
        }
    }

    /// Adds a name or path to `outcomes.artifacts`.
    pub fn artifact(mut self, name: impl Into<String>) -> Self {
        self.artifacts.push(name.into());
        self
    }

    /// Adds a metric to `outcomes.metrics`.
    pub fn metric(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metrics.insert(name.into(), value.into());
        self
    }
}

/// A run that has ended, as it was recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// The directory of the episode.
    pub path: PathBuf,
    /// The state record.
    pub state: State,
    /// The summary record.
    pub summary: Summary,
}

impl Run {
    /// Ends the run: adds its last events, and writes summary, manifest and state, in this order.
    ///
    /// A run that a policy stopped ends as `vetoed`, whatever is asked for; one whose workspace
    /// can't be verified ends as `error`.
    ///
    /// # Errors
    /// [`Error::Refused`] for `ok` while a step is pending, running or failed: the run stays
    /// pending. [`Error::Io`] and [`Error::NotDurable`].
    pub fn finish(mut self, end: End) -> Result<Recorded, Error> {
        self.end(end)?;
        Ok(self.recorded())
    }

    /// Like [`Run::finish`], for those who go on with the run where it is refused.
    pub fn end(&mut self, end: End) -> Result<(), Error> {
        let mut end = match self.fold.stopped.clone() {
            Some(reason) if end.status != RunStatus::Vetoed => End::vetoed(reason),
            _ => end,
        };
        if end.status == RunStatus::Ok {
            self.must_be_done()?;
        }
        self.close_open_steps(&end)?;
        if end.status == RunStatus::Ok {
            self.verify()?;
            let failed = self.fold.verification.as_ref().and_then(|verification| {
                let error = verification.error.clone()?;
                verification.provided.unwrap_or_default().then_some(error)
            });
            if let Some(error) = failed {
                end = End {
                    artifacts: end.artifacts,
                    metrics: end.metrics,
                    ..End::error(json!({ "code": error }))
                };
            }
        }
        // A summary without any state would be an error until the state follows.
        if !self.has_state {
            self.persist()?;
        }
        let payload = object([
            ("artifacts", some(end.artifacts)),
            ("error", end.error),
            ("metrics", some(end.metrics)),
            ("reason", end.reason.into()),
            ("status", end.status.word().into()),
        ]);
        self.write(Draft::new("terminate", payload))?;
        self.complete()
    }

    fn must_be_done(&self) -> Result<(), Error> {
        for status in [StepStatus::Pending, StepStatus::Running, StepStatus::Failed] {
            if let Some(step) = self.fold.with_status(status).next() {
                return Err(Error::refused(
                    "ending the run as ok",
                    format!("the step {:?} is {status}", step.id),
                ));
            }
        }
        Ok(())
    }

    fn close_open_steps(&mut self, end: &End) -> Result<(), Error> {
        let open: Vec<String> = self.fold.open.iter().cloned().collect();
        let status = if end.status == RunStatus::Vetoed {
            StepStatus::Vetoed
        } else {
            StepStatus::Failed
        };
        for step in open {
            let reason = end.reason.clone();
            let reason = reason.unwrap_or_else(|| format!("the run ended: {}", end.status));
            self.set_step(&step, status, object([("reason", reason.into())]))?;
        }
        Ok(())
    }

    /// Writes what follows the `terminate` event. What of it is there already is written again, with
    /// the same bytes.
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        let state = if self.is_evident() {
            text(&self.fold.state, "the state")?
        } else {
            self.write_evidence()?
        };
        if self.recorder.durability != Durability::Process {
            let synced = self.learn.sync();
            self.poison_unless(synced)?;
        }
        let summary = text(&self.summary(), "the summary")?;
        self.replace("summary.json", &summary)?;
        let manifest = text(&self.manifest(&state, &summary)?, "the manifest")?;
        self.replace("manifest.json", &manifest)?;
        self.replace("state.json", &state)
    }

    /// Whether the last event is the evidence of the state.
    fn is_evident(&self) -> bool {
        text(&self.fold.state, "the state").is_ok_and(|state| {
            self.fold.sealed_last.as_deref() == Some(&*FileDigest::of(&state).to_string())
        })
    }

    fn manifest(&self, state: &[u8], summary: &[u8]) -> Result<Value, Error> {
        let entry = |kind: &str, name: &str, sha256: String, size: u64| json!({ "kind": kind, "name": name, "sha256": format!("sha256:{sha256}"), "size_bytes": size });
        let mut files = vec![
            entry(
                "events",
                "events.jsonl",
                self.events.sha256(),
                self.events.length(),
            ),
            entry(
                "learn",
                "learn.jsonl",
                self.learn.sha256(),
                self.learn.length(),
            ),
        ];
        let snapshots = self.fold.verification.as_ref();
        let snapshots = snapshots.and_then(|verification| verification.snapshots.as_ref());
        let named = snapshots.map_or([None, None], |snapshots| {
            [&snapshots.post, &snapshots.pre].map(Option::as_ref)
        });
        for name in named.into_iter().flatten() {
            let path = self.dir.join(name);
            let (digest, size) = digest_of(&path).map_err(|source| Error::Io {
                operation: "reading",
                path,
                source,
            })?;
            files.push(entry("snapshot", name, digest, size));
        }
        files.push(entry(
            "state",
            "state.json",
            FileDigest::of(state).to_string(),
            state.len() as u64,
        ));
        files.push(entry(
            "summary",
            "summary.json",
            FileDigest::of(summary).to_string(),
            summary.len() as u64,
        ));
        Ok(json!({
            "created_at": self.fold.last.text(),
            "episode_id": self.id(),
            "files": files,
            "schema_version": "manifest/1.0",
            "signer": null,
        }))
    }

    pub(super) fn summary(&self) -> Summary {
        let fold = &self.fold;
        let state = &fold.state;
        let ended = fold.terminated.unwrap_or(fold.last);
        let (adapter_result, outcome, success) = verdict(fold);
        let meta = fold.mode == Mode::Meta;
        Summary {
            schema_version: format::SUMMARY_SCHEMA_VERSION.into(),
            episode_id: state.episode.id.clone(),
            task: state.goal.task.clone(),
            started_at: state.episode.started_at.clone(),
            duration_sec: NonNegative(ended.seconds_since(fold.started)),
            adapter_result,
            outcome,
            verification: fold.verification.clone().unwrap_or_else(unverified),
            flags: Flags {
                intuition: meta,
                mode: if meta {
                    RuntimeMode::Meta
                } else {
                    RuntimeMode::Minimal
                },
                direction: meta.then(|| self.direction()),
            },
            metrics: Metrics {
                success: SuccessFlag(success),
                plan_count: Count(fold.plans),
                act_count: Count(state.outcomes.actions.as_ref().map_or(0, Vec::len) as u64),
                reflect_count: Count(fold.reflections),
                veto_count: Count(veto_count(fold)),
                learn_proposals: Some(Count(fold.proposals)),
                learn_applied: Some(Count(fold.proposals_applied)),
                latencies: Some(Latencies {
                    first_action_ms: fold
                        .first_action
                        .map(|first| NonNegative(first.millis_since(fold.started))),
                    total_ms: Some(NonNegative(ended.millis_since(fold.started))),
                    planning_ms: None,
                    execution_ms: Some(NonNegative(fold.busy_millis())),
                }),
            },
            insight: meta.then(|| insight(fold)),
            tags: state.episode.tags.clone(),
        }
    }

    fn direction(&self) -> Direction {
        let fold = &self.fold;
        let (policy, keys) = fold.last_directed.clone().unzip();
        Direction {
            applied: Some(Count(fold.directions_applied)),
            vetoed: Some(Count(fold.vetoes)),
            policy,
            threshold: serde_json::Number::from_f64(fold.threshold),
            last_diff: keys,
        }
    }
}

/// A value, or null for what is empty.
fn some<T: Into<Value> + Default + PartialEq>(value: T) -> Value {
    if value == T::default() {
        Value::Null
    } else {
        value.into()
    }
}

/// The number of vetoes: of those that policies gave, and of those that the caller ended the run or
/// its steps with.
fn veto_count(fold: &Fold) -> u64 {
    let steps = fold.with_status(StepStatus::Vetoed).count() as u64;
    let run = u64::from(fold.state.outcomes.status == RunStatus::Vetoed);
    fold.vetoes.max(steps).max(run)
}

/// What the summary says of the end of a run.
fn verdict(fold: &Fold) -> (AdapterResult, SummaryOutcome, bool) {
    let verification = fold.verification.as_ref();
    let passed = verification.and_then(|verification| verification.passed);
    let failed_to_verify = verification.is_some_and(|verification| verification.error.is_some());
    match fold.state.outcomes.status {
        RunStatus::Ok => match passed {
            None => (
                AdapterResult::Success,
                SummaryOutcome::SuccessUnverified,
                true,
            ),
            Some(true) => (AdapterResult::Success, SummaryOutcome::Success, true),
            Some(false) => (
                AdapterResult::Success,
                SummaryOutcome::GoalNotAchieved,
                false,
            ),
        },
        RunStatus::Partial => (
            AdapterResult::Success,
            SummaryOutcome::GoalNotAchieved,
            false,
        ),
        RunStatus::Error if !failed_to_verify => {
            (AdapterResult::Error, SummaryOutcome::Error, false)
        }
        _ => (AdapterResult::Skipped, SummaryOutcome::Error, false),
    }
}

fn unverified() -> Verification {
    Verification {
        provided: Some(false),
        assertions: Some(Vec::new()),
        ..Verification::default()
    }
}

fn insight(fold: &Fold) -> Insight {
    let total = fold.state.plan.steps.len();
    let done = fold.with_status(StepStatus::Done).count();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a plan has far fewer than 2^53 steps"
    )]
    let adherence = if total == 0 {
        1.0
    } else {
        (done as f64 / total as f64 * 1e4).round() / 1e4
    };
    Insight {
        metrics: Some(InsightMetrics {
            plan_adherence: Some(UnitInterval(adherence)),
            tool_coverage: None,
            branching_factor: Some(Count(fold.directions)),
            plan_revisions: Some(Count(fold.plans.saturating_sub(1))),
        }),
    }
}

/// The line of `learn.jsonl` for a `learn` event.
pub(super) fn learn_line(event: &Event) -> Result<Vec<u8>, Error> {
    let field = |name: &str| event.payload.get(name).cloned().unwrap_or_default();
    text(
        &json!({
            "applied": field("applied"),
            "episode_id": event.episode_id,
            "id": event.id,
            "proposal": field("proposal"),
            "timestamp": event.timestamp,
        }),
        "the proposal",
    )
}
