//! What a run has to have, and not to have, at its stage of life.

pub(super) mod artifacts;
pub(super) mod early_artifacts;
pub(super) mod learn_missing;
pub(super) mod link_target;
pub(super) mod links;
pub(super) mod outcome;
