//! How a run is known in lists: by its whole texts, before it has a state, and while it waits.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::binary::{run, runvet, stdout};
use crate::support::corpus::corpus;
use crate::support::demo::{demo_in_order, ids, json_of, printed};
use crate::support::recording::session;
use crate::support::runs::copy_dir;
use crate::support::service::Service;

/// A copy of a run under another name, with its state changed.
fn changed(root: &Path, id: &str, change: impl FnOnce(&mut Value)) {
    let dir = root.join("episodes").join(id);
    copy_dir(&corpus().join("demo/episodes/ep_02_paused"), &dir);
    let path = dir.join("state.json");
    let mut state: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut state);
    fs::write(path, state.to_string()).unwrap();
}

/// What the runs of a directory have in common up to the last words.
const PROMPT: &str = "You are given a repository and an issue. Resolve the issue, add a test that \
    fails without the change, and keep all other tests green in the project";

/// Runs with more and longer texts than a line shows.
fn rich() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    changed(temp.path(), "ep_django", |state| {
        state["goal"]["task"] = json!(format!("{PROMPT} django"));
        let tags = (0..300).map(|number| (format!("k{number}"), json!(number)));
        state["episode"]["tags"] = Value::Object(tags.collect());
        state["episode"]["tags"]["odd"] = json!("a\u{202e}b");
        state["episode"]["tags"]["long"] = json!("v".repeat(3_000));
        let metrics = (0..300).map(|number| (format!("m{number}"), json!(number)));
        state["outcomes"]["metrics"] = Value::Object(metrics.collect());
    });
    changed(temp.path(), "ep_flask", |state| {
        state["goal"]["task"] = json!(format!("{PROMPT} flask {}", "x".repeat(2_000) + " end"));
    });
    temp
}

#[test]
fn runs_are_found_by_whole_values() {
    let rich = rich();
    let service = Service::start(rich.path(), &[]);
    service.wait_for(2);
    let long = "v".repeat(3_000);
    for (option, value, id) in [
        ("--tag", "k299:299", "ep_django"),
        ("--tag", "odd:a\u{202e}b", "ep_django"),
        ("--tag", &*format!("long:{long}"), "ep_django"),
        ("--search", "issue django", "ep_django"),
        ("--search", "issue END", "ep_flask"),
    ] {
        assert_eq!(ids(rich.path(), &[option, value]), [id], "{value:.20}");
        let name = if option == "--tag" { "tag" } else { "q" };
        let query = format!("{name}={}", percent(value));
        assert_eq!(service.ids(&query), [id], "{value:.20}");
        let table = printed(rich.path(), &["table", "runs", ".", option, value]);
        assert!(table.lines().count() == 2 && table.contains(id), "{table}");
    }
    assert!(
        service
            .ids(&format!("tag=long:{}", &long[1..]))
            .is_empty()
    );
    assert_eq!(service.ids("metric=m299..298..300"), ["ep_django"]);
    let task = percent(&format!("{PROMPT} django"));
    assert_eq!(service.ids(&format!("task={task}")), ["ep_django"]);
}

fn percent(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    bytes.collect()
}

#[test]
fn items_have_whole_texts_and_drawn_ones_say_what_is_missing() {
    let rich = rich();
    let service = Service::start(rich.path(), &[]);
    service.wait_for(2);
    let item = |id: &str| {
        service
            .get(&format!("api/v1/runs?q={id}"))
            .json()["items"][0]
            .clone()
    };
    let django = item("ep_django");
    assert_eq!(django["task"], format!("{PROMPT} django"));
    assert_eq!(django["tags"].as_array().unwrap().len(), 302);
    assert!(
        django["tags"]
            .to_string()
            .contains("odd:a\u{202e}b")
    );
    assert_eq!(
        django["metrics"]
            .as_array()
            .unwrap()
            .len(),
        300
    );
    assert!(
        item("ep_flask")["task"]
            .as_str()
            .unwrap()
            .ends_with("x end")
    );
    let dir = django["dir"].as_str().unwrap();
    let page = service
        .get(&format!("page/run?dir={}", percent(dir)))
        .json();
    let text = page["text"].as_str().unwrap();
    assert!(text.contains("290 more tags") && text.contains("k10:10"));
    let flask = service
        .get("page/run?dir=episodes/ep_flask")
        .json();
    assert!(
        flask["text"]
            .as_str()
            .unwrap()
            .contains("more characters)")
    );
}

/// The timeline of a run up to a line.
fn begun(root: &Path, id: &str, lines: usize) -> PathBuf {
    let source = corpus().join("demo/episodes/ep_02_paused/events.jsonl");
    let timeline = fs::read_to_string(source)
        .unwrap()
        .replace("2026-03", "2026-04");
    let first: Vec<&str> = timeline.lines().take(lines).collect();
    let dir = root.join("episodes").join(id);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("events.jsonl"), first.join("\n") + "\n").unwrap();
    dir
}

