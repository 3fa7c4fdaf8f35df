//! The image holds runvet alone, for a user who may nothing, and its parts suffice to build it: not
//! every machine has an engine for containers.

use std::fs;
use std::process::Command;

use crate::support::markdown::root;

/// The instructions of the Dockerfile, one on each line.
fn instructions() -> Vec<String> {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[test]
fn image_has_nothing_but_runvet_for_a_user_without_rights() {
    let instructions = instructions();
    let last = instructions
        .iter()
        .rposition(|it| it.starts_with("FROM "));
    assert_eq!(
        instructions[last.unwrap()..],
        [
            "FROM scratch",
            "COPY --from=build /runvet/target/release/runvet /runvet",
            "WORKDIR /work",
            "USER 65534:65534",
            "ENTRYPOINT [\"/runvet\"]",
        ]
    );
}

#[test]
fn parts_that_the_image_is_built_from_are_a_whole_crate() {
    let ignored = fs::read_to_string(root().join(".dockerignore")).unwrap();
    let context = tempfile::tempdir().unwrap();
    for copied in instructions() {
        let Some(parts) = copied
            .strip_prefix("COPY ")
            .filter(|it| !it.starts_with("--"))
        else {
            continue;
        };
        for part in parts.split(' ').rev().skip(1) {
            assert!(
                ignored
                    .lines()
                    .any(|it| it == format!("!{part}")),
                "{part}"
            );
            let mut copy = Command::new("cp");
            copy.arg("-R")
                .arg(root().join(part))
                .arg(context.path());
            assert!(copy.status().unwrap().success(), "{part}");
        }
    }
    // Cargo looks for the file of each target that the manifest names. It asks no registry: what
    // another platform needs is in no cache here.
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--offline",
            "--no-deps",
            "--format-version=1",
        ])
        .current_dir(context.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
