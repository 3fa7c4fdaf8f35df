//! An address and directories -> a service that listens, and answers until it is stopped.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch as signal;

use super::guard::Guard;
use super::{MAX_THREADS, Service, listen, router};
use crate::gate::Gate;
use crate::look::watch::{News, Watch};
use crate::proof::Seal;

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
        let runtime = runtime()?;
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
                pass_on(news, &service, &unseen)
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

/// Passes what a watch tells on to a service; `unseen` is the number of directories whose runs were
/// not all looked at.
fn pass_on(news: News, service: &Service, unseen: &AtomicUsize) -> ControlFlow<()> {
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
}

/// Starts the threads that answer: no more than there are processors, which would only keep each
/// other from work.
fn runtime() -> Result<Runtime, Error> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(processors.min(MAX_THREADS))
        .thread_name("runvet-serve")
        .enable_io()
        .enable_time()
        .build()
        .map_err(|why| Error::threads(&why))
}
