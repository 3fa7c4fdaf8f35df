//! What a manifest names: nothing outside of the episode is opened, nothing waits, nothing is read
//! twice.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use runvet::gate::Gate;

use runvet::finding::{EpisodeReport, Level};
use runvet::source::Artifact;
use rustix::fs::{CWD, FileType, Mode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::{Unprivileged, ended};
use crate::support::runs::{copy_dir, copy_of, copy_of_good_run};

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

    fn check(&self) -> EpisodeReport {
        strict().run([&self.dir]).unwrap().episodes.remove(0)
    }

    /// What is found, each without the names of files.
    fn found(&self) -> Vec<String> {
        let findings = self.check().findings;
        let said = |message: &str| message.rsplit('"').next().unwrap().trim().to_owned();
        findings
            .iter()
            .map(|finding| said(&finding.message))
            .collect()
    }
}

fn strict() -> Gate {
    Gate::default()
        .level("manifest/digest", Level::Error)
        .unwrap()
}

#[test]
fn special_files_and_links_are_not_opened() {
    let names = ["pipe", "pipe/x", "out/secret", "secret", "state.json/."];
    let run = Run::new(
        &names
            .iter()
            .map(|name| json!({"name": name, "size_bytes": 7}))
            .collect(),
    );
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret\n").unwrap();
    symlink(outside.path(), run.dir.join("out")).unwrap();
    symlink(outside.path().join("secret"), run.dir.join("secret")).unwrap();
    let mode = Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(CWD, run.dir.join("pipe"), FileType::Fifo, mode, 0).unwrap();
    let link = "is a symbolic link, or lies behind one, so it was not opened";
    assert_eq!(
        run.found(),
        [
            "is a FIFO, a socket or a device, so it was not opened".to_owned(),
            String::new(),
            link.to_owned(),
            link.to_owned(),
            "is a directory".to_owned(),
        ]
    );
    // With `--follow-links` neither.
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command.args([
        "validate",
        "--verify-manifest",
        "--follow-links",
        "--format=json",
    ]);
    let output = ended(command.arg(&run.dir).env_clear());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["totals"]["errors"], 5);
}

#[test]
fn file_that_is_named_often_is_read_once() {
    let entry = json!({"name": "./holes", "sha256": "0".repeat(64)});
    let run = Run::new(&vec![entry; 5_000].into());
    let holes = fs::File::create(run.dir.join("holes")).unwrap();
    holes.set_len(1 << 20).unwrap();
    let report = run.check();
    assert_eq!((report.findings.len(), report.skipped.len()), (5_000, 0));
}

#[test]
fn files_beyond_the_limit_are_skipped_unread() {
    let run = Run::new(&json!([
        {"name": "a", "sha256": "0".repeat(64)},
        {"name": "b", "size_bytes": 1},
        {"name": "state.json", "sha256": "0".repeat(64)},
    ]));
    for name in ["a", "b"] {
        let holes = fs::File::create(run.dir.join(name)).unwrap();
        holes.set_len((16 << 30) + 1).unwrap();
    }
    let report = run.check();
    let pointers = report
        .findings
        .iter()
        .map(|finding| finding.location.pointer.as_deref());
    let expected = ["/files/1/size_bytes", "/files/2/sha256"].map(Some);
    assert!(pointers.eq(expected), "{:?}", report.findings);
    assert_eq!(report.skipped.len(), 1);
    assert_eq!(report.skipped[0].kind(), "limit");
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
fn manifest_is_judged_only_when_the_run_has_ended() {
    let (_temp, dir) = copy_of("good/paused");
    fs::write(dir.join("manifest.json"), "[]").unwrap();
    let report = strict().run([&dir]).unwrap().episodes.remove(0);
    let rules: Vec<_> = report
        .findings
        .iter()
        .map(|finding| &*finding.rule)
        .collect();
    assert_eq!(rules, ["lifecycle/early-artifacts"]);
    assert_eq!(report.skipped, []);
    fs::write(dir.join("state.json"), "{").unwrap();
    let report = strict().run([&dir]).unwrap().episodes.remove(0);
    let skip = report
        .skipped
        .iter()
        .find(|skip| skip.rule == "manifest/digest");
    assert_eq!(skip.unwrap().kind(), "lifecycle");
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
fn fingerprint_holds_the_digest_where_the_size_differs() {
    let zeros = "0".repeat(64);
    let run = Run::new(&json!([{"name": "out.txt", "size_bytes": 4, "sha256": zeros}]));
    let fingerprint = |content: &str| {
        fs::write(run.dir.join("out.txt"), content).unwrap();
        let [finding] = run.check().findings.try_into().unwrap();
        assert_eq!(
            finding.location.pointer.as_deref(),
            Some("/files/0/size_bytes")
        );
        finding.fingerprint
    };
    assert_eq!(fingerprint("hello"), fingerprint("hello"));
    assert_ne!(fingerprint("hello"), fingerprint("EVIL!"));
}

#[test]
fn fingerprint_tells_apart_what_is_in_the_place_of_a_file() {
    let run = Run::new(&json!([{"name": "gone", "size_bytes": 4}]));
    let gone = run.dir.join("gone");
    let fingerprint = || run.check().findings.remove(0).fingerprint;
    let absent = fingerprint();
    symlink("/etc/passwd", &gone).unwrap();
    let link = fingerprint();
    fs::remove_file(&gone).unwrap();
    fs::create_dir(&gone).unwrap();
    let directory = fingerprint();
    assert!(absent != link && link != directory && directory != absent);
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
