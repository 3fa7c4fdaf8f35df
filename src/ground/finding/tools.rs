//! What lists say of the tools of a run, and of the places in it that were asked for.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ground::words::words;

/// A tool that a run called, or was kept from calling.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolUse {
    /// Its name; null where the events do not give one.
    #[schemars(extend("examples" = ["web.search"]))]
    pub tool: Option<Arc<str>>,
    /// The line of the first event in `events.jsonl` in which it returned an error; null where it
    /// never did.
    pub error_line: Option<u64>,
    /// The line of the first event in which a rule or a person denied a call; null where none did.
    pub denied_line: Option<u64>,
}

/// What can come of a call instead of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallResult {
    Error,
    Denied,
}

words!(CallResult {
    Error = "error",
    Denied = "denied",
});

impl CallResult {
    /// Returns what happened, in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Error => "returned an error",
            Self::Denied => "was denied",
        }
    }
}

impl ToolUse {
    /// Returns the line of the first call with a result.
    pub(crate) const fn line(&self, result: CallResult) -> Option<u64> {
        match result {
            CallResult::Error => self.error_line,
            CallResult::Denied => self.denied_line,
        }
    }
}

/// A place in a run that has what was asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// The file.
    #[schemars(extend("examples" = ["events.jsonl"]))]
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The text around the words, or what happened there.
    #[schemars(extend("examples" = ["HTTP 503 from carrier.notify"]))]
    pub text: String,
}
