//! The keys of objects make up the same episodes as files with those paths.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use runvet::gate::Gate;
use runvet::store::{Discovery, episodes_of};

use crate::support::random::config;

/// A path of a few directories and a file, with names that mean something to discovery.
fn key() -> impl Strategy<Value = String> {
    let directory = select(vec![
        "episodes",
        "ep_1",
        "ep_2",
        "group",
        ".git",
        "state.json",
    ]);
    let file = select(vec![
        "state.json",
        "summary.json",
        "events.jsonl",
        "learn.jsonl",
        "notes.txt",
    ]);
    (prop::collection::vec(directory, 0..5), file).prop_map(|(mut parts, file)| {
        parts.push(file);
        parts.join("/")
    })
}

/// What marks a state as a run's: a state of another program needs to be read to be known.
const CONTENT: &str = r#"{"version":"1.0"}"#;

/// Writes files below a directory, and returns the keys of those that could be written: what is a
/// file can't be a directory as well.
fn write(dir: &Path, keys: &[String]) -> Vec<String> {
    let is_written = |key: &&String| {
        let path = dir.join(key);
        let above = path.parent().unwrap();
        !path.is_dir()
            && fs::create_dir_all(above)
                .and_then(|()| fs::write(&path, CONTENT))
                .is_ok()
    };
    keys.iter()
        .filter(is_written)
        .cloned()
        .collect()
}

/// What is found, as far as it can be told from names.
fn found(discovery: &Discovery) -> (Vec<String>, Vec<String>) {
    let episodes = discovery.episodes.iter();
    let episodes = episodes
        .map(|it| {
            format!(
                "{} {:?} {} {:?}",
                it.path.display(),
                it.id,
                it.name,
                it.entries
            )
        })
        .collect();
    let faults = discovery
        .faults
        .iter()
        .map(ToString::to_string)
        .collect();
    (episodes, faults)
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn keys_make_up_the_episodes_of_a_directory(keys in prop::collection::vec(key(), 1..12)) {
        let temp = tempfile::tempdir().unwrap();
        let keys = write(temp.path(), &keys);
        for below in ["", "episodes", "group", "episodes/ep_1"] {
            let dir = temp.path().join(below);
            let root = dir.to_str().unwrap().trim_end_matches('/');
            if !dir.is_dir() {
                continue;
            }
            let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
            let keys = keys.iter().filter_map(|key| key.strip_prefix(&prefix));
            let on_disk = Gate::default().discover(&[root]);
            prop_assert_eq!(found(&episodes_of(root, keys)), found(&on_disk), "{}", below);
        }
    }
}

#[test]
fn order_of_keys_does_not_matter() {
    let keys = [
        "episodes/ep_1/checkpoints/state.json",
        "episodes/ep_1/state.json",
        "episodes/group/ep_2/events.jsonl",
        "episodes/group/summary.json",
    ];
    let sorted = found(&episodes_of("s3://b", keys));
    assert_eq!(sorted.0.len(), 2, "{sorted:?}");
    assert_eq!(
        found(&episodes_of("s3://b", keys.into_iter().rev())),
        sorted
    );
}

#[test]
fn key_that_is_no_path_is_a_fault() {
    for key in [
        "/state.json",
        "a//state.json",
        "a/../state.json",
        "./state.json",
        "a/..",
    ] {
        let found = episodes_of("s3://b", [key]);
        assert_eq!((found.episodes.len(), found.faults.len()), (0, 1), "{key}");
    }
    let marker = episodes_of("s3://b", ["episodes/ep_1/", "episodes/ep_1/state.json"]);
    assert_eq!((marker.episodes.len(), marker.faults.len()), (1, 0));
}
