//! Lines of JSON -> calls of the recorder, and their results -> lines of JSON.
//!
//! This is what `runvet record` speaks over standard input and output, so that a program in any
//! language can record a run. A [`Session`] has no input or output of its own: it turns one line
//! into one [`Answer`], whatever the lines come through.

mod answer;
mod command;
mod session;

use serde_json::{Number, Value};

use super::size::value;
use crate::ground::document::Tape;
pub(crate) use answer::{Answer, Done, Failed};
#[cfg(test)]
pub(crate) use command::RecorderCommand;
pub(crate) use session::LINE_LIMIT;
pub use session::Session;

/// Reads a value of which every part keeps its value when it is recorded.
pub(crate) fn recordable(text: &str, what: &'static str) -> Result<Value, String> {
    let mut tape = Tape::default();
    let document = tape
        .read_record(text.as_bytes())
        .map_err(|why| format!("{what} can't be read: it is {why}"))?;
    value(document, what).map_err(|error| error.to_string())
}

/// Reads a number that keeps its value when it is recorded.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let mut tape = Tape::default();
    let document = tape
        .read_record(text.as_bytes())
        .map_err(|_| "it is not a number")?;
    match value(document, "the option") {
        Ok(Value::Number(number)) => Ok(number),
        Ok(_) => Err("it is not a number".into()),
        Err(_) => Err("it would be recorded as another number".into()),
    }
}
