//! `runvet compare`: pairs, what changed in them, the test of signs, gates and errors.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::binary::{run, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::python::python;
use crate::support::run_data::Random;
use crate::support::runs::{copy_dir, replace};

/// What is special about a run; it succeeds otherwise.
#[derive(Clone, Copy, Default)]
struct Special<'s> {
    fails: bool,
    seed: u32,
    is_invalid: bool,
    /// What stands in the place of the metric `task_score`.
    metrics: Option<&'s str>,
}

fn write(set: &Path, name: &str, task: &str, special: Special<'_>) {
    let dir = set.join("episodes").join(name);
    copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &dir);
    for file in ["state.json", "summary.json", "events.jsonl"] {
        let file = dir.join(file);
        let text = fs::read_to_string(&file).unwrap();
        let text = text.replace("ep_01_answer", name);
        let text = text.replace("Summarize the open tickets", task);
        let text = text.replace("\"seed\":7", &format!("\"seed\":{}", special.seed));
        let score = "\"task_score\":0.75";
        fs::write(&file, text.replace(score, special.metrics.unwrap_or(score))).unwrap();
    }
    let summary = dir.join("summary.json");
    if special.fails {
        replace(&summary, "\"success\":1", "\"success\":0");
        replace(
            &summary,
            "\"outcome\":\"success\"",
            "\"outcome\":\"goal_not_achieved\"",
        );
        replace(
            &summary,
            "\"passed\":true,\"policy\"",
            "\"passed\":false,\"policy\"",
        );
    }
    if special.is_invalid {
        replace(&summary, "\"act_count\":2", "\"act_count\":-2");
    }
}

/// Two sets of 40 tasks; in the candidate the first ones fail.
fn sets(failing: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (set, failing) in [("base", 0), ("new", failing)] {
        for at in 0..40 {
            let fails = Special {
                fails: at < failing,
                ..Special::default()
            };
            write(
                &dir.path().join(set),
                &format!("ep_{at:02}"),
                &format!("task {at:02}"),
                fails,
            );
        }
    }
    dir
}

fn compare(dir: &Path, args: &[&str]) -> Output {
    let [base, new] = ["base", "new"].map(|set| dir.join(set).to_str().unwrap().to_owned());
    run(&[&["compare", &base, &new, "--no-config"], args].concat())
}

