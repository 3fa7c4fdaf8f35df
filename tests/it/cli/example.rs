//! `runvet example`: every rule accepts what it prints and writes.

use std::fs;

use runvet::gate::{Gate, all_rules};

use runvet::finding::Level;
use serde_json::Value;

use crate::support::binary::{run, stderr, stdout};

/// A check with every rule at `error`, those that are off by default too.
fn strictest() -> Gate {
    all_rules().fold(Gate::default(), |check, rule| {
        check
            .level(&rule.id, Level::Error)
            .unwrap()
    })
}

#[test]
fn example_run_is_accepted_by_every_rule_under_any_name() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["ep_1", "ep \"quoted\" é", "01JGFJJZ00CTSPE3DKFP348M8P"] {
        let dir = temp
            .path()
            .join("runs/episodes")
            .join(name);
        let output = run(&["example", "run", dir.to_str().unwrap()]);
        assert_eq!(
            (output.status.code(), stdout(&output), stderr(&output)),
            (Some(0), "", "")
        );
        let report = strictest().run([&dir]).unwrap();
        let [episode] = &report.episodes[..] else {
            panic!("one episode")
        };
        assert_eq!((&*episode.id, &*episode.findings), (name, &[][..]));
        assert_eq!(episode.skipped, []);
    }
}

#[test]
fn example_records_are_those_of_the_run() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("episodes/ep_1");
    run(&["example", "run", dir.to_str().unwrap()]);
    let file = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(stdout(&run(&["example", "state"])), file("state.json"));
    assert_eq!(stdout(&run(&["example", "summary"])), file("summary.json"));
    let event = run(&["example", "event"]);
    assert_eq!(stdout(&event).lines().count(), 1);
    assert!(file("events.jsonl").starts_with(stdout(&event)));
    let manifest: Value = serde_json::from_str(&file("manifest.json")).unwrap();
    assert_eq!(
        manifest["files"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[test]
fn example_overwrites_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().to_str().unwrap();
    for (args, said) in [
        (&["example", "run", dir][..], "File exists"),
        (&["example", "run", "/"], "the directory needs a name"),
        (&["example", "run"], "required"),
        (&["example", "state", "elsewhere"], "only a run is written"),
        (&["example", "manifest"], "possible values"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    assert_eq!(
        fs::read_dir(temp.path())
            .unwrap()
            .count(),
        0
    );
}
