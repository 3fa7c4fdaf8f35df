//! `runvet coverage` and `--require`: what a check looks at, and what it must have looked at.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::binary::{run, stderr, stdout};
use crate::support::project::Project;

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
            let sum = sums.entry(rule.clone()).or_insert_with(|| none.into());
            *sum.get_mut(said.as_str().unwrap()).unwrap() += 1;
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

#[test]
fn what_was_not_looked_at_comes_first() {
    let output = run(&["coverage", "demo"]);
    let text = stdout(&output);
    assert!(
        text.starts_with("5 runs: 52 rules compared something, 6 compared nothing\n"),
        "{text}"
    );
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    let nothing = place("Rules that compared nothing");
    assert!(nothing < place("team/vocabulary") && place("team/vocabulary") < place("actions/ids"));
    let markdown = run(&["coverage", "demo", "--format", "markdown"]);
    assert!(stdout(&markdown).contains("| actions/ids | 0 | 5 | 0 | 0 |"));
}

#[test]
fn fields_words_and_selectors_are_counted() {
    let config = "[[order]]\nid = 'a/b'\neach = { phase = 'act' }\nneeds-earlier = { phase = 'plan' }\nmessage = 'm'\n\
                  [[schema]]\nid = 'a/c'\nwhere = { tool = 'nobody' }\nschema = {}\n\
                  [[rule]]\nid = 'a/d'\neach = { phase = 'start' }\ncheck = 'true'\nmessage = 'm'\n";
    let project = Project::new(config);
    let output = project.run(&["coverage", "runs", "--format", "json"]);
    let covered: Value = serde_json::from_str(stdout(&output)).unwrap();
    let expected = json!([
        {"rule": "a/c", "selector": "where", "events": 0},
        {"rule": "a/b", "selector": "each", "events": 13},
        {"rule": "a/b", "selector": "other", "events": 5},
        {"rule": "a/d", "selector": "each", "events": 5},
    ]);
    assert_eq!(covered["selectors"], expected);
    let event = &covered["fields"]["event"];
    assert_eq!(event["/phase"]["seen"], event[""]["seen"]);
    let state = &covered["fields"]["state"];
    // One of the five states can't be parsed.
    assert_eq!(state["/episode/id"]["seen"], state[""]["seen"]);
    assert_eq!(state["/outcomes/status"]["words"]["ok"], 4);
    assert_eq!(state["/outcomes/status"]["words"]["vetoed"], 0);
    assert!(state["/plan/steps/*/kind"]["seen"].as_u64() > Some(9));
}