fn json(dir: &Path, args: &[&str]) -> Value {
    let output = compare(dir, &[args, &["--format", "json"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

fn measure<'j>(json: &'j Value, name: &str) -> &'j Value {
    let measures = json["measures"].as_array().unwrap().iter();
    measures.clone().find(|it| it["name"] == name).unwrap()
}

#[test]
fn gate_fails_for_eight_flips_of_forty_and_not_for_two() {
    let gate = ["--fail-if", "success: worse, p < 0.05"];
    for (failing, code, p) in [(8, 1, 1.0 / 256.0), (2, 0, 0.25)] {
        let dir = sets(failing);
        assert_eq!(compare(dir.path(), &gate).status.code(), Some(code));
        let found = json(dir.path(), &[]);
        let success = measure(&found, "success");
        assert!(
            (success["p"].as_f64().unwrap() - p).abs() < 1e-12,
            "{success}"
        );
        assert_eq!(
            (&success["lower"], &success["same"]),
            (&failing.into(), &(40 - failing).into())
        );
        assert_eq!(found["flipped"].as_array().unwrap().len(), failing);
        let better = compare(dir.path(), &["--fail-if", "success: better"]);
        assert_eq!(better.status.code(), Some(0));
        let wrong = compare(dir.path(), &["--fail-if", "sucess: worse"]);
        assert_eq!(wrong.status.code(), Some(2));
        assert!(stderr(&wrong).contains("no pair has the measure \"sucess\""));
        let page = compare(dir.path(), &["--format", "html"]);
        let page = stdout(&page);
        let parts = ["Measures", "worse: task 00, 0", "/summary/outcome"];
        let places = parts.map(|part| page.find(part));
        assert!(
            places.is_sorted() && places.iter().all(Option::is_some),
            "{page}"
        );
        let markdown = compare(dir.path(), &["--format", "markdown"]);
        assert!(stdout(&markdown).contains("| worse | task 00, 0 |"));
    }
}

#[test]
fn swapped_sets_give_the_mirrored_comparison() {
    let dir = sets(3);
    let there = json(dir.path(), &[]);
    for [from, to] in [["base", "other"], ["new", "base"], ["other", "new"]] {
        fs::rename(dir.path().join(from), dir.path().join(to)).unwrap();
    }
    let back = json(dir.path(), &[]);
    let pairs = there["measures"].as_array().unwrap().iter();
    for (a, b) in pairs.zip(back["measures"].as_array().unwrap()) {
        assert_eq!(
            (&a["name"], &a["p"], &a["same"]),
            (&b["name"], &b["p"], &b["same"])
        );
        assert_eq!((&a["lower"], &a["higher"]), (&b["higher"], &b["lower"]));
        assert_eq!((&a["base"], &a["candidate"]), (&b["candidate"], &b["base"]));
    }
    let flips = |of: &Value| {
        let flipped = of["flipped"].as_array().unwrap().iter();
        flipped
            .map(|it| (it["key"].clone(), it["flipped"].clone()))
            .collect::<Vec<_>>()
    };
    let mirrored = flips(&back).into_iter().map(|(key, word)| {
        assert_eq!(word, "better");
        (key, "worse".into())
    });
    assert_eq!(flips(&there), mirrored.collect::<Vec<(Value, Value)>>());
}

#[test]
fn repeats_of_a_task_count_as_one_and_runs_that_are_not_valid_stand_apart() {
    let dir = tempfile::tempdir().unwrap();
    for set in ["base", "new"] {
        let home = dir.path().join(set);
        for seed in 0..6 {
            let fails = set == "new";
            let special = Special {
                fails,
                seed,
                ..Special::default()
            };
            write(&home, &format!("ep_{seed}"), "the only task", special);
        }
        let is_invalid = set == "new";
        write(
            &home,
            "ep_9",
            "another",
            Special {
                is_invalid,
                ..Special::default()
            },
        );
    }
    let found = json(dir.path(), &[]);
    assert_eq!((&found["pairs"], &found["tasks"]), (&6.into(), &1.into()));
    let success = measure(&found, "success");
    assert_eq!((&success["lower"], &success["p"]), (&1.into(), &0.5.into()));
    let apart = found["apart"].as_array().unwrap().iter();
    let apart: Vec<_> = apart.map(|it| (&it["set"], &it["why"])).collect();
    assert_eq!(
        apart,
        [
            (&"candidate".into(), &"invalid".into()),
            (&"base".into(), &"unpaired".into())
        ]
    );
    let ambiguous = compare(dir.path(), &["--pair", "task"]);
    assert_eq!(ambiguous.status.code(), Some(2));
    let said = stderr(&ambiguous);
    assert!(
        said.contains("the only task in ") && said.contains("task,seed"),
        "{said}"
    );
    let tagged = compare(dir.path(), &["--pair", "tag:team"]);
    assert!(
        stderr(&tagged).contains("support in "),
        "{}",
        stderr(&tagged)
    );
    let unpaired = compare(
        dir.path(),
        &["--pair", "tag:absent", "--fail-if", "success: worse"],
    );
    assert_eq!(unpaired.status.code(), Some(2));
    let said = stderr(&unpaired);
    assert!(said.contains("there are no pairs to compare"), "{said}");
    let unknown = compare(dir.path(), &["--pair", "tasks"]);
    assert!(stderr(&unknown).contains("expected task, seed or tag:NAME"));
}

/// Values of a metric in the repeats of one task, in each set, and how the means compare.
const MEANS: [([&str; 3], [&str; 3], &str); 7] = [
    (["0.1", "0.2", "0.3"], ["0.3", "0.2", "0.1"], "same"),
    (["0.1", "0.2", "0"], ["0.3", "0e0", "-0"], "same"),
    (["0.1", "0.1", "0.1"], ["0.3", "1e-400", "0"], "higher"),
    (
        ["9007199254740993", "1", "1"],
        ["9007199254740992", "1.0", "1"],
        "lower",
    ),
    (["1e400", "1e400", "0"], ["2e400", "0", "0"], "same"),
    (["1e400", "0", "0"], ["1e400", "0", "1"], "higher"),
    (
        ["1e9999999999999999999", "5", "0"],
        ["1e9999999999999999999", "6", "0"],
        "higher",
    ),
];

#[test]
fn means_of_a_task_are_compared_exactly() {
    for (base, new, expected) in MEANS {
        let dir = tempfile::tempdir().unwrap();
        for (set, values) in [("base", base), ("new", new)] {
            for (seed, value) in (0..).zip(values) {
                let metrics = format!("\"task_score\":{value}");
                let special = Special {
                    seed,
                    metrics: Some(&metrics),
                    ..Special::default()
                };
                write(
                    &dir.path().join(set),
                    &format!("ep_{seed}"),
                    "the task",
                    special,
                );
            }
        }
        let found = json(dir.path(), &[]);
        let metric = measure(&found, "metric:task_score");
        for count in ["lower", "same", "higher"] {
            let tasks = u64::from(count == expected);
            assert_eq!(metric[count], tasks, "{base:?} {new:?}: {metric}");
        }
        assert!(metric["base"].is_f64(), "{metric}");
    }
}

#[test]
fn metric_that_is_no_number_in_one_run_is_an_error_that_names_both() {
    let dir = sets(0);
    let metrics = Some("\"task_score\":\"high\"");
    fs::remove_dir_all(dir.path().join("new/episodes/ep_07")).unwrap();
    let special = Special {
        metrics,
        ..Special::default()
    };
    write(&dir.path().join("new"), "ep_07", "task 07", special);
    let output = compare(dir.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    let parts = [
        "\"metric:task_score\" is a number in ",
        "base/episodes/ep_00",
        "new/episodes/ep_07",
    ];
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
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
                let special = Special {
                    metrics: Some(&metrics),
                    ..Special::default()
                };
                let home = dir.path().join(set);
                write(
                    &home,
                    &format!("ep_{task}"),
                    &format!("task {task}"),
                    special,
                );
            }
        }
        let found = json(dir.path(), &["--rule", "*=off"]);
        measures.extend(found["measures"].as_array().unwrap().clone());
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
        .write_all(Value::from(measures).to_string().as_bytes())
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

#[test]
fn text_of_the_runs_is_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let task = r"a|b <img src=x onerror=alert(1)> \u001b[2J \u202e ::error:: @all";
    for (set, fails) in [("base", false), ("new", true)] {
        let special = Special {
            fails,
            ..Special::default()
        };
        write(&dir.path().join(set), "ep_1", task, special);
    }
    for format in ["human", "markdown", "html", "json"] {
        let output = compare(dir.path(), &["--format", format]);
        let text = stdout(&output);
        assert!(text.contains("onerror"), "{format}: {text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format}: {text}");
        let is_markup = ["markdown", "html"].contains(&format);
        assert!(!(is_markup && text.contains("<img")), "{format}: {text}");
        assert!(format != "markdown" || !text.contains("::error"), "{text}");
    }
}

/// Two sets of four tasks, all of which succeed, and how one candidate differs.
fn four(special: Special<'_>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..4 {
        let task = format!("task {number}");
        let name = format!("ep_{number}");
        write(&dir.path().join("base"), &name, &task, Special::default());
        let special = if number == 0 {
            special
        } else {
            Special::default()
        };
        write(&dir.path().join("new"), &name, &task, special);
    }
    dir
}

