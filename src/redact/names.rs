//! The places that a user names -> whether a value is at or below one of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::Regex;

use super::error::Error;

/// The paths to one value: JSON Pointers into records and events, in which any index is `*`.
pub(super) type Paths = Vec<String>;

/// The shortened values of a run whose files are there, by the paths of these.
pub(super) type Attached = BTreeMap<String, Paths>;

/// Places that a user names.
pub(super) struct Names(Option<Regex>);

impl Names {
    pub(super) fn new(what: &'static str, texts: &[String]) -> Result<Self, Error> {
        let patterns: Vec<String> = texts
            .iter()
            .map(|text| pattern(what, text))
            .collect::<Result<_, _>>()?;
        let all = format!("(?s)^(?:{})(?:/|$)", patterns.join("|"));
        let all = Regex::new(&all).map_err(|why| Error::setting(what, &texts.join(", "), &why));
        Ok(Self(if texts.is_empty() { None } else { Some(all?) }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns `true` if a value is at or below a named place.
    pub(super) fn have(&self, paths: &[String]) -> bool {
        let names = self.0.as_ref();
        names.is_some_and(|names| {
            paths
                .iter()
                .any(|path| names.is_match(path))
        })
    }
}

/// Returns the token of a key in a path.
pub(super) fn token(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        return key
            .replace('~', "~0")
            .replace('/', "~1")
            .into();
    }

    key.into()
}

/// Returns the pattern of the paths to a place.
fn pattern(what: &'static str, text: &str) -> Result<String, Error> {
    let wrong = |why: &str| Err(Error::setting(what, text, &why));
    if text.is_empty() {
        return wrong("name a key, or write a JSON Pointer");
    }

    let Some(path) = text.strip_prefix('/') else {
        if text.contains('/') {
            return wrong("a JSON Pointer starts with `/`");
        }
        return Ok(format!(".*/{}", regex::escape(&token(text))));
    };

    let mut escapes = path.split('~').skip(1);
    if !escapes.all(|rest| rest.starts_with(['0', '1'])) {
        return wrong("in a JSON Pointer `~` is written `~0`, and `/` in a key `~1`");
    }

    let tokens = path
        .split('/')
        .map(|token| match token {
            "*" => "/[^/]*".to_owned(),
            "**" => "(?:/[^/]*)*".to_owned(),
            // What mirrors an item does not know its number: an index names all items.
            index
                if index
                    .bytes()
                    .all(|byte| byte.is_ascii_digit()) =>
            {
                format!(r"/(?:\*|{index})")
            }
            key => format!("/{}", regex::escape(key)),
        });

    Ok(tokens.collect())
}