#[test]
fn what_can_not_be_looked_at_is_said() {
    let empty = tempfile::tempdir().unwrap();
    let output = run(&["coverage", empty.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("no episode found"));
    let output = run(&["coverage", "demo", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nowhere"));
}

/// The findings of `coverage/required` in a run: file and message.
fn required(case: &str, args: &[&str]) -> Vec<String> {
    let given = ["validate", case, "--no-config", "--format", "json"];
    let output = run(&[&given, args].concat());
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    let findings = report["episodes"][0]["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|it| it["rule"] == "coverage/required");
    let found = of_rule.map(|it| {
        let file = it["file"].as_str().unwrap().rsplit('/').next().unwrap();
        format!("{file}: {}", it["message"].as_str().unwrap())
    });
    found.collect()
}

#[test]
fn required_rule_that_judges_nothing_is_a_finding() {
    let nothing =
        "state.json: `manifest/digest` is required, but has nothing to compare in this run";
    let off = "state.json: `manifest/digest` is required, but is off";
    let digest = ["--require", "manifest/digest"];
    let verified = [&["--verify-manifest"], &digest[..]].concat();
    assert_eq!(required("good/terminal", &verified), [nothing]);
    assert_eq!(required("good/strict-near-misses", &verified), [""; 0]);
    assert_eq!(required("good/terminal", &digest), [off]);
    // It holds whatever is selected, for each rule of a group, and only for runs that have ended.
    let selected = [&["--select", "manifest/digest"], &digest[..]].concat();
    assert_eq!(required("good/terminal", &selected), [nothing]);
    let strict = runvet::gate::all_rules().filter(|rule| rule.id.starts_with("strict/"));
    assert_eq!(
        required("good/terminal", &["--require", "strict/*"]).len(),
        strict.count()
    );
    assert_eq!(required("good/paused", &digest), [""; 0]);
    assert_eq!(
        required("good/terminal", &["--require", "lifecycle/links"]),
        [""; 0]
    );
    let skipped = required(
        "bad/events/syntax/an-array",
        &["--require", "plan/projection"],
    );
    assert!(
        skipped[0].contains("`plan/projection` is required, but could not be checked: "),
        "{skipped:?}"
    );
    // A level that is set counts.
    let level = [&["--rule", "coverage/required=off"], &digest[..]].concat();
    assert_eq!(required("good/terminal", &level), [""; 0]);
    let wrong = run(&["validate", "demo", "--require", "manifest/digst"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("did you mean `manifest/digest`"),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn configuration_and_flags_require_rules() {
    let project = Project::new("require = ['manifest/digest']\n");
    let found = project.found(&["--require", "strict/learn"]);
    let required = found.iter().filter(|it| it.ends_with("coverage/required"));
    // Four of the five runs have ended.
    assert_eq!(required.count(), 8, "{found:?}");
    let shown = project.run(&["config", "--require", "strict/learn"]);
    let shown = stdout(&shown).to_owned();
    for part in [
        "manifest/digest",
        "runvet.toml:1",
        "strict/learn",
        "--require",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    fs::write(
        project.path("runvet.toml"),
        "require = ['manifest/digst']\n",
    )
    .unwrap();
    let wrong = project.run(&["validate", "runs"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("did you mean `manifest/digest`"),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn rule_that_is_off_in_a_directory_says_nothing_there() {
    let off = |required: &str, rule: &str| {
        let project = Project::new(&format!(
            "require = ['{required}']\n[[override]]\npaths = ['ep_03_edited']\nrules = {{ '{rule}' = 'off' }}\n"
        ));
        let output = project.run(&["validate", "runs", "--format", "json", "--coverage"]);
        let report: Value = serde_json::from_str(stdout(&output)).unwrap();
        let missed = |episode: &Value| {
            let findings = episode["findings"].as_array().unwrap().iter();
            let missed = findings.filter(|it| it["rule"] == "coverage/required");
            let messages = missed.map(|it| it["message"].as_str().unwrap().to_owned());
            (messages.collect::<Vec<_>>(), episode["coverage"].clone())
        };
        [0, 2].map(|place| missed(&report["episodes"][place]))
    };
    let [elsewhere, here] = off("projection/outcomes", "projection/outcomes");
    assert_eq!(here.0, ["`projection/outcomes` is required, but is off"]);
    assert_eq!(here.1["projection/outcomes"], Value::Null);
    assert_eq!(here.1["coverage/required"], "found");
    assert_eq!(elsewhere.0, [""; 0]);
    assert_eq!(elsewhere.1["projection/outcomes"], "sound");
    // It says so, and not that it has nothing to compare.
    let [_, here] = off("summary/mode", "summary/*");
    assert_eq!(here.0, ["`summary/mode` is required, but is off"]);
    let [_, here] = off("projection/outcomes", "coverage/*");
    assert_eq!(here.0, [""; 0]);
    assert_eq!(here.1["projection/outcomes"], "found");
    assert_eq!(here.1["coverage/required"], Value::Null);
}

#[test]
fn page_lists_the_rules_that_compared_nothing() {
    let page = |options: &[&str]| {
        let output = run(&[&["validate", "demo", "--format", "html"], options].concat());
        stdout(&output).to_owned()
    };
    let covered = page(&["--coverage"]);
    let (_, panel) = covered.split_once("Rules that compared nothing").unwrap();
    let (panel, _) = panel.split_once("</ul>").unwrap();
    assert!(
        panel.contains("team/vocabulary") && !panel.contains("plan/projection"),
        "{panel}"
    );
    assert!(!page(&[]).contains("Rules that compared nothing"));
}
