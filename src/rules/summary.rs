//! The summary record by itself and against the timeline.

pub(super) mod adapter;
pub(super) mod adherence_precision;
pub(super) mod branching_factor;
pub(super) mod counts;
pub(super) mod directions;
pub(super) mod latencies;
pub(super) mod learning;
pub(super) mod mode;
pub(super) mod newer_version;
pub(super) mod schema;
pub(super) mod verification;
pub(super) mod version;
pub(super) mod vetoes;
