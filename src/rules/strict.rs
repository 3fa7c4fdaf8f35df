//! Rules of the group `strict`: what good runtimes keep, and nobody promises.

pub(super) mod agreement;
pub(super) mod assertions;
pub(super) mod durations;
pub(super) mod ending;
pub(super) mod event_ids;
pub(super) mod learn;
pub(super) mod steps;
pub(super) mod time_order;