const WORSE: [&str; 2] = ["--fail-if", "success: worse"];

#[test]
fn run_that_is_left_out_counts_against_a_gate() {
    let special = Special {
        is_invalid: true,
        ..Special::default()
    };
    let dir = four(special);
    let gated = compare(dir.path(), &WORSE);
    assert_eq!(gated.status.code(), Some(2), "{}", stdout(&gated));
    let why = "not compared: 2 runs; that is more than `--max-left-out 0` allows";
    assert!(stderr(&gated).contains(why), "{}", stderr(&gated));
    assert!(stdout(&gated).contains("passes: success: worse"));
    for (limit, code) in [("1", 2), ("2", 0), ("24%", 2), ("25%", 0)] {
        let limited = compare(
            dir.path(),
            &[&WORSE[..], &["--max-left-out", limit]].concat(),
        );
        assert_eq!(limited.status.code(), Some(code), "{limit}");
    }
    assert_eq!(compare(dir.path(), &[]).status.code(), Some(0));
    let alone = compare(dir.path(), &["--max-left-out", "1"]);
    assert_eq!(alone.status.code(), Some(2));
}

#[test]
fn value_that_is_no_number_is_missing_in_its_pair() {
    for value in ["\"nan\"", "\"NaN\"", "\"inf\"", "\"-inf\"", "null"] {
        let metric = format!("\"task_score\":{value}");
        let dir = four(Special {
            metrics: Some(&metric),
            ..Special::default()
        });
        let found = json(dir.path(), &[]);
        let score = measure(&found, "metric:task_score");
        let numbers = ["pairs", "missing", "one_sided"].map(|name| score[name].as_u64().unwrap());
        assert_eq!(numbers, [3, 1, 1], "{value}");
        let human = compare(dir.path(), &[]);
        let said = "metric:task_score is missing in 1 of 4 pairs";
        assert!(stdout(&human).contains(said), "{}", stdout(&human));
        let gate = ["--fail-if", "metric:task_score: lower"];
        let gated = compare(dir.path(), &gate);
        assert_eq!(gated.status.code(), Some(2), "{value}");
        assert!(stderr(&gated).contains("a value is missing in 1 pair"));
        let other = compare(dir.path(), &WORSE);
        assert_eq!(other.status.code(), Some(0), "{value}");
    }
}

