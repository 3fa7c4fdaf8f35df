//! Run data that tries to hide a run from the gate: what is not judged is a fault, never passed.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::select;
use runvet::gate::Gate;
use runvet::read;
use runvet::store::Fault;

use crate::support::random::config;

/// A path below `episodes`, of names that mean something and names that don't.
fn path() -> impl Strategy<Value = String> {
    let name = select(&["a", "b", "episodes", "snapshots", ".git", "state.json"]);
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn list_knows_the_runs_that_validate_judges(
        dirs in prop::collection::vec(path(), 0..4),
        files in prop::collection::vec((path(), select(&["state.json", "summary.json", "events.jsonl", "learn.jsonl"])), 0..6),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let episodes = temp.path().join("episodes");
        fs::create_dir(&episodes).unwrap();
        for dir in &dirs {
            let _ = fs::create_dir_all(episodes.join(dir));
        }
        for (dir, name) in &files {
            let _ = fs::create_dir_all(episodes.join(dir));
            let _ = fs::write(episodes.join(dir).join(name), "{}");
        }
        let found = Gate::default().discover(&[temp.path()]);
        let judged: Vec<PathBuf> = found.episodes.into_iter().map(|run| run.path).collect();
        let run_data = read::RunData::open(temp.path()).unwrap();
        let mut listed: Vec<PathBuf> = run_data.iter().map(|run| run.path().to_owned()).collect();
        listed.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        prop_assert_eq!(&listed, &judged);
        let paths = |faults: &[Fault]| -> Vec<PathBuf> {
            faults.iter().map(|fault| fault.path().to_owned()).collect()
        };
        let (mut noted, mut reported) = (paths(run_data.faults()), paths(&found.faults));
        // A directory that is not opened may hold artifacts of no run.
        let is_opened = |dir: &PathBuf| fs::read_dir(dir).unwrap().any(|it| it.unwrap().path().is_dir());
        let may_be_noted = |dir: &PathBuf| dir.ends_with("episodes") || is_opened(dir);
        noted.retain(may_be_noted);
        reported.retain(may_be_noted);
        noted.sort();
        reported.sort();
        prop_assert_eq!(noted, reported);
        let latest = run_data.get("@latest").ok();
        prop_assert_eq!(latest.is_some(), !judged.is_empty());
    }
}
