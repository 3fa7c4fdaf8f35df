//! The levels of rules, and findings that are ignored: what counts by the configuration.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::binary::{stderr, stdout};
use crate::support::project::Project;

const ALL: [&str; 7] = [
    "ep_03 error projection/outcomes",
    "ep_03 error plan/projection",
    "ep_04 error events/torn-tail",
    "ep_04 error lifecycle/artifacts",
    "ep_04 error lifecycle/artifacts",
    "ep_05 error state/schema",
    "ep_05 warning record/misspelled-field",
];

#[test]
fn rule_levels_depend_on_the_directory() {
    let project = Project::new("");
    assert_eq!(project.found(&[]), ALL);
    project.write(
        "runvet.toml",
        "exclude = ['ep_05*']\n\
         rules = { 'plan/projection' = 'warning', 'plan/*' = 'off', 'lifecycle/*' = 'off' }\n\
         [[override]]\npaths = ['runs/*/episodes/ep_04_crashed']\n\
         rules = { 'lifecycle/artifacts' = 'warning', 'events/*' = 'off' }\n\
         [[override]]\npaths = ['nowhere']\nrules = { 'projection/*' = 'off' }",
    );
    let found = project.found(&[]);
    let expected = [
        "ep_03 error projection/outcomes",
        "ep_03 warning plan/projection",
        "ep_04 warning lifecycle/artifacts",
        "ep_04 warning lifecycle/artifacts",
    ];
    assert_eq!(found, expected);
    let report = project.report(&[], &[]);
    assert_eq!(
        (
            report.totals.episodes,
            report.totals.valid,
            report.totals.warnings
        ),
        (4, 3, 3)
    );
    let note = "note: 1 directory excluded by the configuration\n\
                note: runvet.toml:7: no directory matches `nowhere`\n";
    assert_eq!(stderr(&project.run(&["validate", "runs"])), note);
    assert_eq!(stderr(&project.run(&["validate", "--quiet", "runs"])), "");
    let skipped: Vec<&str> = report.episodes[3]
        .skipped
        .iter()
        .map(|skip| &*skip.rule)
        .collect();
    assert!(
        !skipped.is_empty() && !skipped.contains(&"plan/no-event"),
        "{skipped:?}"
    );
    // Flags override all of it.
    let found = project.found(&[
        "--rule",
        "lifecycle/*=off",
        "--rule",
        "projection/outcomes=warning",
    ]);
    assert_eq!(
        found,
        [
            "ep_03 warning projection/outcomes",
            "ep_03 warning plan/projection"
        ]
    );
    // A gate without anything to check must not pass.
    project.write("runvet.toml", "exclude = ['runs']");
    let output = project.run(&["validate", "runs/demo/episodes/ep_03_edited/state.json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        stderr(&output),
        "error: no episode to check: the configuration excludes 1 episode\n"
    );
}

#[test]
fn selected_rules_run_alone_unless_rule_says_more() {
    let project = Project::new("");
    let found = |args: &[&str]| project.found(args);
    let edited = [
        "ep_03 error projection/outcomes",
        "ep_03 error plan/projection",
    ];
    let steps = ["ep_03 warning strict/steps"];
    assert_eq!(found(&["--select", "plan/*,projection/*"]), edited);
    assert_eq!(found(&["--select=plan/*", "--select=projection/*"]), edited);
    assert_eq!(
        found(&["--select", "strict/steps"]),
        steps,
        "off by default"
    );
    assert_eq!(found(&["--select", "*"]).len(), ALL.len() + 1);
    // What `--rule` says counts for every rule, selected or not.
    let said = [
        "--select=strict/steps",
        "--rule=plan/projection=warning",
        "--rule=strict/*=error",
    ];
    let both = ["ep_03 warning plan/projection", "ep_03 error strict/steps"];
    assert_eq!(found(&said), both);
    assert_eq!(found(&["--select=strict/*", "--rule=*=off"]), [""; 0]);
    assert_eq!(
        found(&["--rule=*=off", "--rule=strict/steps=warning"]),
        steps
    );
    // The file selects too, and what it turns off is a warning where it is selected.
    let rules = "rules = { 'strict/steps' = 'error', '*' = 'off', 'projection/*' = 'error' }";
    project.write(
        "runvet.toml",
        &format!("select = ['strict/steps', 'plan/*']\n{rules}"),
    );
    let from_file = ["ep_03 warning plan/projection", "ep_03 error strict/steps"];
    assert_eq!(found(&[]), from_file);
    assert_eq!(
        found(&["--select=projection/*"]),
        ["ep_03 error projection/outcomes"]
    );
    project.write("runvet.toml", "select = ['plan']");
    let output = project.run(&["validate", "runs"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("did you mean `plan/*`?"),
        "{}",
        stderr(&output)
    );
    // Only what is judged can show that an ignore is not needed any more.
    let ignore = "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'known'";
    project.write("runvet.toml", ignore);
    for args in [
        &["validate", "runs"][..],
        &["validate", "--select=state/*", "runs"],
    ] {
        assert_eq!(stderr(&project.run(args)), "", "{args:?}");
    }
    for command in [&["watch"][..], &["list", "--invalid"], &["view", "ep_03"]] {
        let args = [command, &["--select=strict/step"]].concat();
        let output = project.run_in("runs/demo", &[], &args);
        assert!(
            stderr(&output).contains("did you mean `strict/steps`?"),
            "{args:?}"
        );
    }
}

#[test]
fn verify_manifest_is_an_error_unless_rule_says_else() {
    let project = Project::new("");
    let manifest = r#"{"files": [{"name": "state.json", "size_bytes": 1}]}"#;
    project.write("runs/demo/episodes/ep_01_answer/manifest.json", manifest);
    let found = |args: &[&str]| {
        let found = project.found(args);
        found
            .into_iter()
            .filter(|line| line.contains("manifest"))
            .collect::<Vec<_>>()
    };
    let as_level = |level: &str| [format!("ep_01 {level} manifest/digest")];
    assert_eq!(found(&[]), [""; 0]);
    assert_eq!(found(&["--verify-manifest"]), as_level("error"));
    assert_eq!(
        found(&["--verify-manifest", "--select=plan/*"]),
        as_level("error")
    );
    let rule = "--rule=manifest/digest=warning";
    assert_eq!(found(&["--verify-manifest", rule]), as_level("warning"));
    project.write("runvet.toml", "verify-manifest = true");
    assert_eq!(found(&[]), as_level("error"));
    assert_eq!(found(&[rule]), as_level("warning"));
    assert_eq!(found(&["--verify-manifest=false"]), [""; 0]);
    assert_eq!(found(&["--select=plan/*"]), [""; 0]);
    project.write(
        "runvet.toml",
        "verify-manifest = true\nrules = { 'manifest/*' = 'warning' }",
    );
    assert_eq!(found(&[]), as_level("warning"));
    assert_eq!(found(&["--verify-manifest"]), as_level("error"));
}

#[test]
fn ignored_findings_are_counted_apart() {
    let project = Project::new(
        "[[ignore]]\nrule = 'lifecycle/*'\nepisode = 'runs/demo/episodes/ep_04_*'\nreason = 'it crashed'\n\
         [[ignore]]\nrule = 'plan/projection'\nepisode = 'ep_03_edited'\npointer = '/plan/steps/1'\nreason = 'by hand'\n\
         [[ignore]]\nrule = 'projection/outcomes'\nepisode = 'ep_03_edited'\npointer = '/payload/out'\nreason = 'no such'\n\
         [[ignore]]\nrule = 'state/schema'\nepisode = 'ep_99'\nreason = 'not checked here'",
    );
    let found = project.found(&[]);
    let expected: Vec<&str> = [0, 2, 5, 6].iter().map(|index| ALL[*index]).collect();
    assert_eq!(found, expected);
    let report = project.report(&[], &[]);
    assert_eq!(
        (
            report.totals.errors,
            report.totals.ignored,
            report.totals.baselined
        ),
        (3, 3, 0)
    );
    let reasons: Vec<_> = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.suppressed)
        .collect();
    assert!(reasons.iter().all(|suppressed| suppressed.by() == "ignore"));
    assert_eq!(reasons[0].reason.as_deref(), Some("by hand"));
    // An ignore that covers an episode but matches no finding is reported.
    let output = project.run(&["validate", "runs"]);
    let notes: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(
        notes,
        [
            "note: runvet.toml:11: this ignore matches no finding and can be removed",
            "note: runvet.toml:17: no directory matches `ep_99`"
        ]
    );
    assert!(
        stdout(&output).contains("1 not fully judged; 3 findings ignored\n"),
        "{}",
        stdout(&output)
    );
    assert_eq!(
        stderr(&project.run(&["validate", "runs/demo/episodes/ep_01_answer"])),
        ""
    );
    assert_eq!(stderr(&project.run(&["validate", "--quiet", "runs"])), "");
}

#[test]
fn ignore_expires_at_the_start_of_its_day_in_utc() {
    let project = Project::new(
        "[[ignore]]\nrule = '*/*'\nepisode = '*'\nreason = 'for now'\nexpires = 2026-03-01"
            .replace("*/*", "plan/*")
            .as_str(),
    );
    // 2026-03-01T00:00:00Z, and the second before.
    let ignored = |now: &str| {
        project
            .report(&[("SOURCE_DATE_EPOCH", now), ("TZ", "Asia/Tokyo")], &[])
            .totals
            .ignored
    };
    assert_eq!((ignored("1772323199"), ignored("1772323200")), (1, 0));
    let output = project.run_in(
        "",
        &[("SOURCE_DATE_EPOCH", "1772323200")],
        &["validate", "runs"],
    );
    assert_eq!(
        stderr(&output),
        "note: runvet.toml:2: this ignore expired on 2026-03-01 and has no effect\n"
    );
    for (now, shown) in [
        ("1772323199", "ignored until"),
        ("1772323200", "expired on"),
    ] {
        let output = project.run_in("", &[("SOURCE_DATE_EPOCH", now)], &["config"]);
        let shown = format!("{shown} 2026-03-01");
        assert!(stdout(&output).contains(&shown), "{}", stdout(&output));
    }
    let output = project.run_in("", &[("SOURCE_DATE_EPOCH", "soon")], &["validate", "runs"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn rule_skipped_for_two_records_is_counted_once() {
    let project = Project::new("");
    project.write("runs/demo/episodes/ep_01_answer/state.json", "");
    fs::remove_file(project.path("runs/demo/episodes/ep_01_answer/summary.json")).unwrap();
    let output = project.run(&[
        "validate",
        "--group-by",
        "rule",
        "runs/demo/episodes/ep_01_answer",
    ]);
    let unjudged: Vec<&str> = stdout(&output)
        .lines()
        .filter(|line| line.starts_with("not judged: "))
        .collect();
    let is_of_one = |line: &&str| line.contains(" in 1 episode, first in ");
    assert!(
        unjudged.len() == 3 && unjudged.iter().all(is_of_one),
        "{unjudged:?}"
    );
}

#[test]
fn list_and_view_count_what_validate_counts() {
    let project = Project::new(
        "[[ignore]]\nrule = '*/*'\nepisode = 'ep_03*'\nreason = 'known'"
            .replace("*/*", "plan/*")
            .as_str(),
    );
    let invalid = |args: &[&str]| {
        let output = project.run(
            &[
                &[
                    "list",
                    "--run-data",
                    "runs/demo",
                    "--invalid",
                    "--format",
                    "ids",
                ],
                args,
            ]
            .concat(),
        );
        stdout(&output)
            .lines()
            .map(|id| id[..5].to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(
        invalid(&[]),
        ["ep_03", "ep_04", "ep_05"].map(String::from).into()
    );
    assert_eq!(
        invalid(&["--rule", "projection/*=off"]),
        ["ep_04", "ep_05"].map(String::from).into()
    );
    assert_eq!(
        invalid(&["--rule", "projection/*=off", "--no-config"]).len(),
        3
    );
    project.write("runvet.toml", "exclude = ['ep_04*']");
    assert_eq!(invalid(&[]), ["ep_03", "ep_05"].map(String::from).into());

    project.run(&[
        "validate",
        "--write-baseline",
        "known.json",
        "--no-config",
        "runs",
    ]);
    let view = |args: &[&str]| {
        let output = project.run(&[&["view", "ep_03", "--run-data", "runs/demo"], args].concat());
        stdout(&output).to_owned()
    };
    assert!(view(&[]).contains("Records: 2 errors"), "{}", view(&[]));
    let known = view(&["--baseline", "known.json"]);
    assert!(known.contains("Records: no new error"), "{known}");
    assert!(known.contains("in the baseline: 2 findings"), "{known}");
    let json = |args: &[&str]| -> Value {
        serde_json::from_str(&view(&[&["--json"], args].concat())).unwrap()
    };
    assert_eq!(json(&[])["valid"], false);
    let known = json(&["--baseline", "known.json"]);
    assert_eq!(
        (
            &known["valid"],
            known["suppressed"].as_array().unwrap().len()
        ),
        (&true.into(), 2)
    );
    project.write("runvet.toml", "fromat = 1");
    assert_eq!(
        project
            .run(&["list", "--run-data", "runs/demo", "--invalid"])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        project
            .run(&["list", "--run-data", "runs/demo"])
            .status
            .code(),
        Some(0),
        "nothing is judged"
    );
}

#[test]
fn glob_that_matches_nothing_is_said() {
    let project =
        Project::new("exclude = [\n'EP_05*',\n'runs/demo/episodes/ep_04*',\n'checkpoints']");
    let run = |args: &[&str]| {
        let output = project.run(&[&["validate"], args].concat());
        (output.status.code().unwrap(), stderr(&output).to_owned())
    };
    let (code, notes) = run(&["runs"]);
    assert_eq!(code, 1);
    for glob in [
        "runvet.toml:2: no directory matches `EP_05*`",
        "runvet.toml:4: no directory",
    ] {
        assert!(notes.contains(glob), "{notes}");
    }
    assert!(!notes.contains("ep_04"), "{notes}");
    let (code, faults) = run(&["--strict-config", "--quiet", "runs"]);
    assert_eq!(code, 2);
    assert!(
        faults.contains("error: runvet.toml:2: no directory matches"),
        "{faults}"
    );
    // What was not searched as a whole says nothing.
    for part in [
        "runs/demo/episodes/ep_01_answer",
        "runs/demo/episodes/ep_01_answer/state.json",
    ] {
        let said = run(&["--strict-config", part]);
        assert_eq!(said, (0, String::new()), "{part}");
    }
}
