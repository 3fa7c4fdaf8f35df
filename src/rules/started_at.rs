//! When the run started.

pub(super) mod start_event;
pub(super) mod summary;
