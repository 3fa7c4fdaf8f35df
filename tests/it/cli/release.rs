//! The action takes a release that is shown to be the one wanted, and else builds runvet. The
//! release is a directory, and the programs that would build and verify are stand-ins.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::action::{act, repository};
use crate::support::binary::{stderr, stdout};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A script that says which one it is, and is runvet.
fn runvet_of(origin: &str) -> String {
    let binary = env!("CARGO_BIN_EXE_runvet");
    format!("#!/bin/sh\necho 'this is runvet, {origin}'\nexec '{binary}' \"$@\"\n")
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A server with one release, and the programs `gh` and `cargo` that stand in for the real ones.
fn server() -> TempDir {
    let server = tempfile::tempdir().unwrap();
    let downloads = format!("example/runvet/releases/download/v{VERSION}");
    let name = format!(
        "runvet-{VERSION}-{}-unknown-linux-musl",
        std::env::consts::ARCH
    );
    let release = server.path().join(downloads);
    program(&release.join(&name).join("runvet"), &runvet_of("released"));
    let packed = format!("tar czf {name}.tar.gz {name} && sha256sum *.gz > SHA256SUMS");
    let packing = Command::new("sh")
        .args(["-c", &packed])
        .current_dir(&release)
        .status();
    assert!(packing.unwrap().success());
    let bin = server.path().join("bin");
    let verify = "[ \"$3\" = --help ] || { echo \"gh $*\"; exit \"$GH_EXIT\"; }";
    program(&bin.join("gh"), &format!("#!/bin/sh\n{verify}\n"));
    let install = "mkdir -p \"$6/bin\" && cp \"$(dirname \"$0\")/built\" \"$6/bin/runvet\"";
    program(&bin.join("cargo"), &format!("#!/bin/sh\n{install}\n"));
    program(&bin.join("built"), &runvet_of("built"));
    server
}

#[test]
fn action_takes_only_a_release_that_is_shown_to_be_right() {
    let repository = repository();
    let tag = format!("v{VERSION}");
    let asked = format!(r#", "version": "{VERSION}""#);
    let by_tag = format!("--source-ref refs/tags/{tag}");
    let by_commit = format!("--source-digest {COMMIT}");
    let here = server();
    let nowhere = tempfile::tempdir().unwrap();
    let damaged = server();
    let sums = format!("example/runvet/releases/download/{tag}/SHA256SUMS");
    let sums = damaged.path().join(sums);
    let wrong = fs::read_to_string(&sums)
        .unwrap()
        .replace(|c: char| c.is_ascii_digit(), "0");
    fs::write(sums, wrong).unwrap();
    for (reference, version, server, gh, expected) in [
        // What the action is used by, the version, where, whether it is attested: what is said.
        (&*tag, "", &here, "0", &[&*by_tag, "runvet, released"][..]),
        (COMMIT, "", &here, "0", &[&by_commit, "runvet, released"]),
        (
            COMMIT,
            "",
            &here,
            "1",
            &["has no attestation", "runvet, built"],
        ),
        (
            &tag,
            "",
            &nowhere,
            "0",
            &["could not be downloaded", "runvet, built"],
        ),
        (
            "main",
            "",
            &here,
            "0",
            &["'main' is not a release", "runvet, built"],
        ),
        ("main", &asked, &here, "0", &[&by_tag, "runvet, released"]),
        ("main", &asked, &here, "1", &["can't be taken"]),
        ("main", &asked, &nowhere, "0", &["can't be taken"]),
        (&tag, "", &damaged, "0", &["is not what its checksum says"]),
        (
            "main",
            r#", "version": "../1""#,
            &here,
            "0",
            &["is no version"],
        ),
    ] {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", here.path().join("bin").display());
        let environment = [
            ("PATH", &*path),
            ("RUNVET_CACHE", "empty"),
            ("ACTION_REF", reference),
            (
                "ACTION_SERVER",
                &format!("file://{}", server.path().display()),
            ),
            ("GH_EXIT", gh),
        ];
        let inputs = format!(r#"{{"paths": "runs"{version}}}"#);
        let Some(output) = act(&repository, &inputs, &environment) else {
            return;
        };
        let said = [stdout(&output), stderr(&output)].concat();
        for text in expected {
            assert!(said.contains(text), "{reference}{version}, {text}: {said}");
        }
        let runs = expected
            .iter()
            .any(|it| it.starts_with("runvet, "));
        assert_eq!(said.contains("this is runvet"), runs, "{reference}: {said}");
        assert_eq!(
            said.contains(r#""status": "1""#),
            runs,
            "{reference}: {said}"
        );
    }
}
