//! The workspace before and after a run -> what changed, and whether the assertions hold.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::Recorder;
use super::super::assertion::{Declared, Evaluated};
use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::super::text::text;
use super::super::timeline::Held;
use super::Run;
use crate::ground::document::Tape;
use crate::ground::parallel::locked;
use crate::ground::record::{Snapshots, Verification, VerificationPolicy, WorkspaceDiff};
use crate::store::{Artifacts, OpenDir, files_below};

/// The directory of the snapshots, and their names in it.
pub(in crate::recorder) const SNAPSHOTS: &str = "snapshots";
pub(in crate::recorder) const PRE: &str = "pre.json";
pub(super) const POST: &str = "post.json";

/// The names that snapshots pass over, at any depth.
const IGNORED: [&str; 5] = [".git", ".venv", "__pycache__", "node_modules", "target"];

/// The error of a verification that is impossible.
const UNAVAILABLE: &str = "workspace_unavailable";

/// The declaration in the start event of a run, and the workspace before the run.
#[derive(Default)]
pub(in crate::recorder) struct BeforeRun {
    declared: Declared,
    /// The workspace that the run began in, if nobody but its records names it.
    unnamed: Option<String>,
    pre: Option<(Files, Held)>,
    post: Option<Held>,
}

/// The digest of each file, by its path below the workspace.
type Files = BTreeMap<String, String>;

/// Returns what a snapshot in the directory of an episode holds, up to a limit.
fn snapshot(dir: &OpenDir, name: &str) -> Option<(Vec<u8>, Held)> {
    let (directory, mut bytes) = (dir.episode().ok()?, Vec::new());
    directory
        .open_named(&format!("{SNAPSHOTS}/{name}"))
        .ok()?
        .read_record(&mut bytes)
        .ok()?;
    let held = Held::of(&bytes);
    Some((bytes, held))
}

impl BeforeRun {
    /// Returns the workspace that has to be named before the run can go on.
    pub(super) fn unnamed(&self) -> Option<&str> {
        self.unnamed.as_deref()
    }

    /// Returns the workspace before the run, unless its snapshot is no longer what it was.
    pub(super) fn kept(&self, dir: &OpenDir) -> Option<&Files> {
        let (files, held) = self.pre.as_ref()?;
        (snapshot(dir, PRE)?.1.sha256() == held.sha256()).then_some(files)
    }

    /// Returns `true` if the run has a workspace.
    pub(super) fn has_workspace(&self) -> bool {
        self.unnamed.is_some() || self.declared.workspace.is_some()
    }

    /// Returns what a snapshot held when this process wrote it or found it right.
    pub(super) fn snapshot(&self, dir: &OpenDir, name: &str) -> Option<Held> {
        let post = || {
            self.post
                .clone()
                .or_else(|| snapshot(dir, name).map(|(_, held)| held))
        };

        match name {
            PRE => self
                .pre
                .as_ref()
                .map(|(_, held)| held.clone()),
            _ => post(),
        }
    }
}

impl Recorder {
    /// Looks at the workspace before a run, and has its start event say so. Returns the text of the
    /// snapshot too.
    pub(in crate::recorder) fn look_before(
        &self,
        start: &mut RunEvent,
    ) -> Result<(Option<BeforeRun>, Option<Vec<u8>>), Error> {
        let verify = start
            .payload
            .get("verify")
            .map(Declared::deserialize);
        let Some(Ok(declared)) = verify else {
            return Ok((None, None));
        };
        let mut before = BeforeRun {
            declared,
            ..BeforeRun::default()
        };

        let workspace = before.declared.workspace.as_deref();
        let Some((_, files)) = workspace.and_then(|workspace| self.look(workspace)) else {
            return Ok((Some(before), None));
        };
        let text = text(&files, "the snapshot")?;
        let held = Held::of(&text);
        before.declared.pre_sha256 = Some(held.sha256());

        let verify = before.declared.clone().into();
        start
            .payload
            .insert("verify".into(), verify);
        before.pre = Some((files, held));

        Ok((Some(before), Some(text)))
    }

    /// Returns what was noted before a run that another process began: its snapshot counts if it is
    /// the one that was taken, and its workspace if this process names it.
    pub(super) fn noted_before(&self, verify: Option<&Value>, dir: &OpenDir) -> Option<BeforeRun> {
        let mut declared = Declared::deserialize(verify?).ok()?;
        let is_unnamed = |path: &mut String| !locked(&self.workspaces).contains(path);
        let unnamed = declared.workspace.take_if(is_unnamed);
        let expected = declared.pre_sha256.as_ref();
        let pre = snapshot(dir, PRE)
            .filter(|(_, held)| expected.is_none_or(|it| *it == held.sha256()))
            .and_then(|(bytes, held)| Some((files(&bytes)?, held)));

        Some(BeforeRun {
            declared,
            unnamed,
            pre,
            post: None,
        })
    }

    /// Returns a workspace and its files, but not those of the run-data directory; `None` where it
    /// can't be read.
    fn look(&self, workspace: &str) -> Option<(OpenDir, Files)> {
        let dir = OpenDir::open(Path::new(workspace)).ok()?;
        let run_data = OpenDir::open(&self.run_data).ok();
        let files = files_below(&dir, &IGNORED, run_data.as_ref(), &self.stop).ok()?;
        Some((dir, files))
    }
}

