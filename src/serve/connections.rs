//! Connections and the addresses that they come from -> which of them has to go when there are too
//! many.

use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use hyper::body::{Bytes, Frame, SizeHint};
use tokio::sync::{Notify, OwnedSemaphorePermit};

use crate::ground::parallel::locked;

/// The maximum number of connections at a time; others wait until one ends.
const MAX_CONNECTIONS: usize = 512;

/// The maximum number of connections from one address, so that no client takes all of them.
const MAX_OF_ADDRESS: usize = 256;

/// The number of requests after which a connection is closed.
const MAX_REQUESTS: usize = 1_000;

/// The age after which a connection is closed when its next request is answered.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The connections that are open.
#[derive(Debug, Default)]
pub(super) struct Connections(Mutex<Vec<Arc<Connection>>>);

/// A connection of a client.
#[derive(Debug)]
pub(super) struct Connection {
    address: IpAddr,
    begun: Instant,
    activity: Mutex<Activity>,
    close: Notify,
}

#[derive(Debug)]
struct Activity {
    /// The number of requests so far.
    requests: usize,
    /// The number of them that are being answered.
    open: usize,
    /// `true` if a request was allowed.
    is_known: bool,
    /// The instant at which the connection or its last answer began or ended.
    last: Instant,
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Asking(Arc<Connection>);

impl Connections {
    /// Returns `true` if there is room for another connection, or will be when an idle one goes.
    pub(super) fn has_place(&self) -> bool {
        let open = locked(&self.0);
        open.len() < MAX_CONNECTIONS
            || open
                .iter()
                .any(|it| it.activity().open == 0)
    }

    /// Takes in a connection. Where there are too many, one that is not being answered is closed:
    /// first those of which no request was allowed, then the one that has been idle the longest.
    pub(super) fn admit(&self, address: IpAddr) -> Option<Arc<Connection>> {
        let address = network(address);
        let mut open = locked(&self.0);
        let of_address = open
            .iter()
            .filter(|it| it.address == address)
            .count();
        let is_crowded = of_address >= MAX_OF_ADDRESS;
        if is_crowded || open.len() >= MAX_CONNECTIONS {
            let idle = open
                .iter()
                .enumerate()
                .filter_map(|(index, it)| {
                    let activity = it.activity();
                    (activity.open == 0 && (!is_crowded || it.address == address))
                        .then_some(((activity.is_known, activity.last), index))
                });
            let (_, first) = idle.min()?;
            open.swap_remove(first)
                .close
                .notify_one();
        }

        let now = Instant::now();
        let connection = Arc::new(Connection {
            address,
            begun: now,
            activity: Mutex::new(Activity {
                requests: 0,
                open: 0,
                is_known: false,
                last: now,
            }),
            close: Notify::new(),
        });
        open.push(Arc::clone(&connection));

        Some(connection)
    }

    pub(super) fn leave(&self, connection: &Arc<Connection>) {
        locked(&self.0).retain(|it| !Arc::ptr_eq(it, connection));
    }
}

/// Returns what stands for the addresses that one client may have.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl Connection {
    fn activity(&self) -> MutexGuard<'_, Activity> {
        locked(&self.activity)
    }

    /// Notes that a request is being answered.
    pub(super) fn ask(self: &Arc<Self>) -> Asking {
        let mut activity = self.activity();
        activity.requests += 1;
        activity.open += 1;
        drop(activity);
        Asking(Arc::clone(self))
    }

    /// Waits until it has to go.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }
}

impl Asking {
    /// Notes that the request is allowed.
    pub(super) fn allow(&self) {
        self.0.activity().is_known = true;
    }

    /// Returns `true` if the connection has been used for long.
    pub(super) fn is_last(&self) -> bool {
        self.0.activity().requests >= MAX_REQUESTS || self.0.begun.elapsed() >= MAX_AGE
    }

    /// Keeps the request open, and a turn, until its answer is written.
    pub(super) fn until_end_of(
        self,
        response: Response,
        turn: Option<OwnedSemaphorePermit>,
    ) -> Response {
        response.map(|body| {
            Body::new(ResponseBody {
                body,
                rest: Bytes::new(),
                _held: (self, turn),
            })
        })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut activity = self.0.activity();
        activity.open -= 1;
        activity.last = Instant::now();
    }
}

/// The size of the pieces of an answer. What is handed over of it may wait for the client when the
/// answer itself is gone.
pub(super) const PIECE: usize = 64 << 10;

/// The body of an answer.
struct ResponseBody {
    body: Body,
    /// The bytes that were taken of the body, and not yet handed over.
    rest: Bytes,
    _held: (Asking, Option<OwnedSemaphorePermit>),
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let polled = ready!(Pin::new(&mut self.body).poll_frame(context));
            match polled.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) if data.len() > PIECE => self.rest = data,
                Some(Ok(Ok(data))) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                Some(Ok(Err(frame))) => return Poll::Ready(Some(Ok(frame))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }

        let size = self.rest.len().min(PIECE);
        // A copy: a piece of it would keep all of it.
        let piece = Bytes::copy_from_slice(&self.rest.split_to(size));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (of_body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(of_body.lower() + rest);
        if let Some(upper) = of_body.upper() {
            hint.set_upper(upper + rest);
        }

        hint
    }
}

#[cfg(test)]
mod tests {
    use hyper::body::Body as _;
    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn answer_has_its_turn_until_its_last_piece_is_taken() {
        let (connections, turns) = (Connections::default(), Arc::new(Semaphore::new(1)));
        let connection = connections
            .admit([127, 0, 0, 1].into())
            .unwrap();
        let turn = Arc::clone(&turns)
            .try_acquire_owned()
            .unwrap();
        let text: Vec<u8> = (0..=250)
            .cycle()
            .take(PIECE * 2 + 7)
            .collect();
        let answer = Response::new(Body::from(text.clone()));
        let mut body = connection
            .ask()
            .until_end_of(answer, Some(turn))
            .into_body();
        let mut context = Context::from_waker(std::task::Waker::noop());
        let (mut taken, mut left) = (Vec::new(), text.len());
        while !body.is_end_stream() {
            assert_eq!(body.size_hint().exact(), Some(left as u64));
            assert_eq!(
                (turns.available_permits(), connection.activity().open),
                (0, 1)
            );
            let polled = Pin::new(&mut body).poll_frame(&mut context);
            let Poll::Ready(Some(Ok(frame))) = polled else {
                panic!("{polled:?}");
            };
            let piece = frame.into_data().unwrap();
            assert!(piece.len() <= PIECE);
            left -= piece.len();
            taken.extend(piece);
        }
        assert!(taken == text);
        drop(body);
        assert_eq!(
            (turns.available_permits(), connection.activity().open),
            (1, 0)
        );
    }
}