/// Two sets of runs of one task, each with a number of successes.
fn one_task(seeds: u32, successes: [u32; 2]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (set, successes) in [("base", successes[0]), ("new", successes[1])] {
        for seed in 0..seeds {
            let special = Special {
                fails: seed >= successes,
                seed,
                ..Special::default()
            };
            let name = format!("ep_{seed:02}");
            write(&dir.path().join(set), &name, "the task", special);
        }
    }
    dir
}

#[test]
fn gate_that_cannot_fail_is_refused() {
    let dir = one_task(20, [18, 4]);
    let gate = "success: worse, p < 0.05";
    let refused = compare(dir.path(), &["--fail-if", gate]);
    assert_eq!(refused.status.code(), Some(2));
    let why = "can't fail: 1 task can't give a p-value below 0.5000: at least 5 tasks are needed";
    assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    let lines: Vec<&str> = stdout(&refused).lines().take(5).collect();
    assert_eq!(
        lines[1..],
        [
            "can't fail: success: worse, p < 0.05",
            "20 pairs of 1 task compared; not compared: 0 runs",
            "success 0.9 -> 0.2: 14 of 20 pairs flipped, 14 to worse, 0 to better",
            "over tasks (sign test; tasks are independent): p = 0.5000; 1 task can't give a p-value \
             below 0.5000, so this says nothing",
        ]
    );
    let within = "within tasks (exact Cochran-Mantel-Haenszel test; runs of a task are \
                  independent): cmh_p < 0.0001; that says nothing about other tasks";
    assert!(stdout(&refused).contains(within), "{}", stdout(&refused));
    for (condition, code) in [
        ("success: worse, cmh_p < 0.05", 1),
        ("success: better, cmh_p < 0.05", 0),
        ("success: worse", 1),
        ("success: worse, p < 0.51", 1),
        ("success: better, p < 0.5", 2),
        ("act_count: lower, cmh_p < 0.05", 2),
    ] {
        let gated = compare(dir.path(), &["--fail-if", condition]);
        assert_eq!(gated.status.code(), Some(code), "{condition}");
    }
    let found = json(dir.path(), &[]);
    let success = measure(&found, "success");
    // Fisher's exact test of 18 and 2 against 4 and 16.
    let p = success["cmh_p"].as_f64().unwrap();
    assert!((p - 1.664_381_409_992_475_4e-5).abs() < 1e-15, "{p}");
    assert_eq!(success["p_min"], 0.5);
    assert!((success["difference"].as_f64().unwrap() + 0.7).abs() < 1e-12);
    assert_eq!(success["difference_ci"], Value::Null);
    assert_eq!(measure(&found, "duration_sec")["cmh_p"], Value::Null);
    let few = one_task(2, [2, 0]);
    let gated = compare(few.path(), &["--fail-if", "success: worse, cmh_p < 0.05"]);
    assert_eq!(gated.status.code(), Some(2));
    let why = "2 pairs of 1 task can't give a p-value below 0.3333: at least 4 pairs of one task, \
               or of 6 tasks, are needed";
    assert!(stderr(&gated).contains(why), "{}", stderr(&gated));
}

