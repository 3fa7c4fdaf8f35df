//! Policies: user code that is given the state of a run and may advise (reference, sections 1 and
//! 4).
//!
//! A policy sees the state and can't change it: to influence a run it returns a hint, an
//! intervention or a veto.
//!
//! ```
//! use runvet::read::policy::{Advice, Policy, consult};
//! use runvet::record::{State, StepKind};
//!
//! struct NoReviews;
//!
//! impl Policy for NoReviews {
//!     fn name(&self) -> &str {
//!         "no-reviews"
//!     }
//!     fn version(&self) -> &str {
//!         "1.0.0"
//!     }
//!     fn advise(&self, state: &State) -> Advice {
//!         match state.plan.steps.iter().find(|step| step.kind == StepKind::Review) {
//!             Some(step) => Advice::veto(format!("{} waits for a person", step.id)),
//!             None => Advice::Nothing,
//!         }
//!     }
//! }
//!
//! let runs = runvet::read::RunData::open("corpus/good/terminal").unwrap();
//! let state = runs.get("ep_answer").unwrap().state().unwrap().record().unwrap();
//! let consulted = consult(&[&NoReviews], &state);
//! assert_eq!(consulted[0].policy, "no-reviews");
//! assert!(matches!(consulted[0].advice, Advice::Nothing));
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ground::record::{State, Step, StepKind};
use crate::ground::words::words;

/// User code that advises a run.
pub trait Policy {
    /// Returns the policy's name, under which its advice is recorded.
    fn name(&self) -> &str;

    /// Returns the policy's version; advice of two versions is not the same advice.
    fn version(&self) -> &str;

    /// Reads the state of a run, which it can't change, and returns its advice.
    fn advise(&self, state: &State) -> Advice;

    /// Advises before a step of the run opens: a recorder names the step, which is pending. A
    /// policy that does not care which one it is leaves this to [`Policy::advise`].
    fn advise_on_step(&self, state: &State, step: &Step) -> Advice {
        let _ = step;
        self.advise(state)
    }
}

/// The advice of a policy.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Advice {
    /// The policy has no advice.
    #[default]
    Nothing,
    /// A suggestion, which the run may follow.
    Hint {
        /// The suggestion.
        text: String,
        /// The confidence of the policy, from 0 to 1.
        confidence: f64,
    },
    /// A change that the run must make, if the policy is sure enough of it.
    Intervention {
        /// The change.
        change: Change,
        /// The confidence of the policy, from 0 to 1.
        confidence: f64,
    },
    /// The run must not do what it is about to do.
    Veto {
        /// The reason.
        reason: String,
        /// The scope of the veto.
        scope: Scope,
    },
}

impl Advice {
    /// Returns a suggestion that the policy is sure of.
    #[must_use]
    pub fn hint(text: impl Into<String>) -> Self {
        Self::Hint {
            text: text.into(),
            confidence: 1.0,
        }
    }

    /// Returns a change that the policy is sure of.
    #[must_use]
    pub fn intervention(change: Change) -> Self {
        Self::Intervention {
            change,
            confidence: 1.0,
        }
    }

    /// Returns a veto of the step that is about to be executed, or of the run where there is none.
    #[must_use]
    pub fn veto(reason: impl Into<String>) -> Self {
        Self::Veto {
            reason: reason.into(),
            scope: Scope::Step,
        }
    }
}

/// The part of a run that a veto blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scope {
    /// The step that is about to be executed.
    #[default]
    Step,
    /// The whole run.
    Run,
}

words!(Scope {
    Step = "step",
    Run = "run",
});

/// A change of the plan. Ids of steps never change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(untagged)]
pub enum Change {
    /// Other words, another kind or other inputs for a pending step.
    Edit {
        /// The id of the step.
        step: String,
        /// The new values of the step.
        set: StepChange,
    },
    /// A pending step is not executed.
    Skip {
        /// The id of the step.
        skip: String,
    },
    /// A step more, at the end.
    Append {
        /// The step; its status is `pending`, whatever it says.
        append: Step,
    },
    /// Any other change, which runtimes other than the recorder may understand.
    Other(Map<String, Value>),
}

/// The new values of a step; absent ones stay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepChange {
    /// The description of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<StepKind>,
    /// The reason why the step is in the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The inputs of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Map<String, Value>>,
}

/// The advice of one policy.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Consulted {
    /// The policy's name.
    pub policy: String,
    /// The policy's version.
    pub version: String,
    /// The advice.
    pub advice: Advice,
}

/// Asks policies one after the other, in their order, and collects the advice of each with its name
/// and version.
///
/// All policies are asked, even after a veto: the caller decides which advice takes precedence.
#[must_use]
pub fn consult(policies: &[&dyn Policy], state: &State) -> Vec<Consulted> {
    let ask = |policy: &&dyn Policy| Consulted {
        policy: policy.name().into(),
        version: policy.version().into(),
        advice: policy.advise(state),
    };

    policies.iter().map(ask).collect()
}
