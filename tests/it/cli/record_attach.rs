//! Files that a run attaches, as evidence that is too large for its records.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use data_encoding::BASE64;
use runvet::recorder::{End, Recorder, Task};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::recording::{complaints, json, only_run, session};

/// The name of an attachment with an extension.
fn name_of(content: &[u8], extension: &str) -> String {
    let digest = Sha256::digest(content);
    let digest: Vec<String> = digest
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("attachments/{}{extension}", digest.concat())
}

/// The lines of some commands.
fn lines(commands: &[Value]) -> String {
    let lines = commands
        .iter()
        .map(|it| format!("{it}\n"));
    lines.collect::<Vec<String>>().concat()
}

/// What the manifest of a run says of the files that it attached.
fn listed(run: &Path) -> Vec<Value> {
    let manifest = json(run.join("manifest.json"));
    let files = manifest["files"]
        .as_array()
        .unwrap()
        .iter();
    let attached = files.filter(|it| it["kind"] == "attachment");
    attached.cloned().collect()
}

#[test]
fn attachments_are_files_of_the_episode_by_their_digest() {
    let temp = tempfile::tempdir().unwrap();
    let runs = temp.path().join("runs");
    let page = temp.path().join("Page 1.HTML");
    fs::write(&page, "<p>").unwrap();
    let plain = temp.path().join("a.not plain");
    fs::write(&plain, "plain").unwrap();
    let image = vec![0x89; 3 << 20];
    let attach = json!({"attach": {"base64": BASE64.encode(&image), "extension": "png"}});
    let commands = [
        attach.clone(),
        json!({"attach": page}),
        json!({"attach": {"path": plain}}),
        json!({"pause": "a person looks"}),
    ];
    let (code, answers, said) = session(&runs, &["--task", "t", "--id", "run"], &lines(&commands));
    assert_eq!(code, Some(0), "{said}");
    let names = [
        name_of(&image, ".png"),
        name_of(b"<p>", ".html"),
        name_of(b"plain", ""),
    ];
    for (answer, name) in answers[1..].iter().zip(&names) {
        let attachment = &answer["attachment"];
        assert_eq!(attachment["name"], **name);
        assert!(name.contains(attachment["sha256"].as_str().unwrap()));
    }
    assert_eq!(answers[1]["attachment"]["bytes"], image.len());
    assert_eq!(complaints(&runs), [""; 0]);

    // Another process knows them: what is attached again is not written again.
    let first = names[0].clone();
    let commands = [
        attach,
        json!({"act": {"tool": "screenshot", "output": {"file": first}, "result_artifacts": [first]}}),
        json!({"finish": {"status": "ok", "artifacts": ["report.md", first]}}),
    ];
    let (code, answers, said) = session(&runs, &["--resume", "run"], &lines(&commands));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(answers[1]["attachment"]["name"], first);
    let run = only_run(&runs);
    let state = json(run.join("state.json"));
    let mut all = names.to_vec();
    all.push("report.md".into());
    assert_eq!(state["outcomes"]["artifacts"], json!(all));
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    assert_eq!(
        events
            .matches("\"run.attachment\"")
            .count(),
        3
    );
    for entry in listed(&run) {
        let content = fs::read(run.join(entry["name"].as_str().unwrap())).unwrap();
        assert_eq!(entry["size_bytes"], content.len());
        assert!(
            all.contains(
                &entry["name"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            )
        );
    }
    assert_eq!(listed(&run).len(), 3);
    // With every rule at `error`, `manifest/digest` too.
    assert_eq!(complaints(&runs), [""; 0]);

    // What is changed or removed afterwards shows.
    fs::write(run.join(&names[1]), "<b>").unwrap();
    fs::remove_file(run.join(&names[2])).unwrap();
    let said = complaints(&runs);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter()
            .all(|it| it.contains("manifest/digest"))
    );
}

#[test]
fn what_is_no_file_to_attach_is_refused_and_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let runs = temp.path().join("runs");
    let secret = temp.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    symlink(&secret, temp.path().join("link")).unwrap();
    let fifo = temp.path().join("fifo");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status();
    assert!(made.unwrap().success());
    let large = fs::File::create(temp.path().join("large")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let at = |name: &str| temp.path().join(name);
    let wrong = [
        (json!(at("link")), "refused", "it is a symbolic link"),
        (json!(at("fifo")), "refused", "it is not a regular file"),
        (json!(temp.path()), "refused", "it is not a regular file"),
        (json!("/dev/null"), "refused", "it is not a regular file"),
        (json!("/"), "refused", "it is a directory"),
        (json!(".."), "refused", "it is a directory"),
        (
            json!(at("\u{1b}none")),
            "refused",
            "none can't be read: No such file",
        ),
        (json!(at("large")), "too_large", "64 MiB"),
        (json!({"base64": "a"}), "argument", "`base64` is not base64"),
        (
            json!({"base64": "", "extension": "../x"}),
            "refused",
            "\"../x\"",
        ),
        (
            json!({"base64": "", "extension": "a/b"}),
            "refused",
            "\"a/b\"",
        ),
        (
            json!({"base64": "", "path": at("secret")}),
            "argument",
            "takes a `path`",
        ),
        (
            json!({"path": at("secret"), "extension": "x"}),
            "argument",
            "takes a `path`",
        ),
        (json!({}), "argument", "takes a `path`"),
        (json!(null), "argument", "`attach`"),
    ];
    let commands = wrong
        .iter()
        .map(|(it, ..)| json!({"attach": it}));
    let commands: Vec<Value> = commands
        .chain([json!({"finish": "ok"})])
        .collect();
    let (code, answers, said) = session(&runs, &["--task", "t"], &lines(&commands));
    assert_eq!(code, Some(1), "{said}");
    for ((argument, kind, why), answer) in wrong.iter().zip(&answers[1..]) {
        let message = answer["error"]["message"]
            .as_str()
            .unwrap();
        assert_eq!(answer["error"]["kind"], **kind, "{argument}: {message}");
        assert!(message.contains(why), "{argument}: {message}");
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
    assert_eq!(answers.last().unwrap()["refused"], wrong.len());
    let run = only_run(&runs);
    assert!(!run.join("attachments").exists());
    assert_eq!(complaints(&runs), [""; 0]);
}

#[test]
fn attachments_of_a_run_lead_nowhere_else() {
    let temp = tempfile::tempdir().unwrap();
    let recorder = Recorder::new(temp.path().join("runs"));
    let outside = temp.path().join("outside");
    fs::create_dir(&outside).unwrap();
    // No link in the place of the directory is followed.
    let mut run = recorder.begin(Task::new("t")).unwrap();
    symlink(&outside, run.path().join("attachments")).unwrap();
    assert_eq!(run.attach(b"x", "").unwrap_err().kind(), "io");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    drop(run.finish(End::ok()).unwrap());

    // Nobody goes on with a timeline that names a file elsewhere.
    let mut run = recorder.begin(Task::new("t")).unwrap();
    let name = run.attach(b"x", "").unwrap().name;
    let (id, events) = (run.id().to_owned(), run.path().join("events.jsonl"));
    drop(run);
    let text = fs::read_to_string(&events).unwrap();
    fs::write(&events, text.replace(&name, "../../secret")).unwrap();
    assert_eq!(recorder.resume(&id).unwrap_err().kind(), "untrusted");
}
