//! A call of a tool, and its result.

use std::time::SystemTime;

use serde_json::{Map, Value};

use super::super::fields::Picture;
use crate::recorder::call::{arguments, kind};

/// A call of a tool that was asked for.
#[derive(Default)]
pub(in crate::import) struct Call {
    pub(in crate::import) id: String,
    pub(in crate::import) tool: String,
    pub(in crate::import) input: Value,
    /// More fields of the act.
    pub(in crate::import) extensions: Map<String, Value>,
    pub(super) at: Option<SystemTime>,
    pub(super) agent: Option<String>,
    pub(super) parent: Option<String>,
    pub(in crate::import) cwd: Option<String>,
    pub(super) place: usize,
}

/// The result of a call.
#[derive(Default)]
pub(in crate::import) struct Outcome {
    /// `ok` unless set.
    pub(in crate::import) status: Option<&'static str>,
    pub(in crate::import) output: Value,
    pub(in crate::import) took: Took,
    pub(in crate::import) pictures: Vec<Picture>,
}

/// How long a call took.
#[derive(Clone, Copy, Default, PartialEq)]
pub(in crate::import) enum Took {
    /// The log does not say it.
    #[default]
    Unknown,
    /// From its own time to that of its result.
    Between,
    Seconds(f64),
}

/// A call with its result.
pub(in crate::import) struct Act {
    pub(in crate::import) call: Call,
    pub(in crate::import) outcome: Outcome,
}

impl Call {
    pub(in crate::import) fn new(id: &str, tool: &str, input: Value) -> Self {
        Self {
            id: id.to_owned(),
            tool: tool.to_owned(),
            input,
            ..Self::default()
        }
    }

    pub(super) fn is_of_kind(&self, wanted: &str) -> bool {
        match self.extensions.get("kind") {
            Some(kind) => kind == wanted,
            None => kind(&self.tool, &arguments(self.input.clone())) == wanted,
        }
    }
}

impl Outcome {
    pub(in crate::import) fn new(status: Option<&'static str>, output: impl Into<Value>) -> Self {
        Self {
            status,
            output: output.into(),
            ..Self::default()
        }
    }

    pub(in crate::import) fn took(self, took: Took) -> Self {
        Self { took, ..self }
    }
}

impl Act {
    /// Returns `true` if it works in a directory that the log does not name.
    pub(in crate::import) fn needs_directory(&self) -> bool {
        self.call.cwd.is_none() && (self.is_of_kind("edit") || self.is_of_kind("execute"))
    }

    pub(super) fn is_of_kind(&self, wanted: &str) -> bool {
        self.call.is_of_kind(wanted)
    }

    /// Returns how long it took, in milliseconds, if the log says it.
    pub(in crate::import) fn duration_ms(&self, at: Option<SystemTime>) -> Option<f64> {
        let seconds = match self.outcome.took {
            Took::Unknown => None,
            Took::Seconds(seconds) => Some(seconds),
            Took::Between => (at.zip(self.call.at))
                .and_then(|(at, began)| at.duration_since(began).ok())
                .map(|took| took.as_secs_f64()),
        };

        seconds.map(|seconds| (seconds * 1e6).round() / 1e3)
    }
}
