//! Directories with the `state.json` of another program: no episodes, unless a user gives them.

use std::fs::{self};
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use runvet::gate::Gate;

use crate::support::random::config;

/// What another program keeps in its `state.json`.
const FOREIGN: &str = r#"{"serial": 4, "resources": [{"episode": {"id": "ep_1"}}]}"#;

fn write(dir: &Path, below: &str, text: &str) {
    let file = dir.join(below);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// A path outside or inside `episodes`, none of them below a run.
fn place() -> impl Strategy<Value = String> {
    let name = select(&["a", "b", "c", ".hidden"]);
    prop::collection::vec(name, 0..4).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn foreign_state_changes_no_other_verdict(
        runs in prop::collection::btree_set(place(), 1..4),
        foreign in prop::collection::vec(place(), 1..5),
    ) {
        let temp = tempfile::tempdir().unwrap();
        for (index, dir) in runs.iter().enumerate() {
            let below = if index == 0 { "data/episodes" } else { "" };
            let dir = temp.path().join(below).join(dir).join(format!("run_{index}"));
            write(&dir, "events.jsonl", "");
            write(&dir, "state.json", FOREIGN);
        }
        let report = || Gate::default().run([temp.path()]).unwrap();
        let before = serde_json::to_string(&report()).unwrap();
        for dir in &foreign {
            write(&temp.path().join(dir), "state.json", FOREIGN);
        }
        // The top is given, so it would be an episode.
        let _ = fs::remove_file(temp.path().join("state.json"));
        prop_assert_eq!(serde_json::to_string(&report()).unwrap(), before);
    }
}
