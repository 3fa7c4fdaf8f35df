//! The error of a request -> an answer of the type `application/problem+json` (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::look::read::Error;
use crate::report::json_bytes;

/// The reason why a request was not answered as asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Problem {
    /// Always `about:blank`: the status says which problem it is.
    #[serde(rename = "type")]
    #[schemars(extend("const" = "about:blank"))]
    pub(super) kind: &'static str,
    /// The meaning of the status.
    #[schemars(extend("examples" = ["Not Found"]))]
    pub(super) title: &'static str,
    /// The HTTP status.
    #[schemars(extend("examples" = [404]))]
    pub(super) status: u16,
    /// A description of the problem, and what to do.
    pub(super) detail: String,
    /// The directories of the runs, where several have the id; each can stand for the id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) keys: Vec<String>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status
                .canonical_reason()
                .unwrap_or_default(),
            status: status.as_u16(),
            detail: detail.into(),
            keys: Vec::new(),
        }
    }

    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(super) fn missing(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// Returns the problem that there is no run with a name, or none yet.
    pub(super) fn no_run(name: &str, is_under_way: bool) -> Self {
        let name = crate::ground::printable::quote(name);
        if is_under_way {
            Self::busy(format!(
                "there is no run {name} so far: runs are still being judged for the first time"
            ))
        } else {
            Self::missing(format!(
                "there is no run {name} now; GET /api/v1/runs lists the runs"
            ))
        }
    }

    pub(super) fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }
}

/// A run that was there a moment ago, and can't be read now.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::missing(format!("the run can't be read: {error}"))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or_default();
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (status, kind, json_bytes(&self)).into_response();
        let extra = match status {
            StatusCode::UNAUTHORIZED => Some((header::WWW_AUTHENTICATE, "Bearer")),
            StatusCode::SERVICE_UNAVAILABLE => Some((header::RETRY_AFTER, "1")),
            _ => None,
        };

        if let Some((name, value)) = extra {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }

        response
    }
}

#[cfg(test)]
mod tests {
    use super::Problem;

    #[test]
    fn run_is_missing_only_once_all_were_judged() {
        let status = |is_under_way| Problem::no_run("ep_1", is_under_way).status;
        assert_eq!((status(true), status(false)), (503, 404));
    }
}
