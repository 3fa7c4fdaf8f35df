//! Rules about what the other rules say of a run.

pub(crate) mod required;
