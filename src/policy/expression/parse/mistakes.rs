//! What is wrong with the text of an expression -> a mistake, in words.

use std::ops::Range;

use cel::ParseErrors;

use super::super::{ExpressionMistake, code};

/// The operators of other languages, each with that of this one.
pub(super) const OTHER_LANGUAGES: [(&str, &str); 5] = [
    ("=>", ">="),
    ("=", "=="),
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
];

pub(super) fn mistake(span: Range<usize>, message: impl Into<String>) -> ExpressionMistake {
    ExpressionMistake {
        span,
        message: message.into(),
        help: None,
    }
}

impl ExpressionMistake {
    pub(super) fn with_help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

pub(super) fn optional(place: Range<usize>) -> ExpressionMistake {
    mistake(place, "optional members and items are not supported")
}

/// Returns the first error of the parser, in words.
pub(super) fn syntax(text: &str, errors: &ParseErrors) -> ExpressionMistake {
    let Some(error) = errors.errors.first() else {
        return mistake(0..text.len(), "the expression can't be parsed");
    };
    let (line, column) = error.pos;
    let lines = usize::try_from(line - 1).unwrap_or_default();
    let before = text
        .split_inclusive('\n')
        .take(lines)
        .map(str::len)
        .sum();
    let rest = text.get(before..).unwrap_or_default();
    let characters = rest
        .char_indices()
        .map(|(at, _)| before + at);
    let column = usize::try_from(column - 1).unwrap_or_default();
    let at = characters
        .chain([text.len()])
        .nth(column)
        .unwrap_or(text.len());
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let end = match word {
        Some(0) => rest
            .chars()
            .next()
            .map_or(0, char::len_utf8),
        Some(end) => end,
        None => rest.len(),
    };

    let message = if rest.trim().is_empty() {
        "the expression ends where more is expected".to_owned()
    } else if error.msg.contains("Recursion limit") {
        "the expression is nested too deeply".to_owned()
    } else if error.msg.starts_with("invalid") {
        format!("{} is out of range", code(&rest[..end]))
    } else {
        format!("unexpected {}", code(&rest[..end]))
    };

    let before = text
        .get(..at)
        .unwrap_or_default()
        .trim_end();
    let meant = OTHER_LANGUAGES
        .iter()
        .find(|(word, _)| match *word {
            "not" => before.ends_with(word),
            "=>" => rest.starts_with(word),
            word => &rest[..end] == word,
        })
        .map(|(_, meant)| format!("did you mean `{meant}`?"));

    mistake(at..at + end, message).with_help(raw_text(text, at).or(meant))
}

/// Returns the advice where the text at a place begins, or is in, a string with an escape that CEL
/// does not have.
pub(super) fn raw_text(text: &str, at: usize) -> Option<String> {
    const ESCAPES: &str = "abfnrtv\\?\"'`xXuU01234567";
    let line = text.get(at..)?.lines().next()?;
    let quote = line
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"'))?;
    let mut characters = line.get(1..)?.chars();
    let mut is_escaped_wrongly = false;

    while let Some(c) = characters
        .next()
        .filter(|c| *c != quote)
    {
        let next = (c == '\\')
            .then(|| characters.next())
            .flatten();
        is_escaped_wrongly |= next.is_some_and(|next| !ESCAPES.contains(next));
    }

    is_escaped_wrongly.then(|| {
        format!("write r{quote}…{quote}, in which `\\` stands for itself, as in r{quote}\\.{quote}")
    })
}
