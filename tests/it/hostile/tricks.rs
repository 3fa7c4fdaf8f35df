//! Whatever is added, copied or linked to run data on random trees, the gate does not pass.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use runvet::gate::{Exit, Gate};

use crate::support::random::config;
use crate::support::runs::{bad_run, copy_dir, run_of};

/// What is done to run data to hide a run in it.
#[derive(Clone, Debug)]
enum Trick {
    MakeDir(String),
    /// Copies a valid run.
    Copy(String),
    /// Adds an empty file.
    Touch(String, &'static str),
    /// Links the second to the first.
    Link(String, String),
}

/// A trick on run data at a path.
fn trick(run_data: &'static str) -> impl Strategy<Value = Trick> {
    // The run data itself, anything in it, or above it.
    let place = move || {
        let name = select(&["a", "b", "episodes", "ep_bad", "ep_answer"]);
        let below = prop::collection::vec(name, 0..4).prop_map(|names| names.join("/"));
        prop_oneof![
            below.clone(),
            below.prop_map(move |below| format!("{run_data}/episodes/{below}"))
        ]
    };
    let artifact = select(&["state.json", "summary.json", "events.jsonl", "learn.jsonl"]);
    prop_oneof![
        place().prop_map(Trick::MakeDir),
        place().prop_map(Trick::Copy),
        (place(), artifact).prop_map(|(place, name)| Trick::Touch(place, name)),
        (place(), place()).prop_map(|(target, place)| Trick::Link(target, place)),
    ]
}

impl Trick {
    /// Does it, where it can be done, but not to the artifacts of the bad run.
    fn play(&self, top: &Path, bad: &Path) {
        let make = |place: &String| {
            let dir = top.join(place);
            let _ = fs::create_dir_all(&dir);
            dir.canonicalize()
                .ok()
                .filter(|dir| dir != bad)
        };
        match self {
            Self::MakeDir(place) => drop(make(place)),
            Self::Copy(place) => drop(make(place).map(|dir| {
                for file in fs::read_dir(run_of("good/terminal"))
                    .unwrap()
                    .flatten()
                {
                    let _ = fs::copy(file.path(), dir.join(file.file_name()));
                }
            })),
            Self::Touch(place, name) => drop(make(place).map(|dir| {
                fs::File::options()
                    .append(true)
                    .create(true)
                    .open(dir.join(name))
            })),
            Self::Link(target, place) => drop(symlink(top.join(target), top.join(place))),
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn nothing_that_is_added_makes_the_gate_pass(
        (run_data, tricks) in select(&[".", "a", "a/b"])
            .prop_flat_map(|at| (Just(at), prop::collection::vec(trick(at), 1..6))),
        group in select(&["", "a", "b", "episodes"]),
        is_linked: bool,
        has_only_summary: bool,
    ) {
        // Records that are put into a group hide runs without a timeline: a known limit.
        let group = if has_only_summary { "" } else { group };
        let (temp, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let top = temp.path().canonicalize().unwrap();
        let elsewhere = elsewhere.path().canonicalize().unwrap();
        copy_dir(&run_of("good/terminal"), &top.join(run_data).join("episodes/ep_answer"));
        let group = top.join(run_data).join("episodes").join(group);
        fs::create_dir_all(&group).unwrap();
        let in_place = group.canonicalize().unwrap().join("ep_bad");
        let bad = if is_linked { &elsewhere } else { &in_place };
        if has_only_summary {
            fs::create_dir_all(bad).unwrap();
            fs::copy(bad_run().join("summary.json"), bad.join("summary.json")).unwrap();
        } else {
            copy_dir(&bad_run(), bad);
        }
        if is_linked {
            symlink(bad, &in_place).unwrap();
        }
        let exit = || {
            let mut gate = Gate::default();
            let selection = gate.discover(&[&top]);
            // Where it is judged it fails; to judge it takes a while, for it was just written.
            if selection.faults.is_empty() && selection.episodes.iter().any(|run| run.path == *bad) {
                return Exit::Findings;
            }
            let outcome = gate.each(selection, |_| ControlFlow::Continue(()));
            outcome.exit(runvet::finding::Deny::default())
        };
        prop_assert_eq!(exit(), if is_linked { Exit::Fault } else { Exit::Findings });
        for trick in &tricks {
            trick.play(&top, bad);
            let exit = exit();
            prop_assert!(matches!(exit, Exit::Findings | Exit::Fault), "{:?}: {:?}", trick, exit);
        }
    }
}
