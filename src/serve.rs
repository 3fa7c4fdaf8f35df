//! Asking runvet over HTTP: directories of runs -> an interface for other programs, and a page for
//! browsers, that follow the directories.
//!
//! It listens, and connects to nothing; it reads runs, and writes nothing.

mod api;
mod asker;
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

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

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
use crate::look::watch::{News, Watch};
use crate::proof::Seal;
use crate::report::json_bytes;
use crate::report::page::RunItem;
use crate::store;
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

/// The time that answers in progress have when the service ends.
const MAX_END: Duration = Duration::from_secs(5);

/// The reason why a service could not start, or ended.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Error(String);

impl Error {
    /// Returns the error that the system gives no random bytes, from which the secrets of a login
    /// are made.
    fn random(why: getrandom::Error) -> Self {
        Self(format!("can't get random bytes from the system: {why}"))
    }

    /// Returns the error that the threads that answer could not be started.
    fn threads(why: &io::Error) -> Self {
        Self(format!("can't start the threads of the service: {why}"))
    }
}

/// A service that listens, and does not answer yet.
pub(crate) struct BoundService {
    watches: Vec<Watch>,
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
    stop: signal::Sender<bool>,
}

impl BoundService {
    /// Listens on an address; the port 0 stands for any free port.
    ///
    /// # Errors
    ///
    /// Where the address can't be listened on; where it is not a loopback address, and there is no
    /// token; and where the system gives no random bytes.
    pub(crate) fn bind(
        watches: Vec<Watch>,
        address: SocketAddr,
        token: Option<&str>,
        hosts: Vec<String>,
    ) -> Result<Self, Error> {
        if !address.ip().is_loopback() && token.is_none() {
            return Err(Error(format!(
                "{address} can be reached from other machines, which could read all runs: give a \
                token that they need, with --token-file, or listen on 127.0.0.1"
            )));
        }

        let wrong = |why: io::Error| Error(format!("can't listen on {address}: {why}"));
        let listener = TcpListener::bind(address).map_err(wrong)?;
        listener
            .set_nonblocking(true)
            .map_err(wrong)?;

        let address = listener.local_addr().map_err(wrong)?;
        Ok(Self {
            watches,
            address,
            listener,
            guard: Guard::new(address, token, hosts).map_err(Error::random)?,
            stop: signal::Sender::new(false),
        })
    }

    /// Returns the address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns the address of the page for a browser on this machine. Where a token is needed, its
    /// code lets the browser in once, within ten minutes.
    pub(crate) fn url_for_browser(&self) -> Result<String, Error> {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }

        Ok(match &self.guard.login {
            None => format!("http://{address}/"),
            Some(login) => {
                let code = login
                    .new_code()
                    .map_err(Error::random)?;
                format!("http://{address}/?code={code}")
            }
        })
    }

    /// Returns a function that makes the service finish the answers that it has begun, and end.
    pub(crate) fn stop(&self) -> impl Fn() + Send + Sync + use<> {
        let service = self.stop.clone();
        let watches: Vec<_> = self
            .watches
            .iter()
            .map(Watch::stop)
            .collect();

        move || {
            service.send_replace(true);
            for stop in &watches {
                stop();
            }
        }
    }

    /// Judges the runs of the directories as they are written, and answers, until it is stopped.
    /// Passes what the watches tell to `tell` too. The page says where the settings come from, and
    /// of each run whether it is as it was sealed.
    ///
    /// # Errors
    ///
    /// Where the threads can't be started, and if a directory no longer exists, or changes in it
    /// are no longer reported.
    pub(crate) fn run(
        self,
        gate: Gate,
        settings: String,
        seal: Option<Seal>,
        tell: impl Fn(&News) + Sync,
    ) -> Result<(), Error> {
        let stop = self.stop();
        // More threads than processors only keep each other from work.
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(processors.min(MAX_THREADS))
            .thread_name("runvet-serve")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|why| Error::threads(&why))?;
        let stopped = self.stop.subscribe();
        let dirs = self
            .watches
            .iter()
            .map(Watch::dir)
            .collect();
        let service = Arc::new(Service::new(
            self.guard, dirs, &gate, settings, seal, stopped,
        ));
        let gate = gate.keep_cards(true);
        let (watches, listener) = (&self.watches, self.listener);
        let unseen = AtomicUsize::new(watches.len());
        let follow = |watch: &Watch| {
            let ended = watch.run(&mut gate.clone(), |news| {
                tell(&news);
                // The whole is seen once each directory is.
                let is_part = matches!(news, News::AllSeen) && unseen.fetch_sub(1, Relaxed) > 1;
                if !is_part {
                    service.take(news);
                }

                if *service.stopped.borrow() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            stop();
            ended
        };

        let served = thread::scope(|scope| {
            let follow = &follow;
            let start = |watch| thread::Builder::new().spawn_scoped(scope, move || follow(watch));
            let threads: io::Result<Vec<_>> = watches.iter().map(start).collect();
            let answered = match &threads {
                Ok(_) => runtime.block_on(listen::listen(
                    listener,
                    router(&service),
                    service.stopped.clone(),
                    MAX_END,
                )),
                Err(_) => Ok(()),
            };

            stop();
            let threads = threads.map_err(|why| Error::threads(&why))?;
            answered.map_err(|why| Error::threads(&why))?;
            threads
                .into_iter()
                .try_for_each(|thread| match thread.join() {
                    Ok(ended) => ended.map_err(|why| Error(why.to_string())),
                    Err(panic) => std::panic::resume_unwind(panic),
                })
        });
        // A client that reads slowly does not keep the service from ending.
        runtime.shutdown_timeout(Duration::from_secs(1));

        served
    }
}

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
    bodies: Arc<Semaphore>,
    judged: Arc<Semaphore>,
    answers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
    numbers: Numbers,
    /// The sums that were made last, with the version of the index that they are of.
    overview: Mutex<Option<(u64, Arc<page::PageSums>)>>,
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
            bodies: Arc::new(Semaphore::new(api::MAX_BODIES / api::BODY_UNIT)),
            judged: Arc::new(Semaphore::new(api::MAX_JUDGED / api::BODY_UNIT)),
            answers: Arc::new(Semaphore::new(api::MAX_ANSWERS / api::BODY_UNIT)),
            readers: Arc::new(Semaphore::new(MAX_READERS)),
            searches: Arc::new(Semaphore::new(MAX_SEARCHES)),
            listeners: Arc::new(Semaphore::new(live::MAX_LISTENERS)),
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
        let listeners = live::MAX_LISTENERS - service.listeners.available_permits();
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
