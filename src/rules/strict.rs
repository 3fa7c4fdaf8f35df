//! Rules of the group `strict`: they hold a run to more than the record format promises.

pub(super) mod agreement;
pub(super) mod assertions;
pub(super) mod durations;
pub(super) mod ending;
pub(super) mod event_ids;
pub(super) mod learn;
pub(super) mod steps;
pub(super) mod time_order;
