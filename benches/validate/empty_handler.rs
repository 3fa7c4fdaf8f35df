//! A service over HTTP that reads each body and does nothing with it: what answering alone costs.

use std::net::Ipv4Addr;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The argument that makes this program be that service.
pub(crate) const NAME: &str = "empty-handler";

/// Prints its address, and answers until the process ends.
pub(crate) fn serve() {
    let runtime = Runtime::new().expect("threads can be started");
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a port is free");
        let address = listener
            .local_addr()
            .expect("it has an address");
        println!("http://{address}/");
        let service = Router::new().route("/", post(|_: Bytes| async {}));
        axum::serve(listener, service)
            .await
            .expect("it answers");
    });
}
