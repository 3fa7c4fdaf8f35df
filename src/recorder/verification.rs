//! The workspace before and after a run -> what changed, and whether the assertions hold.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Run;
use super::error::Error;
use super::event::Draft;
use super::run::text;
use crate::record::{Snapshots, Verification, VerificationPolicy, WorkspaceDiff};
use crate::store::{contains, files_below};

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

    /// Whether it holds; if not, why.
    fn check(&self, workspace: &Path) -> Result<(), String> {
        let target = Path::new(&self.target);
        if !target
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Err("the path leaves the workspace".into());
        }
        let path = workspace.join(target);
        if !path.is_file() {
            return Err("the file does not exist".into());
        }
        match &self.text {
            None => Ok(()),
            Some(text) => match contains(&path, text.as_bytes()) {
                Ok(true) => Ok(()),
                Ok(false) => Err("the file does not contain the text".into()),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    fn result(&self, workspace: &Path) -> (bool, Value) {
        let checked = self.check(workspace);
        let passed = checked.is_ok();
        let reason = checked.err();
        (
            passed,
            json!({ "name": self.name, "passed": passed, "reason": reason, "target": self.target }),
        )
    }
}

/// The names that snapshots pass over, at any depth.
const IGNORED: [&str; 5] = [".git", ".venv", "__pycache__", "node_modules", "target"];

/// What a run is to verify, as its `start` event declares it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Declared {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    assertions: Vec<Assertion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
}

/// What there is to verify, for the `start` event; null where there is nothing.
pub(super) fn declared(workspace: Option<&Path>, assertions: &[Assertion]) -> Value {
    if workspace.is_none() && assertions.is_empty() {
        return Value::Null;
    }
    let declared = Declared {
        assertions: assertions.to_vec(),
        workspace: workspace.map(|path| path.display().to_string()),
    };
    serde_json::to_value(declared).unwrap_or_default()
}

/// What the start event of a run declares, and the workspace before the run.
pub(super) struct Before {
    declared: Declared,
    files: Option<Files>,
}

/// The digest of each file, by its path below the workspace.
type Files = BTreeMap<String, String>;

impl Before {
    /// What a start event declares; `files` is the snapshot that was made then.
    pub(super) fn read(verify: Option<&Value>, snapshot: Option<&[u8]>) -> Option<Self> {
        let declared = Declared::deserialize(verify?).ok()?;
        let files = snapshot.and_then(|bytes| serde_json::from_slice(bytes).ok());
        Some(Self { declared, files })
    }
}

impl Run {
    /// Notes the files of the workspace before the run.
    pub(super) fn snapshot_before(&mut self) -> Result<(), Error> {
        let Some(mut before) = Before::read(self.fold.verify.as_ref(), None) else {
            return Ok(());
        };
        if let Some(workspace) = &before.declared.workspace {
            let files = self.snapshot(Path::new(workspace));
            if let Some(files) = &files {
                self.make_snapshots_dir()?;
                self.replace("snapshots/pre.json", &text(files, "the snapshot")?)?;
            }
            before.files = files;
        }
        self.before = Some(before);
        Ok(())
    }

    fn make_snapshots_dir(&self) -> Result<(), Error> {
        let path = self.dir.join("snapshots");
        match self.recorder.disk.make_dir(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => Err(Error::Io {
                operation: "making",
                path,
                source,
            }),
            _ => Ok(()),
        }
    }

    /// The files of a workspace, but not those of the run-data directory; `None` where it can't be
    /// read.
    fn snapshot(&self, workspace: &Path) -> Option<Files> {
        files_below(workspace, &IGNORED, &self.recorder.run_data).ok()
    }

    /// Compares the workspace with what it was, checks the assertions, and records both.
    pub(super) fn verify(&mut self) -> Result<(), Error> {
        let Some(before) = self.before.take() else {
            return Ok(());
        };
        let verification = self.verified(&before)?;
        let Ok(Value::Object(payload)) = serde_json::to_value(verification) else {
            return Ok(());
        };
        self.write(Draft::runtime("run.verification", payload))?;
        Ok(())
    }

    fn verified(&mut self, before: &Before) -> Result<Verification, Error> {
        let declared = &before.declared;
        let provided = !declared.assertions.is_empty();
        let mut verification = Verification {
            provided: Some(provided),
            assertions: Some(Vec::new()),
            policy: Some(VerificationPolicy {
                ignore: Some(IGNORED.map(str::to_owned).to_vec()),
                symlinks: Some("skip".into()),
            }),
            ..Verification::default()
        };
        let Some(workspace) = declared.workspace.as_deref().map(Path::new) else {
            verification.error = provided.then(|| UNAVAILABLE.into());
            return Ok(verification);
        };
        let (Some(pre), Some(post)) = (&before.files, self.snapshot(workspace)) else {
            verification.error = Some(UNAVAILABLE.into());
            return Ok(verification);
        };
        self.replace("snapshots/post.json", &text(&post, "the snapshot")?)?;
        verification.workspace_diff = Some(diff(pre, &post));
        verification.snapshots = Some(Snapshots {
            pre: Some("snapshots/pre.json".into()),
            post: Some("snapshots/post.json".into()),
        });
        if provided {
            let results = declared.assertions.iter();
            let (passed, results): (Vec<bool>, Vec<Value>) =
                results.map(|assertion| assertion.result(workspace)).unzip();
            verification.passed = Some(passed.into_iter().all(|passed| passed));
            verification.assertions = Some(results);
        }
        Ok(verification)
    }
}

/// Why a verification is impossible.
pub(super) const UNAVAILABLE: &str = "workspace_unavailable";

fn diff(pre: &Files, post: &Files) -> WorkspaceDiff {
    let paths = |files: &Files, is_in: &dyn Fn(&str, &str) -> bool| {
        let files = files.iter().filter(|(path, digest)| is_in(path, digest));
        Some(files.map(|(path, _)| path.clone().into()).collect())
    };
    WorkspaceDiff {
        added: paths(post, &|path, _| !pre.contains_key(path)),
        modified: paths(post, &|path, digest| {
            pre.get(path).is_some_and(|before| before != digest)
        }),
        deleted: paths(pre, &|path, _| !post.contains_key(path)),
    }
}
