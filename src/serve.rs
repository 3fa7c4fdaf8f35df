//! Asking runvet over HTTP: directories of runs -> an interface for other programs, and a page for
//! browsers, that follow the directories.
//!
//! It listens, and connects to nothing; it reads runs, and writes nothing.

mod api;
mod asker;
mod bound;
mod connections;
mod guard;
mod index;
mod listen;
mod live;
mod login;
mod metrics;
mod openapi;
mod page;
mod problem;
mod process;
mod query;
mod search;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use tokio::sync::{Semaphore, watch as signal};
use tower_http::compression::CompressionLayer;

use crate::gate::Gate;
use crate::ground::finding::{Lifecycle, RunEntry};
use crate::look::watch::News;
use crate::proof::Seal;
use crate::report::json_bytes;
use crate::report::page::RunItem;
use crate::store;
pub(crate) use bound::BoundService;
use guard::Guard;
use index::Index;
use live::ChangeFeed;
use metrics::Numbers;
use problem::Problem;

/// The number of runs that are read for answers at a time.
const MAX_READERS: usize = 4;

/// The number of timelines that are searched at a time: others are read in the meantime.
const MAX_SEARCHES: usize = 2;

/// The maximum number of threads that answer. What takes long is done by others.
const MAX_THREADS: usize = 4;

/// The number of runs that are judged for the first time between two reports of their number.
const TOLD: usize = 256;

/// The state that all answers are made from.
struct Service {
    guard: Guard,
    /// The directories whose runs it gives.
    dirs: Vec<PathBuf>,
    index: RwLock<Index>,
    gate: Gate,
    /// The sources of the settings, in a few words.
    settings: String,
    seal: Option<Seal>,
    /// The gates that judge what is posted. They keep their buffers from one request to the next.
    judges: Mutex<Vec<Gate>>,
    changes: ChangeFeed,
    stopped: signal::Receiver<bool>,
    turns: Turns,
    numbers: Numbers,
    /// The sums that were made last, with the version of the index that they are of.
    overview: Mutex<Option<(u64, Arc<page::PageSums>)>>,
}

/// The memory that requests share. A request that needs more than is left waits, or is refused.
struct Turns {
    /// The memory for bodies that are received, in units.
    bodies: Arc<Semaphore>,
    /// The memory for bodies that are judged.
    judged: Arc<Semaphore>,
    /// The memory for answers that wait for their clients.
    answers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
}

impl Turns {
    fn new() -> Self {
        let of = |number| Arc::new(Semaphore::new(number));
        Self {
            bodies: of(api::MAX_BODIES / api::BODY_UNIT),
            judged: of(api::MAX_JUDGED / api::BODY_UNIT),
            answers: of(api::MAX_ANSWERS / api::BODY_UNIT),
            readers: of(MAX_READERS),
            searches: of(MAX_SEARCHES),
            listeners: of(live::MAX_LISTENERS),
        }
    }
}

impl Service {
    fn new(
        guard: Guard,
        dirs: Vec<PathBuf>,
        gate: &Gate,
        settings: String,
        seal: Option<Seal>,
        stopped: signal::Receiver<bool>,
    ) -> Self {
        // For one run at a time.
        let gate = gate
            .clone()
            .jobs(NonZeroUsize::MIN)
            .keep_cards(false);
        let numbers = Numbers::new(gate.active_rules());

        Self {
            guard,
            dirs,
            index: RwLock::default(),
            judges: Mutex::default(),
            gate,
            settings,
            seal,
            changes: ChangeFeed::new(),
            stopped,
            turns: Turns::new(),
            numbers,
            overview: Mutex::default(),
        }
    }

    fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.index
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, Index> {
        self.index
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in an event of the watch.
    fn take(&self, news: News) {
        match news {
            News::Judged(report) => {
                let path = report.key.as_path();
                let mut run = RunEntry::judged(&report);
                if run.lifecycle == Lifecycle::NonTerminal {
                    run.written = store::last_written(path);
                }

                self.note_arrival(path, &run);
                if self.index_mut().put(path, run.clone()) {
                    self.numbers.judged();
                    self.tell("verdict", &RunItem::from(&run));
                } else {
                    self.tell("written", &serde_json::json!({ "dir": &run.dir }));
                }

                let index = self.index();
                let is_told = index.is_under_way()
                    && index
                        .entries()
                        .len()
                        .is_multiple_of(TOLD);
                drop(index);
                if is_told {
                    self.tell_of_the_whole();
                }
            }
            News::Gone(dir) => {
                let was_known = self.index_mut().remove(&dir);
                if was_known {
                    let dir = store::display(&dir);
                    self.tell("gone", &serde_json::json!({ "dir": dir }));
                }
            }
            News::Fault(_) | News::FaultGone(_) | News::Found(_) | News::AllSeen => {
                self.index_mut().note(news);
                self.tell_of_the_whole();
            }
            News::PassedOver(_) => {}
        }
    }

    /// Notes when a run that was not known arrived: one that was there at the start, when it
    /// started by its records.
    fn note_arrival(&self, path: &Path, run: &RunEntry) {
        let index = self.index();
        if !index
            .entries()
            .contains_key(path.as_os_str())
        {
            let started = index
                .is_under_way()
                .then_some(run.started_sec());
            self.numbers
                .arrived(started.map(Option::unwrap_or_default));
        }
    }

    /// Tells how far the service is with looking at all runs, where that has changed.
    fn tell_of_the_whole(&self) {
        let index = self.index();
        let whole = serde_json::json!({
            "complete": index.is_complete(), "faults": index.fault_count(),
            "judged": index.entries().len(), "found": index.found(),
        });
        drop(index);
        self.tell("whole", &whole);
    }

    fn tell(&self, name: &'static str, data: &impl Serialize) {
        self.changes.tell(name, || {
            String::from_utf8(json_bytes(data)).unwrap_or_default()
        });
    }
}

fn router(service: &Arc<Service>) -> Router {
    Router::new()
        .route("/api/v1/runs/{id}", get(api::run))
        .route("/api/v1/runs/{id}/records/{name}", get(api::record))
        .route("/api/v1/statistics", get(api::statistics))
        .route("/api/v1/rules", get(api::rules))
        .route("/api/v1/schemas/{name}", get(api::schema))
        .route("/api/v1/openapi.json", get(api::description))
        .route("/api/v1/check", post(api::check))
        .route("/api/v1/changes", get(live::changes))
        .route("/metrics", get(numbers))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readiness))
        .route_layer(from_fn(api::without_query))
        .route("/api/v1/runs", get(api::runs))
        .route("/api/v1/runs/{id}/events", get(api::events))
        .route("/api/v1/run", get(api::run_in))
        .route("/api/v1/events", get(api::events_in))
        .route("/api/v1/record", get(api::record_in))
        .route("/api/v1/attachment", get(api::attachment))
        .route("/api/v1/diff", get(api::diff))
        .route("/api/v1/groups", get(api::groups))
        .merge(page::routes())
        .fallback(|| async { Problem::missing("there is nothing at this address") })
        .method_not_allowed_fallback(|| async {
            let detail = "this address does not support the method";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
        })
        .layer(DefaultBodyLimit::max(api::MAX_BODY))
        .layer(from_fn_with_state(Arc::clone(service), guard::guard))
        // Not of event streams, whose clients wait for each event.
        .layer(CompressionLayer::new())
        .with_state(Arc::clone(service))
}

/// `GET /readyz`
async fn readiness(State(service): State<Arc<Service>>) -> Result<&'static str, Problem> {
    if service.index().is_under_way() {
        let detail = "runs are still being judged for the first time";
        return Err(Problem::busy(detail));
    }
    Ok("ok\n")
}

/// `GET /metrics`
async fn numbers(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let accepted = headers
        .get(header::ACCEPT)
        .map(HeaderValue::as_bytes);
    let accepted = String::from_utf8_lossy(accepted.unwrap_or_default());
    let is_classic = accepted.contains("text/plain") && !accepted.contains("openmetrics");
    let kind = if is_classic {
        metrics::CLASSIC
    } else {
        metrics::OPEN_METRICS
    };

    let text = api::in_thread(move || {
        let running = service.index().running();
        let listeners = live::MAX_LISTENERS
            - service
                .turns
                .listeners
                .available_permits();
        (service.numbers).text(&service.sums(), &running, listeners, is_classic)
    })
    .await?;

    Ok(match text {
        Ok(text) => of_type(kind, text),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    })
}

fn json(value: &impl Serialize) -> Response {
    of_type("application/json", json_bytes(value))
}

/// Returns an answer of a media type.
fn of_type(kind: &'static str, body: impl IntoResponse) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn service_is_ready_once_all_runs_were_looked_at() {
        let (_stop, stopped) = signal::channel(false);
        let guard = Guard::new(([127, 0, 0, 1], 8123).into(), None, Vec::new()).unwrap();
        let service = Arc::new(Service::new(
            guard,
            Vec::new(),
            &Gate::default(),
            String::new(),
            None,
            stopped,
        ));
        let early = readiness(State(Arc::clone(&service))).await;
        assert_eq!(early.unwrap_err().status, 503);
        service.take(News::AllSeen);
        assert_eq!(readiness(State(service)).await.unwrap(), "ok\n");
    }
}
