//! Entry points agree: `list`, `view` and `validate` report the same id and lifecycle for a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use runvet::finding::Lifecycle;
use runvet::gate::Gate;
use runvet::read::{RunData, RunReader};
use runvet::view;
use serde_json::Value;

use crate::support::binary::stdout;
use crate::support::corpus::{corpus, expecting_cases, good_cases};
use crate::support::runs::{copy_of, replace};
use crate::support::terminal::{Width, runvet};

fn cases() -> Vec<PathBuf> {
    let expecting = ["bad", "broken"]
        .map(expecting_cases)
        .concat();
    [good_cases(), expecting, vec![corpus().join("demo")]].concat()
}

/// The id and lifecycle that each entry point of the library reports for a run.
fn said(dir: &Path) -> [(String, Lifecycle); 3] {
    let mut gate = Gate::default();
    let [found] = &gate.discover(&[dir]).episodes[..] else {
        panic!("one run at {}", dir.display())
    };
    let report = gate.episode(found).unwrap();
    let run = RunReader::open(dir).unwrap();
    let entry = run.entry();
    assert_eq!(run.id(), entry.episode_id);
    let page = view::json(&run, &mut gate).unwrap();
    let page: Value = serde_json::from_slice(&page).unwrap();
    let text = |key: &str| page[key].as_str().unwrap().to_owned();
    [
        (report.id, report.lifecycle),
        (entry.episode_id, entry.lifecycle),
        (
            text("episode_id"),
            serde_json::from_value(page["lifecycle"].clone()).unwrap(),
        ),
    ]
}

#[test]
fn doors_agree_on_id_and_lifecycle_over_the_corpus() {
    let mut runs = 0;
    for case in cases() {
        let mut checked = BTreeMap::new();
        for episode in Gate::default()
            .discover(&[&case])
            .episodes
        {
            let [by_check, by_entry, by_view] = said(&episode.path);
            assert_eq!(by_entry, by_check, "{}", episode.path.display());
            assert_eq!(by_view, by_check, "{}", episode.path.display());
            checked.insert(episode.path, by_check);
            runs += 1;
        }
        let Ok(run_data) = RunData::open(&case) else {
            continue;
        };
        for run in run_data.iter() {
            let entry = run.entry();
            assert_eq!(
                checked.get(run.path()),
                Some(&(entry.episode_id, entry.lifecycle)),
                "{}",
                run.path().display()
            );
        }
    }
    assert!(runs > 100, "{runs} runs were compared");
}

#[test]
fn commands_agree_on_a_status_outside_the_vocabulary() {
    let (temp, dir) = copy_of("good/terminal");
    replace(
        &dir.join("state.json"),
        "\"status\":\"ok\"",
        "\"status\":\"finished\"",
    );
    let json = |args: &[&str]| -> Value {
        let output = runvet(temp.path(), args, Width::Narrow);
        serde_json::from_str(stdout(&output)).unwrap()
    };
    let listed = &json(&["list", "--format", "json"])["runs"][0];
    let checked = &json(&["validate", "--format", "json", "."])["episodes"][0];
    assert_eq!(listed["status"], "finished", "as the record says");
    for of in [
        &listed["lifecycle"],
        &checked["lifecycle"],
        &json(&["view", "@latest", "--json"])["lifecycle"],
    ] {
        assert_eq!(of, "unknown");
    }
}

#[test]
fn doors_agree_on_the_id_of_a_run_outside_of_run_data() {
    let (temp, dir) = copy_of("good/terminal");
    let moved = temp.path().join("somewhere");
    fs::rename(dir, &moved).unwrap();
    let id = || {
        let [by_check, by_entry, by_view] = said(&moved);
        assert!(by_entry == by_check && by_view == by_check, "{by_check:?}");
        by_check.0
    };
    assert_eq!(id(), "ep_answer");
    // An id that its schema refuses does not count: the id is that of the summary.
    replace(
        &moved.join("state.json"),
        "\"id\":\"ep_answer\"",
        "\"id\":\"\"",
    );
    assert_eq!(id(), "ep_answer");
    fs::remove_file(moved.join("summary.json")).unwrap();
    assert_eq!(id(), "somewhere");
}
