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

    /// Looks at the state of a run, which it can't change, and says what it advises.
    fn advise(&self, state: &State) -> Advice;
}

/// What a policy says.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Advice {
    /// It has nothing to say.
    #[default]
    Nothing,
    /// Something that the run may heed.
    Hint {
        /// What it suggests.
        text: String,
    },
    /// A change that the run is to make.
    Intervention {
        /// What is to change, in the runtime's own terms.
        change: Map<String, Value>,
    },
    /// The run is not to go on with what it is about to do.
    Veto {
        /// Why.
        reason: String,
    },
}

/// What one policy said.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Consulted {
    /// The policy's name.
    pub policy: String,
    /// The policy's version.
    pub version: String,
    /// What it said.
    pub advice: Advice,
}

/// Asks policies one after the other, in their order, and collects what each says under its name
/// and version.
///
/// All are asked, whatever the others said: it is for the caller to decide which advice goes first.
#[must_use]
pub fn consult(policies: &[&dyn Policy], state: &State) -> Vec<Consulted> {
    let ask = |policy: &&dyn Policy| Consulted {
        policy: policy.name().into(),
        version: policy.version().into(),
        advice: policy.advise(state),
    };
    policies.iter().map(ask).collect()
}