#[test]
fn run_without_a_state_is_known_by_its_first_events() {
    let temp = demo_in_order();
    begun(temp.path(), "ep_begun", 4);
    let listed = json_of(temp.path(), &["list", "--format", "json"])["runs"][0].clone();
    assert_eq!(listed["episode_id"], "ep_begun");
    assert_eq!(listed["task"], "Summarize the open tickets");
    assert_eq!(listed["started_at"], "2026-04-01T12:00:00.000000+00:00");
    assert_eq!(listed["steps"], 3);
    assert!(
        listed["now"]
            .as_str()
            .unwrap()
            .starts_with("act · adapter:core.minimal · "),
        "{listed}"
    );
    assert_eq!(
        ids(temp.path(), &["--since", "2026-04-01T00:00:00Z"]),
        ["ep_begun"]
    );
    assert_eq!(
        ids(temp.path(), &["--adapter", "core.minimal"]),
        ["ep_begun"]
    );
    let text = printed(temp.path(), &["view", "ep_begun"]);
    assert!(
        text.contains("\nstarted 2026-04-01 12:00:00Z · core.minimal\n"),
        "{text}"
    );
    assert!(
        text.contains("step-2     act      pending  (only in the timeline)"),
        "{text}"
    );

    let service = Service::start(temp.path(), &[]);
    service.wait_for(6);
    let first = service
        .get("api/v1/runs?limit=1")
        .json()["items"][0]
        .clone();
    assert_eq!(
        (&first["id"], &first["steps"]),
        (&json!("ep_begun"), &json!(3))
    );
    assert_eq!(first["adapter"], "core.minimal");
    assert_eq!(service.ids("since=2026-04-01"), ["ep_begun"]);
    let page = service
        .get("page/run?dir=episodes/ep_begun")
        .json();
    let text = page["text"].as_str().unwrap();
    assert!(!text.contains("without a task") && !text.contains("There is no plan"));
    assert!(text.contains("<dt>now</dt>"));
}

#[test]
fn run_that_waits_says_since_when_and_for_what() {
    let temp = tempfile::tempdir().unwrap();
    let args = ["--task", "pay", "--id", "ep_pay"];
    let (code, ..) = session(temp.path(), &args, "{\"pause\":\"wait for approval\"}\n");
    assert_eq!(code, Some(0));
    let root = temp.path();
    let paused = json_of(root, &["list", "--format", "json"])["runs"][0]["paused"].clone();
    assert_eq!(paused["reason"], "wait for approval");
    let output = run(&["list", root.to_str().unwrap()]);
    let text = stdout(&output);
    assert!(text.contains("pay (paused since 20") && text.contains("Z: wait for approval)"));
    let text = printed(root, &["view", "ep_pay"]);
    assert!(
        text.contains("\npaused since 20") && text.contains("\nRun: paused (pending)"),
        "{text}"
    );

    let service = Service::start(root, &[]);
    service.wait_for(1);
    let item = service.get("api/v1/runs").json()["items"][0].clone();
    assert_eq!((&item["paused"], &item["now"]), (&paused, &Value::Null));
    let page = service
        .get("page/run?dir=episodes/ep_pay")
        .json();
    let text = page["text"].as_str().unwrap();
    assert!(text.contains("<dd>wait for approval</dd>"), "{text}");

    begun(root, "ep_tickets", 6);
    let runs = json_of(root, &["list", "--format", "json"])["runs"].clone();
    let waits = runs
        .as_array()
        .unwrap()
        .iter()
        .find(|run| run["episode_id"] == "ep_tickets");
    assert_eq!(waits.unwrap()["paused"]["reason"], "step-2");
}

#[test]
fn page_of_a_run_says_whether_it_is_as_it_was_sealed() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    copy_dir(&corpus().join("demo/episodes"), &root.join("episodes"));
    let mut seal = runvet(&["validate", ".", "--output", "in-toto=seal.json"]);
    let sealed = seal.current_dir(root).output().unwrap();
    assert_eq!(sealed.status.code(), Some(1));
    copy_dir(
        &corpus().join("good/terminal/episodes/ep_answer"),
        &root.join("episodes/ep_new"),
    );
    fs::write(root.join("episodes/ep_04_crashed/more"), "").unwrap();
    let service = Service::start(root, &[".", "--seal", "seal.json"]);
    service.wait_for(6);
    let version = env!("CARGO_PKG_VERSION");
    for (run, words) in [
        ("ep_01_answer", format!("unchanged since runvet {version} sealed it")),
        ("ep_03_edited", format!("unchanged since runvet {version} sealed it; it had failed")),
        ("ep_02_paused", "its files were not sealed: it had not ended".to_owned()),
        ("ep_new", "it was not sealed".to_owned()),
        (
            "ep_04_crashed",
            "not as it was sealed: 1 change, added episodes/ep_04_crashed/more: a file; it had failed"
                .to_owned(),
        ),
    ] {
        let page = service.get(&format!("page/run?dir=episodes/{run}")).json();
        let text = page["text"].as_str().unwrap();
        assert!(text.contains(&format!("<dt>seal</dt><dd>{words}</dd>")), "{text}");
    }
}
