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
use serde::Serialize;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Service;
use super::problem::Problem;
use crate::report::json_bytes;

/// The number of changes that a slow client may be behind.
pub(super) const MAX_BEHIND: usize = 4_096;

/// The maximum number of clients that listen at a time.
pub(super) const MAX_LISTENERS: usize = 256;

/// A change of the index.
#[derive(Clone, Debug)]
pub(super) struct IndexChange {
    name: &'static str,
    data: Arc<str>,
}

impl IndexChange {
    pub(super) fn new(name: &'static str, data: &impl Serialize) -> Self {
        let data = String::from_utf8(json_bytes(data)).unwrap_or_default();
        Self {
            name,
            data: data.into(),
        }
    }

    fn event(&self) -> Event {
        Event::default().event(self.name).data(&self.data)
    }
}

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
    let state = LiveStream {
        changes: service.changes.subscribe(),
        stopped: service.stopped.clone(),
        _turn: turn,
        _counted: service.numbers.listener(),
    };
    let events = unfold(state, |mut state| async {
        let event = state.next().await?;
        Some((Ok(event), state))
    });
    // Proxies that hold answers back until they have some bytes let this one through at once.
    let begun = Ok::<_, Infallible>(Event::default().comment("listening"));
    let events = once(ready(begun)).chain(events);
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    (unbuffered, Sse::new(events).keep_alive(alive)).into_response()
}

struct LiveStream {
    changes: broadcast::Receiver<IndexChange>,
    stopped: tokio::sync::watch::Receiver<bool>,
    _turn: tokio::sync::OwnedSemaphorePermit,
    _counted: super::metrics::MetricsListener,
}

impl LiveStream {
    async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            _ = self.stopped.wait_for(|stopped| *stopped) => None,
            change = self.changes.recv() => match change {
                Ok(change) => Some(change.event()),
                Err(RecvError::Lagged(number)) => {
                    Some(Event::default().event("lost").data(number.to_string()))
                }
                Err(RecvError::Closed) => None,
            },
        }
    }
}
