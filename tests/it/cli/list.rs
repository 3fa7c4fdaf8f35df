//! The list of runs on the command line.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::support::binary::{run, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::demo::{demo_in_order, ids, json_of, printed};
use crate::support::runs::{copy_dir, copy_of};
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
fn columns_line_up_beside_ids_in_wide_letters() {
    let demo = demo_in_order();
    let episodes = demo.path().join("episodes");
    fs::rename(episodes.join("ep_04_crashed"), episodes.join("ep_日本語")).unwrap();
    let text = printed(demo.path(), &["list"]);
    let rows: Vec<&str> = text.lines().collect();
    let status = rows[0].find("STATUS").unwrap();
    let wide = rows.iter().find(|row| row.contains(" ep_日本語 ")).unwrap();
    // Three letters take two columns each, and three bytes.
    let rest: String = wide.chars().skip(status - 3).collect();
    assert!(rest.starts_with("ok "), "{text}");
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
fn list_takes_the_filters_of_the_service() {
    let demo = demo_in_order();
    let of = |args: &[&str]| ids(demo.path(), args).len();
    assert_eq!(of(&["--status", "pending", "--status", "ok"]), 5);
    assert_eq!(of(&["--outcome", "success", "--outcome", "error"]), 3);
    assert_eq!(of(&["--tag", "team:support"]), 5);
    assert_eq!(of(&["--tag", "team:nobody"]), 0);
    let output = run(&[
        "list",
        "--tag",
        "team=support",
        demo.path().to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("a tag is written KEY:VALUE"));
    assert_eq!(of(&["--adapter", "adapter:core.minimal"]), 5);
    assert_eq!(of(&["--adapter", "adapter:other"]), 0);
    assert_eq!(of(&["--search", "TICKETS ep_03"]), 1);
    assert_eq!(of(&["--search", "tickets nowhere"]), 0);
    let phases = ["view", "ep_01", "--phase", "plan", "--phase", "reflect"];
    assert_eq!(printed(demo.path(), &phases).lines().count(), 2);
}

#[test]
fn list_finds_runs_in_progress_that_are_silent() {
    let demo = demo_in_order();
    let of = |length: &str| ids(demo.path(), &["--silent-for", length]);
    assert_eq!(of("0s"), ["ep_02_paused"]);
    assert_eq!(of("1d"), [] as [&str; 0]);
    for file in fs::read_dir(demo.path().join("episodes/ep_02_paused")).unwrap() {
        let file = fs::File::open(file.unwrap().path()).unwrap();
        let past = SystemTime::now() - Duration::from_secs(100_000);
        file.set_modified(past).unwrap();
    }
    assert_eq!(of("1d"), ["ep_02_paused"]);
}

#[test]
fn narrow_list_keeps_the_rule_the_duration_and_the_task() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("episodes/ep_6KGKKQJ6QWTP8BQQY5BM1DWFKR");
    copy_dir(&corpus().join("demo/episodes/ep_03_edited"), &dir);
    for file in ["state.json", "summary.json"] {
        let text = fs::read_to_string(dir.join(file)).unwrap();
        let text = text.replace(
            "\"outcome\":\"success\"",
            "\"outcome\":\"success_unverified\"",
        );
        fs::write(dir.join(file), text).unwrap();
    }
    let list = |args: &[&str]| {
        let output = runvet(temp.path(), &[&["list"], args].concat(), Width::Narrow);
        let text = stdout(&output).to_owned();
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        text.lines().nth(1).unwrap().to_owned()
    };
    let row = list(&[]);
    assert!(
        row.contains("Summarize the open t") && row.contains(" 0.15s "),
        "{row}"
    );
    assert!(row.contains("DWFKR ok "), "the end of the id: {row}");
    let row = list(&["--invalid"]);
    assert!(row.contains("episode/id +"), "{row}");
    assert!(row.contains(" 0.15s ") && row.contains(" Summ"), "{row}");
}

#[test]
fn shown_runs_are_sorted_by_the_start() {
    let demo = demo_in_order();
    let state = demo.path().join("episodes/ep_04_crashed/state.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, text.replace("2026-03-01T12", "2026-03-02T12")).unwrap();
    assert_eq!(ids(demo.path(), &[])[0], "ep_04_crashed");
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
        let (_, said) = of(&["--since", "2026-03-01T12:00:00.50"]);
        assert!(said.contains("is 2026-03-01T12:00:00.5Z\n"), "{said}");
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
fn run_is_checked_unless_all_its_starts_are_outside_a_period() {
    let first = ["state.json", "summary.json", "events.jsonl"];
    let check = |forged: &[&str], period: &[&str]| {
        let (temp, dir) = copy_of("demo/episodes/ep_03_edited");
        for file in forged {
            let text = fs::read_to_string(dir.join(file)).unwrap();
            let text = text.replace("2026-03-01", "1999-03-01");
            fs::write(dir.join(file), text).unwrap();
        }
        let args = [&["validate", "."], period].concat();
        runvet(temp.path(), &args, Width::Narrow).status.code()
    };
    for file in first {
        let others: Vec<&str> = first.into_iter().filter(|it| *it != file).collect();
        for forged in [&[file][..], &others] {
            assert_eq!(
                check(forged, &["--since", "2026-01-01"]),
                Some(1),
                "{forged:?}"
            );
            assert_eq!(
                check(forged, &["--until", "2000-01-01"]),
                Some(1),
                "{forged:?}"
            );
            // It may have started between the two.
            let between = ["--since", "2001-01-01", "--until", "2002-01-01"];
            assert_eq!(check(forged, &between), Some(1), "{forged:?}");
        }
    }
    assert_eq!(check(&first, &["--since", "2026-01-01"]), Some(3));
    assert_eq!(check(&[], &["--until", "2026-01-01"]), Some(3));
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
