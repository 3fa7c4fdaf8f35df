//! A listening socket -> connections, as many as there is room for, each with limits on its time.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

/// The maximum number of connections at a time; others wait until one ends.
const MAX_CONNECTIONS: usize = 512;

/// The time in which a client must send the head of a request, also of the next one.
const MAX_HEAD_TIME: Duration = Duration::from_secs(15);

/// The time in which a client must take something of an answer.
const MAX_WRITE_TIME: Duration = Duration::from_secs(30);

/// The maximum size of the head of a request.
const MAX_HEAD_BYTES: usize = 32 << 10;

/// The time to wait where no connection can be accepted, such as without free file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers until it is stopped; answers in progress then have some time.
pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    mut stopped: watch::Receiver<bool>,
    max_end: Duration,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => break,
            accepted = accept(&listener, &room) => accepted,
        };
        let Some((stream, turn)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Answers are short, and their clients wait for them.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(MAX_WRITE_TIME));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(MAX_HEAD_TIME)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(
                TokioIo::new(Box::pin(stream)),
                TowerToHyperService::new(router.clone()),
            );
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // What a client does wrong is its own affair.
            let _ = connection.await;
            drop(turn);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(max_end, graceful.shutdown()).await;
    Ok(())
}

async fn accept(
    listener: &tokio::net::TcpListener,
    room: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let turn = Arc::clone(room).acquire_owned().await.ok()?;
    let (stream, _) = listener.accept().await.ok()?;
    Some((stream, turn))
}
