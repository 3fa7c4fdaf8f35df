//! Rules of the group `lifecycle`: the artifacts and links of a run match its lifecycle.

pub(super) mod artifacts;
pub(super) mod early_artifacts;
pub(super) mod ending;
pub(super) mod learn_missing;
pub(super) mod link_target;
pub(super) mod links;
pub(super) mod outcome;
pub(super) mod unended;
