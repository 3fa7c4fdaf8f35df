//! Changes of the index -> server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderName;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::future::ready;
use futures_util::stream::{once, unfold};
use tokio::sync::broadcast::error::RecvError;

use super::Service;
use super::problem::Problem;

/// The number of changes that a slow client may be behind.
pub(super) const MAX_BEHIND: usize = 4_096;

/// The maximum number of clients that listen at a time.
pub(super) const MAX_LISTENERS: usize = 256;

/// `GET /api/v1/changes`: `verdict` with the run's item when a verdict is new or differs from the
/// last one, `written` with the directory of a run whose files were written and whose item differs
/// at most in what the run does now, `gone` with the directory of a run that is gone, `whole` when
/// `complete` or the faults of the statistics have changed, and `lost` when the client was too slow
/// for some of them and must ask for the list again.
pub(super) async fn changes(State(service): State<Arc<Service>>) -> Response {
    let Ok(turn) = Arc::clone(&service.listeners).try_acquire_owned() else {
        let detail = format!("{MAX_LISTENERS} clients listen already");
        return Problem::busy(detail).into_response();
    };
    let state = (service.changes.subscribe(), service.stopped.clone(), turn);
    let events = unfold(state, |(mut changes, mut stopped, turn)| async {
        let event = tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => return None,
            change = changes.recv() => match change {
                Ok(event) => event,
                Err(RecvError::Lagged(more)) => Event::default().event("lost").data(more.to_string()),
                Err(RecvError::Closed) => return None,
            },
        };
        Some((Ok(event), (changes, stopped, turn)))
    });
    // Proxies that hold answers back until they have some bytes let this one through at once.
    let begun = Ok::<_, Infallible>(Event::default().comment("listening"));
    let events = once(ready(begun)).chain(events);
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    (unbuffered, Sse::new(events).keep_alive(alive)).into_response()
}