/// Returns the files that a snapshot names.
fn files(snapshot: &[u8]) -> Option<Files> {
    let mut tape = Tape::default();
    let root = tape.read_record(snapshot).ok()?.root();
    let file = |(name, digest): (std::borrow::Cow<'_, str>, crate::ground::document::Node<'_>)| {
        Some((name.into_owned(), digest.text()?.into_owned()))
    };

    root.by_name()
        .into_iter()
        .map(file)
        .collect()
}

impl Run {
    /// Compares the workspace with what it was, checks the assertions if they count, and records
    /// both, with what an evaluator found.
    pub(super) fn verify(&mut self, asserts: bool, evaluated: &[Evaluated]) -> Result<(), Error> {
        let mut before = self.before.take();
        let verified = before
            .as_mut()
            .map(|it| self.verified(it, asserts));
        self.before = before;

        let mut verification = match verified {
            Some(verified) => verified?,
            // An earlier try to end the run may have recorded another one.
            None if evaluated.is_empty() && self.fold.verification.is_none() => return Ok(()),
            None => Verification::none(),
        };

        if !evaluated.is_empty() {
            // With nothing to look for in the workspace, it need not be readable.
            verification
                .error
                .take_if(|_| verification.provided == Some(false));
            verification.provided = Some(true);
            if verification.error.is_none() {
                let passed = evaluated.iter().all(|it| it.passed);
                verification.passed = Some(passed && verification.passed != Some(false));
            }

            verification
                .assertions
                .get_or_insert_default()
                .extend(evaluated.iter().map(Evaluated::item));
        }

        if self
            .must_fit(&recorded(&verification))
            .is_err()
        {
            // A run must be able to end: the snapshots have all that the diff would say.
            verification.workspace_diff = None;
        }

        self.write(recorded(&verification))?;
        Ok(())
    }

    fn verified(&mut self, before: &mut BeforeRun, asserts: bool) -> Result<Verification, Error> {
        let declared = &before.declared;
        let provided = !declared.assertions.is_empty();
        let mut verification = Verification {
            provided: Some(provided),
            policy: Some(VerificationPolicy {
                ignore: Some(IGNORED.map(str::to_owned).to_vec()),
                symlinks: Some("skip".into()),
            }),
            ..Verification::none()
        };

        let after = declared
            .workspace
            .as_deref()
            .and_then(|workspace| {
                let (dir, files) = self.recorder.look(workspace)?;
                let content = text(&files, "the snapshot").ok()?;
                Some((dir.episode().ok()?, content, files))
            });
        let snapshots = before
            .pre
            .as_ref()
            .map(|_| {
                self.recorder
                    .dir_in(&self.dir, SNAPSHOTS)
            })
            .transpose()?;
        let (Some(pre), Some(snapshots), Some((workspace, content, post))) =
            (before.kept(&self.dir), snapshots, after)
        else {
            verification.error = Some(UNAVAILABLE.into());
            return Ok(verification);
        };

        self.replace(&snapshots, POST, &content)?;
        self.sync_names(&snapshots, POST)?;
        verification.workspace_diff = Some(diff(pre, &post));
        before.post = Some(Held::of(&content));
        verification.snapshots = Some(Snapshots {
            pre: Some(format!("{SNAPSHOTS}/{PRE}")),
            post: Some(format!("{SNAPSHOTS}/{POST}")),
        });
        if provided && asserts {
            let results = declared.assertions.iter();
            let stop = &self.recorder.stop;
            let results = results.map(|assertion| assertion.result(&workspace, stop));
            let (passed, results): (Vec<bool>, Vec<Value>) = results.unzip();
            verification.passed = Some(passed.into_iter().all(|passed| passed));
            verification.assertions = Some(results);
        }

        Ok(verification)
    }
}

/// Returns the event of what an evaluator found, as far as its size matters.
pub(super) fn evaluation(evaluated: &[Evaluated]) -> RunEvent {
    let assertions = evaluated
        .iter()
        .map(Evaluated::item)
        .collect();
    RunEvent::runtime("run.verification", object([("assertions", assertions)]))
}

/// Returns the event of a verification.
fn recorded(verification: &Verification) -> RunEvent {
    let payload = match serde_json::to_value(verification) {
        Ok(Value::Object(payload)) => payload,
        _ => Map::new(),
    };
    RunEvent::runtime("run.verification", payload)
}

fn diff(pre: &Files, post: &Files) -> WorkspaceDiff {
    let paths = |files: &Files, is_in: &dyn Fn(&str, &str) -> bool| {
        let files = files
            .iter()
            .filter(|(path, digest)| is_in(path, digest));
        Some(
            files
                .map(|(path, _)| path.clone().into())
                .collect(),
        )
    };

    WorkspaceDiff {
        added: paths(post, &|path, _| !pre.contains_key(path)),
        modified: paths(post, &|path, digest| {
            pre.get(path)
                .is_some_and(|before| before != digest)
        }),
        deleted: paths(pre, &|path, _| !post.contains_key(path)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use crate::recorder::{Recorder, Task};

    #[test]
    fn run_that_a_signal_stops_leaves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let runs = temp.path().join("runs");
        let recorder = Recorder::new(&runs).stopped_by(Arc::new(AtomicBool::new(true)));
        let begun = recorder.begin(Task::new("t").workspace(temp.path()));
        assert_eq!(begun.unwrap_err().kind(), "io");
        assert!(!runs.exists());
    }
}
