//! A request -> whether it may be answered, by its host, its origin and its token. Every answer ->
//! one that a browser gives no powers.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Body as _;
use tokio::sync::OwnedSemaphorePermit;

use super::Service;
use super::api::{BODY_UNIT, MAX_ANSWERS};
use super::asker::MAX_TIME;
use super::connections::{Asking, Connection, PIECE};
use super::login::Login;
use super::problem::Problem;
use crate::ground::digest::Digest;
use crate::ground::printable::quote;

/// The maximum number of bytes of an answer with a tag, which takes a digest of all of them.
const MAX_TAGGED: usize = 1 << 20;

/// The rights of a page of the service in a browser: to use the style and the script of the
/// service, and to ask the service. The page may not load anything else, nor be shown inside
/// another page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
    img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types runvet runvet-live";

/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// The requests that are allowed.
#[derive(Debug)]
pub(super) struct Guard {
    is_loopback: bool,
    hosts: Vec<String>,
    /// The ways to be let in, where a token is needed.
    pub(super) login: Option<Login>,
}

impl Guard {
    /// Returns a guard that lets in who has the token, if there is one: as `Authorization: Bearer`,
    /// or by the cookie of a browser that was let in. `Host` may have these names, without a port,
    /// besides those of the loopback address.
    pub(super) fn new(
        listens: SocketAddr,
        token: Option<&str>,
        hosts: Vec<String>,
    ) -> Result<Self, getrandom::Error> {
        Ok(Self {
            is_loopback: listens.ip().is_loopback(),
            hosts,
            login: token.map(Login::new).transpose()?,
        })
    }

    /// Returns the login, if a request asks to be let in, and whether it has been before.
    fn asked_login(&self, request: &Request) -> Option<(&Login, bool)> {
        let login = self.login.as_ref()?;
        let is_known = login.has_cookie(request.headers());
        Login::is_asked(request, is_known).then_some((login, is_known))
    }

    /// Checks that a request is sent to this service, and by no page of another site.
    fn check_source(&self, headers: &HeaderMap, is_login: bool) -> Result<(), Problem> {
        let host = one(headers, &header::HOST)?
            .ok_or_else(|| Problem::bad("the request has no `Host`"))?;
        if self.is_loopback && !self.is_own(host) {
            let detail = format!(
                "`Host` is {}, which names no loopback address; if this service is meant, start \
                 it with --allowed-host and that name",
                quote(host)
            );
            return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail));
        }

        // A login needs no other proof than the token, and proxies may pass on another `Host`.
        if let Some(origin) = one(headers, &header::ORIGIN)?.filter(|_| !is_login) {
            let page = origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"));
            if page != Some(host) {
                let detail = "the request comes from a page of another origin";
                return Err(Problem::new(StatusCode::FORBIDDEN, detail));
            }
        }

        Ok(())
    }

    /// Checks that a request may read runs, or asks for what everybody may have.
    fn check_token(&self, headers: &HeaderMap, path: &str) -> Result<(), Problem> {
        let Some(login) = &self.login else {
            return Ok(());
        };
        let given = one(headers, &header::AUTHORIZATION)?.and_then(bearer);
        if matches!(path, "/healthz" | "/readyz" | "/static/style.css")
            || given.is_some_and(|given| login.is_token(given))
            || login.has_cookie(headers)
        {
            return Ok(());
        }

        let detail = "this service needs `Authorization: Bearer` with the token of its token \
            file; a browser is asked for it at `/`";
        Err(Problem::new(StatusCode::UNAUTHORIZED, detail))
    }

    /// Returns `true` if a host names this machine. The port may be another one: that of a tunnel
    /// or a proxy. A foreign page that has its name resolved to this machine still sends its own
    /// name.
    fn is_own(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.parse::<u16>().is_ok() => name,
            _ => host,
        };

        let is_loopback = name
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse()
            .is_ok_and(|ip: IpAddr| ip.is_loopback());
        let mut names = self
            .hosts
            .iter()
            .map(|host| &**host)
            .chain(["localhost"]);

        is_loopback || names.any(|known| name.eq_ignore_ascii_case(known))
    }
}

