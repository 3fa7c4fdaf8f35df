//! The configuration for users: where it is found, and its effects.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::runs::copy_dir;

/// The settings with all their sources: the key, the default, the value in the file; a variable,
/// its text and the value it sets; a flag, its text and the value it sets.
const SETTINGS: &str = "\
format human json RUNVET_FORMAT sarif sarif --format --format=junit junit
deny-warnings false true RUNVET_DENY_WARNINGS 0 false --deny-warnings --deny-warnings true
deny-unjudged false true RUNVET_DENY_UNJUDGED 0 false --deny-unjudged --deny-unjudged true
max-findings 20 3 RUNVET_MAX_FINDINGS 4 4 --max-findings --max-findings=5 5
jobs - 3 RUNVET_JOBS 4 4 --jobs --jobs=5 5
baseline - known.json RUNVET_BASELINE other.json other.json --baseline --baseline=third.json third.json
select - plan/*,state/schema RUNVET_SELECT plan/* plan/* --select --select=strict/*,state/* strict/*,state/*
verify-manifest false true RUNVET_VERIFY_MANIFEST no false --verify-manifest --verify-manifest true";

#[test]
fn flags_override_environment_file_and_defaults_in_order() {
    let project = Project::new(
        "format = 'json'\ndeny-warnings = true\ndeny-unjudged = true\nmax-findings = 3\njobs = 3\n\
         baseline = 'known.json'\nselect = ['plan/*', 'state/schema']\n\
         verify-manifest = true\nrules = { 'plan/*' = 'off' }",
    );
    let settings: Vec<[&str; 9]> = SETTINGS
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>().try_into().unwrap())
        .collect();
    let each = |of: &dyn Fn(usize, &[&str; 9]) -> String| -> Vec<String> {
        settings
            .iter()
            .enumerate()
            .map(|(at, it)| of(at, it))
            .collect()
    };
    let set: Vec<(&str, &str)> = settings.iter().map(|it| (it[3], it[4])).collect();
    let rules = ("RUNVET_RULES", "state/schema=off,plan/*=error");
    let variables = [&set[..], &[rules]].concat();
    let by_flag: Vec<&str> = settings.iter().map(|it| it[7]).collect();
    let flags = [&by_flag[..], &["--rule=episode/id=warning"]].concat();
    let of = |variables: &[(&str, &str)], flags: &[&str]| {
        let output = project.run_in("", variables, &[&["config"], flags].concat());
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        stdout(&output).lines().map(words).collect::<Vec<_>>()
    };

    let (number, after) = (settings.len(), settings.len() + 1);
    let defaults = each(&|_, it| format!("{} {} default", it[0], it[1]));
    assert_eq!(of(&[], &["--no-config"]), defaults);
    let from_file = each(&|at, it| format!("{} {} runvet.toml:{}", it[0], it[2], at + 1));
    assert_eq!(of(&[], &[])[..number], from_file);
    assert_eq!(
        of(&[], &[])[number..],
        [format!("plan/* off runvet.toml:{after}")]
    );
    let from_environment = each(&|_, it| format!("{} {} {}", it[0], it[5], it[3]));
    assert_eq!(of(&variables, &[])[..number], from_environment);
    assert_eq!(
        of(&variables, &[])[after..],
        ["state/schema off RUNVET_RULES", "plan/* error RUNVET_RULES"]
    );
    let from_flags = each(&|_, it| format!("{} {} {}", it[0], it[8], it[6]));
    assert_eq!(of(&variables, &flags)[..number], from_flags);
    assert_eq!(
        of(&variables, &flags)[after..],
        [
            "state/schema off RUNVET_RULES",
            "plan/* error RUNVET_RULES",
            "episode/id warning --rule"
        ]
    );
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
fn level_of_a_rule_is_shown_with_what_sets_it() {
    let project = Project::new(
        "[rules]\n'plan/*' = 'warning'\n'plan/no-event' = 'off'\n\n\
         [[override]]\npaths = ['ep_02*']\nrules = { '*' = 'off', 'plan/projection' = 'error' }",
    );
    let of = |variables: &[(&str, &str)], args: &[&str]| {
        let output = project.run_in("", variables, &[&["config"], args].concat());
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        stdout(&output).lines().map(words).collect::<Vec<_>>()
    };
    let (paused, other) = (
        "runs/demo/episodes/ep_02_paused",
        "runs/demo/episodes/ep_01_answer",
    );
    let rule = "plan/projection";
    let in_file = "plan/projection warning runvet.toml:2 (plan/*)";
    assert_eq!(of(&[], &[rule]), [in_file]);
    assert_eq!(of(&[], &[rule, other]), [in_file]);
    assert_eq!(
        of(&[], &[rule, paused]),
        ["plan/projection error runvet.toml:7"]
    );
    assert_eq!(
        of(&[], &["episode/id", paused]),
        ["episode/id off runvet.toml:7 (*)"]
    );
    assert_eq!(
        of(&[], &["episode/id", other]),
        ["episode/id error default"]
    );
    assert_eq!(
        of(&[], &["plan/no-event"]),
        ["plan/no-event off runvet.toml:3"]
    );
    assert_eq!(of(&[], &["plan/*"]).len(), 5);
    let variables = [("RUNVET_RULES", "plan/*=error,episode/id=off")];
    let flags = ["--verify-manifest", "--rule", "episode/id=warning"];
    let with = |rule: &str| of(&variables, &[&flags[..], &[rule]].concat());
    assert_eq!(with(rule), ["plan/projection error RUNVET_RULES (plan/*)"]);
    assert_eq!(with("episode/id"), ["episode/id warning --rule"]);
    assert_eq!(
        with("manifest/digest"),
        ["manifest/digest error --verify-manifest"]
    );
    assert_eq!(
        of(&[], &["--select", "state/*", rule]),
        ["plan/projection off not selected"]
    );
}

#[test]
fn level_of_an_unknown_rule_is_refused() {
    let project = Project::new("");
    for name in ["acme/no-such", "plam/projection"] {
        let output = project.run(&["config", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let message = format!("there is no rule called `{name}`");
        assert!(stderr(&output).contains(&message), "{}", stderr(&output));
    }
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
