//! An assertion about the end of a run -> whether it holds.

use std::path::{Component, Path};
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::store::{Artifacts, OpenEpisode, Unreadable, contains};

/// A condition that must hold in the workspace at the end of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assertion {
    name: String,
    /// A path below the workspace.
    target: String,
    /// The text that the file must contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Assertion {
    /// Returns the assertion that a file exists below the workspace.
    #[must_use]
    pub fn file_exists(path: impl Into<String>) -> Self {
        Self {
            name: "file_exists".into(),
            target: path.into(),
            text: None,
        }
    }

    /// Returns the assertion that a file below the workspace exists and contains a text.
    #[must_use]
    pub fn file_contains(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: "file_contains".into(),
            target: path.into(),
            text: Some(text.into()),
        }
    }

    /// Returns `Ok` if it holds, else the reason why not. A link is not a file: what it leads to
    /// may lie elsewhere.
    fn check(&self, workspace: &OpenEpisode, stop: &AtomicBool) -> Result<(), String> {
        let mut names = Vec::new();
        for part in Path::new(&self.target).components() {
            match part {
                Component::Normal(name) => names.extend(name.to_str()),
                Component::CurDir => {}
                _ => return Err("the path leaves the workspace".into()),
            }
        }

        let file = match workspace.open_named(&names.join("/")) {
            Err(Unreadable::Vanished) => return Err("the file does not exist".into()),
            opened => opened.map_err(|why| why.to_string())?,
        };

        let text = self.text.as_deref().unwrap_or_default();
        match contains(file, text.as_bytes(), stop) {
            Ok(true) => Ok(()),
            Ok(false) => Err("the file does not contain the text".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn result(&self, workspace: &OpenEpisode, stop: &AtomicBool) -> (bool, Value) {
        let checked = self.check(workspace, stop);
        let passed = checked.is_ok();
        let reason = checked.err();

        (
            passed,
            json!({ "name": self.name, "passed": passed, "reason": reason, "target": self.target }),
        )
    }
}

/// The result of an evaluator for one thing that the run should do.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Evaluation")]
pub struct Evaluated {
    /// The message of the evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The name of the assertion.
    name: String,
    /// `true` if it holds.
    pub(super) passed: bool,
}

impl Evaluated {
    /// Returns an assertion with its name, and whether it holds.
    #[must_use]
    pub fn new(name: impl Into<String>, passed: bool) -> Self {
        Self {
            message: None,
            name: name.into(),
            passed,
        }
    }

    /// Adds the message of the evaluator.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Returns the item of `verification.assertions`.
    pub(super) fn item(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// The workspace and the assertions that the `start` event of a run declares.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Declared {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) assertions: Vec<Assertion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) workspace: Option<String>,
    /// The digest of the snapshot of the workspace, so that nobody changes it unnoticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pre_sha256: Option<String>,
}

/// Null where there is nothing to verify.
impl From<Declared> for Value {
    fn from(declared: Declared) -> Self {
        if declared.workspace.is_none() && declared.assertions.is_empty() {
            return Self::Null;
        }
        serde_json::to_value(declared).unwrap_or_default()
    }
}
