//! The index and the runs -> the parts of a page for a browser.

use std::sync::Arc;

use axum::Router;

use super::Service;

/// The overview, as it was made last.
#[derive(Debug, Default)]
pub(super) struct Kept;

pub(super) fn routes() -> Router<Arc<Service>> {
    Router::new()
}
