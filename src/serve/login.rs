//! The token of the service, or a code that stands for it once -> a cookie that lets a browser in.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::ground::digest::Digest;
use crate::ground::parallel::locked;
use crate::report::page;

/// The time in which the code of an address lets a browser in.
const MAX_CODE_AGE: Duration = Duration::from_secs(600);

/// The maximum number of bytes of the form with the token.
const MAX_FORM: usize = 32 << 10;

/// The rights of the form in a browser: to use the style, and to send what it holds to the service.
const FORM_POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// The ways to be let in. Secrets are kept as digests: comparing these takes no time that tells
/// anything of a secret.
#[derive(Debug)]
pub(super) struct Login {
    token: Digest,
    /// The cookie of browsers that were let in: a name and a value, made at the start.
    cookie: String,
    session: Digest,
    /// The code that is still good, and when it was made.
    code: Mutex<Option<(Digest, Instant)>>,
}

impl Login {
    pub(super) fn new(token: &str) -> Result<Self, getrandom::Error> {
        // Browsers send the cookies of a host to all of its ports: services differ by the name.
        let cookie = format!("runvet-{:.8}={}", secret()?, secret()?);
        Ok(Self {
            token: Digest::of([token.as_bytes()]),
            session: Digest::of([cookie.as_bytes()]),
            cookie,
            code: Mutex::default(),
        })
    }

    /// Returns a new code, which takes the place of the one before.
    pub(super) fn new_code(&self) -> Result<String, getrandom::Error> {
        let code = secret()?;
        let made = (Digest::of([code.as_bytes()]), Instant::now());
        *locked(&self.code) = Some(made);
        Ok(code)
    }

    pub(super) fn is_token(&self, given: &str) -> bool {
        Digest::of([given.as_bytes()]) == self.token
    }

    /// Returns `true` if a request has the cookie of a browser that was let in.
    pub(super) fn has_cookie(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(header::COOKIE)
            .iter()
            .flat_map(|value| {
                value
                    .as_bytes()
                    .split(|byte| *byte == b';')
            })
            .any(|cookie| Digest::of([cookie.trim_ascii()]) == self.session)
    }

    /// Returns `true` if a request asks to be let in, as only browsers do.
    pub(super) fn is_asked(request: &Request, is_known: bool) -> bool {
        let takes = request.headers().get(header::ACCEPT);
        let takes_page = || {
            takes.is_some_and(|takes| {
                takes
                    .as_bytes()
                    .starts_with(b"text/html")
            })
        };

        request.uri().path() == "/"
            && match *request.method() {
                Method::GET => code_of(request).is_some() || (!is_known && takes_page()),
                ref method => method == Method::POST,
            }
    }

    /// Takes a code or a token; answers with the cookie, or else with the form.
    pub(super) async fn answer(&self, request: Request, is_known: bool) -> Response {
        let (is_let_in, wrong) = if request.method() == Method::POST {
            let body = to_bytes(request.into_body(), MAX_FORM).await;
            let token = body
                .ok()
                .and_then(|body| field(&body, "token"));
            let is_token = token.is_some_and(|token| self.is_token(token.trim()));
            (is_token, "This is not the token of this service.")
        } else if let Some(code) = code_of(&request) {
            let wrong = "The code of this address was used, or is older than 10 minutes.";
            (is_known || self.take_code(&code), wrong)
        } else {
            (false, "")
        };

        if !is_let_in {
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, FORM_POLICY),
                (header::WWW_AUTHENTICATE, "Bearer"),
            ];
            return (StatusCode::UNAUTHORIZED, headers, page::login(wrong)).into_response();
        }

        // Without a path, it counts below the address that the browser sees, also behind a proxy.
        let cookie = format!("{}; HttpOnly; SameSite=Lax", self.cookie);
        let headers = [
            (header::LOCATION, "./".to_owned()),
            (header::SET_COOKIE, cookie),
        ];

        (StatusCode::SEE_OTHER, headers).into_response()
    }

    /// Returns `true` if a code is good; it is not a second time.
    fn take_code(&self, given: &str) -> bool {
        let given = Digest::of([given.as_bytes()]);
        let mut code = locked(&self.code);
        code.take_if(|(code, _)| *code == given)
            .is_some_and(|(_, made)| made.elapsed() < MAX_CODE_AGE)
    }
}

fn code_of(request: &Request) -> Option<String> {
    field(request.uri().query()?.as_bytes(), "code")
}

/// Returns a field of a form or a query.
fn field(form: &[u8], name: &str) -> Option<String> {
    serde_html_form::from_bytes::<BTreeMap<String, String>>(form)
        .ok()?
        .remove(name)
}

/// Returns a text that nobody can guess.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_good_once_and_for_ten_minutes() {
        let login = Login::new("0123456789abcdef").unwrap();
        let replaced = login.new_code().unwrap();
        let code = login.new_code().unwrap();
        assert!(!login.take_code(&replaced));
        assert!(login.take_code(&code));
        assert!(!login.take_code(&code));
        let old = login.new_code().unwrap();
        if let Some((_, made)) = &mut *login.code.lock().unwrap() {
            *made = made.checked_sub(MAX_CODE_AGE).unwrap();
        }
        assert!(!login.take_code(&old));
    }
}
