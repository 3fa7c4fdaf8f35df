//! Rules of the group `started-at`: the records agree on the start of the run.

pub(super) mod start_event;
pub(super) mod summary;
