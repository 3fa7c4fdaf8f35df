//! Secrets that are planted anywhere in a run: they survive in no byte of a redacted copy.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use runvet::record::Action;
use runvet::recorder::{End, Recorder, StepDraft, Task};
use runvet::redact::Redaction;
use serde_json::{Map, Value, json};

/// The kinds of places in which a secret is planted, one secret in each.
const KINDS: [&str; 27] = [
    "a text",
    "a key",
    "a key of a runtime's own",
    "a text in lists and maps, 60 levels deep",
    "a key that deep",
    "a text with escapes",
    "a key with escapes",
    "a text that is a number",
    "a text in base64",
    "the id of the run",
    "the id of a step",
    "the name of a tool",
    "the name of an agent",
    "a tag",
    "a link",
    "an artifact",
    "an attachment",
    "a value that is shortened, and its file",
    "a list that is shortened, and its file",
    "the name of a file",
    "the name of a directory",
    "the target of a link",
    "a line that is no JSON",
    "a record that is no JSON",
    "an object over several lines",
    "the second value of a key",
    "a manifest",
];

/// The secret of a kind: no other text of the run has its end.
fn secret(kind: &str) -> String {
    format!("AKIA{}", end_of(kind))
}

/// The part of a secret that no escape hides.
fn end_of(kind: &str) -> String {
    let number = KINDS
        .iter()
        .position(|known| *known == kind)
        .unwrap();
    format!("PLANTED{number:02}SECRET")
}

/// A secret of digits, which a pattern of the caller finds.
const DIGITS: &str = "4111111111111111";

fn in_base64() -> String {
    data_encoding::BASE64.encode(secret("a text in base64").as_bytes())
}

/// A run with a secret of each kind.
fn planted(runs: &Path) {
    let recorder = Recorder::new(runs);
    let task = Task::new(secret("a text")).id(secret("the id of the run"));
    let task = task.tag(format!("x{}", secret("a tag")), secret("a tag"));
    let mut run = recorder.begin(task).unwrap();
    let step = secret("the id of a step");
    let draft = StepDraft::new(&step, runvet::record::StepKind::Act, "x");
    let _ = run.plan([draft], "planner").unwrap();
    let mut deep =
        json!({ secret("a key that deep"): secret("a text in lists and maps, 60 levels deep") });
    for level in 0..60 {
        deep = if level % 2 == 0 {
            json!([deep])
        } else {
            json!({ "x": deep })
        };
    }
    let note = json!({
        secret("a key"): 1,
        format!("x-{}", secret("a key of a runtime's own")): 1,
        "deep": deep,
        "number": DIGITS,
        "base64": in_base64(),
        "ESCAPED": secret("a text with escapes"),
        secret("a key with escapes"): 1,
        "twice": 1,
        "x-agent": secret("the name of an agent"),
    });
    let Value::Object(note) = note else {
        unreachable!()
    };
    run.note("observe", note).unwrap();
    let attached = run
        .attach(secret("an attachment").as_bytes(), "png")
        .unwrap();
    let text = format!(
        "{}{}",
        "x".repeat(300),
        secret("a value that is shortened, and its file")
    );
    let list = json!([
        1,
        [secret("a list that is shortened, and its file")],
        "x".repeat(300)
    ]);
    let output = run.shortened(text.into(), 200);
    let input = run.shortened(list, 200);
    let mut action = Action::new(secret("the name of a tool")).output(output);
    action.input = Some(Map::from_iter([("list".to_owned(), input)]).into());
    action.result_artifacts = Some(json!([secret("an artifact"), attached.name]));
    run.act(None, action).unwrap();
    let dir = run
        .finish(End::aborted("x"))
        .unwrap()
        .path;

    let events = dir.join("events.jsonl");
    let mut text = fs::read_to_string(&events).unwrap();
    for kind in ["a text with escapes", "a key with escapes"] {
        let escaped = secret(kind).replacen('A', r"\u0041", 1);
        text = text.replace(&secret(kind), &escaped);
    }
    let twice = secret("the second value of a key");
    text = text.replace(r#""twice":1"#, &format!(r#""twice":1,"twice":"{twice}""#));
    let pieces = secret("an object over several lines");
    let no_json = secret("a line that is no JSON");
    let object = format!("{{\n  \"phase\": \"observe\",\n  \"{pieces}\": \"{pieces}\"\n}}\n");
    text.extend(["not JSON: ", &no_json, "\n", &object]);
    fs::write(&events, text).unwrap();
    fs::write(dir.join("learn.jsonl"), secret("a record that is no JSON")).unwrap();
    fs::write(
        dir.join("summary.json"),
        format!("{{\"task\": {}", secret("a record that is no JSON")),
    )
    .unwrap();
    for (record, from, to) in [
        ("state.json", r#""events":"events.jsonl""#, "a link"),
        ("manifest.json", r#""schema_version":"#, "a manifest"),
    ] {
        let text = fs::read_to_string(dir.join(record)).unwrap();
        let by = format!(r#""x":"./{}/x",{from}"#, secret(to));
        assert!(text.contains(from), "{text}");
        fs::write(dir.join(record), text.replacen(from, &by, 1)).unwrap();
    }
    let below = dir.join(format!("files-{}", secret("the name of a directory")));
    fs::create_dir(&below).unwrap();
    fs::write(
        below.join(format!("{}.txt", secret("the name of a file"))),
        "x",
    )
    .unwrap();
    symlink(
        format!("/etc/{}", secret("the target of a link")),
        dir.join("link"),
    )
    .unwrap();
}

/// All bytes of a directory: names, contents, and what links lead to.
fn bytes_of(dir: &Path) -> String {
    let mut all = String::new();
    for entry in walkdir::WalkDir::new(dir).min_depth(1) {
        let entry = entry.unwrap();
        all += &entry.file_name().to_string_lossy();
        let kind = entry.file_type();
        if kind.is_file() {
            all += &String::from_utf8_lossy(&fs::read(entry.path()).unwrap());
        } else if kind.is_symlink() {
            all += &fs::read_link(entry.path())
                .unwrap()
                .to_string_lossy();
        }
        all.push('\n');
    }
    all
}

#[test]
fn planted_secrets_survive_in_no_byte() {
    let temp = tempfile::tempdir().unwrap();
    let runs = temp.path().join("runs");
    planted(&runs);
    let before = bytes_of(&runs);
    let by_text = Redaction::new().pattern(DIGITS);
    let by_pattern = Redaction::new()
        .pattern(DIGITS)
        .drop_name("nothing");
    for (name, redaction) in [("all", by_text), ("patterns", by_pattern)] {
        let copy = temp.path().join(name);
        let redacted = redaction.copy(&[&runs], &copy).unwrap();
        assert_eq!((redacted.runs.len(), &redacted.refused[..]), (1, &[][..]));
        let after = bytes_of(&copy);
        for kind in KINDS {
            let planted = match kind {
                "a text that is a number" => DIGITS.to_owned(),
                "a text in base64" => in_base64(),
                _ => end_of(kind),
            };
            assert!(before.contains(&planted), "{kind} is not planted");
            // Without `--drop` a text goes whatever it is; patterns look at each as it is written.
            let is_seen = name == "patterns" && kind == "a text in base64";
            assert_eq!(after.contains(&planted), is_seen, "{kind} with {name}");
        }
    }
    assert_eq!(bytes_of(&runs), before, "the input is as it was");
}
