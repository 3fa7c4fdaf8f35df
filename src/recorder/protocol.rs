//! Lines of JSON -> calls of the recorder, and their results -> lines of JSON.
//!
//! This is what `runvet record` speaks over standard input and output, so that a program in any
//! language can record a run. A [`Session`] has no input or output of its own: it turns one line
//! into one [`Answer`], whatever the lines come through.

mod answer;
mod command;
mod session;

pub(crate) use answer::{Answer, Done};
#[cfg(test)]
pub(crate) use command::Command;
pub(crate) use session::LINE_LIMIT;
pub use session::Session;
