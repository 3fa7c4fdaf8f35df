//! The list of runs on the command line.

use std::fs;

use serde_json::json;

use crate::support::binary::stderr;
use crate::support::demo::{demo_in_order, ids, json_of, printed};
use crate::support::runs::copy_of;
use crate::support::terminal::{Width, runvet, snapshot};

#[test]
fn list_of_the_demo_matches_the_snapshot() {
    let demo = demo_in_order();
    for width in Width::BOTH {
        snapshot(
            &format!("list-{width}"),
            &runvet(demo.path(), &["list"], width),
        );
    }
}

#[test]
fn limited_list_says_how_many_more_there_are() {
    let demo = demo_in_order();
    let in_order = [
        "ep_03_edited",
        "ep_01_answer",
        "ep_05_misnamed",
        "ep_02_paused",
        "ep_04_crashed",
    ];
    assert_eq!(ids(demo.path(), &[]), in_order);
    assert_eq!(ids(demo.path(), &["--limit", "0"]), in_order);
    assert_eq!(ids(demo.path(), &["--limit", "2"]), in_order[..2]);
    let text = printed(demo.path(), &["list", "--limit", "2"]);
    assert!(
        text.lines().count() == 4 && text.ends_with("\n… and 3 more runs (--limit 0 shows all)\n"),
        "{text}"
    );
    assert!(!printed(demo.path(), &["list", "--limit", "5"]).contains("more"));
    let json = json_of(demo.path(), &["list", "--limit", "2", "--format", "json"]);
    assert_eq!(
        (&json["runs"][1]["episode_id"], &json["more"]),
        (&json!("ep_01_answer"), &json!(3))
    );
    let empty = tempfile::tempdir().unwrap();
    fs::create_dir(empty.path().join("episodes")).unwrap();
    assert_eq!(printed(empty.path(), &["list"]), "no runs\n");
    assert_eq!(
        json_of(empty.path(), &["list", "--format", "json"]),
        json!({"runs": [], "more": 0})
    );
}

#[test]
fn list_says_in_progress_where_only_a_timeline_is() {
    let (temp, dir) = copy_of("demo/episodes/ep_01_answer");
    for file in ["state.json", "summary.json", "manifest.json"] {
        fs::remove_file(dir.join(file)).unwrap();
    }
    let text = printed(temp.path(), &["list"]);
    assert!(text.contains(" ep_01_answer in progress - "), "{text}");
    let dashboard = printed(temp.path(), &["view", "ep_01"]);
    assert!(
        dashboard.contains("\nRun: in progress\nRecords: "),
        "{dashboard}"
    );
}

#[test]
fn list_can_be_filtered() {
    let demo = demo_in_order();
    let of = |args: &[&str]| ids(demo.path(), args);
    assert_eq!(of(&["--status", "pending"]), ["ep_02_paused"]);
    assert_eq!(
        of(&["--outcome", "success"]),
        ["ep_03_edited", "ep_01_answer", "ep_05_misnamed"]
    );
    assert_eq!(
        of(&["--outcome", "success", "--limit", "1"]),
        ["ep_03_edited"]
    );
    assert_eq!(
        of(&["--invalid"]),
        ["ep_03_edited", "ep_05_misnamed", "ep_04_crashed"]
    );
    assert_eq!(
        of(&["--invalid", "--outcome", "success", "--status", "ok"]),
        ["ep_03_edited", "ep_05_misnamed"]
    );
    assert_eq!(of(&["--since", "2026-03-02"]), [] as [&str; 0]);
    assert_eq!(of(&["--since", "2026-03-01"]).len(), 5);
    assert_eq!(of(&["--since", "2026-03-01T13:00:00+01:00"]).len(), 5);
    assert_eq!(of(&["--since", "2026-03-01T12:00:00.1Z"]).len(), 0);
    assert_eq!(
        of(&["--status", "ok", "--since", "2026-03-01", "--limit", "3"]).len(),
        3
    );
    let output = runvet(
        demo.path(),
        &["list", "--since", "yesterday"],
        Width::Narrow,
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("RFC 3339"), "{}", stderr(&output));
}
