//! Whether actions mirror the events they come from.

pub(super) mod mirror;
