//! What must hold at the end of a run -> whether it does.

use std::io::ErrorKind;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::store::contains;

/// What must hold in the workspace at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    name: String,
    /// A path below the workspace.
    target: String,
    /// The text that the file must contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Assertion {
    /// A file exists below the workspace.
    #[must_use]
    pub fn file_exists(path: impl Into<String>) -> Self {
        Self {
            name: "file_exists".into(),
            target: path.into(),
            text: None,
        }
    }

    /// A file below the workspace exists, and contains a text.
    #[must_use]
    pub fn file_contains(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: "file_contains".into(),
            target: path.into(),
            text: Some(text.into()),
        }
    }

    /// Whether it holds; if not, why. A link is no file: what it leads to may lie elsewhere.
    fn check(&self, workspace: &Path) -> Result<(), String> {
        let target = Path::new(&self.target);
        if !target
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Err("the path leaves the workspace".into());
        }
        let wanted = self.text.as_deref().unwrap_or_default();
        match contains(&workspace.join(target), wanted.as_bytes()) {
            Ok(true) => Ok(()),
            Ok(false) => Err("the file does not contain the text".into()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err("the file does not exist".into())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn result(&self, workspace: &Path) -> (bool, Value) {
        let checked = self.check(workspace);
        let passed = checked.is_ok();
        let reason = checked.err();
        (
            passed,
            json!({ "name": self.name, "passed": passed, "reason": reason, "target": self.target }),
        )
    }
}

/// What a run is to verify, as its `start` event declares it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Declared {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) assertions: Vec<Assertion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) workspace: Option<String>,
}

impl Declared {
    pub(super) fn new(workspace: Option<String>, assertions: Vec<Assertion>) -> Self {
        Self {
            assertions,
            workspace,
        }
    }
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
