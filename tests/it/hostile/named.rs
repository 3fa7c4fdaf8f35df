//! What a manifest names: nothing outside of the episode is opened, nothing waits, nothing is read
//! twice.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use runvet::gate::Gate;

use runvet::finding::Level;
use runvet::source::Artifact;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::{Unprivileged, ended};
use crate::support::runs::{copy_dir, copy_of_good_run};

/// A good run with a manifest.
struct Run {
    _temp: TempDir,
    dir: PathBuf,
}

impl Run {
    fn new(files: &Value) -> Self {
        let (temp, dir) = copy_of_good_run();
        let manifest = json!({"files": files}).to_string();
        fs::write(dir.join("manifest.json"), manifest).unwrap();
        Self { _temp: temp, dir }
    }
}

fn strict() -> Gate {
    Gate::default()
        .level("manifest/digest", Level::Error)
        .unwrap()
}

#[test]
fn file_that_was_not_given_is_skipped() {
    let good = Run::new(&json!([]));
    let read = |artifact: Artifact| fs::read(good.dir.join(artifact.file_name())).unwrap();
    let files = json!({"files": [
        {"name": "report.md", "size_bytes": 1},
        {"name": "learn.jsonl", "size_bytes": 1},
        {"name": "state.json", "size_bytes": 1},
    ]});
    let contents = Artifact::ALL.map(|artifact| match artifact {
        Artifact::Manifest => files.to_string().into_bytes(),
        other => read(other),
    });
    let given: Vec<(Artifact, &[u8])> = Artifact::ALL
        .into_iter()
        .zip(contents.iter().map(Vec::as_slice))
        .filter(|(artifact, _)| *artifact != Artifact::Learn)
        .collect();
    let report = strict().records("ep_answer", &given);
    let found = |pointer: &str| {
        let at = |finding: &&runvet::finding::Finding| {
            finding.location.pointer.as_deref() == Some(pointer)
        };
        report
            .findings
            .iter()
            .find(at)
            .map(|finding| &*finding.message)
    };
    assert_eq!(found("/files/0/name"), None);
    assert_eq!(
        found("/files/1/name"),
        Some("there is no file \"learn.jsonl\"")
    );
    assert!(found("/files/2/size_bytes").is_some());
    let skipped = report
        .skipped
        .iter()
        .find(|skip| skip.rule == "manifest/digest");
    assert_eq!(skipped.unwrap().kind(), "missing");
}

#[test]
fn forbidden_named_file_is_a_finding() {
    let run = Run::new(&json!([{"name": "out.txt", "size_bytes": 5}]));
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let scratch = Unprivileged::scratch();
    let dir = scratch.path().join("ep_answer");
    copy_dir(&run.dir, &dir);
    fs::write(dir.join("out.txt"), "hello").unwrap();
    fs::set_permissions(dir.join("out.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    let args = ["validate", "--verify-manifest", "--format=json"];
    let output = ended(&mut user.runvet(&[], &[&args[..], &[dir.to_str().unwrap()]].concat()));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}");
    let finding = &report["episodes"][0]["findings"][0];
    assert_eq!(finding["pointer"], "/files/0/name");
    assert_eq!(
        finding["message"],
        "\"out.txt\" can't be read: reading it is not permitted"
    );
}

#[test]
fn skip_stands_for_no_other_unjudged_files() {
    let reason = |names: &[&str]| {
        let entry = |name: &&str| json!({"name": name, "size_bytes": 1});
        let files: Value = names.iter().map(entry).collect();
        let manifest = json!({ "files": files }).to_string();
        let good = Run::new(&json!([]));
        let read = |artifact: Artifact| fs::read(good.dir.join(artifact.file_name())).unwrap();
        let contents = Artifact::ALL.map(|artifact| match artifact {
            Artifact::Manifest => manifest.clone().into_bytes(),
            other => read(other),
        });
        let given: Vec<_> = Artifact::ALL
            .into_iter()
            .zip(contents.iter().map(Vec::as_slice))
            .collect();
        let [skip] = strict()
            .records("ep_answer", &given)
            .skipped
            .try_into()
            .unwrap();
        skip.reason
    };
    let one = reason(&["a"]);
    assert_eq!(one, reason(&["a"]));
    assert_ne!(one, reason(&["a", "b"]));
    assert_ne!(reason(&["a", "b"]), reason(&["a", "c"]));
    assert!(reason(&["a", "b"]).contains("2 "), "{one}");
}
