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
    assert_eq!(of(&["--since", "2026-03-02T00:00:00Z"]), [] as [&str; 0]);
    assert_eq!(of(&["--since", "2026-03-01T00:00:00Z"]).len(), 5);
    assert_eq!(of(&["--since", "2026-03-01T13:00:00+01:00"]).len(), 5);
    assert_eq!(of(&["--since", "2026-03-01T12:00:00.1Z"]).len(), 0);
    assert_eq!(
        of(&[
            "--status",
            "ok",
            "--until",
            "2026-03-02T00:00:00Z",
            "--limit",
            "3"
        ])
        .len(),
        3
    );
    let before = [
        "--until",
        "2026-03-01T12:00:00.1Z",
        "--since",
        "2026-03-01T00:00:00Z",
    ];
    assert_eq!(of(&before).len(), 5);
}

#[test]
fn times_have_one_grammar_and_are_said() {
    let demo = demo_in_order();
    for command in ["list", "validate"] {
        let of = |args: &[&str]| {
            let args = [&[command, "."], args].concat();
            let output = runvet(demo.path(), &args, Width::Narrow);
            (output.status.code(), stderr(&output).to_owned())
        };
        let (code, said) = of(&["--since", "2026-03-01", "--until", "yesterday"]);
        assert_ne!(code, Some(2), "{said}");
        assert!(said.starts_with("note: --since 2026-03-01 is 2026-03-01T00:00:00Z\n"));
        assert!(said.contains("note: --until yesterday is 20"), "{said}");
        let (_, said) = of(&["--since", "-36500d"]);
        assert!(said.starts_with("note: --since -36500d is 19"), "{said}");
        let (code, said) = of(&["--since", "last week"]);
        assert_eq!(code, Some(2));
        assert!(said.contains("such as 90s, 15m, 1h or 7d"), "{said}");
    }
    let (code, told) = (Some(3), "none matches --until 2026-03-01T00:00:00Z");
    let args = ["validate", "--until", "2026-03-01T00:00:00Z", "."];
    let output = runvet(demo.path(), &args, Width::Narrow);
    assert_eq!(output.status.code(), code);
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
}

#[test]
fn run_whose_start_is_not_known_is_checked_in_any_period() {
    let (temp, dir) = copy_of("demo/episodes/ep_01_answer");
    for file in ["state.json", "summary.json"] {
        fs::write(dir.join(file), "{").unwrap();
    }
    let args = ["validate", "--since", "2030-01-01T00:00:00Z", "."];
    let output = runvet(temp.path(), &args, Width::Narrow);
    assert_eq!(output.status.code(), Some(1));
}
