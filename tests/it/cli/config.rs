//! The configuration for users: where it is found, its effects, its errors, and the findings it
//! accepts.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};

use runvet::finding::{Report, SkipKind, Suppression};
use runvet::gate::Gate;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::binary::{FORMATS, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::runs::copy_dir;

/// A repository with a copy of the demo in `runs/demo`.
struct Project(TempDir);

impl Project {
    fn new(config: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        fs::create_dir(project.path(".git")).unwrap();
        for episode in fs::read_dir(corpus().join("demo/episodes"))
            .unwrap()
            .map(Result::unwrap)
        {
            copy_dir(
                &episode.path(),
                &project.path("runs/demo/episodes").join(episode.file_name()),
            );
        }
        project.write("runvet.toml", config);
        project
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn run_in(&self, dir: &str, variables: &[(&str, &str)], args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        command
            .args(args)
            .current_dir(self.path(dir))
            .env_clear()
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.run_in("", &[], args)
    }

    /// The rules that find something in each episode of the report, and its totals.
    fn report(&self, variables: &[(&str, &str)], args: &[&str]) -> Report {
        let output = self.run_in(
            "",
            variables,
            &[&["validate", "--format", "json", "runs"], args].concat(),
        );
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
    }

    fn found(&self, args: &[&str]) -> Vec<String> {
        let findings = |episode: runvet::finding::EpisodeReport| {
            let found = move |finding: runvet::finding::Finding| {
                format!(
                    "{} {} {}",
                    &episode.id[..5],
                    finding.severity.word(),
                    finding.rule
                )
            };
            episode.findings.into_iter().map(found)
        };
        self.report(&[], args)
            .episodes
            .into_iter()
            .flat_map(findings)
            .collect()
    }
}

const ALL: [&str; 7] = [
    "ep_03 error projection/outcomes",
    "ep_03 error plan/projection",
    "ep_04 error events/torn-tail",
    "ep_04 error lifecycle/artifacts",
    "ep_04 error lifecycle/artifacts",
    "ep_05 error state/schema",
    "ep_05 warning record/misspelled-field",
];

/// A setting with all its sources: the key, the default, the value in the file; a variable, its
/// text and the value it sets; a flag, its text and the value it sets.
type Setting = (
    &'static str,
    &'static str,
    &'static str,
    [&'static str; 3],
    [&'static str; 3],
);

const SETTINGS: [Setting; 7] = [
    (
        "format",
        "human",
        "json",
        ["RUNVET_FORMAT", "sarif", "sarif"],
        ["--format", "--format=junit", "junit"],
    ),
    (
        "deny-warnings",
        "false",
        "true",
        ["RUNVET_DENY_WARNINGS", "0", "false"],
        ["--deny-warnings", "--deny-warnings", "true"],
    ),
    (
        "max-findings",
        "20",
        "3",
        ["RUNVET_MAX_FINDINGS", "4", "4"],
        ["--max-findings", "--max-findings=5", "5"],
    ),
    (
        "jobs",
        "-",
        "3",
        ["RUNVET_JOBS", "4", "4"],
        ["--jobs", "--jobs=5", "5"],
    ),
    (
        "baseline",
        "-",
        "known.json",
        ["RUNVET_BASELINE", "other.json", "other.json"],
        ["--baseline", "--baseline=third.json", "third.json"],
    ),
    (
        "select",
        "-",
        "plan/*,state/schema",
        ["RUNVET_SELECT", "plan/*", "plan/*"],
        ["--select", "--select=strict/*,state/*", "strict/*,state/*"],
    ),
    (
        "verify-manifest",
        "false",
        "true",
        ["RUNVET_VERIFY_MANIFEST", "no", "false"],
        ["--verify-manifest", "--verify-manifest", "true"],
    ),
];

#[test]
fn flags_override_environment_file_and_defaults_in_order() {
    let project = Project::new(
        "format = 'json'\ndeny-warnings = true\nmax-findings = 3\njobs = 3\n\
         baseline = 'known.json'\nselect = ['plan/*', 'state/schema']\n\
         verify-manifest = true\nrules = { 'plan/*' = 'off' }",
    );
    let set = SETTINGS.map(|(.., [variable, text, _], _)| (variable, text));
    let rules = ("RUNVET_RULES", "state/schema=off,plan/*=error");
    let variables = [&set[..], &[rules]].concat();
    let by_flag = SETTINGS.map(|(.., [_, flag, _])| flag);
    let flags = [&by_flag[..], &["--rule=episode/id=warning"]].concat();
    let of = |variables: &[(&str, &str)], flags: &[&str]| {
        let output = project.run_in("", variables, &[&["config"], flags].concat());
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        stdout(&output).lines().map(words).collect::<Vec<_>>()
    };

    let defaults = SETTINGS.map(|(key, value, ..)| format!("{key} {value} default"));
    assert_eq!(of(&[], &["--no-config"]), defaults);
    let mut line = 0;
    let from_file = SETTINGS.map(|(key, _, value, ..)| {
        line += 1;
        format!("{key} {value} runvet.toml:{line}")
    });
    assert_eq!(of(&[], &[])[..7], from_file);
    assert_eq!(of(&[], &[])[7..], ["plan/* off runvet.toml:8"]);
    let from_environment =
        SETTINGS.map(|(key, .., [variable, _, value], _)| format!("{key} {value} {variable}"));
    assert_eq!(of(&variables, &[])[..7], from_environment);
    assert_eq!(
        of(&variables, &[])[8..],
        ["state/schema off RUNVET_RULES", "plan/* error RUNVET_RULES"]
    );
    let from_flags = SETTINGS.map(|(key, .., [flag, _, value])| format!("{key} {value} {flag}"));
    assert_eq!(of(&variables, &flags)[..7], from_flags);
    assert_eq!(of(&variables, &flags)[8..], ["episode/id warning --rule"]);
    assert_eq!(
        of(&variables, &["--deny-warnings=false"])[1],
        "deny-warnings false --deny-warnings"
    );
    let mut empty: Vec<_> = variables.iter().map(|(name, _)| (*name, "")).collect();
    empty.push(("RUNVET_CONFIG", ""));
    assert_eq!(of(&empty, &[]), of(&[], &[]), "empty counts as unset");
    // `--no-config` is a flag, and overrides the environment too.
    assert_eq!(
        of(&[("RUNVET_CONFIG", "runvet.toml")], &["--no-config"]),
        defaults
    );
}

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
    let note = "note: 1 directory excluded by the configuration\n";
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
fn exit_code_follows_the_configuration() {
    let project = Project::new("rules = { 'state/schema' = 'off' }");
    let code = |args: &[&str]| {
        let misnamed = ["validate", "runs/demo/episodes/ep_05_misnamed"];
        project.run(&[&misnamed, args].concat()).status.code()
    };
    assert_eq!((code(&[]), code(&["--no-config"])), (Some(0), Some(1)));
    project.write(
        "runvet.toml",
        "deny-warnings = true\nrules = { 'state/schema' = 'off' }",
    );
    assert_eq!(
        (code(&[]), code(&["--deny-warnings=false"])),
        (Some(1), Some(0))
    );
}

#[test]
fn config_is_found_upward_but_never_in_run_data() {
    let project = Project::new("format = 'json'");
    let from = |dir: &str| {
        let output = project.run_in(dir, &[], &["config"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
            .lines()
            .next()
            .unwrap()
            .split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(from(""), "json runvet.toml:1");
    assert_eq!(from("runs"), "json ../runvet.toml:1");
    let episode = "runs/demo/episodes/ep_03_edited";
    assert_eq!(from(episode), "json ../../../../runvet.toml:1");
    // A file that exists but can't be read is an error, and is not ignored.
    fs::create_dir(project.path("tool")).unwrap();
    std::os::unix::fs::symlink("gone.toml", project.path("tool/runvet.toml")).unwrap();
    let said = || stderr(&project.run_in("tool", &[], &["validate", "../runs"])).to_owned();
    assert!(
        said().starts_with("error: can't read the configuration runvet.toml: No such file"),
        "{}",
        said()
    );
    fs::remove_file(project.path("tool/runvet.toml")).unwrap();
    fs::create_dir(project.path("tool/runvet.toml")).unwrap();
    assert_eq!(
        said(),
        "error: can't read the configuration runvet.toml: it is not a regular file\n"
    );
    fs::remove_dir_all(project.path("tool")).unwrap();
    // The author of run data may put anything into it, even a repository.
    let planted = "format = 'junit'";
    for dir in ["runs/demo", "runs/demo/episodes", episode] {
        project.write(&format!("{dir}/runvet.toml"), planted);
        fs::create_dir(project.path(dir).join(".git")).unwrap();
    }
    for command in [
        &["config"][..],
        &["validate"],
        &["watch"],
        &["list", "--invalid"],
    ] {
        let output = project.run_in(episode, &[], command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert_eq!(
            stderr(&output),
            "error: runvet.toml is inside run data, so it is not read; name it with --config, or \
             set --no-config\n"
        );
    }
    let args = ["validate", "--no-config", "../ep_01_answer"];
    let without = project.run_in(episode, &[], &args);
    assert_eq!((without.status.code(), stderr(&without)), (Some(0), ""));
    // Nor may the author take away what the user relies on.
    let code = |args: &[&str]| {
        let output = project.run(&[&["validate", "runs"], args].concat());
        output.status.code()
    };
    assert_eq!(code(&[]), Some(1));
    fs::create_dir(project.path("episodes")).unwrap();
    assert_eq!((code(&[]), code(&["--no-config"])), (Some(2), Some(1)));
    assert_eq!(code(&["--config", "runvet.toml"]), Some(1));
    fs::remove_dir(project.path("episodes")).unwrap();
    fs::write(project.path("events.jsonl"), "").unwrap();
    assert_eq!(code(&[]), Some(2));
    fs::remove_file(project.path("events.jsonl")).unwrap();
    // An episode outside `episodes` is run data as well.
    copy_dir(
        &corpus().join("demo/episodes/ep_03_edited"),
        &project.path("elsewhere"),
    );
    assert_eq!(from("elsewhere"), "json ../runvet.toml:1");
    // The nearest one counts; one that is named counts at any place.
    project.write("runs/runvet.toml", "format = 'sarif'");
    assert_eq!(from("runs"), "sarif runvet.toml:1");
    let named = project.run_in(episode, &[], &["config", "--config", "runvet.toml"]);
    assert!(
        stdout(&named)
            .lines()
            .next()
            .unwrap()
            .ends_with(" runvet.toml:1"),
        "{}",
        stdout(&named)
    );
    let nowhere = project.run(&["validate", "--config", "nowhere.toml", "runs"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(
        stderr(&nowhere).starts_with("error: can't read the configuration nowhere.toml: "),
        "{}",
        stderr(&nowhere)
    );
    // Outside the root of the repository, and outside of any repository, no parent is searched.
    fs::create_dir_all(project.path("tool/src/.git")).unwrap();
    assert_eq!(from("tool/src"), "human default");
    fs::remove_dir(project.path(".git")).unwrap();
    fs::create_dir(project.path("tool/docs")).unwrap();
    assert_eq!(from("tool/docs"), "human default");
    assert_eq!(from(""), "json runvet.toml:1");
}

#[test]
fn unknown_key_is_refused_with_place_and_nearest_name() {
    let project = Project::new("");
    for (text, place, message, help) in [
        (
            "\nfromat = 'json'",
            "2:1",
            "unknown key \"fromat\"",
            "did you mean `format`?",
        ),
        (
            "zzzzzzzz = 1",
            "1:1",
            "unknown key \"zzzzzzzz\"",
            "expected one of: format, deny-warnings",
        ),
        (
            "format = 'jsno'",
            "1:10",
            "unknown value \"jsno\"",
            "did you mean `json`?",
        ),
        ("jobs = 0", "1:8", "expected a whole number, at least 1", ""),
        (
            "max-findings = -1",
            "1:16",
            "expected a whole number, at least 0",
            "",
        ),
        ("exclude = 'x'", "1:11", "expected a list in brackets", ""),
        ("baseline = 1", "1:12", "expected a path, in quotes", ""),
        ("rules = 1", "1:9", "expected a table", ""),
        (
            "rules = { 'plan/*' = 1 }",
            "1:22",
            "expected a string, in quotes",
            "",
        ),
        (
            "[ignore]\nrule = 'plan/*'",
            "1:1",
            "expected a list of tables",
            "`[[…]]`",
        ),
        (
            "deny-warnings = 'yes'",
            "1:17",
            "expected `true` or `false`",
            "",
        ),
        ("a = = 1", "1:5", "`=`", ""),
        (
            "[rules]\n'plan/projecton' = 'off'",
            "2:1",
            "no rule called `plan/projecton`",
            "did you mean `plan/projection`?",
        ),
        (
            "[rules]\n'plan/*' = 'of'",
            "2:12",
            "unknown value \"of\"",
            "did you mean `off`?",
        ),
        (
            "[[override]]\npaths = ['a[']\nrules = {}",
            "2:10",
            "invalid glob",
            "",
        ),
        ("exclude = ['[a']", "1:12", "invalid glob", ""),
        ("exclude = ['']", "1:12", "invalid glob", ""),
        ("exclude = ['../runs']", "1:12", "invalid glob", ""),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\npointer = 'plan'",
            "5:11",
            "a JSON Pointer starts with `/`",
            "did you mean `/plan`?",
        ),
        (
            "[[ignore]]\nrule = 'plan'\nepisode = '*'\nreason = 'x'",
            "2:8",
            "no rule called `plan`",
            "did you mean `plan/*`?",
        ),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = ' '",
            "4:10",
            "the reason is empty",
            "",
        ),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'",
            "1:1",
            "the key `reason` is missing",
            "",
        ),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\nexpires = 2026-13-01",
            "5:11",
            "month",
            "",
        ),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\nexpires = 2026-12-01T00:00:00Z",
            "5:11",
            "expected a date such as 2026-12-31, without a time",
            "",
        ),
    ] {
        project.write("runvet.toml", text);
        for command in [&["validate", "runs"][..], &["config"]] {
            let output = project.run(command);
            assert_eq!(
                (output.status.code(), stdout(&output)),
                (Some(2), ""),
                "{text}"
            );
            let shown = stderr(&output);
            assert!(
                shown.contains(&format!("[runvet.toml:{place}]")),
                "{text}\n{shown}"
            );
            assert!(
                shown.contains(message) && shown.contains(help),
                "{text}\n{shown}"
            );
        }
    }
    project.write("runvet.toml", "\"\\u001b[2J\\n::error::x\" = 1 # \u{202e}");
    let shown = project.run(&["config"]);
    assert!(
        !stderr(&shown).contains(['\u{1b}', '\u{202e}']),
        "{}",
        stderr(&shown)
    );
    assert!(
        !stderr(&shown).lines().any(|line| line.starts_with("::")),
        "{}",
        stderr(&shown)
    );
}

#[test]
fn all_mistakes_of_a_configuration_are_reported_at_once() {
    let ignore = "[[ignore]]\nepisode = '*'\n";
    let wrong = format!(
        "fromat = 1\njobs = 0\nselect = ['plan/projecton']\nexclude = [1, 'a[']\n\
         [rules]\n'plan/*' = 'of'\n'plan' = 'off'\n\
         [[override]]\npath = ['runs']\nrules = {{}}\n\
         {ignore}reson = 'x'\n{ignore}rule = 'all'\nreason = ''\nfile = 'x'\npointer = 'x'\n"
    );
    let of_grammar = "a = = 1\nb = 'x\nc = 1\n[d\n";
    let project = Project::new("");
    for (text, places) in [
        (
            wrong.as_str(),
            &[
                "1:1", "2:8", "3:11", "4:12", "4:15", "6:12", "7:1", "9:1", "11:1", "13:1", "16:8",
                "17:10", "18:8", "19:11",
            ][..],
        ),
        (of_grammar, &["1:5", "2:7", "4:3"]),
    ] {
        project.write("runvet.toml", text);
        let output = project.run(&["validate", "runs"]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        let shown = stderr(&output).lines();
        let shown: Vec<&str> = shown
            .filter_map(|line| line.split_once("[runvet.toml:")?.1.strip_suffix(']'))
            .collect();
        assert_eq!(shown, places, "{}", stderr(&output));
        let error = Gate::from_toml(Path::new("runvet.toml"), text, None).unwrap_err();
        assert_eq!(error.others.len() + 1, places.len());
        let lines = error.to_string();
        assert!(
            lines
                .lines()
                .zip(places)
                .all(|(line, place)| line.starts_with(&format!("runvet.toml:{place}: "))),
            "{lines}"
        );
    }
    let many = "exclude = [".to_owned() + &"1, ".repeat(100) + "]";
    let error = Gate::from_toml(Path::new("runvet.toml"), &many, None).unwrap_err();
    assert_eq!(error.others.len(), 19);
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
    assert!(
        reasons
            .iter()
            .all(|suppressed| suppressed.by == Suppression::Ignore)
    );
    assert_eq!(reasons[0].reason.as_deref(), Some("by hand"));
    // An ignore that covers an episode but matches no finding is reported.
    let output = project.run(&["validate", "runs"]);
    let notes: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(
        notes,
        ["note: runvet.toml:11: this ignore matches no finding and can be removed"]
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

/// 200 episodes, 30 of them bad, as in a repository that adopts runvet.
fn adopted() -> Project {
    let project = Project::new("baseline = 'known.json'");
    fs::remove_dir_all(project.path("runs/demo")).unwrap();
    for number in 0..200 {
        let name = if number % 7 == 1 && number < 210 {
            "ep_03_edited"
        } else {
            "ep_01_answer"
        };
        let to = project.path(&format!("runs/episodes/run_{number:03}/{name}"));
        copy_dir(&corpus().join("demo/episodes").join(name), &to);
    }
    project
}

#[test]
fn baseline_fails_only_new_findings_in_every_format() {
    let project = adopted();
    let missing = project.run(&["validate", "runs"]);
    assert_eq!(
        missing.status.code(),
        Some(2),
        "the baseline that the configuration names is not there yet"
    );
    let start = "error: can't read the baseline known.json: ";
    assert!(stderr(&missing).starts_with(start), "{}", stderr(&missing));
    let written = project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    assert_eq!(written.status.code(), Some(0));
    assert_eq!(
        stdout(&written),
        "200 episodes: all valid; 58 findings in the baseline\n"
    );
    assert_eq!(
        stderr(&written),
        "note: known.json lists 58 findings in 29 episodes\n"
    );
    for format in FORMATS {
        assert_eq!(
            project
                .run(&["validate", "--format", format, "runs"])
                .status
                .code(),
            Some(0),
            "{format}"
        );
    }
    // From another directory the same episodes have other paths.
    let below = project.run_in("runs/episodes", &[], &["validate", ".."]);
    assert_eq!(below.status.code(), Some(0), "{}", stdout(&below));
    assert_eq!(
        project
            .run(&["validate", "--no-config", "runs"])
            .status
            .code(),
        Some(1)
    );
    let variable = [("RUNVET_BASELINE", "known.json")];
    assert_eq!(
        project
            .run_in("", &variable, &["validate", "--no-baseline", "runs"])
            .status
            .code(),
        Some(1)
    );

    let broken = "runs/episodes/run_150/ep_01_answer/summary.json";
    let text = fs::read_to_string(project.path(broken)).unwrap();
    project.write(
        broken,
        &text.replace("\"outcome\":\"success\"", "\"outcome\":\"succes\""),
    );
    for format in FORMATS {
        let output = project.run(&["validate", "--format", format, "runs"]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        let text = stdout(&output);
        assert!(text.contains("run_150"), "{format}: {text}");
        // The other episodes appear only in formats that list suppressed findings or all episodes.
        let names_all = ["json", "ndjson", "sarif", "junit", "html"].contains(&format);
        assert!(names_all || !text.contains("run_001"), "{format}: {text}");
    }
}

#[test]
fn baseline_matches_values_not_places() {
    let project = adopted();
    project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    let state = "runs/episodes/run_001/ep_03_edited/state.json";
    let text = fs::read_to_string(project.path(state)).unwrap();
    project.write(state, &format!("\n\n{text}"));
    assert_eq!(
        project.run(&["validate", "runs"]).status.code(),
        Some(0),
        "the same, two lines below"
    );
    project.write(state, &text.replace("0.95", "0.99"));
    let output = project.run(&["validate", "runs"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "another value is another finding"
    );
    assert_eq!(
        stderr(&output).lines().collect::<Vec<_>>(),
        [
            "note: no longer found, and can be removed from the baseline: runs/episodes/run_001/ep_03_edited: projection/outcomes events.jsonl \
          /payload/outcomes/metrics/task_score"
        ]
    );
    // Vanished findings are reported, a few by name. A finding that could not be judged, or whose
    // rule is off, has not vanished.
    for number in (1..200).step_by(7) {
        let dir = project.path(&format!("runs/episodes/run_{number:03}/ep_03_edited"));
        let answer = fs::read_to_string(dir.join("state.json")).unwrap();
        fs::write(
            dir.join("state.json"),
            answer.replace("0.95", "0.75").replace("0.99", "0.75"),
        )
        .unwrap();
    }
    let output = project.run(&["validate", "runs"]);
    assert_eq!(output.status.code(), Some(0));
    let notes: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(notes.len(), 11);
    assert_eq!(
        notes[10],
        "note: no longer found, and can be removed from the baseline: 19 more"
    );
    assert_eq!(
        stderr(&project.run(&["validate", "--rule", "projection/*=off", "--quiet", "runs"])),
        ""
    );
    assert_eq!(
        stderr(&project.run(&["validate", "--rule", "projection/*=off", "runs"])),
        ""
    );
    project.write(state, "{");
    let notes = stderr(&project.run(&["validate", "runs/episodes/run_001"])).to_owned();
    assert!(!notes.contains("plan/projection"), "{notes}");
}

#[test]
fn baseline_accepts_skips_until_they_change() {
    let project = Project::new("");
    let crashed = "runs/demo/episodes/ep_04_crashed";
    let written = project.run(&["validate", "--write-baseline", "known.json", crashed]);
    let report = |args: &[&str]| {
        let common = [
            "validate",
            "--format=json",
            "--baseline=known.json",
            crashed,
        ];
        let output = project.run(&[&common, args].concat());
        let report: Report = serde_json::from_slice(&output.stdout).unwrap();
        (report, stderr(&output).to_owned())
    };
    let (known, notes) = report(&[]);
    let [episode] = &*known.episodes else {
        panic!()
    };
    let skips = episode.suppressed_skips.len();
    assert!(episode.skipped.is_empty() && skips > 10 && notes.is_empty());
    assert_eq!(
        stderr(&written),
        format!("note: known.json lists 3 findings and {skips} rules not judged in 1 episode\n")
    );
    let output = project.run(&["validate", "--baseline", "known.json", crashed]);
    let expected = "1 episode: valid; 3 findings in the baseline\n";
    assert_eq!(stdout(&output), expected);

    // Another reason is another skip, and the report names one that is gone.
    let summary = format!("{crashed}/summary.json");
    project.write(&summary, "{");
    let (other, _) = report(&[]);
    let skipped = &other.episodes[0].skipped;
    assert!(!skipped.is_empty());
    assert!(
        skipped.iter().all(|skip| skip.kind == SkipKind::Syntax),
        "{skipped:?}"
    );
    let answer = "runs/demo/episodes/ep_01_answer/summary.json";
    fs::copy(project.path(answer), project.path(&summary)).unwrap();
    let (mended, notes) = report(&[]);
    let skipped = &mended.episodes[0].skipped;
    assert!(
        skipped.iter().all(|skip| skip.kind == SkipKind::NoEvent),
        "{skipped:?}"
    );
    let gone = format!("baseline: {crashed}: not judged: ");
    assert!(notes.contains(&gone), "{notes}");
}

#[test]
fn baseline_of_another_version_is_refused() {
    let project = Project::new("");
    project.write("known.json", r#"{"version":1,"episodes":{},"more":0}"#);
    let output = project.run(&["validate", "--baseline", "known.json", "runs"]);
    assert_eq!(output.status.code(), Some(2));
    let start = "error: the baseline known.json has version 1, but this runvet reads version 2 ";
    assert!(stderr(&output).starts_with(start), "{}", stderr(&output));
}

#[test]
fn bad_numbers_get_the_same_message_everywhere() {
    let project = Project::new("");
    for (args, message) in [
        (["--jobs", "0"], "expected a whole number, at least 1"),
        (["--jobs", "x"], "expected a whole number"),
        (["--max-findings", "-1"], "expected a whole number"),
        (
            ["--jobs", "99999999999999999999"],
            "the number is too large",
        ),
    ] {
        let output = project.run(&[&["validate"], &args[..]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains(message),
            "{args:?}: {}",
            stderr(&output)
        );
    }
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
    assert!(
        unjudged.len() > 10 && unjudged.iter().all(|line| line.ends_with(", in 1 episode")),
        "{unjudged:?}"
    );
}

#[test]
fn baseline_reports_findings_of_a_vanished_episode() {
    let project = adopted();
    project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    let answer = project.path("runs/episodes/run_000/ep_01_answer");
    fs::remove_dir_all(answer).unwrap();
    for number in [1, 8] {
        fs::remove_dir_all(project.path(&format!("runs/episodes/run_{number:03}/ep_03_edited")))
            .unwrap();
    }
    let gone = |number| {
        format!(
            "note: no longer found, and can be removed from the baseline: runs/episodes/run_{number:03}/ep_03_edited: \
             the episode no longer exists (2 findings)"
        )
    };
    // Episodes that were not named are reported too. Episodes that exist but were not judged have
    // not vanished.
    for paths in [&["runs"][..], &["runs/episodes/run_015"]] {
        let output = project.run(&[&["validate"], paths].concat());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(
            stderr(&output).lines().collect::<Vec<_>>(),
            [gone(1), gone(8)]
        );
    }
    let below = project.run_in("runs/episodes/run_015", &[], &["validate"]);
    assert_eq!(stderr(&below).lines().count(), 2, "{}", stderr(&below));
    // At any place and with any name of the baseline.
    std::os::unix::fs::symlink(project.path("runs"), project.path("link")).unwrap();
    let link = [
        "validate",
        "--no-config",
        "--baseline",
        "link/known.json",
        "runs",
    ];
    project.run(&[
        "validate",
        "--no-config",
        "--write-baseline",
        "link/known.json",
        "runs",
    ]);
    assert_eq!(stderr(&project.run(&link)), "");
    assert_eq!(
        stderr(&project.run(&[&link[..4], &["runs/episodes/run_015"]].concat())),
        ""
    );
    let here = "runs/episodes/run_015/ep_03_edited";
    project.run_in(
        here,
        &[],
        &["validate", "--no-config", "--write-baseline", "known.json"],
    );
    let beside = project.run_in(
        here,
        &[],
        &[
            "validate",
            "--no-config",
            "--baseline",
            "known.json",
            "../../run_014",
        ],
    );
    assert_eq!((beside.status.code(), stderr(&beside)), (Some(0), ""));
    fs::remove_file(project.path("link")).unwrap();
    // A few are named, the rest are counted.
    fs::remove_dir_all(project.path("runs/episodes")).unwrap();
    let output = project.run(&["validate", "--allow-empty", "runs"]);
    let notes: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(
        (notes.len(), notes[10]),
        (
            11,
            "note: no longer found, and can be removed from the baseline: 38 more"
        )
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
fn baseline_is_sorted_small_and_written_atomically() {
    let project = adopted();
    let write = |args: &[&str]| {
        project.run(&[&["validate", "--write-baseline", "known.json"], args].concat())
    };
    write(&["--jobs", "1", "runs"]);
    let text = fs::read_to_string(project.path("known.json")).unwrap();
    write(&["--jobs", "4", "runs/episodes/../episodes", "runs"]);
    assert_eq!(
        fs::read_to_string(project.path("known.json")).unwrap(),
        text
    );
    let dirs: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(" \""))
        .collect();
    assert_eq!(dirs.len(), 29);
    assert!(dirs.is_sorted());
    assert_eq!(
        text.lines().filter(|line| line.starts_with("  {")).count(),
        58,
        "a line for each finding"
    );
    assert!(text.lines().all(|line| line.len() < 180), "{text}");
    assert!(text.len() < 58 * 150 + 29 * 60, "{} bytes", text.len());
    let digests: BTreeSet<&str> = text
        .split("fingerprint\":\"")
        .skip(1)
        .map(|rest| &rest[..32])
        .collect();
    assert!(!digests.is_empty());
    assert_eq!(write(&["runs", "nowhere"]).status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(project.path("known.json")).unwrap(),
        text,
        "a check that was not done leaves it"
    );
    for broken in [
        "",
        "{}",
        "[]",
        "{\"version\":3,\"episodes\":{}}",
        "{\"version\":2,\"episodes\":{}}",
        "{\"version\":2,\"episodes\":{},\"skips\":{},\"more\":1}",
    ] {
        project.write("known.json", broken);
        let output = project.run(&["validate", "runs"]);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{broken}"
        );
    }
    // Without findings it is empty, and can be read again.
    write(&["--rule", "plan/*=off", "--rule", "projection/*=off", "runs"]);
    assert_eq!(
        fs::read_to_string(project.path("known.json")).unwrap(),
        "{\"version\":2,\"episodes\":{},\n\"skips\":{}}\n"
    );
    assert_eq!(
        project
            .run(&["validate", "runs/episodes/run_000"])
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn globs_hold_below_a_directory_that_is_not_utf8() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    copy_dir(
        &corpus().join("demo/episodes/ep_03_edited"),
        &dir.join("runs/episodes/ep_03_edited"),
    );
    fs::write(
        dir.join("runvet.toml"),
        "baseline = 'known.json'\nexclude = ['runs/episodes']",
    )
    .unwrap();
    let exit = |args: &[&std::ffi::OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        command
            .arg("validate")
            .args(args)
            .current_dir(temp.path())
            .env_clear();
        let output = command.output().unwrap();
        (output.status.code(), stderr(&output).to_owned())
    };
    let config = dir.join("runvet.toml");
    let (code, told) = exit(&["--config".as_ref(), config.as_os_str(), dir.as_os_str()]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("can't read the baseline"), "{told}");
    fs::write(
        dir.join("known.json"),
        "{\"version\":2,\"episodes\":{},\"skips\":{}}",
    )
    .unwrap();
    let (code, told) = exit(&["--config".as_ref(), config.as_os_str(), dir.as_os_str()]);
    assert_eq!(code, Some(3), "{told}");
}

#[test]
fn baseline_is_never_also_a_report() {
    let project = adopted();
    project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    let text = fs::read_to_string(project.path("known.json")).unwrap();
    std::os::unix::fs::symlink("known.json", project.path("link.json")).unwrap();
    let whole = project.path("known.json");
    let spellings = [
        "known.json",
        "./known.json",
        "runs/../known.json",
        "link.json",
    ];
    for spelling in spellings.into_iter().chain(whole.to_str()) {
        for option in ["--baseline", "--write-baseline"] {
            let report = format!("json={spelling}");
            let output = project.run(&[
                "validate",
                option,
                "known.json",
                "--output",
                &report,
                "runs",
            ]);
            assert_eq!(output.status.code(), Some(2), "{option} {spelling}");
            let told = format!("{spelling} can't be both a report and the baseline");
            assert!(stderr(&output).contains(&told), "{}", stderr(&output));
            assert_eq!(
                fs::read_to_string(&whole).unwrap(),
                text,
                "{option} {spelling}"
            );
        }
        let new = format!(
            "json={}",
            spelling.replace("known", "new").replace("link", "new")
        );
        let output = project.run(&[
            "validate",
            "--write-baseline",
            "new.json",
            "--output",
            &new,
            "runs",
        ]);
        assert_eq!(
            output.status.code(),
            Some(2),
            "a file that is not there: {new}"
        );
    }
    let twice = [
        "validate",
        "--output",
        "json=o",
        "--output",
        "sarif=./o",
        "runs",
    ];
    let output = project.run(&twice);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("two reports can't both be written to ./o"));
}

#[test]
fn suppressed_findings_keep_the_schemas() {
    let project = Project::new(
        "[[ignore]]\nrule = 'lifecycle/*'\nepisode = '*'\nreason = 'it [crashed](x)'\n\
         [[override]]\npaths = ['ep_05*']\nrules = { 'state/schema' = 'warning' }",
    );
    project.run(&[
        "validate",
        "--write-baseline",
        "known.json",
        "runs/demo/episodes/ep_03_edited",
    ]);
    let json = |format: &str| -> Value {
        let args = [
            "validate",
            "--baseline",
            "known.json",
            "--format",
            format,
            "runs",
        ];
        serde_json::from_slice(&project.run(&args).stdout).unwrap()
    };
    let report = json("json");
    let schema: Value = serde_json::from_str(runvet::Schema::Report.text()).unwrap();
    assert!(
        jsonschema::validator_for(&schema)
            .unwrap()
            .is_valid(&report)
    );
    assert_eq!(
        (&report["totals"]["ignored"], &report["totals"]["baselined"]),
        (&2.into(), &2.into())
    );
    let log = json("sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let suppressed = results
        .iter()
        .filter(|result| result["suppressions"][0]["kind"] == "external")
        .count();
    assert_eq!((results.len(), suppressed), (7, 4));
    assert!(
        results
            .iter()
            .all(|result| result["suppressions"].is_array()),
        "if one has it, all must"
    );
    crate::support::sarif::hold_to_the_sarif_schema(&log);
}

#[test]
fn config_schema_agrees_with_the_reader() {
    let schema: Value = serde_json::from_str(runvet::Schema::Config.text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let read = |text: &str| Gate::from_toml(Path::new("runvet.toml"), text, None).is_ok();
    let whole =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/runvet.toml")).unwrap();
    for (text, is_right) in [
        (&*whole, true),
        ("", true),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\nexpires = 2026-12-31",
            true,
        ),
        ("[[ignore]]\nrule = 'plan/*'\nepisode = '*'", false),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = ''",
            false,
        ),
        ("[[override]]\npaths = []", false),
        ("[[override]]\npaths = []\nrules = {}", true),
        ("rules = { 'plan/*' = 'fatal' }", false),
        ("jobs = 0", false),
        ("max-findings = -1", false),
        ("max_findings = 1", false),
        ("format = 'xml'", false),
        ("exclude = 'x'", false),
    ] {
        let table: toml::Table = text.parse().unwrap();
        let json = in_json(toml::Value::Table(table));
        assert_eq!(
            (read(text), validator.is_valid(&json)),
            (is_right, is_right),
            "{text}"
        );
    }
}

/// A TOML value as an editor's JSON: dates are strings.
fn in_json(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(in_json).collect(),
        toml::Value::Table(table) => table
            .into_iter()
            .map(|(key, value)| (key, in_json(value)))
            .collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}
