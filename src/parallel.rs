//! Work on many items at a time, with results in order and a bounded number of them waiting.

mod ordered;
mod pipeline;

pub(crate) use ordered::in_order;
pub(crate) use pipeline::pipeline;