/// Returns the value of a header that may be given once.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let (value, other) = (values.next(), values.next());
    match (value.map(HeaderValue::to_str), other) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value)),
        _ => Err(Problem::bad(format!(
            "`{name}` is given twice, or is not text"
        ))),
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim())
}

/// Sets the headers of every answer, and of the last one of a connection.
fn set_headers(headers: &mut HeaderMap, is_last: bool) {
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }

    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));

    if is_last {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
}

/// Lets a request through or refuses it, and sets the headers of every answer.
pub(super) async fn guard(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response {
    // The answer to `HEAD` is that to `GET`; its body is not sent.
    if request.method() == Method::HEAD {
        *request.method_mut() = Method::GET;
    }

    let begun = Instant::now();
    let login = service.guard.asked_login(&request);
    let (headers, path) = (request.headers(), request.uri().path());
    let allowed = service
        .guard
        .check_source(headers, login.is_some())
        .and_then(|()| match login {
            Some(_) => Ok(()),
            None => service.guard.check_token(headers, path),
        });
    let is_get = request.method() == Method::GET;
    let known = headers
        .get(header::IF_NONE_MATCH)
        .cloned();
    let asking = request
        .extensions()
        .get::<Arc<Connection>>()
        .map(Connection::ask);
    let is_refused = allowed.is_err() || login.is_some();
    if let Some(asking) = asking.as_ref().filter(|_| !is_refused) {
        asking.allow();
    }

    let response = match allowed {
        Ok(()) => answer(login, request, next).await,
        Err(problem) => problem.into_response(),
    };
    let (mut response, turn) = match turn(&service, &response) {
        Ok(turn) => (response, turn),
        Err(problem) => (problem.into_response(), None),
    };
    if is_get {
        response = tagged(response, known.as_ref()).await;
    }

    service
        .numbers
        .answered(response.status(), begun.elapsed());

    let is_last = is_refused
        || asking
            .as_ref()
            .is_some_and(Asking::is_last);
    set_headers(response.headers_mut(), is_last);

    match asking {
        Some(asking) => asking.until_end_of(response, turn),
        None => response,
    }
}

/// Answers a request that is allowed, within the time that an answer may take.
async fn answer(login: Option<(&Login, bool)>, request: Request, next: Next) -> Response {
    let answered = async {
        match login {
            Some((login, is_known)) => login.answer(request, is_known).await,
            None => next.run(request).await,
        }
    };

    tokio::time::timeout(MAX_TIME, answered)
        .await
        .unwrap_or_else(|_| {
            Problem::busy("the answer would take too long; try again").into_response()
        })
}

/// Gives a small answer a tag that stands for its bytes. A client that knows it gets nothing else.
async fn tagged(response: Response, known: Option<&HeaderValue>) -> Response {
    let size = response.body().size_hint().exact();
    let is_small = size.is_some_and(|size| size <= MAX_TAGGED as u64);
    if response.status() != StatusCode::OK || !is_small {
        return response;
    }

    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_TAGGED).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    // Weak: the bytes that are sent may be a compressed form of these.
    let opaque = format!("\"{}\"", Digest::of([&*bytes]));
    let tag = format!("W/{opaque}");
    let known = known.and_then(|known| known.to_str().ok());
    let is_known = known.is_some_and(|known| {
        let mut known = known.split(',').map(str::trim);
        known.any(|known| known == "*" || known.trim_start_matches("W/") == opaque)
    });
    let kept = HeaderValue::from_static("private, no-cache");

    parts
        .headers
        .insert(header::CACHE_CONTROL, kept);

    let varying = HeaderValue::from_static("accept-encoding");
    parts
        .headers
        .insert(header::VARY, varying);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, tag);
    }
    if !is_known {
        return Response::from_parts(parts, Body::from(bytes));
    }

    parts.status = StatusCode::NOT_MODIFIED;
    parts
        .headers
        .remove(header::CONTENT_TYPE);
    parts
        .headers
        .remove(header::CONTENT_LENGTH);

    Response::from_parts(parts, Body::empty())
}

