//! Records that are posted -> the report on them. The bytes that are held, and judged, at a time
//! are limited.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::{HeaderMap, StatusCode, header};

use super::{Answer, BODY_UNIT, MAX_BODY, in_thread};
use crate::gate::CheckRequest;
use crate::ground::parallel::locked;
use crate::serve::problem::Problem;
use crate::serve::{MAX_THREADS, Service, json};
use crate::store::LARGE_BYTES;

/// A small body: checking it takes less time than handing it to another thread.
const SMALL_BODY: usize = 64 << 10;

/// `POST /api/v1/check`
pub(in crate::serve) async fn check(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Answer {
    must_be_json(request.headers())?;
    let length = declared_length(request.headers());
    if length.is_some_and(|length| length > MAX_BODY) {
        return Err(too_large());
    }

    let length = length.unwrap_or(MAX_BODY).max(1);
    let turn = if length <= SMALL_BODY {
        // The number of connections limits their memory.
        None
    } else {
        // Only so much memory is given to large bodies: others wait.
        let units = u32::try_from(length.div_ceil(BODY_UNIT)).unwrap_or(u32::MAX);
        let turn = Arc::clone(&service.turns.bodies)
            .acquire_many_owned(units)
            .await;
        Some(turn.map_err(|_| Problem::busy("the service ends"))?)
    };

    let body = Bytes::from_request(request, &())
        .await
        .map_err(|wrong| match wrong.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            _ => Problem::bad("the body can't be read"),
        })?;
    if body.len() <= SMALL_BODY {
        return service.judge(&body);
    }

    let units = u32::try_from(body.len().div_ceil(BODY_UNIT)).unwrap_or(u32::MAX);
    let judged = Arc::clone(&service.turns.judged)
        .acquire_many_owned(units)
        .await;

    in_thread(move || {
        let _turns = (turn, judged);
        service.judge(&body)
    })
    .await?
}

fn must_be_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }

    let detail = "the body must be of the type `application/json`";
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail))
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn too_large() -> Problem {
    let detail = format!("the body is larger than {} MiB", MAX_BODY >> 20);
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
}

impl Service {
    /// Judges posted records.
    fn judge(&self, body: &[u8]) -> Answer {
        let request = CheckRequest::parse(body).map_err(Problem::bad)?;
        let begun = Instant::now();
        let free = locked(&self.judges).pop();
        let mut judge = free.unwrap_or_else(|| self.gate.without_baseline());
        let report = judge.records(&request.episode_id, &request.records());
        self.numbers.checked(begun.elapsed());
        // Buffers grow with the records.
        if body.len() <= LARGE_BYTES {
            let mut free = locked(&self.judges);
            free.push(judge);
            free.truncate(MAX_THREADS);
        }

        Ok(json(&report))
    }
}
