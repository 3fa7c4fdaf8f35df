//! Items -> results in order, computed in parallel, with a bounded number of them waiting.

mod ordered;
mod pipeline;

pub(crate) use ordered::in_order;
pub(crate) use pipeline::pipeline;
