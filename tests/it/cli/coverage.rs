//! `runvet coverage` and `--require`: what a check looks at, and what it must have looked at.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};

fn coverage(args: &[&str]) -> Value {
    let output = run(&[&["coverage", "--format", "json"], args].concat());
    serde_json::from_str(stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)))
}

#[test]
fn sums_are_those_of_the_runs() {
    let runs = ["good", "bad", "demo"];
    let output = run(&[&["validate", "--format", "json", "--coverage"], &runs[..]].concat());
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    let mut sums: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let episodes = report["episodes"].as_array().unwrap();
    for episode in episodes {
        for (rule, said) in episode["coverage"].as_object().unwrap() {
            let none = ["found", "sound", "nothing", "skipped"].map(|it| (it.to_owned(), 0));
            let sum = sums
                .entry(rule.clone())
                .or_insert_with(|| none.into());
            *sum.get_mut(said.as_str().unwrap())
                .unwrap() += 1;
        }
    }
    let covered = coverage(&runs);
    assert_eq!(covered["rules"], json!(sums));
    assert_eq!(covered["runs"], episodes.len());
    for format in ["human", "json", "markdown"] {
        let of = |jobs: &str| {
            let options = ["coverage", "--format", format, "--jobs", jobs];
            let output = run(&[&options, &runs[..]].concat());
            stdout(&output).to_owned()
        };
        assert_eq!(of("1"), of("8"));
    }
}
