//! A listening socket -> connections, as many as there is room for, each with limits on its time.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Request, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;

use super::connections::Connections;

/// The time in which a client must send the head of a request, also of the next one.
const MAX_HEAD_TIME: Duration = Duration::from_secs(15);

/// The time in which a client must take something of an answer.
const MAX_WRITE_TIME: Duration = Duration::from_secs(30);

/// The maximum size of the head of a request.
const MAX_HEAD_BYTES: usize = 32 << 10;

/// The time to wait where no connection can be accepted, such as without free file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Returns an address that a proxy has put together from a prefix and a path, each with a slash.
fn without_doubled_slash(uri: &Uri) -> Option<Uri> {
    let path = uri.path_and_query()?.as_str();
    path.starts_with("//").then(|| {
        format!("/{}", path.trim_start_matches('/'))
            .parse()
            .ok()
    })?
}

/// Answers until it is stopped; answers in progress then have some time.
pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    mut stopped: watch::Receiver<bool>,
    max_end: Duration,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Arc::new(Connections::default());
    let graceful = GracefulShutdown::new();

    loop {
        let accepted = tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => break,
            accepted = listener.accept(), if connections.has_place() => accepted.ok(),
            () = tokio::time::sleep(PAUSE), if !connections.has_place() => None,
        };

        let Some((stream, address)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };

        let Some(connection) = connections.admit(address.ip()) else {
            continue;
        };
        // Answers are short, and their clients wait for them.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(MAX_WRITE_TIME));

        let (router, asking) = (
            TowerToHyperService::new(router.clone()),
            Arc::clone(&connection),
        );
        let service = service_fn(move |mut request: Request<Incoming>| {
            if let Some(uri) = without_doubled_slash(request.uri()) {
                *request.uri_mut() = uri;
            }
            request
                .extensions_mut()
                .insert(Arc::clone(&asking));
            router.call(request)
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(MAX_HEAD_TIME)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let served = graceful.watch(served);
        let connections = Arc::clone(&connections);

        tokio::spawn(async move {
            // What a client does wrong is its own affair.
            tokio::select! {
                _ = served => {}
                () = connection.closed() => {}
            }
            connections.leave(&connection);
        });
    }

    drop(listener);
    let _ = tokio::time::timeout(max_end, graceful.shutdown()).await;
    Ok(())
}
