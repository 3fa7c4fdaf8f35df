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
//!             Some(step) => Advice::Veto { reason: format!("{} waits for a person", step.id) },
//!             None => Advice::Nothing,
//!         }
//!     }
//! }
//!
//! let runs = runvet::read::RunData::open("corpus/good/terminal").unwrap();
//! let state = runs.get("ep_answer").unwrap().state().unwrap().record().unwrap();
//! let consulted = consult(&[&NoReviews], &state);
//! assert_eq!(consulted[0].policy, "no-reviews");
//! assert_eq!(consulted[0].advice, Advice::Nothing);
//! ```

use serde::Serialize;
use serde_json::{Map, Value};

use crate::record::State;

/// User code that advises a run.
pub trait Policy {
    /// The policy's name, under which its advice is recorded.
    fn name(&self) -> &str;

    /// The policy's version; advice of two versions is not the same advice.
    fn version(&self) -> &str;

    /// Reads the state of a run, which it can't change, and returns its advice.
    fn advise(&self, state: &State) -> Advice;
}

/// The advice of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    },
    /// A change that the run must make.
    Intervention {
        /// The change, in the runtime's own terms.
        change: Map<String, Value>,
    },
    /// The run must not do what it is about to do.
    Veto {
        /// Why.
        reason: String,
    },
}

/// The advice of one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
