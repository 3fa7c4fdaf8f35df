//! The workspace before and after a run -> what changed, and whether the assertions hold.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::assertion::Declared;
use super::super::error::Error;
use super::super::event::Draft;
use super::super::text::text;
use super::super::{Durability, Recorder};
use super::Run;
use crate::record::{Snapshots, Verification, VerificationPolicy, WorkspaceDiff};
use crate::store::files_below;

/// The names that snapshots pass over, at any depth.
const IGNORED: [&str; 5] = [".git", ".venv", "__pycache__", "node_modules", "target"];

/// Why a verification is impossible.
const UNAVAILABLE: &str = "workspace_unavailable";

/// What the start event of a run declares, and the workspace before the run.
pub(in crate::recorder) struct Before {
    declared: Declared,
    files: Option<Files>,
}

/// The digest of each file, by its path below the workspace.
type Files = BTreeMap<String, String>;

impl Before {
    /// What a start event declares; `snapshot` is what was noted then.
    pub(super) fn read(verify: Option<&Value>, snapshot: Option<&[u8]>) -> Option<Self> {
        let declared = Declared::deserialize(verify?).ok()?;
        let files = snapshot.and_then(|bytes| serde_json::from_slice(bytes).ok());
        Some(Self { declared, files })
    }
}

impl Recorder {
    /// Notes the files of the workspace before a run.
    pub(in crate::recorder) fn snapshot_before(
        &self,
        dir: &Path,
        verify: Option<&Value>,
    ) -> Result<Option<Before>, Error> {
        let Some(mut before) = Before::read(verify, None) else {
            return Ok(None);
        };
        let workspace = before.declared.workspace.as_deref();
        before.files = workspace.and_then(|workspace| self.files_of(workspace));
        if let Some(files) = &before.files {
            let content = text(files, "the snapshot")?;
            self.make_snapshots_dir(dir)?;
            let replaced = self.replace(dir, "snapshots/pre.json", &content);
            replaced.map_err(|failed| failed.error)?;
            if self.durability != Durability::Process {
                self.sync_dir(&dir.join("snapshots"))?;
            }
        }
        Ok(Some(before))
    }

    fn make_snapshots_dir(&self, dir: &Path) -> Result<(), Error> {
        let path = dir.join("snapshots");
        match self.disk.make_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made.map_err(Error::io("making", &path)),
        }
    }

    /// The files of a workspace, but not those of the run-data directory; `None` where it can't be
    /// read.
    fn files_of(&self, workspace: &str) -> Option<Files> {
        files_below(Path::new(workspace), &IGNORED, &self.run_data).ok()
    }
}

impl Run {
    /// Compares the workspace with what it was, checks the assertions if they count, and records
    /// both.
    pub(super) fn verify(&mut self, asserts: bool) -> Result<(), Error> {
        let Some(before) = self.before.take() else {
            return Ok(());
        };
        let verified = self.verified(&before, asserts);
        self.before = Some(before);
        let mut verification = verified?;
        if self.must_fit(&recorded(&verification)).is_err() {
            // A run must be able to end: the snapshots have all that the diff would say.
            verification.workspace_diff = None;
        }
        self.write(recorded(&verification))?;
        Ok(())
    }

    fn verified(&mut self, before: &Before, asserts: bool) -> Result<Verification, Error> {
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
        let Some(workspace) = declared.workspace.as_deref() else {
            verification.error = Some(UNAVAILABLE.into());
            return Ok(verification);
        };
        let post = self.recorder.files_of(workspace);
        let post = post.and_then(|post| Some((text(&post, "the snapshot").ok()?, post)));
        let (Some(pre), Some((content, post))) = (&before.files, post) else {
            verification.error = Some(UNAVAILABLE.into());
            return Ok(verification);
        };
        self.recorder.make_snapshots_dir(&self.dir)?;
        self.replace("snapshots/post.json", &content)?;
        self.sync_names("snapshots/post.json")?;
        verification.workspace_diff = Some(diff(pre, &post));
        verification.snapshots = Some(Snapshots {
            pre: Some("snapshots/pre.json".into()),
            post: Some("snapshots/post.json".into()),
        });
        if provided && asserts {
            let results = declared.assertions.iter();
            let results = results.map(|assertion| assertion.result(Path::new(workspace)));
            let (passed, results): (Vec<bool>, Vec<Value>) = results.unzip();
            verification.passed = Some(passed.into_iter().all(|passed| passed));
            verification.assertions = Some(results);
        }
        Ok(verification)
    }
}

/// The event of a verification.
fn recorded(verification: &Verification) -> Draft {
    let payload = match serde_json::to_value(verification) {
        Ok(Value::Object(payload)) => payload,
        _ => Map::new(),
    };
    Draft::runtime("run.verification", payload)
}

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
