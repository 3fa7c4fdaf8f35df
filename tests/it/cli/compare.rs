//! The p-values of `runvet compare` are those of another program.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::binary::run;
use crate::support::corpus::corpus;
use crate::support::python::python;
use crate::support::run_data::Random;
use crate::support::runs::copy_dir;

/// A run of a task with metrics.
fn write(set: &Path, task: u32, metrics: &str) {
    let dir = set.join(format!("episodes/ep_{task}"));
    copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &dir);
    for file in ["state.json", "summary.json", "events.jsonl"] {
        let file = dir.join(file);
        let text = fs::read_to_string(&file).unwrap();
        let text = text.replace("ep_01_answer", &format!("ep_{task}"));
        let text = text.replace("Summarize the open tickets", &format!("task {task}"));
        fs::write(&file, text.replace("\"task_score\":0.75", metrics)).unwrap();
    }
}

/// Each metric of a set is a cohort.
const METRICS: u64 = 240;

#[test]
fn p_values_are_those_of_scipy_over_a_thousand_cohorts() {
    let Some(mut python) = python("statistics", &["scipy"]) else {
        return;
    };
    let mut random = Random(11);
    let mut measures = Vec::new();
    for tasks in [5, 12, 20, 30, 61] {
        let dir = tempfile::tempdir().unwrap();
        for set in ["base", "new"] {
            for task in 0..tasks {
                let mut metrics = String::from("\"task_score\":0.75");
                for metric in 0..METRICS {
                    // Some cohorts lean to one side.
                    let lean = if set == "new" { metric % 4 } else { 0 };
                    let value = random.below(3) + lean;
                    write!(metrics, ",\"m{metric}\":{value}").unwrap();
                }
                write(&dir.path().join(set), task, &metrics);
            }
        }
        let [base, new] = ["base", "new"].map(|set| {
            dir.path()
                .join(set)
                .display()
                .to_string()
        });
        let output = run(&[
            "compare",
            &base,
            &new,
            "--no-config",
            "--format",
            "json",
            "--rule",
            "*=off",
        ]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        measures.extend(
            found["measures"]
                .as_array()
                .unwrap()
                .clone(),
        );
    }
    let script = "\
import json, sys
from scipy.stats import binom
rows = json.load(sys.stdin)
for row in rows:
    k, n = min(row['lower'], row['higher']), row['lower'] + row['higher']
    p = 2 * binom.cdf(k, n, 0.5) - binom.pmf(k, n, 0.5)
    assert abs(p - row['p']) < 1e-12, (row, p)
print(len(rows), len({(row['lower'], row['higher']) for row in rows}))";
    let mut child = python
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(
            Value::from(measures)
                .to_string()
                .as_bytes(),
        )
        .unwrap();
    drop(input);
    let said = child.wait_with_output().unwrap();
    assert!(said.status.success());
    let said = String::from_utf8(said.stdout).unwrap();
    let (rows, splits) = said.trim().split_once(' ').unwrap();
    assert!(
        rows.parse::<usize>().unwrap() >= 1_000 && splits.parse::<usize>().unwrap() > 200,
        "{said}"
    );
}
