//! The places that a user names -> whether a value is below one of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::Error;

/// A part of the path to a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step<'s> {
    Key(Cow<'s, str>),
    Index,
}

/// The paths to a value, each by its steps.
pub(super) type Paths = Vec<Vec<Step<'static>>>;

/// The shortened values of a run whose files are there, by the paths of these.
pub(super) type Attached = BTreeMap<String, Paths>;

impl Step<'_> {
    pub(super) fn into_owned(self) -> Step<'static> {
        match self {
            Step::Key(key) => Step::Key(key.into_owned().into()),
            Step::Index => Step::Index,
        }
    }
}

/// Places that a user names.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<Name>,
}

enum Name {
    /// A key at any depth.
    Key(String),
    Path(Vec<Token>),
}

enum Token {
    Key(String),
    /// One key or index.
    Any,
    /// Any path.
    Deep,
}

impl Names {
    pub(super) fn new(what: &'static str, texts: &[String]) -> Result<Self, Error> {
        let names = texts.iter().map(|text| Name::parse(what, text));
        Ok(Self {
            names: names.collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns `true` if a path leads to a named place or below one.
    pub(super) fn have(&self, path: &[Step<'_>]) -> bool {
        self.names.iter().any(|name| match name {
            Name::Key(name) => path.iter().any(|step| *step == Step::Key(name.into())),
            Name::Path(tokens) => leads_below(tokens, path),
        })
    }
}

impl Name {
    fn parse(what: &'static str, text: &str) -> Result<Self, Error> {
        let wrong = |why: &str| Error::Setting {
            what,
            text: text.to_owned(),
            why: why.to_owned(),
        };
        if text.is_empty() {
            return Err(wrong("name a key, or write a JSON Pointer"));
        }
        let Some(path) = text.strip_prefix('/') else {
            if text.contains('/') {
                return Err(wrong("a JSON Pointer starts with `/`"));
            }
            return Ok(Self::Key(text.to_owned()));
        };
        let is_escape = |part: &str| part.is_empty() || part.starts_with(['0', '1']);
        if !path
            .split('~')
            .skip(1)
            .all(|part| is_escape(part) && !part.is_empty())
        {
            return Err(wrong(
                "in a JSON Pointer `~` is written `~0`, and `/` in a key `~1`",
            ));
        }
        let tokens = path.split('/').map(|token| match token {
            "*" => Token::Any,
            "**" => Token::Deep,
            key => Token::Key(key.replace("~1", "/").replace("~0", "~")),
        });
        Ok(Self::Path(tokens.collect()))
    }
}

fn leads_below(tokens: &[Token], path: &[Step<'_>]) -> bool {
    let Some((token, rest)) = tokens.split_first() else {
        return true;
    };
    let step = |is: &dyn Fn(&Step<'_>) -> bool| {
        let (first, below) = path.split_first()?;
        is(first).then_some(below)
    };
    match token {
        Token::Deep => (0..=path.len())
            .any(|from| path.get(from..).is_some_and(|path| leads_below(rest, path))),
        Token::Any => step(&|_| true).is_some_and(|below| leads_below(rest, below)),
        // What mirrors an item does not know its number: an index names all items.
        Token::Key(name) => {
            let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
            let is = |step: &Step<'_>| match step {
                Step::Key(key) => key == name,
                Step::Index => is_number,
            };
            step(&is).is_some_and(|below| leads_below(rest, below))
        }
    }
}