/// Returns the memory that an answer has until its client has taken it; none where it is small.
fn turn(service: &Service, answer: &Response) -> Result<Option<OwnedSemaphorePermit>, Problem> {
    let bytes = answer.body().size_hint().lower();
    if bytes <= PIECE as u64 {
        return Ok(None);
    }

    // One that is larger than the limit has all of it.
    let units = bytes
        .min(MAX_ANSWERS as u64)
        .div_ceil(BODY_UNIT as u64);
    let units = u32::try_from(units).unwrap_or(u32::MAX);

    Arc::clone(&service.turns.answers)
        .try_acquire_many_owned(units)
        .map(Some)
        .map_err(|_| {
            Problem::busy("too many large answers wait for their clients to take them; try again")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(guard: &Guard, headers: &[(HeaderName, &str)]) -> u16 {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().unwrap()));
        let headers = headers.collect();
        let checked = guard
            .check_source(&headers, false)
            .and_then(|()| guard.check_token(&headers, "/"));
        checked.map_or_else(|problem| problem.status, |()| 200)
    }

    #[test]
    fn host_is_this_machine_or_allowed() {
        let hosts = vec!["runs.example".into()];
        let guard = Guard::new("127.0.0.1:8123".parse().unwrap(), None, hosts).unwrap();
        let host = |host| checked(&guard, &[(header::HOST, host)]);
        for own in [
            "127.0.0.1:8123",
            "localhost:8123",
            "LOCALHOST:8123",
            "[::1]:8123",
            "localhost:9000",
            "127.0.0.1",
            "[::1]",
            "Runs.example:443",
            "runs.example",
        ] {
            assert_eq!(host(own), 200, "{own}");
        }
        for other in [
            "evil.example:8123",
            "evil.runs.example",
            "localhost:port",
            "localhost.evil.example:8123",
            "10.0.0.1:8123",
            "",
            "127.0.0.1:8123:8123",
        ] {
            assert_eq!(host(other), 421, "{other}");
        }
        assert_eq!(checked(&guard, &[]), 400);
    }

    #[test]
    fn origin_is_the_service_itself() {
        let guard = Guard::new("127.0.0.1:8123".parse().unwrap(), None, Vec::new()).unwrap();
        let host = (header::HOST, "127.0.0.1:8123");
        let origin = |origin| checked(&guard, &[host.clone(), (header::ORIGIN, origin)]);
        assert_eq!(origin("http://127.0.0.1:8123"), 200);
        for other in [
            "null",
            "http://evil.example",
            "http://localhost:8123",
            "http://127.0.0.1",
        ] {
            assert_eq!(origin(other), 403, "{other}");
        }
    }

    #[test]
    fn token_is_needed_where_there_is_one() {
        let token = Some("0123456789abcdef");
        let guard = Guard::new("0.0.0.0:8123".parse().unwrap(), token, Vec::new()).unwrap();
        let host = (header::HOST, "runs.example");
        assert_eq!(checked(&guard, std::slice::from_ref(&host)), 401);
        for (value, status) in [
            ("Bearer 0123456789abcdef", 200),
            ("bearer 0123456789abcdef", 200),
            ("Bearer 0123456789abcde", 401),
            ("Basic 0123456789abcdef", 401),
        ] {
            let authorization = (header::AUTHORIZATION, value);
            assert_eq!(
                checked(&guard, &[host.clone(), authorization]),
                status,
                "{value}"
            );
        }
    }

    #[test]
    fn answers_that_wait_for_their_clients_are_limited_together() {
        let (_stop, stopped) = tokio::sync::watch::channel(false);
        let guard = Guard::new("127.0.0.1:8123".parse().unwrap(), None, Vec::new()).unwrap();
        let service = Service::new(
            guard,
            Vec::new(),
            &crate::gate::Gate::default(),
            String::new(),
            None,
            stopped,
        );
        let turn = |bytes: usize| turn(&service, &Response::new(vec![0; bytes].into()));
        let (first, second) = (turn(60 << 20).unwrap(), turn(60 << 20).unwrap());
        assert!(first.is_some());
        assert_eq!(turn(10 << 20).unwrap_err().status, 503);
        assert!(turn(PIECE).unwrap().is_none());
        drop(first);
        assert!(turn(10 << 20).unwrap().is_some());
        drop(second);
        let all = turn(200 << 20).unwrap();
        assert_eq!(turn(PIECE + 1).unwrap_err().status, 503);
        drop(all);
    }
}
