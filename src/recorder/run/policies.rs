//! The advice of policies -> direction events, changed plans and vetoes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::Run;
use crate::ground::record::{RuntimeMode, Step, StepStatus};
use crate::look::read::policy::{Advice, Change, Policy, Scope, StepChange};

/// The decision of policies about a plan.
#[derive(Debug)]
#[must_use]
pub enum PolicyDecision {
    /// The run may go on.
    Go {
        /// The suggestions of policies.
        hints: Vec<String>,
    },
    /// A policy blocked the step or the run.
    Vetoed(Veto),
}

/// The veto of a policy, with its reason and its scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
#[schemars(inline)]
pub struct Veto {
    /// The policy, as `policy:name@version`.
    pub policy: String,
    /// The reason.
    pub reason: String,
    /// The part that is blocked: `step` or `run`.
    #[schemars(with = "String", extend("enum" = SCOPES))]
    pub scope: Scope,
}

const SCOPES: [&str; 2] = [Scope::Step.word(), Scope::Run.word()];

/// The advice of a policy.
struct Advised {
    /// The label of the policy.
    policy: String,
    advice: Advice,
}

impl Run {
    /// Asks all policies, about a step that is about to open or about the run, and does what they
    /// say: the first veto, else all interventions and hints, in their order.
    pub(super) fn consult(&mut self, step: Option<&str>) -> Result<PolicyDecision, Error> {
        if self.fold.mode == RuntimeMode::Minimal {
            return Ok(PolicyDecision::Go { hints: Vec::new() });
        }

        let advised: Vec<Advised> = self
            .recorder
            .policies
            .iter()
            .map(|policy| self.ask(policy.as_ref(), step))
            .collect();
        for Advised { policy, advice } in &advised {
            if let Advice::Veto { reason, scope } = advice {
                return self
                    .veto(policy, reason, *scope, step)
                    .map(PolicyDecision::Vetoed);
            }
        }

        for Advised { policy, advice } in &advised {
            if let Advice::Intervention { change, confidence } = advice {
                self.intervene(policy, change, *confidence)?;
            }
        }

        let mut hints = Vec::new();
        for Advised { policy, advice } in advised {
            if let Advice::Hint { text, confidence } = advice {
                let payload = object([
                    ("applied", false.into()),
                    ("confidence", confidence.into()),
                    ("status", "skipped".into()),
                    ("step_id", step.into()),
                    ("text", text.clone().into()),
                ]);
                self.direct("direction.hint", payload, &policy)?;
                hints.push(text);
            }
        }

        Ok(PolicyDecision::Go { hints })
    }

    /// Returns the advice of one policy. One that panics blocks what was asked about: nobody knows
    /// what it would have said.
    fn ask(&self, policy: &dyn Policy, step: Option<&str>) -> Advised {
        let state = &self.fold.state;
        let step = step.and_then(|step| self.fold.step(step));
        let label = catch_unwind(AssertUnwindSafe(|| label(policy)));
        let advice = catch_unwind(AssertUnwindSafe(|| match step {
            Some(step) => policy.advise_on_step(state, step),
            None => policy.advise(state),
        }));

        match (label, advice) {
            (Ok(policy), Ok(advice)) => Advised { policy, advice },
            (label, _) => Advised {
                policy: label.unwrap_or_else(|_| "policy:unknown".into()),
                advice: Advice::veto("policy_failed"),
            },
        }
    }

    /// Adds the event of an advice.
    pub(super) fn direct(
        &mut self,
        event_type: &'static str,
        mut payload: Map<String, Value>,
        policy: &str,
    ) -> Result<(), Error> {
        let id = format!("dir-{:04}", self.fold.directions + 1);
        payload.insert("id".into(), id.into());
        let draft = RunEvent {
            event_type: Some(event_type.into()),
            ..RunEvent::new("direction", payload)
        };

        self.write(draft.by(policy))?;
        Ok(())
    }