#[test]
fn difference_has_an_interval_over_tasks() {
    let dir = sets(8);
    let found = json(dir.path(), &[]);
    let success = measure(&found, "success");
    assert!((success["difference"].as_f64().unwrap() + 0.2).abs() < 1e-12);
    // The standard error of 8 times -1 and 32 times 0 is sqrt(0.16 / 39), and t is 2.0227.
    let half = 2.022_690_920_036_76 * (0.16_f64 / 39.0).sqrt();
    let ends: Vec<f64> = (success["difference_ci"].as_array().unwrap().iter())
        .map(|end| end.as_f64().unwrap())
        .collect();
    assert!((ends[0] + 0.2 + half).abs() < 1e-9, "{ends:?}");
    assert!((ends[1] + 0.2 - half).abs() < 1e-9, "{ends:?}");
    assert_eq!(found["worse"], 8);
}

#[test]
fn seeds_are_sorted_as_numbers_and_an_invalid_run_names_its_rule() {
    let dir = one_task(12, [12, 0]);
    let special = Special {
        is_invalid: true,
        seed: 100,
        ..Special::default()
    };
    write(&dir.path().join("new"), "ep_x", "the task", special);
    let found = json(dir.path(), &[]);
    let seeds = |list: &str| {
        let pairs = found[list].as_array().unwrap().iter();
        pairs
            .map(|pair| pair["key"][1].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let in_order: Vec<String> = (0..12).map(|seed: u32| seed.to_string()).collect();
    assert_eq!(
        (seeds("flipped"), seeds("changed")),
        (in_order.clone(), in_order)
    );
    assert_eq!(found["apart"][0]["rule"], "summary/schema");
    assert_eq!(found["apart_by"], serde_json::json!({"invalid": 1}));
    let human = compare(dir.path(), &[]);
    let said = "invalid (summary/schema): candidate ";
    assert!(stdout(&human).contains(said), "{}", stdout(&human));
    let places = ["MEASURE", "\nflipped:", "\nnot compared:"].map(|part| stdout(&human).find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
}

#[test]
fn runs_without_a_key_are_compared_by_what_they_have() {
    let dir = one_task(2, [2, 2]);
    let unpaired = compare(dir.path(), &["--pair", "tag:none"]);
    assert!(stdout(&unpaired).contains("--pair task"), "{unpaired:?}");
    let paired = compare(dir.path(), &[]);
    assert!(!stdout(&paired).contains("--pair"), "{paired:?}");
}
