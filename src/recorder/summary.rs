//! The effects of a run's events -> its summary record.

use super::fold::RunFold;
use crate::ground::record::{
    AdapterResult, Count, Direction, Flags, Insight, InsightMetrics, Latencies, Metrics, RunStatus,
    RuntimeMode, StepStatus, Summary, SummaryOutcome as Outcome, Verification, format,
};

impl RunFold {
    pub(super) fn summary(&self) -> Summary {
        let state = &self.state;
        let ended = self.terminated.unwrap_or(self.last);
        let (adapter_result, outcome) = verdict(self);
        let is_meta = self.mode == RuntimeMode::Meta;

        Summary {
            schema_version: format::SUMMARY_SCHEMA_VERSION.into(),
            episode_id: state.episode.id.clone(),
            task: state.goal.task.clone(),
            started_at: state.episode.started_at.clone(),
            duration_sec: ended.micros_since(self.started) / 1e6,
            adapter_result,
            outcome,
            verification: self
                .verification
                .clone()
                .unwrap_or_else(Verification::none),
            flags: Flags {
                intuition: is_meta,
                mode: self.mode,
                direction: is_meta.then(|| self.direction()),
            },
            metrics: Metrics {
                success: matches!(outcome, Outcome::Success | Outcome::SuccessUnverified),
                plan_count: Count(self.plans),
                act_count: Count(
                    state
                        .outcomes
                        .actions
                        .as_ref()
                        .map_or(0, Vec::len) as u64,
                ),
                reflect_count: Count(self.reflections),
                veto_count: Count(veto_count(self)),
                learn_proposals: Some(Count(self.proposals)),
                learn_applied: Some(Count(self.proposals_applied)),
                latencies: (!self.has_unknown_times).then(|| Latencies {
                    first_action_ms: self
                        .first_action
                        .map(|first| first.micros_since(self.started) / 1e3),
                    total_ms: Some(ended.micros_since(self.started) / 1e3),
                    planning_ms: None,
                    // Nobody timed the actions of a run without steps.
                    execution_ms: (self.first_action.is_none() || !state.plan.steps.is_empty())
                        .then(|| self.busy_millis()),
                }),
                refused: (self.refused > 0).then_some(Count(self.refused)),
            },
            insight: is_meta.then(|| insight(self)),
            tags: state.episode.tags.clone(),
        }
    }

    fn direction(&self) -> Direction {
        Direction {
            applied: Some(Count(self.directions_applied)),
            vetoed: Some(Count(self.vetoes)),
            policy: self.last_policy.clone(),
            threshold: serde_json::Number::from_f64(self.threshold),
            last_diff: self.last_diff.clone(),
        }
    }
}

/// Returns the number of vetoes: of those that policies gave, and of those that the caller ended
/// the run or its steps with.
fn veto_count(fold: &RunFold) -> u64 {
    let steps = fold
        .with_status(StepStatus::Vetoed)
        .count() as u64;
    let run = u64::from(fold.state.outcomes.status == RunStatus::Vetoed);
    fold.vetoes.max(steps).max(run)
}

/// Returns what the summary says of the end of a run.
fn verdict(fold: &RunFold) -> (AdapterResult, Outcome) {
    let verification = fold.verification.as_ref();
    let passed = verification.and_then(|verification| verification.passed);
    let failed_to_verify = verification.is_some_and(|verification| verification.error.is_some());

    match fold.state.outcomes.status {
        RunStatus::Ok => match passed {
            None => (AdapterResult::Success, Outcome::SuccessUnverified),
            Some(true) => (AdapterResult::Success, Outcome::Success),
            Some(false) => (AdapterResult::Success, Outcome::GoalNotAchieved),
        },
        RunStatus::Partial => (AdapterResult::Success, Outcome::GoalNotAchieved),
        RunStatus::Error if !failed_to_verify => (AdapterResult::Error, Outcome::Error),
        _ => (AdapterResult::Skipped, Outcome::Error),
    }
}

impl Verification {
    /// Nothing was verified.
    pub(super) fn none() -> Self {
        Self {
            provided: Some(false),
            assertions: Some(Vec::new()),
            ..Self::default()
        }
    }
}

fn insight(fold: &RunFold) -> Insight {
    let total = fold.state.plan.steps.len();
    let done = fold
        .with_status(StepStatus::Done)
        .count();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a plan has far fewer than 2^53 steps"
    )]
    let adherence = || (done as f64 / total as f64 * 1e4).round() / 1e4;

    Insight {
        metrics: Some(InsightMetrics {
            plan_adherence: (total > 0).then(adherence),
            tool_coverage: None,
            branching_factor: Some(Count(fold.directions)),
            plan_revisions: Some(Count(fold.plans.saturating_sub(1))),
        }),
    }
}
