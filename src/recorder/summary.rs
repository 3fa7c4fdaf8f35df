//! What the events of a run have led to -> its summary record.

use super::fold::{Fold, Mode};
use crate::record::{
    AdapterResult, Count, Direction, Flags, Insight, InsightMetrics, Latencies, Metrics,
    NonNegative, RunStatus, RuntimeMode, StepStatus, SuccessFlag, Summary, SummaryOutcome,
    UnitInterval, Verification, format,
};

impl Fold {
    pub(super) fn summary(&self) -> Summary {
        let fold = self;
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
        let fold = self;
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
