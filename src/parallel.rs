//! Items -> results in order, computed in parallel, with a bounded number of them waiting.

mod alone;
mod ordered;
mod pipeline;

use std::num::NonZeroUsize;
use std::thread;

pub(crate) use alone::Alone;
pub(crate) use ordered::in_order;
pub(crate) use pipeline::pipeline;

/// The number of threads that the machine runs at a time, as far as this process may use it.
pub(crate) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