    fn veto(
        &mut self,
        policy: &str,
        reason: &str,
        scope: Scope,
        step: Option<&str>,
    ) -> Result<Veto, Error> {
        // Without a step to block, it is the run that is blocked.
        let step = step.filter(|_| scope == Scope::Step);
        let scope = if step.is_some() {
            Scope::Step
        } else {
            Scope::Run
        };

        let payload = object([
            ("reason", reason.into()),
            ("scope", scope.word().into()),
            ("status", "blocked".into()),
            ("step_id", step.into()),
        ]);
        self.direct("direction.veto", payload, policy)?;

        let blocked = match step {
            Some(step) => vec![step.to_owned()],
            None => self.fold.open.iter().cloned().collect(),
        };

        for step in blocked {
            let payload = object([("reason", reason.into())]);
            self.set_step(&step, StepStatus::Vetoed, payload)?;
        }

        Ok(Veto {
            policy: policy.into(),
            reason: reason.into(),
            scope,
        })
    }

    fn intervene(&mut self, policy: &str, change: &Change, confidence: f64) -> Result<(), Error> {
        let mut steps = self.fold.state.plan.steps.clone();
        let outcome = if (self.fold.threshold..=1.0).contains(&confidence) {
            apply(change, &mut steps).ok_or("unsupported_change")
        } else {
            Err("low_confidence")
        };

        let is_applied = outcome.is_ok();
        let (diff, reason) = match outcome {
            Ok(diff) => (Value::Array(diff), Value::Null),
            Err(reason) => (Value::Null, reason.into()),
        };

        let payload = object([
            ("applied", is_applied.into()),
            ("confidence", confidence.into()),
            ("diff", diff),
            ("reason", reason),
            (
                "status",
                if is_applied { "applied" } else { "skipped" }.into(),
            ),
        ]);
        self.direct("direction.intervention", payload, policy)?;
        if is_applied {
            let source = self.fold.state.plan.source.clone();
            self.write_plan(&steps, source.as_deref().unwrap_or(policy))?;
        }

        Ok(())
    }
}

/// Returns the name under which the advice of a policy is recorded.
fn label(policy: &dyn Policy) -> String {
    format!("policy:{}@{}", policy.name(), policy.version())
}

/// Changes the steps of a plan; returns what differs, or `None` for a change that is not
/// understood or that does not fit the plan.
fn apply(change: &Change, steps: &mut Vec<Step>) -> Option<Vec<Value>> {
    match change {
        Change::Edit { step, set } => edit(pending(steps, step)?, set),
        Change::Skip { skip } => {
            let (at, step) = pending(steps, skip)?;
            step.status = StepStatus::Skipped;
            let key = format!("steps[{at}].status");
            let [before, after] = [StepStatus::Pending, StepStatus::Skipped].map(StepStatus::word);
            Some(vec![difference(&key, &before.into(), &after.into())])
        }
        Change::Append { append } => {
            if append.id.is_empty()
                || steps
                    .iter()
                    .any(|step| step.id == append.id)
            {
                return None;
            }

            let step = Step {
                status: StepStatus::Pending,
                outputs: None,
                ..append.clone()
            };

            let key = format!("steps[{}]", steps.len());
            let after = serde_json::to_value(&step).ok()?;
            steps.push(step);
            Some(vec![difference(&key, &Value::Null, &after)])
        }
        _ => None,
    }
}

/// Returns a step that is not executed yet, after its place in the plan.
fn pending<'s>(steps: &'s mut [Step], id: &str) -> Option<(usize, &'s mut Step)> {
    let found = steps
        .iter_mut()
        .enumerate()
        .find(|(_, step)| step.id == id)?;
    (found.1.status == StepStatus::Pending).then_some(found)
}

fn edit((at, step): (usize, &mut Step), set: &StepChange) -> Option<Vec<Value>> {
    let (mut fields, mut diff) = (serde_json::to_value(&*step).ok()?, Vec::new());
    let set = serde_json::to_value(set).ok()?;
    for name in ["description", "kind", "rationale", "inputs"] {
        let before = fields
            .get(name)
            .cloned()
            .unwrap_or_default();
        let Some(after) = set
            .get(name)
            .filter(|after| **after != before)
        else {
            continue;
        };

        diff.push(difference(&format!("steps[{at}].{name}"), &before, after));
        fields
            .as_object_mut()?
            .insert(name.into(), after.clone());
    }

    *step = serde_json::from_value(fields).ok()?;
    Some(diff)
}

fn difference(key: &str, before: &Value, after: &Value) -> Value {
    json!({ "key": key, "before": before, "after": after })
}
