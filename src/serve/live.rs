//! Changes of the index -> server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::future::ready;
use futures_util::stream::{iter, once, unfold};
use tokio::sync::watch as signal;

use super::Service;
use super::problem::Problem;
use crate::ground::parallel::locked;

/// The bytes of the latest changes that are kept for the clients that listen, together.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The maximum number of clients that listen at a time.
pub(super) const MAX_LISTENERS: usize = 256;

/// The latest changes, for all clients that listen: each has read them up to a number.
pub(super) struct ChangeFeed {
    /// The beginning of the ids of its changes: those of another process mean others.
    process: String,
    latest: Mutex<LatestChanges>,
    /// The number of changes so far.
    told: signal::Sender<u64>,
}

#[derive(Default)]
struct LatestChanges {
    changes: VecDeque<Change>,
    bytes: usize,
    /// The number of changes so far, counted from when a client first listened.
    told: u64,
    is_heard: bool,
}

/// A change, as the event that tells it has it.
#[derive(Clone)]
struct Change {
    name: &'static str,
    data: Arc<str>,
}

impl LatestChanges {
    /// Returns the change after a number of them; `None` where it is kept no more, or not yet
    /// there.
    fn after(&self, seen: u64) -> Option<&Change> {
        let to_come = usize::try_from(self.told.checked_sub(seen)?).ok()?;
        let place = self
            .changes
            .len()
            .checked_sub(to_come)?;

        self.changes.get(place)
    }
}

impl ChangeFeed {
    pub(super) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            process: format!("{:x}", now.unwrap_or_default().as_micros()),
            latest: Mutex::default(),
            told: signal::Sender::new(0),
        }
    }

    /// Adds a change, unless no client has ever listened.
    pub(super) fn tell(&self, name: &'static str, data: impl FnOnce() -> String) {
        let mut latest = locked(&self.latest);
        if !latest.is_heard {
            return;
        }

        let data: Arc<str> = data().into();
        latest.told += 1;
        latest.bytes += data.len();
        latest
            .changes
            .push_back(Change { name, data });
        while latest.bytes > MAX_KEPT_BYTES
            && latest.changes.len() > 1
            && let Some(oldest) = latest.changes.pop_front()
        {
            latest.bytes -= oldest.data.len();
        }

        self.told.send_replace(latest.told);
    }

    /// Returns the number of changes that a client has seen, which begins to listen or does so
    /// again after a change with an id; and, where it has missed some, their number at least.
    fn begin(&self, last: Option<&str>) -> (u64, Option<u64>) {
        let mut latest = locked(&self.latest);
        latest.is_heard = true;
        let Some(last) = last else {
            return (latest.told, None);
        };
        let seen = last
            .strip_prefix(&self.process)
            .and_then(|it| it.strip_prefix('-')?.parse().ok());

        match seen {
            Some(seen) if seen == latest.told || latest.after(seen).is_some() => (seen, None),
            _ => {
                let missed = latest
                    .told
                    .saturating_sub(seen.unwrap_or_default());
                (latest.told, Some(missed.max(1)))
            }
        }
    }

    fn id(&self, seen: u64) -> String {
        format!("{}-{seen}", self.process)
    }
}

/// A client that listens.
struct Listener {
    service: Arc<Service>,
    /// The number of changes that it has read.
    seen: u64,
    told: signal::Receiver<u64>,
    stopped: signal::Receiver<bool>,
    /// Its turn among those who may listen.
    _turn: tokio::sync::OwnedSemaphorePermit,
}

impl Listener {
    /// Waits for the next change; there is none where the service ends, and where the client is so
    /// slow that the change is kept no more.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let feed = &self.service.changes;
            let (told, next) = {
                let latest = locked(&feed.latest);
                (latest.told, latest.after(self.seen).cloned())
            };

            if let Some(change) = next {
                self.seen += 1;
                let event = Event::default()
                    .id(feed.id(self.seen))
                    .event(change.name);
                return Some(event.data(change.data));
            }

            if self.seen < told {
                return None;
            }

            tokio::select! {
                biased;
                _ = self.stopped.wait_for(|stopped| *stopped) => return None,
                told = self.told.changed() => told.ok()?,
            }
        }
    }
}

/// `GET /api/v1/changes`: `verdict` with the run's item when a verdict is new or differs from the
/// last one, `written` with the directory of a run whose files were written and whose item differs
/// at most in what the run does now, `gone` with the directory of a run that is gone, and `whole`
/// when `complete` or the faults of the statistics have changed.
///
/// A client that is too slow is disconnected. One that comes again with the id of the last change
/// that it has read goes on there, if what came after it is still kept; else it gets `lost` with
/// the number of changes that it has missed, and must ask for the list again.
pub(super) async fn changes(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    let Ok(turn) = Arc::clone(&service.turns.listeners).try_acquire_owned() else {
        let detail = format!("{MAX_LISTENERS} clients listen already");
        return Problem::busy(detail).into_response();
    };

    let told = service.changes.told.subscribe();
    let last_id = headers
        .get("last-event-id")
        .and_then(|it| it.to_str().ok());
    let (seen, missed) = service.changes.begin(last_id);
    let id = service.changes.id(seen);
    let lost = missed.map(|missed| {
        let event = Event::default().id(&id).event("lost");
        Ok(event.data(missed.to_string()))
    });
    let listener = Listener {
        seen,
        told,
        stopped: service.stopped.clone(),
        _turn: turn,
        service,
    };

    let events = unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok(event), listener))
    });
    // Proxies that hold answers back until they have some bytes let this one through at once.
    let begun = Ok::<_, Infallible>(
        Event::default()
            .comment("listening")
            .id(id),
    );
    let events = once(ready(begun))
        .chain(iter(lost))
        .chain(events);
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];

    (unbuffered, Sse::new(events).keep_alive(alive)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_wait_are_bounded_in_bytes() {
        let feed = ChangeFeed::new();
        feed.tell("verdict", || panic!("nobody listens"));
        let (seen, missed) = feed.begin(None);
        assert_eq!((seen, missed), (0, None));
        for _ in 0..100 {
            feed.tell("verdict", || "x".repeat(50 << 10));
            assert!(locked(&feed.latest).bytes <= MAX_KEPT_BYTES);
        }
        assert!(
            locked(&feed.latest)
                .after(seen)
                .is_none()
        );
        // A client that comes again goes on after its last id, or learns how many it has missed.
        assert_eq!(feed.begin(Some(&feed.id(90))), (90, None));
        assert_eq!(feed.begin(Some(&feed.id(100))), (100, None));
        assert_eq!(feed.begin(Some(&feed.id(10))), (100, Some(90)));
        assert_eq!(feed.begin(Some("another-7")), (100, Some(100)));
        // A change that is larger than all that is kept is sent all the same.
        feed.tell("verdict", || "x".repeat(2 << 20));
        assert!(
            locked(&feed.latest)
                .after(100)
                .is_some()
        );
    }
}
